#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compile/output.h"

namespace clusterc {
extern const Output kDnsOutput;

// Address of the node that answers for the cluster's names: with the output dns BIND's, else that of dnsmasq where a node provisions. 0: nobody of the cluster does.
std::uint32_t own_name_server(const CompileInput&);
// What DHCP tells of them, IPv4: those of the spec, else the cluster's own.
std::vector<std::string> dhcp_name_servers(const CompileInput&);
// Whom nodes of the group ask: who the spec names, else the cluster's own where they are in its network.
std::vector<std::string> name_servers(const CompileInput&, const NodeGroupModel&);
}  // namespace clusterc
