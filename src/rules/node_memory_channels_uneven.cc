#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void node_memory_channels_uneven(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.part.memory || !s.part.memory->count || s.cpu_count == 0) continue;
    const Dimms& memory = *s.part.memory;
    if (!s.cpu) continue;  // reported
    if (!s.cpu->memory_channels) {
      findings.note(rule.id, s.span,
                    format("'{}' states no `memory_channels`, so it was not checked whether the modules of group '{}' "
                           "fill them evenly",
                           s.cpu_model, g.name));
      continue;
    }
    const std::int64_t modules = *memory.count, channels = *s.cpu->memory_channels * s.cpu_count;
    if (modules % channels == 0) continue;
    const SourceSpan at = first_place(written(memory.count), in_spec(memory.span, g), s.span);
    const std::int64_t rounds = (modules + channels - 1) / channels;
    // Below one module a channel the empty ones add nothing. Above it interleaving runs over what all channels have.
    const double share = modules < channels ? static_cast<double>(modules) / static_cast<double>(channels) : 0;
    Finding& f = findings.warning(
        rule.id, at,
        format("{} memory modules in each node of '{}' do not fill its {} channels evenly", modules, g.name, channels));
    f.label(share > 0 ? format("{} x {} channels = {}: {} of the memory bandwidth", s.cpu_count,
                               *s.cpu->memory_channels, channels, percent(share))
                      : format("{} x {} channels = {}, {:.2f} modules on each", s.cpu_count, *s.cpu->memory_channels,
                               channels, static_cast<double>(modules) / static_cast<double>(channels)));
    if (s.cpu->memory_channels.span.valid())
      f.note(s.cpu->memory_channels.span, format("the channels of one '{}'", s.cpu_model));
    mention_unconfirmed(f, s.cpu->memory_channels, format("the number of channels of '{}'", s.cpu_model));
    const std::int64_t more = rounds * channels, fewer = more - channels;
    const bool fits = !s.part.dimm_slots || more <= *s.part.dimm_slots;
    if (fits || fewer > 0)
      f.help(format("use {} modules{}", fits ? more : fewer, fits && fewer > 0 ? format(", or {}", fewer) : ""));
    else
      f.help(format("use a chassis with {} slots for modules; '{}' has {}", more, s.id, *s.part.dimm_slots));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kNodeMemoryChannelsUneven;  // registry.cc names it
const Rule kNodeMemoryChannelsUneven = {
    .id = "node-memory-channels-uneven",
    .code = "NODE-004",
    .severity = Severity::warning,
    .physics = false,
    .summary = "memory modules do not fill the channels evenly",
    .explanation = R"(## What it checks

The memory modules of a node fill all channels of its processors equally.

## Why it matters

A processor interleaves over the channels that are filled. Eight modules on twelve channels give two thirds of the
bandwidth, for the life of the machine.

## Formula

```
modules modulo (sockets x channels of a socket) = 0
bandwidth = filled channels x transfer rate x 8 bytes
```

Unit: modules, without remainder; bandwidth in B/s.

Source: data sheet of the processor (catalogue); arithmetic.

Error: none beyond its inputs. The bandwidth is what the channels carry at most; programs reach less.

## Example

`memory: 8 x 96 GiB` with one EPYC of twelve channels: 67 % of the memory bandwidth.

## How to fix

Use as many modules as there are channels (or twice as many), of the next smaller or larger size.

## When to accept

Where capacity matters and bandwidth does not, such as a login node.
)",
    .check = node_memory_channels_uneven,
};

}  // namespace clusterc
