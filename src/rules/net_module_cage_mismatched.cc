#include "plan/fabric/cabling.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

void net_module_cage_mismatched(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  struct Left {
    std::int64_t count = 0;
    const Cabling::Unbuilt* first = nullptr;
  };
  std::vector<Left> by_fabric(in.plan.fabrics.size());
  for (const Cabling::Unbuilt& u : in.plan.doubtful_cabling().unbuilt()) {
    if (u.reach.value > 0) continue;  // net-link-beyond-medium-reach
    Left& l = by_fabric[static_cast<std::size_t>(u.fabric)];
    l.count += u.count;
    if (!l.first) l.first = &u;
  }
  for (std::size_t i = 0; i < by_fabric.size(); ++i) {
    const Left& l = by_fabric[i];
    if (!l.first || in.plan.fabrics[i].link_rate.value <= 0)
      continue;  // a rate that cannot be read is told where it stands
    const NetworkModel& n = c.networks[in.plan.fabrics[i].network];
    // The catalogue does not hold every cable that is made. Still, what carries jobs or their data and has no cable is
    // not known to be buildable: that counts. In the networks of administration, where any cord does, it is a note.
    const bool chosen = !n.spec->media.empty(),
               fabric = n.carries_traffic(Traffic::compute) || n.carries_traffic(Traffic::storage);
    Finding& f = findings.add(chosen || fabric ? rule.severity : Severity::note, rule.id,
                              chosen ? n.spec->media.front().span : first_place(n.spec->switch_model.span, n.span),
                              format("{} of network '{}' {} no cable{} ({}): {}", plural(l.count, "link"), n.name,
                                     l.count == 1 ? "has" : "have", chosen ? " of the `media` that it allows" : "",
                                     l.first->what, l.first->why));
    f.help(chosen ? "leave `media` out, or add a kind of cable that fits the cages"
                  : "use another adapter or switch, `breakout`, or define your own cable in `parts`")
        .object("networks." + n.name);
  }
}

}  // namespace

extern const Rule kNetModuleCageMismatched;  // registry.cc names it
const Rule kNetModuleCageMismatched = {
    .id = "net-module-cage-mismatched",
    .code = "NET-008",
    .severity = Severity::warning,
    .physics = false,
    .summary = "no cable or module of the allowed kinds fits the cages at both ends",
    .explanation = R"(## What it checks

For every link there is a cable, or a pair of modules with fibre, whose plugs fit the cages at both ends and whose rate
is that of the link. A missing one is a warning where the network names its `media`, and for networks that carry compute
or storage traffic; it is a note for other networks.

## Why it matters

Four forms of plug look alike (QSFP56 and QSFP112, OSFP with fins and with a flat top), but not all of them fit each
other's cages. Modules that do not fit are noticed on the day of cabling.
The catalogue does not contain every cable that is made. But a fabric without a known part for its links may not be
buildable, and the most expensive lines are missing from its bill. An out-of-band or in-band network can use any cable
that fits, so it gets only a note.

## Formula

```
plug = cage at both ends, or a slower QSFP in a faster QSFP or a QSFP-DD cage
rate of the cable = links of the cage x rate of a link; a splitter has a tail for each link
the cable carries the network's link layer (InfiniBand, Ethernet)
```

Unit: bit/s on both sides, links are counted; plugs are compared by name.

Source: NVIDIA LinkX, overview of the 100G-PAM4 product line (which plugs a cage supports; OSFP with fins in switches, with a flat top in adapters); data sheets of cables and modules (catalogue).

Error: none beyond its inputs.

## Example

`media: [twisted-pair]` for ports of 100 Gb/s.

## How to fix

Leave `media` out, or allow the kind that fits the cages. Define a cable that the catalogue lacks as your own part
(`parts`).

## When to accept

Where the cable is in stock and its price is not needed in the bill.
)",
    .check = net_module_cage_mismatched,
};

}  // namespace clusterc
