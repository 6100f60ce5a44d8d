#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/storage.h"
#include "spec/workload.h"
#include "targets/checkpoint.h"

namespace clusterc {
namespace {

// Of the time of training that checkpoints may take when the spec says no more (planning default).
constexpr Threshold kStorageCheckpointExceedsTimeBudgetThreshold{
    .means = "share of the time spent on checkpoints", .standard = 0.05, .least = 0.0001, .most = 1};

// What the ports of servers and clients carry at most, of the storage that the workload names.
std::optional<StorageSide> narrowest_side(const Cluster& c, const Workload& w, int& storage) {
  std::optional<StorageSide> least;
  for (std::size_t i = 0; w.checkpoint_to && i < c.storage.size(); ++i) {
    if (c.storage[i].name != *w.checkpoint_to || c.storage[i].spec->kind.value == StorageKind::local) continue;
    storage = static_cast<int>(i);
    for (auto& side : {storage_servers_side(c, storage), storage_clients_side(c, storage)})
      if (side && (!least || side->carries < least->carries)) least = side;
  }
  return least;
}

void storage_checkpoint_exceeds_time_budget(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& w : c.spec.workloads) {
    const Value<Seconds>&every = w.value.checkpoint_every, &within = w.value.checkpoint_within;
    if (!every && !within) continue;
    const SourceSpan at = within ? within.span : every.span;
    const std::string object = "workloads." + w.name;
    const CheckpointTime time = checkpoint_time(c, w.value);
    // Where the storage's rate is known the time itself is held against both; a limit alone that is longer than the
    // interval can never be kept.
    if (!(time.size && time.gives) && every && within && above(within->value, every->value)) {
      findings
          .error(rule.id, within.span,
                 format("a checkpoint of workload '{}' may take {}, but the next one begins after {}", w.name,
                        to_text(*within, 3), to_text(*every, 3)))
          .note(every.span, "the time between checkpoints")
          .help("write `checkpoint_within` below `checkpoint_every`; one twentieth of `checkpoint_every` is usual")
          .object(object);
      continue;
    }
    if (!w.value.model || !w.value.model->parameters) {
      findings
          .note(rule.id, at,
                format("workload '{}' has no `model` with its parameters, so its checkpoints were not timed", w.name))
          .object(object);
      continue;
    }
    const Bytes size = *time.size;
    int storage = time.storage;
    if (!time.gives) {
      // The rate itself is not stated, but no more than this passes through the ports.
      const std::optional<StorageSide> side = narrowest_side(c, w.value, storage);
      if (side && within && above(size.value / side->carries.value, within->value)) {
        Finding& f = findings.error(
            rule.id, within.span,
            format("a checkpoint of workload '{}' to '{}' takes at least {}, but {} are allowed", w.name,
                   c.storage[storage].name, to_text(Seconds(size.value / side->carries.value), 3), to_text(*within)));
        f.label(format("{:.4g} parameters x {:.0f} B = {}, / {}", time.parameters, time.each, to_text(size),
                       to_text(side->carries)));
        f.note(side->span, format("{} carry no more: {}", side->what, side->formula));
        f.help("let jobs write to the nodes' own drives first and copy the data later, or use storage with more ports")
            .object(object);
        continue;
      }
      findings
          .note(rule.id, at,
                format("no shared storage of workload '{}' states its write rate (key `demand`), so its checkpoints of "
                       "{} were not timed",
                       w.name, to_text(size)))
          .object(object);
      continue;
    }
    const StorageRate& gives = *time.gives;
    const Seconds takes(size.value / gives.rate.value);
    const std::string arithmetic = format("{} parameters x {:.0f} B = {}, / {}", format("{:.4g}", time.parameters),
                                          time.each, to_text(size), to_text(gives.rate));
    const auto finish = [&](Finding& f) {
      f.label(arithmetic);
      f.note(first_place(gives.span, c.storage[storage].span),
             gives.from == "promised" ? format("the rate that '{}' promises", c.storage[storage].name)
                                      : format("{} set the limit", gives.from));
      if (!gives.confirmed) f.note(gives.span, "the rate of the systems is not confirmed");
      f.help("let jobs write to the nodes' own drives first and copy the data later, or use faster storage")
          .object(object);
    };
    if (within && above(takes.value, within->value))
      finish(findings.error(rule.id, within.span,
                            format("a checkpoint of workload '{}' to '{}' takes {}, but {} are allowed", w.name,
                                   c.storage[storage].name, to_text(takes, 3), to_text(*within))));
    else if (every && above(takes.value, every->value))
      finish(findings.error(rule.id, every.span,
                            format("a checkpoint of workload '{}' to '{}' takes {}, but the next one begins after {}",
                                   w.name, c.storage[storage].name, to_text(takes, 3), to_text(*every))));
    else if (every && !within && above(takes.value, in.threshold(rule) * every->value))
      finish(findings.warning(
          rule.id, every.span,
          format("checkpoints of workload '{}' take {} of every {}, which is {} of the time; {} is usual", w.name,
                 to_text(takes, 3), to_text(*every), percent(takes / *every), percent(in.threshold(rule)))));
  }
}

}  // namespace

extern const Rule kStorageCheckpointExceedsTimeBudget;  // registry.cc names it
const Rule kStorageCheckpointExceedsTimeBudget = {
    .id = "storage-checkpoint-exceeds-time-budget",
    .code = "STOR-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "a checkpoint takes longer than allowed",
    .explanation = R"(## What it checks

A checkpoint of a workload is written within the allowed time (`checkpoint_within`, error) and before the next one
begins (`checkpoint_every`, error). If the write rate of the storage is not stated, the allowed time is compared with
what the ports of servers and clients carry at most (of the storage in `checkpoint_to`), and with the interval: a job
that may spend more time on a checkpoint than passes between two makes no progress. If only the
interval is given, checkpoints take no more than 5 % of it (warning).

## Why it matters

While a synchronous checkpoint is written, every GPU waits. 142 s every 20 minutes are an eighth of the machine's time.

## Formula

```
bytes = 14 x parameters        (weights in BF16: 2; master weights and two moments in FP32: 12)
time  = bytes / min(promised write rate, else systems x data sheet rate; servers' ports; clients' ports)
time <= checkpoint_within, time <= checkpoint_every, time <= 5 % of checkpoint_every
time >= bytes / min(servers' ports; clients' ports)        where no write rate is known, for `checkpoint_within`
checkpoint_within <= checkpoint_every        where the time is not known
```

Unit: s on both sides; bytes and B/s.

Source: S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 (bytes of a parameter); 5 % is a planning default.

Error: a lower bound of the time: one job is taken to have the whole rate. 14 bytes are those of mixed precision with
Adam; docs/predictions.md compares them with a published checkpoint.

## Example

405e9 parameters: 5.67 TB at 40 GB/s are 142 s of every 1,200 s.

## How to fix

Use faster storage; sharded checkpoints to the nodes' own drives that are copied while training continues; or a longer
interval, which loses more work when a node fails.

## When to accept

Where checkpoints are written in the background and do not delay training.
)",
    .check = storage_checkpoint_exceeds_time_budget,
    .threshold = &kStorageCheckpointExceedsTimeBudgetThreshold,
};

}  // namespace clusterc
