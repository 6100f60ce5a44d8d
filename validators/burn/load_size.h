// How large the load of a GPU is. A constant that a program is linked with, as in harness/fault.h: the product takes
// that of load_size.cc; tests on an emulated GPU bring a smaller one.
#pragma once
#include <cstdint>

namespace clusterc::burn {

struct LoadSize {
  std::uint64_t order, order_fp64;  // of the matrices
  std::uint64_t swept;              // bytes of the memory sweep
  unsigned sweeps;
};
extern const LoadSize kLoadSize;

}  // namespace clusterc::burn
