// RDMA ports of pairs, and GPUs beside them: each has to bring a figure, and each figure is judged.
#include <gtest/gtest.h>

#include "unit/model/examples.h"
#include "unit/validate/fake_launcher.h"

namespace clusterc {
namespace {

using test::FakeLauncher;

struct GpuPairs : ::testing::Test {
  void SetUp() override {
    resolved.text(
        "clusterc: 1\nname: case\nsite: cloud\nnodes:\n  n: { names: \"n[1-2]\", model: nvidia-dgx-h100 }\nsoftware: { "
        "gpudirect_rdma: true }\nnetworks:\n  ib: { kind: infiniband, rate: 400 Gb/s, carries: [compute], connects: { "
        "n: { ports: compute } } }\n");
    ASSERT_TRUE(resolved.cluster) << resolved.told();
    expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  }
  // Verdicts of one metric on n1, where each device of `gbit` brings its rate.
  std::vector<Judged> judged(std::string_view validator_test, const std::string& metric,
                             const std::vector<std::pair<std::string, double>>& gbit,
                             const std::string& program = "fabric", const std::string& back_end = "host") {
    std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected);
    std::erase_if(suite, [&](const SuiteTest& t) { return t.id != validator_test; });
    EXPECT_EQ(suite.size(), 1u);
    FakeLauncher launcher;
    std::vector<std::string> lines{test::kHeader};
    for (const auto& [device, rate] : gbit) {
      std::string line =
          test::measurement(metric, std::to_string(rate * 1e9 / 8), R"(,"parameters":{"device":")" + device + "\"}");
      test::put(line, R"("label":"host")", R"("backend":")" + back_end + R"(","label":")" + device + "\"");
      lines.push_back(std::move(line));
    }
    lines.emplace_back(test::kDone);
    launcher.says[program] = lines;
    std::vector<Judged> out;
    for (const Judged& j : run_suite(*resolved.cluster, expected, suite, launcher, {}).verdicts)
      if (j.metric == metric && j.node == "n1") out.push_back(j);
    return out;
  }
  static std::vector<std::pair<std::string, double>> gpus(int count) {
    std::vector<std::pair<std::string, double>> out;
    for (int i = 0; i < count; ++i) out.emplace_back("link" + std::to_string(i) + "-gpu" + std::to_string(i), 388.0);
    return out;
  }
  Resolved resolved;
  ExpectedFigures expected;
};

// perftest runs on the host, and what it measures is the memory of the GPU: its floor counts.
TEST_F(GpuPairs, TheRateOfAGpuIsJudged) {
  auto all = gpus(8);
  for (const Judged& j : judged("pair/n/gpudirect-1", "rdma.gpu_write", all))
    EXPECT_EQ(j.verdict, Verdict::pass) << j.device << j.reason;
  all[5].second = 200;
  std::size_t failed = 0;
  for (const Judged& j : judged("pair/n/gpudirect-1", "rdma.gpu_write", all)) {
    failed += j.verdict == Verdict::fail;
    EXPECT_EQ(j.verdict == Verdict::fail, j.device == "link5-gpu5") << j.device << j.reason;
  }
  EXPECT_EQ(failed, 1u);
}

// What seven of eight GPUs bring says nothing of the eighth, whether each is measured alone or all together.
TEST_F(GpuPairs, EachGpuOfANodeHasToBringAFigure) {
  for (const auto& [id, metric, program] :
       {std::tuple{"node/n/memory-gpu", "memory.triad", "memory"}, {"node/n/nvlink", "nvlink.links", "nvlink"}}) {
    std::vector<std::pair<std::string, double>> gpus;
    for (int i = 0; i < 7; ++i) gpus.emplace_back("gpu" + std::to_string(i), 3600);
    const auto told = [&] {
      for (const Judged& j : judged(id, metric, gpus, program, "cuda"))
        if (j.verdict == Verdict::error) return j.reason.str();
      return std::string();
    };
    EXPECT_EQ(told(), "figures of 7 of 8 GPUs came") << metric;
    gpus.emplace_back("gpu7", 3600);
    EXPECT_EQ(told(), "") << metric;
  }
}

// Two GPUs that share a port are two figures.
TEST_F(GpuPairs, GpusOfOnePortAreApart) {
  auto all = gpus(8);
  all.emplace_back("link5-gpu8", 200);
  const std::vector<Judged> verdicts = judged("pair/n/gpudirect-1", "rdma.gpu_write", all);
  ASSERT_EQ(verdicts.size(), 9u);
  EXPECT_EQ(verdicts.back().verdict, Verdict::fail) << verdicts.back().reason;
}

// A port that is down on both hosts is missed by neither of them.
TEST_F(GpuPairs, EachPortAndEachGpuHasToBringAFigure) {
  auto seven = gpus(7);
  const auto why = [&](std::string_view id, const std::string& metric, const auto& devices) {
    for (const Judged& j : judged(id, metric, devices))
      if (j.verdict == Verdict::error) return j.reason.str();
    return std::string();
  };
  EXPECT_EQ(why("pair/n/gpudirect-1", "rdma.gpu_write", gpus(8)), "");
  EXPECT_EQ(why("pair/n/gpudirect-1", "rdma.gpu_write", seven), "figures of 7 of 8 ports came");
  seven.emplace_back("link3-gpu7", 388);  // all GPUs, one by the port of another
  EXPECT_EQ(why("pair/n/gpudirect-1", "rdma.gpu_write", seven), "figures of 7 of 8 ports came");
  std::vector<std::pair<std::string, double>> ports;
  for (int i = 0; i < 7; ++i) ports.emplace_back("link" + std::to_string(i), 388);
  EXPECT_EQ(why("pair/n/fabric-1", "rdma.write", ports), "figures of 7 of 8 ports came");
  ports.emplace_back("link7", 388);
  EXPECT_EQ(why("pair/n/fabric-1", "rdma.write", ports), "");
}

// Of two nodes half of an all-to-all and more stays inside them: faster than 8 nodes can be is no wrong measurement.
TEST(AllToAll, APartOfTheNodesMayBeFasterThanTheWhole) {
  Resolved resolved;
  resolved.text(
      "clusterc: 1\nname: case\nsite: cloud\nnodes:\n  n: { names: \"n[1-8]\", model: nvidia-dgx-h100 }\ntargets: { "
      "all_to_all: { guard: 0.9 } }\nnetworks:\n  ib: { kind: infiniband, rate: 400 Gb/s, carries: [compute], "
      "connects: "
      "{ n: { ports: compute } } }\n");
  ASSERT_TRUE(resolved.cluster) << resolved.told();
  const ExpectedFigures expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  // 49 GB/s of a port beyond the node: at most x 63/56 with eight nodes, x 15/8 with two.
  const auto of = [&](std::set<std::string> nodes) {
    std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected, {.nodes = std::move(nodes)});
    std::erase_if(suite, [](const SuiteTest& t) { return t.id != "group/n/nccl"; });
    EXPECT_EQ(suite.size(), 1u);
    std::string line = test::measurement("nccl.all_to_all.busbw", "85e9", R"(,"size":17179869184)");
    test::put(line, R"("label":"host")", R"("backend":"cuda","label":"ranks")");
    FakeLauncher launcher;
    launcher.says["nccl"] = {test::kHeader, line, test::kDone};
    for (const Judged& j : run_suite(*resolved.cluster, expected, suite, launcher, {}).verdicts)
      if (j.metric == "nccl.all_to_all.busbw") return j;
    return Judged{};
  };
  EXPECT_NE(of({}).reason.str().find("more than the"), std::string::npos) << of({}).reason;
  const Judged two = of({"n1", "n2"});
  EXPECT_EQ(two.verdict, Verdict::unjudged) << two.reason;
  EXPECT_EQ(two.reason, "it is expected of 8 nodes, and 2 ran");
}

// What a file system gives to all of its nodes need not come to one of them; what one of them reaches is a pass.
TEST(StorageSum, APartOfTheNodesIsNotHeldAgainstTheWhole) {
  Resolved resolved;
  resolved.example("four-virtual");
  ASSERT_TRUE(resolved.cluster);
  ExpectedFigures expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  std::string system;
  for (ExpectedFigure& f : expected.figures)
    if (f.test == "storage.read" && f.scope == "storage")
      f.floor_by_user = true, f.floor.value = 3.5e8, f.missing.clear(), system = f.group;
  const auto sum_on = [&](std::set<std::string> nodes) {
    std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected, {.nodes = std::move(nodes)});
    std::erase_if(suite, [&](const SuiteTest& t) { return t.system != system; });
    FakeLauncher launcher;  // 1e8 B/s on each node
    for (const Judged& j : run_suite(*resolved.cluster, expected, suite, launcher, {}).verdicts)
      if (j.metric == "storage.read" && j.device == kAllTogether) return j;
    return Judged{};
  };
  EXPECT_EQ(sum_on({}).verdict, Verdict::pass) << sum_on({}).reason;
  const Judged one = sum_on({"n1"});
  EXPECT_EQ(one.verdict, Verdict::unjudged) << one.reason;
  EXPECT_NE(one.reason.str().find("1 of 4 nodes that mount it measured"), std::string::npos) << one.reason;
}

}  // namespace
}  // namespace clusterc
