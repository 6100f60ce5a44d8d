#include "model/smt.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/software_say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Whether any group whose `smt` stands at this place has a processor with several threads a core, or one of which that
// is not known: then the line is of use.
bool of_use(const Cluster& c, SourceSpan place) {
  return std::any_of(c.nodes.begin(), c.nodes.end(), [&](const NodeGroupModel& g) {
    return g.software->smt.span == place &&
           (!g.server.known || !g.server.cpu || g.server.cpu->threads_per_core.value_or(2) > 1);
  });
}

void node_smt_contradictory(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  Once once;
  for (const NodeGroupModel& g : c.nodes) {
    if (g.count == 0 || !g.server.known) continue;
    const Software& s = g.software;
    const bool written = s.smt && s.smt.origin == Origin::spec;
    const std::string object = "nodes." + g.name;
    if (const Value<std::string>* a = nosmt_argument(s); a && written && *s.smt == Smt::on && once.first(a->span)) {
      findings
          .error(rule.id, a->span,
                 format("`smt: true` keeps all threads on the nodes of '{}', but the kernel argument `{}` removes all "
                        "but one per core",
                        g.name, **a))
          .note(s.smt.span, "SMT is on here")
          .help("write `smt: nosmt`, or remove the argument")
          .object(object);
      continue;
    }
    if (const Value<std::string>* a = conditional_nosmt(s); a && !smt_is_off(s) && once.first(a->span)) {
      Finding& f = findings.error(
          rule.id, a->span,
          format(
              "`{}` switches SMT off only on affected processors, so the number of threads per core of '{}' is unknown",
              **a, g.name));
      if (written) f.note(s.smt.span, "SMT is on here");
      f.help("write `smt: nosmt`, which switches SMT off on all processors, or write the argument without `nosmt`")
          .object(object);
      continue;
    }
    if (g.server.virtual_machine) {
      if (s.smt && s.smt.origin == Origin::derived && once.first(s.smt.span))
        findings
            .warning(
                rule.id, s.smt.span,
                format(
                    "the spec does not state whether the {2} processors of each virtual machine of '{0}' are threads "
                    "of the host's cores: the plan assumes that they are, and counts {1} with `nosmt`",
                    g.name, g.server.cores, *g.spec->virtual_machine->cpus))
            .help("write `smt: nosmt` if the processors are threads; without `nosmt` all of them count")
            .object(object);
      continue;
    }
    const CpuPart* cpu = g.server.cpu;
    if (!s.smt || !cpu || !cpu->threads_per_core || *cpu->threads_per_core > 1) continue;
    if (*s.smt == Smt::on && written && s.smt.span.valid() && !of_use(c, s.smt.span) && once.first(s.smt.span))
      findings
          .error(rule.id, s.smt.span,
                 format("`smt: true` is set, but a core of '{}' in '{}' has one thread", g.server.cpu_model, g.name))
          .note(cpu->threads_per_core.span, "the threads of a core are given here")
          .help("leave `smt` out")
          .object(object);
    else if (smt_is_off(s) && !of_use(c, s.smt.span) && once.first(s.smt.span))
      findings
          .warning(rule.id, s.smt.span,
                   format("SMT is switched off, but a core of '{}' in '{}' has only one thread anyway",
                          g.server.cpu_model, g.name))
          .note(cpu->threads_per_core.span, "the threads of a core are given here")
          .help("leave `smt` out")
          .object(object);
  }
}

}  // namespace

extern const Rule kNodeSmtContradictory;  // registry.cc names it
const Rule kNodeSmtContradictory = {
    .id = "node-smt-contradictory",
    .code = "NODE-013",
    .severity = Severity::error,
    .physics = false,
    .summary = "`smt`, the kernel arguments and the processor contradict one another about the threads per core",
    .explanation = R"(## What it checks

`software: { smt }` and the kernel arguments agree about the hardware threads of a core, and the processor has several
threads per core where they are switched on or off.

## Why it matters

CPUs and ThreadsPerCore of slurm.conf follow from `smt`. A node that boots with fewer threads than slurm.conf has registers as invalid ("Low socket\*core\*thread count, Low CPUs") and runs no job.

## Formula

```
CPUs = cores x threads of a core; one thread where smt is false or nosmt
`nosmt` among the arguments    -> smt: nosmt, unless smt is written
`mitigations=auto,nosmt`, …    -> depends on the processor: smt must say it
```

Unit: none. Settings are compared.

Source: Linux, Documentation/admin-guide/kernel-parameters.txt (nosmt, mitigations, l1tf, mds); slurm.conf(5), ThreadsPerCore; github.com/aws-samples/aws-plugin-for-slurm/issues/10.

## Example

`software: { smt: true, kernel_arguments: [nosmt] }`.

## How to fix

Write `smt: false` where the firmware switches it off, `smt: nosmt` where the kernel does. The kernel argument `nosmt`
is then not needed.

## When to accept

Not the contradiction. The warning about a processor with one thread: where another processor will replace it.
)",
    .check = node_smt_contradictory,
};

}  // namespace clusterc
