#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

void check_gpu(const Rule& rule, Findings& findings, const NodeGroupModel& g) {
  const ServerModel& s = g.server;
  if (!s.gpu || s.gpu_count == 0 || s.gpu->cooling.value_or("") != "liquid" || s.part.liquid_cooled.value_or(false))
    return;
  const SourceSpan at = s.part.gpus ? first_place(written(s.part.gpus->model), in_spec(s.span, g), g.span) : g.span;
  if (!s.part.liquid_cooled) {
    findings.note(
        rule.id, at,
        format("'{}' does not state whether it is `liquid_cooled`, but '{}' needs coolant", s.id, s.gpu_model));
    return;
  }
  Finding& f =
      findings.error(rule.id, at, format("'{}' needs liquid cooling, but '{}' is air-cooled", s.gpu_model, s.id));
  f.note(s.gpu->cooling.span, "the cooling that the GPU needs");
  f.note(s.part.liquid_cooled.span, "the cooling that the server has");
  mention_unconfirmed(f, s.gpu->cooling, format("the cooling of '{}'", s.gpu_model));
  f.help("use a server with cold plates, or the air-cooled version of the GPU (amd-mi350x for amd-mi355x)");
  f.object("nodes." + g.name);
}

void cool_liquid_part_in_air(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NodeGroupModel& g : c.nodes) {
    if (!is_ours(g) || g.count == 0) continue;
    check_gpu(rule, findings, g);
    // Racks that name neither loop nor zone are cool-heat-rejection-undersized's to ask about.
    if (!c.own_site || g.racks < 0 || g.assembly >= 0 || !g.server.part.liquid_cooled.value_or(false)) continue;
    const RackGroupModel& racks = c.racks[g.racks];
    if (racks.liquid >= 0 || racks.cooling < 0 || (racks.spec->liquid && !racks.spec->liquid->empty())) continue;
    Finding& f = findings.error(rule.id, first_place(written(g.spec->racks), g.span),
                                format("'{}' of group '{}' needs a coolant loop, but the racks of '{}' have none",
                                       g.server.id, g.name, racks.name));
    f.note(racks.span, "these racks");
    mention_unconfirmed(f, g.server.part.liquid_cooled, format("the cooling of '{}'", g.server.id));
    f.help("write `liquid: …` in the rack group, with a zone of `method: liquid`");
    f.object("nodes." + g.name);
  }
  if (!c.own_site) return;
  for (const AssemblyGroupModel& a : c.assemblies) {
    if (a.count == 0 || a.liquid >= 0 || a.air < 0 || !a.part || a.part->liquid_share.value_or(0) <= 0 ||
        (a.spec->cooling && a.spec->cooling->liquid))
      continue;
    Finding& f = findings.error(rule.id, a.spec->cooling ? a.spec->cooling->span : a.span,
                                format("{} of the heat of '{}' goes to coolant, but assembly group '{}' has no loop",
                                       percent(*a.part->liquid_share), a.model, a.name));
    mention_unconfirmed(f, a.part->liquid_share, format("the liquid share of '{}'", a.model));
    f.help("write `cooling: { liquid: …, air: … }` with a zone of `method: liquid`");
    f.object("assemblies." + a.name);
  }
}

}  // namespace

extern const Rule kCoolLiquidPartInAir;  // registry.cc names it
const Rule kCoolLiquidPartInAir = {
    .id = "cool-liquid-part-in-air",
    .code = "COOL-010",
    .severity = Severity::error,
    .physics = true,
    .summary = "a part that needs coolant is in a place without a coolant loop",
    .explanation = R"(## What it checks

GPUs that exist only with cold plates are in servers that have cold plates. Servers and assemblies that need coolant are
in racks with a coolant loop.

## Why it matters

No heat sink can be bought for such a part, so the machine cannot be switched on. Both the order and the room must
change, and each takes months.

## Formula

```
gpu.cooling = liquid         needs server.liquid_cooled
server.liquid_cooled         needs a rack group with `liquid`
assembly.liquid_share > 0    needs `cooling: { liquid: … }`
```

Unit: none. Kinds of cooling are compared.

Source: data sheets (catalogue); for MI355X and its air-cooled sibling MI350X: The Register, 2025-06-12.

## Example

`amd-mi355x` (1,400 W) in a server with `liquid_cooled: false`.

## How to fix

Use a server with cold plates and racks with a loop, or the air-cooled version of the part.

## When to accept

Never.
)",
    .check = cool_liquid_part_in_air,
};

}  // namespace clusterc
