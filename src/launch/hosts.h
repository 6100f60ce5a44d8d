// Which machine a node is: its name in the spec, and where ssh finds it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

struct Host {
  std::string name;     // of the spec
  std::string address;  // a host name or an address
};

// Every node of the cluster with its address in the plan: in the in-band network, else in one that carries compute or
// storage. A node without one is reached by its name.
std::vector<Host> planned_hosts(const Cluster&, const Plan&);

// A host list ("n[1-4]"): these nodes, by the addresses in `known`, or by their names.
std::optional<std::vector<Host>> hosts_of_list(std::string_view list, const std::vector<Host>& known,
                                               std::string& error);
// Lines "NAME [ADDRESS]"; '#' begins a comment. A line without an address: as a list.
std::optional<std::vector<Host>> hosts_of_file(std::string_view text, const std::vector<Host>& known,
                                               std::string& error);

}  // namespace clusterc
