// jobs/TEAM.yaml: the first job of each team, for MPI Operator: an all-reduce over the GPUs that are the team's own, or
// the names of the hosts where it has none.
#include <algorithm>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"

namespace clusterc {
namespace {

// Images with sshd and Open MPI, as the operator's launcher needs them: coreweave/nccl-tests; kubeflow/mpi-operator,
// build/base.
constexpr std::string_view kNcclImage = "ghcr.io/coreweave/nccl-tests:12.9.1-devel-ubuntu22.04-nccl2.30.4-1-111c25a",
                           kNcclProgram = "/opt/nccl_tests/build/all_reduce_perf",
                           kHostImage = "docker.io/mpioperator/openmpi:v0.6.0";

struct Shape {
  const KubernetesWorkers* on = nullptr;
  std::int64_t nodes = 0, gpus = 0, cpus = 1, memory_mib = 0;
};

// Half of a node's processors: two such jobs do not wait for each other, and quotas of processors last.
Shape shape_of(const KubernetesFacts& facts, const KubernetesTeam& team) {
  Shape best;
  for (const bool gpus : {true, false})
    for (const KubernetesAmount& a : team.amounts) {
      const KubernetesWorkers& w = facts.workers[static_cast<std::size_t>(a.workers)];
      const bool suits = gpus ? w.gpu == "nvidia.com/gpu" && a.gpus > 0 : w.gpu.empty() && a.cpus > 1;
      if (best.on || !suits) continue;
      Shape s{.on = &w};
      s.nodes = static_cast<std::int64_t>(w.nodes.size()) - w.spares;
      s.cpus = std::max<std::int64_t>(1, (w.cpus - w.reserved_cpus) / 2);
      s.memory_mib = w.memory_mib / 4;
      if (gpus) {
        s.gpus = std::min(w.gpus, a.gpus);
        s.nodes = std::min(s.nodes, a.gpus / s.gpus);
      }
      // The launcher takes one processor besides.
      while (s.cpus > 1 && s.nodes * s.cpus + 1 > a.cpus) --s.cpus;
      s.nodes = std::min(s.nodes, std::max<std::int64_t>(1, (a.cpus - 1) / s.cpus));
      if (s.nodes > 0) best = s;
    }
  return best;
}

void toleration(YamlWriter& y, const KubernetesWorkers& w) {
  if (w.gpu.empty()) return;
  y.list("tolerations").begin_map().field("key", w.gpu).field("operator", "Exists").end_map().end_list();
}

void amounts(YamlWriter& y, const Shape& s, const std::string& resource) {
  y.field("cpu", std::to_string(s.cpus));
  if (s.memory_mib > 0) y.field("memory", mebibytes(s.memory_mib));
  if (s.gpus > 0) y.field(s.on->gpu, std::to_string(s.gpus));
  if (!resource.empty()) y.field(resource, "1");
}

void launcher(const Shape& s, YamlWriter& y) {
  const std::int64_t slots = s.gpus > 0 ? s.gpus : 1;
  const std::string ranks = std::to_string(s.nodes * slots);
  y.map("Launcher").field("replicas", 1).field("restartPolicy", "Never").map("template").map("spec");
  toleration(y, *s.on);
  y.list("containers").begin_map().field("name", "launcher").field("image", s.gpus > 0 ? kNcclImage : kHostImage);
  if (s.gpus > 0)
    y.key("command").flow({"mpirun",     "--allow-run-as-root",
                           "-np",        ranks,
                           "-bind-to",   "none",
                           "-x",         "LD_LIBRARY_PATH",
                           "-x",         "NCCL_SOCKET_IFNAME=eth0",
                           "-x",         "NCCL_DEBUG=INFO",
                           kNcclProgram, "-b",
                           "8",          "-e",
                           "8G",         "-f",
                           "2",          "-g",
                           "1"});
  else
    y.key("command").flow({"mpirun", "-np", ranks, "hostname"});
  y.map("resources").map("requests").field("cpu", "1").field("memory", "1Gi").end_map().end_map();
  y.end_map().end_list();
  y.end_map().end_map().end_map();
}

void worker(const KubernetesOutput& o, const Shape& s, YamlWriter& y) {
  const PodRails of_pod = s.gpus > 0 ? rails_of(o.facts, s.on->group) : PodRails();
  const std::string &rails = of_pod.networks, &resource = of_pod.resource;
  // Kueue goes from here to wider levels where a job does not fit. From a wider one it takes the place with the least
  // room that suffices, and there the job is spread over narrower ones although another place has a whole one.
  const std::string_view narrow = s.on->levels.empty() ? std::string_view() : s.on->levels.back();
  y.map("Worker").field("replicas", s.nodes).map("template");
  if (!rails.empty() || (o.facts.kueue && !narrow.empty())) {
    y.map("metadata").map("annotations");
    if (!rails.empty()) y.field("k8s.v1.cni.cncf.io/networks", rails);
    if (o.facts.kueue && !narrow.empty()) y.field("kueue.x-k8s.io/podset-preferred-topology", narrow);
    y.end_map().end_map();
  }
  y.map("spec");
  y.map("nodeSelector").field(kGroupLabel, o.in.cluster.nodes[static_cast<std::size_t>(s.on->group)].name).end_map();
  toleration(y, *s.on);
  y.list("containers").begin_map().field("name", "worker").field("image", s.gpus > 0 ? kNcclImage : kHostImage);
  y.map("resources").map("requests");
  amounts(y, s, resource);
  y.end_map().map("limits");
  amounts(y, s, resource);
  y.end_map().end_map();
  if (s.gpus > 0) {
    y.list("volumeMounts").begin_map().field("name", "shm").field("mountPath", "/dev/shm").end_map().end_list();
    y.end_map().end_list();
    y.list("volumes").begin_map().field("name", "shm").map("emptyDir").field("medium", "Memory").end_map().end_map();
    y.end_list();
  } else {
    y.end_map().end_list();
  }
  y.end_map().end_map().end_map();
}

}  // namespace

void emit_first_jobs(const KubernetesOutput& o) {
  for (const KubernetesTeam& t : o.facts.teams) {
    const Shape s = shape_of(o.facts, t);
    if (!s.on) continue;
    ObjectFile file(o.in, o.bundle, "kubernetes/jobs/" + t.name + ".yaml",
                    "kubectl create -f jobs/" + t.name + ".yaml; kubectl logs -n " + t.name +
                        " -l training.kubeflow.org/job-role=launcher -f");
    YamlWriter& y = file.document();
    y.field("apiVersion", "kubeflow.org/v2beta1").field("kind", "MPIJob").map("metadata");
    y.field("name", "first").field("namespace", t.name);
    if (o.facts.kueue) y.map("labels").field("kueue.x-k8s.io/queue-name", t.name).end_map();
    y.end_map();
    y.map("spec").field("slotsPerWorker", s.gpus > 0 ? s.gpus : 1);
    y.map("runPolicy").field("cleanPodPolicy", "Running").end_map();
    y.map("mpiReplicaSpecs");
    launcher(s, y);
    worker(o, s, y);
    y.end_map().end_map();
  }
}

}  // namespace clusterc
