#include "validate/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/statistics.h"

namespace clusterc {
namespace {

using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
Key key_of(const Judged& j) { return {j.test, j.metric, j.node, j.device}; }

bool has_figure(const Judged& j) { return j.value && *j.value > 0 && j.data_verified; }

bool is_bad(Verdict v) { return v == Verdict::degraded || v == Verdict::fail || v == Verdict::error; }

// A figure that was no fault and is one, or was slow and is worse than that.
bool is_worse(Verdict before, Verdict now) {
  return is_bad(now) && (!is_bad(before) || (before == Verdict::degraded && now != Verdict::degraded));
}

// Of a time less is better.
double gain_of(const Judged& before, const Judged& now) {
  return now.lower_is_better ? *before.value / *now.value - 1 : *now.value / *before.value - 1;
}

Change change_of(const Judged& before, const Judged& now, double gain) {
  if (std::abs(gain) <= kCompareGap) return Change::same;
  if (before.p05 <= 0 || now.p05 <= 0 || before.samples < 2 || now.samples < 2) return Change::unknown;
  const bool apart = before.p05 > now.p95 || now.p05 > before.p95;
  return !apart ? Change::same : gain > 0 ? Change::better : Change::worse;
}

struct Series {
  std::vector<double> logs;  // of now / before, better is positive
};

// What was measured on a device then, and now the node has one verdict without a figure in its place.
void add_figures_that_are_gone(const std::map<Key, const Judged*>& only_before, const Report& now, Comparison& out) {
  std::map<Key, const Judged*> without;  // device: none
  for (const Judged& j : now.verdicts)
    if (!j.value && j.device.empty()) without.emplace(key_of(j), &j);
  for (const auto& [key, was] : only_before) {
    const auto at = without.find({was->test, was->metric, was->node, ""});
    if (at == without.end() || !is_worse(was->verdict, at->second->verdict)) continue;
    out.figures.push_back({was->test, was->metric, was->node, was->device, was->dimension, 0, 0, 0, Change::same,
                           was->verdict, at->second->verdict});
  }
}

void decide(std::vector<ComparedMetric>& metrics, const std::vector<Series>& series) {
  std::vector<double> probabilities;
  std::vector<bool> better;  // not by the median: where most pairs are equal it is 0
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    metrics[i].pairs = series[i].logs.size();
    metrics[i].gain = std::expm1(median_of(series[i].logs));
    if (metrics[i].pairs < kFewestPairs) continue;
    const auto test = signed_rank(series[i].logs);
    metrics[i].probability = test ? test->probability : 1;
    probabilities.push_back(*metrics[i].probability);
    better.push_back(test && test->positive);
    of.push_back(i);
  }
  const std::vector<bool> changed = rejected_at(probabilities, kCompareRate);
  for (std::size_t k = 0; k < of.size(); ++k)
    metrics[of[k]].change = !changed[k] ? Change::same : better[k] ? Change::better : Change::worse;
}

std::vector<std::string> differences(const Report& before, const std::string& spec_before, const Report& now,
                                     const std::string& spec_now) {
  std::vector<std::string> out;
  if (before.cluster != now.cluster) out.emplace_back("cluster");
  if (spec_before != spec_now) out.emplace_back("spec");
  if (before.launcher != now.launcher) out.emplace_back("launcher");
  if (before.program_version != now.program_version) out.emplace_back("version of clusterc");
  if (before.bundle_digest != now.bundle_digest) out.emplace_back("validators");
  return out;
}

}  // namespace

std::string_view change_name(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::better:
      return "better";
    case Change::worse:
      return "worse";
    case Change::unknown:
      return "unknown";
  }
  return "?";
}

bool Comparison::got_worse() const {
  const auto worse = [](const auto& c) { return c.change == Change::worse; };
  return std::ranges::any_of(metrics, worse) || std::ranges::any_of(figures, worse) || verdicts_worse() > 0;
}

std::size_t Comparison::verdicts_worse() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      figures, [](const ComparedFigure& f) { return is_worse(f.verdict_before, f.verdict_now); }));
}

Comparison compare_reports(const Report& before, const std::string& spec_before, const Report& now,
                           const std::string& spec_now) {
  Comparison out{.before_started = before.started, .differs = differences(before, spec_before, now, spec_now)};
  std::map<Key, const Judged*> old;
  for (const Judged& j : before.verdicts) old.emplace(key_of(j), &j);
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  std::vector<Series> series;
  for (const Judged& j : now.verdicts) {
    const auto at = old.find(key_of(j));
    if (at == old.end()) {
      ++out.only_now;
      continue;
    }
    const Judged& was = *at->second;
    old.erase(at);
    ++out.pairs;
    ComparedFigure figure{j.test, j.metric, j.node,       j.device,    j.dimension, 0,
                          0,      0,        Change::same, was.verdict, j.verdict};
    if (has_figure(was) && has_figure(j) && was.dimension == j.dimension && was.size == j.size) {
      figure.before = *was.value, figure.now = *j.value, figure.gain = gain_of(was, j);
      figure.change = change_of(was, j, figure.gain);
      const auto [metric, fresh] = known.try_emplace({j.test, j.metric}, out.metrics.size());
      if (fresh) out.metrics.push_back({.test = j.test, .metric = j.metric}), series.emplace_back();
      series[metric->second].logs.push_back(std::log1p(figure.gain));
    }
    if (figure.change == Change::better || figure.change == Change::worse || was.verdict != j.verdict)
      out.figures.push_back(std::move(figure));
  }
  out.only_before = old.size();
  add_figures_that_are_gone(old, now, out);
  decide(out.metrics, series);
  return out;
}

}  // namespace clusterc
