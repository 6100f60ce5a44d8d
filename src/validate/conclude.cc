#include "validate/conclude.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "targets/demands.h"
#include "targets/metrics.h"
#include "validate/peers.h"
#include "validate/selection.h"

namespace clusterc {
namespace {

// Whether a test of the suite brings the figure.
bool brings(const SuiteTest& t, const ExpectedFigure& figure) {
  return (t.system.empty() ? t.group : t.system) == figure.group && (t.scope.empty() || t.scope == figure.scope) &&
         std::find(t.metrics.begin(), t.metrics.end(), figure.test) != t.metrics.end();
}
bool is_measured(const std::vector<SuiteTest>& suite, const ExpectedFigure& figure) {
  return std::any_of(suite.begin(), suite.end(), [&](const SuiteTest& t) { return brings(t, figure); });
}

// What is expected of this hardware and no validator of this release measures: it was not shown, and is said.
Judged not_shown(const ExpectedFigure& figure, const std::string& why) {
  return {.test = "none",
          .metric = figure.test,
          .node = figure.group + (figure.scope.empty() ? "" : " (" + figure.scope + ")"),
          .verdict = Verdict::skipped,
          .reason = !figure.skip.empty()                                             ? figure.skip
                    : !collective_of(figure.test).empty() && !figure.missing.empty() ? figure.missing
                                                                                     : why,
          .dimension = figure.dimension,
          .ceiling = figure.ceiling.value,
          .typical = figure.typical.value,
          .floor = figure.floor.value,
          .demanded = figure.demanded};
}

// Why a demanded figure has no verdict.
std::string why_not_measured(const Report& report, const ExpectedFigure& figure, const std::vector<SuiteTest>& suite,
                             const std::vector<SuiteTest>& whole) {
  if (report.interrupted) return "not measured: the run was interrupted";
  if (is_measured(suite, figure)) return "not measured: its test brought no figure";
  return is_measured(whole, figure) ? "not measured: its test was left out of this run"
                                    : "not measured: no test of this cluster brings it";
}

// Of storage the sum over the nodes is demanded.
bool concerns(const Judged& judged, const SuiteTest& test, const ExpectedFigure& figure) {
  return judged.metric == figure.test && brings(test, figure) &&
         (test.system.empty() || judged.device == kAllTogether || !judged.value);
}

std::size_t nodes_that_ran(const SuiteTest& test, const std::vector<SuiteTest>& suite) {
  const auto ran = std::ranges::find(suite, test.id, &SuiteTest::id);
  return ran == suite.end() ? 0 : ran->nodes.size();
}

// A test that ran on a part of its nodes shows nothing of the others; empty: each ran on all of them.
std::string why_not_everywhere(const ExpectedFigure& figure, const std::vector<SuiteTest>& suite,
                               const std::vector<SuiteTest>& whole) {
  for (const SuiteTest& all : whole) {
    if (!brings(all, figure)) continue;
    const std::size_t nodes = nodes_that_ran(all, suite);
    if (nodes < all.nodes.size())
      return format("not measured: '{}' ran on {} of {} nodes", all.id, nodes, all.nodes.size());
  }
  return {};
}

}  // namespace

void conclude(Report& report, const Cluster& cluster, const ExpectedFigures& expected,
              const std::vector<SuiteTest>& suite, const std::vector<SuiteTest>& whole) {
  std::map<std::string_view, const SuiteTest*> tests;
  for (const SuiteTest& t : whole) tests.emplace(t.id, &t);
  for (const SuiteTest& t : whole)
    if (const std::size_t ran = nodes_that_ran(t, suite); ran < t.nodes.size())
      report.not_run.push_back(ran == 0 ? t.id : format("{} ({} of {} nodes)", t.id, ran, t.nodes.size()));
  report.whole = report.not_run.empty();
  judge_among_peers(report.verdicts, [&](const Judged& j) {
    const auto test = tests.find(j.test);
    return test == tests.end() || test->second->system.empty() ? -1 : group_of_node(cluster, j.node);
  });
  std::map<std::string_view, std::vector<std::size_t>> by_metric;
  for (std::size_t i = 0; i < report.verdicts.size(); ++i) by_metric[report.verdicts[i].metric].push_back(i);
  std::vector<Judged> unseen;
  for (const ExpectedFigure& figure : expected.figures) {
    const std::string no_test = is_measured(whole, figure) ? std::string() : why_no_test(cluster, figure);
    const bool shown = no_test.empty();
    if (!shown && !report.interrupted) unseen.push_back(not_shown(figure, no_test));
    if (!figure.demanded) continue;
    Demand demand{.metric = figure.test, .group = figure.group, .scope = figure.scope};
    for (const std::size_t i : by_metric[figure.test]) {
      Judged& judged = report.verdicts[i];
      const auto test = tests.find(judged.test);
      if (test == tests.end() || !concerns(judged, *test->second, figure)) continue;
      judged.demanded = true;
      ++demand.measured;
      demand.passed += judged.verdict == Verdict::pass;
      if (judged.verdict != Verdict::pass && demand.why.empty())
        demand.why = format("{} on {}: {}", verdict_name(judged.verdict), judged.node, judged.reason);
    }
    demand.met = demand.measured > 0 && demand.passed == demand.measured;
    if (demand.measured == 0)
      demand.why =
          shown ? why_not_measured(report, figure, suite, whole) : "not measured: " + not_shown(figure, no_test).reason;
    if (demand.met) {
      demand.why = why_not_everywhere(figure, suite, whole);
      demand.met = demand.why.empty();
    }
    report.demands.push_back(std::move(demand));
  }
  for (const DemandWithoutTest& none : demands_without_test(cluster, expected))
    if (!none.expected)
      report.demands.push_back({.metric = none.metric,
                                .group = none.group,
                                .why = format("not measured: {}: no test measures targets.{}", none.why, none.key)});
  std::move(unseen.begin(), unseen.end(), std::back_inserter(report.verdicts));
}

}  // namespace clusterc
