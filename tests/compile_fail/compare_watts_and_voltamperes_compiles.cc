#include "base/quantity.h"

using namespace clusterc;

bool over(Watts load, Watts limit) { return load > limit; }
