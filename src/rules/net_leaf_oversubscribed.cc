#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Leaves of their own: what `leaves` states of them.
void own_leaves(const Rule& rule, const NetworkModel& n, const Fabric& f, Findings& findings) {
  for (std::size_t i = 0; i < f.leaf_groups.size(); ++i) {
    const LeafGroup& g = f.leaf_groups[i];
    const Value<double>& stated = n.spec->leaves.entries[i].value.oversubscription;
    const double most = stated.value_or(n.spec->oversubscription.value_or(1));
    if (g.count == 0 || !above(g.oversubscription, most * 1.001)) continue;
    Finding& x =
        findings.error(rule.id, first_place(written(stated), n.spec->leaves.entries[i].name_span),
                       format("each of the {} leaves '{}' of network '{}' has an oversubscription of {:.3g}:1, "
                              "but the spec states {:.3g}:1",
                              g.count, g.name, n.name, g.oversubscription, most));
    x.label(format("{} x {} down, {} up{}", g.down, to_text(f.link_rate), g.up,
                   f.uplink_rate > f.link_rate ? " at " + to_text(f.uplink_rate) : ""));
    x.help("use more spines, or fewer nodes on each leaf");
    x.object("networks." + n.name);
  }
}

// It is what was asked for. Jobs of GPUs that leave their leaf pay for it all the same.
bool slows_jobs(const Rule& rule, const Cluster& c, const NetworkModel& n, const Fabric& f, const std::string& wired,
                Findings& findings) {
  const Value<double>& declared = n.spec->oversubscription;
  for (const EndPoints& e : n.ends) {
    if (e.group < 0 || e.leaves >= 0 || c.nodes[e.group].server.gpu_count == 0 || !c.nodes[e.group].computes ||
        e.members * e.ports_each <= f.tiers[0].down * std::max<std::int64_t>(1, f.leaves_per_unit))
      continue;
    Finding& x = findings.warning(rule.id, first_place(written(declared), n.span),
                                  format("network '{}' carries the jobs of '{}' with an oversubscription of "
                                         "{:.3g}:1: between leaves, each port has {} of {}",
                                         n.name, c.nodes[e.group].name, f.oversubscription,
                                         to_text(f.link_rate / f.oversubscription, 3), to_text(f.link_rate)));
    x.label(wired);
    x.note(e.span, format("{} with {} each, {} ports on one leaf", plural(e.members, "node"),
                          plural(e.ports_each, "port"), f.tiers[0].down));
    x.help("write `oversubscription: 1`, or keep jobs below one leaf");
    x.object("networks." + n.name);
    return true;
  }
  return false;
}

void net_leaf_oversubscribed(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (const Fabric& f : in.plan.fabrics) {
    if (f.tiers.size() < 2 || f.tiers[0].up == 0) continue;
    const NetworkModel& n = c.networks[f.network];
    own_leaves(rule, n, f, findings);
    const Value<double>& declared = n.spec->oversubscription;
    const bool stated = declared && declared.origin == Origin::spec;  // it has a default
    const double said = declared.value_or(1);
    // Who writes both the spines and the links to each has said how many uplinks a leaf has.
    const bool asked_for = !stated && n.spec->spines && n.spec->links_per_spine;
    const std::string wired = format("{} x {} down, {} up{}", f.tiers[0].down, to_text(f.link_rate), f.tiers[0].up,
                                     f.uplink_rate > f.link_rate ? " at " + to_text(f.uplink_rate) : "");
    if (!asked_for && above(f.oversubscription, said * 1.001)) {
      Finding& x = findings.error(
          rule.id, first_place(written(declared), n.span),
          format("each leaf of network '{}' has an oversubscription of {:.3g}:1, but {}", n.name, f.oversubscription,
                 stated ? format("the spec states {:.3g}:1", said)
                        : std::string("full bandwidth is planned where `oversubscription` is left out")));
      x.label(wired);
      x.help("use more spines, or fewer nodes on each leaf");
      x.object("networks." + n.name);
      continue;
    }
    if (f.oversubscription <= 1.001) continue;
    if (n.carries_traffic(Traffic::compute) && slows_jobs(rule, c, n, f, wired, findings)) continue;
    if (!asked_for) continue;
    Finding& x = findings.note(rule.id, n.spec->spines.span,
                               format("each leaf of network '{}' has an oversubscription of {:.3g}:1, as `spines` "
                                      "and `links_per_spine` ask for",
                                      n.name, f.oversubscription));
    x.label(wired);
    x.object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetLeafOversubscribed;  // registry.cc names it
const Rule kNetLeafOversubscribed = {
    .id = "net-leaf-oversubscribed",
    .code = "NET-003",
    .severity = Severity::warning,
    .physics = false,
    .summary = "leaves have fewer uplinks than the spec states, or than GPU jobs need",
    .explanation = R"(## What it checks

Leaves have the uplinks that the spec's `oversubscription` states, or full bandwidth where it is left out (error; a note
where `spines` and `links_per_spine` state the uplinks themselves). Leaves of their own (`leaves`) have those that their
own `oversubscription` states. Ports of nodes that are fabric managers and nothing else are not counted where they are
beside the ports of a scalable unit: they send management datagrams. GPU nodes whose jobs span several leaves have full
bandwidth between them (warning).

## Why it matters

An all-reduce over several leaves runs at the rate of the uplinks. An oversubscription of 3:1 costs two thirds of it for
every job that is larger than a leaf.

## Formula

```
oversubscription = node ports of a leaf x rate / (uplinks x their rate)
bandwidth of a port beyond its leaf, all talking at once = rate / oversubscription
```

Unit: a ratio of rates on both sides; rates in bit/s.

Source: arithmetic.

Error: none beyond its inputs. A thousandth more than written is not reported.

## Example

40 ports down and 24 up at one rate are 1.67:1 where the spec says 1.

## How to fix

Use more spines or fewer nodes on a leaf. With `oversubscription: 1` the plan calculates their number.

## When to accept

Where jobs stay below one leaf, or the traffic between leaves is known to be small.
)",
    .check = net_leaf_oversubscribed,
};

}  // namespace clusterc
