// Who answers for the cluster's names, and which name servers its machines ask.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "system/dhcp.h"

namespace clusterc {

// The group whose first node has the zones: what provisions, else schedules, else watches, else the first there is. -1:
// no node has a plain name.
int name_server_group(const Cluster&, const Plan&);
// Address of the node that answers for the cluster's names: with the output dns BIND's, else that of dnsmasq where a
// node provisions. 0: nobody of the cluster does.
std::uint32_t own_name_server(const System&);
// Says which hosts outside, named by the spec, lie in the cluster's domain: who answers for it says that there are
// none. `known`: an extra line has this name of the domain; `extra`: the one that would.
void check_hidden_hosts(const System&, const std::function<bool(std::string_view)>& known,
                        const std::function<std::string(std::string_view)>& extra, Findings&);
// What DHCP tells clients of a network of them, IPv4: those of the spec, else the cluster's own, where they reach it
// (dhcp.h). What manages equipment is told of none of the cluster's: its firewall takes no questions from there.
std::vector<std::string> dhcp_name_servers(const System&, const DhcpNetwork&);
// Whom nodes of the group ask: who the spec names, else the cluster's own, where they are in a network with it or a
// gateway of the cluster leads there.
std::vector<std::string> name_servers(const System&, const NodeGroupModel&);

}  // namespace clusterc
