#include <cstdint>
#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

// The largest divisor of `of` that is no more than `most`.
std::int64_t divisor_up_to(std::int64_t of, std::int64_t most) {
  for (std::int64_t d = std::min(of, most); d > 1; --d)  // what a split writes is at most a million
    if (of % d == 0) return d;
  return 1;
}

class OneWorkload {
 public:
  OneWorkload(const Rule& rule, Findings& findings, const std::string& name, const Workload& w)
      : rule_(rule), findings_(findings), name_(name), w_(w) {}

  void check(std::int64_t gpus) {
    const ModelSplit none;
    const ModelSplit& s = w_.split ? *w_.split : none;
    const std::int64_t tensor = s.tensor.value_or(1), pipeline = s.pipeline.value_or(1),
                       context = s.context.value_or(1), data = s.data.value_or(1);
    const bool serves = w_.kind.value_or("training") == "inference";
    if (w_.split && serves)
      unread(s), count_served(s, tensor, pipeline, data, gpus);
    else if (w_.split)
      count(s, tensor, pipeline, context, data, gpus);
    if (w_.model) {
      const ModelShape& m = *w_.model;
      if (s.tensor && m.heads && *m.heads % tensor != 0)
        uneven(s.tensor, "tensor", "heads", *m.heads);
      else if (s.tensor && m.kv_heads && *m.kv_heads % tensor != 0 && tensor % *m.kv_heads != 0)
        uneven(s.tensor, "tensor", "key-value heads", *m.kv_heads);
      if (s.context && m.sequence && *m.sequence % context != 0)
        uneven(s.context, "context", "tokens of a sequence", *m.sequence);
      if (s.expert && m.experts && *m.experts % *s.expert != 0) uneven(s.expert, "expert", "experts", *m.experts);
      if (s.expert && *s.expert > 1 && !m.experts)
        error(s.expert.span,
              format("workload '{}' divides experts over {} GPUs, but its model has no experts", name_, *s.expert))
            .note(m.span, "the model has no `experts`")
            .help("leave `expert` out, or write the model's `experts`");
      stages(s, m, pipeline);
      if (serves)
        held(m);
      else
        batch(s, m, data);
    }
  }

 private:
  // What inference has no use for is said, not dropped.
  void unread(const ModelSplit& s) {
    const auto one = [&](const auto& value, std::string_view key) {
      if (!value || value.origin != Origin::spec) return;
      error(value.span, format("workload '{}' is inference, which does not read `split.{}`", name_, key))
          .help(format("leave `{}` out: inference reads `tensor`, `pipeline`, `expert` and `data`", key));
    };
    one(s.context, "context"), one(s.interleave, "interleave"), one(s.micro_batch, "micro_batch");
    one(s.recompute, "recompute"), one(s.sharded, "sharded");
  }
  // A copy is tensor x pipeline GPUs, or, with its experts over more of them, expert x pipeline: then `data` counts the
  // groups of a copy that have attention of their own, and the copies beyond it.
  void count_served(const ModelSplit& s, std::int64_t tensor, std::int64_t pipeline, std::int64_t data,
                    std::int64_t gpus) {
    const std::int64_t experts = s.expert.value_or(1);
    if (experts > tensor && experts % tensor != 0) uneven(s.tensor, "tensor", "GPUs of the experts", experts);
    if (experts > tensor && s.data && data * tensor % experts != 0)
      error(s.data.span,
            format("workload '{}' spreads its experts over {} GPUs, but its attention layers over {} x {} GPUs: the "
                   "second number must be a multiple of the first",
                   name_, experts, data, tensor))
          .help(format("write `data: {}`", experts / tensor));
    const double groups = std::max(
                     static_cast<double>(data),
                     experts > tensor ? std::ceil(static_cast<double>(experts) / static_cast<double>(tensor)) : 1.0),
                 all = static_cast<double>(tensor) * static_cast<double>(pipeline) * groups;
    if (all <= static_cast<double>(gpus)) return;
    Finding& f = error(first_place(s.data.span, s.expert.span, s.pipeline.span, s.tensor.span, s.span),
                       format("workload '{}' is split over {} GPUs, but its groups have {}", name_, number(all), gpus));
    f.label(format("tensor {} x pipeline {} x data {}", tensor, pipeline, groups));
    f.note(w_.on.entries.front().name_span, "the nodes of the workload");
    f.help(format("use a split over at most {} GPUs, or more nodes in `on`", gpus));
  }
  Finding& error(SourceSpan at, std::string message) {
    Finding& f = findings_.error(rule_.id, at, std::move(message));
    f.object("workloads." + name_);
    return f;
  }
  void count(const ModelSplit& s, std::int64_t tensor, std::int64_t pipeline, std::int64_t context, std::int64_t data,
             std::int64_t gpus) {
    // Each factor is at most 1e6: the product of two fits in 64 bits, that of all is reckoned in floating point.
    const double all = static_cast<double>(tensor) * static_cast<double>(pipeline) * static_cast<double>(context) *
                       static_cast<double>(data);
    if (all <= static_cast<double>(gpus)) return;
    Finding& f = error(first_place(s.data.span, s.context.span, s.pipeline.span, s.tensor.span, s.span),
                       format("workload '{}' is split over {} GPUs, but its groups have {}", name_, number(all), gpus));
    f.label(format("tensor {} x pipeline {} x context {} x data {}", tensor, pipeline, context, data));
    f.note(w_.on.entries.front().name_span, "the nodes of the workload");
    f.help(format("use a split over at most {} GPUs, or more nodes in `on`", gpus));
  }
  void uneven(const Value<std::int64_t>& ways, std::string_view key, std::string_view what, std::int64_t of) {
    Finding& f = error(ways.span,
                       format("the {} {} of workload '{}' are not divisible by `{}: {}`", of, what, name_, key, *ways));
    f.label(format("{} / {} leaves {} over", of, *ways, of % *ways));
    f.help(format("write `{}: {}`", key, divisor_up_to(of, *ways)));
  }
  // Stages need not be alike (Llama 3 405B has 126 layers on 16), but each has a layer.
  void stages(const ModelSplit& s, const ModelShape& m, std::int64_t pipeline) {
    const std::int64_t chunks = pipeline * s.interleave.value_or(1);
    if (!m.layers || chunks <= *m.layers || (!s.pipeline && !s.interleave)) return;
    Finding& f =
        error(first_place(s.interleave.span, s.pipeline.span, s.span),
              format("workload '{}' is split into {} stages, but its model has {} layers", name_, chunks, *m.layers));
    if (s.interleave) f.label(format("pipeline {} x interleave {}", pipeline, *s.interleave));
    f.help(format("use at most {} stages", *m.layers));
  }
  // What serves no whole sequence serves nobody.
  void held(const ModelShape& m) {
    if (w_.requests && (w_.requests->input || !w_.requests->mix.entries.empty())) return;  // shorter ones may be
    if (!w_.batch || !w_.batch->tokens || !m.sequence || *w_.batch->tokens >= *m.sequence) return;
    error(w_.batch->tokens.span,
          format("each copy of the model of workload '{}' gets {} tokens at a time, but one sequence has {}", name_,
                 *w_.batch->tokens, *m.sequence))
        .note(m.sequence.span, "the sequence length")
        .help(format("write `batch: {} tokens` or a multiple of it: a request is a whole sequence", *m.sequence));
  }
  void batch(const ModelSplit& s, const ModelShape& m, std::int64_t data) {
    if (!w_.batch || !w_.batch->tokens || !m.sequence) return;
    const std::int64_t tokens = *w_.batch->tokens, sequence = *m.sequence;
    if (tokens < sequence) {
      error(w_.batch->tokens.span,
            format("a step of workload '{}' is {} tokens, but one sequence has {}", name_, tokens, sequence))
          .note(m.sequence.span, "the sequence length")
          .help(format("write `batch: {} tokens` or a multiple of it: a step has only whole sequences", sequence));
      return;
    }
    if (tokens % sequence != 0) {
      // Frameworks count a batch in sequences; the plan reckons with the nearest number of them.
      Finding& f = findings_.warning(
          rule_.id, w_.batch->tokens.span,
          format("a step of workload '{}' is {} tokens, which is not a multiple of the sequence length of {}", name_,
                 tokens, sequence));
      f.label(format("{} / {} = {}, {} over; calculated with {}", tokens, sequence, tokens / sequence,
                     tokens % sequence, (tokens + sequence / 2) / sequence));
      f.note(m.sequence.span, "the sequence length")
          .help(format("write `batch: {} tokens`", (tokens + sequence / 2) / sequence * sequence))
          .object("workloads." + name_);
    }
    const std::int64_t sequences = (tokens + sequence / 2) / sequence, micro = s.micro_batch.value_or(1),
                       together = data * micro;
    if (!s.data) {
      // Copies that are derived: as many as divide the batch are reckoned with (work-gpus-left-idle), if any number of
      // them does.
      if (s.micro_batch && sequences % micro != 0)
        uneven(s.micro_batch, "micro_batch", "sequences of a step", sequences);
      return;
    }
    if (sequences % together == 0) return;
    Finding& f =
        error(first_place(s.data.span, s.micro_batch.span),
              format("the {} sequences of a step of workload '{}' are not divisible by {} copies x {} in a micro batch",
                     sequences, name_, data, plural(micro, "sequence")));
    f.label(format("{} tokens / {} per sequence = {}; {} x {} = {} leaves {} over", tokens, sequence, sequences, data,
                   micro, together, sequences % together));
    const std::int64_t whole = std::max<std::int64_t>(1, sequences / together) * together;
    if (static_cast<double>(whole) * static_cast<double>(sequence) < 1e18)
      f.help(format("write `batch: {} tokens`, or another number of copies", whole * sequence));
  }

  const Rule& rule_;
  Findings& findings_;
  const std::string& name_;
  const Workload& w_;
};

void work_split_impossible(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const auto& w : in.cluster.spec.workloads)
    if (const auto g = gpus_of(in.cluster, w.value)) OneWorkload(rule, findings, w.name, w.value).check(g->gpus);
}

}  // namespace

extern const Rule kWorkSplitImpossible;  // registry.cc names it
const Rule kWorkSplitImpossible = {
    .id = "work-split-impossible",
    .code = "WORK-009",
    .severity = Severity::error,
    .physics = false,
    .summary = "a workload cannot be divided as its split says, or a batch is less than one sequence",
    .explanation = R"(## What it checks

A workload can be divided as `split` says: it uses no more GPUs than it has; heads, experts and the tokens of a sequence
are divided into equal parts; every pipeline stage has a layer. A training step is whole sequences (a warning if some
tokens are left over), divided equally over the copies. In inference, a copy holds at least one sequence, the GPUs of its
experts are a multiple of `tensor`, and `split` has only keys that inference reads: tensor, pipeline, expert, data.

## Why it matters

The framework aborts with an assertion when the job starts, hours after it was queued, and every planned figure is for a
job that cannot run.

## Formula

```
tensor x pipeline x context x data <= GPUs of `on`
heads mod tensor = 0;  kv_heads mod tensor = 0, or tensor mod kv_heads = 0 (then they are kept several times)
experts mod expert = 0, and no `expert` without experts;  sequence mod context = 0
pipeline x interleave <= layers                  stages need not be alike
batch >= sequence;  batch mod sequence = 0 (warning);  batch / sequence mod (data x micro_batch) = 0
                                                 `data` left out: mod micro_batch; the copies that the GPUs give are work-gpus-left-idle's
```

Unit: GPUs, heads, experts, layers and tokens, all counted.

Source: D. Narayanan et al., arXiv 2104.04473, section 2 (how tensor, pipeline and data parallelism divide a model and its batch); what Megatron-LM asserts of its arguments.

Error: none beyond its inputs.

## Example

A model of 56 heads with `split: { tensor: 16 }`: 56 / 16 leaves 8 over.

## How to fix

Use the next smaller divisor (`tensor: 14`, better a power of two within NVLink), fewer copies, or a batch with more
sequences.

## When to accept

Where the framework pads heads or drops the rest of a batch, and that is intended.
)",
    .check = work_split_impossible,
};

}  // namespace clusterc
