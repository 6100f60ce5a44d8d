// Greedy, in one fixed order; every step costs constant time a device but for one look at each rack of the group.
//
// 1. what is there already (`occupied`), then nodes with a place of their own (`at`);
// 2. node groups, the hungriest first: from the bottom of the first rack up, at most `per_rack` in each. Service nodes
// (not computing, or with `ha`)
//    are spread instead: each goes to the rack with most power left, so that two heads stand in two racks;
// 3. storage systems, spread; 4. switches, spread, from the top down (those of 50 kg or more as low as they fit: two
// people do not lift them above their heads, and the rack stays upright), never two after one another in one rack while
// there is another. Without
//    `racks`, a leaf goes beside the first device that it serves.
// Each step tries all racks of its group within what they carry after the loss of a feed, and only then within what
// they carry with all feeds; and both of these first with an outlet for each cord, and rails and cables weighed. Nodes
// that fill racks from the first on try before it to stay within each line of the PDUs (plan/power/line_room.h). What a
// device draws after the loss of a feed is a little more: its supplies that are left run at a higher load point
// (plan/power/power_chain.h). Members that are not there yet, up to the sizes that networks are built for, have their
// places kept free, so that nobody moves when they come; where not everybody would fit beside them, none are kept.
// Nothing is put where units, weight or the normal limit forbid it: it is left over, with the reason. Whether it is
// deep enough is for a rule to say. A `per_rack` that the spec writes is asked for, whatever it draws and weighs: then
// only units forbid, and the rules say what is over a limit. Example: 48 U, 4 x 8 U of 10.2 kW = 40.8 kW; three PDUs
// of 34.5 kVA at 0.96 carry 99.4 kW, two of them 66.2 kW: it fits even then.
#include "plan/placement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

#include "base/format.h"
#include "model/group_ends.h"
#include "model/power.h"
#include "plan/power/busbar.h"
#include "plan/power/rack_limits.h"
#include "plan/rack_space.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

class Placer : private RackSpace {
 public:
  explicit Placer(Plan& plan) : RackSpace(plan) {}

  void all() {
    place_all(true);
    if (!kept_free_ || plan_.unplaced.empty()) return;
    plan_.racks.clear();  // somebody found no place: nothing is kept free then
    plan_.unplaced.clear();
    place_all(false);
  }

 private:
  void place_all(bool keep) {
    keep_ = keep;
    kept_rack_.clear();
    set_up();
    plan_.node_rack.assign(static_cast<std::size_t>(c_.node_count), -1);
    plan_.node_unit.assign(static_cast<std::size_t>(c_.node_count), 0);
    std::int64_t switches = 0;
    for (const Fabric& f : plan_.fabrics) switches += f.switch_count();
    plan_.switch_rack.assign(static_cast<std::size_t>(switches), -1);
    plan_.switch_unit.assign(static_cast<std::size_t>(switches), 0);
    for (std::size_t g = 0; g < c_.nodes.size(); ++g) fixed_places(static_cast<int>(g));

    std::vector<int> order;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g) order.push_back(static_cast<int>(g));
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](int g) { return c_.nodes[g].server.power.value_or(Watts(0)).value; });
    for (int g : order) node_group(g);
    for (std::size_t s = 0; s < c_.storage.size(); ++s) storage(static_cast<int>(s));
    for (std::size_t f = 0; f < plan_.fabrics.size(); ++f) fabric(static_cast<int>(f));
    for (RackPlan& r : plan_.racks) {
      // Trays of an assembly have no unit of their own, and keep their order.
      std::ranges::stable_sort(r.devices, {}, &RackedDevice::unit);
      std::ranges::stable_sort(r.kept, {}, &RackedDevice::unit);
    }
    weigh();
  }

  static DeviceNeeds device(DeviceKind kind, int group, const Value<std::int64_t>& units, const Value<Watts>& watts,
                            const Value<Watts>& typical, const Value<Kilograms>& kg) {
    DeviceNeeds d{.kind = kind, .group = group, .units = units.value_or(0)};
    d.watts = watts.value_or(Watts(0)).value;
    d.typical = typical.value_or(Watts(d.watts)).value;
    d.kilograms = kg.value_or(Kilograms(0)).value;
    d.power_known = watts.value.has_value();
    d.weight_known = kg.value.has_value();
    return d;
  }
  // What its cords take, and what it draws when the feed with most of them is lost: they are dealt evenly
  // (plan/power/power_chain.h).
  DeviceNeeds corded(DeviceNeeds d, const RackGroupModel* racks, std::int64_t index) const {
    d.after_loss = d.watts;
    const RackedDevice racked{.kind = d.kind, .group = d.group, .index = index};
    d.busbar = racks && on_busbar(plan_, *racks, racked);
    if (d.busbar) return d;
    const PsuSet* psus = supplies_of(plan_, racked);
    if (!psus) return d;
    const std::int64_t count = *psus->count;
    if (psus->inlet && *psus->inlet == InletKind::c14) d.c13 = count;
    if (psus->inlet && *psus->inlet == InletKind::c20) d.c19 = count;
    if (racks) d.after_loss = std::max(d.watts, after_feed_loss(plan_, *racks, racked).value);
    return d;
  }
  const RackGroupModel* rack_group(int g) const { return g >= 0 ? &c_.racks[g] : nullptr; }
  // Members that a network of these ends is built for and that are not there.
  std::int64_t to_come(std::int64_t have, const std::vector<GroupEnd>& ends) {
    if (!keep_) return 0;
    std::int64_t most = have;
    for (const GroupEnd& at : ends)
      most = std::max(
          most, c_.networks[static_cast<std::size_t>(at.network)].ends[static_cast<std::size_t>(at.end)].built_for);
    kept_free_ = kept_free_ || most > have;
    return most - have;
  }

  DeviceNeeds node_device(int g) const {
    const ServerModel& s = c_.nodes[g].server;
    DeviceNeeds d = device(DeviceKind::node, g, s.units, s.power, s.power_typical, s.part.weight);
    d.power_known = d.power_known && (c_.nodes[g].assembly >= 0 || power_lacks(c_.nodes[g]).empty());
    d.airflow_known = s.airflow.value.has_value();
    d.airflow = s.airflow.value_or(AirFlow(0)).value;
    // Coolant takes its share only where the rack has a loop.
    if (const int racks = c_.nodes[g].racks; racks >= 0 && c_.racks[racks].liquid >= 0)
      d.liquid_share = s.part.liquid_share.value_or(0);
    return corded(d, rack_group(c_.nodes[g].racks), c_.nodes[g].first);
  }

  // Places `count` devices, the i-th being number first + i, into the rack with most power (then units) left; keeps
  // `more` places free.
  void spread(const RackGroupModel& g, const DeviceNeeds& d, std::int64_t first, std::int64_t count, std::int64_t more,
              SourceSpan span, bool skip_placed) {
    using Key = std::tuple<std::int64_t, int,
                           std::int64_t>;  // watts left, units left, minus the rack's number: the first of equals
    std::int64_t i = 0, last = -1;
    for (const Within limit : {Within::after_loss, Within::normal, Within::bare}) {
      std::priority_queue<Key> best;
      auto key = [&](std::int64_t rack) {
        const double left = state_[rack].survives;
        return Key{std::isfinite(left) ? std::llround(left) : 0, std::popcount(state_[rack].free), -rack};
      };
      for (std::int64_t r = 0; r < g.count; ++r) best.push(key(g.first + r));
      // A rack that has no room for one of these has none for the next: it is dropped for good.
      auto next = [&]() -> std::int64_t {
        while (!best.empty()) {
          const std::int64_t rack = -std::get<2>(best.top());
          best.pop();
          if (room(rack, d, limit)) return rack;
        }
        return -1;
      };
      for (; i < count + more; ++i) {
        if (skip_placed && i < count && plan_.node_rack[first + i] >= 0) continue;
        std::int64_t rack = next();
        if (rack < 0) break;
        if (rack == last) {
          const std::int64_t other = next();
          if (other >= 0) {
            best.push(key(rack));
            rack = other;
          }
        }
        if (i < count)
          put(rack, room(rack, d, limit), d, first + i);
        else
          keep_place(rack, room(rack, d, limit), d);
        best.push(key(rack));
        last = rack;
      }
      if (i == count + more) return;
    }
    left_over(g, d, first + i, count - i, span);
  }

  void fill(const RackGroupModel& g, const DeviceNeeds& d, std::int64_t first, std::int64_t count, std::int64_t more,
            const Value<std::int64_t>& asked, SourceSpan span) {
    const std::int64_t per_rack = asked.value_or(kMostUnits);
    std::vector<std::int32_t> here(static_cast<std::size_t>(g.count), 0);
    for (std::int64_t i = 0; i < count; ++i)
      if (const std::int64_t rack = plan_.node_rack[first + i]; rack >= g.first && rack < g.first + g.count)
        ++here[rack - g.first];
    std::int64_t i = 0;
    for (const Within limit : {Within::lines, Within::after_loss, Within::normal, Within::bare, Within::units}) {
      if (limit == (asked ? Within::lines : Within::units)) continue;
      for (std::int64_t r = 0; r < g.count; ++r)
        while (true) {
          while (i < count && plan_.node_rack[first + i] >= 0) ++i;
          if (i == count + more) return;
          const std::int64_t unit = here[r] < per_rack ? room(g.first + r, d, limit) : 0;
          if (!unit ||
              (limit == Within::lines &&
               !lines_->holds(g.first + r, g, racked(d, i < count ? first + i : first, unit), i >= count, d.watts)))
            break;
          if (i < count)
            put(g.first + r, unit, d, first + i);
          else
            keep_place(g.first + r, unit, d), ++i;
          ++here[r];
        }
    }
    std::int64_t left = 0;
    for (std::int64_t k = i; k < count; ++k) left += plan_.node_rack[first + k] < 0;
    left_over(g, d, first + i, left, span, per_rack);
  }

  void left_over(const RackGroupModel& g, const DeviceNeeds& d, std::int64_t first, std::int64_t count, SourceSpan span,
                 std::int64_t per_rack = kMostUnits) {
    if (count <= 0) return;
    std::int64_t units = 0, fits_units = 0;
    double watts = 0, kilograms = 0, beside_rails = 0;
    for (std::int64_t r = 0; r < g.count; ++r) {
      const RackState& s = state_[g.first + r];
      std::int64_t run = 0;
      while (run < kMostUnits && runs(s.free, run + 1)) ++run;
      units = std::max(units, run);
      if (run < d.units) continue;
      ++fits_units;
      watts = std::max(watts, s.normal);
      kilograms = std::max(kilograms, s.carries);
      if (std::isfinite(s.rated)) beside_rails = std::max(beside_rails, takes(s));
    }
    using Lack = Unplaced::Lack;
    Lack lack = Lack::units;
    std::string why;
    if (d.units <= 0)
      lack = Lack::unknown, why = "its height is not known";
    else if (g.count == 0)
      why = clusterc::format("rack group '{}' has no racks", g.name);
    else if (!fits_units)
      why = clusterc::format("no rack of '{}' has more than {} U free in one block, but {} U are needed", g.name, units,
                             d.units);
    else if (d.watts > watts)
      lack = Lack::power,
      why = clusterc::format(
          "no rack of '{}' with {} U free has more than {} of continuous power left, but {} are needed", g.name,
          d.units, to_text(Watts(watts)), to_text(Watts(d.watts)));
    else if (d.kilograms > kilograms)
      lack = Lack::weight,
      why = clusterc::format(
          "{} are needed, but a rack of '{}' with {} U free can carry at most {} more, beside rails and cables",
          to_text(Kilograms(d.kilograms)), g.name, d.units, to_text(Kilograms(beside_rails)));
    else
      lack = Lack::places,
      why = g.count == 1 ? clusterc::format("the only rack of '{}' has room for {}", g.name, per_rack)
                         : clusterc::format("the {} racks of '{}' have room for {} each", g.count, g.name, per_rack);
    plan_.unplaced.push_back({.kind = d.kind,
                              .group = d.group,
                              .count = count,
                              .span = span,
                              .why = std::move(why),
                              .first = first,
                              .lack = lack});
  }

  void fixed_places(int group) {
    const NodeGroupModel& g = c_.nodes[group];
    if (!g.spec || g.spec->at.empty()) return;
    const DeviceNeeds d = node_device(group);
    for (const auto& at : g.spec->at) {
      const std::int64_t i = g.names.index_of(at.name);
      const std::string rack_name = at.value.rack.value_or("");
      std::int64_t rack = -1;
      for (const RackGroupModel& r : c_.racks)
        if (const std::int64_t k = r.names.index_of(rack_name); k >= 0) rack = r.first + k;
      if (i < 0 || rack < 0) continue;  // unknown names were reported when the spec was resolved
      std::int64_t unit = 0;
      std::string why;
      if (at.value.unit) {
        unit = *at.value.unit;
        const std::uint64_t bits = d.units > 0 && d.units < 64 && unit + d.units - 1 <= kMostUnits
                                       ? ((std::uint64_t{1} << d.units) - 1) << (unit - 1)
                                       : 0;
        if (!bits || (state_[rack].free & bits) != bits) {
          const int of = c_.rack_group_of(rack);
          const RackPart* part = of >= 0 ? c_.racks[of].part : nullptr;
          const std::int64_t top = unit + d.units - 1, there = part ? part->units.value_or(0) : 0;
          why = there > 0 && top > there
                    ? clusterc::format("it needs U{}-U{}, rack '{}' ends at U{}", unit, top, rack_name, there)
                : top == unit ? clusterc::format("unit U{} of rack '{}' is not free", unit, rack_name)
                              : clusterc::format("units U{}-U{} of rack '{}' are not free", unit, top, rack_name);
          unit = 0;
        }
      } else {
        unit = room(rack, d, Within::normal);
        if (!unit)
          why = clusterc::format("rack '{}' has no room for {} U with {}", rack_name, d.units, to_text(Watts(d.watts)));
      }
      if (unit)
        put(rack, unit, d, g.first + i);
      else
        plan_.unplaced.push_back({.kind = DeviceKind::node,
                                  .group = group,
                                  .count = 1,
                                  .span = at.name_span,
                                  .why = std::move(why),
                                  .first = g.first + i});
    }
  }

  void node_group(int group) {
    const NodeGroupModel& g = c_.nodes[group];
    if (!c_.own_site || g.server.virtual_machine || g.server.instance) return;
    if (g.assembly >= 0) return trays(group);
    if (g.racks < 0) return;
    const DeviceNeeds d = node_device(group);
    const RackGroupModel& racks = c_.racks[g.racks];
    const bool fixed_some = g.spec && !g.spec->at.empty();
    const std::int64_t more = to_come(g.count, ends_of_group(c_, group));
    if (g.spec && !g.spec->per_rack && (!g.computes || g.spec->ha))
      return spread(racks, d, g.first, g.count, more, g.span, fixed_some);
    fill(racks, d, g.first, g.count, more, g.spec ? g.spec->per_rack : Value<std::int64_t>(), g.span);
  }

  // Trays stand in their assembly; its own figures hold their power and weight.
  void trays(int group) {
    const NodeGroupModel& g = c_.nodes[group];
    const AssemblyGroupModel& a = c_.assemblies[g.assembly];
    const std::string from = g.spec ? g.spec->from.value_or("") : "";
    const auto dot = from.find('.');
    const auto* tray =
        a.part && dot != std::string::npos ? a.part->trays.find(std::string_view(from).substr(dot + 1)) : nullptr;
    const std::int64_t each = tray ? tray->value.count.value_or(0) : 0;
    const std::int64_t here = std::min(g.count, each * a.count);
    for (std::int64_t i = 0; i < here; ++i) {
      plan_.node_rack[g.first + i] = static_cast<std::int32_t>(a.first + i / each);
      plan_.racks[a.first + i / each].devices.push_back(
          {.kind = DeviceKind::tray,
           .group = group,
           .index = g.first + i,
           .unit = 0,
           .units = static_cast<std::int16_t>(tray->value.units.value_or(0))});
    }
    if (here < g.count)
      plan_.unplaced.push_back(
          {.kind = DeviceKind::tray,
           .group = group,
           .count = g.count - here,
           .span = g.span,
           .why = clusterc::format("{} assemblies of '{}' have {} trays each", a.count, a.name, each),
           .first = g.first + here});
  }

  void storage(int system) {
    const StorageModel& s = c_.storage[system];
    if (!c_.own_site || !s.part || s.nodes >= 0 || s.racks < 0) return;
    const std::int64_t more = to_come(s.count, ends_of_storage(c_, system));
    spread(c_.racks[s.racks],
           corded(device(DeviceKind::storage, system, s.part->units, s.part->power, {}, s.part->weight),
                  rack_group(s.racks), 0),
           0, s.count, more, s.span, false);
  }

  void fabric(int network) {
    const Fabric& f = plan_.fabrics[network];
    const NetworkModel& n = c_.networks[network];
    std::int64_t first = 0;
    for (const FabricTier& t : f.tiers) {
      DeviceNeeds d = device(DeviceKind::switch_, network, t.part->units, switch_power(*t.part), t.part->power_typical,
                             t.part->weight);
      d.from_top = d.kilograms < kHeavyDevice.value;
      // A leaf of each rack stands with its nodes, wherever the spines do.
      const bool of_nodes = &t == &f.tiers[0] && (n.racks < 0 || (n.spec && n.spec->leaf_per_rack.value_or(false)));
      const int usual = n.racks >= 0 && !of_nodes ? n.racks : usual_racks(network);
      d = corded(d, rack_group(usual), first);
      if (of_nodes)
        beside(network, d, first, t.count);
      else if (usual >= 0)
        spread(c_.racks[usual], d, first, t.count, 0, n.span, false);
      first += t.count;
    }
  }

  // Rack group of the first members that stand in racks.
  int usual_racks(int network) const {
    for (const EndPoints& e : c_.networks[network].ends) {
      if (e.group >= 0 && c_.nodes[e.group].racks >= 0) return c_.nodes[e.group].racks;
      if (e.storage >= 0 && c_.storage[e.storage].racks >= 0) return c_.storage[e.storage].racks;
    }
    return c_.racks.empty() ? -1 : 0;
  }

  std::int64_t rack_of(const FabricBlock& b, std::int64_t member) const {
    using What = FabricBlock::What;
    if (b.what == What::ends) {
      const EndPoints& e = c_.networks[b.network].ends[b.end];
      if (e.group >= 0 && member < b.members) return plan_.node_rack[c_.nodes[e.group].first + member];
      if (e.group >= 0) {  // not there yet
        const auto kept = kept_rack_.find({DeviceKind::node, e.group});
        return kept != kept_rack_.end() && member - b.members < static_cast<std::int64_t>(kept->second.size())
                   ? kept->second[static_cast<std::size_t>(member - b.members)]
                   : -1;
      }
      return c_.storage[e.storage].racks >= 0 ? c_.racks[c_.storage[e.storage].racks].first : -1;
    }
    if (b.what == What::switches || b.what == What::uplinks)
      return plan_.switch_rack[plan_.fabrics[b.of].first_switch + member];
    if (b.what == What::shelves)
      return c_.assemblies[b.of].first +
             member / std::max<std::int64_t>(1, b.members / std::max<std::int64_t>(1, c_.assemblies[b.of].count));
    for (const RackGroupModel& g : c_.racks) {
      const std::int64_t pdus = static_cast<std::int64_t>(g.pdus.size());
      if (member < g.count * pdus) return g.first + member / pdus;
      member -= g.count * pdus;
    }
    return -1;
  }

  // Each leaf goes to the rack of the first member on it, or the next one with room.
  void beside(int network, const DeviceNeeds& d, std::int64_t first, std::int64_t count) {
    const Fabric& f = plan_.fabrics[network];
    const NetworkModel& n = c_.networks[network];
    const int usual = usual_racks(network);
    const std::size_t before = plan_.unplaced.size();
    for (std::int64_t i = 0; i < count; ++i) {
      const LeafGroup* own = f.leaf_group(i);
      const std::int64_t slot =
          own ? (i % f.per_plane(0) - own->first) / own->each * own->down : f.unit_of_leaf(i) * f.tiers[0].down;
      std::int64_t near = -1;
      for (const FabricBlock& b : f.blocks)
        if (!b.from_last && own == (b.leaves < 0 ? nullptr : &f.leaf_groups[static_cast<std::size_t>(b.leaves)]) &&
            slot >= b.first && slot < b.first + b.built_for * b.width)
          near = rack_of(b, (slot - b.first) / b.width);
      int group = near >= 0 ? c_.rack_group_of(near) : -1;
      if (group < 0) {
        group = usual;
        near = -1;
      }
      if (group < 0) return;  // nothing stands anywhere
      const RackGroupModel& g = c_.racks[group];
      if (near < 0) near = g.first;
      bool placed = false;
      for (const Within limit : {Within::after_loss, Within::normal, Within::bare})
        for (std::int64_t k = 0; k < g.count && !placed; ++k) {
          const std::int64_t rack = g.first + (near - g.first + k) % g.count;
          if (const std::int64_t unit = room(rack, d, limit)) {
            put(rack, unit, d, first + i);
            placed = true;
          }
        }
      if (placed) continue;
      left_over(g, d, first + i, 1, n.span);
      // Leaves that find no place for one reason are one entry.
      if (plan_.unplaced.size() < before + 2) continue;
      Unplaced &last = plan_.unplaced.back(), &other = plan_.unplaced[plan_.unplaced.size() - 2];
      if (other.why != last.why || other.lack != last.lack || other.first + other.count != last.first) continue;
      ++other.count;
      plan_.unplaced.pop_back();
    }
  }

  bool keep_ = true, kept_free_ = false;
};

}  // namespace

void plan_placement(Plan& plan) { Placer(plan).all(); }

}  // namespace clusterc
