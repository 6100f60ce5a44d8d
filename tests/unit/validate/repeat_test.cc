// --failed: what did not pass runs again, where it did not, and both results are in the report. What is demanded.
#include "validate/repeat.h"

#include <algorithm>

#include "report/validation_report.h"
#include "unit/validate/suite_fixture.h"
#include "validate/run_verdict.h"

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
  EXPECT_FALSE(is_good(run_verdict(first)));
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
  EXPECT_TRUE(is_good(run_verdict(merged)));
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

// `validate --failed`: the report is read back, and what it says is repeated on `chosen`.
struct Repeated {
  std::vector<SuiteTest> again;
  Report merged;
};

class FailedAgain : public Suite {
 protected:
  Repeated repeat(const Report& first, const std::vector<SuiteTest>& chosen) {
    std::string error;
    const auto earlier = read_report(render_validation_json(first, "d"), error);
    EXPECT_TRUE(earlier) << error;
    if (!earlier) return {};
    Repeated out{tests_to_repeat(chosen, earlier->report), {}};
    now += 3600;
    ValidateOptions options = journalled();
    options.whole_suite = &suite;
    options.earlier = &*earlier;
    out.merged = run_suite(*resolved.cluster, expected, out.again, launcher, options);
    return out;
  }
  void demand(std::set<std::string> metrics) {
    for (ExpectedFigure& f : expected.figures)
      if (metrics.contains(f.test)) f.demanded = f.floor_by_user = true, f.floor.value = 1, f.missing.clear();
  }
};

// What --time-budget left out is no pass: --failed makes up for it, and until then the run has not passed.
TEST_F(FailedAgain, WhatWasLeftOutIsRepeatedOrStaysLeftOut) {
  std::vector<SuiteTest> hurried = suite;
  std::set<std::string> left_out;
  for (SuiteTest& t : hurried)
    if (t.validator == "memory" || t.validator == "mpi") {
      t.skip = "left out: --time-budget 1 s has no room for it", t.left_out = true;
      left_out.insert(t.id);
    }
  ASSERT_EQ(left_out.size(), 2u);
  Report first = run_suite(*resolved.cluster, expected, hurried, launcher, journalled());
  first.selection = "--time-budget 1 s";
  EXPECT_FALSE(is_good(run_verdict(first)));
  // Repeated with the same budget: nothing has room, and nothing is forgotten.
  const Repeated nothing = repeat(first, {});
  EXPECT_EQ(nothing.merged.left_out.size(), 2u);
  EXPECT_FALSE(is_good(run_verdict(nothing.merged)));
  const Repeated all = repeat(first, suite);
  std::set<std::string> ran;
  for (const SuiteTest& t : all.again) {
    ran.insert(t.id);
    EXPECT_EQ(t.nodes.size(), 4u) << t.id;
  }
  EXPECT_EQ(ran, left_out);
  EXPECT_TRUE(all.merged.left_out.empty());
  EXPECT_EQ(all.merged.selection, "in the earlier run: --time-budget 1 s");  // of the figures that stay
  EXPECT_TRUE(is_good(run_verdict(all.merged)));
  for (const Judged& j : all.merged.verdicts) EXPECT_FALSE(j.reason.starts_with("left out")) << j.metric << j.node;
}

// A run on two of four nodes shows nothing of the other two, whatever is repeated of it.
TEST_F(FailedAgain, APartOfTheNodesDoesNotBecomeTheWhole) {
  demand({"memory.triad", "hpl.score"});
  std::vector<SuiteTest> part = plan_suite(*resolved.cluster, expected, {.seconds = 0.5, .nodes = {"n1", "n2"}});
  std::erase_if(part, [](const SuiteTest& t) { return t.stage == SuiteStage::pair; });
  ValidateOptions options = journalled();
  options.whole_suite = &suite;
  const Report first = run_suite(*resolved.cluster, expected, part, launcher, options);
  const auto why = [](const Report& r) {
    std::string out;
    for (const Demand& d : r.demands) out += d.why + "\n";
    return out;
  };
  const std::string two =
      "not measured: 'node/cpu/memory' ran on 2 of 4 nodes\nnot measured: 'group/cpu/hpl' ran on 2 of 4 nodes\n";
  EXPECT_EQ(why(first), two);
  const Repeated same = repeat(first, part);
  EXPECT_TRUE(same.again.empty());
  EXPECT_EQ(why(same.merged), two);
  EXPECT_FALSE(is_good(run_verdict(same.merged)));
  // All nodes: the other two by themselves, jobs over several nodes on all of them.
  const Repeated rest = repeat(first, suite);
  for (const SuiteTest& t : rest.again) EXPECT_EQ(t.nodes.size(), t.mpi || !t.system.empty() ? 4u : 2u) << t.id;
  EXPECT_TRUE(is_good(run_verdict(rest.merged))) << why(rest.merged);
}

// A result of a node that nobody asked stays no longer than the test that it belonged to.
TEST_F(FailedAgain, AStrangersErrorIsReplaced) {
  Report first = run(journalled());
  Judged stranger = first.verdicts.front();
  stranger.node = "unknown", stranger.verdict = Verdict::error, stranger.reason = "contradictory: …";
  first.verdicts.push_back(stranger);
  const Repeated all = repeat(first, suite);
  EXPECT_EQ(all.again.size(), 1u);
  EXPECT_TRUE(is_good(run_verdict(all.merged)));
}

// A round of confirmation is no test of the suite: its fail is not lost when nothing of the search is repeated.
TEST_F(FailedAgain, AFailInAConfirmationStays) {
  Report first = run(journalled());
  Judged failed = first.verdicts.front();
  failed.test = "pair/cpu/confirm-1", failed.metric = "rdma.write", failed.verdict = Verdict::fail;
  first.verdicts.push_back(failed);
  first.searches.push_back({.group = "cpu"});
  EXPECT_FALSE(is_good(run_verdict(repeat(first, suite).merged)));
  SuiteTest round = suite.front();
  round.id = "pair/cpu/fabric-1", round.search_round = 1, round.group = "cpu";
  Judged good = failed;
  good.test = round.id, good.verdict = Verdict::pass, good.node = "n[1-4]";
  first.verdicts.push_back(good);
  EXPECT_EQ(tests_to_repeat({round}, first).size(), 1u);
}

// Where every test was skipped nothing was shown.
TEST_F(Suite, ARunInWhichNothingRanHasNotPassed) {
  for (SuiteTest& t : suite) t.skip = "the spec excludes it";
  const Report r = run();
  EXPECT_GT(r.count(Verdict::skipped), 0u);
  EXPECT_FALSE(is_good(run_verdict(r)));
  EXPECT_NE(render_validation_junit(r).find("nothing was run"), std::string::npos);
  EXPECT_NE(render_validation_text(r).find("nothing was run: every test was skipped"), std::string::npos);
}

// A verdict without a figure has the unit of its metric all the same.
TEST_F(Suite, AFigureThatIsAbsentHasItsUnit) {
  launcher.says["mpi"] = {R"({"record":"end","status":"error","reason":"timeout"})"};
  const Report r = run();
  const auto at = std::ranges::find(r.verdicts, "mpi.allreduce.time", &Judged::metric);
  ASSERT_NE(at, r.verdicts.end());
  EXPECT_EQ(at->verdict, Verdict::error);
  EXPECT_EQ(at->dimension, Dimension::time);
  EXPECT_TRUE(at->lower_is_better);
}

// What the spec demands and this run left out is not met, whatever passed.
TEST_F(Suite, WhatIsDemandedMustBeMeasured) {
  for (ExpectedFigure& f : expected.figures)
    if (f.test == "memory.triad" || f.test == "hpl.score")
      f.demanded = f.floor_by_user = true, f.floor.value = 1, f.missing.clear();
  const Report all = run();
  ASSERT_EQ(all.demands.size(), 2u);
  EXPECT_TRUE(all.demands[0].met && all.demands[1].met) << all.demands[0].why << all.demands[1].why;
  EXPECT_TRUE(is_good(run_verdict(all)));
  std::vector<SuiteTest> part = suite;
  std::erase_if(part, [](const SuiteTest& t) { return t.validator == "hpl"; });
  const Report r = run_suite(*resolved.cluster, expected, part, launcher, {.whole_suite = &suite});
  EXPECT_FALSE(is_good(run_verdict(r)));
  ASSERT_EQ(r.demands.size(), 2u);
  EXPECT_EQ(r.demands[0].metric, "memory.triad");
  EXPECT_EQ(r.demands[0].measured, 4u);
  EXPECT_EQ(r.demands[1].why, "not measured: its test was left out of this run");
}

// A demand that no test of this cluster measures is not met, and is not forgotten.
TEST_F(Suite, WhatIsDemandedWithoutATestIsNotMet) {
  EXPECT_TRUE(run().demands.empty());
  Targets& targets = *resolved.cluster->spec.targets;
  targets.all_reduce.emplace();
  const Report r = run();
  ASSERT_EQ(r.demands.size(), 1u);
  EXPECT_EQ(r.demands[0].metric, "nccl.all_reduce.busbw");
  EXPECT_FALSE(r.demands[0].met);
  EXPECT_EQ(r.demands[0].why, "not measured: the cluster has no GPUs: no test measures targets.all_reduce");
  EXPECT_EQ(run_verdict(r), RunVerdict::failed);
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
