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

void storage_usable_capacity_short(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (s.spec->kind.value == StorageKind::local || !s.spec->capacity) continue;
    const std::string object = "storage." + s.name;
    const auto room = storage_room(c, static_cast<int>(i));
    if (!room) {
      if (s.nodes >= 0)
        findings
            .note(rule.id, s.spec->capacity.span,
                  format("group '{}' has no `drives` besides boot, so the capacity of '{}' was not checked",
                         c.nodes[s.nodes].name, s.name))
            .object(object);
      else if (s.part)
        findings
            .note(rule.id, s.spec->capacity.span,
                  format("'{}' states no `capacity`, so the capacity of '{}' was not checked", s.model, s.name))
            .object(object);
      continue;
    }
    if (!above(s.spec->capacity->value, room->bytes.value)) continue;
    Finding& f = findings.error(
        rule.id, s.spec->capacity.span,
        format("'{}' promises {}, but its servers hold {}", s.name, to_text(*s.spec->capacity), to_text(room->bytes)));
    f.label(room->formula);
    f.note(room->span, "its servers");
    if (!room->confirmed) f.note(room->span, "the capacity of the systems is not confirmed");
    f.help("use more systems or drives, or a smaller `capacity`").object(object);
  }
  // Checkpoints that are kept, on the largest shared storage of the workload's nodes.
  for (const auto& w : c.spec.workloads) {
    if (!w.value.keep_checkpoints || !w.value.model || !w.value.model->parameters) continue;
    const double each = checkpoint_bytes_per_parameter(w.value);
    const Bytes need =
        checkpoint_bytes(*w.value.model->parameters, each) * static_cast<double>(*w.value.keep_checkpoints);
    Bytes most{0};
    const StorageModel* largest = nullptr;
    for (std::size_t i = 0; i < c.storage.size(); ++i) {
      const StorageModel& s = c.storage[i];
      if (s.spec->kind.value == StorageKind::local) continue;
      const bool all = std::all_of(w.value.on.begin(), w.value.on.end(), [&](const auto& on) {
        return c.find_node_group(on.name) < 0 || mounted_by(*s.spec, c.nodes[c.find_node_group(on.name)]);
      });
      const auto room = s.spec->capacity ? std::optional<StorageRoom>(StorageRoom{.bytes = *s.spec->capacity})
                                         : storage_room(c, static_cast<int>(i));
      if (!all || !room || room->bytes <= most) continue;
      most = room->bytes;
      largest = &s;
    }
    const std::string object = "workloads." + w.name;
    if (!largest) {
      findings
          .note(rule.id, w.value.keep_checkpoints.span,
                format("no shared storage of workload '{}' states its capacity (key `capacity`), so the {} that it "
                       "keeps were not checked",
                       w.name, to_text(need)))
          .object(object);
      continue;
    }
    if (!above(need.value, most.value)) continue;
    Finding& f = findings.error(rule.id, w.value.keep_checkpoints.span,
                                format("workload '{}' keeps {} of checkpoints, but '{}' holds {}", w.name,
                                       to_text(need), largest->name, to_text(most)));
    f.label(format("{} x {:.4g} parameters x {:.0f} B", *w.value.keep_checkpoints, *w.value.model->parameters, each));
    f.note(first_place(written(largest->spec->capacity), largest->span), "the largest storage that its nodes mount");
    f.help("keep fewer checkpoints, or move old ones to object storage").object(object);
  }
}

}  // namespace

extern const Rule kStorageUsableCapacityShort;  // registry.cc names it
const Rule kStorageUsableCapacityShort = {
    .id = "storage-usable-capacity-short",
    .code = "STOR-005",
    .severity = Severity::error,
    .physics = false,
    .summary = "storage promises more than its drives hold",
    .explanation = R"(## What it checks

A storage system holds the `capacity` that it promises: the purchased systems, or the drives of the serving nodes less
their redundancy. And it holds the checkpoints that a workload keeps (`keep_checkpoints`).

## Why it matters

A full file system stops every job at its next write. Redundancy, and TiB counted as TB, each take a tenth or more of
the raw capacity.

## Formula

```
capacity <= systems x data sheet capacity
capacity <= nodes x drives x size x k / (k + m)      (replica r: 1 / r; boot drives do not count)
                                                         nodes: half of them with `ha: active-passive`, unless copies lie on several nodes
keep_checkpoints x 14 x parameters <= capacity
```

Unit: bytes on both sides.

Keep a tenth free all the same: most file systems slow down above 90 %.

Source: arithmetic; S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 (bytes of a parameter).

Error: an upper bound of what is usable: metadata and reserves of the file system are not subtracted, and how much they
take is not known.

## Example

1 PB of drives with `erasure 8+2` hold 800 TB, but `capacity: 900 TB` is promised.

## How to fix

Use more drives or systems, wider stripes, or promise less.

## When to accept

Where compression was measured. Give the measurement as the reason.
)",
    .check = storage_usable_capacity_short,
};

}  // namespace clusterc
