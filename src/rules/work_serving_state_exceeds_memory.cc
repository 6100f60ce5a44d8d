#include <algorithm>
#include <cmath>
#include <string>

#include "rules/rules.h"
#include "rules/say.h"
#include "rules/work_say.h"

namespace clusterc {
namespace {

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "inference", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    if (!w.model || !w.model->parameters) return;
    if (!g.memory) {
      findings.note(rule.id, at, format("workload '{}' runs on GPUs whose `memory` is not in the catalogue, so it was not checked whether its model fits", name));
      return;
    }
    const ModelShape& m = *w.model;
    // A copy of the model lies on the GPUs that `split` says, at most on all of them.
    const double tensor = w.split ? static_cast<double>(w.split->tensor.value_or(1)) : static_cast<double>(g.gpus);
    const double copy = w.split ? std::min(static_cast<double>(g.gpus), tensor * static_cast<double>(w.split->pipeline.value_or(1))) : static_cast<double>(g.gpus);
    const double weight = bytes_of_precision(w.precision.value_or("bf16"));
    const double weights = *m.parameters * weight / copy, have = g.memory->value;
    std::string sum = format("{} parameters x {} B / {} GPUs", number(*m.parameters), weight, copy);
    double kv = 0;
    if (w.batch && w.batch->tokens && m.layers && m.hidden && m.heads) {
      const double heads = static_cast<double>(m.kv_heads.value_or(*m.heads)), head = static_cast<double>(*m.hidden) / static_cast<double>(*m.heads);
      // Heads are not divided: beyond one for each GPU they are copied.
      const double share = std::min(tensor, heads) * (copy / std::min(copy, tensor));
      kv = kv_per_token(static_cast<double>(*m.layers), heads, head, 2).value * static_cast<double>(*w.batch->tokens) / share;
      sum += format(" + {} tokens x {} / {}", *w.batch->tokens, to_text(kv_per_token(static_cast<double>(*m.layers), heads, head, 2)), share);
    }
    const bool over = above(weights + kv, have);
    if (!over && !above(weights, have * kUsableMemory)) return;
    const SourceSpan here = above(weights, have * kUsableMemory) || !w.batch ? first_place(m.parameters.span, at) : w.batch->tokens.span;
    Finding& f = over ? findings.error(rule.id, here, format("workload '{}' needs {} of weights and {} of keys and values on each GPU, '{}' has {}", name, to_text(weights, Dimension::bytes, 4), to_text(kv, Dimension::bytes, 4), g.smallest->server.gpu_model,
                                                            to_text(have, Dimension::bytes, 4)))
                      : findings.warning(rule.id, here, format("workload '{}' has {} of weights on each GPU, {} of the {} of '{}': little is left for keys and values", name, to_text(weights, Dimension::bytes, 4), percent(weights / have),
                                                               to_text(have, Dimension::bytes, 4), g.smallest->server.gpu_model));
    f.label(sum);
    f.help(format("`split: {{ tensor: {} }}`, or weights of fewer bytes (`precision: fp8`), or a smaller `batch`", number(std::exp2(std::ceil(std::log2((weights + kv) * copy / (have * kUsableMemory)))))));
    f.object("workloads." + name);
  });
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

Each inference workload with `model` and `on`: the weights fit the GPUs of one copy, and what is left holds the keys and values of `batch` tokens.

## Why it matters

The engine ends at its start, or starts and queues: with no memory for keys and values it serves one request at a time.

## Formula

```
weights = parameters x bytes (bf16 2, fp8 1, fp4 0.5) / (tensor x pipeline)
keys and values of a token = 2 x layers x kv_heads x hidden/heads x 2 B, divided by min(tensor, kv_heads) x pipeline
error: weights + keys and values > memory;  warning: weights > 0.9 x memory
```

Source: Hugging Face, Llama 3.1 (memory tables); 0.9 is what engines fill where nothing is asked for (vLLM, gpu_memory_utilization). Not against physics: weights can be kept in the host's memory.

## Example

70e9 parameters in BF16 (140 GB) on one GPU of 141 GB.

## How to fix

More GPUs a copy (`tensor`), or weights of fewer bytes.

## When to accept

Where weights are kept in host memory and brought in layer by layer.
)";

const Rule kWorkServingStateExceedsMemory = {
    .id = "work-serving-state-exceeds-memory",
    .code = "WORK-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "the weights, keys and values of a served model do not fit its GPUs",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
