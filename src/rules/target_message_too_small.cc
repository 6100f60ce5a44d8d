#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

// Plateaus: 432 GB/s at 256 MiB, 466 at 1 GiB and 479 at 8 GiB on eight H100 (Azure/AI-benchmarking-guide).
constexpr Bytes kPlateau{1024.0 * 1024 * 1024}, kSharpPlateau{8.0 * 1024 * 1024 * 1024};

void target_message_too_small(const Rule& rule, const RuleInput& in, Findings& findings) {
  Once once;
  for (const ExpectedFigure& f : in.targets.figures) {
    if (collective_of(f.test).empty() || !f.size || !f.demanded) continue;
    const bool sharp = f.algorithm == "NVLink SHARP" || f.algorithm == "in-network reduction";
    const Bytes enough = sharp ? kSharpPlateau : kPlateau;
    if (!above(enough.value, f.size->value) || !once.first(f.size.span)) continue;
    Finding& x = findings.warning(
        rule.id, f.size.span,
        format("messages of {} are too small to measure the bandwidth of {}{}: use {}{}", to_text(*f.size), f.test,
               of_group(f), to_text(enough), sharp ? format(" for {}", f.algorithm) : std::string()));
    x.help(format("write `size: {}`, or leave it out", to_text(enough))).object(target_object(f));
    write_instead(x, f.size, to_text(enough));
  }
}

}  // namespace

extern const Rule kTargetMessageTooSmall;  // registry.cc names it
const Rule kTargetMessageTooSmall = {
    .id = "target-message-too-small",
    .code = "TEST-007",
    .severity = Severity::warning,
    .physics = false,
    .summary = "the messages of a collective test are too small to measure its bandwidth",
    .explanation = R"(## What it checks

The message size that the spec sets for a collective is large enough to reach its maximum bandwidth.

## Why it matters

Below that size the result is the latency of many small steps: it says little about cables and adapters, and no target
derived from bandwidth is met.

## Formula

```
size >= 1 GiB;  NVLink SHARP and in-network reduction: >= 8 GiB
eight H100: 401 GB/s at 128 MiB, 466 at 1 GiB, 479 at 8 GiB
```

Unit: bytes on both sides.

Source: Azure/AI-benchmarking-guide, H100; NVIDIA/nccl-tests issues 115 and 212.

Error: not known for other systems. Eight H100 reach 97 % of their plateau at 1 GiB (466 of 479 GB/s).

## Example

`all_reduce: { size: 256 MiB }`.

## How to fix

`size: 8 GiB`, or leave it out.

## When to accept

Where the jobs send no larger messages, and the floor was measured at that size.
)",
    .check = target_message_too_small,
};

}  // namespace clusterc
