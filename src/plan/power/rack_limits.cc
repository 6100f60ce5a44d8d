#include "plan/power/rack_limits.h"

#include <algorithm>

#include "model/power.h"
#include "plan/power/cords.h"
#include "plan/power/power_chain.h"
#include "spec/site.h"

namespace clusterc {

double power_factor(const Cluster& c) {
  constexpr double kPowerFactor = 0.96;  // active correction near full load; the language's default (spec/site.h)
  return c.spec.site && c.spec.site->supply ? c.spec.site->supply->power_factor.value_or(kPowerFactor) : kPowerFactor;
}

Value<VoltAmperes> pdu_rating(const Cluster& c, const PduPart& p) {
  if (p.apparent) return p.apparent;
  if (!p.voltage || !p.phases) return {};
  if (p.continuous)
    return Value<VoltAmperes>::derived(continuous_rating(*p.phases, *p.voltage, *p.continuous, 1),
                                       "its continuous current");
  if (p.breaker && c.continuous_factor > 0)
    return Value<VoltAmperes>::derived(continuous_rating(*p.phases, *p.voltage, *p.breaker, c.continuous_factor),
                                       "its breaker, continuous load of the region");
  return {};
}

double shared_evenly(const RackGroupModel& g, int lost, const std::vector<double>& each) {
  double smallest = std::numeric_limits<double>::infinity(), of_feed = smallest;
  std::int64_t alive = 0, feeds = 0;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (g.pdus[i].dies_with(lost)) continue;
    ++alive;
    smallest = std::min(smallest, each[i]);
    bool first = true;
    double least = each[i];
    std::int64_t here = 0;
    for (std::size_t k = 0; k < each.size(); ++k)
      if (g.pdus[k].feed == g.pdus[i].feed) {
        first = first && k >= i;
        least = std::min(least, each[k]);
        ++here;
      }
    if (!first) continue;
    ++feeds;
    of_feed = std::min(of_feed, least * static_cast<double>(here));
  }
  return std::min(smallest * static_cast<double>(alive), of_feed * static_cast<double>(feeds));
}

std::optional<RackLimits> busbar_limits(const RackGroupModel& g) {
  if (!g.spec || !g.spec->busbar || !g.spec->busbar->shelf_power || g.shelves.empty()) return std::nullopt;
  const Busbar& busbar = *g.spec->busbar;
  std::int64_t all = 0;
  for (const auto& [feed, shelves] : g.shelves) all += shelves;
  std::int64_t left = all - std::min(all, busbar.spare.value_or(0));
  for (const auto& [feed, shelves] : g.shelves)
    if (shelves < all) left = std::min(left, all - shelves);
  const Watts each = *busbar.shelf_power / busbar.efficiency.value_or(kSupplyEfficiency);
  RackLimits limits;
  limits.normal = each * static_cast<double>(all);
  limits.survives = each * static_cast<double>(left);
  return limits;
}

RackLimits pdu_limits(const Cluster& c, const RackGroupModel& g) {
  RackLimits limits;
  const double pf = power_factor(c);
  std::vector<double> rating;
  for (const PduModel& p : g.pdus) {
    const Value<VoltAmperes> v = p.part ? pdu_rating(c, *p.part) : Value<VoltAmperes>();
    rating.push_back(v ? v->value * pf : std::numeric_limits<double>::infinity());
  }
  if (!rating.empty()) {
    limits.normal = Watts(shared_evenly(g, -2, rating));
    limits.survives = limits.normal;
    for (std::size_t lost = 0; lost < c.feeds.size(); ++lost)
      if (std::any_of(g.pdus.begin(), g.pdus.end(),
                      [&](const PduModel& p) { return !p.dies_with(static_cast<int>(lost)); }))
        limits.survives = std::min(limits.survives, Watts(shared_evenly(g, static_cast<int>(lost), rating)));
  }
  if (const auto busbar = busbar_limits(g)) {  // beside what PDUs do
    const bool alone = g.pdus.empty();
    limits.normal = (alone ? Watts(0) : limits.normal) + busbar->normal;
    limits.survives = (alone ? Watts(0) : limits.survives) + busbar->survives;
  }
  return limits;
}

RackLimits rack_limits(const Cluster& c, const RackGroupModel& g) {
  RackLimits limits = pdu_limits(c, g);
  if (g.spec && g.spec->budget) {
    limits.normal = std::min(limits.normal, *g.spec->budget);
    limits.survives = std::min(limits.survives, *g.spec->budget);
  }
  return limits;
}

// Cords are dealt evenly over the feeds (plan/power/power_chain.h).
Watts after_feed_loss(const Plan& plan, const RackGroupModel& racks, const RackedDevice& d) {
  const SupplyLoad load = supply_load(plan, d);
  const PsuSet* psus = supplies_of(plan, d);
  std::vector<int> feeds;
  for (const PduModel& p : racks.pdus)
    if (std::ranges::find(feeds, p.feed) == feeds.end()) feeds.push_back(p.feed);
  const auto n = static_cast<std::int64_t>(feeds.size());
  if (!psus || n < 2) return Watts(load.watts);
  const std::int64_t count = *psus->count;
  return Watts(std::max(load.watts, on_supplies(load, count - (count + n - 1) / n).watts));
}

bool budget_decides(const Cluster& c, const RackGroupModel& g) {
  return g.spec && g.spec->budget && *g.spec->budget < pdu_limits(c, g).normal;
}

}  // namespace clusterc
