#include <algorithm>

#include "base/digest.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "launch/kubernetes.h"

namespace clusterc {
namespace {

// Pods are gone this long after their end: what a crash leaves behind cleans itself up.
constexpr std::int64_t kKeptSeconds = 600;
// Of an object beyond the time of its program: a place, the image, and the reading of the logs.
constexpr std::int64_t kBesidesSeconds = 15 * 60;
// Between SIGTERM and SIGKILL: the validators end within it (harness/deadline.h, kEndsWithin).
constexpr int kGraceSeconds = 10;

// $1: bytes that the program may print; then the program. Standard error goes into a file, so that it does not cut
// lines of standard output. cat counts the lines.
constexpr std::string_view kPrints = R"sh(most=$1; shift
{ "$@" 2> /clusterc/err < /dev/null; echo $? > /clusterc/status; } | head -c "$most" | cat -n
echo
tail -c 65536 /clusterc/err | while IFS= read -r line || [ -n "$line" ]; do printf 'e %s\n' "$line"; done
read -r status < /clusterc/status
echo "end $status")sh";

// The workers of an MPIJob lie on the nodes as the scheduler has it: each is asked for its node, and the hosts of the
// world are put in the order of the launch. $1: ranks of a node; $2: how many nodes; their names; then as kPrints.
constexpr std::string_view kWorld = R"sh(ranks=$1 nodes=$2; shift 2
root=; [ "$(id -u)" != 0 ] || root=--allow-run-as-root
read -r first rest < /etc/mpi/hostfile
mpirun $root --hostfile /etc/mpi/hostfile --map-by ppr:1:node --bind-to none \
  /bin/sh -c 'echo "$(cat /clusterc/node) $(uname -n)"' > /clusterc/places 2> /clusterc/asked < /dev/null
if [ $? != 0 ]; then
  while IFS= read -r line || [ -n "$line" ]; do printf 'e %s\n' "$line"; done < /clusterc/asked
  echo "end 1"
  exit 1
fi
count=0; : > /clusterc/hosts
while [ $count -lt "$nodes" ]; do
  while read -r node host; do
    [ "$node" != "$1" ] || echo "$host.${first#*.} slots=$ranks" >> /clusterc/hosts
  done < /clusterc/places
  count=$((count + 1)); shift
done
most=$1; shift
set -- "$most" mpirun $root --hostfile /clusterc/hosts -n $((nodes * ranks)) --map-by "ppr:$ranks:node" \
  --bind-to none "$@"
)sh";

constexpr std::string_view kWorker = R"sh(echo "$CLUSTERC_NODE" > /clusterc/node; exec /usr/sbin/sshd -De)sh";

std::int64_t ranks(const Launch& launch) { return std::max(1, launch.ranks_per_node); }

// Kubernetes writes values for $(NAME) in the words of a command, and one $ for two.
std::string word(std::string_view text) { return replace_all(text, "$", "$$"); }

class Objects {
 public:
  Objects(const Launch& launch, const KubernetesOptions& options, const std::vector<const KubernetesNode*>& nodes,
          PodUse use)
      : launch_(launch), options_(options), nodes_(nodes), use_(use), id_(launch_id(launch, options)) {}

  std::string text() {
    json_.begin_object().field("apiVersion", "v1").field("kind", "List").array("items");
    if (launch_.mpi)
      mpi_job();
    else
      for (std::size_t i = 0; i < nodes_.size(); ++i) job(i);
    json_.end_array().end_object();
    return std::move(out_);
  }

 private:
  std::int64_t seconds() const {
    return std::chrono::ceil<std::chrono::seconds>(launch_.timeout).count() + kBesidesSeconds;
  }
  void labels(std::string_view role = {}, std::int64_t task = -1) {
    json_.object("labels").field("app.kubernetes.io/managed-by", "clusterc");
    json_.field(kRunLabel, options_.run).field(kLaunchLabel, id_);
    if (!role.empty()) json_.field(kRoleLabel, role);
    if (task >= 0) json_.field(kTaskLabel, std::to_string(task));
    json_.end_object();
  }
  void metadata(const std::string& name) {
    json_.object("metadata").field("name", name);
    if (!options_.space.empty()) json_.field("namespace", options_.space);
    labels();
    json_.end_object();
  }
  void pod_metadata(std::string_view role, std::int64_t task, const KubernetesNode& node, bool runs) {
    json_.object("metadata");
    labels(role, task);
    if (runs && !node.networks.empty())
      json_.object("annotations").field("k8s.v1.cni.cncf.io/networks", node.networks).end_object();
    json_.end_object();
  }
  // A term for each node: matchFields takes one name, and terms are alternatives.
  void affinity(const std::vector<const KubernetesNode*>& nodes, bool apart) {
    json_.object("affinity").object("nodeAffinity").object("requiredDuringSchedulingIgnoredDuringExecution");
    json_.array("nodeSelectorTerms");
    for (const KubernetesNode* node : nodes) {
      json_.begin_object().array("matchFields").begin_object().field("key", "metadata.name").field("operator", "In");
      json_.array("values").value(node->object).end_array().end_object().end_array().end_object();
    }
    json_.end_array().end_object().end_object();
    if (apart) {
      json_.object("podAntiAffinity").array("requiredDuringSchedulingIgnoredDuringExecution").begin_object();
      json_.field("topologyKey", "kubernetes.io/hostname").object("labelSelector").object("matchLabels");
      json_.field(kLaunchLabel, id_).field(kRoleLabel, "worker").end_object().end_object();
      json_.end_object().end_array().end_object();
    }
    json_.end_object();
  }
  void tolerations(const KubernetesNode& node) {
    if (node.gpu.empty()) return;
    json_.array("tolerations")
        .begin_object()
        .field("key", node.gpu)
        .field("operator", "Exists")
        .end_object()
        .end_array();
  }
  // Processors and memory are asked for and not limited: a limit would slow down what uses every processor.
  void resources(const KubernetesNode& node) {
    const std::int64_t gpus = node.gpu.empty() ? 0 : launch_.gpus_per_node;
    const auto devices = [&] {
      if (gpus > 0) json_.field(node.gpu, std::to_string(gpus));
      if (!node.adapters.empty()) json_.field(node.adapters, "1");
    };
    json_.object("resources").object("requests");
    if (node.cpus > 0) json_.field("cpu", std::to_string(node.cpus));
    if (node.memory_mib > 0) json_.field("memory", format("{}Mi", node.memory_mib));
    devices();
    json_.end_object().object("limits");
    devices();
    json_.end_object().end_object();
  }
  // sshd of an MPI job changes its user and its root: it keeps what the runtime gives. Memory for RDMA is locked.
  void security(const KubernetesNode& node, bool runs) {
    json_.object("securityContext");
    if (!launch_.mpi) json_.field("allowPrivilegeEscalation", false);
    const bool locks = runs && !node.adapters.empty();
    if (!launch_.mpi || locks) {
      json_.object("capabilities");
      if (!launch_.mpi) json_.array("drop").value("ALL").end_array();
      if (locks) json_.array("add").value("IPC_LOCK").end_array();
      json_.end_object();
    }
    json_.end_object();
  }
  // The file systems of the node that an argument names.
  std::vector<std::string> mounts(const KubernetesNode& node) const {
    std::vector<std::string> out;
    for (const std::string& mount : node.mounts)
      if (std::any_of(launch_.argv.begin(), launch_.argv.end(), [&](const std::string& a) {
            return a.starts_with(mount) && (a.size() == mount.size() || a[mount.size()] == '/');
          }))
        out.push_back(mount);
    return out;
  }
  void mount(std::string_view name, std::string_view path, bool read_only) {
    json_.begin_object().field("name", name).field("mountPath", path);
    if (read_only) json_.field("readOnly", true);
    json_.end_object();
  }
  void host_path(std::string_view name, std::string_view path, std::string_view type) {
    json_.begin_object().field("name", name).object("hostPath").field("path", path).field("type", type);
    json_.end_object().end_object();
  }
  void container(std::string_view role, const std::vector<std::string>& command, const KubernetesNode& node,
                 bool runs) {
    json_.array("containers").begin_object().field("name", role).field("image", options_.image);
    json_.array("command");
    for (const std::string& w : command) json_.value(word(w));
    json_.end_array().array("env").begin_object().field("name", "CLUSTERC_NODE").object("valueFrom");
    json_.object("fieldRef").field("fieldPath", "spec.nodeName").end_object().end_object().end_object().end_array();
    if (runs) resources(node);
    security(node, runs);
    json_.array("volumeMounts");
    mount("run", "/clusterc", false);
    mount("shm", "/dev/shm", false);
    if (!options_.bundle.empty()) mount("bundle", options_.bundle, use_ == PodUse::programs);
    const std::vector<std::string> systems = mounts(node);
    for (std::size_t i = 0; i < systems.size(); ++i) mount(format("mount-{}", i), systems[i], false);
    json_.end_array().end_object().end_array();
    json_.array("volumes");
    json_.begin_object().field("name", "run").object("emptyDir").end_object().end_object();
    json_.begin_object().field("name", "shm").object("emptyDir").field("medium", "Memory").end_object().end_object();
    if (!options_.bundle.empty())
      host_path("bundle", options_.bundle, use_ == PodUse::programs ? "Directory" : "DirectoryOrCreate");
    for (std::size_t i = 0; i < systems.size(); ++i) host_path(format("mount-{}", i), systems[i], "Directory");
    json_.end_array();
  }
  // `runs`: the programs of the launch, with the devices of the node.
  void pod(std::string_view role, const std::vector<std::string>& command,
           const std::vector<const KubernetesNode*>& nodes, bool runs, bool apart) {
    const KubernetesNode& node = *nodes.front();
    json_.object("spec").field("restartPolicy", "Never").field("terminationGracePeriodSeconds", kGraceSeconds);
    json_.field("automountServiceAccountToken", false).field("enableServiceLinks", false);
    if (!options_.account.empty()) json_.field("serviceAccountName", options_.account);
    json_.object("securityContext").object("seccompProfile").field("type", "RuntimeDefault").end_object().end_object();
    affinity(nodes, apart);
    tolerations(node);
    container(role, command, node, runs);
    json_.end_object();
  }
  void job(std::size_t i) {
    const std::vector<const KubernetesNode*> node = {nodes_[i]};
    json_.begin_object().field("apiVersion", "batch/v1").field("kind", "Job");
    metadata(format("clusterc-{}-{}", id_, i));
    json_.object("spec").field("backoffLimit", 0).field("activeDeadlineSeconds", seconds());
    json_.field("ttlSecondsAfterFinished", kKeptSeconds).object("template");
    pod_metadata("task", static_cast<std::int64_t>(i), *nodes_[i], use_ == PodUse::programs);
    const std::vector<std::string> command = use_ == PodUse::programs
                                                 ? container_command(launch_, node)
                                                 : std::vector<std::string>{"/bin/sleep", std::to_string(seconds())};
    pod("task", command, node, use_ == PodUse::programs, false);
    json_.end_object().end_object().end_object();
  }
  void replicas(std::string_view kind, std::string_view role, const std::vector<std::string>& command,
                std::size_t count) {
    const bool worker = role == "worker";
    json_.object(kind).field("replicas", count).field("restartPolicy", "Never").object("template");
    pod_metadata(role, -1, *nodes_.front(), worker);
    pod(role, command, nodes_, worker, worker);
    json_.end_object().end_object();
  }
  void mpi_job() {
    json_.begin_object().field("apiVersion", "kubeflow.org/v2beta1").field("kind", "MPIJob");
    metadata("clusterc-" + id_);
    json_.object("spec").field("slotsPerWorker", ranks(launch_)).field("mpiImplementation", "OpenMPI");
    json_.field("launcherCreationPolicy", "WaitForWorkersReady");
    json_.object("runPolicy").field("backoffLimit", 0).field("activeDeadlineSeconds", seconds());
    json_.field("ttlSecondsAfterFinished", kKeptSeconds).field("cleanPodPolicy", "All").end_object();
    json_.object("mpiReplicaSpecs");
    replicas("Launcher", "launcher", container_command(launch_, nodes_), 1);
    replicas("Worker", "worker", {"/bin/sh", "-c", std::string(kWorker)}, nodes_.size());
    json_.end_object().end_object().end_object();
  }

  const Launch& launch_;
  const KubernetesOptions& options_;
  const std::vector<const KubernetesNode*>& nodes_;
  PodUse use_;
  std::string id_, out_;
  JsonWriter json_{out_};
};

}  // namespace

std::string launch_id(const Launch& launch, const KubernetesOptions& options) {
  std::string all =
      format("{}\n{}\n{}\n{}\n{}", options.run, options.image, launch.ranks_per_node, launch.gpus_per_node, launch.mpi);
  for (const std::string& w : launch.argv) all.append(1, '\0').append(w);
  for (const std::string& node : launch.nodes) all.append(2, '\0').append(node);
  return sha256_hex(all).substr(0, 16);
}

std::vector<std::string> container_command(const Launch& launch, const std::vector<const KubernetesNode*>& nodes) {
  const std::size_t most = OutputLimit{}.bytes;
  std::vector<std::string> out = {"/bin/sh", "-c"};
  if (launch.mpi) {
    out.insert(out.end(), {std::string(kWorld) + std::string(kPrints), "clusterc", std::to_string(ranks(launch)),
                           std::to_string(nodes.size())});
    for (const KubernetesNode* node : nodes) out.push_back(node->object);
    out.push_back(std::to_string(most * nodes.size() * static_cast<std::size_t>(ranks(launch)) + 2));
  } else {
    out.insert(out.end(),
               {"echo \"node $CLUSTERC_NODE\"\n" + std::string(kPrints), "clusterc", std::to_string(most + 2)});
  }
  out.insert(out.end(), launch.argv.begin(), launch.argv.end());
  return out;
}

std::string kubernetes_objects(const Launch& launch, const KubernetesOptions& options,
                               const std::vector<const KubernetesNode*>& nodes, PodUse use) {
  return Objects(launch, options, nodes, use).text();
}

}  // namespace clusterc
