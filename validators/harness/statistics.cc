#include "harness/statistics.h"

#include <algorithm>
#include <cmath>

namespace clusterc::harness {

double quantile(std::span<const double> sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Summary summarise(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  return {.count = samples.size(),
          .median = quantile(samples, 0.5),
          .p05 = quantile(samples, 0.05),
          .p95 = quantile(samples, 0.95),
          .min = samples.front(),
          .max = samples.back()};
}

std::vector<double> rates(std::span<const double> seconds, double work) {
  std::vector<double> out;
  out.reserve(seconds.size());
  for (const double s : seconds) out.push_back(work / s);
  return out;
}

}  // namespace clusterc::harness
