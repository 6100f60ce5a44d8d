#include "model/power.h"
#include "model/rounded_up.h"
#include "plan/plan.h"
#include "plan/power/power.h"
#include "plan/power/power_chain.h"
#include "plan/power/rack_limits.h"
#include "rules/power_say.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {
namespace {

// One finding for all racks of a group.
void check_remaining_racks(const Rule& rule, const RuleInput& in, Findings& findings, const RackGroupModel& g,
                           Classes& all) {
  const Cluster& c = in.cluster;
  FailingPdus failing = failing_pdus(in, g, [&](const PduLoad& load) {
    const PduPart* part = g.pdus[load.pdu].part;
    if (!part || load.worst_lost_feed < 0) return 0.0;
    const Value<VoltAmperes> rating = pdu_rating(c, *part);
    // Overloaded even with all feeds: power-branch-over-continuous-rating says so.
    return rating && !above(load.normal.value, rating->value) && above(load.worst.value, rating->value)
               ? load.worst.value / rating->value
               : 0.0;
  });
  const PduLoad* worst = failing.worst;
  if (!worst) return;
  const PduModel& pdu = g.pdus[worst->pdu];
  const Value<VoltAmperes> rating = pdu_rating(c, *pdu.part);
  const FeedModel& lost = c.feeds[worst->worst_lost_feed];
  const std::vector<Term> terms = power_terms(in, worst->rack);
  const int group = heaviest_node_group(terms);
  const std::int64_t alive = std::count_if(g.pdus.begin(), g.pdus.end(),
                                           [&](const PduModel& p) { return !p.dies_with(worst->worst_lost_feed); });
  const Watts power = in.plan.racks[worst->rack].power;
  const double pf = power_factor(c);
  const std::vector<const PowerClass*> classes = all.of(&g - c.racks.data());
  const PowerClass& k = class_of_rack(classes, worst->rack);
  const OnPdu on = on_pdu(in.plan, k, static_cast<std::size_t>(worst->pdu), worst->worst_lost_feed);
  const std::string differ = loads_by_rack(c, failing, [](const PduLoad& load) { return load.worst; });
  Finding& f = findings.error(
      rule.id, group >= 0 ? load_place(c.nodes[group]) : g.span,
      format("if feed '{}' fails, {} must supply {}{}, but '{}' is rated for {} continuous", lost.name,
             which_pdu(c, failing, on.alike, "each remaining PDU of"), on.alike && !differ.empty() ? "up to " : "",
             to_text(worst->worst), pdu.model, to_text(*rating)));
  // The supplies that are left work at a higher load point, where they may lose more (model/power.h).
  const VoltAmperes simple = in.plan.apparent(power),
                    moved = worst->worst * static_cast<double>(std::max<std::int64_t>(alive, 1));
  const std::string higher = above(moved.value, simple.value * 1.0005)
                                 ? format(", {} at the higher load of the remaining supplies", to_text(moved))
                                 : std::string();
  if (on.alike)
    f.label(format("{} = {} at power factor {:.2f} = {}{}, on {} of {} PDUs", sum_text(terms, Dimension::power),
                   to_text(power), pf, to_text(simple), higher, alive, g.pdus.size()));
  else
    f.label(format("{} = {} at power factor {:.2f} = {}", sum_text(on.terms, Dimension::power),
                   to_text(Watts(worst->worst.value * pf)), pf, to_text(worst->worst)));
  f.note(pdu.span, format("the limit comes from this PDU; with all feeds it carries {}", to_text(worst->normal)));
  if (!differ.empty()) f.note({}, differ);
  f.note(lost.span, "this feed fails");
  mention_unconfirmed(f, rating, format("the rating of '{}'", pdu.model));
  if (!on.alike)
    f.help(format("move {} to other PDUs, use larger PDUs, or add one on another feed",
                  to_text(VoltAmperes(rounded_up((worst->worst - *rating).value)))));
  else
    f.help(format("keep each rack at {} or less ({} x {} x {:.2f}), or add a PDU on another feed",
                  to_text(Watts(rating->value * pf * static_cast<double>(alive))), alive, to_text(*rating), pf));
  // Where fewer supplies lose more, the cap is less by the same share.
  for (const Term& t : terms)
    if (t.kind == DeviceKind::node && t.group == group) {
      const double allowed = rating->value * pf * static_cast<double>(alive) * std::min(1.0, simple / moved),
                   others = power.value - t.each * static_cast<double>(t.count);
      const std::string cap = cap_help(c.nodes[group], Watts((allowed - others) / static_cast<double>(t.count)),
                                       [&](Watts w) { return pdus_hold_capped(in.plan, classes, g, true, group, w); });
      if (!cap.empty()) f.help(cap);
    }
  f.objects = std::move(failing.objects);
}

void check_remaining_feeds(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.feeds.size() && i < in.plan.feeds.size(); ++i) {
    const FeedModel& feed = c.feeds[i];
    const FeedLoad& load = in.plan.feeds[i];
    if (!feed.capacity || load.worst_lost_feed < 0) continue;
    const VoltAmperes normal = at_breaker(feed, load.normal), worst = at_breaker(feed, load.worst);
    if (above(normal.value, feed.capacity->value) || !above(worst.value, feed.capacity->value)) continue;
    const FeedModel& lost = c.feeds[load.worst_lost_feed];
    Finding& f = findings.error(rule.id, first_place(feed.capacity.span, feed.span),
                                format("if feed '{}' fails, feed '{}' must supply {} but is rated for {} continuous",
                                       lost.name, feed.name, to_text(worst), to_text(*feed.capacity)));
    f.label(feed.capacity.origin == Origin::derived ? feed.capacity.source
                                                    : format("{} in normal operation + {} taken over",
                                                             to_text(load.normal), to_text(load.worst - load.normal)));
    f.note(lost.span, "this feed fails");
    note_ups_loss(f, feed, load.worst);
    note_unplaced(f, in);
    f.help(format("use a feed of at least {}, or reduce the load by {}", to_text(VoltAmperes(rounded_up(worst.value))),
                  to_text(VoltAmperes(rounded_up((worst - *feed.capacity).value)))));
    f.object("feed/" + feed.name);
  }
}

void check_remaining_panels(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (c.panels.empty()) return;
  const std::vector<FeedLoad> loads = panel_loads(in.plan);
  for (std::size_t i = 0; i < c.panels.size(); ++i) {
    const PanelModel& panel = c.panels[i];
    const FeedLoad& load = loads[i];
    const double rating = panel_breaker(c, panel).continuous;
    // Overloaded even with all feeds: power-branch-over-continuous-rating says so.
    if (rating < 0 || load.worst_lost_feed < 0 || above(load.normal.value, rating) || !above(load.worst.value, rating))
      continue;
    const FeedModel& lost = c.feeds[load.worst_lost_feed];
    const Supply& supply = *c.spec.site->supply;
    Finding& f = findings.error(rule.id, first_place(panel.spec->breaker.span, panel.span),
                                format("if feed '{}' fails, panel '{}' must supply {} but is rated for {} continuous",
                                       lost.name, panel.name, to_text(load.worst), to_text(VoltAmperes(rating))));
    f.label(format("{}{} x {} x {:.2f}", *supply.phases >= 3 ? "sqrt(3) x " : "", to_text(*supply.voltage),
                   to_text(*panel.spec->breaker), continuous_share(c, panel.spec->continuous)));
    f.note(lost.span, format("this feed fails; with all feeds the panel carries {}", to_text(load.normal)));
    f.help(format("use a panel of at least {}, move PDUs to another panel, or reduce the load by {}",
                  to_text(VoltAmperes(rounded_up(load.worst.value))),
                  to_text(VoltAmperes(rounded_up((load.worst - VoltAmperes(rating)).value)))));
    f.object("panel/" + panel.name);
  }
}

void power_feed_loss_overloads_survivor(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  Classes classes(in.plan);
  for (const RackGroupModel& g : c.racks) {
    const bool named = std::any_of(g.pdus.begin(), g.pdus.end(), [](const PduModel& p) { return p.feed >= 0; });
    const bool draws = draws_power(in, g);
    if (draws && !named && !g.shelves.empty())
      continue;  // power-shelves-below-rack-draw
    else if (draws && !named)
      findings.note(rule.id, g.span,
                    format("no PDU of rack group '{}' has a `feed`, so the loss of a feed was not checked", g.name));
    else if (draws && std::all_of(g.pdus.begin(), g.pdus.end(),
                                  [&](const PduModel& p) { return p.dies_with(g.pdus.front().feed); }))
      findings.note(
          rule.id, g.pdus.front().span,
          format("all PDUs of rack group '{}' are on feed '{}': if it fails, the racks lose power; there is no "
                 "second feed whose load could be checked",
                 g.name, c.feeds[g.pdus.front().feed].name));
    check_remaining_racks(rule, in, findings, g, classes);
  }
  check_remaining_panels(rule, in, findings);
  check_remaining_feeds(rule, in, findings);
}

}  // namespace

extern const Rule kPowerFeedLossOverloadsSurvivor;  // registry.cc names it
const Rule kPowerFeedLossOverloadsSurvivor = {
    .id = "power-feed-loss-overloads-survivor",
    .code = "PWR-004",
    .severity = Severity::error,
    .physics = false,
    .summary = "if one feed fails, the others are overloaded",
    .explanation = R"(## What it checks

After the loss of any one feed, every remaining PDU, panel and feed carries no more than its continuous rating.
The same load on the UPS of a feed is checked by [power-ups-over-kw-rating](power-ups-over-kw-rating.md), and on power
shelves by [power-shelves-below-rack-draw](power-shelves-below-rack-draw.md).

## Why it matters

Two feeds are bought so that one may fail. If the breaker of the other then opens, all racks lose power shortly after
the first failure, although the redundancy was paid for.

## Formula

```
load of a PDU after the loss  = sum over the cords on it of (power of the device / its supplies that are alive) / power factor
load of a panel after it      = that of its PDUs, together
load of a feed after the loss = what it carried + what moves over from the racks on both
on the breaker of a feed      = its load / efficiency of its UPS, where it has one
each <= continuous rating (power-branch-over-continuous-rating)
```

Unit: VA on both sides; power in W.

With two feeds a PDU may therefore be loaded to half of its continuous rating, with three to two thirds.
Source: arithmetic; NFPA 70 (NEC) 210.20(A) for the factor 0.80.

Error: none beyond its inputs, as long as the cords are plugged as planned. A power factor of 0.96 is a default where
none is written; what states no power makes the load a lower bound.

## Example

A rack of 24 kW on two 17.3 kVA PDUs: 12.5 kVA each in normal operation, 25.0 kVA on one PDU if the other's feed fails.

## How to fix

Limit the rack to what the remaining PDUs carry, use larger PDUs, or add a third feed.

## When to accept

Where the second feed is there for more power and not for redundancy, and all users know that the loss of a feed stops
the rack.
)",
    .check = power_feed_loss_overloads_survivor,
};

}  // namespace clusterc
