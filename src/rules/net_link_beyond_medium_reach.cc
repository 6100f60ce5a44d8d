#include <cmath>

#include "plan/fabric/cabling.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"

namespace clusterc {
namespace {

// Ports for twisted pair take nothing else: a channel of 100 m (ISO/IEC 11801) is all there is, whatever the catalogue
// lacks. Only where the spec says where the switches stand: leaves that the plan itself places, and fills with what is
// left over, may be placed better than it does.
bool twisted_pair_alone(const NetworkModel& n, const Cabling::Unbuilt& u) {
  return n.spec->racks && n.switch_part && n.switch_part->connector.value_or("") == "rj45" &&
         !u.near.object.starts_with("leaf/");
}

void net_link_beyond_medium_reach(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  // One finding a network: the links that are too long for all that fits them otherwise.
  struct Long {
    std::int64_t count = 0;
    const Cabling::Unbuilt* longest = nullptr;
  };
  std::vector<Long> by_fabric(in.plan.fabrics.size());
  for (const Cabling::Unbuilt& u : in.plan.doubtful_cabling().unbuilt()) {
    if (u.reach.value <= 0) continue;
    Long& l = by_fabric[static_cast<std::size_t>(u.fabric)];
    l.count += u.count;
    if (!l.longest || l.longest->longest < u.longest) l.longest = &u;
  }
  for (std::size_t i = 0; i < by_fabric.size(); ++i) {
    const Long& l = by_fabric[i];
    if (!l.longest) continue;
    const NetworkModel& n = c.networks[in.plan.fabrics[i].network];
    const auto metres = [](Meters m) { return to_text(Meters(std::round(m.value * 10) / 10)); };
    // Where the spec chooses the media, they decide; else it is the catalogue, which does not hold every cable that is
    // made.
    const bool chosen = !n.spec->media.empty(), pair = !chosen && twisted_pair_alone(n, *l.longest);
    Finding& f = findings.add(
        chosen || pair                        ? rule.severity
        : n.carries_traffic(Traffic::compute) ? Severity::warning
                                              : Severity::note,
        rule.id,
        chosen ? n.spec->media.front().span : first_place(n.spec->racks.span, n.spec->switch_model.span, n.span),
        format("{} of network '{}' {} up to {} long ({}), but {} reaches {}", plural(l.count, "link"), n.name,
               l.count == 1 ? "is" : "are", metres(l.longest->longest), l.longest->what,
               chosen ? "the allowed `media`"
               : pair ? "twisted pair"
                      : "the longest cable in the catalogue",
               metres(l.longest->reach)));
    if (chosen) f.note(n.spec->racks.span, "the switches are in these racks");
    if (pair) f.note(n.spec->switch_model.span, "the ports of this switch accept only twisted pair");
    f.help(chosen ? "use another medium, or place the switches nearer to the nodes"
           : pair ? "place the switches nearer to the nodes (leave `racks` out), or use a switch and adapters with "
                    "ports for modules"
                  : "place the switches nearer to the nodes (leave `racks` out), use another adapter or switch, or "
                    "define your own cable in `parts`")
        .object("networks." + n.name);
    f.physics = chosen || pair;
  }
}

}  // namespace

extern const Rule kNetLinkBeyondMediumReach;  // registry.cc names it
const Rule kNetLinkBeyondMediumReach = {
    .id = "net-link-beyond-medium-reach",
    .code = "NET-009",
    .severity = Severity::error,
    .physics = false,
    .summary = "a link is longer than the reach of its medium",
    .explanation = R"(## What it checks

Every link has a cable, or modules and fibre, that reach from one end to the other along the cable route. A link without
one is

- an error where the network names its `media`, and where ports for twisted pair (RJ45) and `racks` leave no other
  choice;
- else a warning for networks that carry compute traffic, and a note for other networks, because the catalogue does not
  contain every cable that is made.

## Why it matters

Passive copper at 100 Gb/s per lane ends at 3 m. A cable that is half a metre too short is noticed when everything else
is installed. A cable that is too long for its medium causes errors that look like a defective switch.

## Formula

```
length = climb + way between the racks along both axes + climb + 2 x slack <= reach of the medium at the rate
```

Unit: m on both sides.

Reaches: passive copper 2 to 5 m by rate, active copper 3 to 5 m, active optical 30 m, multimode 50 to 100 m, DR4 100 to 500 m, FR4 2 km, twisted pair 100 m.

Source: data sheets of the cables and modules (catalogue, `clusterc catalog`); ISO/IEC 11801 (twisted pair). The way is that of `clusterc plan`: docs/cabling.md.

Error: none beyond its inputs for the way, which is that of docs/cabling.md. By how much a laid cable is longer than its
way and its `slack` is not known.

## Example

`media: [dac]` for a network whose switches stand in another row than the nodes.

## How to fix

Leave `media` out: the plan then uses the cheapest kind that reaches. Or leave `racks` out: leaves are then placed
beside the nodes.

## When to accept

The note, if you buy a cable that the catalogue does not have. Never the error: what `media` or the ports allow does not
reach.
)",
    .check = net_link_beyond_medium_reach,
};

}  // namespace clusterc
