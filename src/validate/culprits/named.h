// Culprits in the words of the plan: what to look at, where it stands, which label is on the cable, and the command
// that repeats the proof.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "validate/culprits/decode.h"

namespace clusterc {

struct NamedCulprit {
  std::string kind;                                     // node, port, rail of a rack, leaf, link, uplinks
  std::string what;                                     // "rail 3 of n017: adapter, cable or switch port"
  std::string object;                                   // name in the plan: node/gpu/017, leaf/compute/u1/r3
  std::string node, adapter, cable, switch_port, rack;  // empty: not one of its kind, or not known
  int unit = 0;                                         // lowest rack unit; 0: not known
  std::string serial;
  std::string verdict;                // "24.2 GB/s where peers have 48.9 GB/s (49 %), with 4 partners"
  std::vector<std::string> evidence;  // one line for each measurement
  std::string command;                // repeats one of them
  std::string next_step;              // what tells the remaining candidates apart
  double confidence = 0;
};

struct NamingHelp {
  std::function<std::string(const std::string& node)> serial;  // of the inventory; may be empty
  // Measures a transfer again; rail is the name of the port in the plan, "compute/3".
  std::function<std::string(const std::string& from, const std::string& to, const std::string& port)> command;
};

// `fabric` as pair_fabric() made it of this plan, group and members.
std::vector<NamedCulprit> name_culprits(const Plan&, int group, const std::vector<std::int64_t>& members,
                                        const PairFabric& fabric, std::span<const Found>, const NamingHelp&);

}  // namespace clusterc
