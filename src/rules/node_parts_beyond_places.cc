#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g)) continue;
    const auto say = [&](SourceSpan at, std::int64_t count, std::string_view what, const Value<std::int64_t>& places,
                         std::string_view places_word) {
      Finding& f = findings.error(rule.id, first_place(at, s.span, g.span),
                                  format("{} {} are asked for in each node of '{}', '{}' has {} {}", count, what,
                                         g.name, s.id, *places, places_word));
      if (places.span.valid()) f.note(places.span, format("the {} that the chassis has", places_word));
      mention_unconfirmed(f, places, format("the number of {} of '{}'", places_word, s.id));
      f.object("nodes." + g.name);
    };
    if (s.part.memory && s.part.memory->count && s.part.dimm_slots && *s.part.memory->count > *s.part.dimm_slots)
      say(written(s.part.memory->count), *s.part.memory->count, "memory modules", s.part.dimm_slots, "memory slots");
    // Boot drives sit on the board (M.2) as often as in a bay.
    std::int64_t drives = 0;
    SourceSpan first;
    for (const auto& d : s.part.drives) {
      if (d.name == "boot") continue;
      drives += d.value.count.value_or(1);
      first = first_place(first, written(d.value.count), written(d.value.size));
    }
    if (s.part.drive_bays && drives > *s.part.drive_bays)
      say(first, drives, "drives besides the boot drives", s.part.drive_bays, "drive bays");
  }
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Memory modules and drives of a node have slots and bays: no more are asked for than the chassis has.

## Why it matters

Half of an order that does not fit goes back, or the next larger chassis is bought for it.

## Formula

```
memory modules                 <= dimm_slots
drives, boot drives left out   <= drive_bays
```

Boot drives sit on the board in most servers (M.2), so they are not counted. GPUs are counted by node-gpu-wrong-form-factor, cards by pcie-card-beyond-slot-limits.

Source: data sheet of the chassis (catalogue); counting.

## Example

`memory: 48 x 32 GiB` in `generic-2u`, which has 24 slots.

## How to fix

Fewer and larger modules or drives, or another chassis.

## When to accept

Never: it does not fit. A chassis that was ordered with more bays is written `server: { like: …, drive_bays: 24 }`.
)";

extern const Rule kNodePartsBeyondPlaces;  // registry.cc names it
const Rule kNodePartsBeyondPlaces = {
    .id = "node-parts-beyond-places",
    .code = "NODE-010",
    .severity = Severity::error,
    .physics = true,
    .summary = "more memory modules or drives than the chassis has places for",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
