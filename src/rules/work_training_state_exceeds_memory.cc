#include <algorithm>
#include <cmath>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

// The layout that the plan makes of a written split: the fastest that fits, else the one that needs least.
std::optional<LayoutChoice> planned_layout(const RuleInput& in, const std::string& name, const Workload& w) {
  if (!w.split) return std::nullopt;
  for (const auto& named : in.cluster.spec.workloads)
    if (named.name == name) {
      const WorkloadPlan plan = plan_workload(in.cluster, named);
      if (plan.written) return plan.written->best ? plan.written->best : plan.written->smallest;
    }
  return std::nullopt;
}

// What `offload` moves to the nodes has to fit there: the GPUs of a node share its memory.
void check_offloaded(const Rule& rule, const std::string& name, const Workload& w, const WorkloadGpus& g, double each,
                     Findings& findings) {
  if (each <= 0) return;
  for (const NodeGroupModel* group : g.groups) {
    const ServerModel& server = group->server;
    const std::string key = "nodes." + group->name;
    if (!server.memory) {
      findings
          .note(rule.id, w.split->offload.span,
                format("'{}' states no `memory`, so it was not checked whether what workload '{}' offloads fits there",
                       group->name, name))
          .object(key);
      continue;
    }
    const double need = each * static_cast<double>(server.gpu_count);
    if (!above(need, server.memory->value)) continue;
    Finding& f = findings.add(
        rule.severity, rule.id, w.split->offload.span,
        format("workload '{}' offloads {} to the memory of each node of '{}', which has {}", name,
               to_text(need, Dimension::bytes, 4), group->name, to_text(server.memory->value, Dimension::bytes, 4)));
    f.label(format("{} for each of {}", to_text(each, Dimension::bytes, 4), plural(server.gpu_count, "GPU")));
    mention_unconfirmed(f, server.memory, format("the memory of '{}'", group->name));
    f.help("use more GPUs with `sharded: all`, offload less, or write more `memory` for the nodes");
    f.object("workloads." + name);
  }
}

void work_training_state_exceeds_memory(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_workload(in, "training", [&](const std::string& name, SourceSpan at, const Workload& w, const WorkloadGpus& g) {
    if (!w.model || !w.model->parameters) return;
    if (!g.memory) {
      findings.note(rule.id, at,
                    format("workload '{}' runs on GPUs whose `memory` is not in the catalogue, so it was not checked "
                           "whether its model fits",
                           name));
      return;
    }
    const ModelShape& m = *w.model;
    const double p = *m.parameters, gpus = static_cast<double>(g.gpus), have = g.memory->value;
    const double trained = trained_parameters(w), state = optimizer_bytes(w.optimizer.value_or("adam")),
                 frozen = frozen_bytes(w);
    double each = 0, activations = 0;
    std::string sum;
    const std::optional<LayoutChoice> planned = planned_layout(in, name, w);
    if (w.split) {
      const double tensor = static_cast<double>(w.split->tensor.value_or(1)),
                   pipeline = static_cast<double>(w.split->pipeline.value_or(1)),
                   context = static_cast<double>(w.split->context.value_or(1));
      const double parts = std::min(gpus, tensor * pipeline), copy = std::min(gpus, parts * context),
                   data = w.split->data ? static_cast<double>(*w.split->data) : std::max(1.0, std::floor(gpus / copy));
      // GPUs of one context hold the same weights: they share the state as copies do.
      const bool away = w.split->offload.value_or("activations") != "activations";  // the optimizer's lies in the node
      each = training_state(p, parts, data * context, sharding_of(w.split->sharded.value_or("none")), trained,
                            away ? 0 : state, frozen)
                 .value;
      sum = format("{} parameters over {} GPUs a copy, {} copies, sharded: {}", number(p), copy, data,
                   w.split->sharded.value_or("none"));
      if (m.layers && m.hidden && m.sequence)
        activations = least_activations(static_cast<double>(*m.layers), static_cast<double>(*m.hidden),
                                        static_cast<double>(*m.sequence), tensor)
                          .value /
                      context;
    } else {
      each = training_state(p, 1, gpus, Sharding::all, trained, state, frozen).value;
      sum =
          trained > 0
              ? format(
                    "{:.3g} B x {} parameters and {} B x {} trained parameters / {} GPUs, everything divided over all "
                    "GPUs",
                    frozen, number(p), 2 + state, number(std::min(trained, p)), g.gpus)
              : format("{} B x {} parameters / {} GPUs, everything divided over all GPUs", 4 + state, number(p),
                       g.gpus);
    }
    if (activations > 0) sum += format("; {} of activations at least", to_text(activations, Dimension::bytes, 3));
    // The least that the layout takes decides what is an error; whether it fits is what the plan says of it.
    const double least_need = each + activations;
    double need = least_need;
    if (planned) {
      // The plan's own figure of this split: micro batches, recomputation and context are chosen there.
      const TrainingMemory& memory = planned->memory;
      const Layout& l = planned->layout;
      need = memory.total();
      sum = format(
          "{} parameters over {} GPUs a copy{}, {} copies, sharded: {}, recompute: {}: weights {}, gradients {}, "
          "optimizer {}, activations {}",
          number(p), l.copy(), l.context > 1 ? format(" (context {})", l.context) : std::string(), l.data,
          w.split->sharded.value_or("none"), recompute_word(l.recompute), to_text(memory.weights, Dimension::bytes, 3),
          to_text(memory.gradients, Dimension::bytes, 3), to_text(memory.optimizer, Dimension::bytes, 3),
          to_text(memory.activations + memory.logits, Dimension::bytes, 3));
    }
    if (planned && w.split->offload) check_offloaded(rule, name, w, g, planned->memory.host, findings);
    if (!above(need, have * kUsableMemory)) return;
    const SourceSpan here = first_place(m.parameters.span, at);
    const bool over = above(need, have), surely = above(least_need, have);
    Finding& f =
        over ? findings.add(surely ? Severity::error : Severity::warning, rule.id, here,
                            format("workload '{}' needs {} on each GPU, but '{}' has {}", name,
                                   to_text(need, Dimension::bytes, 4), g.smallest->server.gpu_model,
                                   to_text(have, Dimension::bytes, 4)))
             : findings.warning(
                   rule.id, here,
                   format("workload '{}' needs {} on each GPU before its working memory, which is {} of the {} of '{}'",
                          name, to_text(need, Dimension::bytes, 4), percent(need / have),
                          to_text(have, Dimension::bytes, 4), g.smallest->server.gpu_model));
    f.label(sum);
    const double least =
        std::ceil(training_state(p, 1, 1, Sharding::all, trained, state, frozen).value / (have * kUsableMemory));
    const bool all = !w.split || w.split->sharded.value_or("none") == "all", enough = gpus >= 2 * least;
    const std::string reason = format("the state alone needs {}, and the activations need room too",
                                      plural(static_cast<std::int64_t>(least), "GPU"));
    f.help(enough && all ? format("write a larger `tensor` or more recomputation (`recompute`), or use more GPUs: with "
                                  "`sharded: all` {}",
                                  reason)
           : enough      ? format("write `sharded: all`: then {}", reason)
           : all         ? format("use about {} GPUs and `sharded: all`: then {}", 2 * least, reason)
                         : format("write `sharded: all` and use about {} GPUs: then {}", 2 * least, reason));
    f.object("workloads." + name);
  });
}

}  // namespace

extern const Rule kWorkTrainingStateExceedsMemory;  // registry.cc names it
const Rule kWorkTrainingStateExceedsMemory = {
    .id = "work-training-state-exceeds-memory",
    .code = "WORK-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "the training state does not fit the memory of its GPUs",
    .explanation = R"(## What it checks

For each training workload with `model` and `on`: weights, gradients and optimizer state as `split` divides them, and
the minimum of activations, fit each GPU. Without `split` the lower bound is used: everything divided over all GPUs. What
`offload` moves to the node, of all its GPUs together, fits the memory of the node.

## Why it matters

The job aborts with "CUDA out of memory" in its first step, after the weights were distributed for an hour.

## Formula

```
bytes a parameter: weights 2, gradients 2, FP32 master weights 4, two moments of Adam 8
sharded: none 16 P/mp;  optimizer 4 P/mp + 12 P/(mp d);  gradients 2 P/mp + 14 P/(mp d);  all 16 P/(mp d)
  mp = tensor x pipeline, d = copies x context
activations >= 2 x sequence x hidden x layers / (tensor x context)     everything recomputed, one sequence at a time
error above 1.0 x memory, warning above 0.9
offload: GPUs of the node x (optimizer state and activations that `offload` names) <= memory of the node
```

Unit: bytes of a GPU on both sides; with `offload` also bytes of a node.

With `split` and `batch` the figure is that of the plan (docs/workloads.md), which counts all activations of the split; a
warning where only these exceed the memory.

Source: S. Rajbhandari et al., ZeRO, SC 2020, table 1; V. Korthikanti et al., arXiv 2205.05198, table 2. Not against physics, as the rule book had it: state can be kept in the host's memory.

Error: docs/predictions.md compares states and peaks with published ones. Without a planned split the activations are a
lower bound, or not counted; 0.9 is policy.

## Example

70e9 parameters on eight H100: 140 GB are needed on each, but it has 80 GB.

## How to fix

Use more GPUs, `sharded: all`, or a larger `tensor` or `pipeline`.

## When to accept

Where the optimizer keeps less than is counted. For state in the memory of the node, write `offload`.
)",
    .check = work_training_state_exceeds_memory,
};

}  // namespace clusterc
