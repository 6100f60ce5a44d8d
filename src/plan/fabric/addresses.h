#pragma once
#include "plan/plan.h"

namespace clusterc {

// False where there was no room: then nobody in this network has an address (Plan::address gives 0).
bool has_addresses(const AddressPlan&);

}  // namespace clusterc
