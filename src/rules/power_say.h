// What the rules of the power family share when they speak.
#pragma once
#include <cmath>

#include "model/power_cap.h"
#include "plan/power.h"
#include "rules/say.h"

namespace clusterc {

// What of a feed's load at its breaker is lost in its UPS.
inline void note_ups_loss(Finding& f, const FeedModel& feed, VoltAmperes load) {
  const VoltAmperes drawn = at_breaker(feed, load);
  if (drawn > load) f.note(feed.spec->ups->model.span, format("{} behind the UPS / {:.4g} efficiency = {}", to_text(load), *feed.ups->efficiency, to_text(drawn)));
}

// "`power_cap: 9.8 kW` on each node of 'gpu'", where `most` for each node is enough: rounded down to a tenth of a kilowatt (below 1 kW to 10 W). Empty where
// no such cap helps: the node draws no more as it is, or does not run on it, or nobody knows whether it does and it is less than half.
inline std::string cap_help(const NodeGroupModel& g, Watts most) {
  const double step = most.value < 1000 ? 10 : 100;
  const Watts cap(std::floor(most.value / step * (1 + kRounding)) * step);
  const Value<Watts> now = g.server.power;
  if (!now || cap.value <= 0 || cap >= *now || g.server.virtual_machine || g.server.instance) return "";
  const std::optional<LeastPower> least = least_power(g.server);
  if (least ? cap < least->watts : cap.value < now->value / 2) return "";
  const Value<Watts> need = working_power(g.server);
  return format("`power_cap: {}` on each node of '{}'{}", to_text(cap), g.name, need && cap < *need ? format(", which slows it down: its parts take {}", to_text(*need)) : std::string());
}

}  // namespace clusterc
