// topology.conf, and topology.yaml of Slurm 25.05 and newer.
#include "compile/slurm/conf_file.h"
#include "compile/slurm/slurm.h"
#include "write/writers.h"

namespace clusterc {
namespace {

void topology_conf(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings& findings) {
  SlurmFile f(in, "topology.conf");
  for (const SlurmSwitch& s : facts.switches)
    f.line({{"SwitchName", s.name}, {"Nodes", s.nodes}, {"Switches", s.switches}});
  for (const SlurmBlock& b : facts.blocks) f.line({{"BlockName", b.name}, {"Nodes", b.nodes}});
  if (facts.block_size > 0) f.derived("BlockSizes", std::to_string(facts.block_size));
  f.finish(bundle, findings);
}

// topology.yaml(5). Slurm passes over keys that it does not know, so none but those of the manual are written.
void topology_yaml(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle) {
  bundle.open("slurm/topology.yaml", "slurm");
  bundle.text() += made_by(in, {});
  YamlWriter yaml(bundle.text());
  const auto begin = [&](std::string_view name, SlurmTopology kind) {
    yaml.begin_map().field("topology", name).field("cluster_default", facts.topology == kind);
  };
  yaml.begin_list();
  if (!facts.switches.empty()) {
    begin(kSlurmTree, SlurmTopology::tree);
    yaml.map("tree").list("switches");
    for (const SlurmSwitch& s : facts.switches) {
      yaml.begin_map().field("switch", s.name);
      if (!s.switches.empty()) yaml.field("children", s.switches);
      if (!s.nodes.empty()) yaml.field("nodes", s.nodes);
      yaml.end_map();
    }
    yaml.end_list().end_map().end_map();
  }
  if (!facts.blocks.empty()) {
    begin(kSlurmBlocks, SlurmTopology::block);
    yaml.map("block").list("block_sizes").value(facts.block_size).end_list().list("blocks");
    for (const SlurmBlock& b : facts.blocks) yaml.begin_map().field("block", b.name).field("nodes", b.nodes).end_map();
    yaml.end_list().end_map().end_map();
  }
  yaml.end_list();
  bundle.close();
}

}  // namespace

bool emit_topology(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings& findings) {
  if (facts.topology == SlurmTopology::none) return false;
  if (facts.topology_yaml)
    topology_yaml(in, facts, bundle);
  else
    topology_conf(in, facts, bundle, findings);
  return !facts.topology_yaml;
}

}  // namespace clusterc
