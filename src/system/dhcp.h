// Who is given which address over DHCP and what is told with it: read here once, written by each server's output in its
// own words. The network that users' traffic enters by, those that groups are installed over, and those that manage
// equipment, are given out; all other addresses stand on the nodes.
//
// Every address is reserved: by the MAC of the inventory where it has one (of each port of a bond), else by the name
// that the client says it has, which an image or a BMC may be told. Who is neither gets none.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/interfaces.h"

namespace clusterc {

enum class DhcpServer : std::uint8_t { dnsmasq, kea };
// The one server of the cluster, where the spec says that somebody gives addresses out: a node that provisions, or the
// MACs of an inventory. A cloud does it itself. dnsmasq, unless `outputs` of the spec names kea; never both: they would
// answer the same clients.
std::optional<DhcpServer> dhcp_server(const Cluster&);

struct DhcpNetwork {
  const NetworkModel& network;
  int index = -1;
  Ipv4Prefix subnet;
  std::uint32_t gateway = 0;  // what the spec names; 0: there is none
  std::uint32_t router = 0;   // that clients are told of: it, else one of the cluster's own gateways; 0: none
};
constexpr std::int64_t kLeaseHours = 24;  // reserved addresses never change: renewed once a day

struct DhcpReservation {
  std::uint32_t address = 0;
  std::string_view name;                // host name; without a MAC what the client is known by
  std::span<const std::uint64_t> macs;  // several: ports of one bond
  std::string_view starts;              // node group whose boot script the client gets; empty: none
};
std::vector<DhcpNetwork> dhcp_networks(const System&);  // in the order of the plan
// The reservations of each of them, in that order.
void each_reservation(const System&, const std::function<void(const DhcpNetwork&)>& begin,
                      const std::function<void(const DhcpReservation&)>& take);

// What the firmware of a client loads over TFTP, by its architecture (RFC 4578, 2.1; IANA, Processor Architecture
// Types): iPXE, under the names that Debian's package has. iPXE says who it is, and gets the script of its group over
// HTTP.
struct Loader {
  int architecture;
  std::string_view name, file;
};
inline constexpr Loader kLoaders[] = {
    {0, "bios", "undionly.kpxe"}, {7, "efi", "ipxe.efi"}, {9, "efi-9", "ipxe.efi"}, {11, "efi-arm", "ipxe-arm64.efi"}};
struct NetworkBoot {
  struct Server {
    int network;
    std::uint32_t address;
  };  // in the order of the networks
  struct Script {
    std::string_view group;
    std::uint32_t server;
    std::string url;
  };
  std::vector<Server> servers;
  std::vector<Script> scripts;
};
std::optional<NetworkBoot> network_boot(const System&);  // nullopt: nobody starts over the network

// Servers as the options carry them, addresses and not names, that clients of this network reach: in it, or behind its
// gateway; what manages equipment is kept apart from the cluster's other networks.
bool reaches_from(const System&, const DhcpNetwork&, std::string_view address);
// Those of the spec; of a node of the cluster its address, in this network where it has one.
std::vector<std::string> dhcp_time_servers(const System&, const DhcpNetwork&);

}  // namespace clusterc
