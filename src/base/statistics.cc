#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clusterc {
namespace {

// Regularised incomplete beta function I_x(a, b), by the continued fraction 8.17.22 of the DLMF (modified Lentz).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr int kSteps = 10000;
  constexpr double kTiny = 1e-300, kEnough = 1e-15;
  const auto nonzero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < kSteps; ++m) {
    double step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + step * d), c = nonzero(1 + step / c);
    result *= d * c;
    step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + step * d), c = nonzero(1 + step / c);
    result *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return front * result;
}

// Mean ranks of magnitudes, doubled so that they are whole numbers, in the order of `differences`; `ties`: the sum of
// t^3 - t over groups of t equal ones.
std::vector<std::int64_t> doubled_ranks(const std::vector<double>& differences, double& ties) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(differences[i]); });
  std::vector<std::int64_t> ranks(differences.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && std::abs(differences[order[end]]) == std::abs(differences[order[i]])) ++end;
    for (std::size_t k = i; k < end; ++k) ranks[order[k]] = static_cast<std::int64_t>(i + 1 + end);
    const auto t = static_cast<double>(end - i);
    ties += t * t * t - t;
    i = end;
  }
  return ranks;
}

constexpr std::size_t kExact = 50;

// Each rank is positive or negative with one half: how often the positive ones sum up to each value.
double exact_tail(const std::vector<std::int64_t>& ranks, std::int64_t sum) {
  const std::int64_t all = std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0});
  std::vector<double> ways(static_cast<std::size_t>(all) + 1, 0.0);
  ways[0] = 1;
  std::int64_t reached = 0;
  for (const std::int64_t rank : ranks) {
    reached += rank;
    for (std::int64_t s = reached; s >= rank; --s)
      ways[static_cast<std::size_t>(s)] += ways[static_cast<std::size_t>(s - rank)];
  }
  const std::int64_t low = std::min(sum, all - sum);
  double below = 0;
  for (std::int64_t s = 0; s <= low; ++s) below += ways[static_cast<std::size_t>(s)];
  return std::min(1.0, 2 * below / std::exp2(static_cast<double>(ranks.size())));
}

}  // namespace

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

RobustCentre robust_centre(const std::vector<double>& values) {
  RobustCentre out;
  if (values.empty()) return out;
  out.median = median_of(values);
  std::vector<double> off;
  off.reserve(values.size());
  for (const double v : values) off.push_back(std::abs(v - out.median));
  constexpr double kSmall[] = {1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  const auto n = static_cast<double>(values.size());
  const double correction = values.size() < std::size(kSmall) ? kSmall[values.size()] : n / (n - 0.8);
  constexpr double kNormal = 1.4826;  // 1 / the third quartile of the normal distribution
  out.sigma = kNormal * correction * median_of(std::move(off));
  return out;
}

double student_tail(double t, double degrees) {
  const double half = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
  return t > 0 ? half : 1 - half;
}

double robust_tail(double deviation, std::size_t n) {
  constexpr double kEfficiency = 0.37;
  return student_tail(deviation, kEfficiency * static_cast<double>(n));
}

std::vector<bool> rejected_at(std::span<const double> probabilities, double rate) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return probabilities[i]; });
  std::size_t count = 0;
  const auto all = static_cast<double>(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    if (probabilities[order[k]] <= rate * static_cast<double>(k + 1) / all) count = k + 1;
  std::vector<bool> out(order.size(), false);
  for (std::size_t k = 0; k < count; ++k) out[order[k]] = true;
  return out;
}

std::optional<SignedRank> signed_rank(const std::vector<double>& all) {
  std::vector<double> differences;
  for (const double d : all)
    if (d != 0) differences.push_back(d);
  if (differences.empty()) return std::nullopt;
  double ties = 0;
  const std::vector<std::int64_t> ranks = doubled_ranks(differences, ties);
  std::int64_t positive = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (differences[i] > 0) positive += ranks[i];
  SignedRank out{.pairs = differences.size()};
  out.positive = 2 * positive > std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0});
  if (out.pairs <= kExact) {
    out.probability = exact_tail(ranks, positive);
    return out;
  }
  const auto n = static_cast<double>(out.pairs);
  const double mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
  const double off = std::max(0.0, std::abs(static_cast<double>(positive) / 2 - mean) - 0.5);  // continuity
  out.probability = std::min(1.0, std::erfc(off / std::sqrt(variance) / std::sqrt(2.0)));
  return out;
}

}  // namespace clusterc
