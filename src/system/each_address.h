// Every address of the cluster with the names that it has: what hosts, DNS zones and DHCP say is said once, here.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/group_ends.h"
#include "plan/equipment.h"
#include "system/interfaces.h"

namespace clusterc {

// The network and end points whose first address a group's plain names mean.
struct Home {
  int network = -1, end_points = -1;
};
inline Home home_of(const Cluster& c, const Plan& plan, int group) {
  Home first;
  const int primary = primary_network(c, group);
  for (const GroupEnd& at : ends_of_group(c, group)) {  // addresses are planned in the order of the networks
    const NetworkModel& net = c.networks[at.network];
    if (is_management_port(c, net, net.ends[at.end]) || !plan.addresses_of(at.network)) continue;
    if (at.network == primary) return {at.network, at.end};
    if (first.network < 0) first = {at.network, at.end};
  }
  return first;
}

struct NamedAddress {
  std::uint32_t address = 0;
  int network = -1;
  std::string_view name;              // of the machine: gpu017
  bool plain = false;                 // the plain name means this address
  bool first = false;                 // name-network means it
  std::int64_t number = 0;            // name-network-number means it, from 1; 0: the machine has one address here
  int group = -1, end_points = -1;    // of a node
  std::int64_t member = 0, port = 0;  // of the group, storage or equipment; of its addresses in these end points
  const EquipmentAddresses* equipment = nullptr;  // of what is no end point: switches, PDUs, shelves
};

// Network by network: `begin(AddressPlan)` before its addresses, `take(NamedAddress)` for each of them.
template <class Begin, class Take>
void each_address(const System& in, const Begin& begin, const Take& take) {
  const Cluster& c = in.cluster;
  std::vector<Home> homes;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) homes.push_back(home_of(c, in.plan, static_cast<int>(g)));
  std::string name;
  std::vector<std::pair<FabricBlock::What, int>> named;  // equipment whose plain name stands already
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = c.networks[a.network];
    begin(a);
    // Addresses that the same member has through all end points of this network, and through those before.
    std::map<std::pair<int, int>, std::int64_t> all_of, before_of;
    for (std::size_t e = 0; e < net.ends.size(); ++e) all_of[{net.ends[e].group, net.ends[e].storage}] += a.stride[e];
    for (std::size_t e = 0; e < net.ends.size(); ++e) {
      const EndPoints& ends = net.ends[e];
      const bool node = ends.group >= 0;
      const bool home =
          node && homes[ends.group].network == a.network && homes[ends.group].end_points == static_cast<int>(e);
      std::int64_t& taken = before_of[{ends.group, ends.storage}];
      const std::int64_t before = taken, all = all_of[{ends.group, ends.storage}];
      taken += a.stride[e];
      for (std::int64_t m = 0; m < ends.members; ++m) {
        name.clear();
        if (node)
          c.nodes[ends.group].names.append_name(m, name);
        else
          name = c.storage[ends.storage].name, name += '-', append_int(name, m + 1);
        for (std::int64_t p = 0; p < a.stride[e]; ++p)
          take(NamedAddress{in.plan.address(a.network, static_cast<int>(e), m, p), a.network, name, home && p == 0,
                            before + p == 0, all > 1 ? before + p + 1 : 0, ends.group, static_cast<int>(e), m, p});
      }
    }
    // One machine that is no node: its plain name and its alias. The plain name means the first network that manages
    // it.
    for (const EquipmentAddresses& e : a.equipment) {
      const std::pair what{e.what, e.of};
      // A loopback has the plain name only where nothing manages the switch.
      const bool loopback = e.what == FabricBlock::What::switches && e.of == a.network && !net.everything &&
                            in.plan.switch_address(e.of, {0, 0}) != 0;
      const bool first = !loopback && std::find(named.begin(), named.end(), what) == named.end();
      if (first) named.push_back(what);
      for (std::int64_t i = 0; i < e.count; ++i) {
        name = equipment_host_name(in.plan, e.what, e.of, i);
        take(NamedAddress{e.first + static_cast<std::uint32_t>(i), a.network, name, first, true, 0, -1, -1, i, 0, &e});
      }
    }
  }
}

}  // namespace clusterc
