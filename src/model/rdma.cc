#include "model/rdma.h"

#include <algorithm>

#include "spec/network.h"

namespace clusterc {

bool is_rdma(const NetworkModel& n) {
  return n.kind != LinkKind::ethernet || (n.spec && n.spec->rdma.value_or(Rdma::none) != Rdma::none);
}

bool uses_rdma(const Cluster& c, int group) {
  return std::any_of(c.networks.begin(), c.networks.end(), [&](const NetworkModel& n) {
    return is_rdma(n) &&
           std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == group; });
  });
}

}  // namespace clusterc
