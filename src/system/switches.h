// Switches of Ethernet fabrics as their operating system is to be configured, decided here once: who they are, what is
// plugged into each port, and the addresses of its ends. An output writes it in the words of its reader. Configured are
// the fabrics whose network has a `switch_os`, and of which this is complete:
//
//   routed   a network with BGP numbers (`asn`): each leaf routes between its members, which have a pair of addresses
//            on each link (model/routed.h). Links between switches have no address: BGP sessions run over IPv6
//            link-local ones, which carry next hops of IPv4 routes (RFC 8950, "unnumbered")
//   flat     a network of one switch (of one in each plane): one broadcast domain, and those of its guests' VLANs
//
// What is not: several switches without `asn` (there is more than one way between two of them, and Ethernet has no
// count of hops), bonds that end on two switches, networks of management ports. check_switches says so.
//
// A fabric may have thousands of switches: each_switch makes them one after another, in time and memory linear in the
// links of one fabric.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/network.h"
#include "system/system.h"

namespace clusterc {

struct ConfiguredFabric {
  int fabric = -1;  // network and Plan::fabrics
  SwitchOs os = SwitchOs::sonic;
  bool routed = false;
};
// In the order of the networks.
const std::vector<ConfiguredFabric>& configured_fabrics(const System&);
// The output that writes the files of this operating system.
std::string_view switch_output(SwitchOs);
// Whether files of the switches of a network are compiled.
bool makes_switches(const System&, int network);

struct SwitchPort {
  enum class Far : std::uint8_t { member, switch_, equipment };  // equipment: a management switch's uplink
  std::int64_t number = 0;                                       // in names of objects, from 1 (docs/names.md)
  std::int64_t cage = 0;                                         // on the front, from 1
  std::int64_t way = 0, ways = 1;  // which part of the cage, from 0; into how many it is split
  std::int64_t lanes = 1;          // of this part
  std::int64_t first_lane = 0;     // of this part, counted from 0 over all cages of the switch
  BitsPerSecond rate{0};           // in use
  std::int64_t mtu = 0;            // largest IP packet of the networks on this port; 0: the spec does not say
  Far kind = Far::member;
  std::string far_host;  // as in hosts: gpu017, leaf-compute-u1-r3
  std::string far_port;  // as the operating system at that end calls it: compute3, Ethernet8; of bought storage as in
                         // docs/names.md
  std::string cable;     // cable/leaf/compute/u1/r3/17
  Meters length{0};      // of the cable, as sold; 0: not known
  // As the operating system calls this port, what it writes on the front, and what the switch at the far end writes
  // there. SONiC: Ethernet12, etp2b, from the facts of the part (model/sonic_ports.h); without such facts the front is
  // empty and the name follows from the lanes.
  std::string name, front, far_front;
  // Routed: of a member's link, this end and the far one; 0 elsewhere, also for what a routed leaf has no pair for.
  std::uint32_t address = 0, far_address = 0;
  std::int64_t far_asn = 0;  // routed: of a switch
  // Flat: VLAN of packets without a tag; 0: the spec gives none. And of those with one: guests' on this port,
  // ascending.
  std::int64_t vlan = 0;
  std::vector<std::int64_t> tagged;
};

// How the switches of a fabric are reached out of band, by the first network that has their management ports.
struct SwitchManagement {
  std::optional<Ipv4Prefix> subnet;                     // of that network; none: no such network has addresses
  std::uint32_t gateway = 0;                            // 0: there is none
  std::vector<std::string> time_servers, name_servers;  // that a switch reaches; names where it has who resolves them
  std::int64_t time_servers_left = 0;                   // those of the spec that it does not reach
};
SwitchManagement management_of(const System&, int fabric);

struct ConfiguredSwitch {
  int fabric = -1;
  bool routed = false;
  SwitchRef ref;
  std::string object, host;                   // leaf/compute/u1/r3, leaf-compute-u1-r3
  std::string_view tier;                      // leaf, spine, core; switch
  std::string_view model;                     // of the catalogue
  const SwitchPart* part = nullptr;           // never null
  std::uint32_t management = 0;               // its own address out of band; 0: no network has its management port
  const SwitchManagement* reached = nullptr;  // never null
  std::int64_t asn = 0;                       // routed, else 0
  std::uint32_t loopback = 0;                 // routed, else 0
  std::int64_t paths = 1;     // routed: most links over which it reaches one address at the size built for
  std::int64_t prefixes = 0;  // routed: most that the fabric has at the size built for: loopbacks and pairs
  const NetworkModel* network = nullptr;
  const RocePlan* roce = nullptr;  // the lossless class; null: the spec has none
  std::vector<SwitchPort> ports;   // those with a cable, by number
};

// The switches of one fabric, lowest tier first, in the order of their index. References last until `take` returns.
void each_switch(const System&, const ConfiguredFabric&, const std::function<void(const ConfiguredSwitch&)>& take);

// A port as this operating system calls it: its name, or, where its part has no facts about SONiC, "Ethernet" and its
// first lane, where a cage has as many lanes as its form has (QSFP 4, QSFP-DD and OSFP 8): sonic-buildimage,
// device/*/platform.json. `Ethernet4` is the second half of the first OSFP cage. Cumulus Linux counts cages from 1 and
// parts of a cage from 0: swp17, swp17s1.
std::string switch_port_name(SwitchOs, const SwitchPort&);

// Lanes of a cage by its form (catalogue: osfp, qsfp112, sfp28); 0: not known.
std::int64_t lanes_of_cage(std::string_view connector);

// `switch_os` of networks whose switches are not configured, or not whole.
void check_switches(const System&, Findings&);

}  // namespace clusterc
