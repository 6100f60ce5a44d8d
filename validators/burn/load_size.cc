#include "burn/load_size.h"

namespace clusterc::burn {

// The sweep: eight times the largest second-level cache in the catalogue.
const LoadSize kLoadSize = {.order = 8192, .order_fp64 = 4096, .swept = 1ull << 30, .sweeps = 16};

}  // namespace clusterc::burn
