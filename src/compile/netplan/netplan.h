#pragma once
#include "compile/output.h"
#include "compile/pattern_text.h"

namespace clusterc {

extern const Output kNetplanOutput;

// Whether the operating system of this group reads /etc/netplan; the others get the same text as cloud-init's network-config,
// which cloud-init turns into their own files.
bool reads_netplan(const NodeGroupModel&);

// The network configuration of a group's nodes, version 2 of the format that netplan and cloud-init share.
class GroupNetwork {
 public:
  GroupNetwork(const CompileInput&, int group, std::string_view output_id, Findings&);
  bool empty() const { return addresses_.empty(); }      // no network of this group has addresses
  bool several_in_one_subnet() const { return several_; } // ports of their own in one subnet: ARP must be told to keep them apart
  const std::vector<std::string>& devices() const { return devices_; }
  std::vector<std::string> devices_in(int network) const; // those that have an address in it
  void append(std::int64_t member, std::string& out) const;

 private:
  struct Address { int network, end_points; std::int64_t port; };
  const Plan& plan_;
  std::vector<Address> addresses_;   // by mark
  std::vector<std::string> carriers_;  // by mark: the device that has it
  std::vector<std::string> devices_; // ports, bonds, VLANs
  bool several_ = false;
  PatternText text_;
};

}  // namespace clusterc
