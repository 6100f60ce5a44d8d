#include "system/inventory_as_built.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "spec/storage.h"
#include "system/interfaces.h"
#include "system/links.h"

namespace clusterc {
namespace {

struct Place {  // of a port of a node
  int group = -1, network = -1, end_points = -1;
  std::int64_t member = 0, address = 0;  // number of its address among those of the member
};

// Rows name a node by its host name or as node/GROUP/….
class Nodes {
 public:
  Nodes(const Cluster& c, const Plan& plan)
      : c_(c), plan_(plan), members_(c.nodes.size()), interfaces_(c.nodes.size()) {}

  bool find(std::string_view name, int& group, std::int64_t& member) {
    if (name.starts_with("node/")) {
      const std::string_view rest = name.substr(5);
      const std::size_t slash = rest.find('/');
      group = c_.find_node_group(rest.substr(0, slash));
      return group >= 0 && slash != rest.npos && find_member(group, rest.substr(slash + 1), member);
    }
    if (hosts_.empty())
      for (std::size_t g = 0; g < c_.nodes.size(); ++g)
        for (std::int64_t i = 0; i < c_.nodes[g].count; ++i)
          hosts_.emplace(c_.nodes[g].names.name(i), std::pair(static_cast<int>(g), i));
    const auto at = hosts_.find(std::string(name));
    if (at == hosts_.end()) return false;
    std::tie(group, member) = at->second;
    return true;
  }

  // In a network with a subnet, or in this network with or without one.
  std::optional<Place> port(std::string_view name, std::string_view port, int network = -1) {
    Place out;
    if (!find(name, out.group, out.member)) return std::nullopt;
    if (port == "bmc") {
      for (const GroupEnd& at : ends_of_group(c_, out.group))
        if (const NetworkModel& net = c_.networks[static_cast<std::size_t>(at.network)];
            net.subnet && is_management_port(c_, net, net.ends[static_cast<std::size_t>(at.end)])) {
          out.network = at.network, out.end_points = at.end;
          return out;
        }
      return std::nullopt;
    }
    for (const Interface& i : ports(out.group)) {
      if (network < 0 ? !c_.networks[static_cast<std::size_t>(i.network)].subnet : i.network != network) continue;
      if (const auto at = std::ranges::find(i.names, port); at != i.names.end()) {
        const std::int64_t width = std::max<std::int64_t>(1, i.ports / std::max<std::int64_t>(1, i.addresses));
        out.network = i.network, out.end_points = i.end_points, out.address = (at - i.names.begin()) / width;
        return out;
      }
    }
    return std::nullopt;
  }

  const std::vector<Interface>& ports(int group) {
    auto& all = interfaces_[static_cast<std::size_t>(group)];
    if (!all) all = ports_of_group(c_, plan_, group);
    return *all;
  }

 private:
  // By what node_object() ends in. An inventory has rows for each port of each node: names are looked up, not compared.
  bool find_member(int group, std::string_view suffix, std::int64_t& member) {
    auto& of = members_[static_cast<std::size_t>(group)];
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    if (of.empty())
      for (std::int64_t i = 0; i < g.count; ++i) of.emplace(g.names.suffix(i), i);
    const auto at = of.find(std::string(suffix));
    return at != of.end() && (member = at->second, true);
  }

  const Cluster& c_;
  const Plan& plan_;
  std::vector<std::unordered_map<std::string, std::int64_t>> members_;
  std::unordered_map<std::string, std::pair<int, std::int64_t>> hosts_;
  std::vector<std::optional<std::vector<Interface>>> interfaces_;
};

using Services = std::unordered_map<std::uint32_t, const std::string*>;  // names by the address that moves
Services services_of(const Cluster& c) {
  Services out;
  for (const StorageModel& s : c.storage)
    if (s.spec && s.spec->servers && s.spec->servers->address)
      if (const auto address = parse_ipv4(*s.spec->servers->address)) out.emplace(*address, &s.name);
  return out;
}

// Why a port cannot have this address; empty: it can.
std::string unusable(const Cluster& c, const AddressPlan& a, std::uint32_t address, const Services& services) {
  const NetworkModel& net = c.networks[static_cast<std::size_t>(a.network)];
  const std::string text = ipv4_text(address);
  if (a.step != 1)
    return "the leaves of network '" + net.name + "' route: its addresses follow from the plan, and are not taken";
  if (!a.subnet.contains(address))
    return text + " lies outside of " + a.subnet.text() + ", the subnet of network '" + net.name + "'";
  if (address == a.gateway) return text + " is the gateway of network '" + net.name + "'";
  if (address == a.subnet.base || address == a.subnet.base + static_cast<std::uint32_t>(a.subnet.size() - 1))
    return text + " is the first or last address of " + a.subnet.text() + ", which no machine can have";
  if (const auto at = services.find(address); at != services.end())
    return text + " is the floating address of storage '" + *at->second + "': no machine can have it as its own";
  return {};
}

// Planned addresses that a row gives to somebody else.
void check_planned(const Cluster& c, const Plan& plan, const AddressPlan& a,
                   const std::unordered_map<std::uint32_t, const InventoryRow*>& rows, Findings& findings) {
  const NetworkModel& net = c.networks[static_cast<std::size_t>(a.network)];
  const auto clash = [&](std::uint32_t address, const std::string& who) {
    const auto row = rows.find(address);
    if (row == rows.end()) return;
    findings
        .error("inventory-address-unusable", row->second->address_span,
               "the inventory gives '" + one_line(row->second->name) + "' the address " + ipv4_text(address) +
                   ", but the plan uses it for '" + who + "', for which the inventory has no address in network '" +
                   net.name + "'")
        .help("add a row with the address of '" + who + "'");
  };
  for (std::size_t e = 0; e < net.ends.size(); ++e) {
    const EndPoints& ends = net.ends[e];
    for (std::int64_t m = 0; m < ends.members; ++m)
      for (std::int64_t p = 0; p < a.stride[e]; ++p)
        if (!a.given.contains({static_cast<int>(e), m * a.stride[e] + p}))
          clash(plan.address(a.network, static_cast<int>(e), m, p),
                ends.group >= 0 ? c.nodes[static_cast<std::size_t>(ends.group)].names.name(m)
                                : c.storage[static_cast<std::size_t>(ends.storage)].name);
  }
  for (const EquipmentAddresses& e : a.equipment)
    for (std::int64_t i = 0; e.first != 0 && i < e.count; ++i)
      clash(e.first + static_cast<std::uint32_t>(i), "equipment of the network");
}

// Servers that the spec names by an address. One of them can be this very machine: then the finding is accepted.
void check_servers(const Cluster& c, const AddressPlan& a,
                   const std::unordered_map<std::uint32_t, const InventoryRow*>& rows, Findings& findings) {
  for (const NamedHost& server : named_hosts(c)) {
    const auto address = parse_ipv4(server.host);
    const auto row = address ? rows.find(*address) : rows.end();
    if (row == rows.end()) continue;
    findings
        .warning("inventory-address-of-server", row->second->address_span,
                 format("'{}' has the address {}, but in the spec this is the address of a server",
                        one_line(row->second->name), server.host))
        .note(server.span, "the server is named here")
        .help("correct the one that is wrong; if this machine is that server, accept the finding")
        .object("networks." + c.networks[static_cast<std::size_t>(a.network)].name);
  }
}

using Refused = std::set<std::pair<int, std::pair<int, std::int64_t>>>;  // ports whose rows are reported, by network

// In a network whose machines have the addresses that they had before, a planned one renumbers a machine.
void check_missing(const Cluster& c, const Plan& plan, const AddressPlan& a,
                   const std::unordered_map<std::uint32_t, const InventoryRow*>& rows, const Refused& refused,
                   Findings& findings) {
  const NetworkModel& net = c.networks[static_cast<std::size_t>(a.network)];
  const InventoryRow* any = nullptr;  // the first in the file
  for (const auto& [address, row] : rows)
    if (!any || row->address_span.begin < any->address_span.begin) any = row;
  if (!any) return;
  for (std::size_t e = 0; e < net.ends.size(); ++e) {
    const EndPoints& ends = net.ends[e];
    if (ends.group < 0) continue;
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(ends.group)];
    const auto of_end = a.given.lower_bound({static_cast<int>(e), 0});
    const bool others = of_end != a.given.end() && of_end->first.first == static_cast<int>(e);
    std::int64_t first = -1, first_port = 0, count = 0;
    for (std::int64_t m = 0; m < ends.members; ++m)
      for (std::int64_t p = 0; p < a.stride[e]; ++p)
        if (const std::pair at(static_cast<int>(e), m * a.stride[e] + p);
            !a.given.contains(at) && !refused.contains({a.network, at})) {
          if (first < 0) first = m, first_port = p;
          ++count;
          break;
        }
    if (count == 0) continue;
    const std::string name = g.names.name(first);
    const std::string who =
        "'" + name + "'" + (count > 1 ? format(" and {} more of group '{}'", count - 1, g.name) : "");
    std::string why =
        format("in network '{}' the inventory has addresses of {}, but none of {}: the plan gives '{}' the address {}",
               net.name, others ? "other nodes of the group" : "other groups", who, name,
               ipv4_text(plan.address(a.network, static_cast<int>(e), first, first_port)));
    Finding& f = findings.warning("inventory-address-missing", others ? any->address_span : g.span, std::move(why));
    f.object("nodes." + g.name);
    f.help(
        format("write the row of '{}' with its port and its address; if the machine is new and may have this one, "
               "accept the finding",
               name));
  }
}

}  // namespace

void take_addresses(const Cluster& c, const Inventory& inventory, Plan& plan, Findings& findings) {
  Nodes nodes(c, plan);
  const Services services = services_of(c);
  std::vector<std::unordered_map<std::uint32_t, const InventoryRow*>> taken(c.networks.size());
  Refused refused;
  for (const InventoryRow& row : inventory.rows()) {
    if (!row.address) continue;
    const auto place = nodes.port(row.name, row.port);
    const auto refuse = [&](std::string why) -> Finding& {
      return findings.error("inventory-address-unusable", row.address_span, std::move(why));
    };
    if (!place) {
      refuse("'" + one_line(row.name) + "' has an address, but " +
             (row.port.empty() ? "the row names no port"
                               : "'" + one_line(row.port) + "' is no port of it in a network with a subnet"))
          .help(
              "write the address into the row of a port of a node, or of its `bmc`; addresses of switches, PDUs and "
              "storage systems are planned");
      continue;
    }
    const auto a = std::ranges::find(plan.addresses, place->network, &AddressPlan::network);
    if (a == plan.addresses.end()) continue;
    const auto end = static_cast<std::size_t>(place->end_points);
    if (std::string why = unusable(c, *a, *row.address, services); !why.empty()) {
      refuse(std::move(why));
      refused.insert({a->network, {place->end_points, place->member * a->stride[end] + place->address}});
      continue;
    }
    const auto [before, fresh] =
        a->given.emplace(std::pair(place->end_points, place->member * a->stride[end] + place->address), *row.address);
    if (!fresh && before->second != *row.address)
      refuse("'" + one_line(row.port) + "' of '" + one_line(row.name) +
             "' is a port of a bond, and the inventory gives another port of it the address " +
             ipv4_text(before->second))
          .help("write the address of the bond into the row of one of its ports");
    taken[static_cast<std::size_t>(place->network)].emplace(*row.address, &row);
  }
  for (const AddressPlan& a : plan.addresses)
    if (const auto& rows = taken[static_cast<std::size_t>(a.network)]; !a.given.empty()) {
      check_planned(c, plan, a, rows, findings);
      check_missing(c, plan, a, rows, refused, findings);
      check_servers(c, a, rows, findings);
    }
}

std::map<std::int64_t, std::vector<std::string>> switches_as_built(const Cluster& c, const Plan& plan,
                                                                   const Inventory& inventory, int network) {
  Nodes nodes(c, plan);
  std::map<std::int64_t, std::vector<std::string>> out;
  for (const InventoryRow& row : inventory.rows()) {
    if (row.leaf.empty()) continue;
    const auto place = nodes.port(row.name, row.port, network);  // InfiniBand needs no subnet
    if (!place || place->network != network) continue;
    std::vector<std::string>& of = out[c.nodes[static_cast<std::size_t>(place->group)].first + place->member];
    if (std::ranges::find(of, row.leaf) == of.end()) of.emplace_back(row.leaf);
  }
  for (auto& [node, of] : out) std::ranges::sort(of);
  return out;
}

void check_places(const Cluster& c, const Plan& plan, const Inventory& inventory, Findings& findings) {
  Nodes nodes(c, plan);
  for (const InventoryRow& row : inventory.rows()) {
    int group = -1;
    std::int64_t member = 0;
    if ((row.rack.empty() && row.position.empty()) || !nodes.find(row.name, group, member)) continue;
    const auto node = static_cast<std::size_t>(c.nodes[static_cast<std::size_t>(group)].first + member);
    if (node >= plan.node_rack.size() || plan.node_rack[node] < 0)
      continue;  // the spec has no racks: nothing to compare
    const std::string rack = c.rack_name(plan.node_rack[node]), unit = "U" + std::to_string(plan.node_unit[node]);
    const bool other_rack = !row.rack.empty() && row.rack != rack,
               other_unit = !row.position.empty() && row.position != unit && "U" + std::string(row.position) != unit;
    if (!other_rack && !other_unit) continue;
    findings
        .error("inventory-place-differs", row.place_span,
               "'" + one_line(row.name) + "' stands in rack '" +
                   one_line(row.rack.empty() ? std::string_view(rack) : row.rack) + "'" +
                   (row.position.empty() ? std::string() : " at " + one_line(row.position)) +
                   ", but the spec places it in '" + rack + "' at " + unit)
        .help(
            "name its rack and unit in the spec (`at`), or leave out `racks`: power and cooling are calculated with "
            "the places of the spec");
  }
}

}  // namespace clusterc
