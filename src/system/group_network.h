// Network devices of a group's nodes, with addresses, bonds, VLANs, MTU and routes: worked out here once, written by
// each output in the words of its reader (netplan, cloud-init, systemd-networkd, NetworkManager).
//
// Devices are called by what the spec calls the ports (compute1 … compute8, data1). Where the inventory has the MAC of
// a port, the files that are written give it its name; elsewhere the image has to. Ports of one bond are bond0, bond1,
// …. A network that shares another's switches comes over the same ports, tagged when it has a VLAN. Several ports of a
// node in one subnet get a routing table each, so that an answer leaves where the question came in. Where leaves route
// (model/routed.h), each port has a prefix of two addresses, and the rest of the subnet lies behind the leaf: in the
// table of the port, and in the main one over the first port, over the next when that is down.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"
#include "write/pattern_text.h"

namespace clusterc {

// Who on these nodes reads the configuration of their network. `cloud_init`: none of the others is known to; cloud-init
// turns network-config into what the distribution has.
enum class NetworkReader : std::uint8_t { netplan, networkd, networkmanager, cloud_init };
// Debian and Ubuntu: netplan. Release 8 and newer of RHEL and its rebuilds, and Fedora: NetworkManager. networkd where
// `outputs` of the spec names it, on systems that have it: Debian, Ubuntu, Flatcar, Azure Linux, Amazon Linux 2023. An
// output that the spec skips reads nothing.
NetworkReader network_reader(const Cluster&, const NodeGroupModel&);
std::string_view network_output(const Cluster&,
                                const NodeGroupModel&);  // the output for that reader; empty: cloud-init's own
// Debian, Ubuntu, or a system that the spec does not name: packages are called as Debian calls them.
bool reads_netplan(const NodeGroupModel&);
// Whether a group with that reader has addresses to write.
bool has_network_of(const Cluster&, NetworkReader);

// LACP with its fast timer: a broken link leaves the bond after 3 s instead of 90 s (IEEE 802.1AX, 6.4).
inline constexpr std::string_view kBondMode = "802.3ad", kBondTimer = "fast", kBondHash = "layer3+4";
inline constexpr std::int64_t kBondMonitorMilliseconds = 100;

struct NetworkRoute {
  std::string to;             // 10.4.0.0/24
  std::size_t mark = 0;       // stands for the next hop in a text
  std::uint32_t through = 0;  // the next hop of all nodes, and no mark
  std::int64_t metric = 0;    // 0: not said
};

struct NetworkAddress {
  int network = -1, end_points = -1;  // of the plan
  std::int64_t port = 0;              // of the addresses that the node has there
  std::size_t mark = 0;               // stands for the address in a text
  std::string subnet;                 // 10.3.0.0/24
  int length = 0;                     // of the prefix of this address; 31: the rest of the subnet is behind the leaf
  std::uint32_t gateway = 0;          // the way out is here; 0: it is not
  std::size_t leaf = 0;               // stands for the leaf's address in a text
  bool routed() const { return leaf != 0; }
  std::vector<NetworkRoute> routes;  // over the cluster's own gateways, and to nodes that serve
};

struct NetworkDevice {
  enum class Kind : std::uint8_t { port, bond, vlan };
  Kind kind = Kind::port;
  std::string name;
  std::string below;                 // VLAN: the device that it is on
  std::string bond;                  // port: the bond that it is in
  std::int64_t vlan = 0, mtu = 0;    // 0: not said
  std::vector<std::string> members;  // bond: its ports
  std::vector<NetworkAddress> addresses;
  std::int64_t table = 0;     // routing table for what comes from its addresses; 0: the main one
  bool infiniband = false;    // a port: IP over InfiniBand
  bool name_servers = false;  // the group's name servers belong to this device
};

// Says for how many ports of the cluster nobody makes the name by which their configuration calls them.
void check_interface_names(const System&, Findings&);

class GroupNetwork {
 public:
  GroupNetwork(const System&, int group, Findings&);
  bool empty() const { return marks_.empty(); }  // no network of this group has addresses
  bool several_in_one_subnet() const {
    return several_;
  }  // ports of their own in one subnet: ARP must be told to keep them apart
  const std::vector<NetworkDevice>& devices() const { return devices_; }  // ports, bonds, VLANs
  std::vector<std::string> devices_in(int network) const;                 // those that have an address in it
  std::vector<std::string> vlans_on(const NetworkDevice&) const;
  // The place of an address in a text that is the same for all nodes; with = true its prefix behind it.
  std::string address(const NetworkAddress&, bool with_prefix) const;
  std::string via(const NetworkRoute&) const;
  // The next hop of the way out: the gateway, or the leaf that leads to it. Only of an address with a gateway.
  std::string way_out(const NetworkAddress&) const;
  // The next hop to the rest of the subnet; empty: it is on the link.
  std::string leaf(const NetworkAddress&) const;
  // The place of a text that a node gets where the inventory has the MAC of this port: `before`, the MAC, `behind`.
  // InfiniBand's ports have none.
  std::string with_mac(const NetworkDevice&, std::string before, std::string behind);
  std::optional<std::uint64_t> mac(const NetworkDevice&, std::int64_t member) const;
  // A text with such places, for one node.
  PatternText pattern(std::string text) const { return {std::move(text), salt_}; }
  void append(const PatternText&, std::int64_t member, std::string& out) const;

 private:
  struct Mark {
    int network = -1, end_points = -1;
    std::int64_t port = 0;
    std::int64_t among = 0;  // > 0: not of the node itself, but of one of so many gateways
    bool leaf = false;       // not the node's address, but that of the leaf's end of its link
    std::size_t device = 0;  // network < 0: the device whose MAC stands here
    std::string before, behind;
  };
  const System& in_;
  const int group_;
  const Plan& plan_;
  std::string_view salt_;
  std::vector<NetworkDevice> devices_;
  std::vector<Mark> marks_;
  bool several_ = false;
};

// Whether cloud-init has a network-config for nodes of the group: they do not read netplan, and have addresses.
bool has_network_config(const System&, int group);

}  // namespace clusterc
