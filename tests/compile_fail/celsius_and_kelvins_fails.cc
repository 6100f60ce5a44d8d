#include "base/quantity.h"

using namespace clusterc;

Celsius outlet(Celsius inlet, Kelvins rise) { return inlet + rise; }
