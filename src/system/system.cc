#include "system/system.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/text.h"
#include "model/group_ends.h"
#include "plan/equipment.h"
#include "plan/fabric/addresses.h"
#include "spec/network.h"
#include "spec/output.h"
#include "system/deployment.h"
#include "system/file_systems.h"
#include "system/gateways.h"
#include "system/group_network.h"
#include "system/interfaces.h"
#include "system/inventory_as_built.h"
#include "system/jobs.h"
#include "system/links.h"
#include "system/nfs_failover.h"
#include "system/node_settings.h"
#include "system/slurm.h"
#include "system/storage_targets.h"
#include "system/unmade.h"

namespace clusterc {
namespace {

// The rule net-address-plan-collides reports the same of the spec, and nothing is compiled then; who calls this without
// the rules is told as well, before 0.0.0.0 stands in a file.
void check_addresses(const Cluster& c, const Plan& plan, Findings& findings) {
  for (const AddressPlan& a : plan.addresses)
    if (!has_addresses(a)) {
      const NetworkModel& net = c.networks[a.network];
      findings
          .error("output-address-missing", net.spec ? net.spec->subnet.span : net.span,
                 "subnet " + a.subnet.text() + " of network '" + net.name + "' has too few addresses for its machines")
          .help("use a shorter prefix");
    }
}

// "gpu001-compute-3" is one label of the cluster's zone, of 63 characters at most (RFC 1035, 2.3.4); BIND takes no zone
// with a longer one, and no host name is longer than 64.
void check_name_lengths(const Cluster& c, Findings& findings) {
  constexpr std::size_t kLongestLabel = 63;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (group.count == 0) continue;
    std::string longest = group.names.name(0);
    if (const std::string last = group.names.name(group.count - 1); last.size() > longest.size()) longest = last;
    const std::string plain = longest;
    for (const GroupEnd& at : ends_of_group(c, static_cast<int>(g))) {
      const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
      if (!n.subnet) continue;
      std::string alias = plain + "-" + n.name;
      if (alias.size() > longest.size()) longest = std::move(alias);
    }
    if (longest.size() > kLongestLabel)
      findings
          .error("hosts-name-too-long", group.span,
                 "'" + longest + "' has " + std::to_string(longest.size()) +
                     " characters, but a name in the cluster's DNS zone can have at most 63")
          .help("give the nodes or the network shorter names");
  }
}

// A row that names nobody is a slip of the pen more often than a device in a drawer: its MAC or GUID goes into no file.
void check_inventory(const Cluster& c, const Plan& plan, const Inventory& inventory, Findings& findings) {
  using What = FabricBlock::What;
  std::unordered_set<std::string> others;
  const auto add = [&](What what, int of, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      others.insert(equipment_host_name(plan, what, of, i)), others.insert(equipment_port(plan, what, of, i).object);
  };
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    add(What::switches, static_cast<int>(f), plan.fabrics[f].switch_count());
    for (const FabricBlock& b : plan.fabrics[f].blocks)
      if (b.what == What::shelves) add(What::shelves, b.of, b.members);
  }
  add(What::pdus, -1, static_cast<std::int64_t>(plan.pdus.size()));
  for (const StorageModel& s : c.storage)
    for (std::int64_t i = 1; i <= s.count; ++i)
      others.insert(s.name + "-" + std::to_string(i)), others.insert("storage/" + s.name + "/" + std::to_string(i));
  bool objects = false;
  std::vector<const InventoryRow*> unknown;
  for (const InventoryRow& row : inventory.rows()) {
    if (group_of_host(c, row.name) >= 0) continue;
    if (row.name.starts_with("node/") && !objects) {
      objects = true;
      for (std::int64_t n = 0; n < c.node_count; ++n) others.insert(plan.node_object(n));
    }
    if (!others.contains(std::string(row.name))) unknown.push_back(&row);
  }
  if (unknown.empty()) return;
  Finding& f = findings.warning(
      "inventory-unknown-device", unknown.front()->span,
      unknown.size() == 1
          ? std::string("a row of the inventory names a device that this cluster does not have")
          : std::to_string(unknown.size()) + " rows of the inventory name devices that this cluster does not have");
  f.help("write a host name from the compiled file hosts, or the name of the object: node/gpu/001, leaf/compute/u1/r1");
}

// Ports that a node of this group can have in the inventory: those of its adapters, what the system calls interfaces,
// the BMC; and its drives, by their serial numbers.
std::set<std::string, std::less<>> ports_of(const Cluster& c, const Plan& plan, int group) {
  std::set<std::string, std::less<>> ports{"", "bmc"};
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  for (const auto& set : g.server.ports)
    for (std::int64_t i = 1; i <= set.count; ++i) ports.insert(set.name + std::to_string(i));
  for (const auto& drives : g.server.part.drives)
    for (std::int64_t i = 0; i < drives.value.count.value_or(1); ++i)
      ports.insert("drives." + drives.name + "[" + std::to_string(i) + "]");
  for (const Interface& i : ports_of_group(c, plan, group)) ports.insert(i.names.begin(), i.names.end());
  return ports;
}

// A MAC of a port that no node has goes into no file either.
void check_inventory_ports(const Cluster& c, const Plan& plan, const Inventory& inventory, Findings& findings) {
  std::vector<std::optional<std::set<std::string, std::less<>>>> known(c.nodes.size());
  const auto group_of = [&](std::string_view name) {
    constexpr std::string_view kNode = "node/";
    if (!name.starts_with(kNode)) return group_of_host(c, name);
    const std::string_view rest = name.substr(kNode.size());
    return c.find_node_group(rest.substr(0, rest.find('/')));
  };
  const InventoryRow* first = nullptr;
  int of = -1;
  std::int64_t count = 0;
  for (const InventoryRow& row : inventory.rows()) {
    if (row.port.empty()) continue;
    const int group = group_of(row.name);
    if (group < 0) continue;
    auto& ports = known[static_cast<std::size_t>(group)];
    if (!ports) ports = ports_of(c, plan, group);
    if (ports->contains(row.port)) continue;
    if (count++ == 0) first = &row, of = group;
  }
  if (!first) return;
  std::vector<std::string_view> names;
  for (const std::string& port : *known[static_cast<std::size_t>(of)])
    if (!port.empty()) names.push_back(port);
  Finding& f = findings.warning("inventory-unknown-port", first->span,
                                (count == 1 ? std::string("a row of the inventory names")
                                            : std::to_string(count) + " rows of the inventory name") +
                                    " a port that the node does not have: '" + one_line(first->port.substr(0, 60)) +
                                    "' of '" + one_line(first->name.substr(0, 60)) + "'");
  if (const auto near = nearest_name(first->port, names))
    f.help("did you mean '" + std::string(*near) + "'?");
  else
    f.help("ports of '" + c.nodes[static_cast<std::size_t>(of)].name +
           "': " + join(names.size() > 12 ? std::vector(names.begin(), names.begin() + 12) : names, ", ") +
           (names.size() > 12 ? ", …" : ""));
}

}  // namespace

bool System::makes(std::string_view output_id) const {
  return std::any_of(made.begin(), made.end(), [&](const OutputKind& o) { return o.id == output_id; });
}

bool System::makes_for(std::string_view output_id, int group) const {
  return std::any_of(made.begin(), made.end(),
                     [&](const OutputKind& o) { return o.id == output_id && o.serves && o.serves(*this, group); });
}

System deploy(const Cluster& c, const Plan& plan, std::span<const OutputKind> outputs, const Inventory* inventory,
              std::string_view spec_digest) {
  System out{.cluster = c, .plan = plan, .inventory = inventory, .spec_digest = spec_digest, .made = {}, .memo = {}};
  for (const OutputKind& o : outputs) {
    const auto* wish = c.spec.outputs.find(o.id);
    if (!(wish && wish->value.skip.value_or(false)) && o.wanted(c)) out.made.push_back(o);
  }
  return out;
}

const std::vector<Value<std::string>>* extra_lines_of(const Cluster& c, std::string_view output_id,
                                                      std::string_view file) {
  const auto* wish = c.spec.outputs.find(output_id);
  const auto* found = wish ? wish->value.extra.find(file) : nullptr;
  return found ? &found->value : nullptr;
}

void check_system(const System& in, Findings& findings) {
  check_addresses(in.cluster, in.plan, findings);
  check_name_lengths(in.cluster, findings);
  check_sources(in.cluster, in.plan, findings);
  check_targets(in.cluster, findings);
  check_jobs(in, findings);
  if (!in.inventory) return;
  check_inventory(in.cluster, in.plan, *in.inventory, findings);
  check_inventory_ports(in.cluster, in.plan, *in.inventory, findings);
  check_places(in.cluster, in.plan, *in.inventory, findings);
}

void note_what_is_left(const System& in, Findings& findings) {
  check_file_systems(in.cluster, in.plan, findings);
  check_nfs_failover(in, findings);
  check_homes(in.cluster, findings);
  check_administrators(in, findings);
  check_deployment(in, findings);
  if (in.makes("slurm")) check_pyxis(in, findings);
  check_interface_names(in, findings);
  check_unmade_systems(in, findings);
  check_gateways(in, findings);
}

}  // namespace clusterc
