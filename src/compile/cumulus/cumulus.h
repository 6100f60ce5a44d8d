// cumulus/NETWORK-N/SWITCH/startup.yaml: what a switch that runs Cumulus Linux reads.
#pragma once
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "compile/switch_settings.h"

namespace clusterc {

// The classes that one command of NVUE, `qos roce`, makes lossless: priority 3, code point 26, with pause frames and
// marking (NVIDIA, Cumulus Linux, "RDMA over Converged Ethernet - RoCE").
bool is_class_of_nvue(const std::vector<SwitchClass>&);

void write_startup(const CompileInput&, const ConfiguredSwitch&, const std::vector<SwitchClass>&,
                   std::string_view folder, Bundle&);

}  // namespace clusterc
