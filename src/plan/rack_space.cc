#include "plan/rack_space.h"

#include <algorithm>

#include "plan/power/busbar.h"
#include "plan/power/rack_limits.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr std::int32_t kAnyNumber = 1 << 20;  // of outlets, where nobody states them

// A kind of plug for which there is no outlet at all is left to power-plug-outlet-mismatch.
Outlets outlets_of_rack(const RackGroupModel& g) {
  std::vector<double> c13, c19, either;
  bool known = !g.pdus.empty();
  for (const PduModel& p : g.pdus) {
    const Outlets o = p.part ? outlets_of(*p.part) : Outlets{};
    known = known && o.known;
    c13.push_back(static_cast<double>(o.c13));
    c19.push_back(static_cast<double>(o.c19));
    either.push_back(static_cast<double>(o.either));
  }
  Outlets all;
  all.c13 = all.c19 = kAnyNumber;
  if (!known) return all;
  all.either = static_cast<std::int64_t>(shared_evenly(g, -2, either));
  const auto sum = [&](const std::vector<double>& each) {
    const auto n = static_cast<std::int64_t>(shared_evenly(g, -2, each));
    return n + all.either > 0 ? n : kAnyNumber;
  };
  all.c13 = sum(c13);
  all.c19 = sum(c19);
  return all;
}

}  // namespace

void RackSpace::set_up() {
  plan_.racks.resize(static_cast<std::size_t>(c_.rack_count));
  state_.assign(plan_.racks.size(), {});
  busbars_.assign(plan_.racks.size(), {});
  for (const RackGroupModel& g : c_.racks) {
    const RackLimits limits = rack_limits(c_, g);
    const std::int64_t units = g.part ? std::min(g.part->units.value_or(0), kMostUnits) : 0;
    const double carries =
        g.part && g.part->static_load ? g.part->static_load->value : std::numeric_limits<double>::infinity();
    const Outlets outlets = outlets_of_rack(g);
    for (std::int64_t i = 0; i < g.count; ++i) {
      state_[g.first + i] = {(std::uint64_t{1} << units) - 1,
                             limits.normal.value,
                             limits.survives.value,
                             carries,
                             carries,
                             static_cast<std::int32_t>(outlets.c13),
                             static_cast<std::int32_t>(outlets.c19),
                             static_cast<std::int32_t>(outlets.either)};
      RackPlan& r = plan_.racks[g.first + i];
      r.weight_complete = g.part && g.part->weight;
      if (const auto busbar = busbar_limits(g)) busbars_[g.first + i] = {busbar->normal.value, busbar->survives.value};
    }
    if (g.spec) occupied(g);
    for (std::int64_t i = 0; i < g.count; ++i) mount_pdus(g, state_[g.first + i]);
  }
  lines_.emplace(plan_);
  for (const RackGroupModel& g : c_.racks)
    for (std::int64_t i = 0; g.spec && !g.spec->occupied.empty() && i < g.count; ++i) lines_->set_apart(g.first + i);
  for (const AssemblyGroupModel& a : c_.assemblies)
    for (std::int64_t i = 0; i < a.count; ++i) {
      RackPlan& r = plan_.racks[a.first + i];
      r.weight_complete = a.part && a.part->weight;
      if (a.part && a.part->power)
        r.power = r.typical = *a.part->power;
      else
        r.power_complete = false;
    }
}

void RackSpace::mount_pdus(const RackGroupModel& g, RackState& s) {
  for (const PduModel& p : g.pdus) {
    const std::int64_t units = p.part ? p.part->units.value_or(0) : 0;
    const std::uint64_t at = units > 0 ? runs(s.free, units) : 0;
    if (at) s.free &= ~(((std::uint64_t{1} << units) - 1) << (63 - __builtin_clzll(at)));
  }
}

void RackSpace::occupied(const RackGroupModel& g) {
  for (const Occupied& o : g.spec->occupied)
    for (const std::int64_t i : g.racks_of(o)) {
      RackState& s = state_[g.first + i];
      RackPlan& r = plan_.racks[g.first + i];
      for (const Value<UnitRange>& range : o.units) {
        if (!range) continue;
        const std::int64_t first = std::clamp<std::int64_t>(range->first, 1, kMostUnits),
                           last = std::clamp(range->last, first, kMostUnits);
        for (std::int64_t u = first; u <= last; ++u) s.free &= ~(std::uint64_t{1} << (u - 1));
        r.devices.push_back({.kind = DeviceKind::occupied,
                             .group = static_cast<std::int32_t>(&g - c_.racks.data()),
                             .index = i,
                             .unit = static_cast<std::int16_t>(first),
                             .units = static_cast<std::int16_t>(last - first + 1)});
      }
      const double watts = o.power.value_or(Watts(0)).value, kilograms = o.weight.value_or(Kilograms(0)).value;
      s.normal -= watts;
      s.survives -= watts;
      s.carries -= kilograms;
      add(g.first + i, watts, watts, kilograms);
      if (!o.power) r.power_complete = false;
      if (!o.weight) r.weight_complete = false;
      formula_air_watts(g.first + i) += o.power.value_or(Watts(0)).value;
    }
}

void RackSpace::add(std::int64_t rack, double watts, double typical, double kilograms) {
  plan_.racks[rack].power += Watts(watts);
  plan_.racks[rack].typical += Watts(typical);
  plan_.racks[rack].devices_weight += Kilograms(kilograms);
}

void RackSpace::keep_free(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d) {
  RackState& s = state_[rack];
  s.free &= ~(((std::uint64_t{1} << d.units) - 1) << (unit - 1));
  s.normal -= d.watts;
  s.survives -= d.after_loss;
  s.carries -= d.kilograms;
  if (d.busbar) busbars_[rack].normal -= d.watts, busbars_[rack].survives -= d.watts;
  for (const auto& [cords, outlets] : {std::pair{d.c13, &s.c13}, std::pair{d.c19, &s.c19}}) {
    const auto plain = static_cast<std::int32_t>(std::min<std::int64_t>(cords, *outlets));
    *outlets -= plain;
    s.either -= static_cast<std::int32_t>(cords) - plain;
  }
}

void RackSpace::keep_place(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d) {
  keep_free(rack, unit, d);
  kept_rack_[{d.kind, d.group}].push_back(static_cast<std::int32_t>(rack));
  plan_.racks[rack].kept.push_back(racked(d, -1, unit));
  lines_->put(rack, plan_.racks[rack].kept.back(), true);
}

void RackSpace::put(std::int64_t rack, std::int64_t unit, const DeviceNeeds& d, std::int64_t index) {
  keep_free(rack, unit, d);
  add(rack, d.watts, d.typical, d.kilograms);
  RackPlan& r = plan_.racks[rack];
  r.power_complete = r.power_complete && d.power_known;
  r.weight_complete = r.weight_complete && d.weight_known;
  r.liquid_heat += Watts(d.watts * d.liquid_share);
  if (d.airflow_known)
    r.airflow += AirFlow(d.airflow);
  else
    formula_air_watts(rack) += d.watts * (1 - d.liquid_share);
  r.devices.push_back(racked(d, index, unit));
  lines_->put(rack, r.devices.back(), false);
  if (d.kind == DeviceKind::node) {
    plan_.node_rack[index] = static_cast<std::int32_t>(rack);
    plan_.node_unit[index] = static_cast<std::int16_t>(unit);
  } else if (d.kind == DeviceKind::switch_) {
    const std::int64_t n = plan_.fabrics[d.group].first_switch + index;
    plan_.switch_rack[n] = static_cast<std::int32_t>(rack);
    plan_.switch_unit[n] = static_cast<std::int16_t>(unit);
  }
}

void RackSpace::weigh() {
  for (const RackGroupModel& g : c_.racks)
    for (std::int64_t i = 0; i < g.count; ++i) {
      RackPlan& r = plan_.racks[g.first + i];
      if (!r.devices.empty() || r.devices_weight.value > 0) r.load = r.devices_weight * (1 + kRailShare) + kRackCables;
      r.weight = r.load + (g.part ? g.part->weight.value_or(Kilograms(0)) : Kilograms(0));
    }
  for (const AssemblyGroupModel& a : c_.assemblies)
    for (std::int64_t i = 0; i < a.count; ++i) {
      RackPlan& r = plan_.racks[a.first + i];
      r.load = r.weight = r.devices_weight + (a.part ? a.part->weight.value_or(Kilograms(0)) : Kilograms(0));
    }
}

}  // namespace clusterc
