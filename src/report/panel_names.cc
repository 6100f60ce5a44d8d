#include "report/panel_names.h"

#include <algorithm>

#include "base/index.h"
#include "base/text.h"

namespace clusterc {
namespace {

// Ports of a server's set that share cages, in turn: "cage4/1", "cage3/1", "cage3/2", "cage4/2"; the links of one that
// is split over planes follow one another. Empty: each port has a cage of its own, and its name is what is printed.
std::vector<std::string> cage_ports(const Plan& plan, const FabricBlock& b) {
  const Cluster& c = *plan.cluster;
  if (b.what != FabricBlock::What::ends) return {};
  const EndPoints& e = c.networks[at(b.network)].ends[at(b.end)];
  if (e.group < 0 || e.ports < 0 || at(e.ports) >= c.nodes[at(e.group)].server.ports.size()) return {};
  const std::vector<int>& cages = c.nodes[at(e.group)].server.ports[at(e.ports)].cages;
  if (cages.empty()) return {};
  std::vector<std::string> out;
  for (std::int64_t k = 0; k < b.ports_each; ++k) {
    const std::int64_t port = e.first_port + k / e.split;
    if (at(port) >= cages.size()) return {};  // more ports than there are: told elsewhere
    std::string& name = out.emplace_back("cage");
    append_int(name, cages[at(port)] + 1);
    name += '/';
    append_int(name, std::count(cages.begin(), cages.begin() + port + 1, cages[at(port)]));
    if (e.split <= 1) continue;
    name += "/plane";
    append_int(name, k % e.split + 1);
  }
  return out;
}

// A port of a switch as its front says it: cage/place, "17/2", where a cage has two ports or is split. Of a switch that
// is sold with Cumulus Linux as that names it: swp17, split swp17s1 (NVIDIA Cable Validation Tool, P2P file). What
// names another switch would have is for its operating system to say, which is not known.
void panel_port(std::string& out, const FabricTier& of, std::int64_t links_of_cage, std::int64_t port) {
  out.clear();
  const std::int64_t cage = (port - 1) / links_of_cage + 1, place = (port - 1) % links_of_cage;
  const bool swp = of.part && of.part->port_names && *of.part->port_names == "swp";
  if (swp) out += "swp";
  append_int(out, cage);
  if (links_of_cage == 1) return;
  out += swp ? 's' : '/';
  append_int(out, swp ? place : place + 1);
}

}  // namespace

PanelNames::PanelNames(const Plan& p, const Links& links) : p_(p), links_(links) {
  for (const Fabric& f : p.fabrics)
    for (auto& of_block = cages_.emplace_back(); const FabricBlock& b : f.blocks) of_block.push_back(cage_ports(p, b));
}

void PanelNames::of(const LinkRow& r, PanelEnds& e) const {
  const PluggedLink& l = *r.link;
  if (l.block < 0) {
    const FabricTier& t = p_.fabrics[at(l.fabric)].tiers[at(l.near.tier)];
    const std::int64_t links = links_.cage_groups()[at(l.near_group)].links;
    // Uplink ports of their own are counted on: their cages hold one port each.
    if (l.near_port > t.ports)
      panel_port(e.near_port, t, 1, l.near_port);
    else
      panel_port(e.near_port, t, links, l.near_port);
  } else {
    e.near_port = of_member(l.fabric, l.block, l.port, r.near.port);
  }
  if (l.far_block >= 0)
    e.far_port = of_member(l.fabric, l.far_block, l.far_port, r.far.port);
  else
    panel_port(e.far_port, p_.fabrics[at(l.far_fabric)].tiers[at(l.far.tier)],
               links_.cage_groups()[at(l.far_group)].links, l.far_port);
  e.near_unit.clear();
  e.far_unit.clear();
  if (l.near_at.unit > 0) append_int(e.near_unit, l.near_at.unit);
  if (l.far_at.unit > 0) append_int(e.far_unit, l.far_at.unit);
}

const std::string& PanelNames::of_member(int fabric, int block, std::int64_t port, const std::string& name) const {
  const std::vector<std::string>& cages = cages_[at(fabric)][at(block)];
  return at(port) < cages.size() ? cages[at(port)] : name;
}

}  // namespace clusterc
