#include <cstdint>
#include <string>

#include "model/mig.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/target_say.h"
#include "spec/network.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

void target_from_another_configuration(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  each_wished_floor(in, {}, [&](const ExpectedFigure& f) {
    const int group = c.find_node_group(f.group);
    if (group < 0) return false;
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
    // A GPU that is cut into instances: each has a share, and none reaches another over NVLink or PCIe.
    const Value<std::string>& mig = g.software->mig;
    if (!cut_by_mig(*g.software).empty() && (f.scope == "gpu" || gpu_share_of(f.test) == GpuShare::all)) {
      findings
          .warning(rule.id, f.floor_place,
                   format("the floor of {} for {} is for whole GPUs, but the GPUs of '{}' are partitioned into {}",
                          to_text(*f.floor.value, f.dimension, 4), f.test, g.name, *mig))
          .note(mig.span, "the MIG layout is set here")
          .help("run acceptance with `mig: off`, or skip this test with MIG as the reason")
          .object(target_object(f));
      return true;
    }
    if (f.scope != "whole" || (f.test != "nccl.all_reduce.busbw" && f.test != "nccl.all_to_all.busbw") ||
        !f.ceiling.value || above(*f.floor.value, *f.ceiling.value * headroom_of(f.test)))
      return false;
    for (const Fabric& fabric : in.plan.fabrics) {
      const NetworkModel& n = c.networks[static_cast<std::size_t>(fabric.network)];
      if (!n.carries_traffic(Traffic::compute) || fabric.tiers.size() < 2 || fabric.oversubscription <= 1.001) continue;
      const auto end = std::find_if(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == group; });
      if (end == n.ends.end() ||
          end->members * end->ports_each <= fabric.tiers[0].down * std::max<std::int64_t>(1, fabric.leaves_per_unit))
        continue;  // one leaf (of each rail) has them all
      const double left = *f.ceiling.value / fabric.oversubscription;
      if (!above(*f.floor.value, left)) continue;
      findings
          .warning(rule.id, f.floor_place,
                   format("the floor of {} for {}{} ignores that network '{}' is oversubscribed {:.3g}:1 beyond a "
                          "leaf, which allows {}",
                          to_text(*f.floor.value, f.dimension, 4), f.test, of_group(f), n.name, fabric.oversubscription,
                          to_text(left, f.dimension, 4)))
          .label(format("{} / {:.3g}", to_text(*f.ceiling.value, f.dimension, 4), fabric.oversubscription))
          .note(first_place(written(n.spec->oversubscription), n.span), "the oversubscription comes from this network")
          .help("write `oversubscription: 1` or a lower floor, or test inside one leaf")
          .object(target_object(f));
      return true;
    }
    return false;
  });
}

}  // namespace

extern const Rule kTargetFromAnotherConfiguration;  // registry.cc names it
const Rule kTargetFromAnotherConfiguration = {
    .id = "target-from-another-configuration",
    .code = "TEST-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a floor ignores limits that the spec itself sets",
    .explanation = R"(## What it checks

A floor of the spec takes into account the limits that the spec sets: an oversubscribed fabric, for all-reduce and
all-to-all over more than one leaf, and GPUs partitioned into MIG instances.

## Why it matters

A figure that was copied from another cluster is met on one leaf and missed on two, and the fabric is blamed although it
was ordered like this.

## Formula

```
floor <= ceiling / oversubscription, where the group does not fit one leaf of each rail
mig other than off: figures of whole GPUs do not apply
```

Unit: B/s on both sides.

Source: arithmetic; the ceiling is that of target-all-reduce-above-ceiling.

Error: an upper bound: it is the ceiling of the collective, divided.

## Example

`all_reduce: { floor: 320 GB/s }` on a fabric of 2:1 with more nodes than a leaf has ports.

## How to fix

Leave `floor` out, or set one for this fabric.

## When to accept

Where routing and placement keep the neighbours of the ring on one leaf, so that few flows cross.
)",
    .check = target_from_another_configuration,
};

}  // namespace clusterc
