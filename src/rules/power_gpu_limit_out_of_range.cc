#include "model/power.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void power_gpu_limit_out_of_range(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!s.gpu_limit || g.server.virtual_machine) continue;
    if (!s.gpu || s.gpu_count == 0) {
      if (!s.part.gpus)
        findings
            .error(rule.id, s.gpu_limit.span,
                   format("`gpu_power_limit` of group '{}' is {}, but its nodes have 0 GPUs", g.name,
                          to_text(*s.gpu_limit)))
            .help("remove it, or name the `gpus`")
            .object("nodes." + g.name);
      continue;
    }
    const Value<Watts>& most = s.gpu->power_max ? s.gpu->power_max : s.gpu->tdp;
    const Value<Watts>& least = s.gpu->power_min;
    const bool high = most && above(s.gpu_limit->value, most->value),
               low = least && above(least->value, s.gpu_limit->value);
    if (!high && !low) {
      if (!most)
        findings.note(rule.id, s.gpu_limit.span,
                      format("'{}' states neither `power_max` nor `tdp`, so the limit of {} was not checked",
                             s.gpu_model, to_text(*s.gpu_limit)));
      else if (!least && *s.gpu_limit < *most)
        findings.note(rule.id, s.gpu_limit.span,
                      format("'{}' states no `power_min`, so it was not checked whether the board accepts {}",
                             s.gpu_model, to_text(*s.gpu_limit)));
      continue;
    }
    const Value<Watts>& limit = high ? most : least;
    Finding& f =
        findings.error(rule.id, s.gpu_limit.span,
                       format("the GPU power limit of {} is {} the {} of {} that '{}' accepts", to_text(*s.gpu_limit),
                              high ? "above" : "below", high ? "maximum" : "minimum", to_text(*limit), s.gpu_model));
    f.note(limit.span, high ? "the highest limit" : "the lowest limit");
    mention_unconfirmed(f, limit, format("the {} power limit of '{}'", high ? "highest" : "lowest", s.gpu_model));
    f.help(least && most ? format("write a limit from {} to {}", to_text(*least), to_text(*most))
                         : format("write a limit of {} or {}", to_text(*limit), high ? "less" : "more"));
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kPowerGpuLimitOutOfRange;  // registry.cc names it
const Rule kPowerGpuLimitOutOfRange = {
    .id = "power-gpu-limit-out-of-range",
    .code = "PWR-022",
    .severity = Severity::error,
    .physics = true,
    .summary = "a GPU power limit is outside the range that the board accepts",
    .explanation = R"(## What it checks

A `gpu_power_limit` lies in the range that the board accepts.

## Why it matters

The driver refuses a limit outside the range, the boot script continues, and the cluster runs at full power, for which
the breakers were not sized.

## Formula

```
power_min <= gpu_power_limit <= power_max (else tdp)
```

Unit: W on both sides.

Source: data sheets and device captures of the boards (catalogue). The limit lowers the power that racks, feeds and cooling are planned on, with what fans and supplies took for
it. Figures that are published for boards at full power are then held against no measurement (unjudged), and times of workloads, which are reckoned at full power, are given as the best that can be.

Error: none beyond its inputs.

## Example

`gpu_power_limit: 700 W` on an H100 PCIe, whose board takes 350 W at most.

## How to fix

Remove the limit, or choose a value in the range (`nvidia-smi -q -d POWER` shows it).

## When to accept

Never: the board does not accept the limit.
)",
    .check = power_gpu_limit_out_of_range,
};

}  // namespace clusterc
