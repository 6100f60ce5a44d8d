// The racks of a group that carry more than a limit, told once.
#pragma once
#include "plan/plan.h"
#include "rules/say.h"

namespace clusterc {

struct HeavyRacks {
  std::int64_t count = 0, worst = -1;       // worst: number of the heaviest rack, -1: none is too heavy
  double most = 0;                          // kg, what the heaviest carries
  std::vector<std::string> names, objects;  // the first three names; every rack's path
};

// What was built into each rack (RackPlan::load) against `limit`; racks that hold nothing are passed over.
inline HeavyRacks racks_heavier_than(const RuleInput& in, const RackGroupModel& g, Kilograms limit) {
  HeavyRacks found;
  for (std::int64_t r = g.first; r < g.first + g.count; ++r) {
    if (in.plan.racks[static_cast<std::size_t>(r)].devices.empty()) continue;
    const double load = in.plan.racks[static_cast<std::size_t>(r)].load.value;
    if (!above(load, limit.value)) continue;
    if (above(load, found.most)) {
      found.most = load;
      found.worst = r;
    }
    ++found.count;
    const std::string name = in.cluster.rack_name(r);
    if (found.names.size() < 3) found.names.push_back(name);
    found.objects.push_back("rack/" + name);
  }
  return found;
}

}  // namespace clusterc
