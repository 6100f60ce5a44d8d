#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

constexpr Meters kPduDepth{0.05};  // body of a vertical PDU, without its cords (planning default)
constexpr Meters kWideRack{
    0.75};  // from this width on there is a channel beside the 19 inches (EIA-310: 600 mm cabinets have none)

struct Device {
  std::string what, model;
  const Value<Meters>* depth;
  SourceSpan span;
  std::string object;
};

void rack_device_deeper_than_rack(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!c.own_site) return;
  // Kinds of device by rack group, each once: what matters is who meets whom, not how often.
  for (std::size_t r = 0; r < c.racks.size(); ++r) {
    const RackGroupModel& g = c.racks[r];
    if (!g.part) continue;
    std::vector<Device> devices;
    for (const NodeGroupModel& n : c.nodes)
      if (n.racks == static_cast<int>(r) && n.count > 0 && is_ours(n))
        devices.push_back({format("group '{}'", n.name), n.server.id, &n.server.part.depth,
                           first_place(written(n.spec->racks), n.span), "nodes." + n.name});
    for (const StorageModel& s : c.storage)
      if (s.part && s.racks == static_cast<int>(r))
        devices.push_back({format("storage '{}'", s.name), s.model, &s.part->depth,
                           first_place(s.spec->servers ? written(s.spec->servers->racks) : SourceSpan{}, s.span),
                           "storage." + s.name});
    for (std::size_t i = 0; i < in.plan.fabrics.size(); ++i) {
      const Fabric& f = in.plan.fabrics[i];
      const NetworkModel& n = c.networks[f.network];
      if (n.racks != static_cast<int>(r)) continue;
      for (std::size_t t = 0; t < f.tiers.size(); ++t) {
        if (!f.tiers[t].part || f.tiers[t].count == 0) continue;
        if (std::any_of(f.tiers.begin(), f.tiers.begin() + static_cast<std::ptrdiff_t>(t),
                        [&](const FabricTier& x) { return x.part == f.tiers[t].part; }))
          continue;
        devices.push_back({format("network '{}'", n.name), f.tiers[t].model, &f.tiers[t].part->depth,
                           first_place(written(n.spec->racks), n.span), "networks." + n.name});
      }
    }
    if (devices.empty()) continue;
    if (!g.part->mounting_depth) {
      findings.note(
          rule.id, g.span,
          format("'{}' states no `mounting_depth`, so the depth of the devices in rack group '{}' was not checked",
                 g.model, g.name));
      continue;
    }
    const Value<Meters>& room = g.part->mounting_depth;
    // In a narrow cabinet vertical PDUs stand behind the devices, in a wide one beside them.
    const auto vertical = std::ranges::find_if(g.pdus, [](const PduModel& p) {
      return !p.part || p.part->units.value_or(0) == 0;
    });  // unless it says otherwise
    const bool behind = vertical != g.pdus.end() && g.part->width && g.part->width->value < kWideRack.value;
    const Meters left = behind ? *room - kPduDepth : *room;
    for (const Device& d : devices) {
      if (!*d.depth) {
        findings.note(rule.id, d.span,
                      format("'{}' states no `depth`, so it was not checked whether {} fits rack group '{}'", d.model,
                             d.what, g.name));
      } else if (above((*d.depth)->value, room->value)) {
        Finding& f = findings.error(rule.id, d.span,
                                    format("'{}' of {} is {} deep, but '{}' has room for {}", d.model, d.what,
                                           to_text(**d.depth), g.model, to_text(*room)));
        f.label(format("{} too deep", to_text(**d.depth - *room)));
        f.note(g.span, format("these are the racks of '{}'", g.name));
        mention_unconfirmed(f, room, format("the mounting depth of '{}'", g.model));
        mention_unconfirmed(f, *d.depth, format("the depth of '{}'", d.model));
        f.help("use a deeper rack, or another rack group for this device");
        f.object(d.object);
      } else if (above((*d.depth)->value, left.value)) {
        Finding& f = findings.warning(
            rule.id, d.span,
            format("'{}' of {} is {} deep, but '{}' has room for {} with vertical PDUs behind the device", d.model,
                   d.what, to_text(**d.depth), g.model, to_text(left)));
        f.label(format("{} - {} of a vertical PDU", to_text(*room), to_text(kPduDepth)));
        f.note(vertical->span,
               format("{} in a cabinet {} wide", plural(static_cast<std::int64_t>(g.pdus.size()), "PDU"),
                      to_text(*g.part->width)));
        mention_unconfirmed(f, room, format("the mounting depth of '{}'", g.model));
        mention_unconfirmed(f, *d.depth, format("the depth of '{}'", d.model));
        f.help("use a deeper rack, or one at least 750 mm wide, where PDUs are mounted beside the devices");
        f.object(d.object);
      }
    }
  }
}

}  // namespace

extern const Rule kRackDeviceDeeperThanRack;  // registry.cc names it
const Rule kRackDeviceDeeperThanRack = {
    .id = "rack-device-deeper-than-rack",
    .code = "RACK-002",
    .severity = Severity::error,
    .physics = true,
    .summary = "a device is deeper than its rack",
    .explanation = R"(## What it checks

No device is deeper than the mounting depth between the doors of its rack.

## Why it matters

A node that protrudes keeps the rack door open, and the air of the cold aisle escapes.

## Formula

```
depth of the device <= mounting depth of the rack
```

Unit: m on both sides.

The mounting depth is the deepest device that fits between the doors, with room for cables behind it. In a cabinet narrower than 750 mm that has vertical PDUs, 50 mm less (warning): they
have no channel beside the devices there and stand behind them. A PDU that states no `units` counts as vertical.

Source: data sheets of device and rack (catalogue); 50 mm is the body of a vertical PDU without its cords (planning default).

Error: none beyond its inputs for the error. The 50 mm of the warning are a default, whose error is not known.

## Example

A node of 897 mm in a cabinet of 1,000 mm that leaves 848 mm between the doors.

## How to fix

Use a deeper rack (1,200 mm), or a separate rack group for the deep devices.

## When to accept

Never: it does not fit.
)",
    .check = rack_device_deeper_than_rack,
};

}  // namespace clusterc
