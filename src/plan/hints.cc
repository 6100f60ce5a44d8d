#include "plan/hints.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/index.h"
#include "plan/fabric/fabric.h"

namespace clusterc {
namespace {

constexpr std::int64_t kFewOf =
    10;  // a tenth of what one switch has: what somebody can move elsewhere without planning anew

std::string many(std::int64_t n, std::string_view word) { return format("{} {}{}", n, word, n == 1 ? "" : "s"); }

void whose_uplinks(const Plan& plan, const Fabric& f, std::string& text) {
  for (const FabricBlock& b : f.blocks)
    if (b.what == FabricBlock::What::uplinks)
      text += format("; {} of them are uplinks of '{}'", b.members * b.ports_each, plan.fabrics[at(b.of)].name);
}

void few_too_many(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 2) return;
  const FabricTier& leaf = f.tiers[0];
  const std::int64_t bond = f.rail_optimised ? 1 : f.leaves_per_unit;
  const std::int64_t have = leaf.ports * bond * f.planes, over = f.end_ports_built_for - have;
  if (over <= 0 || over * kFewOf > have) return;
  const std::string one = bond * f.planes > 1 ? format("{} {}", bond * f.planes, leaf.model) : "one " + leaf.model;
  std::string text = format(
      "{} too many for {} ({} needed{}, {} available): without {}, the {} and the {} between switches are not needed",
      many(over, "port"), one, f.end_ports_built_for,
      f.end_ports_built_for > f.end_ports ? " at the size built for" : "", have, over == 1 ? "it" : "them",
      many(f.tiers[1].count, "spine"), many(f.leaf_spine_cables + f.spine_core_cables, "link"));
  whose_uplinks(plan, f, text);
  out.push_back(std::move(text));
}

// Ports, over all planes, of those that two tiers of `reach` slots leave out: single ports come on top of all that is
// built for, then the last members go.
std::int64_t ports_beyond(const Fabric& f, const FabricDemand& d, std::int64_t reach) {
  if (slots_needed(d) <= reach) return 0;
  std::int64_t beyond = 0, slots = d.slots_built - reach;
  for (const FabricBlock& b : f.blocks)
    if (b.from_last) beyond += b.built_for * b.ports_each;
  if (slots <= 0) return beyond + f.planes * d.rails * slots;
  for (auto b = f.blocks.rbegin(); b != f.blocks.rend() && slots > 0; ++b) {
    if (b->from_last || b->leaves >= 0 || b->width <= 0) continue;
    const std::int64_t out = std::min(b->built_for, (slots + b->width - 1) / b->width);
    slots -= out * b->width;
    beyond += out * b->ports_each;
  }
  return beyond;
}

void few_for_a_third_tier(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 3) return;
  FabricDemand d = fabric_demand(plan, f);
  const std::int64_t reach = two_tier_slots(d), over = ports_beyond(f, d, reach), have = f.end_ports_built_for - over;
  if (over <= 0 || over * kFewOf > have) return;
  d.slots_present = d.slots_built = reach;
  d.extra_ports = 0;
  std::string text = format(
      "{} too many for two tiers ({} needed{}, {} available): without {}, {} switches instead of {}",
      many(over, "port"), f.end_ports_built_for, f.end_ports_built_for > f.end_ports ? " at the size built for" : "",
      have, over == 1 ? "it" : "them", fabric_shape(d).switches() * f.planes, f.switch_count());
  whose_uplinks(plan, f, text);
  out.push_back(std::move(text));
}

void uplinks_together(const Plan& plan, int fabric, std::vector<std::string>& out) {
  const Fabric& f = plan.fabrics[at(fabric)];
  if (f.uplink_cables <= 0 || f.tiers.empty() || f.tiers[0].up < 2) return;
  const Fabric& target = plan.fabrics[at(f.uplinks_to)];
  if (target.tiers.empty() || target.tiers[0].count < 2) return;  // there is no second one
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
  out.push_back(format(
      "{} uplinks of {} end on one leaf of '{}' ({}{}): if it fails, the equipment behind them cannot be managed; "
      "`bond: 2` on '{}' connects them to two leaves",
      f.tiers[0].up == 2 ? "both" : "all", together == 1 ? "one switch" : format("each of {} switches", together),
      target.name, plan.switch_name(f.uplinks_to, first), together > 1 ? ", …" : "", target.name));
}

// Units that the spec makes small: leaves with few ports in use, and more switches for them.
void small_units(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 2 || !f.rail_optimised) return;
  FabricDemand d = fabric_demand(plan, f);
  if (d.unit_slots <= 0) return;
  d.unit_slots = 0;
  const std::int64_t without = fabric_shape(d).switches() * f.planes;
  if (without > 0 && (f.switch_count() - without) * kFewOf > f.switch_count())
    out.push_back(format("units of {} nodes (`scalable_unit`) need {} switches; without `scalable_unit`, {}", f.unit,
                         f.switch_count(), without));
}

// Storage on the rails of a fabric makes its units smaller, or more of them: what that takes, where it is more than
// leaves and spines for those ports alone would be.
void storage_on_rails(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 2 || !f.rail_optimised) return;
  FabricDemand d = fabric_demand(plan, f);
  std::int64_t ports = 0;
  for (const FabricBlock& b : f.blocks) {
    if (b.what != FabricBlock::What::ends || b.leaves >= 0 ||
        plan.cluster->networks[at(b.network)].ends[at(b.end)].storage < 0)
      continue;
    ports += b.built_for * b.ports_each;
    if (b.from_last) continue;
    d.slots_built -= b.built_for * b.width;
    d.slots_present -= b.members * b.width;
  }
  if (ports == 0 || d.slots_present <= 0) return;
  const std::int64_t without = fabric_shape(d).switches() * f.planes,
                     alone = 2 + 2 * ((ports + f.tiers[0].down - 1) / std::max<std::int64_t>(1, f.tiers[0].down));
  if (without > 0 && f.switch_count() - without > alone)
    out.push_back(
        format("with {} of storage, the fabric has {} switches instead of {}, in units of {} nodes: a separate storage "
               "network or `topology: fat-tree` needs fewer",
               many(ports, "port"), f.switch_count(), without, f.unit));
}

// Every leaf has links to every spine: where the spines are full, one leaf more for some members doubles them.
void own_leaves_cost_spines(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.leaf_groups.empty()) return;
  FabricDemand d = fabric_demand(plan, f);
  d.own_leaves.clear();
  const std::int64_t spines = f.tiers[1].count, without = fabric_shape(d).spines() * f.planes;
  std::int64_t leaves = 0;
  for (const LeafGroup& g : f.leaf_groups) leaves += g.count * f.planes;
  if (without > 0 && spines - without > leaves)
    out.push_back(
        format("with {} for some members (`leaves`), the fabric has {} instead of {}, because every leaf has links to "
               "every spine: a separate network, or those members on the other leaves, needs fewer switches",
               leaves == 1 ? "1 leaf" : format("{} leaves", leaves), many(spines, "spine"), without));
}

// Leaves that are not full have all of their uplinks: nobody recables when they fill, and nobody needs those links
// before.
void uplinks_unfilled(const Plan& plan, const Fabric& f, std::vector<std::string>& out) {
  if (f.tiers.size() < 2 || f.leaf_spine_cables == 0 || !f.leaf_groups.empty()) return;
  const auto need = static_cast<std::int64_t>(std::ceil(
      static_cast<double>(f.end_ports_built_for) / (fabric_demand(plan, f).oversubscription * f.uplink_speed()) -
      1e-9));
  const std::int64_t more = f.leaf_spine_cables - need;
  if (more * kFewOf <= f.leaf_spine_cables) return;
  out.push_back(
      format("{} of the {} links between leaves and spines are more than {} end ports need{}: a leaf that is not full "
             "has all of its uplinks, so that it is not recabled when it fills",
             more, f.leaf_spine_cables, f.end_ports_built_for,
             f.end_ports_built_for > f.end_ports ? ", at the size built for" : ""));
}

}  // namespace

std::vector<std::string> fabric_hints(const Plan& plan, int fabric) {
  std::vector<std::string> out;
  few_too_many(plan, plan.fabrics[at(fabric)], out);
  few_for_a_third_tier(plan, plan.fabrics[at(fabric)], out);
  small_units(plan, plan.fabrics[at(fabric)], out);
  storage_on_rails(plan, plan.fabrics[at(fabric)], out);
  own_leaves_cost_spines(plan, plan.fabrics[at(fabric)], out);
  if (out.empty()) uplinks_unfilled(plan, plan.fabrics[at(fabric)], out);
  uplinks_together(plan, fabric, out);
  return out;
}

}  // namespace clusterc
