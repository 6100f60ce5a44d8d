// Union-find.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/index.h"

namespace clusterc {

// Numbers in sets that are joined; the least number of a set stands for it.
class Sets {
 public:
  explicit Sets(std::size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), 0); }
  std::int32_t root(std::int32_t i) {
    while (up_[at(i)] != i) i = up_[at(i)] = up_[at(up_[at(i)])];
    return i;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = root(a), b = root(b);
    up_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> up_;
};

}  // namespace clusterc
