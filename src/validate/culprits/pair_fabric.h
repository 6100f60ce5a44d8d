// What the search for culprits knows of the network between the nodes that it tests: which leaf each rail of each node
// ends on, which racks the nodes stand in, and which links between switches a transfer takes. Plain arrays, so that a
// test can write one by hand; from_plan() makes it of a planned fabric.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

// One transfer: node `from` writes to node `to` on this rail.
struct PairPath {
  std::int32_t from = 0, to = 0, rail = 0;
};

struct PairFabric {
  std::int32_t nodes = 0, rails = 0;
  std::vector<std::int32_t> leaf;  // by node * rails + rail; -1: not known
  std::vector<std::int32_t> slot;  // place on that leaf, from 0; nodes of one leaf differ
  std::vector<std::int32_t> pod;   // by leaf; empty: all leaves are of one pod
  std::vector<std::int32_t> rack;  // by node; -1: not known
  // Links between switches that the transfer takes, as numbers below `links`, one for each direction of each cable.
  // Empty function: routing does not determine them (hashing and adaptive routing choose for each flow or packet).
  std::function<void(const PairPath&, std::vector<std::int32_t>&)> route;
  std::int32_t links = 0;
  std::int32_t flows_of_link = 1;     // transfers at full rate that a link between switches carries
  std::vector<std::int32_t> uplinks;  // by leaf: how many of them it has, whether the route is known or not

  // Names, for people.
  std::function<std::string(std::int32_t node)> node_name;
  std::function<std::string(std::int32_t leaf)> leaf_name;
  std::function<std::string(std::int32_t rack)> rack_name;
  std::function<std::string(std::int32_t link)> link_name;

  std::int32_t leaf_of(std::int32_t node, std::int32_t rail) const {
    return leaf[static_cast<std::size_t>(node) * static_cast<std::size_t>(rails) + static_cast<std::size_t>(rail)];
  }
  // 0: one leaf; 1: two leaves of one pod; 2: two pods.
  int hops(const PairPath&) const;
};

// The nodes of `members` (numbers within the group, ascending) on the network that carries compute. Rails are the ports
// of a node in that network. No nodes: the group has no such network, or it has no switches of ours. `plan` is kept.
PairFabric pair_fabric(const Plan& plan, int group, const std::vector<std::int64_t>& members);

}  // namespace clusterc
