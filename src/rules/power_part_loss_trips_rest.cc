#include <algorithm>

#include "plan/failures/what_if.h"
#include "plan/plan.h"
#include "plan/power/cords.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// What carries too much already with all feeds, or after the loss of one: other rules say so.
class Told {
 public:
  explicit Told(const RuleInput& in)
      : in_(in),
        currents_(in.plan.pdu_currents()),
        panels_(panel_loads(in.plan)),
        feed_lines_(feed_line_loads(in.plan)),
        panel_lines_(panel_line_loads(in.plan)) {}

  bool pdu(std::int32_t rack, std::int32_t letter) const {
    const auto at = std::ranges::lower_bound(in_.plan.pdus, std::pair(rack, letter), {}, [](const PduLoad& p) {
      return std::pair(static_cast<std::int32_t>(p.rack), static_cast<std::int32_t>(p.pdu));
    });
    if (at == in_.plan.pdus.end() || at->rack != rack || at->pdu != letter) return true;
    const PduPart* part = in_.cluster.racks[static_cast<std::size_t>(in_.cluster.rack_group_of(rack))]
                              .pdus[static_cast<std::size_t>(letter)]
                              .part;
    const double rating = part ? pdu_breaker(in_.cluster, *part).continuous : -1;
    if (rating < 0 || above(std::max(at->normal, at->worst).value, rating)) return true;
    const PduCurrents& lines = currents_[static_cast<std::size_t>(at - in_.plan.pdus.begin())];
    return part->voltage && part->phases.value_or(1) >= 3 &&
           above(std::max(lines.highest(), lines.worst_highest()) * kSqrt3 * part->voltage->value, rating);
  }
  bool panel(std::int32_t p) const {
    return over(panels_[static_cast<std::size_t>(p)], panel_lines_[static_cast<std::size_t>(p)],
                panel_breaker(in_.cluster, in_.cluster.panels[static_cast<std::size_t>(p)]).continuous);
  }
  bool feed(std::int32_t f) const {
    return over(in_.plan.feeds[static_cast<std::size_t>(f)], feed_lines_[static_cast<std::size_t>(f)],
                feed_breaker(in_.cluster, in_.cluster.feeds[static_cast<std::size_t>(f)]).continuous);
  }

  bool all(const TripEvent& t) const {
    if (t.kind == ComponentKind::panel) return panel(t.of);
    if (t.kind == ComponentKind::feed) return feed(t.of);
    return t.kind == ComponentKind::pdu && std::ranges::all_of(t.racks, [&](std::int32_t r) { return pdu(r, t.part); });
  }

 private:
  static bool over(const FeedLoad& load, const LineLoad& line, double rating) {
    return rating < 0 || above(std::max({load.normal, load.worst, line.normal, line.worst}).value, rating);
  }
  const RuleInput& in_;
  const std::vector<PduCurrents>& currents_;
  std::vector<FeedLoad> panels_;
  std::vector<LineLoad> feed_lines_, panel_lines_;
};

std::string pdu_name(const Cluster& c, std::int64_t rack, std::int32_t letter) {
  return format("PDU '{}/{}'", c.rack_name(rack), static_cast<char>('a' + letter));
}

std::string tripped(const Cluster& c, const TripEvent& t) {
  if (t.kind == ComponentKind::panel) return format("panel '{}'", c.panels[static_cast<std::size_t>(t.of)].name);
  if (t.kind == ComponentKind::pdu) return pdu_name(c, t.racks.front(), t.part);
  return format("{}feed '{}'", t.kind == ComponentKind::ups ? "the rest of the UPS on " : "",
                c.feeds[static_cast<std::size_t>(t.of)].name);
}

std::string amount(const TripEvent& t, double value) {
  return t.in_watts ? to_text(Watts(value)) : to_text(VoltAmperes(value));
}

std::string taken(const WhatIf& w) {
  if (w.dead_nodes.empty())
    return w.dead_storage.empty()
               ? format("{} {}", w.dead_switches.size(), w.dead_switches.size() == 1 ? "switch" : "switches")
               : plural(static_cast<std::int64_t>(w.dead_storage.size()), "storage system");
  return format("{}{}", plural(static_cast<std::int64_t>(w.dead_nodes.size()), "node"),
                w.dead_gpus > 0 ? format(" with {}", plural(w.dead_gpus, "GPU")) : "");
}

// Each run looks at every class of racks: with as many runs as classes the time would grow with the square of a spec
// that writes thousands of rack groups.
constexpr int kMostRuns = 500;

struct Loss {
  Component component;
  std::string what, wish;
  SourceSpan span;
  std::int64_t others = 0;
};  // others: racks whose like does the same

// What trips first, where nobody has told it yet and something goes off for it.
const TripEvent* trips(const WhatIf& w, const Told& told) {
  if (w.dead_nodes.empty() && w.dead_switches.empty() && w.dead_storage.empty()) return nullptr;
  for (const TripEvent& t : w.trips)
    if (t.round == w.trips.front().round && !told.all(t)) return &t;
  return nullptr;
}

Finding& say(const Rule& rule, const RuleInput& in, Findings& findings, const Loss& loss, const WhatIf& w,
             const TripEvent& t) {
  const std::string rest = tripped(in.cluster, t);
  Finding& f = findings.warning(rule.id, loss.span,
                                format("if {} fails, {} must supply {} but trips above {}, which stops {}", loss.what,
                                       rest, amount(t, t.load), amount(t, t.limit), taken(w)));
  if (loss.others > 0) f.note({}, format("the same applies to {}", plural(loss.others, "other rack")));
  f.note({}, format("to see each step: `clusterc plan --what-if {}`", loss.wish));
  return f;
}

void check_pdus(const Rule& rule, const RuleInput& in, Findings& findings, const WhatIfEngine& engine,
                const Told& told) {
  const Cluster& c = in.cluster;
  std::vector<char> said(c.racks.size());
  int runs = 0;
  for (const PowerClass& k : in.plan.power_classes()) {
    if (k.assembly || k.rack.positions.size() < 2 || said[static_cast<std::size_t>(k.group)]) continue;
    for (std::size_t p = 0; p < c.racks[static_cast<std::size_t>(k.group)].pdus.size(); ++p) {
      const WhatIfEngine::MayTrip may = engine.may_trip(k.racks.front(), p);
      bool told_all = true;
      for (std::size_t other = 0; other < k.rack.positions.size(); ++other)
        if (may.pdus >> other & 1) told_all = told_all && told.pdu(k.racks.front(), static_cast<std::int32_t>(other));
      if (may.pdus != 0 ? told_all : !may.upstream) continue;
      if (++runs > kMostRuns) {
        findings
            .note(rule.id, c.racks[static_cast<std::size_t>(k.group)].span,
                  format("from rack group '{}' on, the loss of a PDU was not checked: the limit of {} runs over the "
                         "whole cluster was reached",
                         c.racks[static_cast<std::size_t>(k.group)].name, kMostRuns))
            .help("to check all of them: `clusterc plan --what-if each`");
        return;
      }
      const Component pdu{ComponentKind::pdu, -1, k.racks.front(), static_cast<std::int32_t>(p)};
      const WhatIf w = engine.run(std::span(&pdu, 1));
      const TripEvent* t = trips(w, told);
      if (!t) continue;
      const auto letter = static_cast<char>('a' + p);
      Loss loss{pdu, pdu_name(c, pdu.index, pdu.part), format("pdu:{}/{}", c.rack_name(pdu.index), letter),
                c.racks[static_cast<std::size_t>(k.group)].pdus[p].span, static_cast<std::int64_t>(k.racks.size()) - 1};
      Finding& f = say(rule, in, findings, loss, w, *t);
      f.help(
          "use larger PDUs, add one to the rack, or reduce their load, so that the remaining PDUs can carry the load "
          "of the failed one");
      for (const std::int32_t r : k.racks) f.object("pdu/" + c.rack_name(r) + "/" + letter);
      said[static_cast<std::size_t>(k.group)] = 1;
      break;
    }
  }
}

void power_part_loss_trips_rest(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const WhatIfEngine engine(in.plan);
  const Told told(in);
  check_pdus(rule, in, findings, engine, told);
  for (std::size_t i = 0; i < c.panels.size(); ++i) {
    const PanelModel& panel = c.panels[i];
    const Component lost{ComponentKind::panel, static_cast<std::int32_t>(i)};
    const WhatIf w = engine.run(std::span(&lost, 1));
    const TripEvent* t = trips(w, told);
    if (!t) continue;
    Finding& f =
        say(rule, in, findings, {lost, format("panel '{}'", panel.name), "panel:" + panel.name, panel.span}, w, *t);
    f.help(format("give {} a breaker for {}, or reduce the load behind both", tripped(c, *t), amount(*t, t->load)));
    f.object("panel/" + panel.name);
  }
  for (std::size_t i = 0; i < c.feeds.size(); ++i) {
    const FeedModel& feed = c.feeds[i];
    const UpsModules ups = ups_modules(feed);
    if (ups.modules == 0 || ups.spare > 0) continue;  // with a spare: power-ups-over-kw-rating
    const Component module{ComponentKind::ups, static_cast<std::int32_t>(i)},
        whole{ComponentKind::feed, static_cast<std::int32_t>(i)};
    const WhatIf w = engine.run(std::span(&module, 1));
    const TripEvent* t = trips(w, told);
    if (!t || !engine.run(std::span(&whole, 1)).trips.empty())
      continue;  // what the feed's own loss overloads: power-feed-loss-overloads-survivor
    const std::string what = ups.modules == 1
                                 ? format("the only module of the UPS on feed '{}'", feed.name)
                                 : format("one of {} modules of the UPS on feed '{}'", ups.modules, feed.name);
    Finding& f = say(rule, in, findings,
                     {module, what, "ups:" + feed.name,
                      first_place(written(feed.spec->ups->modules), feed.spec->ups->model.span, feed.span)},
                     w, *t);
    f.help(format("write one module more than the load needs: `modules: {}, spare: 1`", ups.modules + 1));
    f.object("feed/" + feed.name);
  }
}

}  // namespace

extern const Rule kPowerPartLossTripsRest;  // registry.cc names it
const Rule kPowerPartLossTripsRest = {
    .id = "power-part-loss-trips-rest",
    .code = "PWR-026",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the loss of one PDU, panel or UPS module trips a breaker that remains",
    .explanation = R"(## What it checks

After the loss of one PDU, one panel or one UPS module, no remaining part trips, so that nothing else loses power. The
result is the same as that of `plan --what-if each` for these parts.
The rule is silent where the same part is already overloaded after the loss of a feed or in normal operation:
[power-feed-loss-overloads-survivor](power-feed-loss-overloads-survivor.md),
[power-branch-over-continuous-rating](power-branch-over-continuous-rating.md) and
[power-phase-overloaded-or-unbalanced](power-phase-overloaded-or-unbalanced.md) report that.

## Why it matters

Two panels on one feed, or two PDUs in a rack, look like redundancy. Where neither can carry the load of both, the
failure of one stops everything behind both.

## Formula

```
load of what is left = sum over the supplies that live of (power of the device / its supplies that live) / power factor
trips above            sqrt(3) x V x I of its breaker; a UPS above (modules - 1) x what one carries, in kW or kVA
```

Unit: VA on both sides, for a UPS W too; V in V, I in A.

Source: [what-if](../what-if.md); breakers trip in the end above their rating (UL 489, IEC 60947-2).

Error: none beyond its inputs, as long as the cords are plugged as planned. How long an overloaded breaker holds is not
computed.

## Example

36 kVA on each of two panels of 100 A at 415 V, both on feed A: if one fails, the other must supply 72 kVA and trips
above sqrt(3) x 415 V x 100 A = 71.88 kVA.

## How to fix

Use breakers that carry the load of both, add a third part, or reduce the load behind each.

## When to accept

Where the second part is there for more power and not for redundancy, and all users know it.
)",
    .check = power_part_loss_trips_rest,
};

}  // namespace clusterc
