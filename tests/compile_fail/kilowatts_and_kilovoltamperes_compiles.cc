#include "base/quantity.h"

using namespace clusterc;

Watts sum(Watts real, VoltAmperes apparent, double power_factor) { return real + Watts(apparent.value * power_factor); }
