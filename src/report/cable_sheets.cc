// What the people with the cables read: from where to where, what is printed on both ends, and what is tied together.
#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/text.h"
#include "report/cable_exports.h"
#include "report/link_rows.h"
#include "report/rack_pairs.h"
#include "write/writers.h"

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

struct Ends {
  std::string near_port, far_port, near_unit, far_unit;
};

class PanelNames {
 public:
  PanelNames(const Plan& p, const Links& links) : p_(p), links_(links) {
    for (const Fabric& f : p.fabrics)
      for (auto& of_block = cages_.emplace_back(); const FabricBlock& b : f.blocks)
        of_block.push_back(cage_ports(p, b));
  }
  void of(const LinkRow& r, Ends& e) const {
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

 private:
  const std::string& of_member(int fabric, int block, std::int64_t port, const std::string& name) const {
    const std::vector<std::string>& cages = cages_[at(fabric)][at(block)];
    return at(port) < cages.size() ? cages[at(port)] : name;
  }

  const Plan& p_;
  const Links& links_;
  std::vector<std::vector<std::vector<std::string>>> cages_;  // by fabric, block, port
};

}  // namespace

void end_label(std::string& out, std::string_view host, std::string_view port, std::string_view far_host,
               std::string_view far_port) {
  out.assign(host);
  out += ':';
  out += port;
  out += " > ";
  out += far_host;
  out += ':';
  out += far_port;
}

std::string render_point_to_point_csv(const Cluster& cluster, const Plan& plan) {
  std::string out, length, part, near_label, far_label;
  SheetWriter csv(out);
  csv.row({"A-Rack", "A-U", "A-Node Name", "A-Type", "A-Port", "Z-Rack", "Z-U", "Z-Node Name", "Z-Type", "Z-Port",
           "Network", "Cable", "Part", "Length m", "A-Module", "Z-Module", "A-Label", "Z-Label"});
  LinkRows rows(cluster, plan);
  const PanelNames names(plan, rows.links());
  Ends e;
  rows.each_into({&out}, [&](const LinkRow& r) {
    names.of(r, e);
    length.clear();
    part.clear();
    append_part(part, r.run);
    if (r.run.cable) append_metres(length, r.run.length);
    end_label(near_label, r.near_host, e.near_port, r.far_host, e.far_port);
    end_label(far_label, r.far_host, e.far_port, r.near_host, e.near_port);
    const FabricBlock* b = r.link->block < 0 ? nullptr : &plan.fabrics[at(r.link->fabric)].blocks[at(r.link->block)];
    const bool near_switch = !b || b->what == FabricBlock::What::switches;
    csv.row({r.near_rack, e.near_unit, r.near_host, near_switch ? "Switch" : "Host", e.near_port, r.far_rack,
             e.far_unit, r.far_host, r.link->far_block < 0 ? "Switch" : "Host", e.far_port, *r.network, r.cable, part,
             length, r.run.near_module ? r.run.near_module->id : "", r.run.far_module ? r.run.far_module->id : "",
             near_label, far_label});
    return true;
  });
  return out;
}

// One row for each end of each cable that is bought: the head of a splitter has one label, each tail its own.
std::string render_labels_csv(const Cluster& cluster, const Plan& plan) {
  std::string out, text, name;
  SheetWriter csv(out);
  csv.row({"cable", "end", "rack", "unit", "label"});
  LinkRows rows(cluster, plan);
  const PanelNames names(plan, rows.links());
  Ends e;
  rows.each_into({&out}, [&](const LinkRow& r) {
    names.of(r, e);
    // Of a cable between two cages both ends are labelled once, of a splitter the head.
    const bool near = r.first_of_cable || (r.run.shared && r.run.head_is_far);
    const bool far = r.first_of_cable || (r.run.shared && !r.run.head_is_far && !r.run.straight);
    for (std::int64_t fibre = 1; fibre <= r.run.fibres; ++fibre) {
      name = r.cable;
      if (r.run.fibres > 1) {
        name += "/fibre";
        append_int(name, fibre);
      }
      if (near) {
        end_label(text, r.near_host, e.near_port, r.far_host, e.far_port);
        csv.row({name, "A", r.near_rack, e.near_unit, text});
      }
      if (far) {
        end_label(text, r.far_host, e.far_port, r.near_host, e.near_port);
        csv.row({name, "Z", r.far_rack, e.far_unit, text});
      }
    }
    return true;
  });
  return out;
}

// Cables from rack to rack, tied in bundles of at most `cabling.bundle`; those that stay in a rack are counted in its
// own row.
std::string render_bundles_csv(const Cluster& cluster, const Plan& plan) {
  std::string out;
  SheetWriter csv(out);
  csv.row({"from_rack", "to_rack", "cables", "copper", "optical", "no_part", "bundles", "longest_way_m"});
  std::string numbers[6];
  for (const RackPair& p : rack_pairs(cluster, plan)) {
    const std::int64_t values[] = {p.cables(), p.copper, p.optical, p.unknown, p.bundles};
    for (std::size_t i = 0; i < 5; ++i) {
      numbers[i].clear();
      append_int(numbers[i], values[i]);
    }
    numbers[5].clear();
    append_metres(numbers[5], p.longest);
    csv.row({cluster.rack_name(p.from), cluster.rack_name(p.to), numbers[0], numbers[1], numbers[2], numbers[3],
             numbers[4], numbers[5]});
  }
  return out;
}

}  // namespace clusterc
