// The suite through a launcher that is told what to say: drained nodes, timeouts, errors, contradictions.
#include "validate/run.h"

#include <map>
#include <set>

#include "base/text.h"
#include "base/utc.h"
#include "unit/validate/suite_fixture.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

using test::FakeLauncher;
using test::kDone;
using test::kHeader;
using test::measurement;
using test::put;
using test::Suite;

TEST_F(Suite, HealthyRunPasses) {
  const Report r = run();
  EXPECT_TRUE(is_good(run_verdict(r)));
  EXPECT_EQ(r.count(Verdict::pass), 4u);  // the probes; a virtual machine's figures are unjudged
  EXPECT_EQ(r.count(Verdict::unjudged),
            4u * 6 + 1 + 2 + 4 * 9 + 2);  // the last: /home, which nobody says the rate of, on each node and in sum
  EXPECT_EQ(launcher.started, (std::vector<std::string>{"probe", "memory", "gemm", "hpl", "mpi", "storage"}));
}

// Slurm counts instances: of eight GPUs cut into seven all 56 are asked for, or the probe would see the GPUs of eight
// instances alone. Skipped is not passed where the spec demands it.
TEST_F(Suite, InstancesAreAskedForWhereTheSchedulerCountsThem) {
  for (const auto& [mig, gpus] : {std::pair{"7x1g.10gb", 56}, {"1g.20gb", 8}, {"off", 8}}) {
    Resolved r;
    r.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: n1, "
        "model: nvidia-dgx-h100, software: { mig: " +
        std::string(mig) + " } }\ntargets: { hpl: { guard: 0.9 } }\n");
    ASSERT_TRUE(r.cluster) << r.told();
    const ExpectedFigures figures = expect_figures(*r.cluster, plan_cluster(*r.cluster));
    FakeLauncher fake;
    const Report report = run_suite(*r.cluster, figures, plan_suite(*r.cluster, figures), fake, ungated());
    EXPECT_EQ(fake.asked.at("probe"), gpus) << mig;
    EXPECT_EQ(fake.asked.at("memory"), gpus) << mig;
    EXPECT_EQ(fake.asked.contains("hpl"), std::string(mig) == "off");
    for (const Judged& j : report.verdicts)
      if (j.metric == "hpl.score" && std::string(mig) != "off") {
        EXPECT_TRUE(j.verdict == Verdict::skipped && j.demanded) << j.reason;
      }
  }
}

TEST_F(Suite, SecondsReachTheValidatorsAsTheyAre) {
  EXPECT_EQ(suite[1].arguments, (std::vector<std::string>{"--device", "host", "--seconds", "0.5"}));
  EXPECT_EQ(suite[3].arguments, (std::vector<std::string>{"--device", "host", "--seconds",
                                                          "0.5"}));  // hpl takes the order that lasts so long
  EXPECT_EQ(suite[4].arguments,
            (std::vector<std::string>{"--tests", "allreduce", "--seconds",
                                      "0.5"}));  // of all nodes; what it measures between two is not judged
  EXPECT_GT(suite[4].timeout, std::chrono::seconds(600 + 48));  // 96 figures of half a second
}

TEST_F(Suite, DrainedNodeIsNamedAndTheRunIsNotPassed) {
  launcher.down["n3"] = "drained (testing)";
  const Report r = run();
  EXPECT_FALSE(is_good(run_verdict(r)));
  const auto n3 = of(r, "n3");
  ASSERT_EQ(n3.size(), 1u + 4 + 2 + 9);
  for (const Judged* j : n3) {
    EXPECT_EQ(j->verdict, Verdict::error);
    EXPECT_EQ(j->reason, "did not run: drained (testing)");
  }
  for (const Judged* j : of(r, "n[1-2,4]")) {
    EXPECT_EQ(j->verdict, Verdict::error);
    EXPECT_EQ(j->reason, j->device == "all together" ? "3 of 4 nodes returned a figure"
                                                     : "ran on 3 of 4 nodes: n3 is drained (testing)");
  }
  EXPECT_EQ(of(r, "n[1-2,4]").size(), 1u + 2 + 2);
}

TEST_F(Suite, LauncherThatTimesOutIsAnErrorOfEachFigure) {
  launcher.error = "'srun' was ended after 600 s";
  const Report r = run();
  EXPECT_EQ(r.count(Verdict::pass), 0u);
  EXPECT_EQ(r.count(Verdict::error), r.verdicts.size());
  EXPECT_EQ(r.verdicts[0].reason, "'srun' was ended after 600 s");
  EXPECT_EQ(launcher.started, std::vector<std::string>{"probe"});  // the gate is shut
}

TEST_F(Suite, CutOffAndBusyAreErrors) {
  launcher.says["memory"] = {kHeader, measurement("memory.copy", "1e9")};
  launcher.says["gemm"] = {kHeader,
                           R"({"record":"end","status":"error","reason":"busy","detail":"other work used 50 %"})"};
  const Report r = run(ungated());
  EXPECT_FALSE(is_good(run_verdict(r)));
  EXPECT_EQ(r.count(Verdict::error), 4u * (3 + 2));
  for (const Judged& j : r.verdicts)
    if (j.metric == "gemm.fp64") {
      EXPECT_EQ(j.reason, "busy: other work used 50 %");
    }
}

// Rank 0 died without a word and the launcher ended the others: what it says of that stands in the report, What has
// told its cause needs none.
TEST_F(Suite, WhatDiedWithoutAWordSpeaksThroughItsLauncher) {
  const std::string last = "srun: error: n1: task 0: Segmentation fault";
  for (const std::string program : {"hpl", "gemm"}) launcher.complains[program] = {last};
  launcher.says["hpl"] = {
      kHeader, R"({"record":"end","status":"error","reason":"interrupted","detail":"rank 1 on 'n2': SIGTERM"})"};
  launcher.says["gemm"] = {kHeader,
                           R"({"record":"end","status":"error","reason":"busy","detail":"other work used 50 %"})"};
  ValidateOptions options = journalled();
  options.keep_going = true;
  const Report r = run(options);
  std::size_t seen = 0;
  for (const Judged& j : r.verdicts) {
    if (j.metric == "hpl.score") {
      ++seen;
      EXPECT_EQ(j.reason, "interrupted: rank 1 on 'n2': SIGTERM; on standard error: " + last);
    }
    if (j.metric == "gemm.fp64") {
      ++seen;
      EXPECT_EQ(j.reason, "busy: other work used 50 %");
    }
  }
  EXPECT_EQ(seen, 5u);
}

// What contradicts itself, its launch or its own count passes nothing and says why; so does the same when the journal
// brings it back.
TEST_F(Suite, ResultsThatContradictThemselvesAreNoPasses) {
  suite = plan_suite(*resolved.cluster, expected, {.seconds = 0.5, .memtest = true});
  std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "memtest"; });
  ASSERT_EQ(suite.size(), 1u);
  suite[0].metrics = {"memtest.hold"};
  const auto told = [&](const std::vector<std::string>& lines) {
    launcher.says["memtest"] = lines;
    const Report r = run();
    std::string out;
    for (const Judged* j : of(r, "n1")) {
      out += (out.empty() ? "" : "; ") + std::string(verdict_name(j->verdict)) + " " + j->reason;
      EXPECT_TRUE(is_good(run_verdict(r)) || j->verdict == Verdict::fail || j->verdict == Verdict::error);
      EXPECT_TRUE(j->verdict == Verdict::pass || !j->data_verified);
    }
    return out;
  };
  const std::string good = measurement("memtest.hold", "1e9");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    put(line, from, to);
    EXPECT_NE(line, good) << from;
    return line;
  };
  EXPECT_EQ(told({kHeader, good, kDone}), "pass ");
  EXPECT_EQ(told({kHeader, with(R"("wrong":0)", R"("wrong":1)"), kDone}),
            "fail the data is wrong: 1 of 1 values checked");
  EXPECT_EQ(told({kHeader, with(R"("checked":1)", R"("checked":0)"), kDone}),
            "error contradictory: the data is marked as verified, but none was checked");
  EXPECT_EQ(
      told({kHeader, good, R"({"record":"end","status":"done","measurements":1,"wrong":2,"data_verified":false})"}),
      "fail the data is wrong: the end record reports 2 wrong values, but none of the figures does");
  EXPECT_EQ(
      told({kHeader, good, R"({"record":"end","status":"done","measurements":2,"wrong":0,"data_verified":true})"}),
      "error incomplete: the end record counts 2 figures, the result has 1");
  EXPECT_EQ(told({kHeader, good, R"({"record":"end","status":"done","wrong":0,"data_verified":true})"}),
            "error damaged record: 'measurements' is not a count");
  EXPECT_EQ(told({kHeader, with("B/s", "FLOP/s"), kDone}),
            "error contradictory: measured in FLOP/s, the unit of memtest.hold is B/s");
  EXPECT_EQ(told({kHeader, with("B/s", "GB/s"), kDone}), "error damaged record: 'GB/s' is not a unit of a figure");
  EXPECT_EQ(told({kHeader, with(R"({"label")", R"({"backend":"cuda","label")"), kDone}),
            "error contradictory: memtest.hold was measured by the back end 'cuda', but 'host' was started");
  EXPECT_EQ(told({good, kDone}), "error damaged result: it has no header");
  EXPECT_EQ(
      told({kHeader, kHeader, good, kDone}),
      "error contradictory: 2 results in one (each rank ran alone: launcher and program use different MPI libraries)");
  std::string other = kHeader;
  put(other, "@program", "memory");
  EXPECT_EQ(told({other, good, kDone}),
            "error contradictory: a result of the validator 'memory', but 'memtest' was started");
  other = kHeader;
  put(other, "@node", "n2.cluster.example");
  EXPECT_EQ(told({other, good, kDone}), "error contradictory: the result of this node names 'n2' as its host");
  put(other, "n2.cluster.example", "behind-an-alias");
  EXPECT_EQ(told({other, good, kDone}), "pass ");
  EXPECT_EQ(told({kHeader, with(R"("device")", R"("host":"n3","device")"), kDone}),
            "error contradictory: a figure of 'n3' in a result of 'n1'");
  EXPECT_EQ(told({kHeader, good, with("1e9", "2e9"), kDone}),
            "error contradictory: memtest.hold of host reported twice, 1e+09 and 2e+09 B/s");
  EXPECT_EQ(told({kHeader, good, good, kDone}),
            "error contradictory: memtest.hold of host reported twice, 1e+09 and 1e+09 B/s");
  EXPECT_EQ(told({kHeader, measurement("memtest.hold", "1e9", R"(,"parameters":{"round":1})"),
                  measurement("memtest.hold", "2e9", R"(,"parameters":{"round":2})"), kDone}),
            "pass ");
  for (const char* value : {R"("1e9")", "true", "null"})
    EXPECT_EQ(told({kHeader, with("1e9", value), kDone}), "error damaged record: 'value' is not a number");
  EXPECT_EQ(told({kHeader, with("1e9", "1e300"), kDone}), "error damaged record: 'value' is 1e+300");
  EXPECT_EQ(told({kHeader, with("1e9", "-1"), kDone}), "error damaged record: 'value' is -1");
  EXPECT_EQ(told({kHeader, with("1e9", "NaN"), kDone}).substr(0, 35), R"(error damaged record: {"record":"me)");
  launcher.twice = true;
  EXPECT_EQ(told({kHeader, good, kDone}), "error contradictory: 2 results of this node");
}

// The launcher knows where it started a task. A node that calls itself another one spoils its own result and that of
// the other, and no figure of either is kept.
TEST_F(Suite, AResultIsOfTheNodeOnWhichItWasStarted) {
  const auto reasons = [&](const char* node) {
    std::set<std::string> out;
    const Report r = run();
    for (const Judged* j : of(r, node))
      if (j->test.find("/memory") != std::string::npos || j->metric == "probe") {
        EXPECT_EQ(j->verdict, Verdict::error);
        EXPECT_FALSE(j->value);
        out.insert(j->reason);
      }
    return out;
  };
  using Reasons = std::set<std::string>;
  const std::string gated = "did not run: its inventory stage failed";
  launcher.claims = {{"n1", "n2"}, {"n2", "n2"}, {"n3", "n3"}};
  EXPECT_EQ(reasons("n1"), (Reasons{"contradictory: the result of this node names 'n2' as its host", gated}));
  EXPECT_EQ(reasons("n2"), (Reasons{"contradictory: 2 results of this node", gated}));
  launcher.claims = {{"n1", "n2"}, {"n2", "n1"}};  // two that changed places
  EXPECT_EQ(reasons("n1"), (Reasons{"contradictory: the result of this node names 'n2' as its host", gated}));
  EXPECT_EQ(reasons("n2"), (Reasons{"contradictory: the result of this node names 'n1' as its host", gated}));
  launcher.claims = {{"n1", "n7\n::add-mask::x"}};  // one that there is not
  EXPECT_EQ(reasons("n1"),
            (Reasons{"contradictory: the result of this node names 'n7 ::add-mask::x' as its host", gated}));
  launcher.claims.clear();
  launcher.broken = {{"n4", "it printed more than 16 MiB, the limit of a task"}};
  EXPECT_EQ(reasons("n4"), (Reasons{"ended: it printed more than 16 MiB, the limit of a task", gated}));
  const Report r = run();
  EXPECT_EQ(of(r, "n3").front()->verdict, Verdict::pass);
}

TEST_F(Suite, CollectivesAreJudgedInFloat32AtTheLargestSize) {
  const auto at = [](const char* value, int size, const char* type, bool in_place, const char* data = "") {
    return measurement("mpi.allreduce.busbw", value,
                       R"(,"size":)" + std::to_string(size) + R"(,"parameters":{"type":")" + type + R"(","in_place":)" +
                           (in_place ? "true" : "false") + "}" + data);
  };
  launcher.says["mpi"] = {kHeader,
                          at("9e8", 8, "float32", true),
                          at("5e8", 1024, "float32", true),
                          at("4e8", 1024, "float32", false),
                          at("7e8", 4096, "int32", true),
                          kDone};
  std::vector<double> values;
  for (const Judged& j : run().verdicts)
    if (j.metric == "mpi.allreduce.busbw") values.push_back(*j.value);
  EXPECT_EQ(values, (std::vector<double>{5e8, 4e8}));
}

// What finds faults runs only where it is asked for, and passes by its data; who is slow is named and degraded, unless
// other work made it so.
TEST_F(Suite, FaultFindersPassByTheirDataAndNameWhoIsSlow) {
  suite = plan_suite(*resolved.cluster, expected, {.seconds = 0.5, .memtest = true, .burn = true});
  std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "memtest" && t.validator != "burn"; });
  ASSERT_EQ(suite.size(), 2u);
  const auto verdict = [&](const std::string& more, const char* metric = "burn.flops") {
    launcher.says["memtest"] = {kHeader, measurement("memtest.hold", "1e9", more), kDone};
    launcher.says["burn"] = {kHeader, measurement("burn.flops", "1e9", more), measurement("burn.slowest", "1e9", more),
                             kDone};
    const Report r = run();
    for (const Judged& j : r.verdicts)
      if (j.node == "n1" && j.metric == metric) return std::string(verdict_name(j.verdict)) + " " + j.reason;
    return std::string();
  };
  EXPECT_EQ(verdict(""), "pass ");
  EXPECT_EQ(verdict(R"(,"parameters":{"slow":"processor 5 got 0.31 of its time"})"),
            "degraded processor 5 got 0.31 of its time");
  EXPECT_EQ(verdict(R"(,"busy":true,"parameters":{"slow":"processor 5 got 0.31 of its time"})").substr(0, 11),
            "error busy:");
  EXPECT_EQ(verdict(R"x(,"parameters":{"ecc_corrected":2,"ecc_modules":"DIMM_A1 (2 errors)"})x", "memtest.hold"),
            "degraded the memory corrected 2 errors: DIMM_A1 (2 errors)");
}

}  // namespace
}  // namespace clusterc
