#include "base/quantity.h"

using namespace clusterc;

Seconds transfer(Bytes size, BytesPerSecond rate) { return Seconds(size.value / rate.value); }
