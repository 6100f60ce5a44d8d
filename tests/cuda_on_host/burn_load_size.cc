#include "burn/load_size.h"

namespace clusterc::burn {

const LoadSize kLoadSize = {.order = 32, .order_fp64 = 16, .swept = 1ull << 14, .sweeps = 2};

}  // namespace clusterc::burn
