#include "plan/power/power_chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "model/power_cap.h"
#include "plan/power/busbar.h"
#include "plan/power/cords.h"
#include "plan/power/rack_limits.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void add_supplies(SupplyLoad& load, const PsuSet* psus) {
  if (!psus) return;
  load.supplies = *psus->count;
  load.spare = spare_supplies(*psus);  // -1: the outputs decide
  load.output = psus->power.value_or(Watts(0)).value;
  load.efficiency = psus->efficiency.value_or(kSupplyEfficiency);
  load.power_factor = psus->power_factor.value_or(0);
  load.input_amps = psus->input_current.value_or(Amperes(0)).value;
}

// Each node of a group at no more than this.
struct Cap {
  int group = -1;
  double watts = 0;
};

SupplyLoad load_of(const Plan& plan, const RackedDevice& d, const Cap& cap = {}) {
  const Cluster& c = *plan.cluster;
  SupplyLoad load;
  switch (d.kind) {
    case DeviceKind::node: {
      const ServerModel& s = c.nodes[d.group].server;
      load.watts = s.power.value_or(Watts(0)).value;
      if (d.group == cap.group) load.watts = std::min(load.watts, cap.watts);
      load.throttles = true;
      if (s.power_idle) load.idle = std::min(s.power_idle->value, load.watts);
      break;
    }
    case DeviceKind::storage:
      load.watts = c.storage[d.group].part->power.value_or(Watts(0)).value;
      break;
    case DeviceKind::switch_:
      load.watts = switch_power(*plan.fabrics[d.group].tiers[plan.switch_ref(d.group, d.index).tier].part)
                       .value_or(Watts(0))
                       .value;
      break;
    case DeviceKind::occupied:
    case DeviceKind::tray:
      break;
  }
  add_supplies(load, supplies_of(plan, d));
  return load;
}

// A device that stands in the rack, or will.
struct ToDeal {
  SupplyLoad load;
  InletKind inlet = InletKind::hardwired;
  std::int16_t below = 0;  // devices that stand below it
  bool to_come = false;
  std::vector<std::int16_t> positions{};  // by supply
  double cord_watts() const { return on_supplies(load, load.supplies).watts / static_cast<double>(load.supplies); }
};

// From the bottom up; only those that have supplies.
std::vector<ToDeal> all_to_deal(const Plan& plan, const RackGroupModel& g, const RackPlan& r, const Cap& cap) {
  std::vector<ToDeal> out;
  std::size_t next = 0, kept = 0;
  while (next < r.devices.size() || kept < r.kept.size()) {
    const bool to_come = kept < r.kept.size() && (next == r.devices.size() || r.kept[kept].unit < r.devices[next].unit);
    const auto below = static_cast<std::int16_t>(next);
    const RackedDevice& device = to_come ? r.kept[kept++] : r.devices[next++];
    if (on_busbar(plan, g, device)) continue;
    if (const PsuSet* psus = supplies_of(plan, device); psus && *psus->count > 0)
      out.push_back({load_of(plan, device, cap), psus->inlet.value_or(InletKind::hardwired), below, to_come});
  }
  return out;
}

// What the PDUs of a rack have been dealt so far. At most a few: quadratic in them, linear in cords.
class Dealing {
 public:
  Dealing(const Cluster& c, const RackGroupModel& g, const PowerRack& rack) : rack_(rack), on_(g.pdus.size()) {
    bool rated = true;
    for (std::size_t p = 0; p < on_.size(); ++p) {
      const PduPart* part = g.pdus[p].part;
      const Value<VoltAmperes> rating = part ? pdu_rating(c, *part) : Value<VoltAmperes>();
      if (part) on_[p].left = outlets_of(*part);
      on_[p].rating = rating.value_or(VoltAmperes(0)).value;
      rated = rated && on_[p].rating > 0;
    }
    for (OnPdu& on : on_)
      if (!rated) on.rating = 1;
  }

  void deal(ToDeal& d) {
    const std::size_t plug = d.inlet == InletKind::c14 ? 0 : d.inlet == InletKind::c20 ? 1 : 2;
    for (OnPdu& on : on_) on.here = 0;
    for (std::int64_t s = 0; s < d.load.supplies; ++s) {
      std::size_t best = 0;
      for (std::size_t p = 1; p < on_.size(); ++p)
        if (key(p, d.inlet, plug) < key(best, d.inlet, plug)) best = p;
      OnPdu& on = on_[best];
      ++on.here;
      ++on.dealt[plug];
      on.milliwatts += std::llround(d.cord_watts() * 1000);
      if (std::int64_t* outlets = next_outlet(on.left, d.inlet)) --*outlets;
      d.positions.push_back(static_cast<std::int16_t>(best));
    }
  }

 private:
  struct OnPdu {
    Outlets left;
    double rating = 1;
    std::int64_t milliwatts = 0;          // whole ones: equal loads are equal in whatever order they came
    std::int32_t here = 0;                // cords of the device that is dealt
    std::array<std::int32_t, 3> dealt{};  // by plug
  };

  std::tuple<std::int32_t, bool, std::int32_t, double, std::int32_t, std::size_t> key(std::size_t p, InletKind inlet,
                                                                                      std::size_t plug) {
    std::int32_t on_feed = 0;
    for (std::size_t q = 0; q < on_.size(); ++q)
      if (rack_.positions[q].feed == rack_.positions[p].feed) on_feed += on_[q].here;
    OnPdu& on = on_[p];
    const bool full = on.left.known && inlet != InletKind::hardwired && !next_outlet(on.left, inlet);
    return {on_feed, full, on.here, static_cast<double>(on.milliwatts) / on.rating, on.dealt[plug], p};
  }

  const PowerRack& rack_;
  std::vector<OnPdu> on_;
};

// Deals the supplies of each device (see power_chain.h).
void deal(const Plan& plan, const RackGroupModel& g, const RackPlan& r, const Cap& cap, PowerRack& out) {
  const std::size_t n = out.positions.size();
  out.cords_c13.assign(n, 0);
  out.cords_c19.assign(n, 0);
  if (g.pdus.empty()) return;
  std::vector<ToDeal> devices = all_to_deal(plan, g, r, cap);
  std::vector<ToDeal*> order;
  for (ToDeal& d : devices) order.push_back(&d);
  std::ranges::stable_sort(order, std::greater<>(), [](const ToDeal* d) { return d->cord_watts(); });
  Dealing dealing(*plan.cluster, g, out);
  for (ToDeal* d : order) dealing.deal(*d);
  std::int16_t coming = 0;
  for (const ToDeal& d : devices) {
    for (std::size_t s = 0; s < d.positions.size(); ++s) {
      const std::int16_t p = d.positions[s];
      if (d.to_come) {
        out.to_come.push_back({static_cast<std::int32_t>(out.cords.size()), d.below, coming, p, d.inlet, d.load});
        continue;
      }
      if (d.inlet == InletKind::c14) ++out.cords_c13[static_cast<std::size_t>(p)];
      if (d.inlet == InletKind::c20) ++out.cords_c19[static_cast<std::size_t>(p)];
      out.cords.push_back({d.below, static_cast<std::int16_t>(s), p});
    }
    coming += d.to_come;
  }
}

// The shelves of a busbar on each feed, and everything that hangs on it as one device, whose supplies they are. Alone
// its devices are nothing to anybody, as the trays of an assembly.
void add_busbar(const Plan& plan, const RackGroupModel& g, const RackPlan& r, double rest, PowerRack& out) {
  const Busbar& busbar = *g.spec->busbar;
  SupplyLoad all{.idle = 0, .output = busbar.shelf_power.value_or(Watts(0)).value};
  all.throttles = true;
  all.efficiency = busbar.efficiency.value_or(kSupplyEfficiency);
  out.on_busbar.assign(out.devices.size(), -1);
  for (std::size_t i = 0; i < r.devices.size(); ++i) {
    if (!on_busbar(plan, g, r.devices[i])) continue;
    SupplyLoad& one = out.devices[i];
    out.on_busbar[i] = one.watts;
    all.watts += one.watts;
    const double least = one.throttles ? one.idle : one.watts;  // what cannot throttle runs on all that it draws
    all.idle = least < 0 || all.idle < 0 ? -1 : all.idle + least;
    one = {};
  }
  if (g.pdus.empty() && rest > 1e-6) {  // what already stands there has nothing else
    out.on_busbar.back() = rest;
    all.watts += rest;
    if (all.idle >= 0) all.idle += rest;
    out.devices.back() = {};
  }
  out.busbar = static_cast<std::int16_t>(out.devices.size());
  for (const auto& [feed, shelves] : g.shelves) {
    const auto position = static_cast<std::int16_t>(out.positions.size());
    out.positions.push_back({.feed = static_cast<std::int16_t>(feed), .shelves = shelves});
    for (std::int64_t s = 0; s < shelves; ++s)
      out.cords.push_back({out.busbar, static_cast<std::int16_t>(all.supplies++), position});
  }
  out.devices.push_back(all);
  out.on_busbar.push_back(-1);
  out.cords_c13.resize(out.positions.size(), 0);
  out.cords_c19.resize(out.positions.size(), 0);
}

PowerRack rack_of(const Plan& plan, const RackGroupModel& g, const RackPlan& r, const Cap& cap = {}) {
  PowerRack out;
  for (std::size_t i = 0; i < g.pdus.size(); ++i) {
    const PduModel& m = g.pdus[i];
    out.positions.push_back({.feed = static_cast<std::int16_t>(m.feed),
                             .panel = static_cast<std::int16_t>(m.panel),
                             .pdu = static_cast<std::int16_t>(i),
                             .other_feed = static_cast<std::int16_t>(m.other_feed),
                             .other_panel = static_cast<std::int16_t>(m.other_panel),
                             .transfer = static_cast<std::int16_t>(m.transfer)});
  }
  double sum = 0;
  for (const RackedDevice& d : r.devices) {
    out.devices.push_back(load_of(plan, d, cap));
    sum += cap.group < 0 ? out.devices.back().watts : load_of(plan, d).watts;
  }
  const double rest = r.power.value - sum;
  if (rest > 1e-6) out.devices.push_back({.watts = rest});  // what already stands there
  deal(plan, g, r, cap, out);
  if (g.spec && g.spec->busbar) add_busbar(plan, g, r, rest, out);
  return out;
}

PowerRack frame_of(const Plan& plan, const AssemblyGroupModel& a, const RackPlan& r) {
  PowerRack out;
  for (const RackedDevice& d : r.devices) out.devices.push_back(load_of(plan, d));
  for (SupplyLoad& tray : out.devices) tray = {};  // the assembly's own figure holds their power
  SupplyLoad all{.watts = r.power.value, .throttles = true};
  if (a.part) all.output = a.part->shelf_power.value_or(Watts(0)).value;
  // Trays idle at a stated figure, all of them: then the assembly can throttle.
  double idle = 0;
  bool known = false;
  for (const RackedDevice& d : r.devices)
    if (d.kind == DeviceKind::tray) {
      const Value<Watts>& one = plan.cluster->nodes[d.group].server.power_idle;
      known = one.value.has_value() && (known || idle == 0);
      idle += one.value_or(Watts(0)).value;
      if (!known) break;
    }
  if (known) all.idle = std::min(idle, all.watts);
  for (const auto& [feed, shelves] : a.shelves) {
    const auto position = static_cast<std::int16_t>(out.positions.size());
    out.positions.push_back({.feed = static_cast<std::int16_t>(feed), .shelves = shelves});
    for (std::int64_t s = 0; s < shelves; ++s)
      out.cords.push_back(
          {static_cast<std::int16_t>(out.devices.size()), static_cast<std::int16_t>(all.supplies++), position});
  }
  out.devices.push_back(all);
  out.cords_c13.assign(out.positions.size(), 0);
  out.cords_c19.assign(out.positions.size(), 0);
  return out;
}

// What makes two racks alike.
std::vector<std::int64_t> signature(const Plan& plan, std::int64_t group, bool assembly, const RackPlan& r) {
  std::vector<std::int64_t> key{group, assembly, 0};
  double watts = r.power.value;
  std::uint64_t bits;
  static_assert(sizeof bits == sizeof watts);
  __builtin_memcpy(&bits, &watts, sizeof bits);
  key[2] = static_cast<std::int64_t>(
      bits);  // racks whose sums differ in the last digit are two classes: it costs a little, it hides nothing
  for (const RackedDevice& d : r.devices) {
    const std::int64_t tier = d.kind == DeviceKind::switch_ ? plan.switch_ref(d.group, d.index).tier : 0;
    key.push_back((static_cast<std::int64_t>(d.kind) << 48) | (static_cast<std::int64_t>(d.group) << 8) | tier);
  }
  // Places kept free take part in dealing, by kind and by how many devices stand below them.
  std::size_t below = 0;
  for (const RackedDevice& d : r.kept) {
    while (below < r.devices.size() && r.devices[below].unit < d.unit) ++below;
    key.push_back(-1 - ((static_cast<std::int64_t>(d.kind) << 48) | (static_cast<std::int64_t>(d.group) << 16) |
                        static_cast<std::int64_t>(below)));
  }
  return key;
}

}  // namespace

bool on_busbar(const Plan& plan, const RackGroupModel& g, const RackedDevice& d) {
  if (!g.spec || !g.spec->busbar || d.kind == DeviceKind::occupied) return false;
  const PsuSet* psus = supplies_of(plan, d);
  return g.pdus.empty() || !psus || psus->inlet.value == InletKind::busbar;
}

PowerRack capped_rack(const Plan& plan, const PowerClass& k, int group, Watts cap) {
  return rack_of(plan, plan.cluster->racks[static_cast<std::size_t>(k.group)],
                 plan.racks[static_cast<std::size_t>(k.racks.front())], {group, cap.value});
}

PowerRack power_rack(const Plan& plan, const RackGroupModel& g, const RackPlan& r) { return rack_of(plan, g, r); }

SupplyLoad supply_load(const Plan& plan, const RackedDevice& d) { return load_of(plan, d); }

std::vector<PowerClass> power_classes_of(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  std::vector<PowerClass> out;
  std::map<std::vector<std::int64_t>, std::size_t> known;
  const auto take = [&](std::int64_t group, bool assembly, std::int64_t rack) {
    const RackPlan& r = plan.racks[rack];
    const auto [at, fresh] = known.try_emplace(signature(plan, group, assembly, r), out.size());
    if (fresh)
      out.push_back(
          {group, assembly, assembly ? frame_of(plan, c.assemblies[group], r) : rack_of(plan, c.racks[group], r), {}});
    out[at->second].racks.push_back(static_cast<std::int32_t>(rack));
  };
  for (std::size_t g = 0; g < c.racks.size(); ++g)
    for (std::int64_t i = 0; i < c.racks[g].count; ++i) take(static_cast<std::int64_t>(g), false, c.racks[g].first + i);
  for (std::size_t a = 0; a < c.assemblies.size(); ++a)
    for (std::int64_t i = 0; i < c.assemblies[a].count; ++i)
      take(static_cast<std::int64_t>(a), true, c.assemblies[a].first + i);
  return out;
}

std::span<const PowerClass> classes_of_group(std::span<const PowerClass> classes, std::int64_t rack_group) {
  const auto first =
      std::ranges::partition_point(classes, [&](const PowerClass& k) { return !k.assembly && k.group < rack_group; });
  const auto last =
      std::ranges::partition_point(classes, [&](const PowerClass& k) { return !k.assembly && k.group <= rack_group; });
  return {first, last};
}

namespace {

// What hangs on the busbar, as its shelves carry it, without the devices that failed: their idle power falls by the
// same share.
template <class Failed>
SupplyLoad rest_of_busbar(const PowerRack& rack, const Failed& failed) {
  SupplyLoad all = rack.devices[static_cast<std::size_t>(rack.busbar)];
  double gone = 0;
  for (std::size_t i = 0; i < rack.on_busbar.size(); ++i)
    if (rack.from_busbar(i) && failed(i)) gone += rack.on_busbar[i];
  if (gone <= 0 || all.watts <= 0) return all;
  const double left = std::max(0.0, all.watts - gone);
  if (all.idle >= 0) all.idle *= left / all.watts;
  all.watts = left;
  return all;
}

}  // namespace

void evaluate(const PowerRack& rack, const PowerFailure& failure, PowerState& state) {
  const std::size_t n = rack.positions.size();
  state.position_watts.assign(n, 0);
  state.devices.clear();
  std::size_t living = 0;
  const auto lives = [&](std::size_t p) { return (failure.positions >> p & 1) == 0; };
  const bool busbar = rack.busbar >= 0;  // shelves are none of what a device without stated supplies hangs on
  const auto takes_part = [&](std::size_t p) { return lives(p) && !(busbar && rack.positions[p].pdu < 0); };
  for (std::size_t p = 0; p < n; ++p) living += takes_part(p);
  const auto failed = [&](std::size_t i) {
    return std::find(failure.devices.begin(), failure.devices.end(), static_cast<std::int16_t>(i)) !=
           failure.devices.end();
  };

  std::size_t cord = 0;
  SupplyLoad left;  // of the busbar, without the devices that failed
  for (std::size_t i = 0; i < rack.devices.size(); ++i) {
    const bool shelves = busbar && i == static_cast<std::size_t>(rack.busbar);
    if (shelves) left = rest_of_busbar(rack, failed);
    const SupplyLoad& d = shelves ? left : rack.devices[i];
    const std::size_t first = cord;
    while (cord < rack.cords.size() && rack.cords[cord].device == static_cast<std::int16_t>(i)) ++cord;
    if (failed(i)) {
      state.devices.push_back({SupplyState::dead, 0});
      continue;
    }
    if (n == 0 || (d.supplies == 0 && d.watts <= 0)) {  // nobody says what feeds it
      state.devices.push_back({SupplyState::runs, d.watts});
      continue;
    }
    if (first == cord) {  // its supplies are not stated
      state.devices.push_back(living > 0 ? SupplyResult{SupplyState::runs, d.watts}
                                         : SupplyResult{SupplyState::dead, 0});
      for (std::size_t p = 0; p < n && living > 0; ++p)
        if (takes_part(p)) state.position_watts[p] += d.watts / static_cast<double>(living);
      continue;
    }
    const auto works = [&](std::size_t k) {
      return lives(static_cast<std::size_t>(rack.cords[k].position)) &&
             std::find(failure.cords.begin(), failure.cords.end(), static_cast<std::int32_t>(k)) == failure.cords.end();
    };
    std::int64_t alive = 0;
    for (std::size_t k = first; k < cord; ++k) alive += works(k);
    const SupplyResult result = on_supplies(d, alive);
    state.devices.push_back(result);
    if (alive == 0) continue;
    for (std::size_t k = first; k < cord; ++k)
      if (works(k))
        state.position_watts[static_cast<std::size_t>(rack.cords[k].position)] +=
            result.watts / static_cast<double>(alive);
  }
  if (!busbar) return;
  for (std::size_t i = 0; i < rack.devices.size(); ++i)
    if (rack.from_busbar(i) && !failed(i))
      state.devices[i].state = state.devices[static_cast<std::size_t>(rack.busbar)].state;
}

Breaker pdu_breaker(const Cluster& c, const PduPart& p) {
  Breaker b;
  if (const auto v = pdu_rating(c, p)) b.continuous = b.trip = v->value;
  if (p.breaker && p.voltage && p.phases)
    b.trip = std::max(b.continuous, continuous_rating(*p.phases, *p.voltage, *p.breaker, 1).value);
  return b;
}

Breaker feed_breaker(const Cluster& c, const FeedModel& f) {
  Breaker b;
  if (!f.capacity) return b;
  b.continuous = b.trip = f.capacity->value;
  if (const double share = f.spec ? continuous_share(c, f.spec->continuous) : c.continuous_factor;
      f.capacity.origin == Origin::derived && share > 0)
    b.trip /= share;  // it was derived from the breaker
  return b;
}

Breaker panel_breaker(const Cluster& c, const PanelModel& p) {
  Breaker b;
  if (!c.spec.site || !c.spec.site->supply || !p.spec || !p.spec->breaker || c.continuous_factor == 0) return b;
  const Supply& supply = *c.spec.site->supply;
  if (!supply.phases || !supply.voltage) return b;
  const double share = continuous_share(c, p.spec->continuous);
  b.continuous = continuous_rating(*supply.phases, *supply.voltage, *p.spec->breaker, share).value;
  b.trip = b.continuous / share;
  return b;
}

UpsModules ups_modules(const FeedModel& f) {
  UpsModules u;
  if (!f.ups || !f.spec || !f.spec->ups) return u;
  u.modules = f.spec->ups->modules.value_or(1);
  u.spare = std::min(f.spec->ups->spare.value_or(0), u.modules);
  if (f.ups->power) u.watts = f.ups->power->value;
  if (f.ups->apparent) u.va = f.ups->apparent->value;
  return u;
}

}  // namespace clusterc
