#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

void cool_passive_card_without_airflow(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.gpu || s.gpu_count == 0 || s.gpu->cooling.value_or("") != "passive" ||
        s.gpu->form.value != GpuForm::pcie)
      continue;
    // A maker who lists the form has places with air for it; who states the airflow has measured it. The wrong form is
    // node-gpu-wrong-form-factor's.
    if (!s.part.gpu_forms.empty() || s.part.airflow || s.part.liquid_cooled.value_or(false)) continue;
    Finding& f = findings.error(
        rule.id, s.part.gpus ? first_place(written(s.part.gpus->model), in_spec(s.span, g), g.span) : g.span,
        format("'{}' has no fan, but '{}' states neither GPU places (`gpu_forms`) nor `airflow`: nothing shows that it "
               "cools the card",
               s.gpu_model, s.id));
    f.label(format("{} x {} in each node of '{}'", s.gpu_count, s.gpu->tdp ? to_text(*s.gpu->tdp) : "an unknown power",
                   g.name));
    f.note(s.gpu->cooling.span, "the card is passive");
    mention_unconfirmed(f, s.gpu->cooling, format("the cooling of '{}'", s.gpu_model));
    f.help(
        "use a server whose maker lists this card, write its `airflow` from the data sheet, or use a card with a fan");
    f.object("nodes." + g.name);
  }
}

}  // namespace

extern const Rule kCoolPassiveCardWithoutAirflow;  // registry.cc names it
const Rule kCoolPassiveCardWithoutAirflow = {
    .id = "cool-passive-card-without-airflow",
    .code = "COOL-012",
    .severity = Severity::error,
    .physics = false,
    .summary = "a passive card is in a server without a stated airflow",
    .explanation = R"(## What it checks

A PCIe card without a fan is in a server whose maker provides places for such cards (`gpu_forms`) or states its airflow.

## Why it matters

A passive card of 350 W in a tower without ducted air reaches its temperature limit in a minute, throttles, and switches
off. It is built for servers that push air through it.

## Formula

```
gpu.cooling = passive and gpu.form = pcie   needs   server.gpu_forms, or server.airflow
```

Unit: none. Forms and kinds of cooling are compared.

Source: NVIDIA PB-11133-001, H100 PCIe product brief (the card requires airflow of the system).

## Example

`nvidia-h100-pcie-80` in a workstation that is written with its size and nothing about air.

## How to fix

Use a server whose maker lists the card, or a card with a fan.

## When to accept

Where ducts were added and the card's temperature was measured under full load for an hour.
)",
    .check = cool_passive_card_without_airflow,
};

}  // namespace clusterc
