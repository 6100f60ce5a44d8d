#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "spec/network.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

// Below this share of the derived floor a healthy system cannot fail by noise, and a broken one passes.
constexpr Threshold kTargetFarTooLooseThreshold{
    .means = "share of the derived floor below which a floor is too low", .standard = 0.8, .least = 0.01, .most = 1};

void target_far_too_loose(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_wished_floor(in, {}, [&](const ExpectedFigure& f) {
    if (!f.derived_floor.value || !above(*f.derived_floor.value * in.threshold(rule), *f.floor.value)) return false;
    Finding& x = findings.note(
        rule.id, f.floor_place,
        format("the floor of {} for {}{} is only {} of the derived floor of {}",
               to_text(*f.floor.value, f.dimension, 4), f.test, of_group(f),
               percent(*f.floor.value / *f.derived_floor.value), to_text(*f.derived_floor.value, f.dimension, 4)));
    x.label(f.derived_floor.derivation);
    // What it would let pass, where that is plain: a ring is as fast as the rails that are left.
    const int group = in.cluster.find_node_group(f.group);
    if (f.scope == "whole" && f.test == "nccl.all_reduce.busbw" && group >= 0) {
      for (const NetworkModel& n : in.cluster.networks) {
        const auto end =
            std::find_if(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == group; });
        if (!n.carries_traffic(Traffic::compute) || end == n.ends.end() || end->ports_each < 2) continue;
        const double kept =
            std::min(1.0, *f.floor.value / *f.derived_floor.value) * static_cast<double>(end->ports_each);
        const std::int64_t dead = end->ports_each - static_cast<std::int64_t>(std::ceil(kept));
        if (dead > 0) x.note({}, format("the test would still pass with {} of {} rails failed", dead, end->ports_each));
        break;
      }
    }
    x.help("leave `floor` out");
    x.object(target_object(f));
    return true;
  });
}

}  // namespace

extern const Rule kTargetFarTooLoose;  // registry.cc names it
const Rule kTargetFarTooLoose = {
    .id = "target-far-too-loose",
    .code = "TEST-011",
    .severity = Severity::note,
    .physics = false,
    .summary = "a floor is so low that a defective cluster meets it",
    .explanation = R"(## What it checks

A floor in the spec is not far below the one derived from published healthy systems.

## Why it matters

A test that passes with half of the rails failed finds nothing. The floor in the spec replaces the derived one.

## Formula

```
floor >= 0.80 x derived floor
```

Unit: the unit of the metric on both sides: B/s or FLOP/s.

Source: the derived floor is the lowest healthy published figure x 0.97, or the highest published pass limit; 0.80 leaves room for virtual machines and other programs.

Error: none beyond its inputs. 0.80 is policy.

## Example

`all_reduce: { floor: 150 GB/s }` on nodes with 8 x 400 Gb/s, where healthy systems reach 321 GB/s.

## How to fix

Leave `floor` out.

## When to accept

Where the hardware is older than the published systems, or the cluster is shared during the test.
)",
    .check = target_far_too_loose,
    .threshold = &kTargetFarTooLooseThreshold,
};

}  // namespace clusterc
