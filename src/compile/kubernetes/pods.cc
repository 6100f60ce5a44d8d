// The parts of a pod that every workload has.
#include <algorithm>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"
#include "spec/storage.h"
#include "spec/workload.h"
#include "system/kubernetes_jobs.h"

namespace clusterc {
namespace {

const WorkloadLauncher* launcher_of(const KubernetesOutput& o, std::string_view workload) {
  const auto* w = o.in.cluster.spec.workloads.find(workload);
  return w && w->value.launcher ? &*w->value.launcher : nullptr;
}

void amounts(YamlWriter& y, const PodShape& s) {
  y.field("cpu", std::to_string(s.cpus));
  if (s.memory_mib > 0) y.field("memory", mebibytes(s.memory_mib));
  if (s.gpus > 0) y.field(s.workers->gpu, std::to_string(s.gpus));
  if (!s.rails.resource.empty()) y.field(s.rails.resource, "1");
}

}  // namespace

std::string workload_path(std::string_view name) { return "kubernetes/workloads/" + std::string(name) + ".yaml"; }
std::string workload_extra(std::string_view name) { return std::string(name) + ".args"; }

std::vector<std::string> extra_arguments(const KubernetesOutput& o, std::string_view name) {
  std::vector<std::string> out;
  if (const auto* lines = extra_of(o.in, workload_extra(name)))
    for (const Value<std::string>& line : *lines)
      if (line) out.push_back(*line);
  return out;
}

// Kubernetes reads $(NAME) and $$: each $ is doubled.
std::string command_word(std::string_view word) { return replace_all(word, "$", "$$"); }

const KubernetesWorkers& workers_of_group(const KubernetesOutput& o, int group) {
  return *std::find_if(o.facts.workers.begin(), o.facts.workers.end(),
                       [&](const KubernetesWorkers& w) { return w.group == group; });
}

PodRails rails_of(const KubernetesFacts& facts, int group) {
  PodRails out;
  for (const KubernetesRailNetwork& r : facts.rails) {
    const bool there = std::any_of(r.workers.begin(), r.workers.end(),
                                   [&](int w) { return facts.workers[static_cast<std::size_t>(w)].group == group; });
    if (!there || !r.rails.front().pool) continue;
    for (const KubernetesRail& rail : r.rails)
      (out.networks += out.networks.empty() ? "default/" : ",default/") += rail.name;
    out.resource = r.resource;
    break;  // the first network of jobs
  }
  return out;
}

void pod_metadata(YamlWriter& y, const PodShape& s, const std::vector<PodAnnotation>& annotations) {
  y.map("metadata").map("labels").field(kWorkloadLabel, s.workload).end_map();
  if (!annotations.empty() || !s.rails.networks.empty()) {
    y.map("annotations");
    if (!s.rails.networks.empty()) y.field("k8s.v1.cni.cncf.io/networks", s.rails.networks);
    for (const PodAnnotation& a : annotations) y.field(a.key, a.value);
    y.end_map();
  }
  y.end_map();
}

void pod_place(YamlWriter& y, const KubernetesOutput& o, const PodShape& s) {
  y.map("nodeSelector");
  y.field(kGroupLabel, o.in.cluster.nodes[static_cast<std::size_t>(s.workers->group)].name).end_map();
  if (!s.workers->gpu.empty())
    y.list("tolerations").begin_map().field("key", s.workers->gpu).field("operator", "Exists").end_map().end_list();
  // The address of a service called vllm would be in VLLM_PORT, which vLLM takes for its own.
  y.field("enableServiceLinks", false).field("automountServiceAccountToken", false);
  const WorkloadLauncher* l = launcher_of(o, s.workload);
  y.map("securityContext");
  if (const std::int64_t user = l && l->user ? *l->user : s.user; user > 0)
    y.field("runAsUser", user).field("runAsNonRoot", true);
  if (l && l->group) y.key("supplementalGroups").begin_list().value(*l->group).end_list();
  y.map("seccompProfile").field("type", "RuntimeDefault").end_map().end_map();
}

void pod_resources(YamlWriter& y, const PodShape& s) {
  // The same of both: the kubelet then gives whole cores, near to the GPUs.
  y.map("resources").map("requests");
  amounts(y, s);
  y.end_map().map("limits");
  amounts(y, s);
  y.end_map().end_map();
}

void mount(YamlWriter& y, std::string_view name, const std::string& path, bool read_only) {
  y.begin_map().field("name", name).field("mountPath", path);
  if (read_only) y.field("readOnly", true);
  y.end_map();
}

void empty_volume(YamlWriter& y, std::string_view name, bool memory) {
  y.begin_map().field("name", name).map("emptyDir");
  if (memory) y.field("medium", "Memory");
  y.end_map().end_map();
}

void pod_mounts(YamlWriter& y, const KubernetesOutput& o, const PodShape& s, bool config, bool read_only) {
  if (config) mount(y, "job", std::string(kJobFolder), true);
  mount(y, "shm", "/dev/shm");
  for (const KubernetesStorage& k : o.facts.storage)
    if (k.many) mount(y, "of-" + to_lower(k.storage->name), team_folder(k, s.team), read_only);
}

void pod_volumes(YamlWriter& y, const KubernetesOutput& o, const PodShape& s, bool config) {
  if (config) y.begin_map().field("name", "job").map("configMap").field("name", s.workload).end_map().end_map();
  empty_volume(y, "shm", true);
  for (const KubernetesStorage& k : o.facts.storage)
    if (k.many) {
      const std::string claim = to_lower(k.storage->name);
      y.begin_map().field("name", "of-" + claim);
      y.map("persistentVolumeClaim").field("claimName", claim).end_map().end_map();
    }
}

void network_policy(ObjectFile& file, std::string_view name, std::string_view team,
                    void (*more)(YamlWriter&, std::string_view)) {
  YamlWriter& y = file.object("networking.k8s.io/v1", "NetworkPolicy", name, team);
  y.map("spec").map("podSelector").map("matchLabels").field(kWorkloadLabel, name).end_map().end_map();
  y.key("policyTypes").flow({"Ingress"});
  y.list("ingress").begin_map().list("from").begin_map().map("podSelector").map("matchLabels");
  y.field(kWorkloadLabel, name).end_map().end_map().end_map().end_list().end_map();
  if (more) more(y, team);
  y.end_list().end_map();
}

}  // namespace clusterc
