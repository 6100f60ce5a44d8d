#include "model/cluster.h"

#include <algorithm>
#include <unordered_map>

#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"
#include "spec/software.h"

namespace clusterc {

// Here, where Software is known.
NodeGroupModel::NodeGroupModel() = default;
NodeGroupModel::~NodeGroupModel() = default;
NodeGroupModel::NodeGroupModel(const NodeGroupModel&) = default;
NodeGroupModel& NodeGroupModel::operator=(const NodeGroupModel&) = default;
NodeGroupModel::NodeGroupModel(NodeGroupModel&&) noexcept = default;
NodeGroupModel& NodeGroupModel::operator=(NodeGroupModel&&) noexcept = default;

const PortSet* ServerModel::port_set(std::string_view name) const {
  for (const PortSet& p : ports)
    if (p.name == name) return &p;
  return nullptr;
}

std::vector<std::int64_t> RackGroupModel::racks_of(const Occupied& o) const {
  std::vector<std::int64_t> out;
  if (o.racks.empty())
    for (std::int64_t i = 0; i < count; ++i) out.push_back(i);
  HostPattern::Error error;
  for (const Value<std::string>& some : o.racks) {
    const auto pattern =
        some ? HostPattern::parse(*some, error) : std::nullopt;  // the reader has reported what is none
    for (std::int64_t i = 0; pattern && i < count; ++i)
      if (pattern->index_of(names.name(i)) >= 0) out.push_back(i);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool NodeGroupModel::has_role(Role role) const {
  return std::any_of(spec->roles.begin(), spec->roles.end(), [&](const Value<Role>& r) { return r.value == role; });
}

bool NodeGroupModel::only_manages_fabrics() const {
  return !spec->roles.empty() && std::all_of(spec->roles.begin(), spec->roles.end(),
                                             [](const Value<Role>& r) { return r.value == Role::fabric_manager; });
}

bool NetworkModel::carries_traffic(Traffic t) const {
  return std::find(carries.begin(), carries.end(), t) != carries.end();
}

namespace {
// The last group that begins at or before `number` and is not empty; groups lie in rising order.
template <class Groups>
int group_at(const Groups& groups, std::int64_t number) {
  auto after =
      std::upper_bound(groups.begin(), groups.end(), number, [](std::int64_t n, const auto& g) { return n < g.first; });
  while (after != groups.begin()) {
    --after;
    if (number < after->first + after->count) return static_cast<int>(after - groups.begin());
    if (after->count > 0) break;
  }
  return -1;
}

// The first of each name; asked once they are frozen.
template <class Models>
int find_by_name(const Memo& memo, const char* question, const Models& models, std::string_view name) {
  const auto& places = memo.get(question, [&] {
    std::unordered_map<std::string_view, int> at;
    for (std::size_t i = 0; i < models.size(); ++i) at.try_emplace(models[i].name, static_cast<int>(i));
    return at;
  });
  const auto found = places.find(name);
  return found == places.end() ? -1 : found->second;
}
}  // namespace

int Cluster::node_group_of(std::int64_t node) const { return group_at(nodes, node); }
int Cluster::rack_group_of(std::int64_t rack) const { return group_at(racks, rack); }

std::string Cluster::node_name(std::int64_t node) const {
  const int g = node_group_of(node);
  return g < 0 ? std::string() : nodes[g].names.name(node - nodes[g].first);
}

std::string Cluster::rack_name(std::int64_t rack) const {
  if (const int g = group_at(racks, rack); g >= 0) return racks[g].names.name(rack - racks[g].first);
  if (const int a = group_at(assemblies, rack); a >= 0) return assemblies[a].names.name(rack - assemblies[a].first);
  return {};
}

int Cluster::find_node_group(std::string_view name) const { return find_by_name(memo, "groups by name", nodes, name); }
int Cluster::find_network(std::string_view name) const {
  return find_by_name(memo, "networks by name", networks, name);
}

int Cluster::first_network_carrying(Traffic t) const {
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (networks[i].carries_traffic(t)) return static_cast<int>(i);
  return -1;
}

}  // namespace clusterc
