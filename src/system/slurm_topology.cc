// How Slurm sees the fabric.
//
// tree:  a leaf of Slurm's tree is a set of nodes that talk to each other without crossing a spine. In a rail-optimised
// fabric that
//        is the scalable unit: its leaf switches, one for each rail, carry the same nodes, and a node may stand in one
//        leaf only.
//            SwitchName=compute-su1 Nodes=gpu[001-032]
//            SwitchName=compute-su2 Nodes=gpu[033-064]
//            SwitchName=compute-spine Switches=compute-su[1-2]
//        Three tiers add pods between. Fabrics that are not connected stay separate trees
//        (sched-topology-differs-from-fabric).
// block: a block is an NVLink domain that spans nodes (topology/block, Slurm 23.11 and newer).
// Slurm 25.05 and newer read topology.yaml, which can hold both: each partition has the one that fits its nodes.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/nvlink.h"
#include "spec/network.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/inventory_as_built.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

std::string numbered_switch(std::string_view stem, std::string_view word, std::int64_t number) {
  std::string s(stem);
  s += '-';
  s += word;
  append_int(s, number);
  return s;
}

// Nodes with one key hang on the same leaves: a unit, or a pair of leaves of their own, which come after the units.
std::int64_t unit_of(const Fabric& f, std::int64_t leaf) {
  std::int64_t before = f.units * f.planes;
  for (const LeafGroup& g : f.leaf_groups) {
    if (&g == f.leaf_group(leaf)) return before + (leaf % f.per_plane(0) - g.first) / g.each;
    before += g.count;
  }
  return leaf / f.per_plane(0) * f.units + f.unit_of_leaf(leaf);
}

// Whether the nodes of a group have ports in a network.
bool connects(const NetworkModel& n, int group) {
  return std::ranges::any_of(n.ends, [&](const EndPoints& e) { return e.group == group && e.members > 0; });
}

// The leaves of a cluster that stands: nodes with the same switches are one. A set of several switches, one for each
// rail, is named by the first of them. All leaves meet above. Nodes of the same network whose rows name no switch are
// below the top switch, too: Slurm runs no job over two trees.
void add_as_built(const System& in, SlurmFacts& facts, int of,
                  const std::map<std::int64_t, std::vector<std::string>>& built, std::vector<char>& placed,
                  Findings& findings) {
  const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(of)];
  const std::string& network = net.name;
  std::vector<std::string> unsaid;
  std::map<std::vector<std::string>, std::vector<std::string>> leaves;
  for (const SlurmNodes& s : facts.nodes) {
    const NodeGroupModel& g = in.cluster.nodes[static_cast<std::size_t>(s.group)];
    const bool meets = connects(net, s.group);
    for (std::int64_t i = 0; i < g.count; ++i)
      if (char& done = placed[static_cast<std::size_t>(g.first + i)]; !done) {
        const auto at = built.find(g.first + i);
        if (at == built.end() && !meets) continue;
        (at == built.end() ? unsaid : leaves[at->second]).push_back(g.names.name(i));
        done = 1;
      }
  }
  std::vector<std::string> names;
  for (const auto& [switches, nodes] : leaves) {
    std::string name = replace_all(switches.front(), "/", "-");
    if (std::ranges::find(names, name) != names.end()) append_int(name += '-', static_cast<std::int64_t>(names.size()));
    names.push_back(name);
    facts.switches.push_back({name, fold_names(nodes), {}});
  }
  if (!unsaid.empty()) {
    std::string name = network + "-unsaid";
    while (std::ranges::find(names, name) != names.end()) name += '-';
    names.push_back(name);
    const std::string nodes = fold_names(unsaid);
    facts.switches.push_back({name, nodes, {}});
    findings
        .warning("slurm-topology-switch-unsaid", net.span,
                 "the inventory names no switch of network '" + network + "' for " + one_line(nodes.substr(0, 200)) +
                     (facts.topology_yaml ? ": topology.yaml" : ": topology.conf") + " has these nodes on one leaf '" +
                     name + "', so that Slurm takes them for neighbours")
        .help("write the switch of each of these nodes into the column `switch` of the inventory");
  }
  if (names.size() > 1) facts.switches.push_back({network + "-top", {}, join(names, ",")});
}

void tree(const System& in, SlurmFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  const Plan& plan = in.plan;
  std::vector<char> placed(static_cast<std::size_t>(c.node_count), 0);
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    if (!c.networks[n].carries_traffic(Traffic::compute)) continue;
    const auto built = in.inventory ? switches_as_built(c, plan, *in.inventory, static_cast<int>(n))
                                    : std::map<std::int64_t, std::vector<std::string>>();
    if (!built.empty()) {
      add_as_built(in, facts, static_cast<int>(n), built, placed, findings);
      continue;
    }
    // A network that uses another's switches has no tiers of its own.
    int f = static_cast<int>(n);
    if (plan.fabrics[f].tiers.empty() && c.networks[n].shares >= 0) f = c.networks[n].shares;
    const Fabric& fabric = plan.fabrics[f];
    if (fabric.tiers.empty()) continue;
    struct Unit {
      std::int64_t leaf = 0;
      std::vector<std::string> nodes;
    };
    std::map<std::int64_t, Unit> units;
    for (const SlurmNodes& s : facts.nodes) {
      const NodeGroupModel& g = c.nodes[s.group];
      for (std::int64_t i = 0; i < g.count; ++i) {
        const std::int64_t node = g.first + i;
        if (placed[static_cast<std::size_t>(node)]) continue;
        const std::int64_t leaf = plan.leaf_of_node(f, node);
        if (leaf < 0) continue;
        Unit& unit = units[unit_of(fabric, leaf)];
        if (unit.nodes.empty()) unit.leaf = leaf;
        unit.nodes.push_back(g.names.name(i));
        placed[static_cast<std::size_t>(node)] = 1;
      }
    }
    if (units.empty()) continue;
    const std::string& name = c.networks[f].name;
    std::vector<std::string> lower;
    std::map<std::int64_t, std::vector<std::string>> pods;
    // Pods of one rail part no nodes: each node has ports in all of them.
    const bool by_pods = fabric.tiers.size() > 2 && !fabric.rail_pods;
    for (const auto& [unit, of] : units) {
      SlurmSwitch s;
      s.name = fabric.leaf_group(of.leaf)                   ? plan.switch_host_name(f, {0, of.leaf})
               : fabric.rail_optimised || fabric.planes > 1 ? numbered_switch(name, "su", unit + 1)
                                                            : plan.switch_host_name(f, {0, unit});
      s.nodes = fold_names(of.nodes);
      lower.push_back(s.name);
      if (by_pods) pods[of.leaf / std::max<std::int64_t>(1, fabric.leaves_per_pod)].push_back(s.name);
      facts.switches.push_back(std::move(s));
    }
    if (fabric.tiers.size() < 2) continue;  // nothing above the leaves: each is a tree of its own
    if (by_pods) {
      lower.clear();
      for (const auto& [pod, leaves] : pods) {
        lower.push_back(numbered_switch(name, "pod", pod + 1));
        facts.switches.push_back({lower.back(), {}, fold_names(leaves)});
      }
    }
    facts.switches.push_back(
        {name + "-" + (fabric.tiers.back().word.empty() ? "top" : fabric.tiers.back().word), {}, fold_names(lower)});
  }
  if (facts.switches.empty()) return;
  // Slurm wants every node in the tree; what has no port in a compute fabric stands apart.
  for (const SlurmNodes& s : facts.nodes) {
    const NodeGroupModel& g = c.nodes[s.group];
    std::vector<std::string> apart;
    for (std::int64_t i = 0; i < g.count; ++i)
      if (!placed[static_cast<std::size_t>(g.first + i)]) apart.push_back(g.names.name(i));
    if (!apart.empty()) facts.switches.push_back({"apart-" + g.name, fold_names(apart), {}});
  }
}

// The groups whose nodes are in no block.
std::vector<const NodeGroupModel*> blocks(const System& in, SlurmFacts& facts) {
  const Cluster& c = in.cluster;
  std::vector<const NodeGroupModel*> outside;
  for (const SlurmNodes& s : facts.nodes) {
    const NodeGroupModel& g = c.nodes[s.group];
    const std::int64_t each = nvlink_domain_nodes(c, g);
    if (each == 0) {
      outside.push_back(&g);
      continue;
    }
    const std::int64_t count = (g.count + each - 1) / each;
    const bool frames = g.assembly >= 0 && c.assemblies[g.assembly].count == count;
    for (std::int64_t b = 0; b < count; ++b) {
      std::vector<std::string> nodes;
      for (std::int64_t i = b * each; i < std::min(g.count, (b + 1) * each); ++i) nodes.push_back(g.names.name(i));
      facts.blocks.push_back({frames ? c.assemblies[g.assembly].names.name(b) : numbered_switch(g.name, "block", b + 1),
                              fold_names(nodes)});
    }
    // Nodes held back for repair shrink what a job may count on in each domain (sched-block-splits-nvlink-domain).
    const std::int64_t size = nvlink_block_size(c, g);
    facts.block_size = facts.block_size == 0 ? size : std::min(facts.block_size, size);
  }
  return outside;
}

// Blocks, and in topology.yaml the tree beside them, which has the nodes that are in no block.
void blocks_and_tree(const System& in, SlurmFacts& facts, Findings& findings) {
  const std::vector<const NodeGroupModel*> outside = blocks(in, facts);
  if (!facts.blocks.empty()) facts.topology = SlurmTopology::block;
  if (facts.topology_yaml && !facts.blocks.empty()) {
    tree(in, facts, findings);
    if (outside.empty() && facts.switches.size() < 2) facts.switches.clear();  // one switch tells jobs nothing
    if (!outside.empty() && !facts.switches.empty()) facts.topology = SlurmTopology::tree;
  }
  if (!facts.switches.empty()) return;
  for (const NodeGroupModel* g : outside)
    findings
        .warning("slurm-node-in-no-block", g->span,
                 "'" + g->name + "' is in no NVLink domain, but block topology places jobs by domain")
        .help("write topology: tree, or give '" + g->name + "' a cluster of its own");
}

}  // namespace

SlurmTopology slurm_topology_of(const Cluster& c, const SlurmFacts& facts, const std::vector<int>& groups) {
  if (!facts.two_topologies() || groups.empty()) return facts.topology;
  const bool in_blocks = std::ranges::all_of(
      groups, [&](int g) { return nvlink_domain_nodes(c, c.nodes[static_cast<std::size_t>(g)]) > 0; });
  return in_blocks ? SlurmTopology::block : SlurmTopology::tree;
}

void slurm_topology(const System& in, SlurmFacts& facts, Findings& findings) {
  const Cluster& c = in.cluster;
  const auto& scheduler = c.spec.software->scheduler;
  const bool asked = scheduler && scheduler->topology;
  TopologyPlugin wish = asked ? *scheduler->topology : TopologyPlugin::tree;
  if (!asked && !facts.nodes.empty() && std::all_of(facts.nodes.begin(), facts.nodes.end(), [&](const SlurmNodes& s) {
        return nvlink_domain_nodes(c, c.nodes[s.group]) > 0;
      }))
    wish = TopologyPlugin::block;
  // Extra lines have the syntax of topology.conf, which Slurm passes over where topology.yaml is.
  const auto* outputs = c.spec.outputs.find("slurm");
  const Value<Version>* release = slurm_release(c);
  std::string error;
  facts.topology_yaml = release && !(**release < *Version::parse("25.05", error)) &&
                        !(outputs && outputs->value.extra.find("topology.conf"));
  if (wish == TopologyPlugin::block) {
    blocks_and_tree(in, facts, findings);
    if (facts.blocks.empty() && asked)
      findings
          .error("slurm-topology-without-domains", scheduler->topology.span,
                 "block topology needs an NVLink domain that spans nodes, but no group has one")
          .help("write topology: tree");
    return;
  }
  // Without leaves and spines in the spec there is none by default; the inventory of a cluster that stands has leaves.
  const bool stands =
      in.inventory && std::ranges::any_of(in.inventory->rows(), [](const InventoryRow& r) { return !r.leaf.empty(); });
  if (wish == TopologyPlugin::none && !(stands && scheduler->topology.origin != Origin::spec)) return;
  tree(in, facts, findings);
  if (!facts.switches.empty()) facts.topology = SlurmTopology::tree;
}

}  // namespace clusterc
