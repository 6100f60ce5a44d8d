// Values of the GPU operator's chart, and objects of the network operator: the rails of the fabric as secondary
// networks of pods, with addresses that nobody of the plan has.
#include <algorithm>

#include "base/ip.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "compile/extra_yaml.h"
#include "compile/kubernetes/objects.h"
#include "model/mig.h"
#include "spec/software.h"
#include "system/containers.h"

namespace clusterc {
namespace {

// Its images carry the release of the operator (docs.nvidia.com, Network Operator v26.4.1, NicClusterPolicy).
constexpr std::string_view kImages = "nvcr.io/nvidia/mellanox", kImageTag = "network-operator-v26.4.1";
constexpr std::string_view kOperatorSpace = "nvidia-network-operator";

void gpu_operator(const KubernetesOutput& o) {
  const Cluster& c = o.in.cluster;
  const Software* first = nullptr;
  bool mig = false, hook = false;
  for (const KubernetesWorkers& w : o.facts.workers) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(w.group)];
    if (w.gpu != "nvidia.com/gpu" || !g.software->gpu_operator) continue;
    const Software& s = g.software;
    mig |= mig_layout(s).has_value(), hook |= gpus_by_hook(g);
    if (!first)
      first = &s;
    else if (s.gpu_operator->driver.value_or(true) != first->gpu_operator->driver.value_or(true) ||
             s.gpu_operator->toolkit.value_or(true) != first->gpu_operator->toolkit.value_or(true))
      o.findings
          .error("kubernetes-gpu-operator-differs", s.gpu_operator->span,
                 "the GPU operator of '" + g.name +
                     "' installs other things than that of the groups before it, but a "
                     "cluster has one")
          .help("write the same `driver` and `toolkit` for all groups");
  }
  if (!first) return;
  ObjectFile file(o.in, o.bundle, "kubernetes/gpu-operator/values.yaml",
                  "helm upgrade --install gpu-operator nvidia/gpu-operator -n gpu-operator --create-namespace -f "
                  "values.yaml",
                  "kubernetes");
  const bool driver = first->gpu_operator->driver.value_or(true);
  YamlWriter& y = file.document();
  y.map("driver").field("enabled", driver);
  if (driver && first->kernel_modules) y.field("kernelModuleType", enum_text(*first->kernel_modules));
  if (driver && first->gpudirect_rdma.value_or(false)) y.map("rdma").field("enabled", true).end_map();
  y.end_map();
  y.map("toolkit").field("enabled", first->gpu_operator->toolkit.value_or(true)).end_map();
  y.map("cdi").field("enabled", !hook).end_map();
  // All GPUs of a node are cut alike: pods ask for nvidia.com/gpu and get an instance.
  y.map("mig").field("strategy", mig ? "single" : "none").end_map();
  y.map("migManager").field("enabled", mig && driver).end_map();
  std::string extra;
  for (const YamlEntry& e : yaml_entries(o.in, kValuesExtra, {"driver", "toolkit", "cdi", "mig", "migManager"},
                                         "dcgmExporter: { enabled: false }", o.findings))
    extra += e.text;
  file.append(extra);
}

void image(YamlWriter& y, std::string_view key, std::string_view name) {
  y.map(key).field("image", name).field("repository", kImages).field("version", kImageTag);
}

void policy(const KubernetesOutput& o, ObjectFile& file) {
  std::string config;
  JsonWriter j(config);
  j.begin_object().array("configList");
  for (const KubernetesRailNetwork& r : o.facts.rails) {
    j.begin_object();
    j.field("resourcePrefix", "rdma").field("resourceName", r.resource.substr(r.resource.find('/') + 1));
    j.field("rdmaHcaMax", kPodsOnAdapters).object("selectors").array("ifNames");
    for (const KubernetesRail& rail : r.rails) j.value(rail.device);
    j.end_array().end_object().end_object();
  }
  j.end_array().end_object();
  const bool ipoib = std::any_of(o.facts.rails.begin(), o.facts.rails.end(),
                                 [](const KubernetesRailNetwork& r) { return r.infiniband; });
  YamlWriter& y = file.object("mellanox.com/v1alpha1", "NicClusterPolicy", "nic-cluster-policy");
  y.map("spec");
  image(y, "rdmaSharedDevicePlugin", "k8s-rdma-shared-dev-plugin");
  y.field("config", config).end_map();
  image(y, "nvIpam", "nvidia-k8s-ipam");
  y.field("enableWebhook", false).end_map();
  y.map("secondaryNetwork");
  image(y, "cniPlugins", "plugins");
  y.end_map();
  image(y, "multus", "multus-cni");
  y.end_map();
  if (ipoib) {
    image(y, "ipoib", "ipoib-cni");
    y.end_map();
  }
  y.end_map().end_map();
}

void rail(const KubernetesRailNetwork& r, const KubernetesRail& rail, ObjectFile& file) {
  YamlWriter& p = file.object("nv-ipam.nvidia.com/v1alpha1", "IPPool", rail.name, kOperatorSpace);
  p.map("spec").field("subnet", rail.pool->text()).field("perNodeBlockSize", rail.block).end_map();
  std::string ipam;
  JsonWriter(ipam).begin_object().field("type", "nv-ipam").field("poolName", rail.name).end_object();
  YamlWriter& y = file.object("mellanox.com/v1alpha1", r.infiniband ? "IPoIBNetwork" : "MacvlanNetwork", rail.name);
  y.map("spec").field("networkNamespace", "default").field("master", rail.device);
  if (!r.infiniband) y.field("mode", "bridge").field("mtu", r.mtu);
  y.field("ipam", ipam).end_map();
}

void network_operator(const KubernetesOutput& o) {
  if (o.facts.rails.empty()) return;
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/networks.yaml",
                  "for the network operator, once it runs: the adapters of the rails as a resource, the rails as "
                  "networks");
  policy(o, file);
  for (const KubernetesRailNetwork& r : o.facts.rails)
    for (const KubernetesRail& each : r.rails)
      if (each.pool) rail(r, each, file);
}

}  // namespace

void emit_operators(const KubernetesOutput& o) {
  gpu_operator(o);
  network_operator(o);
}

}  // namespace clusterc
