// kubeadm/: init.yaml for the first node of the control plane, a file for each other node to join with, and the
// kubelet's settings of each group as a patch. No secret is in them: a node that joins reads /etc/kubernetes/
// discovery.conf, which discovery.sh makes on the first node with a token that ends after some hours.
#include <algorithm>
#include <set>

#include "base/ip.h"
#include "base/text.h"
#include "compile/extra_yaml.h"
#include "compile/kubernetes/objects.h"
#include "spec/software.h"
#include "system/containers.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

constexpr std::string_view kApi = "kubeadm.k8s.io/v1beta4", kKubeletApi = "kubelet.config.k8s.io/v1beta1";
constexpr std::string_view kPatches = "/etc/kubernetes/patches", kDiscovery = "/etc/kubernetes/discovery.conf";

void argument(YamlWriter& y, std::string_view name, std::string_view value) {
  y.begin_map().field("name", name).field("value", value).end_map();
}

const KubernetesWorkers* workers_of(const KubernetesFacts& facts, int group) {
  const auto found = std::find_if(facts.workers.begin(), facts.workers.end(),
                                  [&](const KubernetesWorkers& w) { return w.group == group; });
  return found == facts.workers.end() ? nullptr : &*found;
}

std::string_view socket_of(const NodeGroupModel& g) {
  return runs_containers(g, {"cri-o", "crio"}) && !runs_containers(g, {"containerd"})
             ? "unix:///var/run/crio/crio.sock"
             : "unix:///run/containerd/containerd.sock";
}

void registration(const KubernetesOutput& o, const KubernetesMachine& m, bool control, YamlWriter& y) {
  const KubernetesWorkers* w = workers_of(o.facts, m.group);
  y.map("nodeRegistration")
      .field("name", m.name)
      .field("criSocket", socket_of(o.in.cluster.nodes[static_cast<std::size_t>(m.group)]));
  if (m.address != 0) {
    y.list("kubeletExtraArgs");
    argument(y, "node-ip", ipv4_text(m.address));
    y.end_list();
  }
  // Nodes with GPUs are for pods that ask for one; those of the control plane for its own, where they run no jobs.
  const bool gpus = w && !w->gpu.empty();
  const auto taint = [&](std::string_view key, std::string_view value) {
    y.begin_map().field("key", key);
    if (!value.empty()) y.field("value", value);
    y.field("effect", "NoSchedule").end_map();
  };
  if (gpus || (control && !w)) {
    y.list("taints");
    if (gpus) taint(w->gpu, "present");
    if (control && !w) taint("node-role.kubernetes.io/control-plane", "");
    y.end_list();
  } else {
    y.key("taints").flow(std::initializer_list<std::string_view>{});
  }
  y.end_map();
  y.map("patches").field("directory", kPatches).end_map();
}

void cluster_configuration(const KubernetesOutput& o, ObjectFile& file) {
  const KubernetesFacts& f = o.facts;
  YamlWriter& y = file.document();
  y.field("apiVersion", kApi).field("kind", "ClusterConfiguration").field("clusterName", *o.in.cluster.spec.name);
  if (!f.version.empty()) y.field("kubernetesVersion", f.version);
  y.field("controlPlaneEndpoint", f.endpoint_host + ":" + std::to_string(f.endpoint_port));
  y.map("networking")
      .field("podSubnet", f.pods.text())
      .field("serviceSubnet", f.services.text())
      .field("dnsDomain", "cluster.local")
      .end_map();
  y.map("apiServer");
  std::set<std::string> names{f.endpoint_host};
  for (const KubernetesMachine& m : f.control_plane) {
    names.insert(m.name);
    if (o.in.cluster.spec.software->domain) names.insert(m.name + "." + to_lower(*o.in.cluster.spec.software->domain));
    if (m.address != 0) names.insert(ipv4_text(m.address));
  }
  y.list("certSANs");
  for (const std::string& n : names) y.value(n);
  y.end_list();
  // A pod that asks for a GPU tolerates the taint of the nodes that have one. A service with an address of its own
  // choice takes the traffic of others to that address (CVE-2020-8554).
  y.list("extraArgs");
  argument(y, "enable-admission-plugins", "NodeRestriction,ExtendedResourceToleration,DenyServiceExternalIPs");
  y.end_list().end_map();
  y.map("controllerManager").list("extraArgs");
  argument(y, "node-cidr-mask-size", std::to_string(kPodBlockLength));
  y.end_list().end_map();
  std::string extra;
  for (const YamlEntry& e : yaml_entries(o.in, kClusterExtra,
                                         {"apiVersion", "kind", "clusterName", "kubernetesVersion",
                                          "controlPlaneEndpoint", "networking", "apiServer", "controllerManager"},
                                         "imageRepository: registry.example.org/kubernetes", o.findings))
    extra += e.text;
  file.append(extra);
}

std::string folder_of(const Cluster& c, const KubernetesMachine& m) {
  std::string path = "kubernetes/kubeadm/";
  append_bucket(c.nodes[static_cast<std::size_t>(m.group)], m.member, path);
  return path + "/" + m.name + ".yaml";
}

void init_file(const KubernetesOutput& o) {
  const KubernetesMachine& m = o.facts.control_plane.front();
  ObjectFile file(o.in, o.bundle, "kubernetes/kubeadm/init.yaml", "on " + m.name + ": kubeadm init --config init.yaml",
                  "kubernetes");
  cluster_configuration(o, file);
  YamlWriter& y = file.document();
  y.field("apiVersion", kApi).field("kind", "InitConfiguration");
  y.map("localAPIEndpoint");
  if (m.address != 0) y.field("advertiseAddress", ipv4_text(m.address));
  y.field("bindPort", kApiPort).end_map();
  registration(o, m, true, y);
  // What all kubelets have alike; kubeadm keeps it in the cluster, each group's patch is merged over it.
  file.document()
      .field("apiVersion", kKubeletApi)
      .field("kind", "KubeletConfiguration")
      .field("cgroupDriver", "systemd")
      .field("failSwapOn", true)
      .field("serverTLSBootstrap", false);
}

void join_file(const KubernetesOutput& o, const KubernetesMachine& m, bool control) {
  ObjectFile file(o.in, o.bundle, folder_of(o.in.cluster, m),
                  "on " + m.name + ": kubeadm join --config " + m.name + ".yaml");
  YamlWriter& y = file.document();
  y.field("apiVersion", kApi).field("kind", "JoinConfiguration");
  y.map("discovery").map("file").field("kubeConfigPath", kDiscovery).end_map().end_map();
  if (control) {
    y.map("controlPlane").map("localAPIEndpoint");
    if (m.address != 0) y.field("advertiseAddress", ipv4_text(m.address));
    y.field("bindPort", kApiPort).end_map().end_map();
  }
  registration(o, m, control, y);
}

void kubelet_patch(const KubernetesOutput& o, int group, const std::vector<YamlEntry>& extra) {
  const NodeGroupModel& g = o.in.cluster.nodes[static_cast<std::size_t>(group)];
  const KubernetesWorkers* w = workers_of(o.facts, group);
  ObjectFile file(o.in, o.bundle, "kubernetes/kubeadm/patches/" + g.name + "/kubeletconfiguration+merge.yaml",
                  "on the nodes of this group, before kubeadm runs: " + std::string(kPatches) + "/", "kubernetes");
  YamlWriter& y = file.document();
  y.field("apiVersion", kKubeletApi).field("kind", "KubeletConfiguration").field("maxPods", 110);
  if (w) {
    if (w->reserved_cpus > 0 || w->reserved_mib > 0) {
      y.map("systemReserved");
      if (w->reserved_cpus > 0) y.field("cpu", std::to_string(w->reserved_cpus));
      if (w->reserved_mib > 0) y.field("memory", mebibytes(w->reserved_mib));
      y.end_map();
    }
    if (!w->gpu.empty()) {
      // Whole cores, and those beside the pod's GPUs and adapters where that is possible; a pod that needs both sockets
      // starts all the same.
      if (w->reserved_cpus > 0) y.field("cpuManagerPolicy", "static");
      y.field("topologyManagerPolicy", "best-effort").field("topologyManagerScope", "pod");
    }
  }
  std::string text;
  for (const YamlEntry& e : extra) text += e.text;
  file.append(text);
}

void discovery_script(const KubernetesOutput& o) {
  o.bundle.open("kubernetes/kubeadm/discovery.sh", "kubernetes", 0755);
  std::string& out = o.bundle.text();
  out += "#!/bin/sh\n" + made_by(o.in, "");
  out +=
      "# On the first node of the control plane, as root, once kubeadm init is through: makes the file that nodes "
      "join\n"
      "# with. It has a token that ends after some hours: copy it to /etc/kubernetes/ of these nodes, mode 0600, and\n"
      "# remove it when they have joined.\n"
      "#   discovery.sh [FILE] [HOURS]      default: ./discovery.conf, 4\n"
      "set -eu\n";
  ShellWriter s(out);
  s.assign("endpoint", "https://" + o.facts.endpoint_host + ":" + std::to_string(o.facts.endpoint_port));
  out +=
      "file=${1:-discovery.conf} hours=${2:-4}\n"
      "umask 077\n"
      "token=$(kubeadm token create --ttl \"${hours}h\")\n"
      "authority=$(base64 -w 0 < /etc/kubernetes/pki/ca.crt)\n"
      "# A new file, and no token among the arguments of a program: other users would see it there.\n"
      "rm -f \"$file.part\"\n"
      "cat > \"$file.part\" << CONF\n"
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: cluster\n"
      "  cluster: { server: \"$endpoint\", certificate-authority-data: \"$authority\" }\n"
      "users:\n"
      "- name: join\n"
      "  user: { token: \"$token\" }\n"
      "contexts:\n"
      "- name: join\n"
      "  context: { cluster: cluster, user: join }\n"
      "current-context: join\n"
      "CONF\n"
      "mv \"$file.part\" \"$file\"\n"
      "echo \"$file: a token for $hours hours\"\n";
  o.bundle.close();
}

// What kubeadm demands of a machine and no package sets.
void node_files(const KubernetesOutput& o) {
  o.bundle.add("kubernetes/node/modules.conf", "kubernetes",
               made_by(o.in, "") + "# /etc/modules-load.d/90-kubernetes.conf\noverlay\nbr_netfilter\n");
  o.bundle.add("kubernetes/node/sysctl.conf", "kubernetes",
               made_by(o.in, "") +
                   "# /etc/sysctl.d/90-kubernetes.conf\nnet.ipv4.ip_forward = 1\n"
                   "net.bridge.bridge-nf-call-iptables = 1\nnet.bridge.bridge-nf-call-ip6tables = 1\n");
  o.bundle.open("kubernetes/node/prepare.sh", "kubernetes", 0755);
  std::string& out = o.bundle.text();
  out += "#!/bin/sh\n" + made_by(o.in, "");
  out +=
      "# On every node of Kubernetes, as root, from this folder: kernel modules, settings, no swap, and a look at "
      "what\n"
      "# has to be installed. It can be run again.\n"
      "set -eu\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
      "install -m 644 \"$here/modules.conf\" /etc/modules-load.d/90-kubernetes.conf\n"
      "install -m 644 \"$here/sysctl.conf\" /etc/sysctl.d/90-kubernetes.conf\n"
      "sed -n '/^[^#]/p' \"$here/modules.conf\" | while read -r module; do modprobe \"$module\"; done\n"
      "sysctl -q --system > /dev/null\n"
      "swapoff -a\n"
      "# fstab: swap stays off after a start; the line as it was is kept beside it\n"
      "if grep -qE '^[^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]]' /etc/fstab; then\n"
      "  sed -i.before-kubernetes -E 's/^([^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]])/#\\1/' "
      "/etc/fstab\n"
      "fi\n"
      "missing=\n"
      "for program in kubeadm kubelet kubectl; do\n"
      "  command -v \"$program\" > /dev/null || missing=\"$missing $program\"\n"
      "done\n"
      "if [ ! -S /run/containerd/containerd.sock ] && [ ! -S /var/run/crio/crio.sock ]; then missing=\"$missing "
      "containerd\"; fi\n"
      "if [ -n \"$missing\" ]; then echo \"not there, or not running:$missing\" >&2; exit 1; fi\n";
  if (!o.facts.release.empty()) {
    ShellWriter(out).assign("release", o.facts.release);
    out +=
        "case $(kubeadm version -o short) in\n"
        "  \"v$release\" | \"v$release\".*) ;;\n"
        "  *) echo \"kubeadm is $(kubeadm version -o short), the files are for $release\" >&2; exit 1 ;;\n"
        "esac\n";
  }
  out += "systemctl enable -q kubelet\n";
  o.bundle.close();
}

}  // namespace

void emit_kubeadm(const KubernetesOutput& o) {
  if (o.facts.control_plane.empty()) return;  // somebody else's: a provider's
  init_file(o);
  discovery_script(o);
  node_files(o);
  std::set<int> groups;
  std::set<std::pair<int, std::int64_t>> joined;
  for (const KubernetesMachine& m : o.facts.control_plane) {
    groups.insert(m.group);
    if (&m != &o.facts.control_plane.front() && !o.in.judging) join_file(o, m, true);
    joined.insert({m.group, m.member});
  }
  for (const KubernetesWorkers& w : o.facts.workers) {
    groups.insert(w.group);
    for (const KubernetesMachine& m : w.nodes)
      if (!o.in.judging && !joined.contains({m.group, m.member})) join_file(o, m, false);
  }
  const std::vector<YamlEntry> extra =
      yaml_entries(o.in, kKubeletExtra,
                   {"apiVersion", "kind", "maxPods", "systemReserved", "cpuManagerPolicy", "topologyManagerPolicy",
                    "topologyManagerScope"},
                   "imageGCHighThresholdPercent: 90", o.findings);
  for (const int g : groups) kubelet_patch(o, g, extra);
}

}  // namespace clusterc
