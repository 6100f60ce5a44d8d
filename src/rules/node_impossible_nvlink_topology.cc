#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void check_bridges(const Rule& rule, Findings& findings, const NodeGroupModel& g) {
  const ServerModel& s = g.server;
  const Value<std::int64_t>& bridge = s.part.nvlink_bridge;
  const SourceSpan at = first_place(in_spec(bridge.span, g), s.span);
  const bool no_link = s.gpu->gpu_link && s.gpu->gpu_link->value <= 0;
  if (no_link || (s.gpu->form && *s.gpu->form != GpuForm::pcie)) {
    Finding& f = findings.add(
        rule.severity, rule.id, at,
        no_link
            ? format("bridges of {} GPUs are asked for in '{}', but '{}' has no NVLink", *bridge, g.name, s.gpu_model)
            : format("bridges of {} GPUs are asked for in '{}', but '{}' is {}: bridges join PCIe cards only", *bridge,
                     g.name, s.gpu_model, enum_text(*s.gpu->form)));
    if (no_link) mention_unconfirmed(f, s.gpu->gpu_link, format("the absence of NVLink on '{}'", s.gpu_model));
    f.help("leave `nvlink_bridge` out");
    f.object("nodes." + g.name);
    f.unconfirmed = no_link && !s.gpu->gpu_link.confirmed;
    return;
  }
  if (s.gpu->bridges.empty()) {
    findings.note(rule.id, at,
                  format("'{}' states no `bridges`, so it was not checked whether one bridge joins {} of them",
                         s.gpu_model, *bridge));
    return;
  }
  std::vector<std::string> sizes;
  bool can = false, confirmed = true;
  for (const Value<std::int64_t>& n : s.gpu->bridges) {
    if (!n) continue;
    can = can || *n == *bridge;
    confirmed = confirmed && n.confirmed;
    sizes.push_back(std::to_string(*n));
  }
  if (!can) {
    Finding& f = findings.add(rule.severity, rule.id, at,
                              format("bridges of {} GPUs are asked for in '{}', but bridges for '{}' join {}", *bridge,
                                     g.name, s.gpu_model, join(sizes, " or ")));
    if (!confirmed) f.note(s.gpu->bridges.front().span, format("the bridges of '{}' are not confirmed", s.gpu_model));
    f.help(format("write `nvlink_bridge: {}`", sizes.back()));
    f.object("nodes." + g.name);
    f.unconfirmed = !confirmed;
  } else if (*bridge > s.gpu_count) {
    Finding& f = findings.add(
        rule.severity, rule.id, at,
        format("bridges of {} GPUs are asked for in '{}', but each node has {}", *bridge, g.name, s.gpu_count));
    f.help(format("use {} GPUs, or a smaller bridge", *bridge));
    f.object("nodes." + g.name);
  }
}

// The switches of a rack-scale system join so many GPUs, and have no port to another rack.
void check_assembly(const Rule& rule, Findings& findings, const Cluster& c, const NodeGroupModel& g,
                    const std::string& domain, const Value<std::int64_t>& size, SourceSpan of_nodes) {
  const AssemblyGroupModel& a = c.assemblies[g.assembly];
  const Value<std::int64_t>& most = a.part->nvlink_domain;
  if (*size <= *most) return;
  Finding& f = findings.add(rule.severity, rule.id, size.span,
                            format("an NVLink domain of {} GPUs is asked for, but the NVLink switches of '{}' join {}",
                                   *size, a.name, *most));
  f.note(of_nodes, format("the nodes of '{}'", g.name))
      .note(a.span, "these nodes are the trays of this assembly group");
  mention_unconfirmed(f, most, format("the domain of '{}'", a.name));
  f.help(format("leave the domain out: each rack is a domain of {}, and racks communicate over the network", *most));
  f.object("nvlink." + domain).object("nodes." + g.name);
  f.unconfirmed = !most.confirmed;
}

void node_impossible_nvlink_topology(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const NodeGroupModel& g : c.nodes) {
    const ServerModel& s = g.server;
    if (!is_ours(g) || g.count == 0 || !s.gpu || s.gpu_count == 0) continue;
    if (s.part.nvlink_bridge) check_bridges(rule, findings, g);
    const Value<BytesPerSecond>& link = s.part.gpu_link;
    if (link.origin == Origin::spec && link && link->value > 0 && s.gpu->gpu_link && s.gpu->gpu_link->value <= 0) {
      Finding& f = findings.add(rule.severity, rule.id, link.span,
                                format("a link of {} between the GPUs of '{}' is stated, but '{}' has none",
                                       to_text(*link), g.name, s.gpu_model));
      mention_unconfirmed(f, s.gpu->gpu_link, format("the absence of NVLink on '{}'", s.gpu_model));
      f.help("leave `gpu_link` out, and expect the rate of PCIe");
      f.object("nodes." + g.name);
      f.unconfirmed = !s.gpu->gpu_link.confirmed;
    }
  }
  // Domains over several nodes.
  for (const auto& domain : c.spec.nvlink) {
    if (!domain.value.size) continue;
    for (const Value<std::string>& name : domain.value.nodes) {
      const int gi = name ? c.find_node_group(*name) : -1;
      if (gi < 0) continue;  // reported
      const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(gi)];
      const ServerModel& s = g.server;
      if (!is_ours(g) || !s.gpu || s.gpu_count == 0 || *domain.value.size <= s.gpu_count) continue;
      if (g.assembly >= 0 && c.assemblies[g.assembly].part && c.assemblies[g.assembly].part->nvlink_domain) {
        check_assembly(rule, findings, c, g, domain.name, domain.value.size, name.span);
        continue;
      }
      // A domain leaves its node only where the trays are made for it: superchips behind the switches of their rack.
      if (!s.gpu->form || *s.gpu->form == GpuForm::superchip) continue;
      Finding& f = findings.add(
          rule.severity, rule.id, domain.value.size.span,
          format(
              "an NVLink domain of {} GPUs is asked for, but '{}' in '{}' is {} and joins only the {} GPUs of one node",
              *domain.value.size, s.gpu_model, g.name, enum_text(*s.gpu->form), s.gpu_count));
      f.note(name.span, format("the nodes of '{}'", g.name));
      mention_unconfirmed(f, s.gpu->form, format("the form of '{}'", s.gpu_model));
      f.help("leave the domain out: nodes communicate over the network; or use a rack-scale system (`assemblies`)");
      f.object("nvlink." + domain.name).object("nodes." + g.name);
      f.unconfirmed = !s.gpu->form.confirmed;
    }
  }
}

}  // namespace

extern const Rule kNodeImpossibleNvlinkTopology;  // registry.cc names it
const Rule kNodeImpossibleNvlinkTopology = {
    .id = "node-impossible-nvlink-topology",
    .code = "NODE-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "an NVLink topology that does not exist",
    .explanation = R"(## What it checks

Links between GPUs are of a kind that exists: bridges join PCIe cards in the numbers that they are made for; a GPU
without NVLink has no link; a domain spans several nodes only in rack-scale systems, and is no larger than theirs.

## Why it matters

Work planned for NVLink that runs on PCIe or the network is ten or more times slower, and no part can be bought to fix
it.

## Formula

```
nvlink_bridge is one of the GPU's `bridges`, the GPU is a PCIe card, gpu_link of the GPU > 0
size of a domain <= GPUs of a node; of the trays of a rack-scale system <= `nvlink_domain` of the system: 72
```

Unit: GPUs on both sides; `gpu_link` in B/s.

Source: data sheets (catalogue): bridges join two A100, H100 PCIe or H100 NVL, two or four H200 NVL; L4, L40S, T4 and RTX PRO 6000 have no link. Switches for domains over several nodes are sold as GB200 and GB300 NVL72.

Error: none beyond its inputs.

## Example

`nvlink_bridge: 2` with eight L40S.

## How to fix

Leave the link out and expect PCIe, use cards with bridges, or boards with NVLink switches.

## When to accept

Never for figures from a data sheet.
)",
    .check = node_impossible_nvlink_topology,
};

}  // namespace clusterc
