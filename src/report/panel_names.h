// The ports of a link as the fronts of its devices say them, and the units that these stand at: what people read who
// plug the cable.
#pragma once
#include <string>
#include <vector>

#include "report/link_rows.h"

namespace clusterc {

struct PanelEnds {
  std::string near_port, far_port, near_unit,
      far_unit;  // "17/2", "swp17s1", "cage4/1"; a unit is empty where none is known
};

class PanelNames {
 public:
  PanelNames(const Plan&, const Links&);  // both must live as long as this
  void of(const LinkRow&, PanelEnds&) const;

 private:
  const std::string& of_member(int fabric, int block, std::int64_t port, const std::string& name) const;

  const Plan& p_;
  const Links& links_;
  std::vector<std::vector<std::vector<std::string>>> cages_;  // by fabric, block, port
};

}  // namespace clusterc
