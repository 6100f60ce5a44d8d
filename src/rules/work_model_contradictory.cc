#include <string>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/training.h"

namespace clusterc {
namespace {

// Wide enough for layers that are not alike (dense ones before the experts, shared experts) and for an `ffn` that is
// left out.
constexpr double kTimes = 2;

void heads(const Rule& rule, Findings& findings, const std::string& object, const std::string& name,
           const ModelShape& m) {
  const auto uneven = [&](const Value<std::int64_t>& ways, std::string_view key, std::string_view what,
                          std::int64_t of) {
    if (of % *ways == 0) return;
    findings
        .error(rule.id, ways.span,
               format("the {} {} of workload '{}' are not divisible by `{}: {}`", of, what, name, key, *ways))
        .label(format("{} / {} leaves {} over", of, *ways, of % *ways))
        .object(object);
  };
  if (m.hidden && m.heads && !m.head_size) uneven(m.heads, "heads", "elements of `hidden`", *m.hidden);
  if (m.heads && m.kv_heads) uneven(m.kv_heads, "kv_heads", "heads", *m.heads);
}

void parameters(const Rule& rule, Findings& findings, const std::string& object, const std::string& name,
                const ModelShape& m) {
  std::string_view missing;
  const auto t = read_transformer(m, missing);
  if (!t || t->of_shape <= 0) return;
  // Without a vocabulary the shape gives too little: its table may be most of a small model.
  const bool few = above(t->of_shape, t->parameters * kTimes),
             many = !t->vocabulary_assumed && above(t->parameters, t->of_shape * kTimes);
  if (!few && !many) return;
  const double times = few ? t->of_shape / t->parameters : t->parameters / t->of_shape;
  const double matrices = t->gated ? 3 : 2, attention = t->hidden * (2 * t->query() + 2 * t->keys());
  Finding& f = findings.warning(
      rule.id, m.parameters.span,
      format("the model of workload '{}' has {} parameters, but its dimensions give {}: {} by a factor of {:.3g}", name,
             number(t->parameters), number(t->of_shape), few ? "more" : "fewer", times));
  f.label(format("{} layers x ({} attention + {}{:.0f} x {} x {} `ffn`{}) + {} x {} x {} `vocabulary`", t->layers,
                 number(attention), t->experts > 0 ? format("{} experts x ", t->experts) : std::string(),
                 t->experts > 0 ? 3 : matrices, t->hidden, t->ffn, t->ffn_assumed ? ", assumed" : "", t->tied ? 1 : 2,
                 t->vocabulary, t->hidden));
  f.help("check `parameters`, `layers`, `hidden`, `ffn` and `vocabulary` for a typing error").object(object);
}

void work_model_contradictory(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const auto& w : in.cluster.spec.workloads) {
    if (!w.value.model) continue;
    const ModelShape& m = *w.value.model;
    const std::string object = "workloads." + w.name;
    for (const ModelContradiction& one : contradictions(m)) {
      Finding& f = findings.error(rule.id, one.at, format("the model of workload '{}' {}", w.name, one.says));
      if (!one.sum.empty()) f.label(one.sum);
      f.note(one.against, "it contradicts this value").object(object);
    }
    heads(rule, findings, object, w.name, m);
    parameters(rule, findings, object, w.name, m);
    const Value<double>& trained = w.value.trained_parameters;
    if (trained && m.parameters && above(*trained, *m.parameters))
      findings
          .error(rule.id, trained.span,
                 format("workload '{}' trains {} parameters, but its model has {}", w.name, number(*trained),
                        number(*m.parameters)))
          .note(m.parameters.span, "the number of all parameters")
          .help("leave `trained_parameters` out if all are trained")
          .object(object);
  }
}

}  // namespace

extern const Rule kWorkModelContradictory;  // registry.cc names it
const Rule kWorkModelContradictory = {
    .id = "work-model-contradictory",
    .code = "WORK-011",
    .severity = Severity::error,
    .physics = false,
    .summary = "the figures of a workload's model contradict one another",
    .explanation = R"(## What it checks

The figures of a workload's `model` agree with one another (errors):
- the number of heads divides `hidden` (unless `head_size` is written), and the number of key-value heads divides the
  number of heads;
- no more parameters are trained or active than there are;
- a token goes to no more experts than there are, and the active parameters include at least those of these experts;
- the vocabulary's table fits in the parameters that do not belong to experts.

`parameters` is within a factor of two of what layers, widths and vocabulary give (warning). For a model with one of the
errors about parameters, experts and vocabulary, the plan shows no figures.

## Why it matters

Memory and checkpoints are calculated from `parameters`, attention and the traffic of a split from the dimensions. With
one digit too few in either, half of the plan describes another model, and nothing in it looks wrong.

## Formula

```
hidden mod heads = 0;  heads mod kv_heads = 0;  trained_parameters <= parameters;  active_parameters <= parameters
experts_per_token <= experts;  parameters x experts_per_token / experts <= active_parameters
vocabulary x hidden <= parameters - experts x (parameters - active_parameters) / (experts - experts_per_token)        all parameters, of a model without experts
shape = layers x (hidden x (2 x heads + 2 x kv_heads) x head_size + m x hidden x ffn) + t x vocabulary x hidden
        m = 3 with a gate, 2 without; t = 1 or 2 tables: what comes nearest; with experts `experts` x 3 x hidden x ffn
parameters / 2 <= shape <= 2 x parameters        the upper end only where `vocabulary` is not written
```

Unit: parameters on both sides; heads, experts and words are counted.

Source: A. Vaswani et al., arXiv 1706.03762, section 3.2 (heads of hidden / heads); J. Ainslie et al., arXiv 2305.13245, section 2.2 (heads in equal groups for each key-value head); D. Narayanan et al.,
arXiv 2104.04473, section 2.1 (parameters of a layer). Twice is wide enough for layers that are not alike, and for an `ffn` that is left out (4 x hidden).

Error: a factor of two is allowed for the shape; the other lines have none beyond their inputs.

## Example

`parameters: 7e9` beside the shape of a model of 70e9: 80 layers of 8,192.

## How to fix

Correct the mistyped figure from the model's published configuration.

## When to accept

The parameters: where layers differ so much that one `ffn` cannot describe them. The others: where the framework pads
heads, and that is intended.
)",
    .check = work_model_contradictory,
};

}  // namespace clusterc
