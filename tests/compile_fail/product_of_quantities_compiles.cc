#include "base/quantity.h"

using namespace clusterc;

Watts product(Volts voltage, Amperes current) { return Watts(voltage.value * current.value); }
