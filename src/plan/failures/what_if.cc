#include "plan/failures/what_if.h"

#include <algorithm>
#include <tuple>

#include "plan/failures/what_if_impl.h"
#include "plan/power/rack_limits.h"
#include "spec/network.h"
#include "spec/site.h"

namespace clusterc {

WhatIfEngine::Impl::Impl(const Plan& p)
    : plan(p), c(*p.cluster), pf(power_factor(*p.cluster)), classes(p.power_classes()), lines(*p.cluster) {
  class_of.assign(plan.racks.size(), -1);
  for (std::size_t k = 0; k < classes.size(); ++k)
    for (const std::int32_t r : classes[k].racks) class_of[r] = static_cast<std::int32_t>(k);
  for (const PowerClass& k : classes) {
    std::vector<Breaker> breakers(k.rack.positions.size());
    if (!k.assembly)
      for (std::size_t i = 0; i < breakers.size() && i < c.racks[k.group].pdus.size(); ++i)
        if (const PduPart* part = c.racks[k.group].pdus[i].part) breakers[i] = pdu_breaker(c, *part);
    pdu_breakers.push_back(std::move(breakers));
    on_lines.push_back(lines.racks_on_lines(k));
    wirings.push_back(wire_rack(k.assembly ? nullptr : &c.racks[k.group], k.rack));
  }
  for (const FeedModel& f : c.feeds) {
    feed_breakers.push_back(feed_breaker(c, f));
    ups.push_back(ups_modules(f));
  }
  for (const PanelModel& m : c.panels) panel_breakers.push_back(panel_breaker(c, m));
  fabrics.resize(plan.fabrics.size());
  compute_network = c.first_network_carrying(Traffic::compute);
  for (const StorageModel& s : c.storage)
    storage_place.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(0, s.part ? s.count : 0)),
                               std::pair<std::int32_t, std::int16_t>{-1, 0});
  for (std::size_t r = 0; r < plan.racks.size(); ++r)
    for (std::size_t d = 0; d < plan.racks[r].devices.size(); ++d)
      if (const RackedDevice& one = plan.racks[r].devices[d]; one.kind == DeviceKind::storage)
        storage_place[one.group][one.index] = {static_cast<std::int32_t>(r), static_cast<std::int16_t>(d)};

  base.feed_dead.assign(c.feeds.size(), 0);
  base.panel_dead.assign(c.panels.size(), 0);
  base.transfer_dead.assign(c.transfers.size(), 0);
  base.ups_out.assign(c.feeds.size(), 0);
  base.cdus_out.assign(c.zones.size(), 0);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Instance i{.of = k, .count = static_cast<double>(classes[k].racks.size())};
    evaluate(classes[k].rack, i.failure, i.state);
    base.all.push_back(std::move(i));
  }
  sum_all(base);
  settle(base, 1);
  Electric now = base;
  base.trips.clear();
  base.all_changed = false;
  normal = outcome(std::move(now), {});
  base_lines = line_loads(base);
}

std::int16_t WhatIfEngine::Impl::device_in(std::int32_t rack, DeviceKind kind, std::int32_t group,
                                           std::int64_t index) const {
  const auto& devices = plan.racks[rack].devices;
  for (std::size_t d = 0; d < devices.size(); ++d)
    if (devices[d].kind == kind && devices[d].group == group && devices[d].index == index)
      return static_cast<std::int16_t>(d);
  return -1;
}

// What fails, sorted by what it is to the chain.
struct WhatIfEngine::Impl::Hits {
  std::map<std::pair<int, int>, std::int64_t> units_out;  // zone, 0 unit or 1 CDU: how many
  std::set<int> loops_out;
  std::map<int, std::vector<std::int64_t>> ends;
  std::map<int, std::vector<FabricLoss::Cut>> cuts;
  std::set<std::int32_t> generators_out;
  bool upstream_failed = false, feed_failed = false, pumps_failed = false, mains_failed = false;
  std::vector<std::pair<std::int32_t, PowerFailure>> local;  // by rack

  PowerFailure& in_rack(std::int32_t rack) {
    for (auto& [r, f] : local)
      if (r == rack) return f;
    return local.emplace_back(rack, PowerFailure{}).second;
  }
};

// Of feeds, of what lies between them and racks, and of cooling.
void WhatIfEngine::Impl::hit_site(const Component& f, Electric& e, Hits& hits) const {
  switch (f.kind) {
    case ComponentKind::feed:
      e.feed_dead[f.of] = 1;
      hits.upstream_failed = hits.feed_failed = true;
      break;
    case ComponentKind::ups:
      ++e.ups_out[f.of];
      break;
    case ComponentKind::panel:
      e.panel_dead[f.of] = 1;
      hits.upstream_failed = true;
      break;
    case ComponentKind::transfer:
      e.transfer_dead[f.of] = 1;
      hits.upstream_failed = true;
      break;
    case ComponentKind::mains:
      hits.mains_failed = hits.upstream_failed = hits.feed_failed = true;
      break;
    case ComponentKind::generator:
      hits.generators_out.insert(f.of);
      break;
    case ComponentKind::cooling:
      ++hits.units_out[{f.of, 0}];
      break;
    case ComponentKind::cdu:
      ++hits.units_out[{f.of, 1}];
      ++e.cdus_out[f.of];
      hits.pumps_failed = true;
      break;
    case ComponentKind::loop:
      hits.loops_out.insert(f.of);
      e.cdus_out[f.of] += cooling_units(c.zones[f.of]).units;
      hits.pumps_failed = true;
      break;
    default:
      break;
  }
}

// Of what stands in racks or is plugged in there.
void WhatIfEngine::Impl::hit_racks(const Component& f, std::span<const Component> failed, Hits& hits,
                                   WhatIf& out) const {
  const auto kill = [&](std::int32_t rack, DeviceKind kind, std::int32_t group, std::int64_t index) {
    if (rack < 0) return;
    if (const std::int16_t d = device_in(rack, kind, group, index); d >= 0) hits.in_rack(rack).devices.push_back(d);
  };
  switch (f.kind) {
    case ComponentKind::pdu:
      hits.in_rack(static_cast<std::int32_t>(f.index)).positions |= std::uint64_t{1} << f.part;
      break;
    case ComponentKind::shelf:
      hits.in_rack(static_cast<std::int32_t>(f.index)).cords.push_back(f.part);
      break;
    case ComponentKind::supply: {
      const auto rack = static_cast<std::int32_t>(f.index);
      const auto& cords = classes[class_of[rack]].rack.cords;
      for (std::size_t k = 0; k < cords.size(); ++k)
        if (cords[k].device == f.of && cords[k].supply == f.part)
          hits.in_rack(rack).cords.push_back(static_cast<std::int32_t>(k));
      break;
    }
    case ComponentKind::leaf:
    case ComponentKind::spine:
    case ComponentKind::core:
    case ComponentKind::switch_: {
      const Fabric& fabric = plan.fabrics[f.of];
      std::int64_t index = f.index;
      for (std::size_t t = 0; t < fabric.tiers.size() && fabric.tiers[t].word != component_word(f.kind); ++t)
        index += fabric.tiers[t].count;
      const std::int64_t number = fabric.first_switch + index;
      if (number < static_cast<std::int64_t>(plan.switch_rack.size()))
        kill(plan.switch_rack[number], DeviceKind::switch_, f.of, index);
      out.dead_switches.emplace_back(f.of, index);
      break;
    }
    case ComponentKind::link:
      // Named again: the next one. Those of one group follow one another in the table of their leaf.
      if (f.part == 0)
        hits.ends[f.of].push_back(f.index + std::count(failed.begin(), failed.begin() + (&f - failed.data()), f));
      else
        hits.cuts[f.of].push_back({f.part - 1, f.index});
      break;
    case ComponentKind::node:
      if (const std::int32_t rack = plan.node_rack[f.index]; rack >= 0) {
        const int g = c.node_group_of(f.index);
        kill(rack, c.nodes[g].assembly >= 0 ? DeviceKind::tray : DeviceKind::node, g, f.index);
      }
      out.dead_nodes.push_back(f.index);
      break;
    case ComponentKind::storage: {
      const auto [rack, device] = storage_place[f.of][f.index];
      if (rack >= 0) hits.in_rack(rack).devices.push_back(device);
      out.dead_storage.emplace_back(f.of, f.index);
      break;
    }
    default:
      break;
  }
}

namespace {

void settle_list(auto& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void take_out(std::vector<std::int64_t>& list, const std::vector<std::int64_t>& other) {
  std::erase_if(list, [&](std::int64_t n) { return std::ranges::binary_search(other, n); });
}

}  // namespace

// Each node counts once: as dead, else as cut off, else as slowed down.
void WhatIfEngine::Impl::count_once(const Hits& hits, WhatIf& out) const {
  settle_list(out.dead_nodes);
  settle_list(out.throttled_nodes);
  settle_list(out.unjudged_nodes);
  settle_list(out.dead_switches);
  settle_list(out.dead_storage);
  settle_list(out.unjudged_switches);
  take_out(out.throttled_nodes, out.dead_nodes);
  take_out(out.unjudged_nodes, out.dead_nodes);
  take_out(out.unjudged_nodes, out.throttled_nodes);
  const std::vector<std::int64_t> cut_off = network(hits.ends, hits.cuts, out);
  take_out(out.throttled_nodes, cut_off);  // lost: it counts once
  take_out(out.unjudged_nodes, cut_off);
  for (const std::int64_t n : out.dead_nodes) out.dead_gpus += gpus_of(n);
  for (const std::int64_t n : out.throttled_nodes) out.throttled_gpus += gpus_of(n);
  services(out);
}

WhatIf WhatIfEngine::Impl::outcome(Electric e, std::span<const Component> failed) const {
  WhatIf out;
  out.failed.assign(failed.begin(), failed.end());
  Hits hits;
  for (const Component& f : failed) {
    hit_site(f, e, hits);
    hit_racks(f, failed, hits, out);
  }
  if (hits.mains_failed) out.mains = lose_mains(hits.generators_out, e, out);
  for (const auto& [rack, failure] : hits.local) {
    Instance& i = apart(e, rack);
    add(i, -1, e);
    i.failure.positions |= failure.positions;
    i.failure.cords.insert(i.failure.cords.end(), failure.cords.begin(), failure.cords.end());
    i.failure.devices.insert(i.failure.devices.end(), failure.devices.begin(), failure.devices.end());
    evaluate(classes[i.of].rack, i.failure, i.state);
    add(i, 1, e);
  }
  if (hits.upstream_failed)
    spread(e);
  else if (hits.pumps_failed)
    sum_all(e);
  if (!failed.empty()) settle(e, 1);
  for (const TripEvent& t : e.trips)
    hits.feed_failed = hits.feed_failed || t.kind == ComponentKind::feed || t.kind == ComponentKind::ups;
  out.trips = e.trips;
  power_limits(e, hits.feed_failed, out);
  // States that this rack had before count as told; the failed device itself is told above.
  {
    std::set<std::int32_t> own;
    for (const Instance& i : e.own) own.insert(i.rack);
    if (e.all_changed)
      for (const Instance& i : e.all) collect(i, failed.empty() ? nullptr : &base.all[i.of].state, own, out);
    for (const Instance& i : e.own) collect(i, &base.all[i.of].state, {}, out);
  }
  cooling(e, hits.units_out, hits.loops_out, out);

  count_once(hits, out);
  for (std::size_t f = 0; f < c.feeds.size(); ++f)
    out.feeds.push_back(at_breaker(c.feeds[f], VoltAmperes(e.feed_va[f])));
  return out;
}

bool worse(const WhatIf& a, const WhatIf& b) {
  const auto key = [](const WhatIf& w) {
    std::int64_t services = 0, degraded = 0;
    for (const ServiceLeft& s : w.services) services += s.lost;
    double bisection = 1, all_reduce = 1;
    for (const NetworkLeft& n : w.networks) {
      bisection = std::min(bisection, n.bisection);
      if (n.all_reduce) all_reduce = std::min(all_reduce, *n.all_reduce);
      degraded += n.degraded;
    }
    return std::tuple(w.dead_gpus + w.cut_off_gpus, static_cast<std::int64_t>(w.dead_nodes.size()) + w.cut_off_nodes,
                      w.dead_gpus, static_cast<std::int64_t>(w.dead_nodes.size()), services, w.throttled_gpus,
                      static_cast<std::int64_t>(w.throttled_nodes.size()),
                      static_cast<std::int64_t>(w.unjudged_nodes.size()), 1 - all_reduce, 1 - bisection,
                      static_cast<std::int64_t>(w.trips.size()), static_cast<std::int64_t>(w.limits.size()),
                      static_cast<std::int64_t>(w.dead_switches.size() + w.dead_storage.size()), degraded,
                      static_cast<std::int64_t>(w.services.size()),
                      static_cast<std::int64_t>(w.unjudged_switches.size()));
  };
  return key(a) > key(b);
}

// ---- the engine as others see it
// -------------------------------------------------------------------------------------------

WhatIfEngine::WhatIfEngine(const Plan& plan) : impl_(std::make_unique<Impl>(plan)) {}
WhatIfEngine::~WhatIfEngine() = default;
const WhatIf& WhatIfEngine::normal() const { return impl_->normal; }
const Plan& WhatIfEngine::plan() const { return impl_->plan; }

WhatIfEngine::MayTrip WhatIfEngine::may_trip(std::int32_t rack, std::size_t position) const {
  return impl_->may_trip(rack, position);
}
WhatIf WhatIfEngine::run(std::span<const Component> failed) const { return impl_->outcome(impl_->base, failed); }

}  // namespace clusterc
