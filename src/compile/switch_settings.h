// Settings of configured switches that the files of every operating system have: the lossless class, the VLANs of a
// flat network, the text of a port.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/cluster.h"
#include "system/switches.h"

namespace clusterc {

// One lossless class of a switch: of a RoCE network and of those that share its switches.
struct SwitchClass {
  std::int64_t priority = 3;
  std::vector<std::int64_t> dscps;  // code points of its packets
  bool pfc = true, ecn = true;      // pause frames; marking before the queue is full
};

// Of the switches of a network, as the nodes have it (compile/roce): of several networks on them the first that carries
// jobs says the class, else the first; the code points of others with this priority are in it as well.
std::vector<SwitchClass> switch_classes(const Cluster&, int network);

// One broadcast domain for packets without a tag. Its VLAN number is that of the network, else the first free one.
// Uplinks of management switches are in none: that network is no part of this one (check_switches says so).
struct FlatVlans {
  std::set<std::int64_t> numbers;
  std::int64_t own = 0;  // of ports to which the spec gives no number
  std::int64_t untagged(const SwitchPort& p) const { return p.vlan ? p.vlan : own; }
};
FlatVlans flat_vlans(const std::vector<SwitchPort>&);

// Far end and cable of a port, in whole characters, at most so many bytes.
std::string port_description(const SwitchPort&, std::size_t most);

}  // namespace clusterc
