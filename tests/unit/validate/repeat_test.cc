// --failed: what did not pass runs again, where it did not, and both results are in the report. What is demanded.
#include "validate/repeat.h"

#include <algorithm>

#include "report/validation_report.h"
#include "unit/validate/suite_fixture.h"

namespace clusterc {
namespace {

using test::measurement;
using test::Suite;

std::vector<std::string> slow_memory() {
  std::vector<std::string> lines{test::kHeader};
  for (const char* m : {"memory.copy", "memory.scale", "memory.add"}) lines.push_back(measurement(m, "1e9"));
  lines.push_back(R"({"record":"end","status":"error","reason":"timeout","detail":""})");
  return lines;
}

TEST_F(Suite, WhatFailedIsRepeatedWhereItFailedAndMerged) {
  launcher.down["n3"] = "drained (fan)";
  launcher.says["memory"] = slow_memory();
  const Report first = run(journalled());
  EXPECT_FALSE(first.passed());
  std::string error;
  const auto earlier = read_report(render_validation_json(first, "d"), error);
  ASSERT_TRUE(earlier) << error;
  const std::vector<SuiteTest> again = tests_to_repeat(suite, earlier->report);
  for (const SuiteTest& t : again) {
    const std::size_t nodes = t.validator == "probe" || t.validator == "gemm" ? 1 : 4;
    EXPECT_EQ(t.nodes.size(), nodes) << t.id;
    if (nodes == 1) {
      EXPECT_EQ(t.nodes.front(), "n3") << t.id;
    }
  }
  launcher.down.clear();
  launcher.says.clear();
  launcher.started.clear();
  now += 3600;
  ValidateOptions options = journalled();
  options.whole_suite = &suite;
  options.earlier = &*earlier;
  const Report merged = run_suite(*resolved.cluster, expected, again, launcher, options);
  EXPECT_TRUE(merged.passed());
  EXPECT_EQ(merged.repeats, 1'000'000'000);
  // As many verdicts as of a run in which nothing failed, in the same order.
  launcher.started.clear();
  now += 3600;
  const Report whole = run(journalled());
  ASSERT_EQ(merged.verdicts.size(), whole.verdicts.size());
  EXPECT_TRUE(std::ranges::is_permutation(
      merged.verdicts, whole.verdicts, {}, [](const Judged& j) { return j.test.str() + j.metric + j.node + j.device; },
      [](const Judged& j) { return j.test.str() + j.metric + j.node + j.device; }));
  for (const Judged& j : merged.verdicts) {
    const bool repeated = j.metric == "memory.triad" || j.node == "n3";
    if (j.test.starts_with("inventory") || j.test.starts_with("node")) {
      EXPECT_EQ(j.from_report, !repeated && !j.metric.starts_with("memory")) << j.metric << j.node;
    }
    if (j.metric == "memory.triad" && j.node == "n1") {
      ASSERT_EQ(j.history.size(), 1u);
      EXPECT_EQ(j.history[0].verdict, Verdict::error);
      EXPECT_EQ(j.history[0].reason, "timeout");
    }
    if (j.metric == "probe" && j.node == "n3") {
      ASSERT_EQ(j.history.size(), 1u);
      EXPECT_EQ(j.history[0].reason, "did not run: drained (fan)");
    }
  }
}

TEST_F(Suite, AReportOfSomethingElseIsNotRepeated) {
  std::string error;
  const auto earlier = read_report(render_validation_json(run(journalled()), "other"), error);
  ASSERT_TRUE(earlier) << error;
  ValidateOptions options = journalled();
  options.whole_suite = &suite;
  options.earlier = &*earlier;
  const Report r = run_suite(*resolved.cluster, expected, {}, launcher, options);
  EXPECT_EQ(r.error,
            "the earlier report cannot be continued: it is of another spec: validate the changed spec as a whole");
  EXPECT_FALSE(read_report("{}", error));
  EXPECT_FALSE(read_report(R"({"format":"clusterc-validation","version":2})", error));
  EXPECT_NE(error.find("version 2"), std::string::npos);
}

// What the spec demands and this run left out is not met, whatever passed.
TEST_F(Suite, WhatIsDemandedMustBeMeasured) {
  for (ExpectedFigure& f : expected.figures)
    if (f.test == "memory.triad" || f.test == "hpl.score")
      f.demanded = f.floor_by_user = true, f.floor.value = 1, f.missing.clear();
  const Report all = run();
  ASSERT_EQ(all.demands.size(), 2u);
  EXPECT_TRUE(all.demands[0].met && all.demands[1].met) << all.demands[0].why << all.demands[1].why;
  EXPECT_TRUE(all.passed());
  std::vector<SuiteTest> part = suite;
  std::erase_if(part, [](const SuiteTest& t) { return t.validator == "hpl"; });
  const Report r = run_suite(*resolved.cluster, expected, part, launcher, {.whole_suite = &suite});
  EXPECT_FALSE(r.passed());
  ASSERT_EQ(r.demands.size(), 2u);
  EXPECT_EQ(r.demands[0].metric, "memory.triad");
  EXPECT_EQ(r.demands[0].measured, 4u);
  EXPECT_EQ(r.demands[1].why, "not measured: its test was left out of this run");
}

// A world that came up on fewer nodes than asked for is no figure of the cluster.
TEST_F(Suite, AWorldOnFewerNodesIsAnError) {
  launcher.says["hpl"] = {test::kHeader, measurement("hpl.score", "1e9", R"(,"parameters":{"nodes":3})"), test::kDone};
  const Report r = run();
  const auto at = std::ranges::find(r.verdicts, "hpl.score", &Judged::metric);
  ASSERT_NE(at, r.verdicts.end());
  EXPECT_EQ(at->verdict, Verdict::error);
  EXPECT_EQ(at->reason, "contradictory: hpl.score was measured on 3 nodes, 4 were requested");
}

}  // namespace
}  // namespace clusterc
