#include "plan/fabric/fabric.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"

namespace clusterc {
namespace {

// Node groups whose `scalable_unit` puts more ports on a leaf than it has: {group, ports of a unit on one leaf}.
struct Unit {
  int group = -1;
  std::int64_t ports = 0;
};
Unit unit_beyond_leaf(const Cluster& c, const NetworkModel& n, const Fabric& f, std::int64_t radix) {
  for (const EndPoints& e : n.ends) {
    if (e.group < 0 || !c.nodes[e.group].spec->scalable_unit) continue;
    const std::int64_t rails = std::max<std::int64_t>(1, f.leaves_per_unit);
    const std::int64_t ports = *c.nodes[e.group].spec->scalable_unit * ((e.ports_each + rails - 1) / rails);
    if (ports > radix) return {e.group, ports};
  }
  return {};
}

void net_switch_ports_exceeded(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    const NetworkModel& n = c.networks[f.network];
    if (!n.switch_part) {
      if (n.spec->switch_model.unknown && n.shares < 0)
        findings.note(
            rule.id, n.spec->switch_model.span,
            format("the switch of network '{}' is unknown{}, so its ports and cables were neither planned nor checked",
                   n.name, n.spec->switch_model.source.empty() ? "" : format(" ({})", n.spec->switch_model.source)));
      continue;
    }
    const std::string object = "networks." + n.name;
    if (!n.switch_part->ports) {
      // Nothing of this network is planned then, bought or powered: a sum without it would pass for the whole.
      const bool planned = f.end_ports_built_for > 0;
      Finding& x =
          findings.add(planned ? Severity::error : Severity::note, rule.id, n.spec->switch_model.span,
                       format("'{}' states no `ports`, so {} of network '{}' {} planned", n.switch_model,
                              planned ? format("the switches and cables for {}", plural(f.end_ports_built_for, "port"))
                                      : std::string("nothing"),
                              n.name, planned ? "are not" : "is"));
      if (planned) x.help("name a switch with a fixed number of ports, or define your own with `ports` in `parts`");
      x.object(object);
      continue;
    }
    const std::int64_t radix = *n.switch_part->ports * std::max<std::int64_t>(1, f.ways);
    const auto ports_text = [&] {
      return f.ways > 1 ? format("{} ports x {} ways", *n.switch_part->ports, f.ways)
                        : format("{} ports", *n.switch_part->ports);
    };
    if (f.tiers.size() == 1) {
      const FabricTier& t = f.tiers[0];
      if (f.end_ports_built_for > t.count * t.ports) {
        Finding& x = findings.error(
            rule.id, first_place(written(n.spec->topology), n.spec->switch_model.span, n.span),
            format("network '{}' needs {} switch ports, but {} {}", n.name, f.end_ports_built_for,
                   t.count > 1 ? format("{} x '{}' have", t.count, t.model) : format("one '{}' has", t.model),
                   t.count * t.ports));
        x.label(ports_text());
        for (const EndPoints& e : n.ends) x.note(e.span, format("{} x {}", e.built_for, plural(e.ports_each, "port")));
        mention_unconfirmed(x, n.switch_part->ports, format("the number of ports of '{}'", n.switch_model));
        x.help("leave `topology` out, so that leaves and spines are planned, or use a larger switch");
        x.object(object);
        continue;
      }
    }
    for (const FabricTier& t : f.tiers) {
      if (t.part && !t.part->ports) {
        const auto* of = n.spec->tiers.find(t.word);
        findings.note(rule.id, of ? of->value.span : n.span,
                      format("'{}' states no `ports`, so the ports of the {}s of network '{}' were not counted",
                             t.model, t.word, n.name));
        continue;
      }
      const bool leaf = &t == f.tiers.data();
      const std::int64_t up = t.up * (leaf ? f.uplink_ports : 1), own = leaf ? n.switch_part->uplinks.value_or(0) : 0;
      if (own > 0 ? t.down <= t.ports && t.up <= own : t.down + up <= t.ports) continue;
      Finding& x = findings.error(rule.id, first_place(written(n.spec->switch_model), n.span),
                                  format("each {} of network '{}' needs {} ports, but '{}' has {}", t.word, n.name,
                                         t.down + up, t.model, t.ports));
      x.label(format("{} down + {} up", t.down, up));
      mention_unconfirmed(x, n.switch_part->ports, format("the number of ports of '{}'", n.switch_model));
      x.help("use a higher oversubscription, smaller units, or a larger switch");
      x.object(object);
    }
    if (f.tiers.size() >= 2 && f.rail_optimised)
      for (const EndPoints& e : n.ends) {
        if (e.group < 0 || !c.nodes[e.group].spec || !c.nodes[e.group].spec->scalable_unit ||
            *c.nodes[e.group].spec->scalable_unit <= f.unit)
          continue;
        const Value<std::int64_t>& wish = c.nodes[e.group].spec->scalable_unit;
        findings
            .warning(rule.id, wish.span,
                     own_uplink_ports(f)
                         ? format("units of network '{}' have {} nodes instead of {}: the {} uplink ports of a leaf "
                                  "carry no more",
                                  n.name, f.unit, *wish, *f.tiers[0].part->uplinks)
                         : format("units of network '{}' have {} nodes instead of {}: a leaf of {} ports has no room "
                                  "for more beside its uplinks",
                                  n.name, f.unit, *wish, f.tiers[0].ports))
            .label(format("{} down + {} up", f.tiers[0].down, f.tiers[0].up))
            .help(format("write `scalable_unit: {}`, or leave it out", f.unit))
            .object(object);
        break;
      }
    if (f.tiers.empty() && !f.unbuildable.empty())
      if (const Unit unit = unit_beyond_leaf(c, n, f, radix); unit.group >= 0) {
        const NodeGroupModel& g = c.nodes[unit.group];
        Finding& x =
            findings.error(rule.id, g.spec->scalable_unit.span,
                           format("a unit of {} nodes puts {} ports on each leaf of network '{}', but '{}' has {}",
                                  *g.spec->scalable_unit, unit.ports, n.name, n.switch_model, radix));
        x.label(ports_text() + ", uplinks included");
        x.note(n.spec->switch_model.span, "the switch is named here");
        x.help("write a smaller `scalable_unit`, or leave it out: it then follows from the switch");
        x.object(object);
      }
  }
}

}  // namespace

extern const Rule kNetSwitchPortsExceeded;  // registry.cc names it
const Rule kNetSwitchPortsExceeded = {
    .id = "net-switch-ports-exceeded",
    .code = "NET-001",
    .severity = Severity::error,
    .physics = true,
    .summary = "a switch has fewer ports than cables",
    .explanation = R"(## What it checks

No switch has more cables than ports, counting downlinks and uplinks after splitting. A network whose switch states no
number of ports is not planned and is missing from every sum, so that is an error too.
A `scalable_unit` that does not fit on a leaf beside its uplinks is a warning: the units are then smaller than the spec
asks.

## Why it matters

The last rack cannot be connected without another tier of switches.

## Formula

```
ports of a switch = ports x ways that one is split
one switch:  ports of all members, at the size built for <= ports
leaf, spine: down + up <= ports; leaf with uplink ports of its own: down <= ports, up <= uplink ports
```

Unit: ports on both sides.

Source: data sheet of the switch (catalogue); arithmetic.

Error: none beyond its inputs.

## Example

`topology: single` with 48 nodes of two ports on a switch of 64.

## How to fix

Use a larger switch, splitting (`breakout`) where the rate allows it, a smaller `scalable_unit`, or a fabric of leaves
and spines.

## When to accept

Never: the ports do not exist.
)",
    .check = net_switch_ports_exceeded,
};

}  // namespace clusterc
