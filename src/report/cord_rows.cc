#include "report/cord_rows.h"

#include "base/index.h"
#include "base/text.h"
#include "plan/equipment.h"
#include "plan/power/feed_lines.h"
#include "plan/power/outlets.h"
#include "report/cable_exports.h"
#include "report/device_names.h"
#include "report/link_rows.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// What a class of racks shares.
struct Wired {
  RackWiring wiring;
  std::vector<OutletPlace> outlets;
};

std::string_view lines_of(const RackWiring::Position& p, std::uint8_t way) {
  return p.known && p.ways >= 3 ? line_name(p.between, way) : std::string_view();
}

}  // namespace

void each_cord(const Cluster& c, const Plan& plan, const std::function<void(const CordRow&)>& take) {
  const std::vector<PowerClass>& classes = plan.power_classes();
  std::vector<std::int32_t> class_of(plan.racks.size(), -1);
  std::vector<Wired> wired(classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (classes[k].assembly) continue;
    wired[k] = {wire_rack(&c.racks[at(classes[k].group)], classes[k].rack), outlet_places(plan, classes[k])};
    for (const std::int32_t r : classes[k].racks) class_of[at(r)] = static_cast<std::int32_t>(k);
  }
  CordRow row;
  std::string near_port, far_port;
  std::vector<std::string> pdus, pdu_hosts;  // of the rack in hand
  for (std::size_t r = 0; r < plan.racks.size(); ++r) {
    if (class_of[r] < 0) continue;
    const PowerClass& k = classes[at(class_of[r])];
    const Wired& w = wired[at(class_of[r])];
    const RackGroupModel& g = c.racks[at(k.group)];
    const std::string rack = c.rack_name(static_cast<std::int64_t>(r));
    row.rack = rack;
    pdus.clear();
    pdu_hosts.clear();
    for (std::size_t p = 0; p < g.pdus.size(); ++p) {
      pdus.push_back("pdu/" + rack + "/" + static_cast<char>('a' + p));
      pdu_hosts.push_back(host_name_of(pdus.back()));
    }
    std::int64_t device = -1;
    for (std::size_t i = 0; i < k.rack.cords.size(); ++i) {
      const PowerCord& cord = k.rack.cords[i];
      const RackedDevice& d = plan.racks[r].devices[at(cord.device)];
      if (cord.device != device) {
        device = cord.device;
        row.device = device_host(c, plan, d);
        row.unit = d.unit;
      }
      const PowerPosition& position = k.rack.positions[at(cord.position)];
      const OutletPlace& outlet = w.outlets[i];
      const PduModel& pdu = g.pdus[at(position.pdu)];
      row.supply = cord.supply + 1;
      row.pdu = pdus[at(position.pdu)];
      row.feed = position.feed < 0 ? std::string_view() : std::string_view(c.feeds[at(position.feed)].name);
      row.socket = socket_text(outlet.socket);
      row.outlet = outlet.number;
      row.lines = lines_of(w.wiring.positions[at(cord.position)], w.wiring.way[i]);
      row.bank = w.wiring.positions[at(cord.position)].banks > 0 ? w.wiring.bank[i] + 1 : 0;
      row.part = cord_part(outlet.inlet);
      row.length = row.part.empty() || !pdu.part ? Meters(0) : cord_length(c, g, d.unit, *pdu.part, outlet);
      near_port = "psu";
      append_int(near_port, row.supply);
      far_port = row.socket;
      if (row.outlet > 0) {
        far_port += '-';
        append_int(far_port, row.outlet);
      }
      const std::string& pdu_host = pdu_hosts[at(position.pdu)];
      end_label(row.supply_label, row.device, near_port, pdu_host, far_port);
      end_label(row.pdu_label, pdu_host, far_port, row.device, near_port);
      take(row);
    }
  }
}

std::string render_cords_csv(const Cluster& cluster, const Plan& plan) {
  std::string out, unit, supply, outlet, bank, length;
  const auto number = [](std::string& text, std::int64_t n) {
    text.clear();
    if (n > 0) append_int(text, n);
  };
  SheetWriter csv(out);
  csv.row({"device", "rack", "unit", "supply", "pdu", "feed", "socket", "outlet", "lines", "bank", "part", "length_m",
           "supply_label", "pdu_label"});
  each_cord(cluster, plan, [&](const CordRow& r) {
    number(unit, r.unit);
    number(supply, r.supply);
    number(outlet, r.outlet);
    number(bank, r.bank);
    length.clear();
    if (r.length.value > 0) append_metres(length, r.length);
    csv.row({r.device, r.rack, unit, supply, r.pdu, r.feed, r.socket, outlet, r.lines, bank, r.part, length,
             r.supply_label, r.pdu_label});
  });
  return out;
}

}  // namespace clusterc
