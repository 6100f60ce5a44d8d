// The cables of two plans compared, link by link. For plan/diff.cc.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/diff.h"
#include "plan/plan.h"

namespace clusterc {

// Of something of the new plan: its number in the old one, -1: there is none. Or the other way round.
using NumberMap = std::vector<std::int64_t>;

// What both plans have, as far as cables end there.
struct DiffedDevices {
  const Plan &before, &after;
  const NumberMap &rack, &node, &switch_;  // new to old
  const NumberMap& switch_back;            // old to new
};

// A list of changes that is made when it has something in it.
struct GrowingList {
  std::size_t keep;  // objects that it keeps; it counts all
  std::vector<ChangeList>& to;
  std::string what;
  std::ptrdiff_t place = -1;
  template <class Make>
  void add(Make&& make) {
    if (place < 0) {
      place = static_cast<std::ptrdiff_t>(to.size());
      to.push_back({what, 0, {}});
    }
    ChangeList& list = to[static_cast<std::size_t>(place)];
    ++list.count;
    if (list.items.size() < keep) list.items.push_back(make());
  }
};

// Fills cables_added, cables_removed, cables_moved and cables_replaced.
void diff_cables(const DiffedDevices&, std::size_t keep, PlanDiff&);

}  // namespace clusterc
