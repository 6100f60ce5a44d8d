#include "plan/what_if.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "plan/placement.h"
#include "plan/power.h"
#include "plan/power_chain.h"
#include "plan/what_if_network.h"

namespace clusterc {

std::string_view component_word(ComponentKind k) {
  switch (k) {
    case ComponentKind::feed: return "feed";
    case ComponentKind::ups: return "ups";
    case ComponentKind::panel: return "panel";
    case ComponentKind::pdu: return "pdu";
    case ComponentKind::shelf: return "shelf";
    case ComponentKind::supply: return "psu";
    case ComponentKind::cooling: return "cooling";
    case ComponentKind::loop: return "loop";
    case ComponentKind::cdu: return "cdu";
    case ComponentKind::leaf: return "leaf";
    case ComponentKind::spine: return "spine";
    case ComponentKind::core: return "core";
    case ComponentKind::switch_: return "switch";
    case ComponentKind::link: return "link";
    case ComponentKind::node: return "node";
    case ComponentKind::storage: return "storage";
  }
  return "?";
}

namespace {

constexpr double kRounding = 1e-9;      // sums of rounded figures
bool above(double value, double limit) { return value > limit * (1 + kRounding) + kRounding; }
// One rack with failures of its own, or all racks of a class that have none.
struct Instance {
  std::size_t of = 0;                   // class
  std::int32_t rack = -1;               // -1: all others of the class
  double count = 1;
  PowerFailure failure;
  PowerState state;
};

struct Electric {                       // state of the chain
  std::vector<char> feed_dead, panel_dead;
  std::vector<std::int64_t> ups_out;    // modules, by feed
  std::vector<double> feed_va, panel_va;
  std::vector<Instance> all;            // one a class, in order
  std::vector<Instance> own;            // racks apart
  bool all_changed = false;             // against the state that this one began with
  std::vector<TripEvent> trips;
};

}  // namespace

struct WhatIfEngine::Impl {
  explicit Impl(const Plan& plan);

  const Plan& plan;
  const Cluster& c;
  double pf;
  std::vector<PowerClass> classes;
  std::vector<std::int32_t> class_of;              // by rack
  std::vector<std::vector<Breaker>> pdu_breakers;  // by class, position
  std::vector<Breaker> feed_breakers, panel_breakers;
  std::vector<UpsModules> ups;
  std::vector<FabricLoss> fabrics;
  std::vector<std::vector<std::pair<std::int32_t, std::int16_t>>> storage_place;   // system, number -> rack, device
  int compute_network = -1;
  Electric base;
  WhatIf normal;

  // ---- electricity
  void settle(Electric& e, int first_round) const;
  void sum_all(Electric& e) const;
  void add(const Instance& i, double sign, Electric& e) const;
  void upstream(Instance& i, const Electric& e) const;
  double cdu_load(const Electric& e, std::size_t feed) const;
  Instance& apart(Electric& e, std::int32_t rack) const;
  bool trip_pdus(Electric& e, int round) const;
  bool trip_panels(Electric& e, int round) const;
  bool trip_feeds(Electric& e, int round) const;
  void power_limits(const Electric& e, bool feed_failed, WhatIf& out) const;

  // ---- what follows
  void collect(const Instance& i, const PowerState* before, const std::set<std::int32_t>& skip, WhatIf& out) const;
  void cooling(const Electric& e, const std::map<std::pair<int, int>, std::int64_t>& units_out, const std::set<int>& loops_out, WhatIf& out) const;
  void network(const std::map<int, std::vector<std::int64_t>>& ends, const std::map<int, std::vector<FabricLoss::Cut>>& cuts, WhatIf& out) const;
  void services(WhatIf& out) const;
  double rack_watts(const Instance& i) const;
  WhatIf outcome(Electric e, std::span<const Component> failed) const;
  std::int16_t device_in(std::int32_t rack, DeviceKind kind, std::int32_t group, std::int64_t index) const;
  const std::string& who(const FabricBlock& b) const {
    const EndPoints& p = c.networks[b.network].ends[b.end];
    return p.group >= 0 ? c.nodes[p.group].name : c.storage[p.storage].name;
  }
  std::int64_t gpus_of(std::int64_t node) const { return c.nodes[c.node_group_of(node)].server.gpu_count; }
};

WhatIfEngine::Impl::Impl(const Plan& p) : plan(p), c(*p.cluster), pf(power_factor(*p.cluster)), classes(power_classes(p)) {
  class_of.assign(plan.racks.size(), -1);
  for (std::size_t k = 0; k < classes.size(); ++k)
    for (const std::int32_t r : classes[k].racks) class_of[r] = static_cast<std::int32_t>(k);
  for (const PowerClass& k : classes) {
    std::vector<Breaker> breakers(k.rack.positions.size());
    if (!k.assembly)
      for (std::size_t i = 0; i < breakers.size(); ++i)
        if (const PduPart* part = c.racks[k.group].pdus[i].part) breakers[i] = pdu_breaker(c, *part);
    pdu_breakers.push_back(std::move(breakers));
  }
  for (const FeedModel& f : c.feeds) {
    feed_breakers.push_back(feed_breaker(c, f));
    ups.push_back(ups_modules(f));
  }
  for (const PanelModel& m : c.panels) panel_breakers.push_back(panel_breaker(c, m));
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) fabrics.emplace_back(plan, static_cast<int>(f));
  compute_network = c.first_network_carrying(Traffic::compute);
  for (const StorageModel& s : c.storage) storage_place.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(0, s.part ? s.count : 0)), std::pair<std::int32_t, std::int16_t>{-1, 0});
  for (std::size_t r = 0; r < plan.racks.size(); ++r)
    for (std::size_t d = 0; d < plan.racks[r].devices.size(); ++d)
      if (const RackedDevice& one = plan.racks[r].devices[d]; one.kind == DeviceKind::storage)
        storage_place[one.group][one.index] = {static_cast<std::int32_t>(r), static_cast<std::int16_t>(d)};

  base.feed_dead.assign(c.feeds.size(), 0);
  base.panel_dead.assign(c.panels.size(), 0);
  base.ups_out.assign(c.feeds.size(), 0);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Instance i{.of = k, .count = static_cast<double>(classes[k].racks.size())};
    evaluate(classes[k].rack, i.failure, i.state);
    base.all.push_back(std::move(i));
  }
  sum_all(base);
  settle(base, 1);
  Electric now = base;
  base.trips.clear();
  base.all_changed = false;
  normal = outcome(std::move(now), {});
}

// ---- electricity -----------------------------------------------------------------------------------------------------------

void WhatIfEngine::Impl::add(const Instance& i, double sign, Electric& e) const {
  const PowerRack& rack = classes[i.of].rack;
  for (std::size_t p = 0; p < rack.positions.size(); ++p) {
    const double va = sign * i.count * i.state.position_watts[p] / pf;
    if (rack.positions[p].feed >= 0) e.feed_va[rack.positions[p].feed] += va;
    if (rack.positions[p].panel >= 0) e.panel_va[rack.positions[p].panel] += va;
  }
}

// What coolant distribution units draw from a feed: evenly from those of their feeds that live.
double WhatIfEngine::Impl::cdu_load(const Electric& e, std::size_t feed) const {
  double va = 0;
  for (const ZoneModel& z : c.zones) {
    if (!z.spec || !z.spec->cdus || !z.cdu || !z.cdu->power) continue;
    std::int64_t here = 0, living = 0;
    for (const Value<std::string>& name : z.spec->cdus->feeds)
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name && !e.feed_dead[f]) {
          ++living;
          here += f == feed;
        }
    if (living > 0) va += z.cdu->power->value * static_cast<double>(z.spec->cdus->count.value_or(1)) / pf * static_cast<double>(here) / static_cast<double>(living);
  }
  return va;
}

void WhatIfEngine::Impl::sum_all(Electric& e) const {
  e.feed_va.assign(c.feeds.size(), 0);
  e.panel_va.assign(c.panels.size(), 0);
  for (const Instance& i : e.all) add(i, 1, e);
  for (const Instance& i : e.own) add(i, 1, e);
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    e.feed_va[f] += cdu_load(e, f);
    if (c.feeds[f].spec) e.feed_va[f] += c.feeds[f].spec->in_use.value_or(Watts(0)).value / pf;
  }
}

// Positions whose feed or panel is dead.
void WhatIfEngine::Impl::upstream(Instance& i, const Electric& e) const {
  const PowerRack& rack = classes[i.of].rack;
  for (std::size_t p = 0; p < rack.positions.size(); ++p) {
    const PowerPosition& at = rack.positions[p];
    if ((at.feed >= 0 && e.feed_dead[at.feed]) || (at.panel >= 0 && e.panel_dead[at.panel])) i.failure.positions |= std::uint64_t{1} << p;
  }
}

// The rack as an instance of its own, taken out of its class.
Instance& WhatIfEngine::Impl::apart(Electric& e, std::int32_t rack) const {
  for (Instance& i : e.own)
    if (i.rack == rack) return i;
  Instance& all = e.all[class_of[rack]];
  Instance one = all;
  one.rack = rack;
  one.count = 1;
  all.count -= 1;
  e.own.push_back(std::move(one));
  return e.own.back();
}

bool WhatIfEngine::Impl::trip_pdus(Electric& e, int round) const {
  std::map<std::pair<std::int64_t, std::size_t>, TripEvent> events;     // by rack group and position
  const auto look = [&](Instance& i) {
    const PowerClass& k = classes[i.of];
    if (i.count <= 0) return;
    std::uint64_t tripped = 0;
    for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
      const double va = i.state.position_watts[p] / pf, limit = pdu_breakers[i.of][p].trip;
      if (limit < 0 || (i.failure.positions >> p & 1) || !above(va, limit)) continue;
      tripped |= std::uint64_t{1} << p;
      TripEvent& event = events[{k.group, p}];
      event.round = round;
      event.kind = ComponentKind::pdu;
      event.part = static_cast<std::int32_t>(p);
      event.load = std::max(event.load, va);
      event.limit = limit;
      if (i.rack >= 0) event.racks.push_back(i.rack);
      else
        for (const std::int32_t r : k.racks)
          if (std::ranges::none_of(e.own, [&](const Instance& o) { return o.rack == r; })) event.racks.push_back(r);
    }
    if (!tripped) return;
    add(i, -1, e);
    i.failure.positions |= tripped;
    evaluate(k.rack, i.failure, i.state);
    add(i, 1, e);
    if (i.rack < 0) e.all_changed = true;
  };
  if (e.all_changed)
    for (Instance& i : e.all) look(i);
  for (Instance& i : e.own) look(i);
  for (auto& [key, event] : events) {
    std::ranges::sort(event.racks);
    e.trips.push_back(std::move(event));
  }
  return !events.empty();
}

bool WhatIfEngine::Impl::trip_panels(Electric& e, int round) const {
  bool any = false;
  for (std::size_t p = 0; p < c.panels.size(); ++p) {
    if (e.panel_dead[p] || panel_breakers[p].trip < 0 || !above(e.panel_va[p], panel_breakers[p].trip)) continue;
    any = true;
    e.panel_dead[p] = 1;
    e.trips.push_back({.round = round, .kind = ComponentKind::panel, .of = static_cast<std::int32_t>(p), .load = e.panel_va[p], .limit = panel_breakers[p].trip});
  }
  return any;
}

bool WhatIfEngine::Impl::trip_feeds(Electric& e, int round) const {
  bool any = false;
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    const double va = e.feed_va[f], left = static_cast<double>(ups[f].modules - std::min(ups[f].modules, e.ups_out[f]));
    TripEvent event{.round = round, .kind = ComponentKind::feed, .of = static_cast<std::int32_t>(f)};
    if (feed_breakers[f].trip >= 0 && above(va, feed_breakers[f].trip)) {
      event.load = va;
      event.limit = feed_breakers[f].trip;
    } else if (ups[f].modules > 0 && ups[f].watts >= 0 && above(va * pf, ups[f].watts * left)) {
      event.kind = ComponentKind::ups;
      event.in_watts = true;
      event.load = va * pf;
      event.limit = ups[f].watts * left;
    } else if (ups[f].modules > 0 && ups[f].va >= 0 && above(va, ups[f].va * left)) {
      event.kind = ComponentKind::ups;
      event.load = va;
      event.limit = ups[f].va * left;
    } else if (ups[f].modules > 0 && left <= 0) {         // no module, no feed, whatever it is rated
      event.kind = ComponentKind::ups;
      event.load = va;
      event.limit = 0;
    } else {
      continue;
    }
    any = true;
    e.feed_dead[f] = 1;
    e.trips.push_back(std::move(event));
  }
  return any;
}

// To the fixed point. Dead feeds and panels only ever become more, tripped PDUs likewise: it ends.
void WhatIfEngine::Impl::settle(Electric& e, int round) const {
  const auto spread = [&] {              // to the racks, and the sums anew
    for (Instance& i : e.all) {
      const std::uint64_t before = i.failure.positions;
      upstream(i, e);
      if (i.failure.positions == before) continue;
      evaluate(classes[i.of].rack, i.failure, i.state);
      e.all_changed = true;
    }
    for (Instance& i : e.own) {
      upstream(i, e);
      evaluate(classes[i.of].rack, i.failure, i.state);
    }
    sum_all(e);
  };
  if (&e == &base) e.all_changed = true;   // the first look at anything
  while (true) {
    if (trip_pdus(e, round)) {
      ++round;
      continue;
    }
    if (trip_panels(e, round) || trip_feeds(e, round)) {
      spread();
      ++round;
      continue;
    }
    return;
  }
}

void WhatIfEngine::Impl::power_limits(const Electric& e, bool feed_failed, WhatIf& out) const {
  // The rule that holds the same figure to the same limit: after the loss of a feed, or else at any time.
  const std::string_view rule = feed_failed ? "power-feed-loss-overloads-survivor" : "power-branch-over-continuous-rating";
  std::map<std::pair<std::int64_t, std::size_t>, LimitExceeded> pdus;
  const auto look = [&](const Instance& i) {
    const PowerClass& k = classes[i.of];
    if (i.count <= 0) return;
    for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
      const double va = i.state.position_watts[p] / pf, limit = pdu_breakers[i.of][p].continuous;
      if (limit < 0 || !above(va, limit)) continue;
      LimitExceeded& one = pdus[{k.group, p}];
      one.rule = rule;
      one.kind = ComponentKind::pdu;
      one.part = static_cast<std::int32_t>(p);
      one.load = std::max(one.load, va);
      one.limit = limit;
      if (i.rack >= 0) one.racks.push_back(i.rack);
      else
        for (const std::int32_t r : k.racks)
          if (std::ranges::none_of(e.own, [&](const Instance& o) { return o.rack == r; })) one.racks.push_back(r);
    }
  };
  if (e.all_changed)
    for (const Instance& i : e.all) look(i);
  for (const Instance& i : e.own) look(i);
  for (auto& [key, one] : pdus) {
    std::ranges::sort(one.racks);
    out.limits.push_back(std::move(one));
  }
  for (std::size_t p = 0; p < c.panels.size(); ++p)
    if (!e.panel_dead[p] && panel_breakers[p].continuous >= 0 && above(e.panel_va[p], panel_breakers[p].continuous))
      out.limits.push_back({.rule = rule, .kind = ComponentKind::panel, .of = static_cast<std::int32_t>(p), .load = e.panel_va[p], .limit = panel_breakers[p].continuous});
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    const double va = e.feed_va[f];
    const auto of = static_cast<std::int32_t>(f);
    if (feed_breakers[f].continuous >= 0 && above(va, feed_breakers[f].continuous))
      out.limits.push_back({.rule = rule, .kind = ComponentKind::feed, .of = of, .load = va, .limit = feed_breakers[f].continuous});
    if (ups[f].modules == 0) continue;
    const auto left = static_cast<double>(ups[f].modules - std::max(ups[f].spare, e.ups_out[f]));
    if (ups[f].watts >= 0 && above(va * pf, ups[f].watts * left))
      out.limits.push_back({.rule = "power-ups-over-kw-rating", .kind = ComponentKind::ups, .of = of, .load = va * pf, .limit = ups[f].watts * left, .dimension = Dimension::power});
    else if (ups[f].va >= 0 && above(va, ups[f].va * left))
      out.limits.push_back({.rule = "power-ups-over-kw-rating", .kind = ComponentKind::ups, .of = of, .load = va, .limit = ups[f].va * left});
  }
}

// ---- who is dead -----------------------------------------------------------------------------------------------------------

// `before`: the state that this instance had; what was so already is not told again.
void WhatIfEngine::Impl::collect(const Instance& i, const PowerState* before, const std::set<std::int32_t>& skip, WhatIf& out) const {
  const PowerClass& k = classes[i.of];
  const auto take = [&](const RackedDevice& d, SupplyState state) {
    if (d.kind == DeviceKind::node || d.kind == DeviceKind::tray) {
      (state == SupplyState::dead ? out.dead_nodes : state == SupplyState::throttled ? out.throttled_nodes : out.unjudged_nodes).push_back(d.index);
    } else if (d.kind == DeviceKind::switch_) {
      if (state == SupplyState::dead) out.dead_switches.emplace_back(d.group, d.index);
      else if (state == SupplyState::unjudged) out.unjudged_switches.emplace_back(d.group, d.index);
    } else if (d.kind == DeviceKind::storage && state == SupplyState::dead) {
      out.dead_storage.emplace_back(d.group, d.index);
    }
  };
  const auto rack = [&](std::int32_t r) {
    const std::vector<RackedDevice>& devices = plan.racks[r].devices;
    for (std::size_t d = 0; d < devices.size() && d < i.state.devices.size(); ++d) {
      const std::size_t at = k.assembly && devices[d].kind == DeviceKind::tray && i.state.devices[d].state != SupplyState::dead ? i.state.devices.size() - 1 : d;   // a tray is fed by its frame
      const SupplyState now = i.state.devices[at].state;
      if (now == SupplyState::runs || (before && before->devices[at].state == now)) continue;
      take(devices[d], now);
    }
  };
  if (i.rack >= 0) return rack(i.rack);
  for (const std::int32_t r : k.racks)
    if (!skip.contains(r)) rack(r);
}

// ---- cooling ---------------------------------------------------------------------------------------------------------------

double WhatIfEngine::Impl::rack_watts(const Instance& i) const {
  double watts = 0;
  for (const SupplyResult& d : i.state.devices) watts += d.watts;
  return watts;
}

// units_out: (zone, 0 unit or 1 CDU) -> how many failed.
void WhatIfEngine::Impl::cooling(const Electric& e, const std::map<std::pair<int, int>, std::int64_t>& units_out, const std::set<int>& loops_out, WhatIf& out) const {
  const Meters altitude = c.spec.site ? c.spec.site->altitude.value_or(Meters(0)) : Meters(0);
  const double density = air_density_ratio(altitude);
  // Shares of a rack's heat by zone: the same for all racks of a class.
  const auto shares = [&](const Instance& i, int zone) {
    const PowerClass& k = classes[i.of];
    const RackPlan& r = plan.racks[k.racks.front()];
    const double liquid = r.heat.value > 0 ? r.liquid_heat / r.heat : 0;
    const int air = k.assembly ? c.assemblies[k.group].air : c.racks[k.group].cooling, loop = k.assembly ? c.assemblies[k.group].liquid : c.racks[k.group].liquid;
    return (air == zone ? 1 - liquid : 0) + (loop == zone ? liquid : 0);
  };
  for (std::size_t z = 0; z < c.zones.size(); ++z) {
    const ZoneModel& zone = c.zones[z];
    if (!zone.spec) continue;
    const int id = static_cast<int>(z);
    const CoolingUnits u = cooling_units(zone);
    const auto failed = units_out.find({id, u.cdu ? 1 : 0});
    ZoneLeft left{.zone = id, .units = u.units, .units_left = u.units};
    if (failed != units_out.end()) left.units_left = std::max<std::int64_t>(0, left.units_left - failed->second);
    std::int64_t feeds = 0, living = 0;
    for (const Value<std::string>& name : u.feeds(zone))
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name) {
          ++feeds;
          living += !e.feed_dead[f];
        }
    if ((feeds > 0 && living == 0) || loops_out.contains(id)) left.units_left = 0;
    double heat = 0, was = plan.zones[z].heat.value, idle = 0;
    bool idle_known = true;
    const auto take = [&](const Instance& i) {
      const double share = shares(i, id);
      if (share <= 0 || i.count <= 0) return;
      heat += rack_watts(i) * share * i.count;
      const auto& devices = classes[i.of].rack.devices;
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (i.state.devices[d].state == SupplyState::dead) continue;
        if (!devices[d].throttles) idle += devices[d].watts * share * i.count;
        else if (devices[d].idle >= 0) idle += devices[d].idle * share * i.count;
        else idle_known = false;
      }
    };
    if (!e.all_changed && e.own.empty() && left.units_left == left.units) continue;   // as in the normal state
    for (const Instance& i : e.all) take(i);
    for (const Instance& i : e.own) take(i);
    left.heat = Watts(heat);
    left.removed_known = u.heat >= 0 || left.units_left == 0;
    left.removed = Watts(left.units_left == 0 ? 0 : u.heat * static_cast<double>(left.units_left));
    bool slow = false, stop = false, unsure = false;
    if (left.removed_known && heat > 0 && above(heat, left.removed.value)) {
      out.limits.push_back({.rule = "cool-heat-rejection-undersized", .kind = ComponentKind::cooling, .of = id, .load = heat, .limit = left.removed.value, .dimension = Dimension::power});
      stop = left.units_left == 0 || above(idle, left.removed.value);
      if (!stop) (idle_known ? slow : unsure) = true;
    }
    const double need = was > 0 ? plan.zones[z].airflow.value * heat / was : 0;
    if (!u.cdu && u.airflow >= 0 && zone.spec->method.value != CoolingMethod::liquid && left.units_left > 0 && above(need, u.airflow * static_cast<double>(left.units_left))) {
      const double given = u.airflow * static_cast<double>(left.units_left);
      // Inlet = mean of supply air and exhaust that comes round: Q / (rho cp) x (1 / given - 1 / need).
      left.inlet_rise = Kelvins(heat / (kAirDensity * density * kAirHeat) * (1 / given - 1 / need));
      out.limits.push_back({.rule = "cool-airflow-below-demand", .kind = ComponentKind::cooling, .of = id, .load = need, .limit = given, .dimension = Dimension::air_flow});
    }
    if (left.units_left < left.units || stop || slow || unsure || left.inlet_rise.value > 0) out.zones.push_back(left);
    // Whom it stops or slows: everything that stands in it.
    const auto hit = [&](const Instance& i) {
      if (shares(i, id) <= 0 || i.count <= 0) return;
      const PowerClass& k = classes[i.of];
      const auto devices = [&](std::int32_t r) {
        for (std::size_t d = 0; d < plan.racks[r].devices.size(); ++d) {
          const RackedDevice& one = plan.racks[r].devices[d];
          const std::size_t at = k.assembly && one.kind == DeviceKind::tray ? i.state.devices.size() - 1 : d;
          if (i.state.devices[at].state == SupplyState::dead) continue;
          const bool node = one.kind == DeviceKind::node || one.kind == DeviceKind::tray;
          double warm = 0;
          if (one.kind == DeviceKind::node && left.inlet_rise.value > 0 && zone.spec->supply && c.nodes[one.group].server.part.inlet_max)
            warm = zone.spec->supply->value + left.inlet_rise.value - c.nodes[one.group].server.part.inlet_max->value;
          if (stop) {
            if (node) out.dead_nodes.push_back(one.index);
            else if (one.kind == DeviceKind::switch_) out.dead_switches.emplace_back(one.group, one.index);
            else if (one.kind == DeviceKind::storage) out.dead_storage.emplace_back(one.group, one.index);
          } else if (node && (slow || warm > kRounding)) {
            out.throttled_nodes.push_back(one.index);
          } else if (node && unsure) {
            out.unjudged_nodes.push_back(one.index);
          }
        }
      };
      if (i.rack >= 0) return devices(i.rack);
      for (const std::int32_t r : k.racks)
        if (std::ranges::none_of(e.own, [&](const Instance& o) { return o.rack == r; })) devices(r);
    };
    const bool warm = left.inlet_rise.value > 0;
    if (!stop && !slow && !unsure && !warm) continue;
    for (const Instance& i : e.all) hit(i);
    for (const Instance& i : e.own) hit(i);
  }
}

// ---- network ---------------------------------------------------------------------------------------------------------------

void WhatIfEngine::Impl::network(const std::map<int, std::vector<std::int64_t>>& ends, const std::map<int, std::vector<FabricLoss::Cut>>& cuts, WhatIf& out) const {
  std::map<int, std::vector<std::int64_t>> dead;
  for (const auto& [fabric, index] : out.dead_switches) dead[fabric].push_back(index);
  std::set<int> touched;
  for (const auto& [f, list] : dead) touched.insert(f);
  for (const auto& [f, list] : ends) touched.insert(f);
  for (const auto& [f, list] : cuts) touched.insert(f);
  std::vector<std::int64_t> cut_off;
  for (const int f : touched) {
    static const std::vector<std::int64_t> kNothing;
    static const std::vector<FabricLoss::Cut> kNoCuts;
    const auto d = dead.find(f);
    const auto e = ends.find(f);
    const auto k = cuts.find(f);
    const FabricLoss& fabric = fabrics[f];
    const FabricLoss::Left lost = fabric.without(d == dead.end() ? kNothing : d->second, e == ends.end() ? kNothing : e->second, k == cuts.end() ? kNoCuts : k->second);
    NetworkLeft left{.network = f};
    left.switches_dead = d == dead.end() ? 0 : static_cast<std::int64_t>(d->second.size());
    left.links_dead = (e == ends.end() ? 0 : static_cast<std::int64_t>(e->second.size())) + (k == cuts.end() ? 0 : static_cast<std::int64_t>(k->second.size()));
    if (fabric.normal() > 0 && !c.networks[f].everything) left.bisection = lost.bisection / fabric.normal();   // nothing crosses a management network
    left.bisection_rate = fabric.fabric().link_rate * lost.bisection;
    double slowest = 1;
    for (const auto& [member, ports] : lost.members) {
      const FabricBlock& b = fabric.fabric().blocks[member.block];
      const EndPoints& p = c.networks[b.network].ends[b.end];
      const bool all = ports >= b.ports_each;
      if (p.group < 0) {
        const bool gone = std::ranges::binary_search(out.dead_storage, std::pair<int, std::int64_t>(p.storage, member.member));
        if (all && !gone) ++left.cut_off_storage;
        else if (!gone) ++left.degraded;
        continue;
      }
      const std::int64_t node = c.nodes[p.group].first + member.member;
      if (std::ranges::binary_search(out.dead_nodes, node)) continue;
      if (all) left.cut_off_nodes.push_back(node);
      else {
        ++left.degraded;
        if (c.nodes[p.group].computes && b.network == compute_network) slowest = std::min(slowest, 1 - static_cast<double>(ports) / static_cast<double>(b.ports_each));
      }
    }
    if (f == compute_network) left.all_reduce = slowest;
    std::ranges::sort(left.cut_off_nodes);
    if (!c.networks[f].everything) cut_off.insert(cut_off.end(), left.cut_off_nodes.begin(), left.cut_off_nodes.end());
    out.networks.push_back(std::move(left));
  }
  std::ranges::sort(cut_off);
  cut_off.erase(std::unique(cut_off.begin(), cut_off.end()), cut_off.end());
  out.cut_off_nodes = static_cast<std::int64_t>(cut_off.size());
  for (const std::int64_t n : cut_off) out.cut_off_gpus += gpus_of(n);
}

// Roles and storage that lost a server. With `ha: quorum` half of them are too few; else one that lives is enough.
void WhatIfEngine::Impl::services(WhatIf& out) const {
  std::map<int, std::int64_t> dead_of;                                // by node group
  for (const std::int64_t n : out.dead_nodes) ++dead_of[c.node_group_of(n)];
  for (const NetworkLeft& n : out.networks)
    if (c.networks[n.network].carries_traffic(Traffic::inband))
      for (const std::int64_t node : n.cut_off_nodes) ++dead_of[c.node_group_of(node)];
  const auto lost = [](std::int64_t left, std::int64_t of, std::optional<HaMode> ha) { return left <= 0 || (ha == HaMode::quorum && 2 * left <= of); };
  std::map<Role, ServiceLeft> roles;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& m = c.nodes[g];
    if (!m.spec) continue;
    const auto at = dead_of.find(static_cast<int>(g));
    const std::int64_t left = m.count - (at == dead_of.end() ? 0 : std::min(m.count, at->second));
    for (const Value<Role>& role : m.spec->roles) {
      if (!role || *role == Role::compute) continue;
      ServiceLeft& s = roles[*role];
      s.name = enum_text(*role);
      s.left += left;
      s.of += m.count;
      s.lost = lost(s.left, s.of, m.spec->ha.value);
    }
  }
  for (auto& [role, s] : roles)
    if (s.left < s.of) out.services.push_back(std::move(s));
  std::map<int, std::int64_t> systems;
  for (const auto& [system, index] : out.dead_storage) ++systems[system];
  for (const NetworkLeft& n : out.networks)
    if (n.cut_off_storage > 0 && !c.networks[n.network].everything)
      for (const EndPoints& e : c.networks[n.network].ends)
        if (e.storage >= 0) systems[e.storage] = std::min(c.storage[e.storage].count, systems[e.storage] + n.cut_off_storage);
  for (std::size_t s = 0; s < c.storage.size(); ++s) {
    const StorageModel& m = c.storage[s];
    if (m.nodes >= 0) {
      const auto at = dead_of.find(m.nodes);
      if (at == dead_of.end()) continue;
      const std::int64_t of = c.nodes[m.nodes].count, left = of - std::min(of, at->second);
      std::optional<HaMode> ha = m.spec && m.spec->servers ? m.spec->servers->ha.value : std::nullopt;
      if (!ha && c.nodes[m.nodes].spec) ha = c.nodes[m.nodes].spec->ha.value;
      out.services.push_back({"storage/" + m.name, left, of, lost(left, of, ha)});
    } else if (const auto at = systems.find(static_cast<int>(s)); at != systems.end()) {
      out.services.push_back({"storage/" + m.name, m.count - at->second, m.count, m.count - at->second <= 0});
    }
  }
}

// ---- all of it -------------------------------------------------------------------------------------------------------------

std::int16_t WhatIfEngine::Impl::device_in(std::int32_t rack, DeviceKind kind, std::int32_t group, std::int64_t index) const {
  const auto& devices = plan.racks[rack].devices;
  for (std::size_t d = 0; d < devices.size(); ++d)
    if (devices[d].kind == kind && devices[d].group == group && devices[d].index == index) return static_cast<std::int16_t>(d);
  return -1;
}

WhatIf WhatIfEngine::Impl::outcome(Electric e, std::span<const Component> failed) const {
  WhatIf out;
  out.failed.assign(failed.begin(), failed.end());
  std::map<std::pair<int, int>, std::int64_t> units_out;
  std::set<int> loops_out;
  std::map<int, std::vector<std::int64_t>> ends;
  std::map<int, std::vector<FabricLoss::Cut>> cuts;
  bool upstream_failed = false, feed_failed = false;
  std::vector<std::pair<std::int32_t, PowerFailure>> local;
  const auto in_rack = [&](std::int32_t rack) -> PowerFailure& {
    for (auto& [r, f] : local)
      if (r == rack) return f;
    return local.emplace_back(rack, PowerFailure{}).second;
  };
  const auto kill = [&](std::int32_t rack, DeviceKind kind, std::int32_t group, std::int64_t index) {
    if (rack < 0) return;
    if (const std::int16_t d = device_in(rack, kind, group, index); d >= 0) in_rack(rack).devices.push_back(d);
  };
  for (const Component& f : failed) switch (f.kind) {
      case ComponentKind::feed:
        e.feed_dead[f.of] = 1;
        upstream_failed = feed_failed = true;
        break;
      case ComponentKind::ups: ++e.ups_out[f.of]; break;
      case ComponentKind::panel:
        e.panel_dead[f.of] = 1;
        upstream_failed = true;
        break;
      case ComponentKind::pdu: in_rack(static_cast<std::int32_t>(f.index)).positions |= std::uint64_t{1} << f.part; break;
      case ComponentKind::shelf: in_rack(static_cast<std::int32_t>(f.index)).cords.push_back(f.part); break;
      case ComponentKind::supply: {
        const auto rack = static_cast<std::int32_t>(f.index);
        const auto& cords = classes[class_of[rack]].rack.cords;
        for (std::size_t k = 0; k < cords.size(); ++k)
          if (cords[k].device == f.of && cords[k].supply == f.part) in_rack(rack).cords.push_back(static_cast<std::int32_t>(k));
        break;
      }
      case ComponentKind::cooling: ++units_out[{f.of, 0}]; break;
      case ComponentKind::cdu: ++units_out[{f.of, 1}]; break;
      case ComponentKind::loop: loops_out.insert(f.of); break;
      case ComponentKind::leaf:
      case ComponentKind::spine:
      case ComponentKind::core:
      case ComponentKind::switch_: {
        const Fabric& fabric = plan.fabrics[f.of];
        std::int64_t index = f.index;
        for (std::size_t t = 0; t < fabric.tiers.size() && fabric.tiers[t].word != component_word(f.kind); ++t) index += fabric.tiers[t].count;
        const std::int64_t number = fabric.first_switch + index;
        if (number < static_cast<std::int64_t>(plan.switch_rack.size())) kill(plan.switch_rack[number], DeviceKind::switch_, f.of, index);
        out.dead_switches.emplace_back(f.of, index);
        break;
      }
      case ComponentKind::link:
        if (f.part == 0) ends[f.of].push_back(f.index);
        else cuts[f.of].push_back({f.part - 1, f.index});
        break;
      case ComponentKind::node:
        if (const std::int32_t rack = plan.node_rack[f.index]; rack >= 0) {
          const int g = c.node_group_of(f.index);
          kill(rack, c.nodes[g].assembly >= 0 ? DeviceKind::tray : DeviceKind::node, g, f.index);
        }
        out.dead_nodes.push_back(f.index);
        break;
      case ComponentKind::storage: {
        const auto [rack, device] = storage_place[f.of][f.index];
        if (rack >= 0) in_rack(rack).devices.push_back(device);
        out.dead_storage.emplace_back(f.of, f.index);
        break;
      }
    }
  for (const auto& [rack, failure] : local) {
    Instance& i = apart(e, rack);
    add(i, -1, e);
    i.failure.positions |= failure.positions;
    i.failure.cords.insert(i.failure.cords.end(), failure.cords.begin(), failure.cords.end());
    i.failure.devices.insert(i.failure.devices.end(), failure.devices.begin(), failure.devices.end());
    evaluate(classes[i.of].rack, i.failure, i.state);
    add(i, 1, e);
  }
  if (upstream_failed) {
    for (Instance& i : e.all) {
      const std::uint64_t before = i.failure.positions;
      upstream(i, e);
      if (i.failure.positions == before) continue;
      evaluate(classes[i.of].rack, i.failure, i.state);
      e.all_changed = true;
    }
    for (Instance& i : e.own) {
      upstream(i, e);
      evaluate(classes[i.of].rack, i.failure, i.state);
    }
    sum_all(e);
  }
  if (!failed.empty()) settle(e, 1);
  for (const TripEvent& t : e.trips) feed_failed = feed_failed || t.kind == ComponentKind::feed || t.kind == ComponentKind::ups;
  out.trips = e.trips;
  power_limits(e, feed_failed, out);
  // States that this rack had before count as told; the failed device itself is told above.
  {
    std::set<std::int32_t> own;
    for (const Instance& i : e.own) own.insert(i.rack);
    if (e.all_changed)
      for (const Instance& i : e.all) collect(i, failed.empty() ? nullptr : &base.all[i.of].state, own, out);
    for (const Instance& i : e.own) collect(i, &base.all[i.of].state, {}, out);
  }
  cooling(e, units_out, loops_out, out);

  const auto settle_list = [](auto& list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  const auto without = [](std::vector<std::int64_t>& list, const std::vector<std::int64_t>& other) {
    std::erase_if(list, [&](std::int64_t n) { return std::ranges::binary_search(other, n); });
  };
  settle_list(out.dead_nodes);
  settle_list(out.throttled_nodes);
  settle_list(out.unjudged_nodes);
  settle_list(out.dead_switches);
  settle_list(out.dead_storage);
  settle_list(out.unjudged_switches);
  without(out.throttled_nodes, out.dead_nodes);
  without(out.unjudged_nodes, out.dead_nodes);
  without(out.unjudged_nodes, out.throttled_nodes);
  for (const std::int64_t n : out.dead_nodes) out.dead_gpus += gpus_of(n);
  for (const std::int64_t n : out.throttled_nodes) out.throttled_gpus += gpus_of(n);
  network(ends, cuts, out);
  services(out);
  for (const double va : e.feed_va) out.feeds.push_back(VoltAmperes(va));
  return out;
}

bool worse(const WhatIf& a, const WhatIf& b) {
  const auto key = [](const WhatIf& w) {
    std::int64_t services = 0, degraded = 0;
    for (const ServiceLeft& s : w.services) services += s.lost;
    double bisection = 1, all_reduce = 1;
    for (const NetworkLeft& n : w.networks) {
      bisection = std::min(bisection, n.bisection);
      if (n.all_reduce) all_reduce = std::min(all_reduce, *n.all_reduce);
      degraded += n.degraded;
    }
    return std::tuple(w.dead_gpus, static_cast<std::int64_t>(w.dead_nodes.size()), w.cut_off_gpus, w.cut_off_nodes, services, w.throttled_gpus, static_cast<std::int64_t>(w.throttled_nodes.size()),
                      static_cast<std::int64_t>(w.unjudged_nodes.size()), 1 - all_reduce, 1 - bisection, static_cast<std::int64_t>(w.trips.size()), static_cast<std::int64_t>(w.limits.size()),
                      static_cast<std::int64_t>(w.dead_switches.size() + w.dead_storage.size()), degraded, static_cast<std::int64_t>(w.services.size()), static_cast<std::int64_t>(w.unjudged_switches.size()));
  };
  return key(a) > key(b);
}

// ---- the engine as others see it -------------------------------------------------------------------------------------------

WhatIfEngine::WhatIfEngine(const Plan& plan) : impl_(std::make_unique<Impl>(plan)) {}
WhatIfEngine::~WhatIfEngine() = default;
const WhatIf& WhatIfEngine::normal() const { return impl_->normal; }
const Plan& WhatIfEngine::plan() const { return impl_->plan; }

WhatIf WhatIfEngine::run(std::span<const Component> failed) const { return impl_->outcome(impl_->base, failed); }

namespace {
ComponentKind kind_of_tier(std::string_view word) {
  return word == "leaf" ? ComponentKind::leaf : word == "spine" ? ComponentKind::spine : word == "core" ? ComponentKind::core : ComponentKind::switch_;
}
}  // namespace

std::vector<WhatIfEngine::Single> WhatIfEngine::singles() const {
  const Impl& m = *impl_;
  const Cluster& c = m.c;
  const auto number = [](std::size_t i) { return static_cast<std::int32_t>(i); };
  std::vector<Single> out;
  for (std::size_t f = 0; f < c.feeds.size(); ++f) out.push_back({{ComponentKind::feed, number(f)}});
  for (std::size_t f = 0; f < c.feeds.size(); ++f)
    if (m.ups[f].modules > 0) out.push_back({{ComponentKind::ups, number(f)}, m.ups[f].modules});
  for (std::size_t p = 0; p < c.panels.size(); ++p) out.push_back({{ComponentKind::panel, number(p)}});
  for (std::size_t r = 0; r < m.plan.racks.size(); ++r)
    if (m.class_of[r] >= 0 && !m.classes[m.class_of[r]].assembly)
      for (std::size_t p = 0; p < m.classes[m.class_of[r]].rack.positions.size(); ++p)
        out.push_back({{ComponentKind::pdu, -1, static_cast<std::int64_t>(r), number(p)}});
  for (std::size_t r = 0; r < m.plan.racks.size(); ++r) {
    if (m.class_of[r] < 0) continue;
    const PowerClass& k = m.classes[m.class_of[r]];
    for (std::size_t i = 0; i < k.rack.cords.size(); ++i) {
      if (k.assembly) out.push_back({{ComponentKind::shelf, -1, static_cast<std::int64_t>(r), number(i)}});
      else out.push_back({{ComponentKind::supply, k.rack.cords[i].device, static_cast<std::int64_t>(r), k.rack.cords[i].supply}});
    }
  }
  for (std::size_t z = 0; z < c.zones.size(); ++z) {
    if (!c.zones[z].spec) continue;
    const CoolingUnits u = cooling_units(c.zones[z]);
    if (u.units > 0) out.push_back({{u.cdu ? ComponentKind::cdu : ComponentKind::cooling, number(z)}, u.units});
    if (c.zones[z].spec->method.value == CoolingMethod::liquid) out.push_back({{ComponentKind::loop, number(z)}});
  }
  for (std::size_t f = 0; f < m.plan.fabrics.size(); ++f)
    for (const FabricTier& t : m.plan.fabrics[f].tiers)
      for (std::int64_t i = 0; i < t.count; ++i) out.push_back({{kind_of_tier(t.word), number(f), i}});
  // Links: those from one group to one leaf are alike, and so are the uplinks of one switch.
  for (std::size_t f = 0; f < m.fabrics.size(); ++f) {
    const FabricLoss& loss = m.fabrics[f];
    const Fabric& fabric = loss.fabric();
    if (fabric.tiers.empty()) continue;
    for (std::int64_t l = 0; l < fabric.tiers[0].count; ++l) {
      std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> kinds;                            // block -> first entry, how many
      for (std::int64_t e = loss.first_entry(l); e < loss.first_entry(l) + loss.leaf_ends(l); ++e) ++kinds.try_emplace(loss.entry(e).block, e, 0).first->second.second;
      for (const auto& [block, value] : kinds) out.push_back({{ComponentKind::link, number(f), value.first, 0}, value.second});
    }
    for (std::size_t t = 0; t + 1 < fabric.tiers.size(); ++t)
      for (std::int64_t i = 0; i < fabric.tiers[t].count; ++i) out.push_back({{ComponentKind::link, number(f), i, static_cast<std::int32_t>(t) + 1}, fabric.tiers[t].up});
  }
  for (const NodeGroupModel& g : c.nodes)
    if (!g.computes)
      for (std::int64_t i = 0; i < g.count; ++i) out.push_back({{ComponentKind::node, -1, g.first + i}});
  for (std::size_t s = 0; s < c.storage.size(); ++s)
    if (c.storage[s].part && c.storage[s].nodes < 0)
      for (std::int64_t i = 0; i < c.storage[s].count; ++i) out.push_back({{ComponentKind::storage, number(s), i}});
  return out;
}

std::string WhatIfEngine::name(const Component& k) const {
  const Impl& m = *impl_;
  const Cluster& c = m.c;
  const std::string word(component_word(k.kind));
  switch (k.kind) {
    case ComponentKind::feed:
    case ComponentKind::ups: return word + "/" + c.feeds[k.of].name;
    case ComponentKind::panel: return word + "/" + c.panels[k.of].name;
    case ComponentKind::pdu: return word + "/" + c.rack_name(k.index) + "/" + static_cast<char>('a' + k.part);
    case ComponentKind::shelf: return word + "/" + c.rack_name(k.index) + "/" + std::to_string(k.part + 1);
    case ComponentKind::supply: {
      const RackedDevice& d = m.plan.racks[k.index].devices[k.of];
      const std::string object = d.kind == DeviceKind::node ? m.plan.node_object(d.index)
                                 : d.kind == DeviceKind::storage ? "storage/" + c.storage[d.group].name + "/" + std::to_string(d.index + 1)
                                                                 : m.plan.switch_name(d.group, m.plan.switch_ref(d.group, d.index));
      return word + "/" + object + "/" + std::to_string(k.part + 1);
    }
    case ComponentKind::cooling:
    case ComponentKind::loop:
    case ComponentKind::cdu: return word + "/" + c.zones[k.of].name;
    case ComponentKind::leaf: return m.plan.switch_name(k.of, {0, k.index});
    case ComponentKind::spine: return m.plan.switch_name(k.of, {1, k.index});
    case ComponentKind::core: return m.plan.switch_name(k.of, {2, k.index});
    case ComponentKind::switch_: return m.plan.switch_name(k.of, {0, k.index});
    case ComponentKind::link: {
      const Fabric& f = m.plan.fabrics[k.of];
      if (k.part > 0) return format("link/{}-{}", f.tiers[k.part].word, m.plan.switch_name(k.of, {k.part - 1, k.index}));
      const FabricLoss& loss = m.fabrics[k.of];
      return format("link/{}-{}", m.who(f.blocks[loss.entry(k.index).block]), m.plan.switch_name(k.of, {0, loss.leaf_of_entry(k.index)}));
    }
    case ComponentKind::node: return m.plan.node_object(k.index);
    case ComponentKind::storage: return word + "/" + c.storage[k.of].name + "/" + std::to_string(k.index + 1);
  }
  return word;
}

std::string WhatIfEngine::unit_range(const Single& s) const {
  const std::string one = name(s.component);
  if (s.component.kind == ComponentKind::link || s.component.kind == ComponentKind::loop) return one;
  const bool units = s.component.kind == ComponentKind::ups || s.component.kind == ComponentKind::cooling || s.component.kind == ComponentKind::cdu;
  if (!units) return one;
  return s.times == 1 ? one + "/1" : format("{}/[1-{}]", one, s.times);
}

std::optional<Component> WhatIfEngine::find(std::string_view word, std::string& error) const {
  const Impl& m = *impl_;
  const Cluster& c = m.c;
  const auto colon = word.find(':');
  if (colon == std::string_view::npos || colon + 1 == word.size()) {
    error = format("'{}' is not written as KIND:NAME, for example feed:A", word);
    return std::nullopt;
  }
  const std::string kind(word.substr(0, colon)), rest(word.substr(colon + 1));
  const auto slash = rest.rfind('/');
  const std::string front = rest.substr(0, slash), back = slash == std::string::npos ? "" : rest.substr(slash + 1);
  const auto index = [](std::string_view text) -> std::int64_t {       // from 1; -1 when it is no number
    std::int64_t n = -1;
    const auto end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, n);
    return failed == std::errc() && at == end ? n : -1;
  };
  const auto by_name = [&](const auto& list, std::string_view name) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name) return static_cast<std::int32_t>(i);
    return std::int32_t{-1};
  };
  const auto rack = [&](std::string_view name) -> std::int64_t {
    for (const RackGroupModel& g : c.racks)
      if (const std::int64_t i = g.names.index_of(name); i >= 0) return g.first + i;
    for (const AssemblyGroupModel& a : c.assemblies)
      if (const std::int64_t i = a.names.index_of(name); i >= 0) return a.first + i;
    return -1;
  };
  const auto node = [&](std::string_view name) -> std::int64_t {
    for (const NodeGroupModel& g : c.nodes) {
      if (const std::int64_t i = g.names.index_of(name); i >= 0) return g.first + i;
      if (name.starts_with(g.name + "/"))
        for (std::int64_t i = 0; i < g.count; ++i)
          if (g.names.suffix(i) == name.substr(g.name.size() + 1)) return g.first + i;
    }
    return -1;
  };
  const auto no = [&](std::string text) {
    error = std::move(text);
    return std::nullopt;
  };

  if (kind == "feed" || kind == "ups") {
    const std::int32_t f = by_name(c.feeds, kind == "ups" && slash != std::string::npos && by_name(c.feeds, rest) < 0 ? front : rest);
    if (f < 0) return no(format("there is no feed '{}'", rest));
    if (kind == "feed") return Component{ComponentKind::feed, f};
    if (m.ups[f].modules == 0) return no(format("feed '{}' has no UPS", c.feeds[f].name));
    return Component{ComponentKind::ups, f};
  }
  if (kind == "panel") {
    if (const std::int32_t p = by_name(c.panels, rest); p >= 0) return Component{ComponentKind::panel, p};
    return no(format("there is no panel '{}'", rest));
  }
  if (kind == "pdu") {
    const std::int64_t r = rack(front);
    if (r < 0 || m.classes[m.class_of[r]].assembly) return no(format("there is no rack '{}'", front));
    const auto n = static_cast<std::int64_t>(m.classes[m.class_of[r]].rack.positions.size());
    if (back.size() != 1 || back[0] < 'a' || back[0] >= 'a' + n) return no(n > 0 ? format("rack '{}' has PDUs a to {}: write pdu:{}/a", front, static_cast<char>('a' + n - 1), front) : format("rack '{}' has no PDUs", front));
    return Component{ComponentKind::pdu, -1, r, back[0] - 'a'};
  }
  if (kind == "shelf") {
    const std::int64_t r = rack(front), n = index(back);
    if (r < 0 || !m.classes[m.class_of[r]].assembly) return no(format("there is no assembly '{}'", front));
    const auto shelves = static_cast<std::int64_t>(m.classes[m.class_of[r]].rack.cords.size());
    if (n < 1 || n > shelves) return no(format("assembly '{}' has {} power shelves on feeds: write shelf:{}/1", front, shelves, front));
    return Component{ComponentKind::shelf, -1, r, static_cast<std::int32_t>(n - 1)};
  }
  if (kind == "cooling" || kind == "loop" || kind == "cdu") {
    const std::int32_t z = by_name(c.zones, by_name(c.zones, rest) < 0 ? front : rest);
    if (z < 0) return no(format("there is no cooling zone '{}'", rest));
    const bool cdu = cooling_units(c.zones[z]).cdu;
    if (kind == "loop") return Component{ComponentKind::loop, z};
    if ((kind == "cdu") != cdu) return no(format("cooling zone '{}' has {}: write {}:{}", c.zones[z].name, cdu ? "coolant distribution units" : "cooling units", cdu ? "cdu" : "cooling", c.zones[z].name));
    return Component{cdu ? ComponentKind::cdu : ComponentKind::cooling, z};
  }
  const auto find_switch = [&](std::string_view what, std::string_view name) -> std::optional<Component> {
    const std::int64_t n = index(name);
    for (std::size_t f = 0; f < m.plan.fabrics.size(); ++f) {
      const Fabric& fabric = m.plan.fabrics[f];
      for (std::size_t t = 0; t < fabric.tiers.size(); ++t) {
        if (fabric.tiers[t].word != what) continue;
        if (n >= 1) {                    // "spine:3": of the first network that has such switches
          if (n > fabric.tiers[t].count) return std::nullopt;
          return Component{kind_of_tier(what), static_cast<std::int32_t>(f), n - 1};
        }
        for (std::int64_t i = 0; i < fabric.tiers[t].count; ++i)
          if (m.plan.switch_name(static_cast<int>(f), {static_cast<int>(t), i}).substr(what.size() + 1) == name) return Component{kind_of_tier(what), static_cast<std::int32_t>(f), i};
      }
    }
    return std::nullopt;
  };
  if (kind == "leaf" || kind == "spine" || kind == "core" || kind == "switch") {
    if (const auto found = find_switch(kind, rest)) return found;
    return no(format("there is no {} '{}'", kind, rest));
  }
  if (kind == "link") {                  // "gpu-leaf/compute/u1/r3", "spine-leaf/compute/u1/r3": one of those links
    for (auto dash = rest.find('-'); dash != std::string::npos; dash = rest.find('-', dash + 1)) {
      const auto cut = rest.find('/', dash);
      if (cut == std::string::npos) break;
      const auto s = find_switch(std::string_view(rest).substr(dash + 1, cut - dash - 1), std::string_view(rest).substr(cut + 1));
      if (!s) continue;
      const Fabric& fabric = m.plan.fabrics[s->of];
      const std::string far = rest.substr(0, dash);
      for (std::size_t t = 0; t + 1 < fabric.tiers.size(); ++t)
        if (fabric.tiers[t].word == component_word(s->kind) && fabric.tiers[t + 1].word == far) return Component{ComponentKind::link, s->of, s->index, static_cast<std::int32_t>(t) + 1};
      if (fabric.tiers[0].word != component_word(s->kind)) continue;
      const FabricLoss& loss = m.fabrics[s->of];
      for (std::int64_t e = loss.first_entry(s->index); e < loss.first_entry(s->index) + loss.leaf_ends(s->index); ++e)
        if (m.who(fabric.blocks[loss.entry(e).block]) == far) return Component{ComponentKind::link, s->of, e, 0};
    }
    return no(format("there is no link '{}'", rest));
  }
  if (kind == "node") {
    if (const std::int64_t n = node(rest); n >= 0) return Component{ComponentKind::node, -1, n};
    return no(format("there is no node '{}'", rest));
  }
  if (kind == "storage") {
    const std::int32_t s = by_name(c.storage, front);
    const std::int64_t n = slash == std::string::npos ? 1 : index(back);
    if (s < 0) return no(format("there is no storage '{}'", front));
    if (!c.storage[s].part || c.storage[s].nodes >= 0) return no(format("storage '{}' has no systems of its own", front));
    if (n < 1 || n > c.storage[s].count) return no(format("storage '{}' has {} systems: write storage:{}/1", front, c.storage[s].count, front));
    return Component{ComponentKind::storage, s, n - 1};
  }
  if (kind == "psu") {
    // "gpu017/3", "node/gpu/017/3", "spine/compute/03/1"; without a number the first.
    const auto supply = [&](const std::string& object, std::int64_t n) -> std::optional<Component> {
      std::int32_t at = -1;
      std::int16_t device = -1;
      const auto rest_of = [&](std::string_view prefix) { return std::string_view(object).substr(prefix.size()); };
      if (const std::int64_t i = node(object.starts_with("node/") ? rest_of("node/") : object); i >= 0) {
        at = m.plan.node_rack[i];
        if (at >= 0) device = m.device_in(at, DeviceKind::node, c.node_group_of(i), i);
      } else if (object.starts_with("storage/")) {
        std::string ignored;
        if (const auto s = find("storage:" + std::string(rest_of("storage/")), ignored)) std::tie(at, device) = m.storage_place[s->of][s->index];
      } else if (const auto cut = object.find('/'); cut != std::string::npos) {
        if (const auto s = find_switch(object.substr(0, cut), object.substr(cut + 1))) {
          const Fabric& fabric = m.plan.fabrics[s->of];
          std::int64_t number = s->index;
          for (std::size_t t = 0; t < fabric.tiers.size() && fabric.tiers[t].word != object.substr(0, cut); ++t) number += fabric.tiers[t].count;
          at = m.plan.switch_rack[fabric.first_switch + number];
          if (at >= 0) device = m.device_in(at, DeviceKind::switch_, s->of, number);
        }
      }
      if (at < 0 || device < 0 || n < 1 || n > m.classes[m.class_of[at]].rack.devices[device].supplies) return std::nullopt;
      return Component{ComponentKind::supply, device, at, static_cast<std::int32_t>(n - 1)};
    };
    if (const std::int64_t n = index(back); n >= 1 && slash != std::string::npos)
      if (const auto found = supply(front, n)) return found;
    if (const auto found = supply(rest, 1)) return found;
    return no(format("there is no power supply '{}' in a rack: write psu:NODE/1", rest));
  }
  return no(format("'{}' is no kind of component: feed, ups, panel, pdu, shelf, psu, cooling, loop, cdu, leaf, spine, core, switch, link, node, storage", kind));
}

}  // namespace clusterc
