#include "base/quantity.h"

using namespace clusterc;

BytesPerSecond both(BitsPerSecond link, BytesPerSecond memory) { return memory + bytes_of(link); }
