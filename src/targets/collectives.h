// Collective communication of GPUs: which algorithm can reach what, what healthy published systems show of it, and how
// that falls for small messages. A *unit* is the set of GPUs that NVLink (or its like) joins: a node, a rack-scale
// domain of several nodes, the cards of a bridge; or, where nothing joins them, the GPUs of a node over PCIe. Units are
// joined by the network. Bandwidths are bus bandwidths as nccl-tests counts them (doc/PERFORMANCE.md).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// Ports of one node into the first network that carries compute.
struct ComputePorts {
  BitsPerSecond rate{0};
  std::int64_t nics = 0;
  int network = -1;
};
ComputePorts compute_ports(const Cluster&, const NodeGroupModel&);

struct CollectiveUnit {
  double gpus = 1;         // of one unit
  double nodes = 1;        // that one unit spans
  BytesPerSecond link{0};  // of one GPU to the others of its unit, one way; 0: not known
  bool nvlink = false;     // or its like; else over PCIe
  bool nvidia = false;     // as the published systems were
  bool sharp = false;  // switches of the unit add up (NVLink SHARP): Hopper and later on a board of eight or in a rack
  bool joined_all = true;     // false: the node has GPUs outside the unit (bridged cards)
  BytesPerSecond network{0};  // of all ports of one unit, payload; 0: in no network that carries compute
  std::int64_t nics = 0;      // of one node
  BitsPerSecond nic{0};
  bool adds_in_network = false;  // the spec declares in-network reduction
  std::string gpu;               // catalogue id
  std::int64_t sm = 0;           // compute capability x 10 (90: Hopper); 0: not known
};
CollectiveUnit collective_unit(const Cluster&, const NodeGroupModel&);

struct Algorithm {
  std::string_view name;
  double ceiling = 0;
  std::string formula;
};

// All that all-reduce can use over `units` of them, the best first; empty where a rate is not known. With one unit:
// inside it.
//   ring                  min(W, B)                        one unit: W
//   hierarchical          min(N, B/g (n-1)/(k-1))          reduce inside, each rail on its own; N: the term of the
//   algorithm inside tree                  min(N, B (n-1)/n), k > 2         an inner node of the double tree sends 2P
//   in-network reduction  min(N, B 2(n-1)/n)               each unit sends P once
//   N = 2W (n-1)/n g/(g+1) with NVLink SHARP, else W (n-1)/n g/(g-1)
std::vector<Algorithm> all_reduce_algorithms(const CollectiveUnit&, double units);

// Bus bandwidth of large messages on healthy systems.
struct HealthyRate {
  double typical = 0;
  std::optional<double> lowest, best, gate;
  std::string_view basis;  // measured, single, gate, transferred (PublishedRow)
  std::string_view source;
  std::string formula;  // "0.893 x ring ceiling"
};
std::optional<HealthyRate> healthy_all_reduce(const CollectiveUnit&, double units);

// What one all-reduce of this message takes on a healthy system: bytes / its plateau, and a latency that does not
// shrink with bandwidth. That is what published systems take beyond their own plateau: eight GPUs in a node (A100:
// Azure/AI-benchmarking-guide; H100, H200: the same; B200: stas00/ml-engineering), four nodes of eight B200
// (stas00/ml-engineering), by message size; with fewer or more hops as NCCL's tuner counts them.
std::optional<Seconds> all_reduce_time(const CollectiveUnit&, double units, Bytes message);
std::optional<BytesPerSecond> all_reduce_rate(const CollectiveUnit&, double units,
                                              Bytes message);  // bus bandwidth of that
// The same as a share of the plateau; 1 from the last point of the curve on. Nothing where no rate is known.
std::optional<double> share_of_plateau(const CollectiveUnit&, double units, Bytes message);
// The same among `gpus` of one unit, as tensor parallelism does it. Nothing where the unit's rate is not known.
std::optional<Seconds> all_reduce_time_inside(const CollectiveUnit&, double gpus, Bytes message);

}  // namespace clusterc
