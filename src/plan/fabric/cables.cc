// Every cable of a fabric with names and length: for those who want a few of them, or do not mind the names. What is
// bought for them: plan/fabric/cabling.h.
#include "plan/fabric/links.h"

namespace clusterc {

void Plan::each_cable(int fabric, const std::function<bool(const Cable&)>& take) const {
  const Links links(*this);
  Cable cable;
  links.each(fabric, [&](const PluggedLink& l) {
    links.near_end(l, cable.near);
    links.far_end(l, cable.far);
    cable.rate = links.rate(l);
    cable.length = Meters(l.length);
    return take(cable);
  });
}

}  // namespace clusterc
