// What stops, slows down or is cut off: for lack of power, cooling or network.
#include <algorithm>
#include <iterator>

#include "model/storage_path.h"
#include "plan/failures/what_if_impl.h"
#include "plan/plan.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {

// ---- who is dead
// -----------------------------------------------------------------------------------------------------------

// `before`: the state that this instance had; what was so already is not told again.
void WhatIfEngine::Impl::collect(const Instance& i, const PowerState* before, const std::set<std::int32_t>& skip,
                                 WhatIf& out) const {
  const PowerClass& k = classes[i.of];
  const auto take = [&](const RackedDevice& d, SupplyState state) {
    if (d.kind == DeviceKind::node || d.kind == DeviceKind::tray) {
      (state == SupplyState::dead        ? out.dead_nodes
       : state == SupplyState::throttled ? out.throttled_nodes
                                         : out.unjudged_nodes)
          .push_back(d.index);
    } else if (d.kind == DeviceKind::switch_) {
      if (state == SupplyState::dead)
        out.dead_switches.emplace_back(d.group, d.index);
      else if (state == SupplyState::unjudged)
        out.unjudged_switches.emplace_back(d.group, d.index);
    } else if (d.kind == DeviceKind::storage && state == SupplyState::dead) {
      out.dead_storage.emplace_back(d.group, d.index);
    }
  };
  const auto rack = [&](std::int32_t r) {
    const std::vector<RackedDevice>& devices = plan.racks[r].devices;
    for (std::size_t d = 0; d < devices.size() && d < i.state.devices.size(); ++d) {
      const std::size_t at =
          k.assembly && devices[d].kind == DeviceKind::tray && i.state.devices[d].state != SupplyState::dead
              ? i.state.devices.size() - 1
              : d;  // a tray is fed by its frame
      const SupplyState now = i.state.devices[at].state;
      if (now == SupplyState::runs || (before && before->devices[at].state == now)) continue;
      take(devices[d], now);
    }
  };
  if (i.rack >= 0) return rack(i.rack);
  for (const std::int32_t r : k.racks)
    if (!skip.contains(r)) rack(r);
}

// ---- cooling
// ---------------------------------------------------------------------------------------------------------------

double WhatIfEngine::Impl::rack_watts(const Instance& i) const {
  double watts = 0;
  for (const SupplyResult& d : i.state.devices) watts += d.watts;
  return watts;
}

// The same for all racks of a class.
double WhatIfEngine::Impl::share_in(const Instance& i, int zone) const {
  const PowerClass& k = classes[i.of];
  const RackPlan& r = plan.racks[k.racks.front()];
  const double liquid = r.heat.value > 0 ? r.liquid_heat / r.heat : 0;
  const int air = k.assembly ? c.assemblies[k.group].air : c.racks[k.group].cooling,
            loop = k.assembly ? c.assemblies[k.group].liquid : c.racks[k.group].liquid;
  return (air == zone ? 1 - liquid : 0) + (loop == zone ? liquid : 0);
}

// Takes the equipment in these zones, with the frames of assemblies, off its feeds. What already stood in the racks
// (occupied units) is somebody else's and goes on.
void WhatIfEngine::Impl::stop(Electric& e, const std::vector<int>& zones) const {
  const auto halt = [&](Instance& i) {
    if (std::ranges::none_of(zones, [&](int z) { return share_in(i, z) > 0; })) return;
    const PowerClass& k = classes[i.of];
    const std::size_t devices = k.assembly ? k.rack.devices.size() : plan.racks[k.racks.front()].devices.size();
    i.failure.devices.clear();
    for (std::size_t d = 0; d < devices; ++d) i.failure.devices.push_back(static_cast<std::int16_t>(d));
    evaluate(k.rack, i.failure, i.state);
  };
  for (Instance& i : e.all) halt(i);
  for (Instance& i : e.own) halt(i);
  sum_all(e);
}

// What a zone has to take away: now, and at least, when everything in it idles.
WhatIfEngine::Impl::ZoneHeat WhatIfEngine::Impl::zone_heat(int id, const Electric& e) const {
  ZoneHeat out;
  const auto take = [&](const Instance& i) {
    const double share = share_in(i, id);
    if (share <= 0 || i.count <= 0) return;
    out.heat += rack_watts(i) * share * i.count;
    const auto& devices = classes[i.of].rack.devices;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (i.state.devices[d].state == SupplyState::dead) continue;
      if (!devices[d].throttles)
        out.idle += devices[d].watts * share * i.count;
      else if (devices[d].idle >= 0)
        out.idle += devices[d].idle * share * i.count;
      else
        out.idle_known = false;
    }
  };
  for (const Instance& i : e.all) take(i);
  for (const Instance& i : e.own) take(i);
  for (const NodeGroupModel& g : c.nodes)
    if (g.cooling == id) {  // on wall circuits, which are no feeds of the site
      const double outside = power_outside_racks(c, g).value;
      out.heat += outside;
      out.idle_known = out.idle_known && (outside <= 0 || g.server.power_idle);
      out.idle += g.server.power_idle.value_or(Watts(0)).value * static_cast<double>(g.count);
    }
  return out;
}

// Whom a zone stops or slows: everything that stands in it.
void WhatIfEngine::Impl::hit_by_heat(const Instance& i, const Electric& e, const ZoneLeft& left, HeatEffect effect,
                                     WhatIf& out) const {
  const int id = left.zone;
  const ZoneModel& zone = c.zones[id];
  if (share_in(i, id) <= 0 || i.count <= 0) return;
  const PowerClass& k = classes[i.of];
  const auto devices = [&](std::int32_t r) {
    for (std::size_t d = 0; d < plan.racks[r].devices.size(); ++d) {
      const RackedDevice& one = plan.racks[r].devices[d];
      const std::size_t at = k.assembly && one.kind == DeviceKind::tray ? i.state.devices.size() - 1 : d;
      if (i.state.devices[at].state == SupplyState::dead) continue;
      const bool node = one.kind == DeviceKind::node || one.kind == DeviceKind::tray;
      double warm = 0;
      if (one.kind == DeviceKind::node && left.inlet_rise.value > 0 && zone.spec->supply &&
          c.nodes[one.group].server.part.inlet_max)
        warm = zone.spec->supply->value + left.inlet_rise.value - c.nodes[one.group].server.part.inlet_max->value;
      if (effect == HeatEffect::stop) {
        if (node)
          out.dead_nodes.push_back(one.index);
        else if (one.kind == DeviceKind::switch_)
          out.dead_switches.emplace_back(one.group, one.index);
        else if (one.kind == DeviceKind::storage)
          out.dead_storage.emplace_back(one.group, one.index);
      } else if (node && (effect == HeatEffect::slow || warm > kRounding)) {
        out.throttled_nodes.push_back(one.index);
      } else if (node && effect == HeatEffect::unsure) {
        out.unjudged_nodes.push_back(one.index);
      }
    }
  };
  each_rack(k, i, e, devices);
}

// units_out: (zone, 0 unit or 1 CDU) -> how many failed.
void WhatIfEngine::Impl::cooling(Electric& e, const std::map<std::pair<int, int>, std::int64_t>& units_out,
                                 const std::set<int>& loops_out, WhatIf& out) const {
  const Meters altitude = c.spec.site ? c.spec.site->altitude.value_or(Meters(0)) : Meters(0);
  const double density = air_density_ratio(altitude);
  std::vector<int> stopped;
  for (std::size_t z = 0; z < c.zones.size(); ++z) {
    const ZoneModel& zone = c.zones[z];
    if (!zone.spec) continue;
    const int id = static_cast<int>(z);
    const CoolingUnits u = cooling_units(zone);
    const auto failed = units_out.find({id, u.cdu ? 1 : 0});
    ZoneLeft left{.zone = id, .units = u.units, .units_left = u.units};
    if (failed != units_out.end()) left.units_left = std::max<std::int64_t>(0, left.units_left - failed->second);
    std::int64_t feeds = 0, living = 0;
    for (const Value<std::string>& name : u.feeds(zone))
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name) {
          ++feeds;
          living += !e.feed_dead[f];
        }
    if ((feeds > 0 && living == 0) || loops_out.contains(id)) left.units_left = 0;
    if (!e.all_changed && e.own.empty() && left.units_left == left.units) continue;  // as in the normal state
    const auto [heat, idle, idle_known] = zone_heat(id, e);
    const double was = plan.zones[z].heat.value;
    left.heat = Watts(heat);
    left.removed_known = u.heat >= 0 || left.units_left == 0;
    left.removed = Watts(left.units_left == 0 ? 0 : u.heat * static_cast<double>(left.units_left));
    HeatEffect effect = HeatEffect::none;
    if (left.removed_known && heat > 0 && above(heat, left.removed.value)) {
      out.limits.push_back({.rule = "cool-heat-rejection-undersized",
                            .kind = ComponentKind::cooling,
                            .of = id,
                            .load = heat,
                            .limit = left.removed.value,
                            .dimension = Dimension::power});
      const bool stops = left.units_left == 0 || above(idle, left.removed.value);
      effect = stops ? HeatEffect::stop : idle_known ? HeatEffect::slow : HeatEffect::unsure;
    }
    const double need = was > 0 ? plan.zones[z].airflow.value * heat / was : 0;
    if (!u.cdu && u.airflow >= 0 && zone.spec->method.value != CoolingMethod::liquid && left.units_left > 0 &&
        above(need, u.airflow * static_cast<double>(left.units_left))) {
      const double given = u.airflow * static_cast<double>(left.units_left);
      // Inlet = mean of supply air and exhaust that comes round: Q / (rho cp) x (1 / given - 1 / need).
      left.inlet_rise = Kelvins(heat / (kAirDensity * density * kAirHeat) * (1 / given - 1 / need));
      out.limits.push_back({.rule = "cool-airflow-below-demand",
                            .kind = ComponentKind::cooling,
                            .of = id,
                            .load = need,
                            .limit = given,
                            .dimension = Dimension::air_flow});
    }
    const bool hit = effect != HeatEffect::none || left.inlet_rise.value > 0;
    if (left.units_left < left.units || hit) out.zones.push_back(left);
    if (!hit) continue;
    for (const Instance& i : e.all) hit_by_heat(i, e, left, effect, out);
    for (const Instance& i : e.own) hit_by_heat(i, e, left, effect, out);
    if (effect == HeatEffect::stop) stopped.push_back(id);
  }
  if (!stopped.empty()) stop(e, stopped);
}

// Nodes that compute and are neither dead nor cut off.
std::int64_t WhatIfEngine::Impl::computing(const std::vector<std::int64_t>& dead,
                                           const std::vector<std::int64_t>& cut_off) const {
  std::int64_t left = 0;
  for (const NodeGroupModel& g : c.nodes)
    if (g.computes) left += g.count;
  for (const auto* list : {&dead, &cut_off})
    for (const std::int64_t n : *list) left -= c.nodes[c.node_group_of(n)].computes;
  return left;
}

std::vector<std::int64_t> WhatIfEngine::Impl::network(const std::map<int, std::vector<std::int64_t>>& ends,
                                                      const std::map<int, std::vector<FabricLoss::Cut>>& cuts,
                                                      WhatIf& out) const {
  std::map<int, std::vector<std::int64_t>> dead;
  for (const auto& [fabric, index] : out.dead_switches) dead[fabric].push_back(index);
  std::set<int> touched;
  for (const auto& [f, list] : dead) touched.insert(f);
  for (const auto& [f, list] : ends) touched.insert(f);
  for (const auto& [f, list] : cuts) touched.insert(f);
  std::vector<std::int64_t> cut_off;
  for (const int f : touched) {
    static const std::vector<std::int64_t> kNothing;
    static const std::vector<FabricLoss::Cut> kNoCuts;
    const auto d = dead.find(f);
    const auto e = ends.find(f);
    const auto k = cuts.find(f);
    const FabricLoss& fabric = this->fabric(static_cast<std::size_t>(f));
    const FabricLoss::Left lost =
        fabric.without(d == dead.end() ? kNothing : d->second, e == ends.end() ? kNothing : e->second,
                       k == cuts.end() ? kNoCuts : k->second);
    NetworkLeft left{.network = f};
    left.switches_dead = d == dead.end() ? 0 : static_cast<std::int64_t>(d->second.size());
    left.links_dead = lost.links;
    if (fabric.normal() > 0 && !c.networks[f].everything)
      left.bisection = lost.bisection / fabric.normal();  // nothing crosses a management network
    left.bisection_rate = fabric.fabric().link_rate * lost.bisection;
    double slowest = 1;
    for (const auto& [member, links, pace] : lost.members) {
      const FabricBlock& b = fabric.fabric().blocks[member.block];
      const EndPoints& p = c.networks[b.network].ends[b.end];
      const bool all = links >= b.ports_each;
      if (p.group < 0) {
        const bool gone =
            std::ranges::binary_search(out.dead_storage, std::pair<int, std::int64_t>(p.storage, member.member));
        if (all && !gone)
          ++left.cut_off_storage;
        else if (!gone)
          ++left.degraded;
        continue;
      }
      const std::int64_t node = c.nodes[p.group].first + member.member;
      if (std::ranges::binary_search(out.dead_nodes, node)) continue;
      if (all)
        left.cut_off_nodes.push_back(node);
      else {
        ++left.degraded;
        if (c.nodes[p.group].computes && b.network == compute_network) slowest = std::min(slowest, pace);
      }
    }
    std::ranges::sort(left.cut_off_nodes);
    if (f == compute_network) {
      std::vector<std::int64_t> gone;
      std::ranges::set_union(out.dead_nodes, left.cut_off_nodes, std::back_inserter(gone));
      left.all_reduce =
          computing(out.dead_nodes, left.cut_off_nodes) < 1 ? 0 : std::min(slowest, fabric.ring_share(lost, gone));
    }
    if (!c.networks[f].everything) cut_off.insert(cut_off.end(), left.cut_off_nodes.begin(), left.cut_off_nodes.end());
    out.networks.push_back(std::move(left));
  }
  std::ranges::sort(cut_off);
  cut_off.erase(std::unique(cut_off.begin(), cut_off.end()), cut_off.end());
  out.cut_off_nodes = static_cast<std::int64_t>(cut_off.size());
  for (const std::int64_t n : cut_off) out.cut_off_gpus += gpus_of(n);
  return cut_off;
}

// Roles and storage that lost a server. With `ha: quorum` half of them are too few; else one that lives is enough.
// Storage on drives within its servers that nothing copies is lost with any of them.
void WhatIfEngine::Impl::services(WhatIf& out) const {
  std::map<int, std::int64_t> dead_of;  // by node group
  for (const std::int64_t n : out.dead_nodes) ++dead_of[c.node_group_of(n)];
  for (const NetworkLeft& n : out.networks)
    if (c.networks[n.network].carries_traffic(Traffic::inband))
      for (const std::int64_t node : n.cut_off_nodes) ++dead_of[c.node_group_of(node)];
  const auto lost = [](std::int64_t left, std::int64_t of, std::optional<HaMode> ha) {
    return left <= 0 || (ha == HaMode::quorum && 2 * left <= of);
  };
  std::map<Role, ServiceLeft> roles;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& m = c.nodes[g];
    if (!m.spec) continue;
    const auto at = dead_of.find(static_cast<int>(g));
    const std::int64_t left = m.count - (at == dead_of.end() ? 0 : std::min(m.count, at->second));
    for (const Value<Role>& role : m.spec->roles) {
      if (!role || *role == Role::compute) continue;
      ServiceLeft& s = roles[*role];
      s.name = enum_text(*role);
      s.left += left;
      s.of += m.count;
      s.lost = lost(s.left, s.of, m.spec->ha.value);
    }
  }
  for (auto& [role, s] : roles)
    if (s.left < s.of) out.services.push_back(std::move(s));
  std::map<int, std::int64_t> systems;
  for (const auto& [system, index] : out.dead_storage) ++systems[system];
  for (const NetworkLeft& n : out.networks)
    if (n.cut_off_storage > 0 && !c.networks[n.network].everything)
      for (const EndPoints& e : c.networks[n.network].ends)
        if (e.storage >= 0)
          systems[e.storage] = std::min(c.storage[e.storage].count, systems[e.storage] + n.cut_off_storage);
  for (std::size_t s = 0; s < c.storage.size(); ++s) {
    const StorageModel& m = c.storage[s];
    if (m.nodes >= 0) {
      const auto at = dead_of.find(m.nodes);
      if (at == dead_of.end()) continue;
      const std::int64_t of = c.nodes[m.nodes].count, left = of - std::min(of, at->second);
      const bool data_gone = data_on_single_servers(c, m);
      out.services.push_back({"storage/" + m.name, left, of, data_gone || lost(left, of, storage_ha(c, m)), data_gone});
    } else if (const auto at = systems.find(static_cast<int>(s)); at != systems.end()) {
      out.services.push_back({"storage/" + m.name, m.count - at->second, m.count, m.count - at->second <= 0});
    }
  }
}

}  // namespace clusterc
