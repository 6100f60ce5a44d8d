#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

// Compute capability that brought the precision to the tensor cores; 0: all that are catalogued have it.
int first_capability(std::string_view precision) {
  if (precision == "bf16") return 80;
  if (precision == "fp8") return 89;
  return precision == "fp4" ? 100 : 0;
}

void work_precision_not_on_gpu(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const auto& w : c.spec.workloads) {
    if (!w.value.precision) continue;
    const std::string& precision = *w.value.precision;
    const int first = first_capability(precision);
    for (const auto& on : w.value.on) {
      const int at = c.find_node_group(on.name);
      if (first == 0 || at < 0) continue;
      const ServerModel& s = c.nodes[static_cast<std::size_t>(at)].server;
      if (!s.gpu || s.gpu_count == 0 || peak_of(*s.gpu, precision)) continue;
      const std::string object = "workloads." + w.name;
      if (!s.gpu->sm) {
        findings
            .note(rule.id, w.value.precision.span,
                  format(
                      "the catalogue has no {} peak of '{}', so it was not checked whether workload '{}' can run on it",
                      precision, s.gpu_model, w.name))
            .object(object);
        continue;
      }
      // Serving stores weights in fewer bits than it computes in: the plan states the arithmetic.
      if (s.gpu->sm->major() < first && w.value.kind.value_or("training") == "inference" && precision != "bf16")
        continue;
      if (s.gpu->sm->major() >= first) {
        findings
            .note(rule.id, w.value.precision.span,
                  format("'{}' computes in {}, but its {} peak is not in the catalogue: step times, rates and run "
                         "times of workload '{}' are not judged",
                         s.gpu_model, precision, precision, w.name))
            .help(format("define your own part (`parts`) with its `{}`, the dense peak of the maker's data sheet",
                         precision))
            .object(object);
        continue;
      }
      Finding& f = findings.error(
          rule.id, w.value.precision.span,
          format("workload '{}' computes in {}, but '{}' does not support it", w.name, precision, s.gpu_model));
      f.label(format("compute capability {}; {} needs at least {}", s.gpu->sm->text(), precision, first));
      f.note(on.name_span, format("group '{}' has these GPUs", on.name));
      f.help(format("write `precision: {}`", s.gpu->fp8 ? "fp8" : s.gpu->bf16 ? "bf16" : "fp16"));
      f.object(object);
    }
  }
}

}  // namespace

extern const Rule kWorkPrecisionNotOnGpu;  // registry.cc names it
const Rule kWorkPrecisionNotOnGpu = {
    .id = "work-precision-not-on-gpu",
    .code = "WORK-010",
    .severity = Severity::error,
    .physics = false,
    .summary = "a workload computes in a precision that its GPUs do not support",
    .explanation = R"(## What it checks

The GPUs of a workload support its `precision`.

## Why it matters

Without hardware support a framework refuses to start, or computes in a wider format: at half the rate or less, with
twice the memory, and every planned figure is wrong.

## Formula

```
compute capability >= 8.0 for bf16, 8.9 for fp8, 10.0 for fp4
```

Unit: none. Compute capabilities are compared.

Source: NVIDIA CUDA C++ Programming Guide, arithmetic of tensor cores by compute capability. Of other makers the catalogue's peaks are taken; where there is none, or none of a part that has the units, a note says so: nothing that needs the peak is judged then.

## Example

`precision: fp4` on H100 (compute capability 9.0): FP8 is the narrowest that it multiplies.

## How to fix

Use a precision that the GPUs support. For weights that are stored in four bits and computed in eight or sixteen, write
the wider precision.

## When to accept

Where the framework is known to compute in a wider format, and the lower rate is planned (`efficiency`).
)",
    .check = work_precision_not_on_gpu,
};

}  // namespace clusterc
