// Files about the cables, for people (`clusterc plan -o`) and for the programs that they use. Each is made whole and in
// one pass over the links.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace clusterc {

std::string render_point_to_point_csv(
    const Cluster&, const Plan&);  // columns of NVIDIA's cable validation tool first, then parts and labels
std::string render_labels_csv(const Cluster&, const Plan&);   // what is printed on both ends
std::string render_bundles_csv(const Cluster&, const Plan&);  // how many run from rack to rack
std::string render_cords_csv(const Cluster&, const Plan&);    // which supply hangs on which outlet

// Topology file of ibdiagnet and of cable validation (ibdm-topo-file(1)); empty: not an InfiniBand fabric of ours.
std::string render_topo(const Cluster&, const Plan&, int fabric);
bool has_topo(const Cluster&, const Plan&, int fabric);
// Graphviz: switches, and the groups that hang below each leaf; a label says how many links. Empty: no switches.
std::string render_dot(const Cluster&, const Plan&, int fabric);
bool has_dot(const Plan&, int fabric);

// CSV files for NetBox's import, by name, in the order in which they have to be imported.
constexpr std::string_view kNetboxFiles[] = {"01-sites.csv",        "02-manufacturers.csv", "03-device-types.csv",
                                             "04-device-roles.csv", "05-racks.csv",         "06-devices.csv",
                                             "07-interfaces.csv",   "08-cables.csv"};
std::vector<std::pair<std::string, std::string>> render_netbox(const Cluster&, const Plan&);

// A workbook (Office Open XML): bill, point-to-point sheet, cords.
std::string render_cabling_xlsx(const Cluster&, const Plan&);

}  // namespace clusterc
