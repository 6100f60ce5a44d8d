#include <array>
#include <optional>

#include "plan/plan.h"
#include "plan/power/cords.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "plan/power/rack_limits.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// Policy, as most feeds' operators ask for.
constexpr Threshold kPowerPhaseOverloadedOrUnbalancedThreshold{
    .means = "excess of the most loaded line over the mean of the three lines",
    .standard = 0.15,
    .least = 0.01,
    .most = 2};
constexpr double kMatters = 0.8;  // of the line's rating: below it an uneven load costs nothing (policy)

struct Lines {
  std::array<double, 3> all{};
  double amps = 0, mean = 0, rating = 0, trip = 0;
  int lost = -1;
  bool over() const { return above(amps, rating); }
  bool trips() const { return above(amps, trip); }
  bool uneven(double most) const {
    return !over() && lost < 0 && above(amps / mean - 1, most) && above(amps, kMatters * rating);
  }
};

// With all feeds, or after the loss that is worst for a line; nothing where power-branch-over-continuous-rating or
// power-feed-loss-overloads-survivor speaks.
std::optional<Lines> lines_of(const Cluster& c, const PduModel& pdu, const PduLoad& load, const PduCurrents& now,
                              bool after) {
  if (!pdu.part || pdu.part->phases.value_or(1) < 3 || !pdu.part->voltage || (after && now.worst_lost_feed < 0))
    return std::nullopt;
  const Value<VoltAmperes> rating = pdu_rating(c, *pdu.part);
  if (!rating || above((after ? load.worst : load.normal).value, rating->value)) return std::nullopt;
  Lines l;
  l.all = after ? now.worst_lines : now.lines;
  l.lost = after ? now.worst_lost_feed : -1;
  l.amps = after ? now.worst_highest() : now.highest();
  l.mean = (l.all[0] + l.all[1] + l.all[2]) / 3;
  l.rating = *line_rating(c, *pdu.part);
  l.trip = pdu_breaker(c, *pdu.part).trip / (kSqrt3 * pdu.part->voltage->value);
  if (l.mean <= 0) return std::nullopt;
  return l;
}

enum class Kind { overloaded, trips_after_loss, overloaded_after_loss, uneven };

void check_group(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g,
                 const std::vector<PduCurrents>& currents, Classes& classes) {
  const Cluster& c = in.cluster;
  const auto lines = [&](const PduLoad& load, bool after) {
    return lines_of(c, g.pdus[static_cast<std::size_t>(load.pdu)], load,
                    currents[static_cast<std::size_t>(&load - in.plan.pdus.data())], after);
  };
  for (const Kind kind : {Kind::overloaded, Kind::trips_after_loss, Kind::overloaded_after_loss, Kind::uneven}) {
    FailingPdus failing = failing_pdus(in, g, [&](const PduLoad& load) {
      const std::optional<Lines> normal = lines(load, false);
      if (!normal) return 0.0;
      if (kind == Kind::overloaded) return normal->over() ? normal->amps / normal->rating : 0.0;
      if (kind == Kind::uneven) return normal->uneven(in.threshold(rule)) ? normal->amps / normal->mean : 0.0;
      const std::optional<Lines> after = lines(load, true);
      return !normal->over() && after && after->over() && after->trips() == (kind == Kind::trips_after_loss)
                 ? after->amps / after->rating
                 : 0.0;
    });
    if (!failing.worst) continue;
    const Lines l = *lines(*failing.worst, kind == Kind::trips_after_loss || kind == Kind::overloaded_after_loss);
    const PduModel& pdu = g.pdus[static_cast<std::size_t>(failing.worst->pdu)];
    const std::string lost = l.lost >= 0
                                 ? format("if feed '{}' fails, ", c.feeds[static_cast<std::size_t>(l.lost)].name)
                                 : "",
                      racks = rack_list(failing.names, failing.racks), most = failing.uniform() ? "" : "up to ";
    const std::string where =
        format("{}one line of '{}' in {} carries {}{}", lost, pdu.model, racks, most, to_text(Amperes(l.amps)));
    const bool error = kind == Kind::overloaded || kind == Kind::trips_after_loss;
    Finding& f = findings.add(
        error ? Severity::error : Severity::warning, rule.id, pdu.span,
        kind == Kind::uneven
            ? format("{}, {} above the mean of {}", where, percent(l.amps / l.mean - 1), to_text(Amperes(l.mean)))
        : kind == Kind::trips_after_loss
            ? format("{}'{}' in {} trips: one line carries {}{}, but its breaker trips above {}", lost, pdu.model,
                     racks, most, to_text(Amperes(l.amps)), to_text(Amperes(l.trip)))
            : format("{}, but is rated for {} continuous", where, to_text(Amperes(l.rating))));
    f.label(format("the three lines carry {}, {} and {}", to_text(Amperes(l.all[0])), to_text(Amperes(l.all[1])),
                   to_text(Amperes(l.all[2]))));
    if (kind == Kind::trips_after_loss)
      f.note({}, format("the load of this PDU then moves to other PDUs or is lost: `clusterc plan --what-if feed:{}`",
                        c.feeds[static_cast<std::size_t>(l.lost)].name));
    if (kind == Kind::overloaded_after_loss)
      f.note({}, format("the breaker does not trip: it trips only above {} on one line", to_text(Amperes(l.trip))));
    f.note({},
           "the planner assigns the largest cords first, each to the least loaded lines, then exchanges cords while "
           "that helps");
    f.help(kind == Kind::uneven
               ? "use a number of equal devices that is divisible by three, or connect the next PDU's lines in another "
                 "order"
               : "use a number of cords that is divisible by three, a larger PDU, or fewer devices in the rack");
    const std::vector<Term> terms = power_terms(in, failing.worst->rack);
    const int group = heaviest_node_group(terms);
    for (const Term& t : terms)
      if (kind != Kind::uneven && t.kind == DeviceKind::node && t.group == group) {
        const std::vector<const PowerClass*> alike = classes.of(&g - c.racks.data());
        const std::string cap =
            cap_help(c.nodes[static_cast<std::size_t>(group)], Watts(t.each * l.rating / l.amps),
                     [&](Watts w) { return pdus_hold_capped(in.plan, alike, g, l.lost >= 0, group, w); });
        if (!cap.empty()) f.help(cap);
      }
    f.objects = std::move(failing.objects);
  }
}

// A breaker upstream of the PDUs: of a panel, or of a feed. Silent where all lines together are too much: the rules of
// all lines say so.
void check_upstream(const Rule& rule, const RuleInput& in, Findings& findings, const FeedLoad& load,
                    const LineLoad& line, const Breaker& breaker, const std::string& what, SourceSpan at,
                    const std::string& object) {
  const double rating = breaker.continuous;
  const bool now = above(line.normal.value, rating),
             after = !now && line.worst_lost_feed >= 0 && above(line.worst.value, rating);
  const VoltAmperes full = now ? line.normal : line.worst, all = now ? load.normal : load.worst;
  if (!(now || after) || above(all.value, rating)) return;
  const auto amps = [&](double va) {
    return to_text(Amperes(va / (kSqrt3 * in.cluster.spec.site->supply->voltage->value)));
  };
  const std::string lost =
      after ? format("if feed '{}' fails, ", in.cluster.feeds[static_cast<std::size_t>(line.worst_lost_feed)].name)
            : "";
  const bool holds = after && !above(line.worst.value, breaker.trip);  // as for the lines of a PDU
  Finding& f = findings.add(holds ? Severity::warning : Severity::error, rule.id, at,
                            after && !holds ? format("{}{} trips: one line carries {}, but its breaker trips above {}",
                                                     lost, what, amps(full.value), amps(breaker.trip))
                                            : format("{}one line of {} carries {}, but is rated for {} continuous",
                                                     lost, what, amps(full.value), amps(rating)));
  f.label(format("{} in total: {} on each line if balanced", to_text(all), amps(all.value)));
  if (holds) f.note({}, format("the breaker does not trip: it trips only above {} on one line", amps(breaker.trip)));
  f.note({}, "single-phase PDUs are assigned to the lines in turn, rack by rack; no other assignment was tried");
  f.help(
      "use three-phase PDUs, a number of racks that is divisible by three, a larger breaker, or less load behind it");
  f.object(object);
}

void power_phase_overloaded_or_unbalanced(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const std::vector<PduCurrents>& currents = in.plan.pdu_currents();
  Classes classes(in.plan);
  for (const RackGroupModel& g : c.racks) check_group(rule, in, findings, g, currents, classes);
  if (!FeedLines(c).any()) return;
  const std::vector<LineLoad> on_feeds = feed_line_loads(in.plan), on_panels = panel_line_loads(in.plan);
  for (std::size_t i = 0; i < c.feeds.size() && i < in.plan.feeds.size(); ++i)
    if (const FeedModel& feed = c.feeds[i]; feed.capacity && !feed.ups)
      check_upstream(rule, in, findings, in.plan.feeds[i], on_feeds[i], feed_breaker(c, feed),
                     format("feed '{}'", feed.name), first_place(feed.capacity.span, feed.span), "feed/" + feed.name);
  const std::vector<FeedLoad> panels = panel_loads(in.plan);
  for (std::size_t i = 0; i < c.panels.size(); ++i)
    if (const Breaker breaker = panel_breaker(c, c.panels[i]); breaker.continuous >= 0)
      check_upstream(rule, in, findings, panels[i], on_panels[i], breaker, format("panel '{}'", c.panels[i].name),
                     first_place(c.panels[i].spec->breaker.span, c.panels[i].span), "panel/" + c.panels[i].name);
}

}  // namespace

extern const Rule kPowerPhaseOverloadedOrUnbalanced;  // registry.cc names it
const Rule kPowerPhaseOverloadedOrUnbalanced = {
    .id = "power-phase-overloaded-or-unbalanced",
    .code = "PWR-003",
    .severity = Severity::error,
    .physics = false,
    .summary =
        "one line of a three-phase PDU, panel or feed carries more than its rating, or much more than the other lines",
    .explanation = R"(## What it checks

The rule checks each line of three-phase PDUs:
- With all feeds available, no line carries more than its share of the rating (error).
- After the loss of one feed, no line carries more than its breaker holds (error: the PDU trips, as `plan --what-if
  feed:NAME` shows, and the equipment that should survive the loss stops).
- After the loss of one feed, no line carries more than its share of the rating (warning: nothing trips, but both feeds
  are needed again within hours).
- With all feeds available, no line loaded to 80 % or more is more than 15 % above the mean of the three (warning).

The planner assigns cords: the largest first, each to the least loaded lines, then moves or exchanges cords while the
load of the fullest line falls.

A single-phase PDU loads one or two lines of a three-phase feed or panel. No line of these carries more than its rating
either, with all feeds (error) and after the loss of one (error above what the breaker holds, warning below). For a feed
with a written `capacity`, only that capacity is known.
Single-phase PDUs are assigned to the lines in turn, rack by rack (`feed_line` in plan.json), separately for each panel
and for each feed without panels.

## Why it matters

Each pole of the breaker trips by itself. A PDU at 80 % in total can have one line at 110 %, and two cords of a kilowatt cannot be spread over three lines.

## Formula

```
current of a cord    = power of the device / power factor / supplies that are alive / voltage across one load
loads between lines  : I_A = sqrt(I_AB^2 + I_CA^2 + I_AB x I_CA)
loads to neutral     : the sum of the cords on the line
highest line         <= continuous rating / (sqrt(3) x line-to-line voltage)
highest line / mean  <= 1.15 where the highest line is above 80 % of its rating
line of a feed       = (what three-phase PDUs, shelves and others draw) / (sqrt(3) x V) + single-phase PDUs on it, as phasors
                       <= rating of the feed or panel / (sqrt(3) x V)
```

Unit: A on both sides; power in W, voltage in V.

The first and the last in the normal state and after the loss of one feed, the second in the normal state. A feed behind a UPS draws from all lines alike (double conversion).
Source: phasors 60 degrees apart; the 15 % and the 80 % are policy.

Error: none beyond its inputs, as long as the cords are plugged as planned. The currents add up as these phasors only
where the loads have the same power factor.

## Example

Four cords of 16 A at 208 V: pairs of 32, 16 and 16 A, lines of 42.3, 42.3 and 27.7 A. Balanced, each line would carry
37 A.
One rack of 5.82 kW on two single-phase PDUs, on feeds of 400 V: after the loss of one feed, one line of the other
carries all of it, 5,820 / 0.96 / 230.9 V = 26.3 A. A balanced load would put a third of it, 8.75 A, on each line.

## How to fix

Make the number of equal cords on a PDU divisible by three, use a larger PDU, or put fewer devices in the rack.

## When to accept

The warning: where the load is known to stay low. The errors: where the cords will be plugged in a different order that
was calculated. The error after the loss of a feed: also where the second feed is there for more power and not for
redundancy.
)",
    .check = power_phase_overloaded_or_unbalanced,
    .threshold = &kPowerPhaseOverloadedOrUnbalancedThreshold,
};

}  // namespace clusterc
