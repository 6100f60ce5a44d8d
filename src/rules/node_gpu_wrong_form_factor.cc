#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"

namespace clusterc {
namespace {

// Modules of an accelerator board are soldered to its cooling and its switches: the board is one part, made with all of
// them.
bool on_a_board(GpuForm form) { return form != GpuForm::pcie && form != GpuForm::superchip; }

void node_gpu_wrong_form_factor(const Rule& rule, const RuleInput& in, Findings& findings) {
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || !s.gpu || s.gpu_count == 0 || !s.part.gpus) continue;
    const PartCount& gpus = *s.part.gpus;
    const std::int64_t modules = gpus.count.value_or(1);  // of two GPUs each where they have two `devices`
    const SourceSpan at = first_place(written(gpus.model), s.span, g.span);
    if (!s.gpu->form || s.part.gpu_forms.empty()) {
      findings.note(rule.id, at,
                    format("{}, so it was not checked whether '{}' fits",
                           !s.gpu->form ? format("'{}' states no `form`", s.gpu_model)
                                        : format("'{}' states no `gpu_forms`", s.id),
                           s.gpu_model));
    } else if (std::none_of(s.part.gpu_forms.begin(), s.part.gpu_forms.end(),
                            [&](const Value<GpuForm>& f) { return f.value == *s.gpu->form; })) {
      std::vector<std::string> forms;
      bool confirmed = true;
      for (const auto& f : s.part.gpu_forms) {
        if (f) forms.emplace_back(enum_text(*f));
        confirmed = confirmed && f.confirmed;
      }
      Finding& f = findings.error(rule.id, at,
                                  format("'{}' has the form {}, but '{}' has places for {}", s.gpu_model,
                                         enum_text(*s.gpu->form), s.id, join(forms, " or ")));
      if (s.gpu->form.span.valid()) f.note(s.gpu->form.span, "the form of the GPU");
      if (s.part.gpu_forms.front().span.valid())
        f.note(s.part.gpu_forms.front().span, "the forms that fit into the chassis");
      mention_unconfirmed(f, s.gpu->form, format("the form of '{}'", s.gpu_model));
      f.help(format("use a GPU of the form {}, or a chassis for {}", join(forms, " or "), enum_text(*s.gpu->form)));
      f.object("nodes." + g.name);
    }
    const bool form_fits = s.gpu->form && std::any_of(s.part.gpu_forms.begin(), s.part.gpu_forms.end(),
                                                      [&](const Value<GpuForm>& f) { return f.value == *s.gpu->form; });
    if (s.part.gpu_slots && modules > *s.part.gpu_slots) {
      Finding& f = findings.error(rule.id, first_place(written(gpus.count), at),
                                  format("{} GPUs are asked for in each node of '{}', but '{}' has room for {}",
                                         modules, g.name, s.id, *s.part.gpu_slots));
      if (s.part.gpu_slots.span.valid()) f.note(s.part.gpu_slots.span, "the GPU places of the chassis");
      mention_unconfirmed(f, s.part.gpu_slots, format("the number of places in '{}'", s.id));
      f.help(*s.part.gpu_slots > 0 ? format("write `gpus: {} x {}`", *s.part.gpu_slots, s.gpu_model)
                                   : std::string("leave `gpus` out, or use a chassis with places for GPUs"));
      f.object("nodes." + g.name);
    } else if (s.part.gpu_slots && modules < *s.part.gpu_slots && form_fits && on_a_board(*s.gpu->form)) {
      Finding& f = findings.error(rule.id, first_place(written(gpus.count), at),
                                  format("{} are asked for in each node of '{}', but the board of '{}' comes with {}",
                                         plural(modules, "GPU"), g.name, s.id, *s.part.gpu_slots));
      if (s.part.gpu_slots.span.valid()) f.note(s.part.gpu_slots.span, "the GPU places of the board");
      mention_unconfirmed(f, s.part.gpu_slots, format("the number of places in '{}'", s.id));
      f.help(format("write `gpus: {} x {}`; a machine with a failed GPU is repaired or drained", *s.part.gpu_slots,
                    s.gpu_model));
      f.object("nodes." + g.name);
    }
  }
}

}  // namespace

extern const Rule kNodeGpuWrongFormFactor;  // registry.cc names it
const Rule kNodeGpuWrongFormFactor = {
    .id = "node-gpu-wrong-form-factor",
    .code = "NODE-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "a GPU does not fit its chassis",
    .explanation = R"(## What it checks

The GPUs have a form that the chassis takes (SXM, OAM, PCIe, superchip, each in its generation), and there are no more
of them than places. An SXM or OAM board always has all its GPUs.

## Why it matters

An SXM module has no edge connector, and a PCIe card does not fit a mezzanine socket: the wrong form cannot be
installed, and the order cannot be returned.

## Formula

```
form of the GPU is one of gpu_forms of the chassis
GPUs <= gpu_slots;   SXM and OAM: GPUs = gpu_slots
```

Unit: GPUs on both sides; forms are compared by name.

Source: data sheets of GPU and chassis (catalogue).

Error: none beyond its inputs.

## Example

`gpus: 8 x nvidia-h200-sxm5-141` in a 4U chassis for PCIe cards; `nvidia-h200-nvl-141` is the card of the same generation.

## How to fix

Use the version of the GPU in the other form, or a chassis that is made for it.

## When to accept

Never: it does not fit.
)",
    .check = node_gpu_wrong_form_factor,
};

}  // namespace clusterc
