#pragma once
#include "compile/output.h"

namespace clusterc {
extern const Output kCloudInitOutput;
// Whether nodes of the group have a network-config: who does not read netplan, and has addresses.
bool has_network_config(const CompileInput&, int group);
}  // namespace clusterc
