// What the rules of the power family share when they speak.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "model/power_cap.h"
#include "plan/plan.h"
#include "plan/power/cords.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {

// What of a feed's load at its breaker is lost in its UPS.
inline void note_ups_loss(Finding& f, const FeedModel& feed, VoltAmperes load) {
  const VoltAmperes drawn = at_breaker(feed, load);
  if (drawn > load)
    f.note(feed.spec->ups->model.span,
           format("{} behind the UPS / {:.4g} efficiency = {}", to_text(load), *feed.ups->efficiency, to_text(drawn)));
}

// What found no place in a rack is on no feed: the figure that a finding asks for grows with it.
inline void note_unplaced(Finding& f, const RuleInput& in) {
  std::string names;
  for (const Unplaced& u : in.plan.unplaced)
    if (u.count > 0) names += (names.empty() ? "" : ", ") + unplaced_name(in, u);
  if (!names.empty()) f.note({}, names + " without a place in a rack: with them the load is larger");
}

// The classes of racks of a plan.
class Classes {
 public:
  explicit Classes(const Plan& plan) : plan_(plan) {}
  // Those of one rack group.
  std::vector<const PowerClass*> of(std::int64_t group) {
    std::vector<const PowerClass*> out;
    for (const PowerClass& k : plan_.power_classes())
      if (!k.assembly && k.group == group) out.push_back(&k);
    return out;
  }

 private:
  const Plan& plan_;
};

// The one of a rack.
inline const PowerClass& class_of_rack(const std::vector<const PowerClass*>& classes, std::int64_t rack) {
  return **std::ranges::find_if(classes,
                                [&](const PowerClass* k) { return std::ranges::binary_search(k->racks, rack); });
}

// Whether PDUs and lines hold (plan/power/cords.h) in all racks of a group in which such nodes stand, with such a cap
// on each of them; with all feeds, and after the loss of any one where that is asked.
inline bool pdus_hold_capped(const Plan& plan, const std::vector<const PowerClass*>& classes, const RackGroupModel& g,
                             bool losses, int group, Watts cap) {
  return std::ranges::all_of(classes, [&](const PowerClass* k) {
    if (std::ranges::none_of(plan.racks[static_cast<std::size_t>(k->racks.front())].devices,
                             [&](const RackedDevice& d) { return d.kind == DeviceKind::node && d.group == group; }))
      return true;
    const PowerRack then = capped_rack(plan, *k, group, cap);
    const RackWiring wiring = wire_rack(&g, then);
    bool holds = pdus_hold(plan, then, g, -1, wiring);
    for (std::size_t feed = 0; losses && holds && feed < plan.cluster->feeds.size(); ++feed)
      holds = pdus_hold(plan, then, g, static_cast<int>(feed), wiring);
    return holds;
  });
}

// What draws from a PDU, by device, with all feeds (-1) or after the loss of one; and whether the PDUs that live all
// carry as much, to half a watt.
struct OnPdu {
  bool alike = true;
  std::vector<Term> terms;
};
inline OnPdu on_pdu(const Plan& plan, const PowerClass& k, std::size_t position, int lost) {
  PowerFailure failure;
  if (lost >= 0) lose_feed(k.rack, lost, failure);
  PowerState state;
  evaluate(k.rack, failure, state);
  CordWatts watts;
  cord_watts(k.rack, failure, state, watts);
  OnPdu on;
  for (std::size_t p = 0; p < state.position_watts.size(); ++p)
    on.alike = on.alike && ((failure.positions >> p & 1) != 0 ||
                            std::abs(state.position_watts[p] - state.position_watts[position]) < 0.5);
  const auto add = [&](std::string what, double each) {
    if (each <= kRounding) return;
    for (Term& t : on.terms)
      if (t.what == what && std::abs(t.each - each) < 0.5) {
        ++t.count;
        return;
      }
    on.terms.push_back({std::move(what), 1, each});
  };
  for (std::size_t d = 0, cord = 0; d < k.rack.devices.size(); ++d) {
    double here = 0;
    for (; cord < k.rack.cords.size() && static_cast<std::size_t>(k.rack.cords[cord].device) == d; ++cord)
      if (static_cast<std::size_t>(k.rack.cords[cord].position) == position) here += watts.cord[cord];
    if (const RackedDevice* device = device_of(plan, k, d)) add(device_model(plan, *device), here);
  }
  add("spread evenly", watts.spread[position]);
  return on;
}

// Racks that differ, by what their PDUs carry, the most first: "9.01 kVA in racks 'r1' and 'r2', 8.56 kVA in rack
// 'r3'". Empty where all carry the same.
template <class Get>
std::string loads_by_rack(const Cluster& c, const FailingPdus& failing, Get get) {
  struct Same {
    std::string load;
    std::vector<std::string> names;
  };
  std::vector<const PduLoad*> order = failing.by_rack;
  std::ranges::stable_sort(order, std::greater<>(), [&](const PduLoad* load) { return get(*load).value; });
  std::vector<Same> all;
  for (const PduLoad* load : order) {
    const std::string text = to_text(get(*load));
    if (all.empty() || all.back().load != text) all.push_back({text, {}});
    all.back().names.push_back(c.rack_name(load->rack));
  }
  if (all.size() < 2) return "";
  constexpr std::size_t kShown = 6;
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i)
    out += format("{}{} in {}", i > 0 ? ", " : "", all[i].load,
                  rack_list(all[i].names, static_cast<std::int64_t>(all[i].names.size())));
  if (all.size() > kShown) out += ", less in the others";
  return out;
}

// The PDU of a rack group that needs the most: "each PDU of racks 'r1' and 'r2'"; "PDU 'r1/a'"; "PDU 'r1/a', the most
// loaded of racks 'r1', 'r2' and 5 more,".
inline std::string which_pdu(const Cluster& c, const FailingPdus& failing, bool alike, std::string_view each) {
  const std::string racks = rack_list(failing.names, failing.racks);
  if (alike) return format("{} {}", each, racks);
  const std::string one =
      format("PDU '{}/{}'", c.rack_name(failing.worst->rack), static_cast<char>('a' + failing.worst->pdu));
  return failing.racks == 1 ? one : format("{}, the most loaded of {},", one, racks);
}

// "`power_cap: 9.8 kW` on each node of 'gpu'": the highest power of each node that `holds`, no more than `most`, in
// tenths of a kilowatt (below 1 kW in tens of watts). Empty where no such cap helps: the node draws no more as it is,
// or does not run on it, or nobody knows whether it does and it is less than half. What supplies lose is no straight
// line, so that a share of the power is a place to begin, and each cap is tried by the formula that failed.
template <class Holds>
std::string cap_help(const NodeGroupModel& g, Watts most, Holds&& holds) {
  constexpr int kTries =
      50;  // each at least a thousandth below the one before: supplies lose some hundredths more or less
  Watts cap{0};
  bool found = false;
  for (int i = 0; i < kTries && !found; ++i) {
    const double next = i == 0 ? most.value : std::min(cap.value - 1, cap.value * 0.999), step = next < 1000 ? 10 : 100;
    cap = Watts(std::floor(next / step * (1 + kRounding)) * step);
    if (cap.value <= 0) return "";
    found = holds(cap);
  }
  if (!found) return "";
  const Value<Watts> now = g.server.power;
  if (!now || cap.value <= 0 || cap >= *now || g.server.virtual_machine || g.server.instance) return "";
  const std::optional<LeastPower> least = least_power(g.server);
  if (least ? cap < least->watts : cap.value < now->value / 2) return "";
  const Value<Watts> need = working_power(g.server);
  return format(
      "set `power_cap: {}` on each node of '{}'{}", to_text(cap), g.name,
      need && cap < *need ? format(", which slows it down: its parts draw {}", to_text(*need)) : std::string());
}

}  // namespace clusterc
