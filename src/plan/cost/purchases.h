// What each step of growth buys. What is bought stays bought: a spare of one step is a spare of all that follow,
// whether or not they would have chosen its length, and what a step has left over was paid for all the same. So the
// steps add up to what is paid by the last one. Example: of three cables of 2 m one more is bought as a spare; two of 3
// m join them, and the spare of the whole would be one of 3 m. It is bought, and the one of 2 m stays.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "plan/diff.h"

namespace clusterc {

class Purchases {
 public:
  // Bought in this step, and what it has left over (after < before); `before` is the plan of the step before, or null.
  std::vector<PartChange> step(const Plan* before, const Plan& now, RacksBought);
  // Paid for, and not in the bill of the last step's plan.
  std::vector<BillRow> paid_besides() const;

 private:
  struct Part {
    BillRow row;                          // as the last step that has it lists it
    std::int64_t needed = 0, spares = 0;  // in use now; bought as spares so far
    std::int64_t listed = 0;              // in the bill of the last step, spares included
    std::int64_t paid = 0;
  };
  std::map<std::tuple<std::string, std::string, double>, Part> parts_;
};

}  // namespace clusterc
