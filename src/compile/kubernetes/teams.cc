// Namespaces, access, limits and priorities. Users and groups are those that the API server learns from whoever
// authenticates them; a team is a group of its name, and its users besides by their own.
#include <algorithm>

#include "compile/kubernetes/objects.h"
#include "compile/kubernetes/workloads.h"

namespace clusterc {
namespace {

constexpr std::string_view kJobsRole = "cluster-jobs", kTeamLabel = "clusterc/team";

void namespaces(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/namespaces.yaml", "a namespace for each team");
  for (const KubernetesTeam& t : o.facts.teams) {
    YamlWriter& y = file.document();
    y.field("apiVersion", "v1").field("kind", "Namespace").map("metadata").field("name", t.name).map("labels");
    y.field(kTeamLabel, t.name).field("pod-security.kubernetes.io/enforce", "baseline").end_map().end_map();
  }
}

// Pod security `baseline` lets a pod mount any NFS export that its node reaches, as any user: with the folder of
// another team. Volumes of teams are therefore claims, and what holds nothing of the cluster's storage.
void policies(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/policies.yaml", "what pods of teams may mount");
  constexpr std::string_view kApi = "admissionregistration.k8s.io/v1", kName = "cluster-volumes";
  YamlWriter& y = file.object(kApi, "ValidatingAdmissionPolicy", kName);
  y.map("spec").field("failurePolicy", "Fail").map("matchConstraints").list("resourceRules").begin_map();
  y.key("apiGroups").flow({""}).key("apiVersions").flow({"v1"}).key("operations").flow({"CREATE", "UPDATE"});
  y.key("resources").flow({"pods"}).end_map().end_list().end_map();
  std::string kinds;
  for (const std::string_view kind :
       {"persistentVolumeClaim", "emptyDir", "configMap", "secret", "projected", "downwardAPI", "ephemeral"})
    ((kinds += kinds.empty() ? "has(v." : " || has(v.") += kind) += ")";
  y.list("validations").begin_map();
  y.field("expression", "!has(object.spec.volumes) || object.spec.volumes.all(v, " + kinds + ")");
  y.field("message", "a volume of a pod is a claim of its team, or holds nothing of the cluster's storage");
  y.end_map().end_list().end_map();
  YamlWriter& b = file.object(kApi, "ValidatingAdmissionPolicyBinding", kName);
  b.map("spec").field("policyName", kName).key("validationActions").flow({"Deny"});
  b.map("matchResources").map("namespaceSelector").list("matchExpressions").begin_map();
  b.field("key", kTeamLabel).field("operator", "Exists").end_map().end_list().end_map().end_map().end_map();
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
  rule(y, "trainer.kubeflow.org", {"trainjobs", "trainingruntimes"}, all);
  rule(y, "keda.sh", {"scaledobjects"}, all);
  rule(y, "ray.io", {"rayjobs", "rayclusters"}, all);
  rule(y, "leaderworkerset.x-k8s.io", {"leaderworkersets"}, all);
  rule(y, "kueue.x-k8s.io", {"localqueues", "workloads"}, look);
  y.end_list();
  for (const KubernetesTeam& t : o.facts.teams) binding(file, t, "edit"), binding(file, t, kJobsRole);
}

// How many pods with one of these priorities a team may have.
void pods_of_priority(ObjectFile& file, std::string_view name, const std::string& team,
                      std::initializer_list<std::string_view> priorities, std::int64_t pods) {
  YamlWriter& y = file.object("v1", "ResourceQuota", name, team);
  y.map("spec").map("hard").field("pods", std::to_string(pods)).end_map();
  y.map("scopeSelector").list("matchExpressions").begin_map();
  y.field("scopeName", "PriorityClass").field("operator", "In").key("values").flow(priorities);
  y.end_map().end_list().end_map().end_map();
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
    // What takes the place of other teams' pods is for the served models of the spec, and for Kubernetes itself.
    std::int64_t serving = 0;
    for (const ServedModel& m : job_facts(o.in.system).served)
      if (m.team == t.name) serving += m.most * m.pods;
    pods_of_priority(file, "serving", t.name, {kServingPriority}, serving);
    pods_of_priority(file, "system", t.name, {"system-cluster-critical", "system-node-critical"}, 0);
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
    bool standard = false, preempts = false;
  };
  static constexpr Priority kPriorities[] = {
      {"cluster-low", "jobs that fill what is idle", 1000},
      {"cluster-normal", "jobs that say nothing", 10000, true},
      {"cluster-high", "jobs for which Kueue stops others of their team", 100000},
      {kServingPriority, "copies of served models, for which jobs of any team make room", 1000000, false, true}};
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/priorities.yaml", "priorities of jobs");
  for (const Priority& p : kPriorities)
    file.object("scheduling.k8s.io/v1", "PriorityClass", p.name)
        .field("value", p.value)
        .field("globalDefault", p.standard)
        .field("preemptionPolicy", p.preempts ? "PreemptLowerPriority" : "Never")
        .field("description", p.says);
}

}  // namespace

void emit_teams(const KubernetesOutput& o) {
  namespaces(o);
  policies(o);
  priorities(o);
  access(o);
  limits(o);
}

}  // namespace clusterc
