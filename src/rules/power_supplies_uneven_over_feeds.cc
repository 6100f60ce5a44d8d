#include <cmath>
#include <set>

#include "model/power.h"
#include "plan/plan.h"
#include "rules/cord_faults.h"
#include "rules/rule.h"
#include "rules/say.h"

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
  if (load.supplies <= 1) return "a second supply, or a transfer switch before it";
  std::set<std::int16_t> feeds;
  for (std::size_t p = 0; p < d.on.size(); ++p)
    if (d.racks->rack.positions[p].feed >= 0) feeds.insert(d.racks->rack.positions[p].feed);
  const std::int64_t may_fail = load.supplies - needed(load);
  if (may_fail <= 0) return "a larger or a further supply: none of them may fail";
  const std::int64_t enough = (load.supplies + may_fail - 1) / may_fail;
  if (enough > static_cast<std::int64_t>(feeds.size()))
    return format("PDUs on {} feeds ({} now), so that the loss of one takes no more than {} of its {} supplies", enough,
                  feeds.size(), may_fail, load.supplies);
  return format("its cords evenly over the {} feeds: no more than {} of the {} on each", feeds.size(), may_fail,
                load.supplies);
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

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  const std::vector<PowerClass>& classes = in.plan.power_classes();
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    for (const CordFault& k : failing_cords(in, classes, static_cast<std::int64_t>(i),
                                            [&](const DeviceCords& d) { return worst_loss(c, d).rank; })) {
      const SupplyLoad& load = k.cords.load();
      const Worst w = worst_loss(c, k.cords);
      const RackedDevice& device = *k.cords.device;
      const FeedModel& feed = c.feeds[static_cast<std::size_t>(w.feed)];
      const std::string_view does = w.after.result.state == SupplyState::dead        ? "it goes off"
                                    : w.after.result.state == SupplyState::throttled ? "it throttles"
                                                                                     : "it throttles or stops";
      Finding& f =
          findings.warning(rule.id, device_place(in, device),
                           format("the loss of feed '{}' leaves {} of {} supplies of {}, {} are needed: {}", feed.name,
                                  w.after.alive, load.supplies, each_device_text(in, device), needed(load), does));
      f.label(format("{} of its {} cords hang on feed '{}'", load.supplies - w.after.alive, load.supplies, feed.name));
      f.note(g.pdus.front().span,
             format("{} in each rack of '{}'", plural(static_cast<std::int64_t>(g.pdus.size()), "PDU"), g.name));
      const PsuSet& psus = *k.cords.psus;
      if (load.spare >= 0) {
        f.note(psus.spare.span, format("{} of the {} supplies are spare", load.spare, load.supplies));
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

constexpr std::string_view kExplanation = R"(## What it checks

With the cords of a device spread over the PDUs of its rack, the loss of any one feed leaves as many supplies as the device needs.

## Why it matters

Six supplies of which two are spare (4+2) on two feeds lose three with either feed: the machine throttles to a fraction of its clock, or switches off, although both
feeds were paid for. Three feeds take two each.

## Formula

```
supplies - supplies on the lost feed >= supplies - spare
```

Where the spec changes the number of supplies and not the spares: >= power x efficiency / power of one supply. Cords go to the PDUs one after the other.
Source: data sheets (catalogue); DGX H100/H200 user guide (three supplies run at reduced performance); NVIDIA DGX SuperPOD B300 reference architecture (three rack PDUs).

## Example

DGX H100, 4+2, on feeds A and B: three supplies are left, four are needed.

## How to fix

Another feed and PDU, until no feed has more of the supplies than may fail (4+2: three feeds; 5+1: six).

## When to accept

Where a node that throttles or stops with a feed is meant, and the schedulers know.
)";

extern const Rule kPowerSuppliesUnevenOverFeeds;  // registry.cc names it
const Rule kPowerSuppliesUnevenOverFeeds = {
    .id = "power-supplies-uneven-over-feeds",
    .code = "PWR-006",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the loss of a feed takes more supplies of a device than its redundancy allows",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
