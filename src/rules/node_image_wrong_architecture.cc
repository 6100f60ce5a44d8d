#include "plan/plan.h"
#include "rules/fix.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/software.h"

namespace clusterc {
namespace {

void node_image_wrong_architecture(const Rule& rule, const RuleInput& in, Findings& findings) {
  // One declaration for the whole cluster that is wrong for several groups is one finding.
  struct Told {
    SourceSpan at;
    Finding* finding;
  };
  std::vector<Told> told;
  for (const NodeGroupModel& g : in.cluster.nodes) {
    const Software& w = g.software;
    if (!w.arch || w.arch.origin != Origin::spec || g.count == 0)
      continue;  // derived from the processors: cannot differ
    const Value<Arch>& arch = g.server.cpu && g.server.cpu->arch ? g.server.cpu->arch : g.server.part.arch;
    if (!arch) {
      if (!g.server.virtual_machine)
        findings.note(rule.id, g.server.span,
                      format("'{}' states no `arch`, so the images of group '{}' were not compared with it",
                             g.server.id, g.name));
      continue;
    }
    if (*arch == *w.arch) continue;
    const auto before = std::find_if(told.begin(), told.end(), [&](const Told& t) { return t.at == w.arch.span; });
    if (before != told.end()) {
      before->finding->note(g.server.span, format("group '{}' is {} too ('{}')", g.name, enum_text(*arch), g.server.id))
          .object("nodes." + g.name);
      continue;
    }
    Finding& f = findings.error(
        rule.id, w.arch.span,
        format("the images are {}, but the nodes of '{}' are {}", enum_text(*w.arch), g.name, enum_text(*arch)));
    f.note(g.server.span, format("'{}'{}", g.server.id, g.server.cpu ? format(" with '{}'", g.server.cpu_model) : ""));
    mention_unconfirmed(f, arch,
                        format("the instruction set of '{}'", g.server.cpu ? g.server.cpu_model : g.server.id));
    f.help(g.spec->software && g.spec->software->arch
               ? format("write `arch: {}`", enum_text(*arch))
               : format("leave `arch` out: it follows from the processors, group by group"));
    f.object("nodes." + g.name);
    if (g.spec->software && g.spec->software->arch)
      write_instead(f, g.spec->software->arch, std::string(enum_text(*arch)));
    told.push_back({w.arch.span, &f});
  }
}

}  // namespace

extern const Rule kNodeImageWrongArchitecture;  // registry.cc names it
const Rule kNodeImageWrongArchitecture = {
    .id = "node-image-wrong-architecture",
    .code = "NODE-006",
    .severity = Severity::error,
    .physics = true,
    .summary = "images are built for another instruction set than the processors",
    .explanation = R"(## What it checks

The images of a group are built for the instruction set of its processors.

## Why it matters

An x86_64 image does not boot on Grace, and an x86_64 container ends with "exec format error".

## Formula

```
software.arch = arch of the processors
```

Unit: none. Instruction sets are compared.

Source: data sheet of the processor (catalogue).

## Example

`software: { arch: x86_64 }` over nodes with NVIDIA Grace, which is aarch64.

## How to fix

Leave `arch` out, or give the group `software: { arch: aarch64 }` and images for it.

## When to accept

Never: the processor does not run them.
)",
    .check = node_image_wrong_architecture,
};

}  // namespace clusterc
