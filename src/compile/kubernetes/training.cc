// workloads/NAME.yaml of a training or a program: a JobSet (torchrun, DeepSpeed, Megatron-LM, JAX), or the TrainJob of
// Kubeflow Trainer that makes this JobSet, an MPIJob (Horovod, MPI) or a RayJob, with the queue of its team, the place
// that it asks for, and what happens after a failure.
#include <algorithm>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"
#include "spec/workload.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::int64_t kGrace = 30;  // seconds, the default of Kubernetes

PodShape shape_of(const KubernetesOutput& o, const Job& j) {
  const KubernetesWorkers& w = workers_of_group(o, j.group);
  return {.workload = j.name,
          .team = j.account,
          .workers = &w,
          .gpus = j.gres.empty() ? 0 : j.processes,
          .cpus = j.cpus * j.processes,
          .memory_mib = j.memory_mib,
          .rails = rails_of(o.facts, j.group)};
}

// The place that Kueue looks for. A layer that is shared by GPUs of several nodes needs them in one NVLink domain; the
// rest of the job is best in the narrowest place that holds it, which Kueue looks for from there outwards (first jobs).
std::vector<PodAnnotation> place_of(const KubernetesOutput& o, const Job& j, const PodShape& s) {
  std::vector<PodAnnotation> out;
  const auto& levels = s.workers->levels;
  if (!o.facts.kueue || levels.empty()) return out;
  out.push_back({"kueue.x-k8s.io/podset-preferred-topology", std::string(levels.back())});
  const bool nvlink = std::find(levels.begin(), levels.end(), kNvlinkLabel) != levels.end();
  if (const std::int64_t nodes = j.split ? j.split->tensor / j.processes : 0;
      nvlink && nodes > 1 && j.split->tensor % j.processes == 0 && j.launcher != JobLauncher::ray) {
    out.push_back({"kueue.x-k8s.io/podset-slice-required-topology", std::string(kNvlinkLabel)});
    out.push_back({"kueue.x-k8s.io/podset-slice-size", std::to_string(nodes)});
  }
  return out;
}

// Everything of a pod behind its metadata. `kind`: of the container.
void pod_spec(const KubernetesOutput& o, const Job& j, const PodShape& s, YamlWriter& y, std::string_view container,
              std::string_view restart, const std::vector<std::string>& command) {
  y.map("spec");
  if (!restart.empty()) y.field("restartPolicy", restart);
  // Time to save, after a pod was told to end.
  y.field("terminationGracePeriodSeconds", j.saves ? std::max(kGrace, j.warning) : kGrace);
  pod_place(y, o, s);
  y.list("containers").begin_map().field("name", container).field("image", j.image);
  if (!command.empty()) y.key("command").flow(command);
  // sshd of an MPIJob changes users; other programs have no need to.
  if (j.launcher != JobLauncher::mpi && j.launcher != JobLauncher::horovod)
    y.map("securityContext").field("allowPrivilegeEscalation", false).end_map();
  pod_resources(y, s);
  y.list("volumeMounts");
  pod_mounts(y, o, s, true, false);
  y.end_list().end_map().end_list();
  y.list("volumes");
  pod_volumes(y, o, s, true);
  y.end_list().end_map();
}

std::vector<std::string> launch_command(const KubernetesOutput& o, const Job& j) {
  std::vector<std::string> out = {"bash", std::string(kJobFolder) + "/launch.sh"};
  for (const std::string& word : extra_arguments(o, j.name))
    out.push_back(j.launcher == JobLauncher::ray ? word : command_word(word));
  return out;
}

YamlWriter& begin(const KubernetesOutput& o, const Job& j, ObjectFile& file, std::string_view version,
                  std::string_view kind) {
  YamlWriter& y = file.document();
  y.field("apiVersion", version).field("kind", kind).map("metadata");
  y.field("name", j.name).field("namespace", j.account);
  y.map("labels").field(kWorkloadLabel, j.name);
  if (o.facts.kueue) y.field(kQueueLabel, j.account);
  y.end_map().end_map();
  return y.map("spec");
}

void rule(YamlWriter& y, std::string_view name, std::string_view reason) {
  y.begin_map().field("name", name).field("action", "RestartJobSetAndIgnoreMaxRestarts");
  y.key("onJobFailureReasons").flow({reason}).end_map();
}

// A node that fails, or that is drained, costs no restart: the pods that it takes away have the condition
// DisruptionTarget. What fails besides counts: the peers of a lost node, or the script.
void job_set_spec(const KubernetesOutput& o, const Job& j, YamlWriter& y) {
  const PodShape s = shape_of(o, j);
  const bool again = j.requeues && j.limit && j.saves;
  y.map("failurePolicy").field("maxRestarts", j.restarts);
  if (j.requeues) {
    y.list("rules");
    rule(y, "nodeFailed", "PodFailurePolicy");
    if (again) rule(y, "timeLimit", "DeadlineExceeded");
    y.end_list();
  }
  y.end_map();
  y.list("replicatedJobs").begin_map().field("name", replicated_job(j)).field("replicas", 1).map("template");
  // Kubeflow Trainer looks for the job and the container that train.
  if (uses_trainer(j))
    y.map("metadata").map("labels").field("trainer.kubeflow.org/trainjob-ancestor-step", "trainer").end_map().end_map();
  y.map("spec");
  y.field("parallelism", j.nodes).field("completions", j.nodes).field("completionMode", "Indexed");
  y.field("backoffLimit", 0);
  if (j.limit) y.field("activeDeadlineSeconds", *j.limit * 60);
  if (j.requeues) {
    y.map("podFailurePolicy").list("rules").begin_map().field("action", "FailJob").list("onPodConditions");
    y.begin_map().field("type", "DisruptionTarget").field("status", "True").end_map().end_list();
    y.end_map().end_list().end_map();
  }
  y.map("template");
  pod_metadata(y, s, place_of(o, j, s));
  pod_spec(o, j, s, y, uses_trainer(j) ? "node" : "train", "Never", launch_command(o, j));
  y.end_map();
  y.end_map().end_map().end_map().end_list();
}

void job_set(const KubernetesOutput& o, const Job& j, ObjectFile& file) {
  YamlWriter& y = begin(o, j, file, "jobset.x-k8s.io/v1alpha2", "JobSet");
  job_set_spec(o, j, y);
  y.end_map();
}

// The runtime has what the JobSet has, so that both ways run the same pods; the TrainJob names it. No policy of a
// framework: launch.sh starts the processes.
void train_job(const KubernetesOutput& o, const Job& j, ObjectFile& file) {
  YamlWriter& r = file.object("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", j.name, j.account);
  r.map("spec").map("mlPolicy").field("numNodes", j.nodes).end_map().map("template").map("spec");
  job_set_spec(o, j, r);
  r.end_map().end_map().end_map();
  YamlWriter& y = begin(o, j, file, "trainer.kubeflow.org/v1alpha1", "TrainJob");
  y.map("runtimeRef").field("apiGroup", "trainer.kubeflow.org").field("kind", "TrainingRuntime").field("name", j.name);
  y.end_map().map("trainer").field("numNodes", j.nodes).end_map().end_map();
}

void mpi_job(const KubernetesOutput& o, const Job& j, ObjectFile& file) {
  const PodShape s = shape_of(o, j);
  YamlWriter& y = begin(o, j, file, "kubeflow.org/v2beta1", "MPIJob");
  y.field("slotsPerWorker", j.processes).field("launcherCreationPolicy", "WaitForWorkersReady");
  y.map("runPolicy").field("cleanPodPolicy", "Running").field("backoffLimit", j.restarts);
  if (j.limit) y.field("activeDeadlineSeconds", *j.limit * 60);
  y.end_map();
  y.map("mpiReplicaSpecs");
  std::vector<std::string> command = {"mpirun",    "--allow-run-as-root",
                                      "-np",       std::to_string(j.world()),
                                      "--map-by",  "ppr:" + std::to_string(j.processes) + ":node",
                                      "--bind-to", "none",
                                      "-x",        "PATH",
                                      "-x",        "LD_LIBRARY_PATH"};
  for (std::string& word : launch_command(o, j)) command.push_back(std::move(word));
  y.map("Launcher").field("replicas", 1).field("restartPolicy", "Never").map("template");
  PodShape launcher = s;
  launcher.gpus = 0, launcher.cpus = 1, launcher.memory_mib = 1024, launcher.rails = {};
  pod_metadata(y, launcher, {});
  y.map("spec");
  if (!s.workers->gpu.empty())
    y.list("tolerations").begin_map().field("key", s.workers->gpu).field("operator", "Exists").end_map().end_list();
  y.list("containers").begin_map().field("name", "launcher").field("image", j.image).key("command").flow(command);
  pod_resources(y, launcher);
  y.end_map().end_list().end_map();
  y.end_map().end_map();
  y.map("Worker").field("replicas", j.nodes).map("template");
  pod_metadata(y, s, place_of(o, j, s));
  pod_spec(o, j, s, y, "worker", {}, {});
  y.end_map().end_map();
  y.end_map().end_map();
}

// Ray's head trains too, as on Slurm: it has the GPUs of the first node.
void ray_job(const KubernetesOutput& o, const Job& j, ObjectFile& file) {
  const PodShape s = shape_of(o, j);
  YamlWriter& y = begin(o, j, file, "ray.io/v1", "RayJob");
  std::string entry;
  for (const std::string& word : launch_command(o, j)) {
    if (!entry.empty()) entry += ' ';
    append_shell_word(entry, word);
  }
  // HTTPMode: the operator itself submits the script, without a pod that needs a place.
  y.field("entrypoint", entry).field("submissionMode", "HTTPMode").field("shutdownAfterJobFinishes", true);
  y.field("backoffLimit", j.restarts);
  if (j.limit) y.field("activeDeadlineSeconds", *j.limit * 60);
  std::vector<PodAnnotation> place = place_of(o, j, s);
  if (!place.empty() && j.nodes > 1) place.push_back({"kueue.x-k8s.io/podset-group-name", j.name});
  y.map("rayClusterSpec").map("headGroupSpec");
  y.map("rayStartParams").field("dashboard-host", "0.0.0.0").end_map().map("template");
  pod_metadata(y, s, place);
  pod_spec(o, j, s, y, "ray-head", {}, {});
  y.end_map().end_map();
  if (j.nodes > 1) {
    y.list("workerGroupSpecs").begin_map().field("groupName", "workers").field("replicas", j.nodes - 1);
    y.field("minReplicas", j.nodes - 1).field("maxReplicas", j.nodes - 1).map("rayStartParams").end_map();
    y.map("template");
    pod_metadata(y, s, place);
    pod_spec(o, j, s, y, "ray-worker", {}, {});
    y.end_map().end_map().end_list();
  }
  y.end_map().end_map();
}

// The operator of Ray asks the head for its state.
void from_kuberay(YamlWriter& y, std::string_view) {
  y.begin_map().list("from").begin_map().map("namespaceSelector").map("matchLabels");
  y.field("kubernetes.io/metadata.name", "kuberay-operator").end_map().end_map().end_map().end_list();
  y.list("ports").begin_map().field("protocol", "TCP").field("port", 8265).end_map().end_list().end_map();
}

}  // namespace

void emit_training(const KubernetesOutput& o, const Job& j) {
  ObjectFile file(o.in, o.bundle, workload_path(j.name), "kubectl apply --server-side -f workloads/" + j.name + ".yaml",
                  "kubernetes");
  emit_job_config(o, j, file);
  network_policy(file, j.name, j.account, j.launcher == JobLauncher::ray ? from_kuberay : nullptr);
  switch (j.launcher) {
    case JobLauncher::horovod:
    case JobLauncher::mpi:
      return mpi_job(o, j, file);
    case JobLauncher::ray:
      return ray_job(o, j, file);
    default:
      return uses_trainer(j) ? train_job(o, j, file) : job_set(o, j, file);
  }
}

}  // namespace clusterc
