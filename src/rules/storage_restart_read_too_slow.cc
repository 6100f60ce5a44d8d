#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/workload.h"
#include "targets/checkpoint.h"

namespace clusterc {
namespace {

void storage_restart_read_too_slow(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& w : c.spec.workloads) {
    const Value<Seconds>& within = w.value.resume_within;
    if (!within) continue;
    const std::string object = "workloads." + w.name;
    if (!w.value.model || !w.value.model->parameters) {
      findings
          .note(rule.id, within.span,
                format("workload '{}' has no `model` with its parameters, so its restart was not timed", w.name))
          .object(object);
      continue;
    }
    std::vector<int> groups;
    for (const auto& on : w.value.on)
      if (const int g = c.find_node_group(on.name); g >= 0) groups.push_back(g);
    const double each = checkpoint_bytes_per_parameter(w.value);
    const Bytes size = checkpoint_bytes(*w.value.model->parameters, each);
    const int storage = checkpoint_storage(c, w.value, groups, StorageDirection::read);
    if (storage < 0) {
      findings
          .note(rule.id, within.span,
                format("no shared storage of workload '{}' states its read rate (key `demand`), so its restart from {} "
                       "was not timed",
                       w.name, to_text(size)))
          .object(object);
      continue;
    }
    const StorageRate gives = *storage_rate(c, storage, StorageDirection::read);
    const Seconds takes(size.value / gives.rate.value);
    if (!above(takes.value, within->value)) continue;
    Finding& f =
        findings.warning(rule.id, within.span,
                         format("workload '{}' needs at least {} to read its checkpoint back, but {} are allowed",
                                w.name, to_text(takes, 3), to_text(*within)));
    f.label(format("{:.4g} parameters x {:.0f} B = {}, / {}, read once", *w.value.model->parameters, each,
                   to_text(size), to_text(gives.rate)));
    f.note(first_place(gives.span, c.storage[storage].span),
           gives.from == "promised" ? format("the rate that '{}' promises", c.storage[storage].name)
                                    : format("{} set the limit", gives.from));
    if (!gives.confirmed) f.note(gives.span, "the rate of the systems is not confirmed");
    f.help("keep the last checkpoint on the nodes' own drives, or use faster storage").object(object);
  }
}

}  // namespace

extern const Rule kStorageRestartReadTooSlow;  // registry.cc names it
const Rule kStorageRestartReadTooSlow = {
    .id = "storage-restart-read-too-slow",
    .code = "STOR-003",
    .severity = Severity::warning,
    .physics = false,
    .summary = "reading a checkpoint back takes longer than a restart may",
    .explanation = R"(## What it checks

A workload reads its checkpoint back within the time allowed from an interruption to the next step (`resume_within`),
even if every byte is read only once.

## Why it matters

A large job restarts several times a day, and every GPU waits for the restart. If each data-parallel group reads its own
copy, the time is multiplied by the number of groups.

## Formula

```
time = 14 x parameters / min(promised read rate, else systems x data sheet rate; servers' ports; clients' ports)
time <= resume_within
```

Unit: s on both sides; bytes and B/s.

Read once is the best case: one group reads and hands on.

Source: S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 (bytes of a parameter); arithmetic.

Error: a lower bound of the time: every byte is read once, at the whole rate.

## Example

405e9 parameters: 5.67 TB at 9 GB/s are 630 s, where 5 minutes are allowed.

## How to fix

Use faster storage, or keep the last checkpoint on the nodes' own drives with a copy on another node.

## When to accept

Where restarts are rare and the time is acceptable.
)",
    .check = storage_restart_read_too_slow,
};

}  // namespace clusterc
