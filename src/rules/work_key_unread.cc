#include <string>
#include <string_view>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"

namespace clusterc {
namespace {

class OneWorkload {
 public:
  OneWorkload(const Rule& rule, Findings& findings, const std::string& name, const Workload& w)
      : rule_(rule), findings_(findings), name_(name), w_(w), kind_(w.kind.value_or("training")) {}

  void check() {
    if (kind_ == "inference")
      serving();
    else if (kind_ != "hpc")
      training();
    if (w_.launcher) launcher(*w_.launcher);
    if (w_.model && written(w_.model->preset) && written(w_.model->config))
      warn(w_.model->config.span,
           format("the model of workload '{}' has `preset` and `config`, but clusterc reads only "
                  "the `preset`",
                  name_))
          .help("leave one of them out");
  }

 private:
  template <class V>
  static bool written(const V& v) {
    return v && v.origin == Origin::spec;
  }
  Finding& warn(SourceSpan at, std::string message) {
    Finding& f = findings_.warning(rule_.id, at, std::move(message));
    f.object("workloads." + name_);
    return f;
  }
  void unread(SourceSpan at, std::string_view key, std::string_view of) {
    warn(at, format("workload '{}' is of `kind: {}`: `{}` has no effect on workloads of this kind", name_, kind_, key))
        .help(format("leave `{}` out, or write `kind: {}`", key, of));
  }
  template <class V>
  void value(const V& v, std::string_view key, std::string_view of) {
    if (written(v)) unread(v.span, key, of);
  }
  void launcher(const WorkloadLauncher& l) {
    if (kind_ == "inference") return value(l.job_operator, "launcher.operator", "training");
    value(l.autoscaler, "launcher.autoscaler", "inference");
    const std::string started = l.kind.value_or("");
    if (written(l.job_operator) && (started == "ray" || started == "mpi" || started == "horovod"))
      warn(l.job_operator.span,
           format("the launcher of workload '{}' is '{}', which does not read `operator`", name_, started))
          .help("leave `operator` out");
  }
  void training() {
    if (written(w_.expert_kernels) && w_.model && !w_.model->experts)
      warn(w_.expert_kernels.span,
           format("the model of workload '{}' has no experts, so clusterc does not read `expert_kernels`", name_))
          .help("write `experts` of the model, or leave `expert_kernels` out");
    if (w_.split && written(w_.split->schedule) && w_.split->pipeline.value_or(1) <= 1)
      warn(w_.split->schedule.span,
           format("workload '{}' has no pipeline, so clusterc does not read `split.schedule`", name_))
          .help("write `pipeline: 2` or more, or leave `schedule` out");
    if (kind_ != "fine-tuning") {
      value(w_.trained_parameters, "trained_parameters", "fine-tuning");
      if (w_.lora) unread(w_.lora->span, "lora", "fine-tuning");
      return;
    }
    if (w_.lora && written(w_.trained_parameters))
      warn(w_.lora->span,
           format("workload '{}' has `trained_parameters` and `lora`, but clusterc reads only `trained_parameters`",
                  name_))
          .note(w_.trained_parameters.span, "the parameters that are trained")
          .help("leave one of them out");
    if (written(w_.weight_precision) && !w_.lora && !written(w_.trained_parameters))
      warn(w_.weight_precision.span,
           format(
               "workload '{}' trains all parameters: `weight_precision`, which is for parameters that are not trained, "
               "has no effect",
               name_))
          .help("write `lora: 16`, or leave `weight_precision` out");
  }
  void serving() {
    value(w_.trained_parameters, "trained_parameters", "fine-tuning");
    if (w_.lora) unread(w_.lora->span, "lora", "fine-tuning");
    value(w_.optimizer, "optimizer", "training");
    value(w_.attention, "attention", "training");
    value(w_.gradient_precision, "gradient_precision", "training");
    value(w_.loss, "loss", "training");
    value(w_.expert_kernels, "expert_kernels", "training");
    if (w_.train) unread(w_.train->span, "train", "training");
    if (w_.split) value(w_.split->schedule, "split.schedule", "training");
    if (w_.split) value(w_.split->offload, "split.offload", "training");
    // With experts over more GPUs than `tensor`, `data` is compared with them (work-split-impossible).
    if (w_.split && written(w_.split->data) && w_.split->expert.value_or(1) <= w_.split->tensor.value_or(1))
      warn(w_.split->data.span,
           format("workload '{}' is of `kind: inference`, which does not read `split.data` without `split.expert`",
                  name_))
          .help("leave `data` out: the number of copies follows from the GPUs of `on`");
    if (w_.requests && w_.model && written(w_.model->sequence)) {
      longer(w_.requests->input, w_.requests->output);
      for (const auto& kind : w_.requests->mix) longer(kind.value.input, kind.value.output);
    }
  }
  void longer(const Value<std::int64_t>& input, const Value<std::int64_t>& output) {
    if (!input || *input + output.value_or(0) <= *w_.model->sequence) return;
    Finding& f = warn(input.span, format("a request of workload '{}' has {} tokens, but `sequence` is {}", name_,
                                         *input + output.value_or(0), *w_.model->sequence));
    f.label(format("input {} + output {}", *input, output.value_or(0)));
    f.note(w_.model->sequence.span, "the tokens of one sequence");
    f.help("write shorter requests or a longer `sequence`");
  }

  const Rule& rule_;
  Findings& findings_;
  const std::string& name_;
  const Workload& w_;
  const std::string kind_;
};

void work_key_unread(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const auto& w : in.cluster.spec.workloads) OneWorkload(rule, findings, w.name, w.value).check();
}

}  // namespace

extern const Rule kWorkKeyUnread;  // registry.cc names it
const Rule kWorkKeyUnread = {
    .id = "work-key-unread",
    .code = "WORK-014",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a workload has a key that its kind does not read",
    .explanation = R"(## What it checks

Each key of a workload changes something for its `kind`: keys of training stand in training workloads,
`trained_parameters` and `lora` in `kind: fine-tuning`. A model has a `preset` or a `config`, not both.
Requests are no longer than the `sequence` that the spec writes.

## Why it matters

clusterc does not read such a key. With `trained_parameters` in a workload without `kind: fine-tuning`, the plan is that
of training all parameters: it needs up to eight times the memory.

## Formula

```
training:     trained_parameters, lora, except in fine-tuning (keys of inference: spec-key-of-inference)
training:     split.schedule without a pipeline; expert_kernels without experts
fine-tuning:  lora beside trained_parameters; weight_precision where all parameters are trained
inference:    trained_parameters, lora, optimizer, attention, expert_kernels, gradient_precision, loss, train, split.schedule, split.offload, split.data without split.expert
launcher:     operator, except in training by torchrun, DeepSpeed, Megatron-LM or JAX; autoscaler, except in inference
requests:     input + output <= sequence
```

Unit: tokens on both sides.

Source: docs/spec-reference.md, what each key is for.

Error: none beyond its inputs.

## Example

`trained_parameters: 0.2e9` without `kind: fine-tuning`.

## How to fix

Write the kind that the key belongs to, or leave the key out.

## When to accept

Where one block of keys is shared by workloads of several kinds.
)",
    .check = work_key_unread,
};

}  // namespace clusterc
