// What a running fabric shows of its build before anything is known of a plan: which switches are leaves, which hosts
// are there, and which leaves have hosts in common.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/seen_fabric.h"

namespace clusterc {

struct SeenEnd {  // a port of a host, by number of its adapter and of the port
  std::int64_t adapter = 0, port = 0;
  std::int32_t link = -1, leaf = -1;
  auto key() const { return std::pair(adapter, port); }
};

struct SeenHost {
  std::string name;
  std::vector<SeenEnd> ends;  // by adapter and port
};

struct SeenHosts {
  std::vector<SeenHost> named;         // in the order of their names
  std::vector<std::int32_t> nameless;  // links of adapters that name no host
};

// A leaf has more adapters than the switches beside it have on average: a host that is plugged into a spine by mistake
// makes no leaf of it.
std::set<std::int32_t> seen_leaves(const SeenFabric&);
SeenHosts seen_hosts(const SeenFabric&);

// Leaves that have hosts in common, those first that share most. `leaves`: of each host. No unit has more than
// `largest`. The cost is bounded for hostile dumps: 32 leaves of a host are looked at.
std::vector<std::vector<std::int32_t>> leaf_units(const std::vector<std::set<std::int32_t>>& leaves,
                                                  std::size_t largest);

// The adapters and ports, in order, of most hosts with `ports` of them; empty: no host has as many.
std::vector<std::pair<std::int64_t, std::int64_t>> usual_ports(const std::vector<SeenHost>&, std::size_t ports);

}  // namespace clusterc
