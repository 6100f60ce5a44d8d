// What is managed over the out-of-band network and is no node: switches, PDUs, shelves and trays of assemblies
// (docs/names.md).
#pragma once
#include <cstdint>
#include <string>

#include "plan/plan.h"

namespace clusterc {

// The management port of the i-th one, in the order in which ports and addresses are given out:
// {"leaf/compute/u1/r3", "mgmt"}, {"pdu/r07/b", "mgmt"}, {"frame/nvl3", "mgmt/4"}. `of` as FabricBlock has it; empty
// for node ports.
CableEnd equipment_port(const Plan&, FabricBlock::What, int of, std::int64_t i);

// Host name of the same: leaf-compute-u1-r3, pdu-r07-b, frame-nvl3-mgmt-4.
std::string equipment_host_name(const Plan&, FabricBlock::What, int of, std::int64_t i);

// An object's name as a host name: what a key may have and a host name may not ('/', '_', '.') becomes '-'.
std::string host_name_of(std::string object);

}  // namespace clusterc
