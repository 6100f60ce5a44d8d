// clustershell/cluster.yaml: groups of nodes for ClusterShell (clush, cluset, nodeset), as groups.conf(5) of its
// documentation, "YAML group files", has them. Three sources: @cluster:GROUP is a node group of the spec, @role:ROLE
// the nodes with a role, @rack:RACK the nodes in a rack. Names stay folded, so the file grows with the groups and the
// racks.
#include <algorithm>
#include <string>
#include <vector>

#include "base/host_pattern.h"
#include "compile/common.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_clustershell(const Cluster& c) {
  const auto* wish = c.spec.outputs.find("clustershell");
  return wish && !wish->value.skip.value_or(false) && c.node_count > 0;
}

void groups(const Cluster& c, YamlWriter& y) {
  y.map("cluster");
  std::string all;
  for (const NodeGroupModel& g : c.nodes) {
    if (g.count == 0) continue;
    y.field(g.name, g.names.text());
    (all += all.empty() ? "" : ",") += g.names.text();
  }
  // What the option --all of clush takes. A node group may be called so itself.
  if (std::none_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroupModel& g) { return g.name == "all"; }))
    y.field("all", all);
  y.end_map();
}

void roles(const Cluster& c, YamlWriter& y) {
  y.map("role");
  for (const auto& [role, word] : EnumNames<Role>::names) {
    std::string names;
    for (const NodeGroupModel& g : c.nodes)
      if (g.count > 0 && g.has_role(role)) (names += names.empty() ? "" : ",") += g.names.text();
    if (!names.empty()) y.field(word, names);
  }
  y.end_map();
}

void racks(const Cluster& c, const Plan& plan, YamlWriter& y) {
  std::vector<std::vector<std::string>> in_rack(plan.racks.size());
  for (const NodeGroupModel& g : c.nodes)
    for (std::int64_t i = 0; i < g.count; ++i) {
      const auto node = static_cast<std::size_t>(g.first + i);
      const std::int32_t rack = node < plan.node_rack.size() ? plan.node_rack[node] : -1;
      if (rack >= 0) in_rack[static_cast<std::size_t>(rack)].push_back(g.names.name(i));
    }
  if (std::all_of(in_rack.begin(), in_rack.end(), [](const auto& names) { return names.empty(); })) return;
  y.map("rack");
  for (std::size_t r = 0; r < in_rack.size(); ++r)
    if (!in_rack[r].empty()) y.field(c.rack_name(static_cast<std::int64_t>(r)), fold_names(in_rack[r]));
  y.end_map();
}

void emit_clustershell(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "clustershell", {}, findings);
  bundle.open("clustershell/cluster.yaml", "clustershell");
  bundle.text() += made_by(in, "");
  YamlWriter y(bundle.text());
  y.begin_map();
  groups(in.cluster, y);
  roles(in.cluster, y);
  racks(in.cluster, in.plan, y);
  y.end_map();
  bundle.close();
}

}  // namespace

extern const Output kClusterShellOutput;  // registry.cc names it
const Output kClusterShellOutput{
    .id = "clustershell",
    .summary = "node groups by group, role and rack, if `outputs` of the spec names it",
    .consumers = "ClusterShell 1.7 and newer (clush, cluset), in /etc/clustershell/groups.d",
    .wanted = wants_clustershell,
    .emit = emit_clustershell,
};

}  // namespace clusterc
