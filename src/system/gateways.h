// Groups with the role gateway: between which networks their nodes forward, and which routes that gives the others.
#pragma once
#include <cstdint>
#include <vector>

#include "system/system.h"

namespace clusterc {

// Whether the nodes of this group forward between the networks that they have addresses in, out-of-band ones apart. In
// a cloud the provider's routers do.
bool forwards(const System&, int group);

struct GatewayRoute {
  int to = -1;                     // network
  int over = -1, end_points = -1;  // where the gateways stand beside the group
  std::int64_t gateways = 0;       // how many; node i takes number i modulo that
};
// To networks that the group is not in, over gateways that are in one of its own; not between two networks that both
// have routers (`gateway`) that the spec names: so who is there has one back.
std::vector<GatewayRoute> gateway_routes(const System&, int group);

// The group of gateways that forwards from one network to another; -1: none does.
int gateway_between(const System&, int from, int to);

// A node that serves is called by its plain name, which means its address in one network. Who shares another network
// with it alone reaches that address there: the node takes what is for any of its own (Linux,
// Documentation/networking/ip-sysctl.rst: addresses belong to the host, not to an interface).
bool is_called_by_name(const Cluster&, int group);
const std::vector<int>& groups_called_by_name(const Cluster&);
struct HostRoute {
  std::uint32_t to = 0, through = 0;
  int over = -1;  // network
};
std::vector<HostRoute> host_routes(const System&, int group);

// Says which gateways are in networks whose leaves route: nobody's packets come over a node there.
void check_gateways(const System&, Findings&);

// Nodes in several networks, one of which another's packets come over while answers go the other way: the strict filter
// of return paths (1, what Red Hat's family sets) would drop these.
bool may_answer_over_others(const System&, int group);

}  // namespace clusterc
