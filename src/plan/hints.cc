#include "plan/hints.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace clusterc {
namespace {

constexpr std::int64_t kFewOf = 10;      // a tenth of what one switch has: what somebody can move elsewhere without planning anew

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
std::string many(std::int64_t n, std::string_view word) { return format("{} {}{}", n, word, n == 1 ? "" : "s"); }

void whose_uplinks(const Plan& plan, const Fabric& f, std::string& text) {
  for (const FabricBlock& b : f.blocks)
    if (b.what == FabricBlock::What::uplinks) text += format("; {} of them are uplinks of '{}'", b.members * b.ports_each, plan.fabrics[at(b.of)].name);
}

void few_too_many(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 2) return;
  const FabricTier& leaf = f.tiers[0];
  const std::int64_t bond = f.rail_optimised ? 1 : f.leaves_per_unit;
  const std::int64_t have = leaf.ports * bond * f.planes, over = f.end_ports_built_for - have;
  if (over <= 0 || over * kFewOf > have) return;
  const std::string one = bond * f.planes > 1 ? format("{} {}", bond * f.planes, leaf.model) : "one " + leaf.model;
  std::string text = format("{} more than {} {} ({} of {}{}): without {}, no {} and no {} between switches", many(over, "port"), one, bond * f.planes > 1 ? "have" : "has", f.end_ports_built_for, have,
                            f.end_ports_built_for > f.end_ports ? ", at the size built for" : "", over == 1 ? "it" : "them", many(f.tiers[1].count, "spine"), many(f.leaf_spine_cables + f.spine_core_cables, "link"));
  whose_uplinks(plan, f, text);
  out.push_back(std::move(text));
}

// Two tiers end where each leaf has one link to each spine and the spines have no port left: as many leaves as a spine has ports, whole units of them, and as many
// spines as a leaf has uplinks.
void few_for_a_third_tier(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 3) return;
  const FabricTier &leaf = f.tiers[0], &spine = f.tiers[1];
  // Leaves as wide as the oversubscription allows; those of three tiers may be narrower.
  const std::int64_t down = std::max(leaf.down, static_cast<std::int64_t>(static_cast<double>(leaf.ports) * f.oversubscription / (1 + f.oversubscription) + 1e-9));
  const std::int64_t leaves = spine.ports / f.leaves_per_unit * f.leaves_per_unit, have = leaves * down * f.planes, over = f.end_ports_built_for - have;
  if (over <= 0 || over * kFewOf > have) return;
  std::string text = format("{} more than two tiers reach ({} of {}{}): without {}, {} switches instead of {}", many(over, "port"), f.end_ports_built_for, have, f.end_ports_built_for > f.end_ports ? ", at the size built for" : "",
                            over == 1 ? "it" : "them", (leaves + static_cast<std::int64_t>(std::ceil(static_cast<double>(down) / f.oversubscription - 1e-9))) * f.planes, f.switch_count());
  whose_uplinks(plan, f, text);
  out.push_back(std::move(text));
}

void uplinks_together(const Plan& plan, int fabric, std::vector<std::string>& out) {
  const Fabric& f = plan.fabrics[at(fabric)];
  if (f.uplink_cables <= 0 || f.tiers.empty() || f.tiers[0].up < 2) return;
  const Fabric& target = plan.fabrics[at(f.uplinks_to)];
  if (target.tiers.empty() || target.tiers[0].count < 2) return;               // there is no second one
  std::int64_t together = 0;
  SwitchRef first;
  for (std::int64_t i = 0; i < f.tiers[0].count; ++i) {
    bool apart = false;
    PortRef one;
    plan.up_link(fabric, {0, i}, 0, &one);
    for (std::int64_t link = 1; link < f.tiers[0].up && !apart; ++link) {
      PortRef other;
      plan.up_link(fabric, {0, i}, link, &other);
      apart = other.sw.index != one.sw.index || other.sw.tier != one.sw.tier;
    }
    if (apart || one.port < 0) continue;
    if (!together++) first = one.sw;
  }
  if (!together) return;
  out.push_back(format("{} uplinks of {} end on one leaf of '{}' ({}{}), and all that is managed there is out of reach when it fails: `bond: 2` on '{}' puts them on two", f.tiers[0].up == 2 ? "both" : "all",
                       together == 1 ? "one switch" : format("each of {} switches", together), target.name, plan.switch_name(f.uplinks_to, first), together > 1 ? ", …" : "", target.name));
}

}  // namespace

std::vector<std::string> fabric_hints(const Plan& plan, int fabric) {
  std::vector<std::string> out;
  few_too_many(plan, plan.fabrics[at(fabric)], out);
  few_for_a_third_tier(plan, plan.fabrics[at(fabric)], out);
  uplinks_together(plan, fabric, out);
  return out;
}

}  // namespace clusterc
