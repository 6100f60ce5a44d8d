// The pair stage of a run searches for culprits: 127 nodes with eight rails, of which a test makes some slow.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "report/search_report.h"
#include "report/validation_report.h"
#include "unit/model/examples.h"
#include "unit/validate/fake_launcher.h"
#include "validate/repeat.h"
#include "validate/report_text.h"
#include "validate/run_verdict.h"

namespace clusterc::test {
namespace {

constexpr int kRails = 8;

// Pairs measure what the slower of both ports lets through, and a little noise.
class PairLauncher final : public Launcher {
 public:
  std::map<std::pair<std::string, int>, double> slow;  // node and rail, from 0; -1: all -> share of the rate
  std::set<std::string> busy;                          // nodes whose program refuses
  double rate = 0;
  std::size_t interrupt_at = 0;  // this launch, from 1, is interrupted
  std::atomic<bool>* interrupted = nullptr;
  mutable std::vector<std::vector<std::string>> launched;  // hosts

  std::string_view id() const override { return "fake"; }
  bool available(std::string&) const override { return true; }
  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    return std::vector<NodeState>(nodes.size(), NodeState{true, ""});
  }
  std::vector<std::string> command(const Launch& launch) const override { return launch.argv; }
  LaunchResult run(const Launch& launch) const override {
    LaunchResult result;
    result.started = true;
    if (!launch.argv[0].ends_with("-fabric")) {
      const std::vector<std::string> lines{kHeader, kDone};  // no figure: an error, whose reason names who is missing
      result.tasks.push_back({launch.nodes.front(), filled(lines, "mpi", launch.nodes.front()), {}});
      return result;
    }
    launched.push_back(launch.nodes);
    if (interrupted && launched.size() == interrupt_at) *interrupted = result.interrupted = true;
    const auto hosts = std::ranges::find(launch.argv, "--hosts");
    EXPECT_EQ(*(hosts + 1), join(launch.nodes, ",")) << "everybody is there";
    for (std::size_t i = 0; i + 1 < launch.nodes.size(); i += 2)
      for (const auto& [from, to] :
           {std::pair{launch.nodes[i], launch.nodes[i + 1]}, {launch.nodes[i + 1], launch.nodes[i]}})
        result.tasks.push_back({from, filled(lines_of(from, to), "fabric", from), {}});
    return result;
  }

 private:
  double share(const std::string& node, int rail) const {
    const auto port = slow.find({node, rail}), all = slow.find({node, -1});
    return std::min(port == slow.end() ? 1.0 : port->second, all == slow.end() ? 1.0 : all->second);
  }
  std::vector<std::string> lines_of(const std::string& from, const std::string& to) const {
    if (busy.contains(from))
      return {kHeader, R"({"record":"end","status":"error","reason":"busy: 3 processes use the cores"})"};
    std::vector<std::string> lines{kHeader};
    for (int rail = 0; rail < kRails; ++rail) {
      const double noise = 1 + 0.001 * static_cast<double>(std::hash<std::string>()(from + to) % 7 + at(rail)) / 14;
      std::string line =
          measurement("rdma.write", std::to_string(rate * noise * std::min(share(from, rail), share(to, rail))));
      put(line, "\"host\"}", "\"link" + std::to_string(rail) + "\"}");
      lines.push_back(std::move(line));
    }
    std::string latency = measurement("rdma.write_latency", "2e-6");
    put(latency, "\"unit\":\"B/s\"", "\"unit\":\"s\"");
    lines.insert(lines.end(), {latency, kDone});
    return lines;
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

class PairStage : public ::testing::Test {
 protected:
  void SetUp() override {
    resolved.example("superpod");
    ASSERT_TRUE(resolved.cluster);
    plan = plan_cluster(*resolved.cluster);
    expected = expect_figures(*resolved.cluster, *plan);
    suite = plan_suite(*resolved.cluster, expected, {.plan = &*plan});
    std::erase_if(suite, [](const SuiteTest& t) { return t.stage != SuiteStage::pair && t.id != "whole/mpi"; });
    const ExpectedFigure* figure = expected.find("rdma.write", "gpu");
    ASSERT_TRUE(figure && figure->ceiling.value);
    launcher.rate = figure->floor.value ? (*figure->floor.value + *figure->ceiling.value) / 2 : *figure->ceiling.value;
    folder = std::filesystem::temp_directory_path() / ("clusterc-pair-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    options.plan = &*plan;
    options.spec = "superpod.yaml";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  Report run() { return run_suite(*resolved.cluster, expected, suite, launcher, options); }
  // Why the job over all nodes did not run on all of them; empty: it did.
  static std::string shut_out(const Report& r) {
    for (const Judged& j : r.verdicts)
      if (j.test == "whole/mpi" && j.reason.starts_with("ran on")) return j.reason;
    return {};
  }

  Resolved resolved;
  std::optional<Plan> plan;
  ExpectedFigures expected;
  std::vector<SuiteTest> suite;
  PairLauncher launcher;
  ValidateOptions options;
  std::filesystem::path folder;
};

// InfiniBand: four rounds. 127 nodes: 63 pairs in each at most. No pair comes twice.
TEST_F(PairStage, RoundsAreThoseOfTheSchedule) {
  std::set<std::set<std::string>> pairs;
  std::size_t rounds = 0, count = 0;
  for (const SuiteTest& t : suite) {
    if (t.stage != SuiteStage::pair) continue;
    EXPECT_EQ(t.search_round, static_cast<int>(++rounds));
    EXPECT_EQ(t.id, "pair/gpu/fabric-" + std::to_string(rounds));
    EXPECT_EQ(std::set<std::string>(t.nodes.begin(), t.nodes.end()).size(), t.nodes.size());
    for (std::size_t i = 0; i + 1 < t.nodes.size(); i += 2, ++count) pairs.insert({t.nodes[i], t.nodes[i + 1]});
  }
  EXPECT_EQ(rounds, 4u);
  EXPECT_EQ(pairs.size(), count);
  EXPECT_LE(count, 4u * 63);
  EXPECT_GT(count, 3u * 63);
}

TEST_F(PairStage, AHealthyClusterHasNoCulprit) {
  const Report r = run();
  ASSERT_EQ(r.searches.size(), 1u);
  const SearchReport& s = r.searches[0];
  EXPECT_EQ(s.group, "gpu");
  EXPECT_TRUE(s.culprits.empty() && s.open.empty() && s.notes.empty());
  EXPECT_EQ(s.slow, 0);
  EXPECT_EQ(s.measurements, static_cast<std::int64_t>(s.pairs) * 2 * kRails);
  EXPECT_EQ(shut_out(r), "");
  for (const Judged& j : r.verdicts)
    if (j.test.starts_with("pair/")) {
      EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::unjudged) << j.reason;
    }
  EXPECT_EQ(render_searches_text(r).find("culprit:"), std::string::npos);
  EXPECT_NE(render_validation_junit(r).find("search in gpu"), std::string::npos);
}

// All its partners fail the floor on that rail as well; they stay in use.
TEST_F(PairStage, ASlowPortIsNamedAndItsNodeAloneIsShutOut) {
  const std::string node = suite.front().nodes[10];
  launcher.slow[{node, 2}] = 0.5;
  std::vector<std::string> said;
  options.progress = [&](const std::string& line) { said.push_back(line); };
  Report r = run();
  ASSERT_EQ(r.searches.size(), 1u);
  ASSERT_EQ(r.searches[0].culprits.size(), 1u);
  const NamedCulprit& c = r.searches[0].culprits[0];
  EXPECT_EQ(c.node, node);
  EXPECT_EQ(c.what, "rail 3 of " + node + ": adapter, cable or switch port");
  EXPECT_EQ(c.adapter, "compute/3");
  EXPECT_TRUE(c.cable.starts_with("cable/") && c.switch_port.starts_with("port/leaf/compute/")) << c.cable;
  EXPECT_GT(c.unit, 0);
  EXPECT_GE(c.evidence.size(), 3u);
  EXPECT_TRUE(c.command.starts_with("clusterc validate superpod.yaml --stage pair --nodes ")) << c.command;
  EXPECT_EQ(shut_out(r), "ran on 126 of 127 nodes: " + node + ": its pair stage failed: " + c.what + ": " + c.verdict);
  EXPECT_TRUE(std::ranges::any_of(said, [](const std::string& line) { return line.starts_with("culprit: rail 3"); }));
  EXPECT_FALSE(is_good(run_verdict(r)));
  // Alone it is enough, whatever the floors say.
  r.verdicts = {{.test = "t", .verdict = Verdict::pass}};
  r.demands.clear();
  EXPECT_FALSE(is_good(run_verdict(r)));
  EXPECT_NE(render_validation_junit(r).find("<failure type=\"culprit\""), std::string::npos);
  const std::string text = render_searches_text(r);
  EXPECT_NE(text.find("culprit: rail 3 of " + node), std::string::npos) << text;
  EXPECT_NE(text.find("cable " + c.cable), std::string::npos) << text;
  r.searches.clear();
  EXPECT_TRUE(is_good(run_verdict(r)));
}

TEST_F(PairStage, ASlowNodeIsOneCulprit) {
  const std::string node = suite.front().nodes[21];
  launcher.slow[{node, -1}] = 0.6;
  const Report r = run();
  ASSERT_EQ(r.searches.size(), 1u);
  ASSERT_EQ(r.searches[0].culprits.size(), 1u);
  EXPECT_EQ(r.searches[0].culprits[0].kind, "node");
  EXPECT_EQ(r.searches[0].culprits[0].node, node);
  EXPECT_TRUE(shut_out(r).starts_with("ran on 126 of 127 nodes: " + node)) << shut_out(r);
}

TEST_F(PairStage, ARunThatGoesOnRepeatsNoRound) {
  const std::string node = suite.front().nodes[10];
  launcher.slow[{node, 2}] = 0.5;
  const SearchReport whole = run().searches.at(0);
  const std::vector<std::vector<std::string>> all = launcher.launched;
  std::atomic<bool> interrupted{false};
  options.journal = folder / "j";
  options.interrupted = launcher.interrupted = &interrupted;
  options.clock = [] { return std::int64_t{1'000'000'000}; };
  for (std::size_t cut = 1; cut <= all.size(); ++cut) {
    options.fresh = true;
    launcher.launched.clear();
    launcher.interrupt_at = cut;
    const Report stopped = run();
    EXPECT_TRUE(stopped.interrupted && stopped.searches.empty() && !is_good(run_verdict(stopped)));
    interrupted = false;
    options.fresh = false;
    launcher.launched.clear();
    launcher.interrupt_at = 0;
    const Report r = run();
    EXPECT_EQ(launcher.launched, std::vector(all.begin() + static_cast<std::ptrdiff_t>(cut) - 1, all.end()));
    ASSERT_EQ(r.searches.size(), 1u);
    EXPECT_EQ(render_searches_text(r), [&] {
      Report other;
      other.searches = {whole};
      return render_searches_text(other);
    }());
  }
}

// Two rounds of four give two partners, and it takes three: further rounds confirm who is suspected.
TEST_F(PairStage, RoundsOfConfirmationFollowWhereTheBudgetHasRoom) {
  for (std::size_t i = 2; i < suite.size() && suite[i].stage == SuiteStage::pair; ++i) suite[i].skip = "left out";
  const std::string node = suite.front().nodes[10];
  launcher.slow[{node, 2}] = 0.5;
  const Report r = run();
  ASSERT_EQ(r.searches.size(), 1u);
  EXPECT_GE(r.searches[0].confirmations, 1u);
  EXPECT_LE(r.searches[0].confirmations, 2u);
  ASSERT_EQ(r.searches[0].culprits.size(), 1u);
  EXPECT_EQ(r.searches[0].culprits[0].node, node);
  EXPECT_TRUE(
      std::ranges::any_of(r.verdicts, [](const Judged& j) { return j.test.starts_with("pair/gpu/confirm-1"); }));
  options.time_budget = 1;
  const Report hurried = run();
  ASSERT_EQ(hurried.searches.size(), 1u);
  EXPECT_EQ(hurried.searches[0].confirmations, 0u);
  EXPECT_TRUE(hurried.searches[0].culprits.empty());
  EXPECT_FALSE(hurried.searches[0].open.empty());
  ASSERT_FALSE(hurried.searches[0].notes.empty());
  EXPECT_TRUE(hurried.searches[0].notes[0].starts_with("the time budget has no room")) << hurried.searches[0].notes[0];
}

TEST_F(PairStage, ANodeThatIsBusyIsNoCulprit) {
  const std::string node = suite.front().nodes[10];
  launcher.busy = {node};
  const Report r = run();
  ASSERT_EQ(r.searches.size(), 1u);
  EXPECT_TRUE(r.searches[0].culprits.empty() && r.searches[0].open.empty());
  EXPECT_EQ(r.searches[0].notes.size(), 1u);
  EXPECT_TRUE(shut_out(r).starts_with("ran on 126 of 127 nodes: " + node)) << "it failed with every partner";
}

// --nodes with two nodes: nothing tells them apart. With four each meets three.
TEST_F(PairStage, AmongFewNodesOnlyWhatIsProvedIsACulprit) {
  const auto among = [&](std::set<std::string> nodes) {
    suite = plan_suite(*resolved.cluster, expected, {.plan = &*plan, .nodes = std::move(nodes)});
    std::erase_if(suite, [](const SuiteTest& t) { return t.stage != SuiteStage::pair; });
    return run();
  };
  launcher.slow[{"gpu001", 2}] = 0.5;
  const Report two = among({"gpu001", "gpu002"});
  EXPECT_EQ(suite.size(), 1u);
  ASSERT_EQ(two.searches.size(), 1u);
  EXPECT_TRUE(two.searches[0].culprits.empty());
  EXPECT_FALSE(two.searches[0].open.empty());
  EXPECT_EQ(two.searches[0].confirmations, 0u);
  const Report four = among({"gpu001", "gpu002", "gpu003", "gpu004"});
  ASSERT_EQ(four.searches.size(), 1u);
  ASSERT_EQ(four.searches[0].culprits.size(), 1u);
  EXPECT_EQ(four.searches[0].culprits[0].node, "gpu001");
  EXPECT_EQ(four.searches[0].culprits[0].adapter, "compute/3");
}

// The culprit is in the file of the report, and what repeats its failures searches again.
TEST_F(PairStage, AReportIsReadBackWithItsCulprits) {
  launcher.slow[{suite.front().nodes[10], 2}] = 0.5;
  Report r = run();
  std::string error;
  const auto back = read_report(render_validation_json(r, "d"), error);
  ASSERT_TRUE(back) << error;
  ASSERT_EQ(back->report.searches.size(), 1u);
  EXPECT_EQ(render_searches_text(back->report), render_searches_text(r));
  Report earlier = back->report;
  for (Judged& j : earlier.verdicts) j.verdict = Verdict::pass;
  std::size_t rounds = 0;
  for (const SuiteTest& t : tests_to_repeat(suite, earlier)) rounds += t.search_round > 0;
  EXPECT_EQ(rounds, 4u);
  earlier.searches.clear();
  for (const SuiteTest& t : tests_to_repeat(suite, earlier)) EXPECT_EQ(t.search_round, 0) << t.id;
}

}  // namespace
}  // namespace clusterc::test
