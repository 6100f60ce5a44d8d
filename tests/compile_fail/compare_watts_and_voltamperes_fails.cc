#include "base/quantity.h"

using namespace clusterc;

bool over(Watts load, VoltAmperes limit) { return load > limit; }
