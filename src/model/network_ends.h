// The ends of networks: steps of resolve_networks. Internal to src/model/.
#pragma once
#include "model/resolution.h"

namespace clusterc {

// The ports of all that the network names.
void connect_all(Resolution&, NetworkModel&);
// Ports lie in sets; networks that are not one another's guests take them in turn. A port cannot have two cables.
void share_out_ports(Resolution& r);
// The management port of every server and bought storage system of ours, for a network that connects everything.
// Switches, PDUs and shelves are counted by the plan, which knows how many there are.
void add_management_ports(const Cluster& c, NetworkModel& m);
// Whoever a network of nodes or storage leaves ports for has a management port, too.
void built_for_what_others_are(const Cluster& c, NetworkModel& m);
// What the network is built for, by group.
void take_built_for(Resolution&, NetworkModel&);

}  // namespace clusterc
