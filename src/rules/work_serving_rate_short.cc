#include <cmath>

#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/work_say.h"
#include "spec/workload.h"
#include "targets/workload_plan.h"

namespace clusterc {
namespace {

// One sequence at a time already takes longer than its limits allow.
void too_slow(const Rule& rule, const Named<Workload>& named, const WorkloadPlan& p, Findings& findings) {
  const ServingPlan& s = *p.serving;
  const ServingPoint one = serving_point(s.needs, s.used.split, p.machine, 1);
  const bool first = s.needs.first_within > 0 && one.first_token > s.needs.first_within;
  const Value<Seconds>& limit = first ? named.value.requests->first_token_within : named.value.requests->token_within;
  Finding& f = findings.warning(rule.id, limit.span,
                                format("workload '{}' needs {} for {}, but must take at most {}", p.name,
                                       to_text(first ? one.first_token : one.per_token, Dimension::time, 3),
                                       first ? "the first token" : "each further token", to_text(*limit, 3)));
  f.label(format("one sequence at a time, each copy on {} GPUs", s.used.split.gpus()));
  constexpr double kMostTensor = 8;  // beyond it, communication takes what more GPUs give
  const double tensor = 2 * s.used.split.tensor;
  f.help(format("{}a lower precision{}, or allow more time",
                tensor <= kMostTensor
                    ? format("divide a copy over more GPUs (`split: {{ tensor: {} }}`), use ", number(tensor))
                    : std::string("use "),
                first ? ", shorter prompts" : ""));
  f.object("workloads." + p.name);
}

void work_serving_rate_short(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const Named<Workload>& named : in.cluster.spec.workloads) {
    if (named.value.kind.value_or("training") != "inference") continue;
    const WorkloadPlan p = plan_workload(in.cluster, named);
    if (!p.serving) continue;
    const ServingPlan& s = *p.serving;
    if (s.used.fits && !s.used.meets) too_slow(rule, named, p, findings);
    const Value<double>& tokens = named.value.tokens_per_second;
    const bool requests = !tokens && named.value.requests && named.value.requests->per_second;
    if (!tokens && !requests) continue;
    const Value<double>& wanted = requests ? named.value.requests->per_second : tokens;
    if (s.gpus_wanted <= 0 || s.tokens_per_second <= 0) continue;
    if (!above(s.gpus_wanted, static_cast<double>(p.gpus))) continue;
    Finding& f =
        findings.warning(rule.id, wanted.span,
                         format("workload '{}' must generate {} tokens/s, but its {} GPUs give {:.6g} tokens/s", p.name,
                                number(s.needs.rate), p.gpus, std::floor(s.tokens_per_second)));
    f.label(format(
        "{}{} x {:.6g} tokens/s, each copy on {} GPUs",
        requests ? format("{} requests/s x {} tokens; ", number(*wanted), number(s.needs.load.output)) : std::string(),
        s.copies - s.prompt_copies, std::floor(s.used.tokens_per_second), s.used.split.gpus()));
    // Limits that one request at a time does not keep are not kept on more copies either: too_slow says what helps.
    if (!s.used.meets)
      f.help(
          "more GPUs do not help: a copy that answers one request at a time takes longer than the limits of "
          "`requests`");
    else
      f.help(format("use {} GPUs ({} copies), or write `{}`", number(s.gpus_wanted),
                    number(s.copies_wanted + s.prompt_copies_wanted),
                    requests ? format("per_second: {:.3g}", s.tokens_per_second / s.needs.load.output)
                             : format("tokens_per_second: {:.0f}", std::floor(s.tokens_per_second))));
    f.object("workloads." + p.name);
  }
}

}  // namespace

extern const Rule kWorkServingRateShort;  // registry.cc names it
const Rule kWorkServingRateShort = {
    .id = "work-serving-rate-short",
    .code = "WORK-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "a serving workload generates fewer tokens than it must",
    .explanation = R"(## What it checks

The copies of a model on a serving workload's GPUs generate the `tokens_per_second` or answer the `per_second` requests
that it asks for, within the limits of `requests` for the first token and for each further token.

## Why it matters

Each copy has a rate of its own, which depends on the lengths of prompts and answers. Requests above it wait in a queue
that only grows.

## Formula

```
copies wanted = tokens_per_second (or per_second x output) / tokens a second of one copy, rounded up
copies wanted x GPUs of one copy <= GPUs of the workload
```

Unit: copies and GPUs on both sides; tokens/s.

Source: docs/workloads.md has the step of the engine and its sources.

Error: docs/predictions-serving.md compares it with published rates.

## Example

50,000 tokens/s wanted, 5,109 from each copy on four GPUs: ten copies, 40 GPUs, but the workload has 32.

## How to fix

Use more GPUs, larger batches (`batch`) where latency allows it, a lower precision, or the rate that the help names.

## When to accept

Where an engine's measured rate is higher than the plan's.
)",
    .check = work_serving_rate_short,
};

}  // namespace clusterc
