#include "plan/power/line_room.h"

#include <algorithm>

#include "plan/power/cords.h"

namespace clusterc {

LineRoom::LineRoom(const Plan& plan) : plan_(plan), content_(plan.racks.size(), 0) {
  for (const RackGroupModel& g : plan.cluster->racks) {
    std::fill_n(content_.begin() + g.first, g.count, contents_);
    ++contents_;
  }
}

LineRoom::Step& LineRoom::step(std::int64_t rack, const RackedDevice& d, bool kept) {
  const auto [at, fresh] = steps_.try_emplace(
      {content_[static_cast<std::size_t>(rack)], static_cast<int>(d.kind) * 2 + kept, d.group, d.unit});
  if (fresh) at->second.content = contents_++;
  return at->second;
}

void LineRoom::put(std::int64_t rack, const RackedDevice& d, bool kept) {
  content_[static_cast<std::size_t>(rack)] = step(rack, d, kept).content;
}

void LineRoom::set_apart(std::int64_t rack) { content_[static_cast<std::size_t>(rack)] = contents_++; }

bool LineRoom::holds(std::int64_t rack, const RackGroupModel& g, const RackedDevice& d, bool kept, double watts) {
  if (std::ranges::none_of(g.pdus, [](const PduModel& p) { return p.part && p.part->phases.value_or(1) >= 3; }))
    return true;
  Step& s = step(rack, d, kept);
  if (s.holds >= 0) return s.holds != 0;
  // A member to come takes part as one that is there: it will draw.
  RackPlan then = plan_.racks[static_cast<std::size_t>(rack)];
  then.devices.push_back(d);
  then.devices.insert(then.devices.end(), then.kept.begin(), then.kept.end());
  then.kept.clear();
  std::ranges::sort(then.devices, {}, &RackedDevice::unit);
  then.power += Watts(watts);
  const PowerRack racked = power_rack(plan_, g, then);
  const RackWiring wiring = wire_rack(&g, racked);
  s.holds = pdus_hold(plan_, racked, g, -1, wiring);
  for (std::size_t feed = 0; s.holds && feed < plan_.cluster->feeds.size(); ++feed)
    s.holds = pdus_hold(plan_, racked, g, static_cast<int>(feed), wiring);
  return s.holds != 0;
}

}  // namespace clusterc
