#include "base/quantity.h"

using namespace clusterc;

VoltAmperes rating(Watts real, double power_factor) { return VoltAmperes(real.value / power_factor); }
