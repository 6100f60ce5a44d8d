// Statistics of small samples with outliers. Pure; each function names the publication that it is from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace clusterc {

// Of an even number of values the mean of both in the middle. At least one value.
double median_of(std::vector<double> values);

// Median, and the standard deviation that the median absolute deviation (MAD) stands for: 1.4826 x MAD, corrected for
// small samples (Croux and Rousseeuw, Time-efficient algorithms for two highly robust estimators of scale, COMPSTAT
// 1992). Up to half of the values may be anything. `sigma` is 0 where more than half of the values are equal.
struct RobustCentre {
  double median = 0, sigma = 0;
};
RobustCentre robust_centre(const std::vector<double>& values);

// P(T >= t) of Student's t with any positive degrees of freedom (NIST Digital Library of Mathematical Functions, 8.17).
double student_tail(double t, double degrees);

// P that one of `n` equal normal values lies `deviation` (in units of RobustCentre::sigma) or more to one side of the
// median, where median and sigma are estimated from the same values. The estimate of sigma by the MAD has the variance
// of one by 0.37 n values (asymptotic efficiency of the MAD: Rousseeuw and Croux, Alternatives to the median absolute
// deviation, JASA 88, 1993), so Student's t with 0.37 n degrees of freedom takes the place of the normal distribution.
double robust_tail(double deviation, std::size_t n);

// Which of many hypotheses to reject so that at most the share `rate` of those rejected is expected to be rejected
// wrongly (Benjamini and Hochberg, Controlling the false discovery rate, JRSS B 57, 1995).
std::vector<bool> rejected_at(std::span<const double> probabilities, double rate);

// Two-sided Wilcoxon signed-rank test of paired differences (Wilcoxon, Individual comparisons by ranking methods,
// Biometrics Bulletin 1, 1945): the exact distribution up to 50 pairs, beyond it the normal approximation with the
// correction for ties. Differences of 0 are left out, equal ones share their mean rank. nullopt: no difference is left.
struct SignedRank {
  std::size_t pairs = 0;   // whose difference is not 0
  double probability = 1;  // that equal distributions differ as much as this, or more
  bool positive = false;   // the positive differences have the larger sum of ranks
};
std::optional<SignedRank> signed_rank(const std::vector<double>& differences);

}  // namespace clusterc
