#include <algorithm>
#include <cmath>
#include <set>

#include "model/power.h"
#include "plan/plan.h"
#include "rules/cord_faults.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Supplies that a device needs: all but the spares, and what its power takes of the rated output.
std::int64_t needed(const SupplyLoad& d) {
  const std::int64_t by_spare = d.spare >= 0 ? d.supplies - d.spare : 1;
  const double each = d.output * (1 + kRounding);
  return std::max(by_spare, each > 0 ? static_cast<std::int64_t>(std::ceil(d.watts * d.efficiency / each)) : 1);
}

// Each feed has no more of the supplies than may fail.
std::string remedy(const DeviceCords& d) {
  const SupplyLoad& load = d.load();
  if (load.supplies <= 1) return "add a second supply, or a transfer switch before it";
  std::set<std::int16_t> feeds;
  for (std::size_t p = 0; p < d.on.size(); ++p)
    if (d.racks->rack.positions[p].feed >= 0) feeds.insert(d.racks->rack.positions[p].feed);
  const std::int64_t may_fail = load.supplies - needed(load);
  if (may_fail <= 0) return "use larger supplies, or add a supply: with the present ones, none may fail";
  const std::int64_t enough = (load.supplies + may_fail - 1) / may_fail;
  if (enough > static_cast<std::int64_t>(feeds.size()))
    return format(
        "use PDUs on {} feeds ({} now), so that the loss of one feed stops no more than {} of the {} supplies", enough,
        feeds.size(), may_fail, load.supplies);
  return format("spread the cords of the device evenly over the {} feeds: no more than {} of the {} on each feed",
                feeds.size(), may_fail, load.supplies);
}

struct Worst {
  double rank = 0;
  int feed = -1;
  AfterLoss after;
};

// The feed whose loss hurts the device most. What nobody states, neither spares nor output, is not held against it.
Worst worst_loss(const Cluster& c, const DeviceCords& d) {
  Worst worst;
  const SupplyLoad& load = d.load();
  // Too small with the spares out, whatever hangs where: power-supplies-below-node-draw says so.
  if (load.output > 0 &&
      above(load.watts * load.efficiency,
            load.output * static_cast<double>(load.supplies - std::max<std::int64_t>(0, load.spare))))
    return worst;
  for (int f = 0; f < static_cast<int>(c.feeds.size()); ++f) {
    const std::optional<AfterLoss> after = after_loss(d, f);
    if (!after || after->result.state == SupplyState::runs) continue;
    if (after->result.state == SupplyState::unjudged &&
        (d.load().spare < 0 || after->alive >= d.load().supplies - d.load().spare))
      continue;
    const double rank = after->result.state == SupplyState::dead        ? 3000
                        : after->result.state == SupplyState::throttled ? 2000
                                                                        : 1000;
    if (const double r = rank + static_cast<double>(d.load().supplies - after->alive); r > worst.rank)
      worst = {r, f, *after};
  }
  return worst;
}

// All PDUs of the racks on one feed, of a site that has others: its loss leaves no supply, whatever hangs where.
void check_one_feed(const Rule& rule, const RuleInput& in, Findings& findings, std::size_t group,
                    const std::vector<PowerClass>& classes) {
  const Cluster& c = in.cluster;
  const RackGroupModel& g = c.racks[group];
  if (c.feeds.size() < 2 || g.pdus.size() < 2 || g.pdus.front().feed < 0 ||
      std::ranges::any_of(g.pdus,
                          [&](const PduModel& p) { return p.feed != g.pdus.front().feed || p.other_feed >= 0; }))
    return;
  const FeedModel& feed = c.feeds[static_cast<std::size_t>(g.pdus.front().feed)];
  const auto redundant = [](const DeviceCords& d) { return d.load().supplies > 1 ? 1.0 : 0.0; };
  for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(group), redundant)) {
    const SupplyLoad& load = k.cords.load();
    const RackedDevice& device = *k.cords.device;
    const FeedModel* other = &c.feeds.front() == &feed ? &c.feeds[1] : &c.feeds.front();
    findings
        .warning(
            rule.id, first_place(g.pdus[1].span, g.span),
            format("the loss of feed '{}' leaves 0 of {} supplies of {}, but {} are needed: the device switches off",
                   feed.name, load.supplies, each_device_text(in, device), needed(load)))
        .label(format("all {} of '{}' are on feed '{}'", plural(static_cast<std::int64_t>(g.pdus.size()), "PDU"),
                      g.name, feed.name))
        .note(device_place(in, device), format("{} with {} supplies each", plural(k.devices, "device"), load.supplies))
        .help(format("write `feed: {}` for this PDU", other->name))
        .object(device_owner(in.plan, device));
  }
}

void power_supplies_uneven_over_feeds(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    check_one_feed(rule, in, findings, i, classes);
    for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(i),
                                            [&](const DeviceCords& d) { return worst_loss(c, d).rank; })) {
      const SupplyLoad& load = k.cords.load();
      const Worst w = worst_loss(c, k.cords);
      const RackedDevice& device = *k.cords.device;
      const FeedModel& feed = c.feeds[static_cast<std::size_t>(w.feed)];
      const std::string_view does = w.after.result.state == SupplyState::dead        ? "the device switches off"
                                    : w.after.result.state == SupplyState::throttled ? "the device throttles"
                                                                                     : "the device throttles or stops";
      Finding& f = findings.warning(
          rule.id, device_place(in, device),
          format("the loss of feed '{}' leaves {} of {} supplies of {}, but {} are needed: {}", feed.name,
                 w.after.alive, load.supplies, each_device_text(in, device), needed(load), does));
      f.label(format("{} of its {} cords are on feed '{}'", load.supplies - w.after.alive, load.supplies, feed.name));
      f.note(g.pdus.front().span,
             format("{} in each rack of '{}'", plural(static_cast<std::int64_t>(g.pdus.size()), "PDU"), g.name));
      const PsuSet& psus = *k.cords.psus;
      if (load.spare >= 0) {
        f.note(psus.spare.span, format("{} of {} supplies declared as spare", load.spare, load.supplies));
        mention_unconfirmed(f, psus.spare,
                            format("the number of spare supplies of '{}'", device_model(in.plan, device)));
      } else {
        mention_unconfirmed(f, psus.power, format("the power of one supply of '{}'", device_model(in.plan, device)));
      }
      f.help(remedy(k.cords));
      f.object(device_owner(in.plan, device));
    }
  }
}

}  // namespace

extern const Rule kPowerSuppliesUnevenOverFeeds;  // registry.cc names it
const Rule kPowerSuppliesUnevenOverFeeds = {
    .id = "power-supplies-uneven-over-feeds",
    .code = "PWR-006",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the loss of a feed takes more supplies of a device than its redundancy allows",
    .explanation = R"(## What it checks

With the cords of a device spread over the PDUs of its rack, the loss of any one feed leaves as many supplies as the
device needs.

## Why it matters

Six supplies of which two are spare (4+2) on two feeds: the loss of either feed takes three. The machine throttles to a
fraction of its clock or switches off, although both feeds were paid for. With three feeds, the loss of one takes two.

## Formula

```
supplies - supplies on the lost feed >= supplies - spare
```

Unit: supplies on both sides.

Where the spec changes the number of supplies and not the spares: >= power x efficiency / power of one supply. Cords go to the PDUs one after the other.
Source: data sheets (catalogue); DGX H100/H200 user guide (three supplies run at reduced performance); NVIDIA DGX SuperPOD B300 reference architecture (three rack PDUs).

Error: none beyond its inputs, as long as the cords are plugged as planned.

## Example

DGX H100, 4+2, on feeds A and B: three supplies are left, four are needed.

## How to fix

Add feeds and PDUs until no feed has more of the supplies than may fail (4+2: three feeds; 5+1: six).

## When to accept

Where nodes may throttle or stop with a feed, and the scheduler is configured for it.
)",
    .check = power_supplies_uneven_over_feeds,
};

}  // namespace clusterc
