// jupyterhub/values.yaml: values of the chart "Zero to JupyterHub" (KubeSpawner). One hub in a namespace of its own
// starts each session as a pod in the namespace of a team: with the team's quota, queue and volumes.
// objects/notebooks.yaml: that namespace, the hub's rights in the namespaces of the teams, and its volume.
#include "system/notebooks.h"

#include <algorithm>

#include "base/text.h"
#include "compile/extra_yaml.h"
#include "compile/kubernetes/workloads.h"
#include "compile/template_text.h"
#include "spec/team.h"
#include "system/kubernetes_jobs.h"

namespace clusterc {
namespace {

constexpr std::string_view kSpace = "cluster-notebooks", kRole = "cluster-notebooks";
constexpr std::string_view kLabel = "clusterc/notebooks", kLabelValue = "session";
constexpr std::string_view kHubClaim = "hub-db-dir";  // of the chart
constexpr std::int64_t kPodStartSeconds = 900;        // a session may wait in the queue of its team
constexpr std::int64_t kPodHubPort = 8081, kSessionPort = 8888;
// The home of a user is a folder in that of the team. The hub takes no name that is not the name of an account.
constexpr std::string_view kStart =
    R"(umask 027; export HOME="$SESSION_HOMES/$JUPYTERHUB_USER"; mkdir -p "$HOME" && cd "$HOME" && exec jupyterhub-singleuser "$@")";
constexpr std::string_view kOurValues[] = {"custom",     "hub",       "proxy", "singleuser",
                                           "scheduling", "prePuller", "cull",  "fullnameOverride"};

const KubernetesStorage* home_of(const KubernetesFacts& facts) {
  for (const KubernetesStorage& s : facts.storage)
    if (s.many) return &s;
  return nullptr;
}

std::string folder_of(const KubernetesStorage& s, std::string_view name) {
  return s.path + (s.path.ends_with('/') ? "" : "/") + std::string(name);
}

std::optional<std::int64_t> gid_of(const KubernetesOutput& o, std::string_view team) {
  const auto* t = o.in.cluster.spec.teams.find(team);
  return t && t->value.gid ? std::optional(*t->value.gid) : std::nullopt;
}

class Values {
 public:
  Values(const KubernetesOutput& o, const KubernetesNotebooks& n, YamlWriter& y)
      : o_(o), n_(n), y_(y), home_(home_of(o.facts)) {}

  void all() {
    custom();
    hub();
    proxy();
    sessions();
    // The cluster's own scheduler, behind the queue. Images are large: nodes get those that are used.
    y_.map("scheduling").map("userScheduler").field("enabled", false).end_map();
    y_.map("userPlaceholder").field("enabled", false).end_map();
    tolerations("corePods");
    y_.end_map();
    y_.map("prePuller").map("hook").field("enabled", false).end_map();
    y_.map("continuous").field("enabled", false).end_map().end_map();
    y_.map("cull").field("enabled", false).end_map();  // sessions end by themselves (args)
  }

 private:
  const Notebooks& spec() const { return *n_.spec; }

  void custom() {
    y_.map("custom").map("cluster").field("issuer", spec().oidc->issuer.value_or(""));
    y_.field("everybody", n_.everybody).field("groups", static_cast<bool>(spec().oidc->groups_claim));
    y_.map("teams");
    for (const KubernetesTeam& t : o_.facts.teams) {
      y_.key(t.name).begin_list();
      for (const std::string& user : t.users) y_.value(to_lower(user));  // as the hub writes names
      y_.end_list();
    }
    y_.end_map().end_map().end_map();
  }

  void names(std::string_view key, std::vector<std::string> all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    y_.list(key);
    for (const std::string& name : all) y_.value(name);
    y_.end_list();
  }

  void authenticator() {
    const OpenIdConnect& oidc = *spec().oidc;
    std::vector<std::string> admins, users, teams;
    for (const auto& admin : spec().admins)
      if (admin) admins.push_back(to_lower(*admin));
    for (const KubernetesTeam& t : o_.facts.teams) {
      teams.push_back(t.name);
      for (const std::string& user : t.users) users.push_back(to_lower(user));
    }
    y_.map("Authenticator").field("allow_all", n_.everybody);
    y_.field("username_pattern", "^[a-z_][a-z0-9_.-]{0,31}\\Z");
    names("admin_users", admins);
    if (!n_.everybody) names("allowed_users", users);
    y_.end_map();
    y_.map("GenericOAuthenticator").field("client_id", oidc.client_id.value_or(""));
    y_.field("oauth_callback_url", "https://" + *spec().name + "/hub/oauth_callback");
    y_.key("scope").flow({"openid", "profile"});
    y_.field("username_claim", oidc.username_claim.value_or("preferred_username"));
    if (oidc.groups_claim) {
      y_.field("manage_groups", true).field("auth_state_groups_key", "oauth_user." + *oidc.groups_claim);
      if (!n_.everybody) names("allowed_groups", teams);
    }
    y_.end_map();
  }

  void session_arguments() {
    if (!spec().idle) return;
    const std::string seconds =
        std::to_string(std::max<std::int64_t>(60, static_cast<std::int64_t>(spec().idle->value)));
    y_.list("args");
    // The server ends when no kernel and no terminal is left, and kernels end when nothing happens in them.
    for (const std::string_view option :
         {"--ServerApp.shutdown_no_activity_timeout=", "--MappingKernelManager.cull_idle_timeout=",
          "--TerminalManager.cull_inactive_timeout="})
      y_.value(std::string(option) + seconds);
    y_.value("--MappingKernelManager.cull_connected=True");
    y_.end_list();
  }

  void hub() {
    y_.map("hub").map("config");
    y_.map("JupyterHub").field("authenticator_class", "generic-oauth");
    // Sessions are in other namespaces than the hub.
    y_.field("hub_connect_url", "http://hub." + std::string(kSpace) + ".svc:" + std::to_string(kPodHubPort)).end_map();
    authenticator();
    y_.map("KubeSpawner");
    session_arguments();
    y_.map("extra_pod_config").field("enableServiceLinks", false).end_map().end_map();
    y_.end_map();
    y_.map("db");
    if (home_) {
      y_.field("type", "sqlite-pvc").map("pvc").field("storageClassName", home_->storage_class);
      y_.key("accessModes").flow({"ReadWriteMany"}).field("storage", "1Gi").end_map();
    } else {
      y_.field("type", "sqlite-memory");
    }
    y_.end_map();
    y_.map("extraEnv").map("OAUTH_CLIENT_SECRET").map("valueFrom").map("secretKeyRef");
    y_.field("name", "notebooks-oidc").field("key", "client_secret").end_map().end_map().end_map().end_map();
    y_.map("extraConfig").field("clusterc", template_text("kubernetes/notebooks.py")).end_map();
    y_.map("networkPolicy").field("interNamespaceAccessLabels", "accept");
    to_sessions();
    y_.end_map().end_map();
  }

  void to_sessions() {
    y_.list("egress").begin_map().list("to").begin_map().map("namespaceSelector").end_map();
    y_.map("podSelector").map("matchLabels").field(kLabel, kLabelValue).end_map().end_map().end_map().end_list();
    y_.list("ports").begin_map().field("port", kSessionPort).end_map().end_list().end_map().end_list();
  }

  void proxy() {
    y_.map("proxy").map("https").field("enabled", true).field("type", "secret");
    y_.map("secret").field("name", "notebooks-tls").end_map().key("hosts").flow({*spec().name}).end_map();
    y_.map("chp").map("networkPolicy");
    to_sessions();
    y_.end_map().end_map().end_map();
  }

  // Where all nodes have GPUs, the hub runs on one of them.
  void tolerations(std::string_view key) {
    const auto& workers = o_.facts.workers;
    if (workers.empty() ||
        std::any_of(workers.begin(), workers.end(), [](const KubernetesWorkers& w) { return w.gpu.empty(); }))
      return;
    y_.map(key).list("tolerations");
    std::vector<std::string> told;
    for (const KubernetesWorkers& w : workers)
      if (std::find(told.begin(), told.end(), w.gpu) == told.end()) {
        y_.begin_map().field("key", w.gpu).field("operator", "Exists").end_map();
        told.push_back(w.gpu);
      }
    y_.end_list().end_map();
  }

  void sessions() {
    y_.map("singleuser").map("cloudMetadata").field("blockWithIptables", false).end_map();  // a privileged container
    y_.field("defaultUrl", "/lab").field("startTimeout", kPodStartSeconds);
    if (spec().image) {
      // A digest, or a tag behind the last colon; is_image() has looked.
      const std::string& image = *spec().image;
      const std::size_t at = image.find('@'), colon = at == std::string::npos ? image.rfind(':') : at + 7;
      y_.map("image").field("name", image.substr(0, colon)).field("tag", image.substr(colon + 1)).end_map();
    }
    y_.map("extraLabels").field("hub.jupyter.org/network-access-hub", "true").field(kLabel, kLabelValue).end_map();
    if (home_) y_.key("cmd").flow({"bash", "-c", kStart, "session"});
    y_.map("storage").field("type", "none").map("extraVolumes");
    y_.map("shm").field("name", "shm").map("emptyDir").field("medium", "Memory").end_map().end_map();
    for (const KubernetesStorage& s : o_.facts.storage)
      if (s.many) {
        const std::string claim = to_lower(s.storage->name);
        y_.map("of-" + claim).field("name", "of-" + claim);
        y_.map("persistentVolumeClaim").field("claimName", claim).end_map().end_map();
      }
    y_.end_map().map("extraVolumeMounts");
    y_.map("shm").field("name", "shm").field("mountPath", "/dev/shm").end_map().end_map().end_map();
    y_.list("profileList");
    for (const KubernetesTeam& t : o_.facts.teams)
      for (const NotebookSize& s : n_.sizes) profile(t, s);
    y_.end_list().end_map();
  }

  void profile(const KubernetesTeam& t, const NotebookSize& s) {
    const KubernetesWorkers& w = workers_of_group(o_, s.group);
    // No name of a team has a _: no two sizes have one slug.
    y_.begin_map().field("display_name", t.name + ": " + s.name).field("slug", t.name + "_" + s.name);
    y_.field("description", words_of(s)).map("kubespawner_override").field("namespace", t.name);
    for (const std::string_view key : {"cpu_guarantee", "cpu_limit"}) y_.field(key, s.cpus);
    const std::string memory = std::to_string(s.memory_mib) + "M";  // of KubeSpawner: 1024 x 1024 bytes
    for (const std::string_view key : {"mem_guarantee", "mem_limit"}) y_.field(key, memory);
    if (s.gpus > 0)
      for (const std::string_view key : {"extra_resource_guarantees", "extra_resource_limits"})
        y_.map(key).field(w.gpu, std::to_string(s.gpus)).end_map();
    y_.map("node_selector");
    y_.field(kGroupLabel, o_.in.cluster.nodes[static_cast<std::size_t>(w.group)].name).end_map();
    if (!w.gpu.empty())
      y_.list("tolerations").begin_map().field("key", w.gpu).field("operator", "Exists").end_map().end_list();
    if (o_.facts.kueue) y_.map("extra_labels").field(kQueueLabel, t.name).end_map();
    y_.map("extra_pod_config").field("activeDeadlineSeconds", s.minutes * 60).end_map();
    if (const auto gid = gid_of(o_, t.name)) y_.key("supplemental_gids").begin_list().value(*gid).end_list();
    if (home_) {
      y_.map("environment").field("SESSION_HOMES", team_folder(*home_, t.name) + "/notebooks").end_map();
      y_.map("volume_mounts");
      for (const KubernetesStorage& k : o_.facts.storage)
        if (k.many) {
          const std::string name = "of-" + to_lower(k.storage->name);
          y_.map(name).field("name", name).field("mountPath", team_folder(k, t.name)).end_map();
        }
      y_.end_map();
    }
    y_.end_map().end_map();
  }

  const KubernetesOutput& o_;
  const KubernetesNotebooks& n_;
  YamlWriter& y_;
  const KubernetesStorage* home_;
};

void rule(YamlWriter& y, std::initializer_list<std::string_view> resources,
          std::initializer_list<std::string_view> verbs) {
  y.begin_map().key("apiGroups").flow({""}).key("resources").flow(resources).key("verbs").flow(verbs).end_map();
}

void hub_volume(const KubernetesStorage& s, ObjectFile& file) {
  YamlWriter& y = file.object("v1", "PersistentVolume", std::string(kSpace) + "." + std::string(kHubClaim));
  y.map("spec").map("capacity").field("storage", "1Gi").end_map().key("accessModes").flow({"ReadWriteMany"});
  y.field("persistentVolumeReclaimPolicy", "Retain").field("storageClassName", s.storage_class);
  y.map("claimRef").field("namespace", kSpace).field("name", kHubClaim).end_map();
  const std::string folder = folder_of(s, ".notebooks");
  if (s.server.empty())
    y.map("hostPath").field("path", folder).field("type", "Directory").end_map();
  else
    y.map("nfs").field("server", s.server).field("path", folder).end_map();
  y.end_map();
}

void objects(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/notebooks.yaml",
                  "the namespace of the hub for notebooks, and what it may do in those of the teams");
  YamlWriter& space = file.document();
  space.field("apiVersion", "v1").field("kind", "Namespace").map("metadata").field("name", kSpace).map("labels");
  space.field("pod-security.kubernetes.io/enforce", "baseline").end_map().end_map();
  YamlWriter& role = file.object("rbac.authorization.k8s.io/v1", "ClusterRole", kRole);
  role.list("rules");
  rule(role, {"pods"}, {"get", "list", "watch", "create", "delete"});
  rule(role, {"events"}, {"get", "list", "watch"});
  role.end_list();
  for (const KubernetesTeam& t : o.facts.teams) {
    YamlWriter& y = file.object("rbac.authorization.k8s.io/v1", "RoleBinding", kRole, t.name);
    y.map("roleRef").field("apiGroup", "rbac.authorization.k8s.io").field("kind", "ClusterRole");
    y.field("name", kRole).end_map();
    y.list("subjects").begin_map().field("kind", "ServiceAccount").field("name", "hub").field("namespace", kSpace);
    y.end_map().end_list();
    YamlWriter& p = file.object("networking.k8s.io/v1", "NetworkPolicy", kRole, t.name);
    p.map("spec").map("podSelector").map("matchLabels").field(kLabel, kLabelValue).end_map().end_map();
    p.key("policyTypes").flow({"Ingress"}).list("ingress").begin_map().list("from").begin_map();
    p.map("namespaceSelector").map("matchLabels").field("kubernetes.io/metadata.name", kSpace).end_map().end_map();
    p.end_map().end_list();
    p.list("ports").begin_map().field("protocol", "TCP").field("port", kSessionPort).end_map().end_list();
    p.end_map().end_list().end_map();
  }
  if (const KubernetesStorage* home = home_of(o.facts)) hub_volume(*home, file);
}

}  // namespace

void emit_notebooks(const KubernetesOutput& o) {
  if (!makes_kubernetes_notebooks(o.in.cluster)) return;
  const KubernetesNotebooks n = kubernetes_notebooks(o.in.system, o.facts, o.findings);
  if (n.sizes.empty()) return;  // an error says why
  objects(o);
  ObjectFile file(o.in, o.bundle, "kubernetes/jupyterhub/values.yaml",
                  "helm upgrade --install jupyterhub jupyterhub/jupyterhub --version " + std::string(kNotebooksChart) +
                      " -n " + std::string(kSpace) + " -f values.yaml",
                  "kubernetes");
  Values(o, n, file.document()).all();
  std::string extra;
  for (const YamlEntry& e : yaml_entries(o.in, kNotebooksExtra, {std::begin(kOurValues), std::end(kOurValues)},
                                         "debug: { enabled: true }", o.findings))
    extra += e.text;
  file.append(extra);
}

}  // namespace clusterc
