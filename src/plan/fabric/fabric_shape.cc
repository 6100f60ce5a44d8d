#include "plan/fabric/fabric_shape.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace clusterc {
namespace {

// Ports up that D ports down need. 4/3 as a double is a little less than 4/3: the tolerance takes the rounding back.
std::int64_t uplinks_for(const FabricDemand& d, std::int64_t down) {
  down += d.beside_busy;
  return std::max<std::int64_t>(
      1,
      static_cast<std::int64_t>(std::ceil(static_cast<double>(down) / (d.oversubscription * d.uplink_speed) - 1e-9)));
}

// What is plugged into a cage runs all its ports at one rate.
bool fits(const FabricDemand& d, std::int64_t down, std::int64_t up) {
  down += d.beside;
  if (d.own_uplinks > 0) return down <= d.radix && up <= d.own_uplinks;
  return (d.uplink_speed > 1 ? ceil_div(down, d.cage) * d.cage : down) + up * d.uplink_ports <= d.radix;
}

std::int64_t units_for(const FabricDemand& d, std::int64_t down) {
  return std::max<std::int64_t>(1, ceil_div(slots_needed(d), down));
}

// Links up that fill a cage.
std::int64_t links_of_cage(const FabricDemand& d) {
  return d.own_uplinks > 0 ? 1 : std::max<std::int64_t>(1, d.cage / d.uplink_ports);
}

// Whether a cage of a leaf has ports down and ports up, or links to two spines where there are several to each.
bool tears_cages(const FabricDemand& d, const FabricShape& s) {
  if (d.own_uplinks > 0) return false;
  return ceil_div(s.down + d.beside, d.cage) * d.cage + s.up * d.uplink_ports > d.radix ||
         (s.links > 1 && s.links % links_of_cage(d) != 0);
}

void keep_smaller(const FabricDemand& d, std::optional<FabricShape>& best, const FabricShape& s) {
  if (!best || s.switches() < best->switches() ||
      (s.switches() == best->switches() && tears_cages(d, *best) && !tears_cages(d, s)))
    best = s;
}

// What the spec fixes is taken as it is: net-leaf-oversubscribed says what comes of it.
bool enough(const FabricDemand& d, std::int64_t need, std::int64_t links, std::int64_t spines) {
  return links * spines >= need || (d.links > 0 && d.spines > 0);
}

// Leaves of their own with links to each of so many spines: the fewest leaves, then the fewest links.
std::optional<OwnLeavesShape> own_leaves(const FabricDemand& d, const OwnLeavesDemand& own, std::int64_t spines) {
  if (own.slots == 0) return OwnLeavesShape{};
  FabricDemand leaf = d;
  leaf.beside = leaf.beside_busy = 0;
  leaf.oversubscription = own.oversubscription;
  std::optional<OwnLeavesShape> best;
  for (std::int64_t m = 1; fits(leaf, 1, m * spines); ++m) {
    std::int64_t down = std::min(d.radix, std::max<std::int64_t>(1, own.slots));
    while (down > 0 && (!fits(leaf, down, m * spines) || uplinks_for(leaf, down) > m * spines)) --down;
    if (down == 0) continue;
    const std::int64_t units = ceil_div(own.slots, down);
    if (!best || units * own.each < best->leaves)
      best = OwnLeavesShape{.leaves = units * own.each, .down = ceil_div(own.slots, units), .links = m};
  }
  if (!best) return best;
  // Leaves that are equally full may need fewer links.
  best->links = std::min(best->links, std::max<std::int64_t>(1, ceil_div(uplinks_for(leaf, best->down), spines)));
  return best;
}

// The fewest spines for leaves that turn `down` ports down; absent where two tiers do not reach.
std::optional<FabricShape> two_tiers(const FabricDemand& d, std::int64_t down) {
  const std::int64_t need = uplinks_for(d, down);
  FabricShape s{.tiers = 2, .down = down, .units = units_for(d, down)};
  s.leaves = s.units * d.rails;
  const std::int64_t spine_down = d.room_above ? d.spine_radix / 2 : d.spine_radix;
  if (s.leaves > spine_down) return {};
  const std::int64_t most_up = d.own_uplinks > 0 ? d.own_uplinks : d.radix - down;
  for (std::int64_t spines = std::max<std::int64_t>(1, d.spines); spines <= (d.spines > 0 ? d.spines : most_up);
       ++spines) {
    const std::int64_t m = d.links > 0 ? d.links : ceil_div(need, spines);
    if (!enough(d, need, m, spines) || !fits(d, down, m * spines) || s.leaves * m > spine_down) continue;
    std::int64_t of_own = 0;  // ports of a spine
    bool possible = true;
    s.own_leaves.clear();
    for (const OwnLeavesDemand& own : d.own_leaves) {
      const auto shape = own_leaves(d, own, spines);
      possible = possible && shape;
      if (!shape) break;
      s.own_leaves.push_back(*shape);
      of_own += shape->leaves * shape->links;
    }
    if (!possible || s.leaves * m + of_own > spine_down) continue;
    s.spines_per_pod = spines;
    s.links = m;
    if (const std::int64_t whole = ceil_div(m, links_of_cage(d)) * links_of_cage(d);
        m > 1 && d.links == 0 && fits(d, down, whole * spines) && s.leaves * whole + of_own <= spine_down)
      s.links = whole;
    s.up = s.links * spines;
    s.units_per_pod = s.units;
    return s;
  }
  return {};
}

void three_tiers(const FabricDemand& d, std::int64_t down, std::optional<FabricShape>& best) {
  const std::int64_t need = uplinks_for(d, down), units = units_for(d, down);
  if (!d.own_leaves.empty()) return;
  const bool rail_pods = d.rail_pods && d.rails > 1;
  const auto up_of = [&](std::int64_t spine_down) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(spine_down) / d.core_oversubscription - 1e-9));
  };
  const std::int64_t most = d.core_oversubscription > 1 ? d.spine_radix : d.spine_radix / 2;
  for (std::int64_t q = rail_pods ? units : std::min(units, most / d.rails); q >= (rail_pods ? units : 1); --q) {
    const std::int64_t pods = rail_pods ? d.rails : ceil_div(units, q), pod_leaves = rail_pods ? units : q * d.rails;
    if (pods > d.core_radix) break;  // smaller pods are only more of them
    for (std::int64_t m = 1; m * pod_leaves + up_of(m * pod_leaves) <= d.spine_radix; ++m) {
      if (d.links > 0 && m != d.links) continue;
      FabricShape s{.tiers = 3,
                    .down = down,
                    .units = units,
                    .leaves = units * d.rails,
                    .links = m,
                    .pods = pods,
                    .units_per_pod = q,
                    .rail_pods = rail_pods};
      s.spines_per_pod = d.spines > 0 ? d.spines : ceil_div(need, m);
      s.up = m * s.spines_per_pod;
      if (!enough(d, need, m, s.spines_per_pod) || !fits(d, down, s.up)) continue;
      if (best && s.leaves + s.spines() >= best->switches()) continue;
      const std::int64_t spine_down = pod_leaves * m;
      for (const bool shared : {false, true})  // a group for each place, unless several places on one take fewer
        for (std::int64_t c = 1; c <= d.core_radix / pods; ++c) {
          s.core_links = c;
          s.cores_per_group = ceil_div(up_of(spine_down), c);
          if (spine_down + c * s.cores_per_group > d.spine_radix) continue;
          std::int64_t of_group = shared ? std::min(s.spines_per_pod, d.core_radix / (pods * c)) : 1;
          while (d.even_groups && s.spines_per_pod % of_group != 0) --of_group;
          s.spines_per_group =
              ceil_div(s.spines_per_pod, ceil_div(s.spines_per_pod, of_group));  // as even as the fewest groups can be
          keep_smaller(d, best, s);
        }
    }
  }
}

void complete(FabricDemand& d) {
  if (d.spine_radix <= 0) d.spine_radix = d.radix;
  if (d.core_radix <= 0) d.core_radix = d.radix;
}

// Ports down that a leaf may have: D + D/(o r) <= N. A member that must not straddle units makes it a multiple of its
// slots; a scalable unit is one width only.
struct Widths {
  std::int64_t widest = 0, narrowest = 0;
};
Widths leaf_widths(const FabricDemand& d) {
  std::int64_t widest = d.own_uplinks > 0 ? d.radix : d.radix - 1;
  while (widest > 0 && !fits(d, widest, uplinks_for(d, widest))) --widest;
  const std::int64_t step = std::max<std::int64_t>(1, d.slot_multiple);
  if (d.unit_slots > 0 && d.unit_slots <= widest - widest % step) return {d.unit_slots, d.unit_slots};
  return {widest - widest % step, step};
}

}  // namespace

std::int64_t slots_needed(const FabricDemand& d) {
  const std::int64_t single = ceil_div(d.extra_ports, std::max<std::int64_t>(1, d.rails));
  const bool full_units = d.unit_slots > 0 && d.slots_built % d.unit_slots == 0;
  return full_units && d.slots_present + single <= d.slots_built ? d.slots_built : d.slots_built + single;
}

namespace {

FabricShape shape_of(FabricDemand d) {
  if (d.radix <= 0 || d.rails <= 0 || d.slots_built <= 0) return {};
  complete(d);
  const std::int64_t all = slots_needed(d);
  if (d.may_be_single && all <= d.radix) return {.tiers = 1, .down = d.radix, .units = 1, .leaves = d.rails};

  const std::int64_t step = std::max<std::int64_t>(1, d.slot_multiple);
  auto [widest, narrowest] = leaf_widths(d);
  if (widest <= 0) return {};
  // No wider than all that there is.
  if (narrowest != widest) widest = std::min(widest, ceil_div(all, step) * step);
  // Spines that are asked for join two leaves at least.
  if (narrowest != widest && d.rails == 1 && (d.spines > 0 || d.links > 0 || d.room_above))
    widest = std::min(widest, ceil_div(ceil_div(all, 2), step) * step);

  std::optional<FabricShape> best;
  for (std::int64_t down = widest; down >= narrowest; down -= step) {
    if (best && units_for(d, down) * d.rails >= best->switches()) break;  // narrower leaves are only more of them
    if (auto s = two_tiers(d, down)) keep_smaller(d, best, *s);
    if (units_for(d, down) * d.rails > d.spine_radix) break;
  }
  if (best) return *best;
  for (std::int64_t down = widest; down >= narrowest; down -= step) {
    if (best && units_for(d, down) * d.rails >= best->switches()) break;
    three_tiers(d, down, best);
    // Units grow as leaves shrink: past the first that cannot be reached there is nothing.
    const std::int64_t in_reach = d.rail_pods && d.rails > 1
                                      ? d.spine_radix
                                      : d.core_radix * std::max<std::int64_t>(1, d.spine_radix / 2 / d.rails);
    if (!best && units_for(d, down) > in_reach) break;
  }
  return best.value_or(FabricShape{});
}

}  // namespace

FabricShape fabric_shape(FabricDemand d) {
  const FabricShape in_slots = shape_of(d);
  if (d.unit_slots <= 0 || d.extra_ports <= 0 || d.rails <= 0 || in_slots.tiers == 1) return in_slots;
  // Whether somebody must make room for them, or a unit is bought for them.
  const std::int64_t slots = in_slots.units * in_slots.down;
  if (in_slots.tiers > 0 && d.slots_built + ceil_div(d.extra_ports, d.rails) <= slots &&
      in_slots.units == std::max<std::int64_t>(1, ceil_div(d.slots_built, in_slots.down)))
    return in_slots;
  FabricDemand free = d;
  free.beside = ceil_div(d.extra_ports, d.rails);
  free.beside_busy = ceil_div(d.extra_busy, d.rails);
  free.extra_ports = 0;
  FabricShape beside = shape_of(free);
  if (beside.tiers == 0 || beside.down != d.unit_slots ||
      (in_slots.tiers > 0 && beside.switches() > in_slots.switches()))
    return in_slots;
  beside.single_beside = true;
  beside.beside_busy = free.beside_busy;
  return beside;
}

std::int64_t two_tier_slots(FabricDemand d) {
  if (d.radix <= 0 || d.rails <= 0) return 0;
  complete(d);
  return std::max<std::int64_t>(0, leaf_widths(d).widest) * (d.spine_radix / d.rails);
}

std::int64_t three_tier_limit(FabricDemand d) {
  if (d.radix <= 0) return 0;
  complete(d);
  d.oversubscription = 1;
  d.unit_slots = 0;
  d.slot_multiple = 1;
  return leaf_widths(d).widest * (d.spine_radix / 2) * (d.rail_pods && d.rails > 1 ? d.rails : d.core_radix);
}

}  // namespace clusterc
