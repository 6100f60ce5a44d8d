#include "report/maker_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "plan/power/cords.h"
#include "report/device_names.h"
#include "report/lifting.h"
#include "report/markdown.h"
#include "report/site_steps.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {
namespace {

class Facts {
 public:
  Facts(const Cluster& c, const Plan& p) : c_(c), p_(p) {}

  std::vector<MakerFact> all() {
    look();
    racks();
    frames();
    devices();
    cooling();
    cables();
    return std::move(out_);
  }

 private:
  void add(std::string_view of, std::string_view fact, std::string_view document) {
    out_.push_back({std::string(of), std::string(fact), std::string(document)});
  }

  struct Model {
    DeviceKind kind = DeviceKind::node;
    bool weighed = true, heavy = false, wired = false, unstated = false, liquid = false, airflow = true;
  };

  void look() {
    const std::vector<std::int64_t> wired = hard_wired_supplies(p_);
    for (std::size_t r = 0; r < p_.racks.size(); ++r) {
      const int group = c_.rack_group_of(static_cast<std::int64_t>(r));
      const RackGroupModel* g = group < 0 ? nullptr : &c_.racks[at(group)];
      const bool pdus = g && !g->pdus.empty() && !(g->spec && g->spec->busbar);
      if (g && !p_.racks[r].devices.empty()) used_.insert(group);
      if (g && wired[r] > 0) wired_.insert(group);
      for (const RackedDevice& d : p_.racks[r].devices) {
        if (d.kind == DeviceKind::occupied || d.kind == DeviceKind::tray) continue;
        Model& m = models_[device_model(c_, p_, d)];
        m.kind = d.kind;
        const auto lifted = lifting_of(c_, p_, d);
        m.weighed &= lifted.has_value();
        m.heavy |= !lifted || *lifted != Lifting::one_person;
        m.wired |= wired[r] > 0 && d.kind == DeviceKind::node;
        m.unstated |= pdus && !supplies_of(p_, d);
        m.liquid |= d.kind == DeviceKind::node && c_.nodes[at(d.group)].server.part.liquid_cooled.value_or(false);
        if (d.kind == DeviceKind::switch_) m.airflow &= blows(d);
      }
    }
  }
  bool blows(const RackedDevice& d) const {
    const Fabric& f = p_.fabrics[at(d.group)];
    const NetworkModel& n = c_.networks[at(f.network)];
    if (n.spec && n.spec->airflow) return true;
    const std::string model = device_model(c_, p_, d);
    return std::ranges::any_of(f.tiers,
                               [&](const FabricTier& t) { return t.model == model && t.part && t.part->airflow; });
  }

  void racks() {
    std::set<std::string, std::less<>> racks;
    std::map<std::string, std::pair<const PduModel*, bool>, std::less<>> pdus;
    for (const int group : used_) {
      const RackGroupModel& g = c_.racks[at(group)];
      const std::string model = g.model.empty() ? "rack of group " + g.name : g.model;
      if (racks.insert(model).second) {
        add(model, "feet, bolts to the floor and to the next rack: size, torque", "installation manual of the rack");
        add(model, "earthing: stud, lug, torque; cross-section of the conductor",
            "installation manual of the rack; cross-section: the electrician, by the local code");
        if (g.spec && g.spec->busbar)
          add(model, "joints of the busbar, power shelves: torque, inspection; plug or terminals of whips",
              "manuals of the rack and of the power shelf");
      }
      for (const PduModel& m : g.pdus) {
        auto& [pdu, wired] = pdus[m.model];
        pdu = &m;
        wired |= wired_.contains(group);
      }
    }
    for (const auto& [model, pdu] : pdus) {
      add(model, "buttons or brackets: places in the rack, screws, torque", "installation manual of the PDU");
      const PduPart* part = pdu.first->part;
      if (!part || !part->inlet || part->inlet->find("hard-wired") != std::string::npos)
        add(model, "input: plug, or terminals with torque", "data sheet of the PDU");
      if (pdu.second) add(model, "output terminals: conductor, torque", "installation manual of the PDU");
      add(model, "first login of its network port: where it stands (no password here)",
          "label, quick-start guide of the PDU");
    }
  }

  void frames() {
    std::set<std::string, std::less<>> seen;
    for (const AssemblyGroupModel& a : c_.assemblies) {
      if (a.count == 0 || !seen.insert(a.model).second) continue;
      constexpr std::string_view kGuide = "site preparation and installation guide of the frame";
      add(a.model, "moving: people, tools, ramps; what castors and feet load the floor with", kGuide);
      add(a.model, "feet, bolts to the floor and to the next frame: size, torque", kGuide);
      add(a.model, "earthing: stud, lug, torque; cross-section of the conductor",
          "installation guide of the frame; cross-section: the electrician, by the local code");
      if (!a.shelves.empty())
        add(a.model,
            "whips of the power shelves: plug or terminals, rating of the breaker, torque; joints of the busbar",
            kGuide);
      if (a.liquid >= 0)
        add(a.model, "couplings of supply and return: type, size, torque or lock; hose: bore, smallest bend radius",
            kGuide);
      add(a.model,
          "first login of BMCs and switches of the trays: where it stands (no password here); console: speed, cable",
          "user manual of the frame");
      add(a.model, "firmware of trays, switches and adapters that goes together", "release notes of the frame");
    }
  }

  void devices() {
    for (const auto& [model, m] : models_) {
      if (!m.weighed) add(model, "weight of one, in its box and without", "data sheet of the device");
      if (m.heavy)
        add(model, "lifting: people, lift, where to hold it, what to take out before",
            "installation chapter of its hardware manual");
      add(model, "rail kit: part number, depths that it fits, screws, torque", "installation guide of the rail kit");
      if (m.wired) add(model, "terminals of the supplies: conductor, torque", "installation chapter of its manual");
      if (m.unstated) add(model, "supplies: number, connector, how many may fail", "data sheet of the device");
      if (m.liquid)
        add(model, "hoses to the manifold: number, length, couplings, torque or lock; manifold that fits",
            "installation chapter of its manual; manual of the manifold");
      if (!m.airflow)
        add(model, "way of the air: from ports to power, or from power to ports",
            "order code on its label, data sheet of the switch");
      add(model,
          m.kind == DeviceKind::switch_ ? "first login: where it stands (no password here); console: speed, cable"
                                        : "first login of its BMC: where it stands (no password here)",
          "label, quick-start guide of the device");
      add(model,
          m.kind == DeviceKind::switch_ ? "firmware and system image, with modules that they support"
                                        : "firmware of BMC, BIOS and adapters that goes together",
          "release notes of the device");
    }
  }

  void cooling() {
    std::set<std::string, std::less<>> seen;
    for (std::size_t i = 0; i < c_.zones.size(); ++i) {
      const ZoneModel& z = c_.zones[i];
      if (!z.spec || !z.spec->method) continue;
      const CoolingMethod method = *z.spec->method;
      if (const std::string model = z.spec->model.value_or(""); !model.empty() && seen.insert(model).second) {
        if (method == CoolingMethod::rear_door)
          add(model, "hinges, weight, hoses and their couplings, torque; drain", "installation manual of the door");
        if (method == CoolingMethod::in_row)
          add(model, "place, power cord, hoses and their couplings, torque; drain", "installation manual of the unit");
      }
      if (method != CoolingMethod::liquid) continue;
      if (z.spec->cdus)
        if (const std::string model = z.spec->cdus->model.value_or("CDU"); seen.insert(model).second) {
          add(model, "weight, lifting, clearances for service", "installation manual of the CDU");
          add(model, "power: number of cords, plug or terminals with torque, rating of the breaker",
              "installation manual of the CDU");
          add(model, "couplings of both loops: type, size, torque; hose: bore, smallest bend radius",
              "installation manual of the CDU");
          add(model, "network port: connector; first login: where it stands (no password here)",
              "user manual of the CDU");
        }
      add("loop " + z.name, "coolant: product, additives, filter; volume to fill",
          "manual of the CDU, coolant specification of the servers' maker");
      add("loop " + z.name, "pressure and time of the leak test, drop that is allowed",
          "manuals of CDU, hoses and servers: the lowest of their pressures");
    }
  }

  // What joins switches and members, by kind.
  void cables() {
    std::map<std::string, std::set<std::string>, std::less<>> of;
    for (const BillLine& line : p_.bill())
      for (const CableModel& m : c_.cables)
        if (m.id == line.part && m.part && !m.part->module.value_or(false) && m.part->medium)
          of[std::string(enum_text(*m.part->medium))].insert(m.id);
    for (const auto& [medium, parts] : of)
      add(join(std::vector<std::string>(parts.begin(), parts.end()), ", "),
          medium + ": smallest bend radius, most pull", "data sheet of the cable");
  }

  const Cluster& c_;
  const Plan& p_;
  std::map<std::string, Model, std::less<>> models_;
  std::set<int> used_, wired_;  // groups of racks: in which something stands; with hard-wired supplies
  std::vector<MakerFact> out_;
};

}  // namespace

std::vector<MakerFact> maker_facts(const Cluster& c, const Plan& p) { return Facts(c, p).all(); }

std::string maker_steps(const Cluster& c, const Plan& p) {
  if (!c.own_site) return {};
  const std::vector<MakerFact> facts = maker_facts(c, p);
  if (facts.empty()) return {};
  std::string out =
      "Only documents of the makers state these facts: the catalogue has none of them, and this book guesses none. "
      "Fetch "
      "each document for the order code that was delivered, write the figure with its unit into the table, and sign. "
      "Take a copy to the racks. Steps that say \"maker's documents\" mean this table; no step on a model begins while "
      "a "
      "field that it needs is empty.\n\n| of | fact | document of the maker | figure | page, read by, date |\n| --- | "
      "--- "
      "| --- | --- | --- |\n";
  for (const MakerFact& f : facts) out += markdown_row({f.of, f.fact, f.document, "", ""});
  out += "\n- [ ] each field of the table is filled in and signed\n";
  return out;
}

}  // namespace clusterc
