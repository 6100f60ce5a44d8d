#include "system/time_servers.h"

#include <string>

#include "base/ip.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/each_address.h"

namespace clusterc {

std::vector<OwnTimeServer> own_time_servers(const System& in) {
  const Cluster& c = in.cluster;
  std::vector<OwnTimeServer> out;
  std::string alias;
  for (const auto& server : c.spec.software->time_servers) {
    if (!server) continue;
    const auto address = parse_ipv4(*server);
    const std::string_view name = without_domain(c, *server);
    bool found = false;
    each_address(
        in, [](const AddressPlan&) {},
        [&](const NamedAddress& n) {
          if (found || n.group < 0) return;
          alias.assign(n.name), alias += '-', alias += c.networks[static_cast<std::size_t>(n.network)].name;
          found = address ? n.address == *address : name == n.name || name == alias;
          if (found) out.push_back({*server, n.group, n.member});
        });
  }
  return out;
}

}  // namespace clusterc
