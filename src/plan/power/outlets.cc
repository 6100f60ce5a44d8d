#include "plan/power/outlets.h"

#include <algorithm>
#include <cmath>

#include "plan/fabric/links.h"

namespace clusterc {
namespace {

// The next outlet for a plug; number 0 where none is left.
OutletPlace take(InletKind inlet, const Outlets& there, Outlets& left) {
  OutletPlace p{.inlet = inlet};
  if (inlet != InletKind::c14 && inlet != InletKind::c20) return p;
  const bool small = inlet == InletKind::c14;
  p.socket = small ? OutletKind::c13 : OutletKind::c19;
  std::int64_t* next = next_outlet(left, inlet);
  if (!next) return p;
  --*next;
  if (next == &left.either) p.socket = OutletKind::c13_c19;
  p.number = static_cast<std::int16_t>(p.socket == OutletKind::c13_c19 ? there.either - left.either
                                       : small                         ? there.c13 - left.c13
                                                                       : there.c19 - left.c19);
  return p;
}

}  // namespace

std::vector<OutletPlace> outlet_places(const Plan& plan, const PowerClass& k) {
  const PowerRack& rack = k.rack;
  std::vector<OutletPlace> out(rack.cords.size());
  if (k.assembly) return out;
  const RackGroupModel& g = plan.cluster->racks[static_cast<std::size_t>(k.group)];
  std::vector<InletKind> inlets(rack.cords.size(), InletKind::hardwired);
  for (std::size_t c = 0; c < rack.cords.size(); ++c) {
    const RackedDevice* d = device_of(plan, k, static_cast<std::size_t>(rack.cords[c].device));
    const PsuSet* psus = d ? supplies_of(plan, *d) : nullptr;
    if (psus) inlets[c] = psus->inlet.value_or(InletKind::hardwired);
  }
  for (std::size_t p = 0; p < g.pdus.size(); ++p) {
    const Outlets there = g.pdus[p].part ? outlets_of(*g.pdus[p].part) : Outlets{};
    const auto deal = [&](bool keep) {
      Outlets left = there;
      std::int64_t without = 0;
      std::size_t next = 0;
      for (std::size_t c = 0; c <= rack.cords.size(); ++c) {
        for (; next < rack.to_come.size() && static_cast<std::size_t>(rack.to_come[next].before) == c; ++next)
          if (keep && static_cast<std::size_t>(rack.to_come[next].position) == p)
            take(rack.to_come[next].inlet, there, left);
        if (c == rack.cords.size() || static_cast<std::size_t>(rack.cords[c].position) != p) continue;
        out[c] = take(inlets[c], there, left);
        without += out[c].number == 0 && out[c].socket != OutletKind::hardwired;
      }
      return without;
    };
    if (const std::int64_t without = deal(true); without > 0 && deal(false) == without) deal(true);
  }
  return out;
}

std::string_view cord_part(InletKind inlet) {
  if (inlet == InletKind::c14) return "power-cord-c13-c14";
  return inlet == InletKind::c20 ? "power-cord-c19-c20" : "";
}

std::string_view socket_text(OutletKind socket) {
  switch (socket) {
    case OutletKind::c13:
      return "C13";
    case OutletKind::c19:
      return "C19";
    case OutletKind::c13_c19:
      return "C13/C19";
    case OutletKind::hardwired:
      break;
  }
  return "";
}

Meters cord_length(const Cluster& c, const RackGroupModel& g, std::int64_t unit, const PduPart& part,
                   const OutletPlace& place) {
  constexpr double kStep = 0.5;
  const Outlets there = outlets_of(part);
  const std::int64_t of_kind = place.socket == OutletKind::c13   ? there.c13
                               : place.socket == OutletKind::c19 ? there.c19
                                                                 : there.either;
  const double units =
      g.part && g.part->units ? static_cast<double>(*g.part->units) : 42;  // EIA-310 cabinet, where nobody states it
  const double share =
      of_kind > 0 && place.number > 0 ? (static_cast<double>(place.number) - 0.5) / static_cast<double>(of_kind) : 0.5;
  const Meters way = way_in_rack(c, g, height_of_unit(static_cast<double>(unit)), height_of_unit(share * units + 0.5));
  return Meters(std::ceil(way.value / kStep - 1e-9) * kStep);
}

}  // namespace clusterc
