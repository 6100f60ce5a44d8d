// Who carries what, and what trips.
#include <algorithm>
#include <tuple>

#include "plan/failures/what_if_impl.h"
#include "plan/power/power.h"
#include "spec/site.h"

namespace clusterc {

WhatIfEngine::Impl::Source WhatIfEngine::Impl::source(const PowerPosition& at, const Electric& e) const {
  const auto dead = [&](std::int16_t feed, std::int16_t panel) {
    return (feed >= 0 && e.feed_dead[feed]) || (panel >= 0 && e.panel_dead[panel]);
  };
  const auto behind = [&](std::int16_t panel) { return panel >= 0 ? c.panels[panel].transfer : -1; };
  Source out{at.feed, at.panel, dead(at.feed, at.panel)};
  if (at.transfer >= 0 && e.transfer_dead[at.transfer]) out.dead = true;
  if (const int t = behind(at.panel); t >= 0 && e.transfer_dead[t]) out.dead = true;
  if (!out.dead || at.other_feed < 0 || (at.transfer >= 0 && e.transfer_dead[at.transfer])) return out;
  if (const int t = behind(at.other_panel); t >= 0 && e.transfer_dead[t]) return out;
  if (dead(at.other_feed, at.other_panel)) return out;
  return {at.other_feed, at.other_panel, false};
}

void WhatIfEngine::Impl::add(const Instance& i, double sign, Electric& e) const {
  const PowerRack& rack = classes[i.of].rack;
  for (std::size_t p = 0; p < rack.positions.size(); ++p) {
    const double va = sign * i.count * i.state.position_watts[p] / pf;
    const Source at = source(rack.positions[p], e);
    if (at.feed >= 0) e.feed_va[at.feed] += va;
    if (at.panel >= 0) e.panel_va[at.panel] += va;
  }
}

// What the pumps of coolant distribution units that run draw from a feed: evenly from those of their feeds that live.
double WhatIfEngine::Impl::cdu_load(const Electric& e, std::size_t feed) const {
  double va = 0;
  for (std::size_t i = 0; i < c.zones.size(); ++i) {
    const ZoneModel& z = c.zones[i];
    if (!z.spec || !z.spec->cdus || !z.cdu || !z.cdu->power) continue;
    const std::int64_t running = std::max<std::int64_t>(0, z.spec->cdus->count.value_or(1) - e.cdus_out[i]);
    std::int64_t here = 0, living = 0;
    for (const Value<std::string>& name : z.spec->cdus->feeds)
      for (std::size_t f = 0; f < c.feeds.size(); ++f)
        if (name && c.feeds[f].name == *name && !e.feed_dead[f]) {
          ++living;
          here += f == feed;
        }
    if (living > 0)
      va += z.cdu->power->value * static_cast<double>(running) / pf * static_cast<double>(here) /
            static_cast<double>(living);
  }
  return va;
}

void WhatIfEngine::Impl::sum_all(Electric& e) const {
  e.feed_va.assign(c.feeds.size(), 0);
  e.panel_va.assign(c.panels.size(), 0);
  for (const Instance& i : e.all) add(i, 1, e);
  for (const Instance& i : e.own) add(i, 1, e);
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    e.feed_va[f] += cdu_load(e, f);
    if (c.feeds[f].spec) e.feed_va[f] += c.feeds[f].spec->in_use.value_or(Watts(0)).value / pf;
  }
}

WhatIfEngine::Impl::LineLoads WhatIfEngine::Impl::line_loads(const Electric& e) const {
  LineLoads out{e.feed_va, e.panel_va};
  if (!lines.any()) return out;
  std::vector<OnLines> feeds(c.feeds.size()), panels(c.panels.size());
  const auto take = [&](const Instance& i, std::size_t p, const std::array<double, 3>& racks) {
    const PowerClass& k = classes[i.of];
    const Source at = source(k.rack.positions[p], e);
    const double va = i.state.position_watts[p] / pf;
    if (at.feed >= 0) lines.add(k, p, racks, va, feeds[at.feed]);
    if (at.panel >= 0) lines.add(k, p, racks, va, panels[at.panel]);
  };
  const auto each = [&](const Instance& i, double sign, auto&& racks) {
    const PowerClass& k = classes[i.of];
    for (std::size_t p = 0; p < k.rack.positions.size() && !k.assembly; ++p) {
      std::array<double, 3> on = racks(k, p);
      for (double& n : on) n *= sign;
      take(i, p, on);
    }
  };
  const auto whole = [&](const PowerClass& k, std::size_t p) {
    return on_lines[static_cast<std::size_t>(&k - classes.data())][p];
  };
  for (const Instance& i : e.all) each(i, 1, whole);
  for (const Instance& i : e.own) {
    const auto alone = [&](const PowerClass& k, std::size_t p) {
      std::array<double, 3> on{};
      if (const int w = lines.way(k.group, i.rack, p); w >= 0) on[static_cast<std::size_t>(w)] = 1;
      return on;
    };
    each(e.all[i.of], -1, alone);
    each(i, 1, alone);
  }
  for (std::size_t f = 0; f < feeds.size(); ++f)
    if (!c.feeds[f].ups) out.feeds[f] = feeds[f].fullest(e.feed_va[f]);
  for (std::size_t p = 0; p < panels.size(); ++p) out.panels[p] = panels[p].fullest(e.panel_va[p]);
  return out;
}

// Positions whose feed or panel is dead.
void WhatIfEngine::Impl::upstream(Instance& i, const Electric& e) const {
  const PowerRack& rack = classes[i.of].rack;
  for (std::size_t p = 0; p < rack.positions.size(); ++p)
    if (source(rack.positions[p], e).dead) i.failure.positions |= std::uint64_t{1} << p;
}

// The rack as an instance of its own, taken out of its class.
Instance& WhatIfEngine::Impl::apart(Electric& e, std::int32_t rack) const {
  for (Instance& i : e.own)
    if (i.rack == rack) return i;
  Instance& all = e.all[class_of[rack]];
  Instance one = all;
  one.rack = rack;
  one.count = 1;
  all.count -= 1;
  e.own.push_back(std::move(one));
  return e.own.back();
}

bool WhatIfEngine::Impl::trip_pdus(Electric& e, int round) const {
  std::map<std::pair<std::int64_t, std::size_t>, TripEvent> events;  // by rack group and position
  CordWatts cords;
  std::vector<double> fullest;
  const auto look = [&](Instance& i) {
    const PowerClass& k = classes[i.of];
    if (i.count <= 0) return;
    std::uint64_t tripped = 0;
    fullest_lines(k.rack, wirings[i.of], i.failure, i.state, cords, fullest);
    for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
      const double va = fullest[p] / pf, limit = pdu_breakers[i.of][p].trip;
      if (limit < 0 || (i.failure.positions >> p & 1) || !above(va, limit)) continue;
      tripped |= std::uint64_t{1} << p;
      TripEvent& event = events[{k.group, p}];
      event.round = round;
      event.kind = ComponentKind::pdu;
      event.part = static_cast<std::int32_t>(p);
      event.load = std::max(event.load, va);
      event.limit = limit;
      each_rack(k, i, e, [&](std::int32_t r) { event.racks.push_back(r); });
    }
    if (!tripped) return;
    add(i, -1, e);
    i.failure.positions |= tripped;
    evaluate(k.rack, i.failure, i.state);
    add(i, 1, e);
    if (i.rack < 0) e.all_changed = true;
  };
  if (e.all_changed)
    for (Instance& i : e.all) look(i);
  for (Instance& i : e.own) look(i);
  for (auto& [key, event] : events) {
    std::ranges::sort(event.racks);
    e.trips.push_back(std::move(event));
  }
  return !events.empty();
}

bool WhatIfEngine::Impl::trip_panels(Electric& e, int round) const {
  bool any = false;
  const std::vector<double> loads = line_loads(e).panels;
  for (std::size_t p = 0; p < c.panels.size(); ++p) {
    if (e.panel_dead[p] || panel_breakers[p].trip < 0 || !above(loads[p], panel_breakers[p].trip)) continue;
    any = true;
    e.panel_dead[p] = 1;
    e.trips.push_back({.round = round,
                       .kind = ComponentKind::panel,
                       .of = static_cast<std::int32_t>(p),
                       .load = loads[p],
                       .limit = panel_breakers[p].trip});
  }
  return any;
}

bool WhatIfEngine::Impl::trip_feeds(Electric& e, int round) const {
  bool any = false;
  const std::vector<double> loads = line_loads(e).feeds;
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    const double va = e.feed_va[f], left = static_cast<double>(ups[f].modules - std::min(ups[f].modules, e.ups_out[f]));
    TripEvent event{.round = round, .kind = ComponentKind::feed, .of = static_cast<std::int32_t>(f)};
    const double drawn = at_breaker(c.feeds[f], VoltAmperes(loads[f])).value;
    if (feed_breakers[f].trip >= 0 && above(drawn, feed_breakers[f].trip)) {
      event.load = drawn;
      event.limit = feed_breakers[f].trip;
    } else if (ups[f].modules > 0 && ups[f].watts >= 0 && above(va * pf, ups[f].watts * left)) {
      event.kind = ComponentKind::ups;
      event.in_watts = true;
      event.load = va * pf;
      event.limit = ups[f].watts * left;
    } else if (ups[f].modules > 0 && ups[f].va >= 0 && above(va, ups[f].va * left)) {
      event.kind = ComponentKind::ups;
      event.load = va;
      event.limit = ups[f].va * left;
    } else if (ups[f].modules > 0 && left <= 0) {  // no module, no feed, whatever it is rated
      event.kind = ComponentKind::ups;
      event.load = va;
      event.limit = 0;
    } else {
      continue;
    }
    any = true;
    e.feed_dead[f] = 1;
    e.trips.push_back(std::move(event));
  }
  return any;
}

// The first round of `settle` after the loss of one PDU; for what lies above it with bounds in place of sums: all that
// the rack draws comes on top of every feed and panel that lives there, on one of its lines.
WhatIfEngine::MayTrip WhatIfEngine::Impl::may_trip(std::int32_t rack, std::size_t position) const {
  Instance i = base.all[class_of[rack]];
  const PowerClass& k = classes[i.of];
  i.failure.positions |= std::uint64_t{1} << position;
  evaluate(k.rack, i.failure, i.state);
  CordWatts cords;
  std::vector<double> fullest;
  fullest_lines(k.rack, wirings[i.of], i.failure, i.state, cords, fullest);
  double whole = 0;
  for (const double watts : i.state.position_watts) whole += watts / pf;
  MayTrip out;
  const auto feed_holds = [&](std::size_t f) {
    const double va = base.feed_va[f] + whole;
    if (feed_breakers[f].trip >= 0 &&
        above(at_breaker(c.feeds[f], VoltAmperes(base_lines.feeds[f] + 3 * whole)).value, feed_breakers[f].trip))
      return false;
    const auto modules = static_cast<double>(ups[f].modules);
    return ups[f].modules == 0 || ((ups[f].watts < 0 || !above(va * pf, ups[f].watts * modules)) &&
                                   (ups[f].va < 0 || !above(va, ups[f].va * modules)));
  };
  for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
    if (i.failure.positions >> p & 1) continue;
    const Source at = source(k.rack.positions[p], base);
    if (const double limit = pdu_breakers[i.of][p].trip; limit >= 0 && above(fullest[p] / pf, limit))
      out.pdus |= std::uint64_t{1} << p;
    if (at.panel >= 0 && panel_breakers[at.panel].trip >= 0 &&
        above(base_lines.panels[at.panel] + 3 * whole, panel_breakers[at.panel].trip))
      out.upstream = true;
    if (at.feed >= 0 && !feed_holds(static_cast<std::size_t>(at.feed))) out.upstream = true;
  }
  return out;
}

// What died upstream reaches the racks; then the sums anew.
void WhatIfEngine::Impl::spread(Electric& e) const {
  for (Instance& i : e.all) {
    const std::uint64_t before = i.failure.positions;
    upstream(i, e);
    if (i.failure.positions == before) continue;
    evaluate(classes[i.of].rack, i.failure, i.state);
    e.all_changed = true;
  }
  for (Instance& i : e.own) {
    upstream(i, e);
    evaluate(classes[i.of].rack, i.failure, i.state);
  }
  sum_all(e);
}

// To the fixed point. Dead feeds and panels only ever become more, tripped PDUs likewise: it ends.
void WhatIfEngine::Impl::settle(Electric& e, int round) const {
  if (&e == &base) e.all_changed = true;  // the first look at anything
  while (true) {
    if (trip_pdus(e, round)) {
      ++round;
      continue;
    }
    if (trip_panels(e, round) || trip_feeds(e, round)) {
      spread(e);
      ++round;
      continue;
    }
    return;
  }
}

void WhatIfEngine::Impl::power_limits(const Electric& e, bool feed_failed, WhatIf& out) const {
  // The rule that holds the same figure to the same limit: after the loss of a feed, or else at any time.
  const std::string_view rule =
      feed_failed ? "power-feed-loss-overloads-survivor" : "power-branch-over-continuous-rating";
  std::map<std::tuple<std::int64_t, std::size_t, bool>, LimitExceeded>
      pdus;  // by rack group, position, and whether it is all lines together
  CordWatts cords;
  std::vector<double> fullest;
  const auto look = [&](const Instance& i) {
    const PowerClass& k = classes[i.of];
    if (i.count <= 0) return;
    fullest_lines(k.rack, wirings[i.of], i.failure, i.state, cords, fullest);
    for (std::size_t p = 0; p < k.rack.positions.size(); ++p) {
      const double va = fullest[p] / pf, limit = pdu_breakers[i.of][p].continuous;
      if (limit < 0 || !above(va, limit)) continue;
      const bool all_lines = above(i.state.position_watts[p] / pf, limit);
      LimitExceeded& one = pdus[{k.group, p, all_lines}];
      one.rule = all_lines ? rule : "power-phase-overloaded-or-unbalanced";
      one.kind = ComponentKind::pdu;
      one.part = static_cast<std::int32_t>(p);
      one.load = std::max(one.load, va);
      one.limit = limit;
      each_rack(k, i, e, [&](std::int32_t r) { one.racks.push_back(r); });
    }
  };
  if (e.all_changed)
    for (const Instance& i : e.all) look(i);
  for (const Instance& i : e.own) look(i);
  for (auto& [key, one] : pdus) {
    std::ranges::sort(one.racks);
    out.limits.push_back(std::move(one));
  }
  const LineLoads loads = line_loads(e);
  // Where only the fullest line is too much, it is the rule of lines whose limit this is.
  const auto rule_of = [&](double all, double limit) {
    return above(all, limit) ? rule : std::string_view("power-phase-overloaded-or-unbalanced");
  };
  for (std::size_t p = 0; p < c.panels.size(); ++p)
    if (const double limit = panel_breakers[p].continuous;
        !e.panel_dead[p] && limit >= 0 && above(loads.panels[p], limit))
      out.limits.push_back({.rule = rule_of(e.panel_va[p], limit),
                            .kind = ComponentKind::panel,
                            .of = static_cast<std::int32_t>(p),
                            .load = loads.panels[p],
                            .limit = limit});
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    if (e.feed_dead[f]) continue;
    const double va = e.feed_va[f];
    const auto of = static_cast<std::int32_t>(f);
    const double drawn = at_breaker(c.feeds[f], VoltAmperes(loads.feeds[f])).value, limit = feed_breakers[f].continuous;
    if (limit >= 0 && above(drawn, limit))
      out.limits.push_back({.rule = rule_of(at_breaker(c.feeds[f], VoltAmperes(va)).value, limit),
                            .kind = ComponentKind::feed,
                            .of = of,
                            .load = drawn,
                            .limit = limit});
    if (ups[f].modules == 0) continue;
    const auto left = static_cast<double>(ups[f].modules - std::max(ups[f].spare, e.ups_out[f]));
    if (ups[f].watts >= 0 && above(va * pf, ups[f].watts * left))
      out.limits.push_back({.rule = "power-ups-over-kw-rating",
                            .kind = ComponentKind::ups,
                            .of = of,
                            .load = va * pf,
                            .limit = ups[f].watts * left,
                            .dimension = Dimension::power});
    else if (ups[f].va >= 0 && above(va, ups[f].va * left))
      out.limits.push_back({.rule = "power-ups-over-kw-rating",
                            .kind = ComponentKind::ups,
                            .of = of,
                            .load = va,
                            .limit = ups[f].va * left});
  }
}

// Every feed loses the mains at once. The UPS carry the load first, so a generator is loaded as in the normal state.
std::vector<MainsLeft> WhatIfEngine::Impl::lose_mains(const std::set<std::int32_t>& generators_out, Electric& e,
                                                      WhatIf& out) const {
  std::vector<char> stalls(c.generators.size(), 0);
  for (std::size_t g = 0; g < c.generators.size(); ++g) {
    stalls[g] = generators_out.contains(static_cast<std::int32_t>(g));
    double watts = 0;
    for (std::size_t f = 0; f < c.feeds.size(); ++f)
      if (c.feeds[f].generator == static_cast<int>(g) && !e.feed_dead[f])
        watts += at_breaker(c.feeds[f], VoltAmperes(e.feed_va[f])).value * pf;
    const Value<Watts>& rating = c.generators[g].spec->rating;
    if (stalls[g] || !rating || !above(watts, rating->value)) continue;
    stalls[g] = 1;
    out.limits.push_back({.rule = "power-generator-overloaded",
                          .kind = ComponentKind::generator,
                          .of = static_cast<std::int32_t>(g),
                          .load = watts,
                          .limit = rating->value,
                          .dimension = Dimension::power});
  }
  std::vector<MainsLeft> mains;
  for (std::size_t f = 0; f < c.feeds.size(); ++f) {
    const FeedModel& feed = c.feeds[f];
    MainsLeft& left = mains.emplace_back(MainsLeft{.feed = static_cast<int>(f)});
    if (feed.generator >= 0 && !stalls[static_cast<std::size_t>(feed.generator)]) {
      left.generator = feed.generator;
      const Value<Seconds>& start = c.generators[static_cast<std::size_t>(feed.generator)].spec->start;
      const bool modules = ups[f].modules > e.ups_out[f];
      const Value<Seconds> runtime = modules ? feed.spec->ups->runtime : Value<Seconds>();
      if (!modules)
        left.state = MainsLeft::State::restarts;
      else if (!start || !runtime)
        left.state = MainsLeft::State::unjudged;
      else
        left.state = above(start->value, runtime->value) ? MainsLeft::State::restarts : MainsLeft::State::bridged;
    }
    if (left.state == MainsLeft::State::restarts || left.state == MainsLeft::State::lost) e.feed_dead[f] = 1;
  }
  return mains;
}

}  // namespace clusterc
