// Order statistics of a set of samples. One definition of a quantile for every record of the suite.
#pragma once
#include <span>
#include <vector>

namespace clusterc::harness {

struct Summary {
  std::size_t count = 0;
  double median = 0, p05 = 0, p95 = 0, min = 0, max = 0;
};

// Linear interpolation between the order statistics around (n-1)q: R. J. Hyndman, Y. Fan, "Sample quantiles in
// statistical packages", The American Statistician 50(4), 1996, definition 7. `sorted` is ascending and not empty.
double quantile(std::span<const double> sorted, double q);

Summary summarise(std::vector<double> samples);

// Samples of time to samples of rate: `work` units in each sample's seconds.
std::vector<double> rates(std::span<const double> seconds, double work);

}  // namespace clusterc::harness
