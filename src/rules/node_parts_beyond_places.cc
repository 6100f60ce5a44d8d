#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void node_parts_beyond_places(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g)) continue;
    const auto say = [&](SourceSpan at, std::int64_t count, std::string_view what, const Value<std::int64_t>& places,
                         std::string_view places_word) {
      Finding& f = findings.error(rule.id, first_place(at, s.span, g.span),
                                  format("{} {} are asked for in each node of '{}', but '{}' has {} {}", count, what,
                                         g.name, s.id, *places, places_word));
      if (places.span.valid()) f.note(places.span, format("the {} of the chassis", places_word));
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

extern const Rule kNodePartsBeyondPlaces;  // registry.cc names it
const Rule kNodePartsBeyondPlaces = {
    .id = "node-parts-beyond-places",
    .code = "NODE-010",
    .severity = Severity::error,
    .physics = true,
    .summary = "more memory modules or drives than the chassis has places",
    .explanation = R"(## What it checks

The memory modules and drives of a node do not exceed the slots and bays of its chassis.

## Why it matters

The parts that do not fit are returned, or a larger chassis must be bought for them.

## Formula

```
memory modules                 <= dimm_slots
drives, boot drives left out   <= drive_bays
```

Unit: modules, drives and places, all counted.

Boot drives sit on the board in most servers (M.2), so they are not counted. GPUs are counted by node-gpu-wrong-form-factor, cards by pcie-card-beyond-slot-limits.

Source: data sheet of the chassis (catalogue); counting.

Error: none beyond its inputs.

## Example

`memory: 48 x 32 GiB` in `generic-2u`, which has 24 slots.

## How to fix

Use fewer and larger modules or drives, or another chassis.

## When to accept

Never: the parts do not fit. If the chassis was ordered with more bays, write `server: { like: …, drive_bays: 24 }`.
)",
    .check = node_parts_beyond_places,
};

}  // namespace clusterc
