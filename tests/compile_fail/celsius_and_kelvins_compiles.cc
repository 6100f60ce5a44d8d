#include "base/quantity.h"

using namespace clusterc;

Celsius outlet(Celsius inlet, Kelvins rise) { return Celsius(inlet.value + rise.value); }
