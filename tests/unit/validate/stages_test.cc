// Stages: rounds of pairs, gates, the part of a suite that is chosen, and what a budget of time leaves of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "unit/validate/suite_fixture.h"
#include "validate/expected_time.h"
#include "validate/gates.h"
#include "validate/rounds.h"
#include "validate/run_verdict.h"
#include "validate/selection.h"

namespace clusterc {
namespace {

using test::kDone;
using test::kHeader;
using test::measurement;
using test::Suite;

// n - 1 rounds of n / 2 pairs: n (n - 1) / 2 pairs, each once. Of five nodes one rests in each of five rounds.
TEST(Rounds, EachPairComesOnceAndNobodyTwiceInARound) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 8u, 31u}) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    const std::vector<Round> all = rounds(n, 1000);
    EXPECT_EQ(all.size(), n % 2 == 0 ? n - 1 : n);
    for (const Round& round : all) {
      std::set<std::size_t> busy;
      for (const auto& [a, b] : round.pairs) {
        EXPECT_LT(a, b);
        EXPECT_LT(b, n);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(pairs.emplace(a, b).second);
      }
      EXPECT_EQ(round.pairs.size(), n / 2);
    }
    EXPECT_EQ(pairs.size(), n * (n - 1) / 2);
  }
  EXPECT_EQ(rounds(1, 3).size(), 0u);
  EXPECT_EQ(rounds(8, 3).size(), 3u);
}

TEST(Rounds, ANodeWithoutAGoodPartnerIsBlamedAndItsPartnersAreNot) {
  EXPECT_EQ(blamed_nodes({{"a", "b", false}, {"c", "d", true}, {"a", "c", false}, {"b", "d", true}}),
            (std::set<std::string>{"a"}));
  EXPECT_EQ(blamed_nodes({{"a", "b", false}}), (std::set<std::string>{"a", "b"}));  // nothing tells them apart
  EXPECT_TRUE(blamed_nodes({{"a", "b", true}}).empty());
}

// What failed in a stage is used to its end and not behind it; a figure of a team is of all its nodes.
TEST(Gates, AFailedNodeIsShutOutBehindItsStage) {
  const SuiteTest memory{.id = "node/g/memory", .stage = SuiteStage::node, .nodes = {"n1", "n2", "n3"}};
  const std::vector<Judged> bad{{.metric = "memory.triad", .node = "n1", .verdict = Verdict::degraded},
                                {.metric = "memory.triad", .node = "n2", .verdict = Verdict::fail},
                                {.metric = "memory.triad", .node = "n3", .verdict = Verdict::unjudged}};
  Gates gates(false), going(true);
  for (Gates* g : {&gates, &going}) {
    g->enter(SuiteStage::node);
    g->take(memory, bad);
    EXPECT_FALSE(g->is_shut("n2"));
    g->enter(SuiteStage::group);
  }
  EXPECT_EQ(gates.why_shut("n2"), "its node stage failed (memory.triad)");
  EXPECT_FALSE(gates.is_shut("n1"));
  EXPECT_FALSE(gates.is_shut("n3"));
  EXPECT_FALSE(going.is_shut("n2"));
  const SuiteTest world{.id = "group/g/hpl", .stage = SuiteStage::group, .nodes = {"n1", "n3", "n4"}, .mpi = true};
  gates.take(world, std::vector<Judged>{{.metric = "hpl.score", .node = "n[1,3]", .verdict = Verdict::error}});
  gates.enter(SuiteStage::whole);
  EXPECT_TRUE(gates.is_shut("n1") && gates.is_shut("n3"));
  EXPECT_FALSE(gates.is_shut("n4"));
}

TEST(Gates, OfPairsTheNodeThatFailedWithEveryPartnerIsShutOut) {
  Gates gates(false);
  gates.enter(SuiteStage::pair);
  const auto round = [&](std::vector<std::string> nodes, const std::string& bad) {
    const SuiteTest test{.id = "pair", .stage = SuiteStage::pair, .nodes = nodes, .team_nodes = 2};
    std::vector<Judged> verdicts;
    for (const std::string& node : nodes)
      verdicts.push_back(
          {.metric = "rdma.write", .node = node, .verdict = node == bad ? Verdict::fail : Verdict::pass});
    gates.take(test, verdicts);
  };
  round({"n1", "n2", "n3", "n4"}, "n2");  // n2's partner measured the fault
  round({"n1", "n3", "n2", "n4"}, "n4");
  gates.enter(SuiteStage::group);
  EXPECT_EQ(gates.why_shut("n2"), "its pair stage failed with every partner");
  for (const char* node : {"n1", "n3", "n4"}) EXPECT_FALSE(gates.is_shut(node)) << node;
}

// n3 fails one figure of its node stage: the later stages run on the others, and the report says why not on n3.
TEST_F(Suite, LaterStagesRunWithoutANodeThatFailed) {
  launcher.broken_in = {{"memory", "n3"}};
  const Report r = run();
  EXPECT_FALSE(is_good(run_verdict(r)));
  std::map<std::string, std::string> reasons;
  for (const Judged& j : r.verdicts) reasons[j.test + " " + j.node] = j.reason;
  EXPECT_EQ(reasons["node/cpu/gemm n3"].find("did not run"), std::string::npos);  // the same stage
  bool told = false, world = false;
  for (const Judged& j : r.verdicts) {
    if (j.node == "n3" && j.metric == "storage.read")
      told = j.reason == "did not run: its node stage failed (memory.copy)";
    if (j.metric == "hpl.score") {
      world = true;
      EXPECT_EQ(j.verdict, Verdict::error);
      EXPECT_EQ(j.reason, "ran on 3 of 4 nodes: n3: its node stage failed (memory.copy)");
      EXPECT_EQ(j.node, "n[1-2,4]");
    }
  }
  EXPECT_TRUE(told && world);
  // One node is no cluster: what needs two is not started.
  launcher.broken_in = {{"memory", "n1"}, {"memory", "n2"}, {"memory", "n3"}};
  launcher.started.clear();
  const Report alone = run();
  EXPECT_EQ(std::count(launcher.started.begin(), launcher.started.end(), "hpl"), 0);
  for (const Judged& j : alone.verdicts)
    if (j.metric == "hpl.score") {
      EXPECT_EQ(j.reason.find("did not run: 1 of 4 nodes can be used, and it takes 2: n1: its node stage failed"), 0u)
          << j.reason;
    }
  ValidateOptions going;
  going.keep_going = true;
  launcher.started.clear();
  run(going);
  EXPECT_EQ(std::count(launcher.started.begin(), launcher.started.end(), "hpl"), 1);
}

TEST_F(Suite, ANodeWithOtherValidatorsIsNotUsed) {
  const BundleFiles files{{"clusterc-hpl", std::string(64, 'a')}, {"clusterc-mpi", std::string(64, 'b')}};
  const std::string hpl = std::string(64, 'a') + "  clusterc-hpl", mpi = std::string(64, 'b') + "  clusterc-mpi";
  EXPECT_EQ(bundle_difference(files, "/v", {hpl, mpi, std::string(64, 'c') + "  clusterc-new"}), "");
  EXPECT_EQ(bundle_difference(files, "/v", {hpl}), "its folder '/v' lacks validators: clusterc-mpi");
  EXPECT_EQ(bundle_difference(files, "/v", {hpl, std::string(64, 'c') + "  clusterc-mpi"}),
            "its validators in '/v' are not those of this machine: clusterc-mpi");
  EXPECT_EQ(bundle_difference(files, "/v", {"sh: 1: cd: can't cd to /v"}),
            "its validators cannot be read: sh: 1: cd: can't cd to /v");
  ValidateOptions options;
  options.bundle_files = files;
  launcher.says["sh"] = {hpl, mpi};
  EXPECT_TRUE(is_good(run_verdict(run(options))));
  launcher.says["sh"] = {hpl};
  const Report r = run(options);
  EXPECT_EQ(r.count(Verdict::error), r.verdicts.size());
  EXPECT_EQ(r.verdicts.front().reason, "did not run: not usable: its folder '' lacks validators: clusterc-mpi");
}

TEST(Selection, StagesAreAListOrAllUpToOne) {
  std::string error;
  EXPECT_EQ(parse_stages("node,soak", error), (std::set{SuiteStage::node, SuiteStage::soak}));
  EXPECT_EQ(parse_stages("..pair", error), (std::set{SuiteStage::inventory, SuiteStage::node, SuiteStage::pair}));
  for (const char* wrong : {"", "nodes", "..", "..node,pair", "node,,pair", "node,..pair"}) {
    EXPECT_FALSE(parse_stages(wrong, error)) << wrong;
    EXPECT_NE(error.find("inventory, node, pair, group, whole, soak"), std::string::npos);
  }
}

TEST_F(Suite, OnlyTheNodesThatAreNamedAreMeasured) {
  std::string error;
  EXPECT_FALSE(nodes_named(*resolved.cluster, "n[1-5]", error));
  EXPECT_EQ(error, "'n5' is no computing node of this cluster");
  const auto two = nodes_named(*resolved.cluster, "n[2-3]", error);
  ASSERT_TRUE(two);
  for (const SuiteTest& t : plan_suite(*resolved.cluster, expected, {.nodes = *two}))
    EXPECT_EQ(t.nodes, (std::vector<std::string>{"n2", "n3"})) << t.id;
}

// Racks of the SuperPOD hold four nodes, as its rows say; the leaf of a unit has 32.
TEST(Selection, RacksNameTheirNodes) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const Plan plan = plan_cluster(*r.cluster);
  std::string error;
  const std::string rack = r.cluster->rack_name(plan.node_rack[0]);
  const auto nodes = nodes_in_racks(*r.cluster, plan, rack, error);
  ASSERT_TRUE(nodes) << error;
  std::size_t there = 0;
  for (const std::int32_t of : plan.node_rack) there += of == plan.node_rack[0];
  EXPECT_EQ(nodes->size(), there);
  EXPECT_FALSE(nodes_in_racks(*r.cluster, plan, "nowhere", error));
  EXPECT_EQ(error, "'nowhere' is no rack with nodes");
}

// Leaves of the SuperPOD: the teams have one size and follow each other.
TEST(GroupStage, NodesOfOneLeafWorkTogether) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const Plan plan = plan_cluster(*r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan);
  const std::vector<SuiteTest> suite = plan_suite(*r.cluster, expected, {.plan = &plan});
  const auto leaf =
      std::find_if(suite.begin(), suite.end(), [](const auto& t) { return t.id == "group/gpu/nccl-leaf"; });
  ASSERT_NE(leaf, suite.end());
  EXPECT_EQ(leaf->stage, SuiteStage::group);
  EXPECT_EQ(leaf->team_nodes, plan.fabrics[0].unit);
  EXPECT_EQ(leaf->scope, "leaf");
}

// However short its measurements are, storage moves 16 files of 1 GiB on each node, and a round of memtest sweeps 278
// times over the memory. A length of the soak stage bounds both of its tests.
TEST(ExpectedTime, FollowsWhatATestMoves) {
  const auto test_of = [](const Resolved& r, const SuiteOptions& options, std::string_view id) {
    const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
    for (const SuiteTest& t : plan_suite(*r.cluster, expected, options))
      if (t.id == id) return t;
    ADD_FAILURE() << id;
    return SuiteTest{};
  };
  Resolved four, pod;
  four.example("four-virtual"), pod.example("superpod");
  ASSERT_TRUE(four.cluster && pod.cluster);
  const SuiteTest home = test_of(four, {.seconds = 0.05}, "whole/home/storage");
  EXPECT_EQ(home.expected_s, 4 + 69);  // start and figures; 4 x 16 GiB at 1 GB/s, for nothing says what it gives
  EXPECT_GE(home.timeout, std::chrono::seconds(600 + 3 * 69));
  const SuiteTest round = test_of(pod, {.memtest = true}, "soak/gpu/memtest-gpu");
  // Eight GPUs of 80 GB, one after the other, at half of 3.35 TB/s: 278 x 0.8 x 80 / 1676 + 10 s each.
  EXPECT_NEAR(round.expected_s, 5 + 8 * (278 * 0.8 * 80e9 / (3.352e12 / 2) + 10), 10);
  EXPECT_GE(round.timeout, std::chrono::hours(4));
  const SuiteTest soak = test_of(pod, {.memtest = true, .burn = true, .soak_seconds = 100}, "soak/gpu/memtest-gpu");
  EXPECT_EQ(soak.expected_s, 55);
  EXPECT_LT(soak.timeout, std::chrono::hours(1));
  EXPECT_EQ(test_of(pod, {.memtest = true, .burn = true, .soak_seconds = 100}, "soak/gpu/burn-gpu").expected_s, 53);
}

TEST_F(Suite, ABudgetShortensAndThenLeavesOutWhatIsNamed) {
  const auto plan_for = [&](double seconds) { return plan_suite(*resolved.cluster, expected, {.seconds = seconds}); };
  const double whole = expected_seconds(plan_for(0)), shortest = expected_seconds(plan_for(0.1));
  ASSERT_LT(shortest, whole);
  const Budgeted all = fit_budget(plan_for, 0, whole);
  EXPECT_EQ(all.seconds, 0);
  EXPECT_TRUE(all.left_out.empty());
  const Budgeted shorter = fit_budget(plan_for, 0, (whole + shortest) / 2);
  EXPECT_GT(shorter.seconds, 0);
  EXPECT_TRUE(shorter.left_out.empty());
  EXPECT_LE(expected_seconds(shorter.suite), (whole + shortest) / 2);
  const Budgeted little = fit_budget(plan_for, 0, shortest / 2);
  EXPECT_FALSE(little.left_out.empty());
  EXPECT_LE(expected_seconds(little.suite), shortest / 2);
  EXPECT_EQ(little.suite.size(), all.suite.size());
  // A budget of nothing leaves the inventory.
  const Budgeted nothing = fit_budget(plan_for, 0, 0.001);
  for (const SuiteTest& t : nothing.suite) EXPECT_EQ(t.left_out, t.stage != SuiteStage::inventory) << t.id;
  suite = little.suite;
  const Report r = run();
  EXPECT_FALSE(is_good(run_verdict(r)));
  EXPECT_EQ(r.left_out.size(), little.left_out.size());
  EXPECT_EQ(r.count(Verdict::error), 0u);
}

}  // namespace
}  // namespace clusterc
