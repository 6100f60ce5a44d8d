// What the rules about power shelves share: those of an assembly, and those of the busbar of a rack.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "plan/power/cords.h"
#include "rules/say.h"
#include "spec/site.h"

namespace clusterc {

struct Shelves {
  bool assembly = false;
  std::int64_t group = -1;
  std::string name, object;  // "nvl"; "assemblies.nvl", "racks.ocp"
  std::string model;       // whose shelves they are, as messages name it: "'nvidia-gb200-nvl72'", "the busbar of 'ocp'"
  SourceSpan span, feeds;  // of the group; of its `feeds`, if any
  bool on_feeds = false;
  Value<Watts> power;  // output of one
  Value<Volts> input_min, input_max;
  Value<std::int64_t> phases;
  Value<Amperes> breaker;
  std::int64_t spare = 0;
  std::string_view each() const { return assembly ? "each assembly" : "each rack"; }
  std::string_view kind() const { return assembly ? "assembly group" : "rack group"; }
};

// Of every assembly group with a known part, and of every rack group with a busbar; of those without members none.
inline std::vector<Shelves> all_shelves(const Cluster& c) {
  std::vector<Shelves> out;
  for (std::size_t i = 0; i < c.assemblies.size(); ++i) {
    const AssemblyGroupModel& a = c.assemblies[i];
    if (!a.part || a.count == 0) continue;
    const AssemblyPart& p = *a.part;
    out.push_back({.assembly = true,
                   .group = static_cast<std::int64_t>(i),
                   .name = a.name,
                   .object = "assemblies." + a.name,
                   .model = "'" + a.model + "'",
                   .span = a.span,
                   .feeds = a.spec->feeds.empty() ? a.span : a.spec->feeds.entries.front().name_span,
                   .on_feeds = !a.shelves.empty(),
                   .power = p.shelf_power,
                   .input_min = p.shelf_input_min,
                   .input_max = p.shelf_input_max,
                   .phases = p.shelf_phases,
                   .breaker = a.spec->shelf_breaker});
  }
  for (std::size_t i = 0; i < c.racks.size(); ++i) {
    const RackGroupModel& g = c.racks[i];
    if (!g.spec || !g.spec->busbar || g.count == 0) continue;
    const Busbar& b = *g.spec->busbar;
    out.push_back({.group = static_cast<std::int64_t>(i),
                   .name = g.name,
                   .object = "racks." + g.name,
                   .model = format("the busbar of '{}'", g.name),
                   .span = b.span.valid() ? b.span : g.span,
                   .feeds = b.feeds.empty() ? g.span : b.feeds.entries.front().name_span,
                   .on_feeds = !g.shelves.empty(),
                   .power = b.shelf_power,
                   .input_min = b.input_min,
                   .input_max = b.input_max,
                   .phases = b.phases,
                   .breaker = b.shelf_breaker,
                   .spare = b.spare.value_or(0)});
  }
  return out;
}

// Whether the racks of a class are of these, and what the shelves of one carry together: the frame of an assembly, or
// everything on the busbar.
inline bool has_shelves(const PowerClass& k, const Shelves& s) {
  return k.assembly == s.assembly && k.group == s.group && (k.assembly ? !k.rack.devices.empty() : k.rack.busbar >= 0);
}
inline const SupplyLoad& on_shelves(const PowerClass& k) {
  return k.assembly ? k.rack.devices.back() : k.rack.devices[static_cast<std::size_t>(k.rack.busbar)];
}
inline std::int64_t shelves_alive(const PowerRack& rack, const PowerFailure& failure) {
  std::int64_t alive = 0;
  for (std::size_t i = 0; i < rack.positions.size(); ++i)
    alive += (failure.positions >> i & 1) == 0 ? rack.positions[i].shelves : 0;
  return alive;
}

}  // namespace clusterc
