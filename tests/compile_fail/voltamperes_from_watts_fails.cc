#include "base/quantity.h"

using namespace clusterc;

VoltAmperes rating(Watts real) { return real; }
