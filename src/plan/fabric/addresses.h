// What others ask of the address plan of a network; addresses.cc makes it.
#pragma once
#include "plan/plan.h"

namespace clusterc {

// False where there was no room: then nobody in this network has an address (Plan::address gives 0).
bool has_addresses(const AddressPlan&);

}  // namespace clusterc
