#include "report/panel_names.h"

#include <algorithm>

#include "base/index.h"
#include "base/text.h"
#include "spec/network.h"

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
void panel_port(std::string& out, const FabricTier& of, bool other_system, std::int64_t links_of_cage,
                std::int64_t cage, std::int64_t place) {
  out.clear();
  const bool swp = !other_system && of.part && of.part->port_names && *of.part->port_names == "swp";
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
  for (const Fabric& f : p.fabrics) {
    auto& maps = sonic_.emplace_back();
    const NetworkModel& n = p.cluster->networks[at(f.network)];
    if (!n.spec || !n.spec->switch_os) continue;
    for (const FabricTier& t : f.tiers) maps.push_back(t.part ? SonicPortMap::of(*t.part) : std::nullopt);
  }
  for (std::size_t f = 0; f < p.fabrics.size(); ++f)
    links.each(static_cast<int>(f), [&](const PluggedLink& l) {
      if (const Cabling::Run run = p.cabling().run(l); run.shared && run.straight)
        strands_.push_back({cable_of(run, l), static_cast<std::int32_t>(l.block < 0 ? l.near_port : l.port),
                            static_cast<std::int32_t>(l.far_port)});
      return true;
    });
  std::stable_sort(strands_.begin(), strands_.end(),
                   [](const Strand& a, const Strand& b) { return a.cable < b.cable; });
}

std::int64_t PanelNames::cable_of(const Cabling::Run& run, const PluggedLink& l) {
  const Cabling::Shared cable = Cabling::shared_cable(run, l);
  return cable.cage * 8 + cable.place;
}

void PanelNames::near_name(const PluggedLink& l, std::int64_t port, const std::string& name, std::string& out) const {
  if (l.block >= 0) {
    out = of_member(l.fabric, l.block, port, name);
    return;
  }
  switch_port(l.fabric, l.near.tier, l.near_group, port, out);
}

void PanelNames::far_name(const PluggedLink& l, std::int64_t port, const std::string& name, std::string& out) const {
  if (l.far_block >= 0)
    out = of_member(l.fabric, l.far_block, port, name);
  else
    switch_port(l.far_fabric, l.far.tier, l.far_group, port, out);
}

// Under SONiC the alias of the port, which its `show interfaces status` and LLDP have: "etp17b".
void PanelNames::switch_port(int fabric, int tier, int cage_group, std::int64_t port, std::string& out) const {
  const FabricTier& t = p_.fabrics[at(fabric)].tiers[at(tier)];
  const CageGroup& group = links_.cage_groups()[at(cage_group)];
  // Uplink ports of their own are counted on: their cages hold one port each.
  const std::int64_t links = port > t.ports ? 1 : group.links, each = port > t.ports ? 1 : group.ports_each;
  const std::int64_t cage = (port - 1) / (links * each) + 1, place = (port - 1) % (links * each) / each;
  const auto& maps = sonic_[at(fabric)];
  if (!maps.empty() && maps[at(tier)])
    if (const auto named = maps[at(tier)]->port(cage, links, place, group.rate)) {
      out = named->alias;
      return;
    }
  panel_port(out, t, !maps.empty(), links, cage, place);
}

void PanelNames::of(const LinkRow& r, PanelEnds& e) const {
  const PluggedLink& l = *r.link;
  near_name(l, l.block < 0 ? l.near_port : l.port, r.near.port, e.near_port);
  far_name(l, l.far_port, r.far.port, e.far_port);
  e.near_plug = e.near_port;
  e.far_plug = e.far_port;
  if (r.run.shared && r.run.straight) {
    const std::int64_t cable = cable_of(r.run, l);
    auto strand = std::lower_bound(strands_.begin(), strands_.end(), cable,
                                   [](const Strand& s, std::int64_t key) { return s.cable < key; });
    std::string name;
    e.near_plug.clear();
    e.far_plug.clear();
    // A member's port whose cage the catalogue does not know has the name of its set, which only its own link has.
    const bool named = l.block < 0 || !cages_[at(l.fabric)][at(l.block)].empty();
    for (; strand != strands_.end() && strand->cable == cable; ++strand) {
      if (named) {
        near_name(l, strand->near, r.near.port, name);
        e.near_plug += (e.near_plug.empty() ? "" : "+") + name;
      }
      far_name(l, strand->far, r.far.port, name);
      e.far_plug += (e.far_plug.empty() ? "" : "+") + name;
    }
    if (!named) e.near_plug = e.near_port;
  }
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
