// The middle value of a sample: of an even number, the upper of the two. The sample has at least one value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clusterc {

inline double middle(std::vector<double> v) {
  const auto mid = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), mid, v.end());
  return *mid;
}

}  // namespace clusterc
