#include "report/rack_sheets.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "plan/power/power.h"
#include "report/cable_exports.h"
#include "report/cord_rows.h"
#include "report/device_names.h"
#include "report/hoses.h"
#include "report/html_writer.h"
#include "report/lifting.h"
#include "report/link_rows.h"
#include "report/panel_names.h"
#include "report/plan_svg.h"
#include "report/rack_pairs.h"
#include "report/site_steps.h"
#include "spec/names.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr std::string_view kStyle =
    "body{font:10pt/1.35 sans-serif;color:#111;margin:1.5em auto;padding:0 1em;max-width:75em}"
    "h1{font-size:17pt;margin:0 0 .2em}h2{font-size:12pt;margin:1.4em 0 .4em;break-after:avoid}"
    "table{border-collapse:collapse;width:100%;font-size:9pt}"
    "th{white-space:nowrap}th,td{border:1px solid #999;padding:.15em "
    ".4em;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;white-space:nowrap}td.fill{min-width:9em}td.tick{width:1.4em;text-align:center}"
    "tr{break-inside:avoid}thead{display:table-header-group}.label{font-family:monospace;font-size:8.5pt}"
    ".drawing{float:right;margin:0 0 1em 1.5em}.drawing svg{max-height:24cm;max-width:9cm;height:auto}"
    ".stop{border:3px solid #a00;color:#a00;font-weight:bold;padding:.4em .6em}.clear{clear:both}.sign "
    "td{height:2.6em}ul{padding-left:1.2em}"
    "@page{size:A4 landscape;margin:12mm}@media print{body{margin:0;max-width:none}}";
constexpr std::string_view kTick = "☐";

struct CordLine {
  std::string device, pdu, outlet, lines, part, length, supply_label, pdu_label;
  std::int64_t unit = 0, supply = 0;
  bool operator<(const CordLine& o) const { return std::pair(unit, supply) < std::pair(o.unit, o.supply); }
};
// One end of a cable as its rack sees it; of a cable within the rack, the lower end. A plan of 16,384 nodes has a
// million of them: the texts of a rack lie in one string, a zero after each.
struct CableLine {
  std::int16_t unit = 0, far_unit = 0;
  std::int32_t far_rack = -1;
  std::uint32_t texts = 0;  // where they begin: network, label here, label there, part, length
};
struct Contents {
  std::vector<CordLine> cords;
  std::vector<CableLine> inside, leaving;  // a straight cable once, a splitter with a line for each tail
  std::int64_t cables_inside = 0, cables_leaving = 0;
  std::map<std::string, std::int64_t, std::less<>> modules;  // plugged into cages of this rack
  bool shares_modules = false;                               // a module here serves several lines
  std::string texts;
};

std::string units_of(const RackedDevice& d) {
  if (d.unit <= 0) return "-";
  return d.units > 1 ? format("{}-{}", d.unit, d.unit + d.units - 1) : std::to_string(d.unit);
}

std::string part_text(const Cabling::Run& run) {
  std::string out;
  append_part(out, run);
  return out.empty() ? "no part: see the findings" : out;
}

std::vector<Contents> contents_of(const Cluster& c, const Plan& p) {
  std::vector<Contents> out(p.racks.size());
  std::map<std::string, std::size_t, std::less<>> numbers;
  for (std::size_t r = 0; r < p.racks.size(); ++r) numbers.emplace(c.rack_name(static_cast<std::int64_t>(r)), r);
  std::size_t rack = 0;
  std::string_view named;
  each_cord(c, p, [&](const CordRow& row) {
    if (row.rack != named) {
      const auto found = numbers.find(row.rack);
      if (found == numbers.end()) return;
      rack = found->second, named = found->first;
    }
    CordLine& line = out[rack].cords.emplace_back();
    line.device = row.device;
    line.unit = row.unit;
    line.supply = row.supply;
    line.pdu = row.pdu.substr(row.pdu.rfind('/') + 1);
    line.outlet = row.socket.empty() ? "terminal ……" : std::string(row.socket);
    if (row.outlet > 0) line.outlet += format(" {}", row.outlet);
    if (row.bank > 0) line.outlet += format(", bank {}", row.bank);
    line.lines = row.lines;
    line.part = row.part;
    if (row.length.value > 0) append_metres(line.length, row.length);
    line.supply_label = row.supply_label;
    line.pdu_label = row.pdu_label;
  });
  LinkRows rows(c, p);
  const PanelNames names(p, rows.links());
  PanelEnds e;
  CablesOnce once;
  std::vector<bool> filled(at(rows.links().cage_count()));
  std::string near_label, far_label, part, near_module, far_module, length;
  const auto plug = [&](std::int32_t in_rack, std::int64_t cage, int group, const CableModel* module) {
    if (in_rack < 0 || !module) return;
    out[at(in_rack)].shares_modules |= rows.links().cage_groups()[at(group)].links > 1;
    if (filled[at(cage)]) return;
    filled[at(cage)] = true;
    ++out[at(in_rack)].modules[module->id];
  };
  const auto add = [&](Contents& to, std::vector<CableLine>& lines, const LinkRow& r, bool near) {
    const CableSpot& here = near ? r.link->near_at : r.link->far_at;
    const CableSpot& there = near ? r.link->far_at : r.link->near_at;
    lines.push_back({here.unit, there.unit, there.rack, static_cast<std::uint32_t>(to.texts.size())});
    for (const std::string* text : std::initializer_list<const std::string*>{
             r.network, near ? &near_label : &far_label, near ? &far_label : &near_label,
             near ? &near_module : &far_module, &part, near ? &far_module : &near_module, &length})
      to.texts += *text, to.texts += '\0';
  };
  rows.each([&](const LinkRow& r) {
    names.of(r, e);
    const std::int32_t near = r.link->near_at.rack, far = r.link->far_at.rack;
    plug(near, r.link->near_cage, r.link->near_group, r.run.near_module);
    plug(far, r.link->far_cage, r.link->far_group, r.run.far_module);
    const std::int64_t cables = once.add(r.run, *r.link);
    if (near >= 0 && near == far) {
      out[at(near)].cables_inside += cables;
    } else {
      if (near >= 0) out[at(near)].cables_leaving += cables;
      if (far >= 0) out[at(far)].cables_leaving += cables;
    }
    if (cables == 0 && r.run.straight) return true;
    end_label(near_label, r.near_host, e.near_plug, r.far_host, e.far_plug);
    end_label(far_label, r.far_host, e.far_plug, r.near_host, e.near_plug);
    part = part_text(r.run);
    near_module = r.run.near_module ? r.run.near_module->id : "";
    far_module = r.run.far_module ? r.run.far_module->id : "";
    length.clear();
    if (r.run.cable) append_metres(length, r.run.length);
    if (near >= 0 && near == far) {
      add(out[at(near)], out[at(near)].inside, r, r.link->near_at.unit <= r.link->far_at.unit);
    } else {
      if (near >= 0) add(out[at(near)], out[at(near)].leaving, r, true);
      if (far >= 0) add(out[at(far)], out[at(far)].leaving, r, false);
    }
    return true;
  });
  return out;
}

class Sheet {
 public:
  Sheet(const Cluster& c, const Plan& p, bool buildable, std::int64_t rack, Contents& contents)
      : c_(c), p_(p), buildable_(buildable), rack_(rack), in_(contents), name_(c.rack_name(rack)) {
    bare_ = devices_without_cords(c, p, rack);
    hard_wired_ = std::count_if(in_.cords.begin(), in_.cords.end(), [](const CordLine& l) { return l.part.empty(); });
    for (const AssemblyGroupModel& a : c.assemblies)
      if (rack >= a.first && rack < a.first + a.count) frame_ = &a;
  }

  std::string text() {
    std::sort(in_.cords.begin(), in_.cords.end());
    std::stable_sort(in_.inside.begin(), in_.inside.end(),
                     [](const CableLine& a, const CableLine& b) { return a.unit < b.unit; });
    std::stable_sort(in_.leaving.begin(), in_.leaving.end(), [](const CableLine& a, const CableLine& b) {
      return std::pair(a.far_rack, a.unit) < std::pair(b.far_rack, b.unit);
    });
    out_.open("html", "lang", "en").open("head");
    out_.empty("meta", "charset", "utf-8");
    out_.empty("meta", "http-equiv", "Content-Security-Policy", "content",
               "default-src 'none'; style-src 'unsafe-inline'");
    out_.element("title", format("Rack {} of {}", name_, *c_.spec.name));
    out_.style(kStyle).close();
    out_.open("body");
    head();
    devices();
    hoses();
    cords();
    modules();
    sockets();
    inside();
    leaving();
    check();
    out_.close().close();
    return out_.take();
  }

 private:
  void heads(std::initializer_list<std::string_view> names) {
    out_.open("thead").open("tr");
    for (const std::string_view n : names) out_.element("th", n);
    out_.close().close();
  }
  void section(std::string_view title) { out_.element("h2", format("{}. {}", ++section_, title)); }
  void cell(std::string_view text) { out_.element("td", text); }
  void number(std::string_view text) { out_.element("td", "class", "n", text); }
  void label(std::string_view text) { out_.element("td", "class", "label", text); }
  void tick() { out_.element("td", "class", "tick", kTick); }
  void fill() { out_.element("td", "class", "fill", ""); }

  static std::string unit(std::int64_t u) { return u > 0 ? std::to_string(u) : "-"; }
  struct Texts {
    std::string_view network, label, far_label, module, part, far_module, length;
  };
  Texts texts(const CableLine& l) const {
    std::string_view rest = std::string_view(in_.texts).substr(l.texts);
    const auto next = [&] {
      const std::size_t end = rest.find('\0');
      const std::string_view out = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      return out;
    };
    Texts out;
    for (std::string_view* t :
         {&out.network, &out.label, &out.far_label, &out.module, &out.part, &out.far_module, &out.length})
      *t = next();
    return out;
  }

  void head() {
    const RackPlan& rack = p_.racks[at(rack_)];
    out_.element("h1", format("Rack {}", name_));
    if (!buildable_)
      out_.element("p", "class", "stop",
                   "The spec has errors: do not order or build anything by this sheet. `clusterc check` lists them.");
    out_.open("div", "class", "drawing").drawing(render_rack_elevation(c_, p_, rack_)).close();
    out_.open("p").text(format("Cluster {}. ", *c_.spec.name));
    out_.text(format("Place on the floor plan: x {:.1f} m, y {:.1f} m. ", rack.x, rack.y));
    const int group = c_.rack_group_of(rack_);
    if (group >= 0 && !c_.racks[at(group)].model.empty()) out_.text(format("Rack: {}. ", c_.racks[at(group)].model));
    out_.text(
        format("Weight with its devices: {}{}. ", rack.weight_complete ? "" : "more than ", to_text(rack.weight)));
    out_.text(format("Power: {}.",
                     rack.power_complete ? to_text(rack.power) + " at most" : "more than " + to_text(rack.power)));
    out_.close();
    out_.element("h2", "Before you begin");
    out_.open("ul");
    out_.element("li", "The rack stands in its place, is level, and is bolted down or to its neighbours.");
    out_.element(
        "li",
        "Units are numbered from the bottom: unit 1 is the lowest. The drawing shows the front, the side of the "
        "cold aisle.");
    ports_side();
    if (const std::int64_t n = liquid_cooled_devices(c_, rack); n > 0)
      out_.element("li",
                   format("{} in this rack cooled by liquid: connect coolant only when the loop is flushed, and "
                          "switch nothing on before coolant flows (chapter \"Coolant\" of runbook.md). The manifold "
                          "is mounted before the first device.",
                          n == 1 ? "1 device is" : format("{} devices are", n)));
    if (frame_)
      out_.element("li",
                   format("The rack comes as a frame with its trays and power shelves: the makers' labels say which "
                          "slot a tray is in.{}",
                          frame_->liquid >= 0 ? " It takes coolant through two hoses, supply and return: connect "
                                                "them when the loop is flushed, and switch nothing on before "
                                                "coolant flows (chapter \"Coolant\" of runbook.md)."
                                              : ""));
    out_.element("li", frame_ ? "Nothing has power yet: the breakers of the whips are open."
                              : "Nothing has power yet: the breakers of the PDUs are open.");
    if (!frame_)
      out_.element("li",
                   "The table of devices says how each is lifted to its unit (chapter \"Delivery\" of runbook.md); its "
                   "maker may ask for more. Fill the rack from the bottom up.");
    out_.element("li", "Have the page of \"Maker's documents\" (runbook.md) with you: torques, rail kits, couplings.");
    if (!in_.leaving.empty())
      out_.element(
          "li",
          format("Cables to other racks leave through the {}, those of each side of the rack on that side.",
                 c_.spec.site && c_.spec.site->cable_route.value_or(CableRoute::overhead) == CableRoute::underfloor
                     ? "floor"
                     : "roof, to the tray above"));
    for (const PduLoad& load : p_.pdus) {
      if (load.rack != rack_) continue;
      const PduModel& m = c_.racks[at(group)].pdus[at(load.pdu)];
      out_.element("li", format("PDU {}: {}, labelled pdu-{}-{}, {}connected to feed {}; panel and breaker: ……",
                                static_cast<char>('a' + load.pdu), m.model, name_, static_cast<char>('a' + load.pdu),
                                m.part && m.part->units.value_or(0) > 0 ? "in its units, "
                                : load.pdu % 2 == 0                     ? "at the left (seen from the rear), "
                                                                        : "at the right (seen from the rear), ",
                                load.feed < 0 ? std::string("-") : c_.feeds[at(load.feed)].name));
    }
    out_.close();
  }

  // Which side the ports of switches face follows from the way of the air through them.
  void ports_side() {
    bool front = false, rear = false, unknown = false;
    for (const RackedDevice& d : p_.racks[at(rack_)].devices) {
      if (d.kind != DeviceKind::switch_) continue;
      const Fabric& f = p_.fabrics[at(d.group)];
      const NetworkModel& n = c_.networks[at(f.network)];
      std::optional<AirPath> path;
      if (n.spec && n.spec->airflow) path = *n.spec->airflow;
      for (const FabricTier& t : f.tiers)
        if (!path && t.part && t.part->airflow) path = *t.part->airflow;
      front |= path == AirPath::ports_to_power;
      rear |= path == AirPath::power_to_ports;
      unknown |= !path;
    }
    if (!front && !rear && !unknown) return;
    out_.element(
        "li", front && !rear && !unknown ? "The ports of switches face the front: their air goes from ports to power."
              : rear && !front && !unknown
                  ? "The ports of switches face the rear: their air goes from power to ports, from the cold aisle."
                  : "The air of a switch goes from the cold aisle to the hot one: ports to the front if its "
                    "model blows from ports to power, to the rear if it blows from power to ports. Ask before "
                    "you mount one whose order does not say which.");
  }

  void devices() {
    out_.element("h2", "class", "clear", format("{}. Devices, from the bottom up", ++section_));
    out_.element(
        "p",
        format("{} Write down what the labels of the device say: the inventory (columns name, port, mac, guid, serial) "
               "needs it, and it is hard to read later. Other ports are those that the inventory names: the ports that "
               "nodes boot from and the GUIDs of InfiniBand.",
               frame_ ? "The trays are in the frame; the first row is the lowest tray of its model."
                      : "Mount the rails of a device first."));
    out_.open("table");
    heads({frame_ ? "" : "rails", "in", "units", "device", "model", "weight", "lifted by", "serial number",
           "MAC address of management", "MAC addresses, GUIDs of other ports"});
    out_.open("tbody");
    for (const RackedDevice& d : p_.racks[at(rack_)].devices) {
      out_.open("tr");
      if (d.kind == DeviceKind::occupied) {
        cell(""), cell(""), number(units_of(d)), cell("stands here already"), cell(""), cell(""), cell("");
        cell(""), cell(""), cell("");
      } else {
        ++count_;
        if (d.kind == DeviceKind::tray)
          cell("");
        else
          tick();
        tick();
        number(units_of(d));
        cell(device_host(c_, p_, d));
        cell(device_model(c_, p_, d));
        const auto weight = device_weight(c_, p_, d);
        number(d.kind == DeviceKind::tray ? "with the rack" : !weight ? "not stated" : to_text(*weight));
        const auto lifted = lifting_of(c_, p_, d);
        cell(d.kind == DeviceKind::tray ? std::string_view()
             : lifted                   ? lifting_text(*lifted)
                                        : std::string_view("maker's documents"));
        fill(), fill(), fill();
      }
      out_.close();
    }
    out_.close().close();
  }

  // Two for each, as supply and return need; what only the makers state is a field.
  void hoses() {
    const std::vector<Hose> all = hoses_of(c_, p_, rack_);
    if (all.empty()) return;
    hoses_ = static_cast<std::int64_t>(all.size());
    section("Coolant hoses");
    out_.element(
        "p",
        "In the order of work. Hang a hose without tension and above its smallest bend radius; caps stay on until "
        "the coupling closes. Type, torque or lock of the coupling: maker's documents.");
    out_.open("table");
    heads({"", "hose, label at both ends", "from", "to", "length", "coupling here", "coupling there",
           "torque, or lock seen", "dry at test pressure"});
    out_.open("tbody");
    for (const Hose& h : all) {
      out_.open("tr");
      tick();
      label(h.label), cell(h.from), cell(h.to), fill(), fill(), fill(), fill(), tick();
      out_.close();
    }
    out_.close().close();
  }

  void cords() {
    section("Power cords");
    if (!bare_.empty())
      out_.element("p",
                   format("No cord and no outlet is planned for {}: the catalogue does not state the supplies. Use "
                          "the cords of the maker, the supplies on different PDUs, and write the outlets down.",
                          join(bare_, ", ")));
    if (frame_) {
      std::string from;
      std::int64_t all = 0;
      for (const auto& [feed, shelves] : frame_->shelves) {
        all += shelves;
        from += format("{}{} to feed {}", from.empty() ? "" : ", ", shelves,
                       feed < 0 ? std::string("-") : c_.feeds[at(feed)].name);
      }
      out_.element("p", all > 0
                            ? format("{} from power shelf to feed, connected by an electrician: {} (power-whip in the "
                                     "bill; plug and rating: the maker of the frame; panel and breaker of each: ……).",
                                     all == 1 ? "1 whip" : format("{} whips", all), from)
                            : std::string("The spec connects the power shelves of this frame to no feed."));
      return;
    }
    if (in_.cords.empty()) {
      if (bare_.empty()) out_.element("p", "The plan has no cords in this rack: busbar, or no PDUs in the spec.");
      return;
    }
    if (hard_wired_ > 0)
      out_.element("p", format("{} no plug: an electrician connects {} to the PDU.",
                               hard_wired_ == 1 ? "1 supply has" : format("{} supplies have", hard_wired_),
                               hard_wired_ == 1 ? "it" : "them"));
    out_.open("table");
    heads({"", "unit", "device", "supply", "PDU", "outlet", "phase", "cord", "m", "label at the supply",
           "label at the PDU"});
    out_.open("tbody");
    for (const CordLine& l : in_.cords) {
      out_.open("tr");
      tick();
      number(unit(l.unit));
      cell(l.device), number(std::to_string(l.supply)), cell(l.pdu), cell(l.outlet), cell(l.lines);
      cell(l.part.empty() ? "hard-wired" : l.part), number(l.length), label(l.supply_label), label(l.pdu_label);
      out_.close();
    }
    out_.close().close();
  }

  void modules() {
    section("Modules");
    if (in_.modules.empty()) {
      out_.element("p", "None.");
      return;
    }
    std::string all;
    std::int64_t count = 0;
    for (const auto& [id, n] : in_.modules) all += format("{}{} x {}", all.empty() ? "" : ", ", n, id), count += n;
    out_.element("p", format("{} to plug in this rack: {}. The tables of cables say which module a port takes "
                             "(\"module here\").{}",
                             count == 1 ? "1 module" : format("{} modules", count), all,
                             in_.shares_modules ? " A cage takes one module: a module with two ports serves the two "
                                                  "lines whose ports differ only in their last number (17/1 and 17/2)."
                                                : ""));
    modules_ = count;
  }

  // Each kind of node once.
  void sockets() {
    section("Network ports of the nodes");
    std::vector<int> groups;
    for (const RackedDevice& d : p_.racks[at(rack_)].devices)
      if ((d.kind == DeviceKind::node || d.kind == DeviceKind::tray) &&
          std::find(groups.begin(), groups.end(), d.group) == groups.end() &&
          !c_.nodes[at(d.group)].server.ports.empty())
        groups.push_back(d.group);
    if (groups.empty()) {
      out_.element("p", "None.");
      return;
    }
    out_.element("p",
                 "Labels call a port as the first column does. Slots are those of the catalogue, else the adapter in "
                 "the order of the spec: the manual of the server shows where it is.");
    out_.open("table");
    heads({"on labels", "nodes of", "in cables.csv", "adapter", "socket", "side"});
    out_.open("tbody");
    for (const int group : groups) {
      const NodeGroupModel& g = c_.nodes[at(group)];
      for (const NodeSocket& socket : sockets_of(g)) {
        out_.open("tr");
        label(socket.label), cell(g.name), label(socket.port), cell(socket.adapter), cell(socket.where);
        cell(g.server.part.nic_side ? *g.server.part.nic_side : std::string("not stated"));
        out_.close();
      }
    }
    out_.close().close();
  }

  void inside() {
    section("Cables that stay in this rack");
    if (in_.inside.empty()) {
      out_.element("p", "None.");
      return;
    }
    out_.open("table");
    heads({"", "network", "from unit", "label", "module", "to unit", "label", "module", "part", "m"});
    out_.open("tbody");
    for (const CableLine& l : in_.inside) {
      out_.open("tr");
      tick();
      const Texts t = texts(l);
      cell(t.network), number(unit(l.unit)), label(t.label), cell(t.module);
      number(unit(l.far_unit)), label(t.far_label), cell(t.far_module);
      cell(t.part), number(t.length);
      out_.close();
    }
    out_.close().close();
  }

  void leaving() {
    section("Cables to other racks");
    if (in_.leaving.empty()) {
      out_.element("p", "None.");
      return;
    }
    out_.element("p",
                 "Rack by rack, as bundles are laid. The other end is on the sheet of the other rack, too: tick it "
                 "where you plug it.");
    out_.open("table");
    heads({"", "to rack", "network", "unit here", "label here", "module here", "part", "m", "label there", "unit there",
           "module there"});
    out_.open("tbody");
    for (const CableLine& l : in_.leaving) {
      out_.open("tr");
      tick();
      const Texts t = texts(l);
      cell(l.far_rack < 0 ? std::string("not planned") : c_.rack_name(l.far_rack)), cell(t.network);
      number(unit(l.unit)), label(t.label), cell(t.module), cell(t.part), number(t.length);
      label(t.far_label), number(unit(l.far_unit)), cell(t.far_module);
      out_.close();
    }
    out_.close().close();
  }

  void check() {
    section("Check at the end");
    out_.open("ul");
    const auto item = [&](std::string_view text) { out_.element("li", format("{} {}", kTick, text)); };
    item(format("{} {} in place, each at its units, with serial number and MAC address written down", count_,
                count_ == 1 ? "device is" : "devices are"));
    item(
        "bolts, earthing and rails are tightened to the torques of \"Maker's documents\" with a tool that is "
        "calibrated; the earth bond is measured");
    if (hoses_ > 0) item(format("{} hoses hung, labelled, locked, and dry at test pressure", hoses_));
    if (const std::int64_t cords = static_cast<std::int64_t>(in_.cords.size()) - hard_wired_; cords > 0)
      item(format("{} plugged and locked; the supplies of a device are on different PDUs, as listed",
                  cords == 1 ? "1 cord is" : format("{} cords are", cords)));
    if (hard_wired_ > 0)
      item(format("{} hard-wired by an electrician, and measured",
                  hard_wired_ == 1 ? "1 supply is" : format("{} supplies are", hard_wired_)));
    if (!bare_.empty()) item(format("{} connected, outlets written down", join(bare_, ", ")));
    if (modules_ > 0) item(modules_ == 1 ? "1 module is plugged" : format("{} modules are plugged", modules_));
    item(format("{} within the rack and {} to other racks, each label read at both ends",
                in_.cables_inside == 1 ? "1 cable" : format("{} cables", in_.cables_inside), in_.cables_leaving));
    item("no cable is bent below its smallest radius, blocks an exhaust, or crosses a device that must slide out");
    item("free units have blanking panels");
    out_.close();
    out_.open("table", "class", "sign").open("tbody").open("tr");
    cell("Assembled by, date"), cell("Checked by, date"), cell("Differences from this sheet");
    out_.close().close().close();
  }

  const Cluster& c_;
  const Plan& p_;
  const bool buildable_;
  const std::int64_t rack_;
  Contents& in_;
  const std::string name_;
  HtmlWriter out_;
  int section_ = 0;
  std::int64_t count_ = 0, modules_ = 0, hard_wired_ = 0, hoses_ = 0;
  std::vector<std::string> bare_;              // devices for which no cord is planned
  const AssemblyGroupModel* frame_ = nullptr;  // the rack is one of its frames
};

}  // namespace

void render_rack_sheets(const Cluster& c, const Plan& p, bool buildable,
                        const std::function<void(std::string_view, std::string_view)>& take) {
  std::vector<Contents> contents = contents_of(c, p);
  for (std::size_t r = 0; r < p.racks.size(); ++r) {
    const auto rack = static_cast<std::int64_t>(r);
    const std::string name = c.rack_name(rack);
    if (p.racks[r].devices.empty() || !is_group_name(name)) continue;
    take(name + ".html", Sheet(c, p, buildable, rack, contents[r]).text());
    contents[r] = {};
  }
}

}  // namespace clusterc
