// Groups whose nodes carry virtual machines of other groups.
#pragma once
#include <set>
#include <string_view>

#include "model/cluster.h"
#include "spec/nodes.h"

namespace clusterc {

inline std::set<std::string_view> hosts_of_machines(const Cluster& c) {
  std::set<std::string_view> hosts;
  for (const NodeGroupModel& g : c.nodes)
    if (g.spec && g.spec->virtual_machine && g.spec->virtual_machine->host)
      hosts.insert(*g.spec->virtual_machine->host);
  return hosts;
}

}  // namespace clusterc
