// Loads in the normal state and after the loss of one feed.
//
// The cords of a rack are spread evenly over its PDUs, so each of n PDUs carries S / n. When feed f is lost the PDUs that hang on it are dead and
// the others share: S / (n - n_f). A rack all of whose PDUs hang on f is dead and no load to anybody. The same holds for power shelves of an
// assembly. What a feed carries after the loss of another is what it carried plus what moved over; only racks that use both matter.
// Example: 40.8 kW at 0.96 = 42.5 kVA on three PDUs: 14.2 kVA each, 21.3 kVA after the loss of one feed.
#include "plan/power.h"

#include <algorithm>
#include <cmath>

#include "plan/placement.h"

namespace clusterc {

double air_density_ratio(Meters altitude) { return std::pow(1 - 2.25577e-5 * altitude.value, 5.2559); }

AirFlow air_for(Watts p, double rise, double density_ratio) { return AirFlow(p.value / (kAirDensity * density_ratio * kAirHeat * rise)); }

VoltAmperes Plan::apparent(Watts w) const { return VoltAmperes(w.value / power_factor(*cluster)); }

namespace {

struct FeedSums {
  std::vector<double> normal, moved;        // VA; moved[lost * n + on]: what comes over to `on` when `lost` fails
  std::size_t n;
  explicit FeedSums(std::size_t feeds) : normal(feeds, 0), moved(feeds * feeds, 0), n(feeds) {}

  // A load of `va` spread over sources, counts[f] of them on feed f, `all` in total (some may hang on no declared feed).
  void add(double va, const std::vector<std::int64_t>& counts, std::int64_t all) {
    if (all <= 0) return;
    const double each = va / static_cast<double>(all);
    for (std::size_t f = 0; f < n; ++f) normal[f] += each * static_cast<double>(counts[f]);
    for (std::size_t lost = 0; lost < n; ++lost) {
      if (counts[lost] == 0 || counts[lost] == all) continue;
      const double more = va / static_cast<double>(all - counts[lost]) - each;
      for (std::size_t on = 0; on < n; ++on)
        if (on != lost) moved[lost * n + on] += more * static_cast<double>(counts[on]);
    }
  }
};

void count_cords(const std::optional<PsuSet>& psus, std::int64_t& c13, std::int64_t& c19) {
  if (!psus || !psus->count || !psus->inlet) return;
  if (*psus->inlet == InletKind::c14) c13 += *psus->count;
  if (*psus->inlet == InletKind::c20) c19 += *psus->count;
}

void rack_pdus(Plan& plan, const RackGroupModel& g, std::int64_t rack, FeedSums& feeds) {
  const Cluster& c = *plan.cluster;
  const std::int64_t n = static_cast<std::int64_t>(g.pdus.size());
  if (n == 0) return;
  std::int64_t c13 = 0, c19 = 0;
  for (const RackedDevice& d : plan.racks[rack].devices) {
    if (d.kind == DeviceKind::node) count_cords(c.nodes[d.group].server.part.psus, c13, c19);
    if (d.kind == DeviceKind::storage) count_cords(c.storage[d.group].part->psus, c13, c19);
    if (d.kind == DeviceKind::switch_) count_cords(plan.fabrics[d.group].tiers[plan.switch_ref(d.group, d.index).tier].part->psus, c13, c19);
  }
  std::vector<std::int64_t> on_feed(c.feeds.size(), 0);
  for (const PduModel& p : g.pdus)
    if (p.feed >= 0) ++on_feed[p.feed];
  const double va = plan.apparent(plan.racks[rack].power).value;
  feeds.add(va, on_feed, n);
  for (std::int64_t i = 0; i < n; ++i) {
    PduLoad load{.rack = rack, .pdu = static_cast<std::int16_t>(i), .feed = static_cast<std::int16_t>(g.pdus[i].feed)};
    load.normal = load.worst = VoltAmperes(va / static_cast<double>(n));
    for (std::size_t lost = 0; lost < on_feed.size(); ++lost) {
      if (on_feed[lost] == 0 || static_cast<std::int64_t>(lost) == g.pdus[i].feed) continue;
      const VoltAmperes then(va / static_cast<double>(n - on_feed[lost]));
      if (then > load.worst) {
        load.worst = then;
        load.worst_lost_feed = static_cast<std::int16_t>(lost);
      }
    }
    load.cords_c13 = static_cast<std::int16_t>(c13 / n + (i < c13 % n));
    load.cords_c19 = static_cast<std::int16_t>(c19 / n + (i < c19 % n));
    plan.pdus.push_back(load);
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
      rack_pdus(plan, g, g.first + i, feeds);
      if (g.cooling >= 0) {
        plan.zones[g.cooling].heat += r.heat - r.liquid_heat;
        plan.zones[g.cooling].airflow += r.airflow;
      }
    }
  for (const AssemblyGroupModel& a : c.assemblies) {
    std::vector<std::int64_t> shelves(c.feeds.size(), 0);
    std::int64_t all = 0;
    for (const auto& [feed, count] : a.shelves) {
      if (feed >= 0) shelves[feed] += count;
      all += count;
    }
    for (std::int64_t i = 0; i < a.count; ++i) {
      RackPlan& r = plan.racks[a.first + i];
      r.liquid_heat = r.heat * (a.part ? a.part->liquid_share.value_or(0) : 0);
      const Watts air_heat = r.heat - r.liquid_heat;
      r.airflow = air_for(air_heat, kUnstatedAirRise, density);
      feeds.add(plan.apparent(r.power).value, shelves, all);
      if (a.liquid >= 0) plan.zones[a.liquid].heat += r.liquid_heat;
      if (a.air >= 0) {
        plan.zones[a.air].heat += air_heat;
        plan.zones[a.air].airflow += r.airflow;
      }
    }
  }
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
    feeds.add(z.cdu->power->value * static_cast<double>(z.spec->cdus->count.value_or(1)) / pf, on, all);
  }

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
    if (g.racks >= 0 || g.assembly >= 0 || !c.own_site || g.server.virtual_machine || g.server.instance || !g.server.power) continue;
    plan.it_power += *g.server.power * static_cast<double>(g.count);
    plan.it_typical += g.server.power_typical.value_or(*g.server.power) * static_cast<double>(g.count);
  }
}

// Rows of `per_row`, one group after another, each from a new row: x along the row by rack width, y by the row pitch. `floor: { r01: C4 }` puts a
// rack in row C, place 4, of its own group's grid.
void plan_floor(Plan& plan) {
  const Cluster& c = *plan.cluster;
  constexpr std::int64_t kPerRow = 10;                    // planning default
  constexpr double kRackWidth = 0.6, kRowPitch = 3;       // m: EIA-310 cabinet; default of the language (spec/site.h)
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
    row(a.first, a.count, a.spec ? a.spec->per_row.value_or(kPerRow) : kPerRow, a.part ? a.part->width.value_or(Meters(kRackWidth)).value : kRackWidth, kRowPitch);
}

}  // namespace clusterc
