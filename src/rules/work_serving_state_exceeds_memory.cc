#include <algorithm>
#include <cmath>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/serving.h"

namespace clusterc {
namespace {

void work_serving_state_exceeds_memory(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "inference", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    if (!w.model || !w.model->parameters) return;
    if (!g.memory) {
      findings.note(rule.id, at,
                    format("workload '{}' runs on GPUs whose `memory` is not in the catalogue, so it was not checked "
                           "whether its model fits",
                           name));
      return;
    }
    // A copy of the model lies on the GPUs that `split` says, at most on all of them.
    const ServingSplit split = serving_split(w).value_or(ServingSplit{static_cast<double>(g.gpus), 1, 1});
    ModelShape m = *w.model;
    if (!m.sequence) m.sequence.value = 1;  // what is held is counted in tokens
    std::string_view missing;
    const auto shape = read_transformer(m, missing);
    const double weight = stored_bytes(w.weight_precision.value_or(w.precision.value_or("bf16"))),
                 have = g.memory->value, copy = split.gpus();
    double weights = *m.parameters * weight / copy, kv = 0;
    std::string sum = format("{} parameters x {} B / {} GPUs", number(*m.parameters), weight, copy);
    if (shape && split.data > 1) {
      // Experts are spread over all GPUs of a copy, the rest is on each of its data-parallel groups.
      const double experts = shape->expert_parameters(), rest = shape->parameters - experts;
      weights = weight * (experts / copy + rest / (split.tensor * split.pipeline));
      sum = format("{} parameters of experts x {} B / {} GPUs + {} others x {} B / {}", number(experts), weight, copy,
                   number(rest), weight, split.tensor * split.pipeline);
    }
    if (shape && w.batch && w.batch->tokens) {
      TrainingMachine memory;
      memory.memory = *g.memory;
      const ServingNeeds needs = serving_needs(*shape, w);
      const ServingCopy held = serving_copy(needs, split, memory);
      kv = held.kv;
      if (kv > 0)
        sum += format(" + {} tokens x {} / {:.6g}", *w.batch->tokens, to_text(Bytes(needs.kv_token)),
                      needs.tokens_held * needs.kv_token / kv);
    }
    const bool over = above(weights + kv, have), full = above(weights, have * kUsableMemory);
    if (!above(weights + kv, have * kUsableMemory)) return;
    const SourceSpan here = full || !w.batch ? first_place(m.parameters.span, at) : w.batch->tokens.span;
    const std::string on_each = to_text(weights, Dimension::bytes, 4), beside = to_text(kv, Dimension::bytes, 4),
                      of = format("{} of '{}'", to_text(have, Dimension::bytes, 4), g.smallest->server.gpu_model);
    Finding& f =
        over ? findings.error(
                   rule.id, here,
                   format("workload '{}' needs {} for weights and {} for the KV cache on each GPU, but '{}' has {}",
                          name, on_each, beside, g.smallest->server.gpu_model, to_text(have, Dimension::bytes, 4)))
        : full
            ? findings.warning(
                  rule.id, here,
                  format("workload '{}' has {} of weights on each GPU, {} of the {}: little remains for the KV cache",
                         name, on_each, percent(weights / have), of))
            : findings.warning(
                  rule.id, here,
                  format("workload '{}' has {} of weights and {} of KV cache on each GPU, {} of the {}: engines fill "
                         "{} by default",
                         name, on_each, beside, percent((weights + kv) / have), of, percent(kUsableMemory)));
    f.label(sum);
    // What holds both, as the plan finds it; without a shape the weights alone decide.
    std::string held =
        format("tensor: {}", number(std::exp2(std::ceil(std::log2((weights + kv) * copy / (have * kUsableMemory))))));
    if (const auto* named = in.cluster.spec.workloads.find(name); shape && named)
      if (const WorkloadPlan plan = plan_workload(in.cluster, *named); plan.serving && plan.serving->least) {
        const ServingSplit& least = plan.serving->least->split;
        held = format("tensor: {}{}{}", number(least.tensor),
                      least.pipeline > 1 ? format(", pipeline: {}", number(least.pipeline)) : "",
                      least.data > 1 ? format(", expert: {}", number(least.tensor * least.data)) : "");
      }
    std::string help = format("`split: {{ {} }}`", held);
    if (weight > 1) help += ", or weights of fewer bytes (`precision: fp8`)";
    if (kv > weights && w.kv_precision.value_or("bf16") != "fp8" && w.kv_precision.value_or("bf16") != "fp4")
      help += ", or a KV cache of fewer bytes (`kv_precision: fp8`)";
    if (w.batch && w.batch->tokens) help += ", or a smaller `batch`";
    f.help(help);
    f.object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkServingStateExceedsMemory;  // registry.cc names it
const Rule kWorkServingStateExceedsMemory = {
    .id = "work-serving-state-exceeds-memory",
    .code = "WORK-002",
    .severity = Severity::error,
    .physics = false,
    .summary = "the weights and the KV cache of a served model do not fit its GPUs",
    .explanation = R"(## What it checks

For each inference workload with `model` and `on`: the weights fit the GPUs of one copy, and the remaining memory holds
the keys and values (KV cache) of `batch` tokens.

## Why it matters

The engine aborts at its start; or it starts, has no memory for the KV cache, and serves one request at a time.

## Formula

```
weights = parameters x bytes (bf16 2, fp8 1, fp4 0.5625 with its scales) / (tensor x pipeline); with `expert` above `tensor`: experts x bytes / (expert x pipeline) + others x bytes / (tensor x pipeline)
keys and values of a token = 2 x layers x kv_heads x head_size x bytes (`kv_precision`), divided by min(tensor, kv_heads) x pipeline; or `kv_per_token`, divided by pipeline
error: weights + keys and values > memory;  warning: weights + keys and values > 0.9 x memory
```

Unit: bytes of a GPU on both sides.

Source: Hugging Face, Llama 3.1 (memory tables); 0.9 is what engines fill where nothing is asked for (vLLM, gpu_memory_utilization); the rest is for their own work. Not against physics: weights can be kept in the host's memory.

Error: docs/predictions.md compares weights, keys and values with published ones; 0.9 is the default of one engine.

## Example

70e9 parameters in BF16 (140 GB) on one GPU of 141 GB.

## How to fix

Use more GPUs per copy (`tensor`; beyond the number of key-value heads, `pipeline`), or weights of fewer bytes.

## When to accept

Where weights are kept in host memory and loaded layer by layer.
)",
    .check = work_serving_state_exceeds_memory,
};

}  // namespace clusterc
