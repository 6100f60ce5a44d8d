// kubernetes/: from machines that boot to a first job in a team's queue. kubeadm builds the cluster; the API server
// takes everything else (`kubectl apply --server-side`). README.md has the order.
#include <algorithm>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"
#include "spec/software.h"
#include "system/containers.h"

namespace clusterc {

ObjectFile::ObjectFile(const CompileInput& in, Bundle& bundle, std::string path, std::string_view says,
                       std::string_view extra_id)
    : bundle_(bundle) {
  bundle.open(std::move(path), "kubernetes");
  bundle.text() += made_by(in, extra_id);
  for (const std::string_view line : split(says, '\n')) (bundle.text() += "# ").append(line) += '\n';
}

ObjectFile::~ObjectFile() {
  end();
  bundle_.close();
}

void ObjectFile::end() {
  if (open_) y_->end_map();
  open_ = false;
}

YamlWriter& ObjectFile::document() {
  end();
  if (!first_) bundle_.text() += "---\n";
  first_ = false, open_ = true;
  return y_.emplace(bundle_.text()).begin_map();
}

YamlWriter& ObjectFile::object(std::string_view version, std::string_view kind, std::string_view name,
                               std::string_view space) {
  document().field("apiVersion", version).field("kind", kind).map("metadata").field("name", name);
  if (!space.empty()) y_->field("namespace", space);
  return y_->end_map();
}

void ObjectFile::append(std::string_view text) {
  end();
  bundle_.text() += text;
}

std::string mebibytes(std::int64_t mib) { return std::to_string(mib) + "Mi"; }

std::string flavor_name(const Cluster& c, const KubernetesWorkers& w) {
  return to_lower(c.nodes[static_cast<std::size_t>(w.group)].name);
}

bool has_gpus(const KubernetesFacts& facts, std::string_view resource) {
  return std::any_of(facts.workers.begin(), facts.workers.end(),
                     [&](const KubernetesWorkers& w) { return w.gpu == resource; });
}

bool has_operator(const Cluster& c, const KubernetesFacts& facts) {
  return std::any_of(facts.workers.begin(), facts.workers.end(), [&](const KubernetesWorkers& w) {
    return w.gpu == "nvidia.com/gpu" && c.nodes[static_cast<std::size_t>(w.group)].software->gpu_operator;
  });
}

namespace {

// Options of the program that follow from the plan.
constexpr std::string_view kPlanned[] = {"--tensor-parallel-size",
                                         "-tp",
                                         "--pipeline-parallel-size",
                                         "-pp",
                                         "--max-model-len",
                                         "--gpu-memory-utilization",
                                         "--served-model-name",
                                         "--port",
                                         "--nnodes",
                                         "--node-rank",
                                         "--master-addr",
                                         "--api-key"};

void check_arguments(const KubernetesOutput& o, const ServedModel& m) {
  const auto* lines = extra_of(o.in, workload_extra(m.name));
  if (!lines) return;
  for (const Value<std::string>& line : *lines) {
    if (!line) continue;
    const std::string_view word = std::string_view(*line).substr(0, line->find('='));
    if (std::find(std::begin(kPlanned), std::end(kPlanned), word) != std::end(kPlanned))
      o.findings
          .error("output-extra-contradicts-spec", line.span,
                 "option '" + one_line(word) + "' of workload '" + m.name + "' follows from the spec")
          .help(word == "--api-key" ? "keep the key in the secret '" + m.name + "-api-key'"
                                    : std::string("change the workload in the spec"));
  }
}

bool wants_kubernetes(const Cluster& c) { return runs_kubernetes(c) && c.node_count > 0; }

void emit_kubernetes(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const JobFacts& jobs = job_facts(in.system);
  std::vector<std::string> names;
  for (const Job& j : jobs.jobs) names.push_back(workload_extra(j.name));
  for (const ServedModel& m : jobs.served) names.push_back(workload_extra(m.name));
  std::vector<std::string_view> known = {kClusterExtra, kKubeletExtra, kValuesExtra, kNotebooksExtra};
  known.insert(known.end(), names.begin(), names.end());
  check_extra_files(in, "kubernetes", known, findings);
  const KubernetesFacts facts = kubernetes_facts(in.system, findings);
  const KubernetesOutput out{in, facts, bundle, findings};
  emit_readme(out);
  emit_kubeadm(out);
  emit_nodes(out);
  emit_teams(out);
  emit_queues(out);
  emit_storage(out);
  emit_operators(out);
  emit_first_jobs(out);
  emit_workloads(out);
  emit_notebooks(out);
}

}  // namespace

void emit_workloads(const KubernetesOutput& o) {
  const JobFacts& jobs = job_facts(o.in.system);
  for (const Job& j : jobs.jobs) emit_training(o, j);
  for (const ServedModel& m : jobs.served) {
    check_arguments(o, m);
    emit_service(o, m);
  }
  emit_metrics(o);
}

extern const Output kKubernetesOutput;  // registry.cc names it
const Output kKubernetesOutput{
    .id = "kubernetes",
    .summary =
        "kubeadm's configuration of every node, labels of the fabric, namespaces, quotas and queues of the teams, "
        "volumes, operators, a first job; each workload as the plan divides it: JobSet, TrainJob, MPIJob, RayJob, "
        "vLLM; "
        "notebooks",
    .consumers =
        "kubeadm and API server of Kubernetes 1.31 to 1.36; Kueue 0.15, GPU Operator 25, MPI Operator 0.6, JobSet, "
        "Kubeflow Trainer 2, KubeRay, LWS, vLLM, KEDA 2, Zero to JupyterHub 4.4",
    .wanted = wants_kubernetes,
    .emit = emit_kubernetes,
};

}  // namespace clusterc
