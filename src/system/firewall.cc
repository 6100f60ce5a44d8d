#include "system/firewall.h"

#include <algorithm>

#include "spec/nodes.h"
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

std::string_view firewall_file(const NodeGroupModel& g) {
  return manages(g) ? "manager.nft" : lets_users_in(g) ? "login.nft" : "node.nft";
}

}  // namespace clusterc
