// sonic/NETWORK-N/SWITCH/: what a switch that runs SONiC reads. Each file has a writer of its own; sonic.cc calls them
// for one switch after another.
#pragma once
#include <string>
#include <string_view>

#include "compile/output.h"
#include "system/switches.h"

namespace clusterc {

inline constexpr std::string_view kFrrFile = "frr.conf";

// `extra:` lines of the spec for the frr.conf of every switch, with their line ends.
std::string frr_extra(const CompileInput&, Findings&);
// frr.conf of a routed switch, into this folder of the bundle. `extra`: of frr_extra.
void write_frr(const CompileInput&, const ConfiguredFabric&, const ConfiguredSwitch&, std::string_view folder,
               std::string_view extra, Bundle&);

}  // namespace clusterc
