// What the people with the cables read: from where to where, what is printed on both ends, and what is tied together.
#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/text.h"
#include "report/cable_exports.h"
#include "report/link_rows.h"
#include "report/panel_names.h"
#include "report/rack_pairs.h"
#include "write/writers.h"

namespace clusterc {
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
  PanelEnds e;
  rows.each_into({&out}, [&](const LinkRow& r) {
    names.of(r, e);
    length.clear();
    part.clear();
    append_part(part, r.run);
    if (r.run.cable) append_metres(length, r.run.length);
    end_label(near_label, r.near_host, e.near_plug, r.far_host, e.far_plug);
    end_label(far_label, r.far_host, e.far_plug, r.near_host, e.near_plug);
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
  PanelEnds e;
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
        end_label(text, r.near_host, e.near_plug, r.far_host, e.far_plug);
        csv.row({name, "A", r.near_rack, e.near_unit, text});
      }
      if (far) {
        end_label(text, r.far_host, e.far_plug, r.near_host, e.near_plug);
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
