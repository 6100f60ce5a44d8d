// objects/nodes.yaml: the labels of every node, of which queues and jobs speak. Server-side apply changes the labels
// that stand here and no others; taints are the kubelet's, set when the node joins.
#include <algorithm>

#include "compile/kubernetes/objects.h"
#include "model/mig.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// The operator cuts the GPUs of its nodes into what the label names; the plays do it where the driver is the node's.
std::string mig_label(const Cluster& c, const KubernetesMachine& m) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(m.group)];
  const auto cut = mig_layout(g.software);
  if (!cut || !g.software->gpu_operator || !g.software->gpu_operator->driver.value_or(true)) return {};
  std::string label = "all-" + cut->profile;
  std::replace(label.begin(), label.end(), '+', '.');  // as the operator's own table calls them: all-1g.10gb.me
  return is_kubernetes_label_value(label) ? label : std::string();
}

}  // namespace

void emit_nodes(const KubernetesOutput& o) {
  ObjectFile file(o.in, o.bundle, "kubernetes/objects/nodes.yaml", "once the nodes have joined");
  if (o.in.judging) return;
  for (const KubernetesWorkers& w : o.facts.workers)
    for (const KubernetesMachine& m : w.nodes) {
      YamlWriter& y = file.document();
      y.field("apiVersion", "v1").field("kind", "Node").map("metadata").field("name", m.name).map("labels");
      for (const auto& [key, value] : m.labels) y.field(key, value);
      if (const std::string label = mig_label(o.in.cluster, m); !label.empty()) y.field("nvidia.com/mig.config", label);
      y.end_map().end_map();
    }
}

}  // namespace clusterc
