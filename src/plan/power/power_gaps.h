// What the plan holds and whose power nobody states. It counts as nothing wherever power and heat are summed, so each
// sum that holds it is a lower bound: whoever prints one says "at least", and names what it lacks. Nothing is guessed
// in its place. Example: four servers without processors and one switch of 98 W: at least 98 W, the power of 4 x
// 'supermicro-8125gs-tnmr2' is not known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct PowerlessPart {
  std::string part;  // "supermicro-8125gs-tnmr2", "what already stands in 'main'"
  std::int64_t count = 0;
  std::string
      why;  // "the power of its processors is not known", of an adapter "in generic-2u"; empty: its part states none
  bool operator==(const PowerlessPart&) const = default;
};

struct PowerGaps {
  std::vector<PowerlessPart> equipment;  // in Plan::it_power and all that is made of it
  std::vector<PowerlessPart> others;     // on feeds only: coolant distribution units, other equipment of the site
  std::vector<bool> feeds, panels;       // by place in the cluster: whose sums lack something
  std::vector<bool> zones, air;          // heat; air that is reckoned from heat
  bool power_known() const { return equipment.empty(); }
};
PowerGaps power_gaps(const Plan&);

// "4 x supermicro-8125gs-tnmr2 (the power of its processors is not known), 1 x arista-7800r4"; at most `most` of them,
// then how many more there are.
std::string names_text(const std::vector<PowerlessPart>&, std::size_t most = 4);

}  // namespace clusterc
