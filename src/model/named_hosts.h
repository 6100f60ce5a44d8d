// Hosts that a spec names, as it writes them: servers of storage, names, time, directories, databases, packages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

struct NamedHost {
  SourceSpan span;
  std::string host;      // a name, or an address
  bool outside = false;  // the spec says that it is none of the cluster's
  bool asked = true;     // some machine has to find it by this name
};
std::vector<NamedHost> named_hosts(const Cluster&);

// Hosts that a group's identity names: of "ldaps://ldap1.example.org:636/, ldap2" the two.
std::vector<NamedHost> directory_hosts(const Software&);

// A host's plain name where it is written with the cluster's own domain: m1 of "m1.two.example", as names of nodes are
// known; else as it is written.
std::string_view without_domain(const Cluster&, std::string_view host);

// Addresses in a subnet that such hosts outside have, and those that move between servers: no host of the cluster gets
// them.
std::vector<std::uint32_t> addresses_outside(const Cluster&, const Ipv4Prefix&);

}  // namespace clusterc
