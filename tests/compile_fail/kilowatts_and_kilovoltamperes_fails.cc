#include "base/quantity.h"

using namespace clusterc;

// Real power and apparent power differ by the power factor.
Watts sum(Watts real, VoltAmperes apparent) { return real + apparent; }
