// LINPACK by a vendor's program: what is started, what its output means, and what is judged of ours.
#include "validate/vendor_hpl.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <random>

#include "base/stacks.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "report/validation_plan.h"
#include "unit/validate/suite_fixture.h"
#include "validate/expected_time.h"
#include "validate/hpl_output.h"
#include "validate/pace.h"
#include "validate/selection.h"

namespace clusterc {
namespace {

using test::FakeLauncher;

constexpr LinpackInput kAsked{8000, 192, 1, 2};
// Lines of netlib HPL 2.x (hpcc 1.5.0 of Debian printed them): 2/3 x 8000^3 + 3/2 x 8000^2 in 3.07 s are 111.2 GFLOP/s.
const std::string kResult = "WR11C2R4        8000   192     1     2               3.07              1.112e+02";
const std::string kPassed = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0029651 ...... PASSED";

ResultRecords read(const std::vector<std::string>& lines) { return read_hpl_output(lines, kAsked, "/opt/xhpl"); }

TEST(HplOutput, OneResultWithItsResidual) {
  const ResultRecords r = read({"T/V                N    NB     P     Q               Time                 Gflops",
                                "--------------------------------------------------------------------------------",
                                kResult, "", kPassed, "End of Tests."});
  ASSERT_TRUE(r.done) << r.error;
  ASSERT_EQ(r.measurements.size(), 1u);
  EXPECT_EQ(r.measurements[0].metric, "hpl.score");
  EXPECT_DOUBLE_EQ(r.measurements[0].value, 111.2e9);
  EXPECT_TRUE(r.measurements[0].data_verified && r.measurements[0].damaged.empty()) << r.measurements[0].damaged;
  EXPECT_EQ(r.measurements[0].size, 8 * 8000 * 8001);
}

// NVIDIA's result goes on with the rate of a GPU.
TEST(HplOutput, WhatFollowsTheRateIsLeft) {
  const ResultRecords r = read({kResult + " (  5.560e+01)", kPassed});
  ASSERT_TRUE(r.done) << r.error;
  EXPECT_DOUBLE_EQ(r.measurements[0].value, 111.2e9);
}

TEST(HplOutput, WrongDataIsNoResult) {
  for (const std::string& residual :
       {std::string("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   1.5e+05 ...... FAILED"),
        std::string("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   1.5e+05 ...... PASSED"),
        std::string("||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   nan ...... PASSED")}) {
    const ResultRecords r = read({kResult, residual});
    ASSERT_TRUE(r.done) << residual;
    EXPECT_FALSE(r.measurements[0].data_verified) << residual;
    EXPECT_EQ(r.measurements[0].wrong, 1) << residual;
    EXPECT_FALSE(r.told_verified) << residual;
  }
}

TEST(HplOutput, WhatIsNotTheResultAskedForIsAnError) {
  const auto why = [](const std::vector<std::string>& lines) {
    const ResultRecords r = read(lines);
    EXPECT_FALSE(r.done);
    EXPECT_TRUE(r.measurements.empty());
    return r.error;
  };
  EXPECT_EQ(why({}), "printed nothing that HPL prints");
  EXPECT_EQ(why({"HPL ERROR from process # 0, on line 419: Need at least 4 processes", "", "-----------"}),
            "printed nothing that HPL prints; its last line: HPL ERROR from process # 0, on line 419: Need at least 4 "
            "processes");
  // What the shell before the program says decides, whatever mpirun adds to it.
  EXPECT_EQ(why({"clusterc-hpl: there is no program '/x' on n3", "mpirun detected that a job ended", "-----------"}),
            "there is no program '/x' on n3");
  EXPECT_EQ(why({kResult}), "cut off before its residual");
  EXPECT_EQ(why({kPassed, kResult}), "cut off before its residual");
  EXPECT_NE(why({kResult, kPassed, kResult, kPassed}).find("2 results of HPL in one"), std::string::npos);
  EXPECT_EQ(why({"WR11C2R4 8000 192 1 1 3.07 1.112e+02", kPassed}),
            "solved another system (N 8000, NB 192, 1 x 1) than it was asked for (N 8000, NB 192, 1 x 2)");
}

// Time and rate say the same, or one of them is wrong.
TEST(HplOutput, ARateThatItsTimeDoesNotGiveIsDamaged) {
  const ResultRecords r = read({"WR11C2R4 8000 192 1 2 3.07 1.112e+03", kPassed});
  ASSERT_TRUE(r.done);
  EXPECT_EQ(r.measurements[0].damaged, "contradictory: N 8000 in 3.07 s are not 1112 Gflops");
  EXPECT_FALSE(read({"WR11C2R4 8000 192 1 2 3.07 inf", kPassed}).measurements.at(0).damaged.empty());
  EXPECT_FALSE(read({"WR11C2R4 8000 192 1 2 3.07 -1.112e+02", kPassed}).measurements.at(0).damaged.empty());
}

// Bytes are changed, cut, doubled: nothing but the result itself ever passes.
TEST(HplOutput, NoDamageMakesAnotherFigure) {
  std::mt19937 random(20261127);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string characters = "0123456789.e+-WRC|PASSEDF \t\x1b\x80";
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> lines{kResult, kPassed};
    for (std::size_t change = 0; change <= below(4); ++change) {
      std::string& line = lines[below(lines.size())];
      if (line.empty()) continue;
      const std::size_t at = below(line.size());
      switch (below(4)) {
        case 0:
          line[at] = characters[below(characters.size())];
          break;
        case 1:
          line.resize(at);
          break;
        case 2:
          line.insert(at, line.substr(0, below(line.size())));
          break;
        default:
          lines.push_back(lines[below(lines.size())]);
      }
    }
    const ResultRecords r = read(lines);
    for (const MeasurementRecord& m : r.measurements) {
      if (!m.damaged.empty() || !m.data_verified) continue;
      EXPECT_NEAR(m.value, 111.2e9, 0.03 * 111.2e9) << lines[0] << "\n" << lines[1];
    }
    for (const unsigned char c : r.error) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << r.error;
  }
  // A line of megabytes is looked at up to its 400th character.
  EXPECT_FALSE(read({std::string(std::size_t{4} << 20, 'W'), std::string(100000, ' ') + kResult}).done);
}

struct Gpus : ::testing::Test {
  void make(const std::string& more) {
    resolved.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: { "
        "gpu: { names: n1, model: nvidia-dgx-h100 } }\n" +
        more);
    ASSERT_TRUE(resolved.cluster) << resolved.told();
    expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  }
  Judged judged(const std::vector<std::string>& says, const std::string& hpl) {
    std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected, {.hpl = hpl});
    std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "hpl"; });
    FakeLauncher launcher;
    launcher.says["hpl"] = launcher.says["sh"] = says;
    ValidateOptions options;
    options.keep_going = true;
    for (const Judged& j : run_suite(*resolved.cluster, expected, suite, launcher, options).verdicts)
      if (j.metric == "hpl.score") return j;
    return {};
  }
  std::vector<std::string> ours(const std::string& flops) {
    return {R"({"record":"header","format":"clusterc-result","version":1,"validator":"hpl","host":"n1"})",
            test::measurement("hpl.score", flops), test::kDone};
  }
  Resolved resolved;
  ExpectedFigures expected;
};

// Floors are NVIDIA's program's: what ours reaches is told, and not judged, whether little or much.
TEST_F(Gpus, OursIsNotJudgedByFiguresOfAnotherProgram) {
  make("");
  for (const char* flops : {"60e12", "400e12"}) {
    const Judged j = judged(ours(flops), "");
    EXPECT_EQ(j.verdict, Verdict::unjudged) << j.reason;
    EXPECT_FALSE(j.floor || j.typical);
    EXPECT_NE(j.reason.find("has never run on a GPU"), std::string::npos) << j.reason;
    EXPECT_NE(j.reason.find("a model predicts"), std::string::npos) << j.reason;
  }
  EXPECT_EQ(judged(ours("600e12"), "").verdict, Verdict::error);  // above 8 x 67 TFLOP/s
}

// The spec's own floor: what reaches it has passed, what does not is not the hardware's fault.
TEST_F(Gpus, AFloorOfTheSpecCanBePassedByOurs) {
  make("targets: { hpl: { floor: 100 TFLOP/s } }\n");
  EXPECT_EQ(judged(ours("101e12"), "").verdict, Verdict::pass);
  const Judged low = judged(ours("60e12"), "");
  EXPECT_EQ(low.verdict, Verdict::unjudged) << low.reason;
  EXPECT_TRUE(low.demanded);
}

// 90 % of 8 x 80 GiB or a little less; 2 x 4 ranks.
TEST_F(Gpus, NvidiasProgramIsStartedAndJudged) {
  make("");
  std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected, {.hpl = "/opt/hpl/hpl.sh"});
  std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "hpl"; });
  ASSERT_EQ(suite.size(), 1u);
  const Launch launch = launch_of(suite[0], "/b", {"n1"});
  EXPECT_EQ(launch.ranks_per_node, 8);
  EXPECT_EQ(launch.bundle, "/b");  // where the local launcher finds clusterc-contain: argv[0] is a shell
  ASSERT_EQ(launch.argv.size(), 6u);
  EXPECT_EQ(launch.argv[5], "/opt/hpl/hpl.sh");
  EXPECT_NE(launch.argv[2].find("\"$@\" --dat \"$d/HPL.dat\" & "), std::string::npos) << launch.argv[2];
  const LinpackInput in = vendor_input(suite[0], 1);
  EXPECT_EQ(in.rows, 2);
  EXPECT_EQ(in.columns, 4);
  EXPECT_EQ(in.order % 1024, 0);
  const auto result = [&](double flops) {
    const double n = static_cast<double>(in.order);
    char line[200];
    std::snprintf(line, sizeof line, "WC0 %lld 1024 2 4 %.2f %.3e (  1.0e+04)", static_cast<long long>(in.order),
                  n * n * (2.0 / 3 * n + 1.5) / flops, flops * 1e-9);
    return std::vector<std::string>{line, kPassed};
  };
  EXPECT_EQ(judged(result(8 * 45e12), "/opt/hpl/hpl.sh").verdict, Verdict::pass);
  const Judged slow = judged(result(8 * 30e12), "/opt/hpl/hpl.sh");  // the floor is 8 x 41.4 x 0.97
  EXPECT_EQ(slow.verdict, Verdict::fail) << slow.reason;
  EXPECT_EQ(judged({kResult, kPassed}, "/opt/hpl/hpl.sh").verdict, Verdict::error);
}

// The shell that starts the program, run as it is: what is not there is named, and no folder stays, however it ends.
struct Shell : ::testing::Test {
  void SetUp() override {
    const auto here = std::filesystem::temp_directory_path() / ("clusterc-hpl-test-" + std::to_string(::getpid()));
    folder = here / "it's \"here\"";
    std::filesystem::create_directories(folder / "tmp");
  }
  void TearDown() override { std::filesystem::remove_all(folder.parent_path()); }
  std::string program(const std::string& script, bool executable = true) {
    const std::filesystem::path path = folder / "x hpl";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms(executable ? 0755 : 0644));
    return path;
  }
  Subprocess shell(const std::string& program) {
    SuiteTest test{.validator = "hpl", .nodes = {"n1"}};
    test.vendor = VendorHpl{.program = program, .bytes = 14.5e6};
    return {.argv = vendor_command(test, 1),
            .environment = std::vector<std::string>{"PATH=/usr/bin:/bin", "d=" + folder.string(),
                                                    "TMPDIR=" + (folder / "tmp").string()}};
  }
  std::string said(const std::string& program) {
    const SubprocessResult ended = run(shell(program));
    return ended.out + ended.err;
  }
  bool is_clean() { return std::filesystem::is_empty(folder / "tmp"); }
  std::filesystem::path folder;
};

TEST_F(Shell, WhatIsNotThereIsNamed) {
  const auto why = [&](const std::string& path) {
    std::vector<std::string> lines;
    const std::string text = said(path);
    for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
    return read_hpl_output(lines, kAsked, path).error;
  };
  EXPECT_TRUE(why("/no/such").starts_with("there is no program '/no/such' on ")) << why("/no/such");
  EXPECT_TRUE(why(folder).starts_with("there is no program '" + folder.string() + "' on ")) << why(folder);
  const std::string file = program("", false);
  EXPECT_TRUE(why(file).starts_with("'" + file + "' cannot be executed on ")) << why(file);
  EXPECT_EQ(why("/bin/true"), "printed nothing that HPL prints");
  EXPECT_TRUE(std::filesystem::exists(folder)) << "a variable of the environment was taken for the folder";
}

TEST_F(Shell, TheProgramSeesItsInputAndLeavesNothing) {
  const std::string said = this->said(program("pwd; head -1 HPL.dat; touch more; exit 7"));
  EXPECT_TRUE(said.starts_with((folder / "tmp").string() + "/")) << said;
  EXPECT_NE(said.find("HPLinpack"), std::string::npos) << said;
  EXPECT_EQ(run(shell(program("exit 7"))).status, 7);
  EXPECT_TRUE(is_clean());
}

// Ended by the launcher: each signal alone, to the shell and its program, or the program ignores it for a while.
TEST_F(Shell, AKilledRunLeavesNoFolder) {
  for (const char* script :
       {"echo up; exec sleep 60", "trap 'sleep 0.3; exit 1' TERM; echo up; while :; do sleep 0.1; done"}) {
    std::atomic<bool> interrupted{false};
    Subprocess process = shell(program(script));
    process.interrupted = &interrupted;
    process.timeout = std::chrono::seconds(30);
    process.on_line = [&](std::string_view line) { interrupted = interrupted || line == "up"; };
    EXPECT_EQ(run(process).outcome, SubprocessResult::Outcome::interrupted) << script;
    EXPECT_TRUE(is_clean()) << script;
  }
}

// mpirun signals the group of a rank again and again, also while the folder is removed.
TEST_F(Shell, SignalsInARowLeaveNoFolder) {
  const std::string slow = folder / "bin";
  std::filesystem::create_directories(slow);
  std::ofstream(slow + "/rm") << "#!/bin/sh\necho removing\nsleep 0.2\nexec /bin/rm \"$@\"\n";
  std::filesystem::permissions(slow + "/rm", std::filesystem::perms(0755));
  Subprocess process = shell(program("echo up; exec sleep 60"));
  process.environment->front() = "PATH=" + slow + ":/usr/bin:/bin";
  process.timeout = std::chrono::seconds(30);
  process.on_line = [&](std::string_view line) {
    if (line != "up" && line != "removing") return;
    for (const long child : descendants_of(::getpid())) ::kill(static_cast<pid_t>(child), SIGTERM);
  };
  EXPECT_EQ(run(process).outcome, SubprocessResult::Outcome::exited);
  EXPECT_TRUE(is_clean());
}

// A peak that nobody knows gives no duration, and no budget has room for it.
TEST(VendorHplTime, WhatIsNotKnownIsNotSaid) {
  Resolved resolved;
  resolved.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes: { cpu: { names: "
      "\"n[1-2]\", "
      "virtual_machine: { cpus: 2, memory: 2 GiB } } }\n");
  ASSERT_TRUE(resolved.cluster) << resolved.told();
  const ExpectedFigures expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  const auto plan_for = [&](double seconds) {
    std::vector<SuiteTest> suite =
        plan_suite(*resolved.cluster, expected, {.seconds = seconds, .hpl = "/opt/hpl/xhpl"});
    std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "hpl" && t.validator != "probe"; });
    return suite;
  };
  const std::vector<SuiteTest> suite = plan_for(0.01);
  ASSERT_EQ(suite.size(), 2u);
  EXPECT_TRUE(suite[1].length_unknown);
  EXPECT_EQ(expected_seconds(suite), suite[0].expected_s);
  EXPECT_EQ(pace_text(suite, 1, 3), "3 s elapsed; how long group/cpu/hpl takes is not known");
  const auto launcher = make_local_launcher("n1");
  const ValidationPlan plan{"h", "", "/b", 0, &suite, launcher.get()};
  const std::string text = render_validation_plan_text(plan), json = render_validation_plan_json(plan);
  EXPECT_NE(text.find("2 of 2 tests, about 2 s without group/cpu/hpl, of unknown length"), std::string::npos) << text;
  EXPECT_NE(json.find(R"("expected_s": null)"), std::string::npos) << json;
  const Budgeted fitted = fit_budget(plan_for, 0, 86400);
  EXPECT_EQ(fitted.left_out, std::vector<std::string>{"group/cpu/hpl"});
  EXPECT_EQ(fitted.suite[1].skip,
            "left out: --time-budget 24 h has room for no test of which nobody knows how long it takes");
}

// Of two nodes of a group the matrix is smaller, and so is what is expected: as long as the whole group takes, not
// shorter.
TEST(VendorHplTime, APartOfTheNodesHasItsShareOfThePeak) {
  Resolved resolved;
  resolved.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: { "
      "gpu: "
      "{ names: \"n[1-8]\", model: nvidia-dgx-h100 } }\ntargets: { hpl: { floor: 800 TFLOP/s } }\n");
  ASSERT_TRUE(resolved.cluster) << resolved.told();
  const ExpectedFigures expected = expect_figures(*resolved.cluster, plan_cluster(*resolved.cluster));
  const auto hpl_of = [&](std::set<std::string> nodes) {
    std::vector<SuiteTest> suite =
        plan_suite(*resolved.cluster, expected, {.hpl = "/opt/hpl/hpl.sh", .nodes = std::move(nodes)});
    std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "hpl"; });
    return suite.front();
  };
  const SuiteTest all = hpl_of({}), two = hpl_of({"n1", "n2"});
  EXPECT_NEAR(all.expected_s / two.expected_s, 2,
              0.1);  // four times the memory: eight times the work, at four times the rate
  // The floor is one of eight nodes: two of them have a quarter of it to reach.
  std::vector<SuiteTest> suite = plan_suite(*resolved.cluster, expected, {.nodes = {"n1", "n2"}});
  std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "hpl"; });
  FakeLauncher launcher;
  launcher.says["hpl"] = {test::kHeader, test::measurement("hpl.score", "201e12"), test::kDone};
  ValidateOptions options;
  const std::vector<SuiteTest> whole = plan_suite(*resolved.cluster, expected);
  options.whole_suite = &whole;
  const Report report = run_suite(*resolved.cluster, expected, suite, launcher, options);
  const auto at = std::ranges::find(report.verdicts, "hpl.score", &Judged::metric);
  ASSERT_NE(at, report.verdicts.end());
  EXPECT_EQ(at->verdict, Verdict::pass) << at->reason;
  EXPECT_DOUBLE_EQ(at->floor.value_or(0), 200e12);
  ASSERT_EQ(report.demands.size(), 1u);
  EXPECT_FALSE(report.demands[0].met);  // nobody saw the other six
}

}  // namespace
}  // namespace clusterc
