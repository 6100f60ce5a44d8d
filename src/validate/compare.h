// Two reports of one cluster: which figures changed by more than their noise.
//
// Verdicts are paired by test, metric, node and device; the figures of a pair are compared if their sizes are equal.
// There is one value for each, so what a change means is decided in two ways:
// * of one test and metric over many nodes and devices: Wilcoxon's signed-rank test of the logarithms of now / before
//   (base/statistics.h), with the false discovery rate kCompareRate over all tests and metrics. It needs kFewestPairs
//   pairs: of fewer no outcome is that improbable.
// * of a single figure: the repetitions of both measurements, whose 5 % and 95 % quantiles the reports have. It changed
//   if these intervals do not overlap and the change is more than kCompareGap.
// Example: 16 nodes, each 4 % slower than before: p = 2 / 2^16 = 0.00003.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "validate/run.h"

namespace clusterc {

inline constexpr double kCompareRate = 0.05;
inline constexpr std::size_t kFewestPairs = 6;  // 2 / 2^5 = 0.0625 is above the rate, 2 / 2^6 = 0.031 below
inline constexpr double kCompareGap = 0.03;     // the guard of the targets

enum class Change { same, better, worse, unknown };  // unknown: too few pairs, or no quantiles
std::string_view change_name(Change);

struct ComparedFigure {
  std::string test, metric, node, device;
  Dimension dimension = Dimension::byte_rate;
  double before = 0, now = 0;
  double gain = 0;  // as a fraction of `before`; positive is better, whichever way the metric counts
  Change change = Change::unknown;
  Verdict verdict_before = Verdict::error, verdict_now = Verdict::error;
};
struct ComparedMetric {
  std::string test, metric;
  std::size_t pairs = 0;
  double gain = 0;                    // median over the pairs
  std::optional<double> probability;  // that chance alone makes such a change; too few pairs: none
  Change change = Change::unknown;
};

struct Comparison {
  std::int64_t before_started = 0;
  std::vector<std::string> differs;     // what else is not the same: "spec", "version of clusterc" …
  std::vector<ComparedMetric> metrics;  // in the order of the report of now
  std::vector<ComparedFigure> figures;  // that got better or worse alone, or whose verdict changed
  std::size_t pairs = 0, only_before = 0, only_now = 0;
  std::size_t verdicts_worse() const;  // a fault now where none was, or where it was only degraded
  bool got_worse() const;
};

Comparison compare_reports(const Report& before, const std::string& spec_before, const Report& now,
                           const std::string& spec_now);

}  // namespace clusterc
