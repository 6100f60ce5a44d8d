#include "base/quantity.h"

using namespace clusterc;

Watts draw() { return 700.0; }
