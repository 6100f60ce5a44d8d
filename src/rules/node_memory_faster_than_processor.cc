#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void node_memory_faster_than_processor(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.part.memory || !s.part.memory->rate || !s.cpu || !s.cpu->memory_rate)
      continue;
    const Dimms& memory = *s.part.memory;
    if (!above(memory.rate->value, s.cpu->memory_rate->value)) continue;
    Finding& f = findings.warning(rule.id, first_place(in_spec(memory.rate.span, g), in_spec(memory.span, g), s.span),
                                  format("the memory of each node of '{}' is rated {}, but '{}' runs it at {} at most",
                                         g.name, to_text(*memory.rate), s.cpu_model, to_text(*s.cpu->memory_rate)));
    mention_unconfirmed(f, s.cpu->memory_rate, format("the transfer rate of '{}'", s.cpu_model));
    f.help(format("write `rate: {}`, or use another processor", to_text(*s.cpu->memory_rate)))
        .object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kNodeMemoryFasterThanProcessor;  // registry.cc names it
const Rule kNodeMemoryFasterThanProcessor = {
    .id = "node-memory-faster-than-processor",
    .code = "NODE-012",
    .severity = Severity::warning,
    .physics = false,
    .summary = "memory modules have a higher rate than the processor supports",
    .explanation = R"(## What it checks

The transfer rate of a node's memory modules, where it is written, is not above the rate that its processor supports
with one module per channel.

## Why it matters

Faster modules run at the processor's rate, so the extra price buys nothing. A bandwidth that was calculated with the
modules' rate is not reached. The plan uses the lower of the two rates.

## Formula

```
rate of the modules <= highest memory rate of the processor
```

Unit: transfers/s on both sides.

Source: data sheet of the processor (catalogue, `memory_rate`); JEDEC modules work at every lower speed of their kind.

Error: none beyond its inputs.

## Example

`memory: { count: 24, size: 32 GiB, rate: 8800 MT/s }` with EPYC 9354, whose memory runs at 4800 MT/s.

## How to fix

Use modules of the processor's rate, or a processor that supports the faster ones.

## When to accept

Where only faster modules are available, at the same price.
)",
    .check = node_memory_faster_than_processor,
};

}  // namespace clusterc
