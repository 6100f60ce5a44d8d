// Which parts make pairs slow. Group testing with noise: each measurement tests the parts on its path at once, and its
// rate is that of the slowest of them.
//
//   1. Measurements are compared with the median of their peers: the same number of switches between the nodes, all
//      rails. One is *slow* below 1 - max(5 %, 6 sigma) of it, sigma from the median absolute deviation of its peers. A
//      floor that is known makes slow whatever is below it.
//   2. A part is *good* if one measurement over it was not slow: nothing makes a slow part fast. A part all of whose
//      measurements were slow is a *suspect*. A port has two parts, one for each direction; so has a link.
//   3. A slow measurement with one suspect on its path proves that suspect. What one suspect explains accuses no other.
//      Whole leaves, a rack's nodes on one rail, and nodes come first: where three quarters of the parts of one are
//      suspects, it is the culprit.
//      What then is left explained by several suspects stays ambiguous: links in a row that were only tested together.
//   4. A culprit needs slow measurements with three partners that are good themselves: one that raised the suspicion,
//      and two others. With fewer it is *open*, and further rounds test it.
//   5. Where routing does not determine the links, a slow uplink takes a little of every transfer of its leaf. The
//      median of each leaf's transfers to other leaves is compared with that of its peers, round by round.
//
// A slow measurement without a suspect on its path is a passing disturbance: nobody is accused of it.
//
// Example: 0-1 slow, 2-3 good, 0-2 slow, 1-3 good: 1 is good, so 0-1 proves 0; 2 is good, so 0-2 proves it again.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validate/culprits/pair_fabric.h"

namespace clusterc {

struct PairValue {
  PairPath path;
  std::int32_t round = 0;
  double value = 0;  // bytes per second; 0: nothing came through
};

enum class CulpritKind {
  node,
  port,       // of a node on a rail: adapter, cable or switch port
  rack_rail,  // all nodes of a rack on one leaf
  leaf,       // all nodes of a leaf
  link,       // between two switches
  uplinks,    // of a leaf: one or more of them, which cannot be told apart
};

struct Found {
  CulpritKind kind = CulpritKind::port;
  std::int32_t node = -1, rail = -1, leaf = -1, rack = -1, link = -1;  // what the kind has
  bool sends = false, receives = false;                                // directions of a port that are slow
  double value = 0, peers = 0;      // median of the measurements that prove it, and of their peers
  bool dead = false;                // nothing came through
  std::int32_t partners = 0;        // good nodes with which it was slow; of a link: pairs
  bool ambiguous = false;           // no measurement has it as the only suspect: others on the path may be it
  double confidence = 0;            // 1 - parts x (share of passing disturbances)^partners
  std::vector<PairValue> evidence;  // measurements that prove it, of different partners, at most 8
  std::int32_t members = 1;         // parts of a node, rack or leaf that are slow
};

struct DecodeOptions {
  double band = 0.05;    // under the median of the peers; SuperBench and DeepOps take the same band
  double sigmas = 6;     // or so many robust standard deviations, if that is more
  double at_most = 0.5;  // but never more than this: half the rate is slow in any noise
  std::int32_t partners = 3;
  std::optional<double> floor;  // bytes per second
};

struct Decoded {
  std::vector<Found> culprits;         // confirmed; whole leaves and racks first, then by node and rail
  std::vector<Found> open;             // not yet: further tests are needed
  std::vector<PairPath> hidden_links;  // a transfer for each link that was slow only together with a culprit
  std::vector<PairPath> untested;  // directions of ports that no measurement shows: all were slow for another reason
  std::vector<bool> suspect;       // by part: 2 x (node x rails + rail), and 1 more for receiving; then the links
  std::vector<bool> good;          // by node: none of its ports is a suspect
  double median[3] = {0, 0, 0}, sigma[3] = {0, 0, 0};  // by hops; sigma is relative
  double limit[3] = {0, 0, 0};                         // slow below
  std::int64_t measurements = 0, slow = 0, unexplained = 0;
  bool all_slow = false;  // the median is below the floor: no single part is the cause
};

Decoded decode(const PairFabric&, std::span<const PairValue>, const DecodeOptions& = {});

}  // namespace clusterc
