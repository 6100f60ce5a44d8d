#include "system/node_list.h"

#include <algorithm>

#include "base/text.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/interfaces.h"

namespace clusterc {

bool lists_nodes(const Cluster& c, std::string_view output_id) {
  const auto* wish = c.spec.outputs.find(output_id);
  return wish && !wish->value.skip.value_or(false) &&
         std::any_of(c.nodes.begin(), c.nodes.end(),
                     [](const NodeGroupModel& g) { return g.count > 0 && !g.has_role(Role::provisioning); });
}

ListedGroup::ListedGroup(const System& in, int group, Findings& findings)
    : in_(in),
      plan_(in.plan),
      number_(group),
      group_(in.cluster.nodes[static_cast<std::size_t>(group)]),
      network_(in, group, findings) {
  const Home home = home_of(in.cluster, in.plan, group);
  for (const NetworkDevice& d : network_.devices())
    for (const NetworkAddress& a : d.addresses)
      if (a.network == home.network && a.end_points == home.end_points && a.port == 0) home_ = &d, home_address_ = &a;
  if (home_) {
    const NetworkDevice* carrier = home_;
    for (const NetworkDevice& d : network_.devices())
      if (home_->kind == NetworkDevice::Kind::vlan && d.name == home_->below) carrier = &d;
    boot_ports_ = carrier->kind == NetworkDevice::Kind::bond ? carrier->members : std::vector{carrier->name};
  }
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(a.network)];
    for (std::size_t e = 0; e < net.ends.size(); ++e)
      if (bmc_network_ < 0 && net.ends[e].group == group && is_management_port(in.cluster, net, net.ends[e]))
        bmc_network_ = a.network, bmc_end_points_ = static_cast<int>(e);
  }
}

std::uint32_t ListedGroup::home_address(std::int64_t member) const {
  return home_address_ ? address(*home_address_, member) : 0;
}

std::uint32_t ListedGroup::bmc_address(std::int64_t member) const {
  return bmc_network_ < 0 ? 0 : plan_.address(bmc_network_, bmc_end_points_, member, 0);
}

std::string_view ListedGroup::architecture() const { return enum_text(group_.software->arch.value_or(Arch::x86_64)); }

void each_listed(const System& in, Findings& findings, const std::function<void(const ListedGroup&)>& begin,
                 const std::function<void(const ListedGroup&, std::int64_t, const std::string&)>& take) {
  std::string name;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in.cluster.nodes[g];
    if (group.count == 0 || group.has_role(Role::provisioning)) continue;
    const ListedGroup listed(in, static_cast<int>(g), findings);
    begin(listed);
    for (std::int64_t i = 0; i < group.count; ++i) {
      name.clear();
      group.names.append_name(i, name);
      take(listed, i, name);
    }
  }
}

std::string unknown_macs(std::int64_t missing, std::string_view what, std::string_view example_row) {
  if (missing == 0) return {};
  return "# no MAC address is known of " + std::string(what) + ": " + std::to_string(missing) +
         "; add rows to the inventory (`inventory:` of the spec): " + std::string(example_row) + "\n";
}

void warn_of_left_out(const System& in, std::string_view output_id, std::string_view reader, std::int64_t left_out,
                      std::string_view what, std::string_view example_row, Findings& findings) {
  if (left_out == 0) return;
  const auto* wish = in.cluster.spec.outputs.find(output_id);
  findings
      .warning("output-nodes-left-out", wish ? wish->name_span : SourceSpan{},
               std::to_string(left_out) + (left_out == 1 ? " node is" : " nodes are") +
                   " not in the list: " + std::string(reader) + " needs " + std::string(what))
      .help("add a row for each port to the inventory (`inventory:` of the spec): " + std::string(example_row));
}

void warn_of_routes(const ListedGroup& g, std::string_view output_id, std::string_view files, Findings& findings) {
  for (const NetworkDevice& d : g.network().devices())
    for (const NetworkAddress& a : d.addresses)
      if (a.routed()) {
        findings
            .warning("node-list-without-routes", g.group().span,
                     (d.kind == NetworkDevice::Kind::port ? "port '" : "device '") + d.name + "' of group '" +
                         g.group().name + "' reaches its subnet " + a.subnet + " by a route over the leaf, but " +
                         std::string(files) + " do not contain this route")
            .help(
                "configure this group's ports with the network configuration that is compiled for the nodes, and use " +
                std::string(output_id) + " for the others");
        return;
      }
}

std::string mac_text(std::uint64_t mac) {
  std::string out;
  append_mac(out, mac);
  return out;
}

}  // namespace clusterc
