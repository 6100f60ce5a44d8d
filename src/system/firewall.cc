#include "system/firewall.h"

#include <algorithm>

#include "model/storage_path.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

constexpr Role kManagers[] = {Role::provisioning, Role::scheduler, Role::monitoring, Role::fabric_manager,
                              Role::control_plane};

}  // namespace

bool manages(const NodeGroupModel& g) {
  return std::any_of(std::begin(kManagers), std::end(kManagers), [&](Role r) { return g.has_role(r); });
}
bool lets_users_in(const NodeGroupModel& g) { return g.has_role(Role::login); }

std::vector<std::string> firewall_inside(const Cluster& c) {
  std::vector<std::string> out;
  for (const NetworkModel& n : c.networks)
    if (n.subnet && !is_out_of_band(n)) out.push_back(n.subnet->text());
  return out;
}

bool fences(const Cluster& c, int group) {
  return std::ranges::any_of(storage_served_by(c, group), [&](int s) {
    const Storage* spec = c.storage[static_cast<std::size_t>(s)].spec;
    return spec && spec->servers && spec->servers->fence;
  });
}

std::string_view firewall_file(const Cluster& c, int group) {
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
  return manages(g) ? "manager.nft" : fences(c, group) ? "fence.nft" : lets_users_in(g) ? "login.nft" : "node.nft";
}

}  // namespace clusterc
