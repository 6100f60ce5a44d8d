#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

void storage_read_below_gpu_need(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& w : c.spec.workloads) {
    if (!w.value.read_per_gpu) continue;
    std::vector<int> groups;
    std::int64_t gpus = 0;
    std::string formula;
    for (const auto& on : w.value.on) {
      const int g = c.find_node_group(on.name);
      if (g < 0 || !on.value) continue;
      groups.push_back(g);
      gpus += *on.value.value * c.nodes[g].server.gpu_count;
      formula += format("{}{} x {}", formula.empty() ? "" : " + ", plural(*on.value.value, "node"),
                        plural(c.nodes[g].server.gpu_count, "GPU"));
    }
    const std::string object = "workloads." + w.name;
    if (gpus == 0) {
      findings
          .note(rule.id, w.value.read_per_gpu.span,
                format("workload '{}' runs on no GPUs (key `on`), so its read rate was not checked", w.name))
          .object(object);
      continue;
    }
    const BytesPerSecond need = *w.value.read_per_gpu * static_cast<double>(gpus);
    const int storage = fastest_shared_storage(c, groups, StorageDirection::read);
    if (storage < 0) {
      findings
          .note(rule.id, w.value.read_per_gpu.span,
                format("no shared storage of workload '{}' states its read rate (key `demand`), so the {} that its "
                       "GPUs read were not checked",
                       w.name, to_text(need)))
          .object(object);
      continue;
    }
    const StorageRate gives = *storage_rate(c, storage, StorageDirection::read);
    if (!above(need.value, gives.rate.value)) continue;
    Finding& f = findings.warning(rule.id, w.value.read_per_gpu.span,
                                  format("the GPUs of workload '{}' read {}, but '{}' delivers {}", w.name,
                                         to_text(need), c.storage[storage].name, to_text(gives.rate)));
    f.label(formula + format(" x {}", to_text(*w.value.read_per_gpu)));
    f.note(first_place(gives.span, c.storage[storage].span), gives.from == "promised"
                                                                 ? std::string("the rate that it promises")
                                                                 : format("{} set the limit", gives.from));
    if (!gives.confirmed) f.note(gives.span, "the rate of the systems is not confirmed");
    f.help("use more or faster storage, or keep the data on the nodes' own drives").object(object);
  }
}

}  // namespace

extern const Rule kStorageReadBelowGpuNeed;  // registry.cc names it
const Rule kStorageReadBelowGpuNeed = {
    .id = "storage-read-below-gpu-need",
    .code = "STOR-001",
    .severity = Severity::warning,
    .physics = false,
    .summary = "GPUs read more than the storage delivers",
    .explanation = R"(## What it checks

The fastest shared storage that a workload's nodes mount delivers what its GPUs read while they compute
(`read_per_gpu`).

## Why it matters

A GPU that waits for data costs as much as one that computes. The shortage shows only as low GPU utilisation, so storage
is rarely suspected.

## Formula

```
nodes x GPUs of one x read_per_gpu <= min(promise, else systems x data sheet rate; servers' ports; clients' ports)
```

Unit: B/s on both sides.

Usual figures: 0.05 to 0.1 GB/s for text, 0.5 for images, 1 to 4 for video (planning figures). NVIDIA's DGX SuperPOD reference architecture asks for 4, 8 or 40 GB/s of reading for each node of eight GPUs (good, better, best).

Source: arithmetic.

Error: an upper bound of what the storage gives: one workload is taken to have the whole rate. How much a program reads
is the spec's own figure.

## Example

256 GPUs with 0.5 GB/s each: 128 GB/s from one system of 90 GB/s.

## How to fix

Use more systems; or read once and keep the data on the nodes' own drives (`kind: local`).

## When to accept

Where most reads come from a cache on the nodes after the first pass.
)",
    .check = storage_read_below_gpu_need,
};

}  // namespace clusterc
