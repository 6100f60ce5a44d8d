// Whether a rack's PDUs hold one more device on each of their lines: with all feeds, and after the loss of any one.
// Asked while racks are filled, where a sum over the rack is not enough: eight equal cords are three, three and two on
// the lines of a PDU.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

// Racks of one group that were filled alike share their answers: each is worked out once, so that the cost is that of
// the kinds of rack.
class LineRoom {
 public:
  explicit LineRoom(const Plan&);
  // The device stands in the rack from now on; `rack` is a number within the plan. Kept: its place is kept free for a
  // member to come.
  void put(std::int64_t rack, const RackedDevice&, bool kept);
  // A rack whose content is like no other's (something stands in it already).
  void set_apart(std::int64_t rack);
  // As the rack of the plan is now, and this device with it, which draws so much. True where no PDU of three phases
  // states its rating.
  bool holds(std::int64_t rack, const RackGroupModel&, const RackedDevice&, bool kept, double watts);

 private:
  struct Step {
    std::int32_t content = -1;
    std::int8_t holds = -1;
  };  // -1: nobody asked yet
  Step& step(std::int64_t rack, const RackedDevice&, bool kept);

  const Plan& plan_;
  std::vector<std::int32_t>
      content_;  // by rack: alike where the same devices stand in the same units of racks of one group
  std::int32_t contents_ = 0;
  std::map<std::tuple<std::int32_t, int, std::int32_t, std::int16_t>, Step> steps_;
};

}  // namespace clusterc
