// objects/queues.yaml: Kueue's view of the cluster. A ResourceFlavor for each group of workers, a Topology for each set
// of places that its nodes have, a ClusterQueue and a LocalQueue for each team, all in one cohort: what one team leaves
// idle others borrow.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "compile/kubernetes/workloads.h"

namespace clusterc {
namespace {

constexpr std::string_view kApi = "kueue.x-k8s.io/v1beta2";

// "topology.clusterc/pod" and "…/leaf" -> "pod-leaf"; "node" where nodes have no places. Every flavor has a topology:
// with one that has none, Kueue 0.19 keeps the launcher of a job that waits from the others, and tells that as the
// reason.
std::string topology_name(const KubernetesWorkers& w) {
  if (w.levels.empty()) return "node";
  std::string name;
  for (const std::string_view level : w.levels) (name += name.empty() ? "" : "-") += level.substr(level.find('/') + 1);
  return name;
}

// Groups without GPUs first: a job takes the first flavor that it fits.
std::vector<std::size_t> in_order(const KubernetesFacts& facts) {
  std::vector<std::size_t> order;
  for (const bool gpus : {false, true})
    for (std::size_t w = 0; w < facts.workers.size(); ++w)
      if (facts.workers[w].gpu.empty() != gpus) order.push_back(w);
  return order;
}

class Queue {
 public:
  Queue(const KubernetesOutput& o, YamlWriter& y) : o_(o), y_(y) {
    for (const KubernetesWorkers& w : o.facts.workers)
      if (!w.gpu.empty()) gpus_.insert(w.gpu);
  }

  void groups(const std::vector<KubernetesAmount>& amounts) {
    y_.list("resourceGroups").begin_map().list("coveredResources");
    y_.value("cpu").value("memory");
    for (const std::string& gpu : gpus_) y_.value(gpu);
    for (const KubernetesRailNetwork& r : o_.facts.rails) y_.value(r.resource);
    y_.end_list().list("flavors");
    for (const std::size_t w : in_order(o_.facts)) flavor(w, amounts[w]);
    y_.end_list().end_map().end_list();
  }

 private:
  void resource(std::string_view name, const std::string& nominal, const std::optional<std::string>& more) {
    y_.begin_map().field("name", name).field("nominalQuota", nominal);
    if (more) y_.field("borrowingLimit", *more);
    y_.end_map();
  }
  static std::optional<std::string> number(const std::optional<std::int64_t>& n) {
    return n ? std::optional(std::to_string(*n)) : std::nullopt;
  }
  void flavor(std::size_t index, const KubernetesAmount& a) {
    const KubernetesWorkers& w = o_.facts.workers[index];
    y_.begin_map().field("name", flavor_name(o_.in.cluster, w)).list("resources");
    resource("cpu", std::to_string(a.cpus), number(a.more_cpus));
    resource("memory", mebibytes(a.memory_mib),
             a.more_memory_mib ? std::optional(mebibytes(*a.more_memory_mib)) : std::nullopt);
    for (const std::string& gpu : gpus_)
      resource(gpu, std::to_string(gpu == w.gpu ? a.gpus : 0), gpu == w.gpu ? number(a.more_gpus) : std::nullopt);
    for (const KubernetesRailNetwork& r : o_.facts.rails) {
      const bool there = std::find(r.workers.begin(), r.workers.end(), static_cast<int>(index)) != r.workers.end();
      resource(r.resource, std::to_string(there ? kPodsOnAdapters * static_cast<std::int64_t>(w.nodes.size()) : 0),
               std::nullopt);
    }
    y_.end_list().end_map();
  }

  const KubernetesOutput& o_;
  YamlWriter& y_;
  std::set<std::string> gpus_;
};

// Served models are not queued: what their fewest copies have is not there for jobs.
std::vector<KubernetesAmount> without_served(const KubernetesOutput& o, const KubernetesTeam& team) {
  std::vector<KubernetesAmount> out = team.amounts;
  for (const ServedModel& m : job_facts(o.in.system).served) {
    if (m.team != team.name) continue;
    for (KubernetesAmount& a : out) {
      if (o.facts.workers[static_cast<std::size_t>(a.workers)].group != m.group) continue;
      const std::int64_t pods = m.least * m.pods;
      a.gpus = std::max<std::int64_t>(0, a.gpus - pods * m.gpus);
      a.cpus = std::max<std::int64_t>(0, a.cpus - pods * m.cpus);
      a.memory_mib = std::max<std::int64_t>(0, a.memory_mib - pods * m.memory_mib);
    }
  }
  return out;
}

void flavors(const KubernetesOutput& o, ObjectFile& file) {
  std::set<std::string> topologies;
  for (const KubernetesWorkers& w : o.facts.workers)
    if (topologies.insert(topology_name(w)).second) {
      YamlWriter& y = file.object(kApi, "Topology", topology_name(w));
      y.map("spec").list("levels");
      for (const std::string_view level : w.levels) y.begin_map().field("nodeLabel", level).end_map();
      y.begin_map().field("nodeLabel", "kubernetes.io/hostname").end_map();
      y.end_list().end_map();
    }
  for (const KubernetesWorkers& w : o.facts.workers) {
    YamlWriter& y = file.object(kApi, "ResourceFlavor", flavor_name(o.in.cluster, w));
    y.map("spec").map("nodeLabels");
    y.field(kGroupLabel, o.in.cluster.nodes[static_cast<std::size_t>(w.group)].name).end_map();
    y.field("topologyName", topology_name(w));
    if (!w.gpu.empty())
      y.list("nodeTaints")
          .begin_map()
          .field("key", w.gpu)
          .field("value", "present")
          .field("effect", "NoSchedule")
          .end_map()
          .end_list();
    y.end_map();
  }
}

}  // namespace

void emit_queues(const KubernetesOutput& o) {
  if (!o.facts.kueue || o.facts.workers.empty()) return;
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/queues.yaml", "for Kueue, once it runs");
  flavors(o, file);
  const std::string& cohort = to_lower(*o.in.cluster.spec.name);
  for (const KubernetesTeam& t : o.facts.teams) {
    YamlWriter& y = file.object(kApi, "ClusterQueue", t.name);
    y.map("spec").field("cohortName", cohort);
    y.map("namespaceSelector").map("matchLabels").field("kubernetes.io/metadata.name", t.name).end_map().end_map();
    y.map("preemption").field("reclaimWithinCohort", "Any").field("withinClusterQueue", "LowerPriority").end_map();
    Queue(o, y).groups(without_served(o, t));
    y.end_map();
    file.object(kApi, "LocalQueue", t.name, t.name).map("spec").field("clusterQueue", t.name).end_map();
  }
  // What no team has, for all to borrow. No namespace may use it: its name is that of none.
  if (std::any_of(o.facts.spare_amounts.begin(), o.facts.spare_amounts.end(),
                  [](const KubernetesAmount& a) { return a.gpus > 0 || a.cpus > 0 || a.memory_mib > 0; })) {
    YamlWriter& y = file.object(kApi, "ClusterQueue", "kube-unassigned");
    y.map("spec").field("cohortName", cohort);
    Queue(o, y).groups(o.facts.spare_amounts);
    y.end_map();
  }
}

}  // namespace clusterc
