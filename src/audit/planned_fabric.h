// One planned fabric as plain arrays: its devices and cables, in the names of the plan. A test can write one by hand.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct PlannedDevice {
  std::string object, host;  // "leaf/compute/u1/r3" and "leaf-compute-u1-r3"; "node/gpu/001" and "gpu001"
  std::int32_t tier = -1;    // of a switch, from 0; -1: a node or a storage system
  std::int32_t pod = 0;      // of a switch: what shares its spines; cores: their group
  std::int32_t ports = 0;    // of a member: those that it has in this fabric
};

// From the lower end to the upper one: a member to its leaf, a leaf to its spine.
struct PlannedCable {
  std::int32_t near = 0, far = 0;  // devices
  std::int64_t near_port = 0,
               far_port = 0;  // of a member: which of its ports in this fabric, from 0; of a switch from 1
  BitsPerSecond rate{0};
  std::string port;  // of a member: "compute/3"
};

struct PlannedFabric {
  std::string network;
  bool rails = false;  // port k of a member has a leaf of its own
  std::vector<PlannedDevice> devices;
  std::vector<PlannedCable> cables;
  // "rack r07, unit 12" of a device; empty: it has no place.
  std::vector<std::string> places;
};

// `fabric`: number in plan.fabrics, with switches.
PlannedFabric planned_fabric(const Plan&, int fabric);

// The host names of both ends of each link of a network, those into other networks among them.
std::vector<std::pair<std::string, std::string>> planned_pairs(const Plan&, int fabric);

}  // namespace clusterc
