#include "base/quantity.h"

using namespace clusterc;

Watts draw() { return Watts(700.0); }
