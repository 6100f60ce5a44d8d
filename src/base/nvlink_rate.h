// What one NVLink carries, for what expects it and what looks at it.
#pragma once
#include <optional>

namespace clusterc {

// B/s of one link, one way, as the data sheets count it; `capability`: of the GPU, without the dot (90). The version
// that a driver tells of a link is no guide: some tell 5.0 of an H100. NVIDIA's white papers of each architecture: P100
// four links of 20 GB/s each way, V100 six of 25, A100 twelve of 25, GA102 four of 14.0625, H100 eighteen of 25, B200
// eighteen of 50. nullopt: it has none, or nobody has said.
constexpr std::optional<double> nvlink_rate(int capability) {
  switch (capability) {
    case 60:
      return 20e9;
    case 70:
    case 75:
    case 80:
    case 90:
      return 25e9;
    case 86:
      return 14.0625e9;
    case 100:
    case 103:
      return 50e9;
    default:
      return std::nullopt;
  }
}

}  // namespace clusterc
