// Loads in the normal state and after the loss of one feed.
//
// What hangs on which PDU, and how a device's load moves to the supplies that are left, is in plan/power/power_chain.h.
// A device all of whose supplies hang on the lost feed is dead and no load to anybody; so is one that what is left
// cannot carry even idle. What a feed carries after the loss of another is what it carried plus what moved over; only
// racks that use both matter. Example: four nodes of 10.2 kW at 0.96 on three PDUs: 14.2 kVA each; two PDUs carry 21.25
// kVA x 1.0123 (supplies at 73 % of their load).
#include "plan/power/power.h"

#include <algorithm>
#include <cmath>

#include "model/rounding.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power_chain.h"
#include "plan/power/rack_limits.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {

double air_density_ratio(Meters altitude) { return std::pow(1 - 2.25577e-5 * altitude.value, 5.2559); }

AirFlow air_for(Watts p, double rise, double density_ratio) {
  return AirFlow(p.value / (kAirDensity * density_ratio * kAirHeat * rise));
}

VoltAmperes Plan::apparent(Watts w) const { return VoltAmperes(w.value / power_factor(*cluster)); }

CoolingUnits cooling_units(const ZoneModel& z) {
  CoolingUnits u;
  const CoolingZone& s = *z.spec;
  u.cdu = s.method.value == CoolingMethod::liquid && s.cdus.has_value();
  if (u.cdu) {
    u.units = s.cdus->count.value_or(1);
    if (z.cdu && z.cdu->heat) u.heat = z.cdu->heat->value;
    return u;
  }
  u.units = s.units.value_or(1);
  if (s.each && s.each->heat)
    u.heat = s.each->heat->value;
  else if (z.part && z.part->heat)
    u.heat = z.part->heat->value;
  if (s.airflow)
    u.airflow = s.airflow->value / static_cast<double>(std::max<std::int64_t>(1, u.units));  // of the whole zone
  else if (s.each && s.each->airflow)
    u.airflow = s.each->airflow->value;
  else if (!s.airflow.unknown && z.part && z.part->airflow)
    u.airflow = z.part->airflow->value;
  return u;
}

const std::vector<Value<std::string>>& CoolingUnits::feeds(const ZoneModel& z) const {
  return cdu && !z.spec->cdus->feeds.empty() ? z.spec->cdus->feeds : z.spec->feeds;
}

namespace {

struct FeedSums {
  std::vector<double> normal, moved;  // VA; moved[lost * n + on]: what comes over to `on` when `lost` fails
  std::vector<OnLines> on, moved_on;  // likewise: of single-phase PDUs, by line
  std::size_t n;
  explicit FeedSums(std::size_t feeds)
      : normal(feeds, 0), moved(feeds * feeds, 0), on(feeds), moved_on(feeds * feeds), n(feeds) {}

  // A load of `va` spread over sources, counts[f] of them on feed f, `all` in total (some may hang on no declared
  // feed).
  void add(double va, const std::vector<std::int64_t>& counts, std::int64_t all) {
    if (all <= 0) return;
    const double each = va / static_cast<double>(all);
    for (std::size_t f = 0; f < n; ++f) normal[f] += each * static_cast<double>(counts[f]);
    for (std::size_t lost = 0; lost < n; ++lost) {
      if (counts[lost] == 0 || counts[lost] == all) continue;
      const double more = va / static_cast<double>(all - counts[lost]) - each;
      for (std::size_t kept = 0; kept < n; ++kept)
        if (kept != lost) moved[lost * n + kept] += more * static_cast<double>(counts[kept]);
    }
  }
};

// The PDUs of every rack of a class, and what the class adds to each feed.
void class_loads(const Plan& plan, const PowerClass& k, const FeedLines& lines, FeedSums& feeds,
                 std::vector<PduLoad>& pdus) {
  const PowerRack& rack = k.rack;
  const std::size_t n = rack.positions.size();
  const auto racks = static_cast<double>(k.racks.size());
  const FeedLines::Counts counts = lines.racks_on_lines(k);
  PowerState normal, after;
  evaluate(rack, {}, normal);
  const auto va = [&](double watts) { return plan.apparent(Watts(watts)); };
  pdus.clear();
  for (std::size_t p = 0; p < n; ++p) {
    const std::int16_t feed = rack.positions[p].feed;
    PduLoad load{.pdu = rack.positions[p].pdu, .feed = feed};
    load.normal = load.worst = va(normal.position_watts[p]);
    load.cords_c13 = rack.cords_c13[p];
    load.cords_c19 = rack.cords_c19[p];
    pdus.push_back(load);
    if (feed < 0) continue;
    feeds.normal[feed] += load.normal.value * racks;
    lines.add(k, p, counts[p], load.normal.value, feeds.on[feed]);
  }
  for (std::size_t lost = 0; lost < feeds.n; ++lost) {
    const int gone = static_cast<int>(lost);
    PowerFailure failure;
    bool changed_over = false;  // by a transfer switch
    for (std::size_t p = 0; p < n; ++p) {
      if (rack.positions[p].dies_with(gone)) failure.positions |= std::uint64_t{1} << p;
      changed_over = changed_over || rack.positions[p].feed == gone;
    }
    if (failure.none() && !changed_over) continue;
    evaluate(rack, failure, after);
    for (std::size_t p = 0; p < n; ++p) {
      if (rack.positions[p].dies_with(gone)) continue;
      const std::int16_t feed = rack.positions[p].feed_without(gone);
      const VoltAmperes then = va(after.position_watts[p]);
      if (feed >= 0) {
        const std::size_t to = lost * feeds.n + static_cast<std::size_t>(feed);
        const double more = feed == rack.positions[p].feed ? (then - pdus[p].normal).value : then.value;
        feeds.moved[to] += more * racks;
        lines.add(k, p, counts[p], more, feeds.moved_on[to]);
      }
      if (then > pdus[p].worst) {
        pdus[p].worst = then;
        pdus[p].worst_lost_feed = static_cast<std::int16_t>(lost);
      }
    }
  }
}

// Coolant distribution units, evenly from their feeds.
void add_cdus(const Cluster& c, FeedSums& feeds) {
  for (const ZoneModel& z : c.zones) {
    if (!z.spec || !z.spec->cdus || !z.cdu || !z.cdu->power) continue;
    std::vector<std::int64_t> on(c.feeds.size(), 0);
    std::int64_t all = 0;
    for (const Value<std::string>& name : z.spec->cdus->feeds)
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name) {
          ++on[f];
          ++all;
        }
    feeds.add(z.cdu->power->value * static_cast<double>(z.spec->cdus->count.value_or(1)) / power_factor(c), on, all);
  }
}

}  // namespace

void plan_power(Plan& plan) {
  const Cluster& c = *plan.cluster;
  const double pf = power_factor(c);
  const Meters altitude = c.spec.site ? c.spec.site->altitude.value_or(Meters(0)) : Meters(0);
  const double density = air_density_ratio(altitude);
  FeedSums feeds(c.feeds.size());
  plan.zones.assign(c.zones.size(), {});

  for (RackPlan& r : plan.racks) {
    r.heat = r.power;
    // Stated airflow is that of sea level: thinner air takes more of it, as cool-airflow-below-demand has it.
    r.airflow = AirFlow(r.airflow.value / density) + air_for(r.unstated_airflow_power, kUnstatedAirRise, density);
  }
  for (const RackGroupModel& g : c.racks)
    for (std::int64_t i = 0; i < g.count; ++i) {
      RackPlan& r = plan.racks[g.first + i];
      if (g.cooling >= 0) {
        plan.zones[g.cooling].heat += r.heat - r.liquid_heat;
        plan.zones[g.cooling].airflow += r.airflow;
      }
      if (g.liquid >= 0) plan.zones[g.liquid].heat += r.liquid_heat;
    }
  for (const AssemblyGroupModel& a : c.assemblies) {
    for (std::int64_t i = 0; i < a.count; ++i) {
      RackPlan& r = plan.racks[a.first + i];
      r.liquid_heat = r.heat * (a.part ? a.part->liquid_share.value_or(0) : 0);
      const Watts air_heat = r.heat - r.liquid_heat;
      r.airflow = air_for(air_heat, kUnstatedAirRise, density);
      if (a.liquid >= 0) plan.zones[a.liquid].heat += r.liquid_heat;
      if (a.air >= 0) {
        plan.zones[a.air].heat += air_heat;
        plan.zones[a.air].airflow += r.airflow;
      }
    }
  }
  for (const NodeGroupModel& g : c.nodes)
    if (g.cooling >= 0) {
      const Watts heat = power_outside_racks(c, g);
      const AirFlow stated = g.server.airflow.value_or(AirFlow(0)) * static_cast<double>(g.count);
      plan.zones[g.cooling].heat += heat;
      plan.zones[g.cooling].airflow +=
          g.server.airflow ? AirFlow(stated.value / density) : air_for(heat, kUnstatedAirRise, density);
    }
  std::vector<std::size_t> first_pdu(plan.racks.size() + 1, 0);
  for (const RackGroupModel& g : c.racks)
    for (std::int64_t i = 0; i < g.count; ++i) first_pdu[g.first + i + 1] = g.pdus.size();
  for (std::size_t r = 0; r < plan.racks.size(); ++r) first_pdu[r + 1] += first_pdu[r];
  plan.pdus.resize(first_pdu.back());
  std::vector<PduLoad> pdus;
  const FeedLines lines(c);
  for (const PowerClass& k : plan.power_classes()) {
    class_loads(plan, k, lines, feeds, pdus);
    if (k.assembly) continue;
    for (const std::int32_t rack : k.racks)
      for (std::size_t p = 0; p < pdus.size() && pdus[p].pdu >= 0; ++p) {
        PduLoad& load = plan.pdus[first_pdu[static_cast<std::size_t>(rack)] + p] = pdus[p];
        load.rack = rack;
      }
  }
  add_cdus(c, feeds);

  plan.feeds.assign(c.feeds.size(), {});
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    FeedLoad& load = plan.feeds[f];
    const double in_use = c.feeds[f].spec ? c.feeds[f].spec->in_use.value_or(Watts(0)).value : 0;
    load.normal = load.worst = VoltAmperes(feeds.normal[f] + in_use / pf);
    load.power = Watts(load.normal.value * pf);
    for (std::size_t lost = 0; lost < feeds.n; ++lost)
      if (const VoltAmperes then = load.normal + VoltAmperes(feeds.moved[lost * feeds.n + f]); then > load.worst) {
        load.worst = then;
        load.worst_lost_feed = static_cast<int>(lost);
      }
  }

  // Racks hold all that draws power, where there are racks; nodes that stand nowhere are counted by themselves.
  for (const RackPlan& r : plan.racks) {
    plan.it_power += r.power;
    plan.it_typical += r.typical;
  }
  for (const NodeGroupModel& g : c.nodes) {
    plan.gpu_count += g.count * g.server.gpu_count;
    const Watts power = power_outside_racks(c, g);
    if (power.value <= 0) continue;
    plan.it_power += power;
    plan.it_typical += g.server.power_typical.value_or(*g.server.power) * static_cast<double>(g.count);
  }
}

std::vector<LineLoad> feed_line_loads(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  const FeedLines lines(c);
  std::vector<LineLoad> out;
  FeedSums feeds(c.feeds.size());
  std::vector<PduLoad> pdus;
  for (const PowerClass& k : plan.power_classes()) class_loads(plan, k, lines, feeds, pdus);
  add_cdus(c, feeds);
  for (std::size_t f = 0; f < feeds.n; ++f) {
    const auto fullest = [&](const OnLines& on, VoltAmperes all) {
      return c.feeds[f].ups ? all : VoltAmperes(on.fullest(all.value));
    };
    LineLoad& load = out.emplace_back();
    load.normal = load.worst = fullest(feeds.on[f], plan.feeds[f].normal);
    for (std::size_t lost = 0; lost < feeds.n; ++lost) {
      const std::size_t at = lost * feeds.n + f;
      const VoltAmperes then =
          fullest(feeds.on[f] + feeds.moved_on[at], plan.feeds[f].normal + VoltAmperes(feeds.moved[at]));
      if (lost == f || !above(then.value, load.worst.value)) continue;
      load.worst = then;
      load.worst_lost_feed = static_cast<int>(lost);
    }
  }
  return out;
}

VoltAmperes at_breaker(const FeedModel& feed, VoltAmperes load) {
  return feed.ups ? load / feed.ups->efficiency.value_or(1) : load;
}

GeneratorLoad generator_load(const Plan& plan, int generator) {
  const Cluster& c = *plan.cluster;
  GeneratorLoad out;
  for (std::size_t i = 0; i < c.feeds.size() && i < plan.feeds.size(); ++i) {
    if (c.feeds[i].generator != generator) continue;
    out.feeds.push_back(static_cast<int>(i));
    out.power += Watts(at_breaker(c.feeds[i], plan.feeds[i].normal).value * power_factor(c));
  }
  if (out.feeds.size() != 1) return out;
  const FeedLoad& load = plan.feeds[static_cast<std::size_t>(out.feeds[0])];
  if (load.worst_lost_feed < 0 || load.worst <= load.normal) return out;
  out.power = Watts(at_breaker(c.feeds[static_cast<std::size_t>(out.feeds[0])], load.worst).value * power_factor(c));
  out.lost = load.worst_lost_feed;
  return out;
}

namespace {

std::vector<FeedLoad> panel_loads(const Plan& plan, std::vector<LineLoad>& on_lines) {
  const Cluster& c = *plan.cluster;
  const std::size_t n = c.panels.size();
  std::vector<FeedLoad> out(n);
  on_lines.assign(n, {});
  if (n == 0) return out;
  const double pf = power_factor(c);
  std::vector<std::vector<double>> after(c.feeds.size(), std::vector<double>(n, 0));  // VA, by the feed that is lost
  std::vector<OnLines> on(n);
  std::vector<std::vector<OnLines>> on_after(c.feeds.size(), on);
  const FeedLines lines(c);
  PowerState state;
  for (const PowerClass& k : plan.power_classes()) {
    const PowerRack& rack = k.rack;
    if (std::none_of(rack.positions.begin(), rack.positions.end(),
                     [](const PowerPosition& p) { return p.panel >= 0 || p.other_panel >= 0; }))
      continue;
    const auto racks = static_cast<double>(k.racks.size());
    evaluate(rack, {}, state);
    const std::vector<double> normal = state.position_watts;
    const FeedLines::Counts counts = lines.racks_on_lines(k);
    for (std::size_t p = 0; p < normal.size(); ++p)
      if (rack.positions[p].panel >= 0) {
        lines.add(k, p, counts[p], normal[p] / pf, on[static_cast<std::size_t>(rack.positions[p].panel)]);
        out[static_cast<std::size_t>(rack.positions[p].panel)].normal += VoltAmperes(normal[p] * racks / pf);
        out[static_cast<std::size_t>(rack.positions[p].panel)].power += Watts(normal[p] * racks);
      }
    for (std::size_t lost = 0; lost < after.size(); ++lost) {
      PowerFailure failure;
      for (std::size_t p = 0; p < normal.size(); ++p)
        if (rack.positions[p].dies_with(static_cast<int>(lost))) failure.positions |= std::uint64_t{1} << p;
      if (!failure.none()) evaluate(rack, failure, state);
      const std::vector<double>& then = failure.none() ? normal : state.position_watts;
      for (std::size_t p = 0; p < normal.size(); ++p)
        if (const std::int16_t panel = rack.positions[p].panel_without(static_cast<int>(lost)); panel >= 0) {
          after[lost][static_cast<std::size_t>(panel)] += then[p] * racks / pf;
          lines.add(k, p, counts[p], then[p] / pf, on_after[lost][static_cast<std::size_t>(panel)]);
        }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i].worst = out[i].normal;
    LineLoad& line = on_lines[i];
    line.normal = line.worst = VoltAmperes(on[i].fullest(out[i].normal.value));
    const auto dead = [&](std::size_t lost) {
      return static_cast<int>(lost) == c.panels[i].feed && c.panels[i].other_feed < 0;
    };
    for (std::size_t lost = 0; lost < after.size(); ++lost)
      if (const VoltAmperes then(on_after[lost][i].fullest(after[lost][i]));
          !dead(lost) && above(then.value, line.worst.value)) {
        line.worst = then;
        line.worst_lost_feed = static_cast<int>(lost);
      }
    for (std::size_t lost = 0; lost < after.size(); ++lost)
      if (!dead(lost) && above(after[lost][i], out[i].worst.value)) {
        out[i].worst = VoltAmperes(after[lost][i]);
        out[i].worst_lost_feed = static_cast<int>(lost);
      }
  }
  return out;
}

}  // namespace

std::vector<FeedLoad> panel_loads(const Plan& plan) {
  std::vector<LineLoad> on_lines;
  return panel_loads(plan, on_lines);
}

std::vector<LineLoad> panel_line_loads(const Plan& plan) {
  std::vector<LineLoad> on_lines;
  panel_loads(plan, on_lines);
  return on_lines;
}

namespace {

// Of one PDU with a switch of its own, in the units of its part.
double rating_before(const PduPart* part, const TransferSwitch& spec) {
  if (!part || !part->phases || !part->voltage || !spec.rating) return -1;
  return continuous_rating(*part->phases, *part->voltage, *spec.rating, 1).value;
}

void take_pdu(const Plan& plan, const PduLoad& load, TransferLoad& out) {
  const Cluster& c = *plan.cluster;
  const PduModel& m =
      c.racks[static_cast<std::size_t>(c.rack_group_of(load.rack))].pdus[static_cast<std::size_t>(load.pdu)];
  const double rating = rating_before(m.part, *c.transfers[static_cast<std::size_t>(m.transfer)].spec);
  const double most = std::max(load.normal.value, load.worst.value),
               before = std::max(out.normal.value, out.worst.value);
  if (out.rack >= 0 && most * std::max(out.rating, 1.0) <= before * std::max(rating, 1.0)) return;
  out = {load.normal, load.worst, load.worst_lost_feed, rating, static_cast<std::int32_t>(load.rack), load.pdu};
}

}  // namespace

std::vector<TransferLoad> transfer_loads(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  std::vector<TransferLoad> out(c.transfers.size());
  if (out.empty()) return out;
  const double pf = power_factor(c);
  const auto own = [&](int t) { return c.transfers[static_cast<std::size_t>(t)].spec->each_pdu.value_or(false); };
  for (std::size_t t = 0; t < out.size(); ++t) {
    const TransferSwitch& spec = *c.transfers[t].spec;
    const auto& supply = c.spec.site->supply;
    if (!own(static_cast<int>(t)) && spec.rating && supply && supply->phases && supply->voltage)
      out[t].rating = continuous_rating(*supply->phases, *supply->voltage, *spec.rating, 1).value;
  }
  for (const PduLoad& load : plan.pdus) {
    const int group = c.rack_group_of(load.rack);
    const int t = c.racks[static_cast<std::size_t>(group)].pdus[static_cast<std::size_t>(load.pdu)].transfer;
    if (t >= 0 && own(t)) take_pdu(plan, load, out[static_cast<std::size_t>(t)]);
  }
  // Those that several hang on: the sums in every state.
  std::vector<double> va(out.size());
  PowerState state;
  for (int lost = -1; lost < static_cast<int>(c.feeds.size()); ++lost) {
    va.assign(out.size(), 0);
    for (const PowerClass& k : plan.power_classes()) {
      PowerFailure failure;
      for (std::size_t p = 0; p < k.rack.positions.size(); ++p)
        if (lost >= 0 && k.rack.positions[p].dies_with(lost)) failure.positions |= std::uint64_t{1} << p;
      evaluate(k.rack, failure, state);
      for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
        const PowerPosition& at = k.rack.positions[p];
        const int before_panel = at.panel >= 0 ? c.panels[static_cast<std::size_t>(at.panel)].transfer : -1;
        for (const int t : {static_cast<int>(at.transfer), before_panel})
          if (t >= 0 && !own(t))
            va[static_cast<std::size_t>(t)] += state.position_watts[p] * static_cast<double>(k.racks.size()) / pf;
      }
    }
    for (std::size_t t = 0; t < out.size(); ++t) {
      if (own(static_cast<int>(t))) continue;
      if (lost < 0) out[t].normal = out[t].worst = VoltAmperes(va[t]);
      if (lost < 0 || !above(va[t], out[t].worst.value)) continue;
      out[t].worst = VoltAmperes(va[t]);
      out[t].lost = lost;
    }
  }
  return out;
}

Watts power_outside_racks(const Cluster& c, const NodeGroupModel& g) {
  if (g.racks >= 0 || g.assembly >= 0 || !c.own_site || g.server.virtual_machine || g.server.instance ||
      !g.server.power)
    return Watts(0);
  return *g.server.power * static_cast<double>(g.count);
}

WallLoad wall_load(const Cluster& c, const NodeGroupModel& g) {
  WallLoad out;
  if (!c.own_site || !g.spec || !g.spec->wall || g.racks >= 0 || g.assembly >= 0 || g.count == 0) return out;
  const WallCircuit& wall = *g.spec->wall;
  out.nodes = std::min(wall.nodes.value_or(1), g.count);
  out.circuits = (g.count + out.nodes - 1) / out.nodes;
  if (g.server.power) out.load = g.server.power->value / power_factor(c) * static_cast<double>(out.nodes);
  if (wall.voltage && wall.breaker && c.continuous_factor > 0)
    out.carries = continuous_rating(1, *wall.voltage, *wall.breaker, c.continuous_factor).value;
  return out;
}

Watts power_off_feeds(const Plan& plan) {
  Watts on{0};
  PowerState state;
  for (const PowerClass& k : plan.power_classes()) {
    evaluate(k.rack, {}, state);
    for (std::size_t p = 0; p < k.rack.positions.size(); ++p)
      if (k.rack.positions[p].feed >= 0) on += Watts(state.position_watts[p] * static_cast<double>(k.racks.size()));
  }
  return above(plan.it_power.value, on.value) ? plan.it_power - on : Watts(0);
}

SitePower site_power(const Plan& plan) {
  const Cluster& c = *plan.cluster;
  SitePower p;
  p.equipment = plan.it_power;
  for (std::size_t f = 0; f < c.feeds.size() && f < plan.feeds.size(); ++f) {
    if (!c.feeds[f].spec) continue;
    p.other += c.feeds[f].spec->in_use.value_or(Watts(0));
    p.ups_loss += plan.feeds[f].power * (at_breaker(c.feeds[f], VoltAmperes(1)).value - 1);
  }
  for (std::size_t i = 0; i < c.zones.size() && i < plan.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    if (!z.spec || plan.zones[i].heat.value <= 0) continue;
    const CoolingPart* unit = z.cdu ? z.cdu : z.part;
    const std::int64_t running = z.cdu ? z.spec->cdus->count.value_or(1) - z.spec->cdus->spare.value_or(0)
                                       : z.spec->units.value_or(1) - z.spec->spare.value_or(0);
    if (unit && unit->power)
      p.cooling += *unit->power * static_cast<double>(std::max<std::int64_t>(0, running));
    else
      p.cooling_known = false;
  }
  p.total = p.equipment + p.other + p.cooling + p.ups_loss;
  if (c.spec.site && c.spec.site->pue) {
    p.by_pue = true;
    p.total = p.equipment * *c.spec.site->pue + p.other;
  }
  return p;
}

LiquidFlow coolant_for(Watts heat, Kelvins rise, Fluid fluid) {
  constexpr double kWater = 14.4, kPg25 = 15.1;  // L/min for 1 kW at 1 K: 60 / 4.17 and 60 / 3.97 (kJ/(L K))
  constexpr double kCubicMetersPerSecondPerLiterPerMinute = 1e-3 / 60;
  return LiquidFlow((fluid == Fluid::pg25 ? kPg25 : kWater) * heat.value / 1000 / rise.value *
                    kCubicMetersPerSecondPerLiterPerMinute);
}

std::optional<FacilityWater> facility_water(const ZoneModel& z, Watts heat) {
  if (!z.spec || !z.spec->facility || !z.spec->facility->supply || !z.spec->supply || heat.value <= 0)
    return std::nullopt;
  FacilityWater w;
  w.coolant_back = Celsius(z.spec->supply->value + z.spec->rise.value_or(kCoolantRise).value);
  w.most_rise = Kelvins(w.coolant_back.value - z.spec->facility->supply->value);
  if (w.most_rise.value <= 0) return std::nullopt;
  w.least_flow = coolant_for(heat, w.most_rise, Fluid::water);
  return w;
}

Watts heat_at_approach(Watts rated, Kelvins rated_at, Kelvins approach) {
  return rated * std::clamp(approach / rated_at, 0.0, 1.0);
}

Celsius dew_point(Celsius t, double humidity) {
  constexpr double kB = 17.62, kC = 243.12;  // over water, -45 C to 60 C
  const double g = std::log(humidity) + kB * t.value / (kC + t.value);
  return Celsius(kC * g / (kB - g));
}

// Rows of `per_row`, one group after another, each from a new row: x along the row by rack width, y by the row pitch.
// `floor: { r01: C4 }` puts a rack in row C, place 4, of its own group's grid.
void plan_floor(Plan& plan) {
  const Cluster& c = *plan.cluster;
  constexpr std::int64_t kPerRow = 10;               // default of the language (spec/site.h)
  constexpr double kRackWidth = 0.6, kRowPitch = 3;  // m: EIA-310 cabinet; default of the language
  double y = 0;
  auto row = [&](std::int64_t first, std::int64_t count, std::int64_t per_row, double width, double pitch) {
    for (std::int64_t i = 0; i < count; ++i) {
      plan.racks[first + i].x = static_cast<float>(static_cast<double>(i % per_row) * width);
      plan.racks[first + i].y = static_cast<float>(y + static_cast<double>(i / per_row) * pitch);
    }
    y += static_cast<double>((count + per_row - 1) / per_row) * pitch;
  };
  for (const RackGroupModel& g : c.racks) {
    const double width = g.part ? g.part->width.value_or(Meters(kRackWidth)).value : kRackWidth;
    const double pitch = g.spec ? g.spec->row_pitch.value_or(Meters(kRowPitch)).value : kRowPitch, start = y;
    row(g.first, g.count, g.spec ? g.spec->per_row.value_or(kPerRow) : kPerRow, width, pitch);
    if (!g.spec) continue;
    for (const auto& place : g.spec->floor) {
      const std::int64_t i = g.names.index_of(place.name);
      const std::string at = place.value.value_or("");
      if (i < 0 || at.size() < 2 || at[0] < 'A' || at[0] > 'Z') continue;
      std::int64_t number = 0;
      for (std::size_t k = 1; k < at.size() && number < 100000; ++k)
        if (at[k] >= '0' && at[k] <= '9') number = number * 10 + (at[k] - '0');
      if (number < 1) continue;
      plan.racks[g.first + i].x = static_cast<float>(static_cast<double>(number - 1) * width);
      plan.racks[g.first + i].y = static_cast<float>(start + (at[0] - 'A') * pitch);
    }
  }
  for (const AssemblyGroupModel& a : c.assemblies)
    row(a.first, a.count, a.spec ? a.spec->per_row.value_or(kPerRow) : kPerRow,
        a.part ? a.part->width.value_or(Meters(kRackWidth)).value : kRackWidth, kRowPitch);
}

}  // namespace clusterc
