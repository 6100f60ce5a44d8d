// Namespaces, access, limits and priorities. Users and groups are those that the API server learns from whoever
// authenticates them; a team is a group of its name, and its users besides by their own.
#include <algorithm>

#include "compile/kubernetes/objects.h"

namespace clusterc {
namespace {

constexpr std::string_view kJobsRole = "cluster-jobs";

void namespaces(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/namespaces.yaml", "a namespace for each team");
  for (const KubernetesTeam& t : o.facts.teams) {
    YamlWriter& y = file.document();
    y.field("apiVersion", "v1").field("kind", "Namespace").map("metadata").field("name", t.name).map("labels");
    y.field("pod-security.kubernetes.io/enforce", "baseline").end_map().end_map();
  }
}

void rule(YamlWriter& y, std::string_view group, std::initializer_list<std::string_view> resources,
          std::initializer_list<std::string_view> verbs) {
  y.begin_map().key("apiGroups").flow({group}).key("resources").flow(resources).key("verbs").flow(verbs).end_map();
}

void binding(ObjectFile& file, const KubernetesTeam& t, std::string_view role) {
  YamlWriter& y = file.object("rbac.authorization.k8s.io/v1", "RoleBinding", t.name + "-" + std::string(role), t.name);
  y.map("roleRef")
      .field("apiGroup", "rbac.authorization.k8s.io")
      .field("kind", "ClusterRole")
      .field("name", role)
      .end_map();
  y.list("subjects");
  const auto subject = [&](std::string_view kind, std::string_view name) {
    y.begin_map().field("kind", kind).field("apiGroup", "rbac.authorization.k8s.io").field("name", name).end_map();
  };
  subject("Group", t.name);
  for (const std::string& user : t.users) subject("User", user);
  y.end_list();
}

void access(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/access.yaml", "what the users of a team may do in its namespace");
  YamlWriter& y = file.object("rbac.authorization.k8s.io/v1", "ClusterRole", kJobsRole);
  y.list("rules");
  const auto all = {std::string_view("get"),    std::string_view("list"),  std::string_view("watch"),
                    std::string_view("create"), std::string_view("patch"), std::string_view("update"),
                    std::string_view("delete")};
  const auto look = {std::string_view("get"), std::string_view("list"), std::string_view("watch")};
  rule(y, "kubeflow.org", {"mpijobs"}, all);
  rule(y, "jobset.x-k8s.io", {"jobsets"}, all);
  rule(y, "ray.io", {"rayjobs", "rayclusters"}, all);
  rule(y, "leaderworkerset.x-k8s.io", {"leaderworkersets"}, all);
  rule(y, "kueue.x-k8s.io", {"localqueues", "workloads"}, look);
  y.end_list();
  for (const KubernetesTeam& t : o.facts.teams) binding(file, t, "edit"), binding(file, t, kJobsRole);
}

void limits(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/limits.yaml",
                  "the most that a team's pods may ask for together, and one container alone");
  std::int64_t cpus = 0, memory = 0;
  for (const KubernetesWorkers& w : o.facts.workers)
    cpus = std::max(cpus, w.cpus - w.reserved_cpus), memory = std::max(memory, w.memory_mib);
  for (const KubernetesTeam& t : o.facts.teams) {
    if (!t.limits.empty()) {
      YamlWriter& y = file.object("v1", "ResourceQuota", "team", t.name);
      y.map("spec").map("hard");
      for (const auto& [resource, most] : t.limits) y.field(resource, std::to_string(most));
      y.end_map().end_map();
    }
    YamlWriter& y = file.object("v1", "LimitRange", "containers", t.name);
    y.map("spec").list("limits").begin_map().field("type", "Container");
    // What a container gets that asks for nothing; a quota refuses pods that do not say.
    y.map("defaultRequest").field("cpu", "1");
    y.field("memory", mebibytes(memory > 0 ? std::min<std::int64_t>(2048, memory) : 2048)).end_map();
    if (cpus > 0 || memory > 0) {
      y.map("max");
      if (cpus > 0) y.field("cpu", std::to_string(cpus));
      if (memory > 0) y.field("memory", mebibytes(memory));
      y.end_map();
    }
    y.end_map().end_list().end_map();
  }
}

void priorities(const KubernetesOutput& o) {
  struct Priority {
    std::string_view name, says;
    std::int64_t value;
    bool standard;
  };
  static constexpr Priority kPriorities[] = {
      {"cluster-low", "jobs that fill what is idle", 1000, false},
      {"cluster-normal", "jobs that say nothing", 10000, true},
      {"cluster-high", "jobs that may take the place of others of their team", 100000, false}};
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/priorities.yaml", "priorities of jobs");
  for (const Priority& p : kPriorities)
    file.object("scheduling.k8s.io/v1", "PriorityClass", p.name)
        .field("value", p.value)
        .field("globalDefault", p.standard)
        .field("preemptionPolicy", p.value > 10000 ? "PreemptLowerPriority" : "Never")
        .field("description", p.says);
}

}  // namespace

void emit_teams(const KubernetesOutput& o) {
  namespaces(o);
  priorities(o);
  access(o);
  limits(o);
}

}  // namespace clusterc
