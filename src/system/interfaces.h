// Which group of nodes is in which network, and the network interfaces that its operating system sees.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

// The network whose address a node's plain host name means: the first with a subnet that carries in-band traffic, else
// the first with a subnet that is not out-of-band; -1 when there is none.
int primary_network(const Cluster&);
// Of the nodes of one group: that one where they are in it, else their own first that carries in-band traffic, else any
// of theirs that is not out-of-band; -1: none.
int primary_network(const Cluster&, int group);

// Network interfaces of the nodes of one group, as the operating system sees them. The BMC's port is none of them.
struct Interface {
  int network = -1;
  int end_points = -1;         // index into NetworkModel::ends
  std::string port_set;        // "compute"; "eth" where the spec names no ports
  std::int64_t ports = 1;      // of each node, in this network
  std::int64_t addresses = 1;  // of each node, in this network: one for each port, or for each bond
  bool bonded =
      false;  // fewer addresses than ports: ports i*w … i*w+w-1 carry address i together, w = ports / addresses
  std::vector<std::string> names;  // one for each port: compute1 … compute8
  std::int64_t first = 0;          // number of the first of them
};
// In the order of the networks, those that share another's switches behind the others. Names: the port group and the
// number of the port in it, from 1 (data1, data2); eth0, eth1, … where the spec names no ports, as in virtual machines.
// Only networks that have a subnet.
std::vector<Interface> interfaces_of(const Cluster&, const Plan&, int group);

// Networks of BMCs, switches and PDUs, which no operating system of a node uses.
bool is_out_of_band(const NetworkModel&);

// Whether a node group has the operating system's port (not only its BMC) in a network.
bool is_management_port(const Cluster&, const NetworkModel&, const EndPoints&);

// Where a node group has ports of its operating system in a network: index into NetworkModel::ends, -1: nowhere.
int end_points_of(const Cluster&, int network, int group);

// Of a port of a node as the operating system calls it, or "bmc"; nullopt: the inventory does not say.
std::optional<std::uint64_t> inventory_mac(const System&, int group, std::int64_t member, std::string_view host,
                                           std::string_view port);

// At most this many entries in one folder: ext4 and NFS servers list larger folders slowly, and people too.
constexpr std::int64_t kBucket = 512;
// Folder of a node in outputs with a file for each node: "gpu-0" holds the first 512 nodes of group gpu.
void append_bucket(const NodeGroupModel&, std::int64_t member, std::string& out);

// Whether hosts has a plain name for the nodes of a group.
bool has_plain_name(const Cluster&, const Plan&, int group);

}  // namespace clusterc
