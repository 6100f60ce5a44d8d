// The nodes as programs that install or boot them ask for: name, address, ports with their MACs, BMC. Read here once,
// written by each list's output in its own words. A list is made where `outputs` of the spec names it: a site has one
// such program, or none.
//
// Listed are the nodes of every group but those that provision: these run the program. A MAC is the inventory's; what
// it does not have is known to nobody.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/group_network.h"
#include "system/interfaces.h"

namespace clusterc {

bool lists_nodes(const Cluster&, std::string_view output_id);

class ListedGroup {
 public:
  ListedGroup(const System&, int group, Findings&);
  ListedGroup(const ListedGroup&) = delete;  // points into itself
  ListedGroup& operator=(const ListedGroup&) = delete;
  const NodeGroupModel& group() const { return group_; }
  const GroupNetwork& network() const { return network_; }
  const NetworkDevice* home() const {
    return home_;
  }  // carries the address that the plain name means; null: there is none
  const std::vector<std::string>& boot_ports() const { return boot_ports_; }  // of home: a port, or those of its bond
  std::uint32_t address(const NetworkAddress& a, std::int64_t member) const {
    return plan_.address(a.network, a.end_points, member, a.port);
  }
  std::uint32_t leaf_address(const NetworkAddress& a, std::int64_t member) const {
    return plan_.leaf_address(a.network, a.end_points, member, a.port);
  }
  std::uint32_t home_address(std::int64_t member) const;  // 0: there is none
  int bmc_network() const { return bmc_network_; }        // -1: none has the BMCs
  std::uint32_t bmc_address(std::int64_t member) const;   // 0: there is none
  // Of a port, or "bmc", of a node; nullopt: the inventory does not say.
  std::optional<std::uint64_t> mac(std::int64_t member, std::string_view name, std::string_view port) const {
    return inventory_mac(in_, number_, member, name, port);
  }
  std::string_view architecture() const;  // x86_64, aarch64

 private:
  const System& in_;
  const Plan& plan_;
  const int number_;
  const NodeGroupModel& group_;
  GroupNetwork network_;
  const NetworkDevice* home_ = nullptr;
  const NetworkAddress* home_address_ = nullptr;
  std::vector<std::string> boot_ports_;
  int bmc_network_ = -1, bmc_end_points_ = -1;
};

// `begin` before the nodes of a group, `take` for each of them.
void each_listed(const System&, Findings&, const std::function<void(const ListedGroup&)>& begin,
                 const std::function<void(const ListedGroup&, std::int64_t member, const std::string& name)>& take);

// A comment that says of how many the inventory has no MAC, and which rows would have them; empty: of none.
std::string unknown_macs(std::int64_t missing, std::string_view what, std::string_view example_row);
// Tells whoever compiles that nodes are left out for it.
void warn_of_left_out(const System&, std::string_view output_id, std::string_view reader, std::int64_t left_out,
                      std::string_view what, std::string_view example_row, Findings&);

// Tells whoever compiles that ports on leaves that route have routes which this list cannot say. `files`: "xCAT's
// tables".
void warn_of_routes(const ListedGroup&, std::string_view output_id, std::string_view files, Findings&);

std::string mac_text(std::uint64_t);

}  // namespace clusterc
