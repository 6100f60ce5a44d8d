// clusterc-burn: who is slow is reckoned as it is said, and a stopped, slowed, killed and wrong worker is named.
#include "burn/watch.h"
#include "harness/sensors.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using namespace clusterc::burn;

TEST(BurnWatch, ASlowWorkerIsToldFromOneThatGotNoProcessor) {
  // Four at 100 rounds a second of their own time. One got 31 % of its processor and is no slower meanwhile; one is
  // throttled to 62 %.
  EXPECT_EQ(slow_workers({{"processor 0", 100, 1},
                          {"processor 1", 98, 1},
                          {"processor 2", 31, 0.31},
                          {"processor 3", 62, 1},
                          {"processor 4", 100, 1}}),
            "processor 2 got 0.31 of its time, processor 3 does 0.62 of the median");
  EXPECT_EQ(slow_workers({{"gpu0", 100, 1}, {"gpu1", 85, 1}, {"gpu2", 90, 0.9}}), "");
  EXPECT_EQ(slow_workers({{"processor 7", 0, 0}}), "processor 7 got 0.00 of its time");
  std::vector<Work> many;
  for (int cpu = 0; cpu < 30; ++cpu) many.push_back({"processor " + std::to_string(cpu), cpu < 10 ? 50.0 : 100.0, 1});
  EXPECT_NE(slow_workers(many).find(" and 2 more"), std::string::npos);
}

TEST(BurnWatch, DriftIsTheLastFifthOverTheFirst) {
  EXPECT_FALSE(drift_of({1, 1, 1}));
  EXPECT_DOUBLE_EQ(*drift_of({10, 10, 9, 9, 9, 9, 9, 9, 8, 8}), 0.8);
  EXPECT_DOUBLE_EQ(*drift_of(std::vector<double>(50, 3.0)), 1);
}

TEST(BurnWatch, TracesKeepTheirEnds) {
  EXPECT_EQ(clusterc::harness::trace_text({3100, 3000, 2900, 2800, 2700}, 3), "3100 2900 2700");
  EXPECT_EQ(clusterc::harness::trace_text({41.4}), "41");
  EXPECT_EQ(clusterc::harness::trace_text({}), "");
}

// Kernel layouts: cpufreq in kHz, hwmon in thousandths of a degree, powercap in microjoules; a package's parts do not
// count again.
TEST(BurnWatch, SensorsAreReadFromTheKernelsTrees) {
  std::string pattern = fs::temp_directory_path() / "clusterc-sensors-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path root = pattern;
  const auto put = [&](const std::string& path, const char* text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  EXPECT_FALSE(read_sensors({0, 1}, root).clock);
  EXPECT_FALSE(read_sensors({0, 1}, root).temperature);
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
  put("sys/class/hwmon/hwmon0/name", "nvme\n"), put("sys/class/hwmon/hwmon0/temp1_input", "99000\n");
  put("sys/class/hwmon/hwmon1/name", "coretemp\n"), put("sys/class/hwmon/hwmon1/temp1_input", "61000\n"),
      put("sys/class/hwmon/hwmon1/temp2_input", "63500\n");
  put("sys/class/powercap/intel-rapl:0/energy_uj", "5000000\n"),
      put("sys/class/powercap/intel-rapl:0:0/energy_uj", "4000000\n"),
      put("sys/class/powercap/intel-rapl:1/energy_uj", "7000000\n");
  const Sensors s = read_sensors({0, 1}, root);
  EXPECT_DOUBLE_EQ(*s.clock, 2.5e9);
  EXPECT_DOUBLE_EQ(*s.temperature, 63.5);
  EXPECT_DOUBLE_EQ(*s.energy, 12);
  fs::remove_all(root);
}

TEST(BurnProgram, MeasuresAndChecksEveryRound) {
  const Result r = run({program("burn"), "--seconds", "0.5", "--workers", "2", "--allow-busy"});
  expect_measured(r, 2);
  EXPECT_GE(r.records[1]["checked"].get<int>(), 2);
  EXPECT_EQ(r.records[1]["count"], 5);
}

TEST(BurnProgram, TheFaultBuildIsFoundAndItsProcessorNamed) {
  const Result r = run({kFaulty + "/clusterc-burn-faulty", "--seconds", "0.5", "--workers", "2", "--allow-busy"});
  expect_wrong_data(r, 2);
  EXPECT_NE(r.records[1]["parameters"]["first_wrong"].get<std::string>().find("first in the matrix product"),
            std::string::npos)
      << r.text;
}

std::vector<std::string> workers_of(pid_t parent, std::size_t count) {
  std::vector<std::string> out;
  for (int turns = 0; turns < 1000 && out.size() < count; ++turns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    out.clear();
    std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
    for (std::string id; file >> id;) out.push_back(id);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return out;
}

TEST(BurnProgramFault, AStoppedAndAKilledWorkerAreNamed) {
  for (const int signal : {SIGSTOP, SIGKILL}) {
    const std::string output = output_file();
    const pid_t child =
        start({program("burn"), "--seconds", "60", "--timeout", "5", "--workers", "2", "--allow-busy"}, output);
    const std::vector<std::string> workers = workers_of(child, 2);
    ASSERT_EQ(workers.size(), 2u);
    kill(std::stoi(workers[1]), signal);
    const auto begin = std::chrono::steady_clock::now();
    const Result r = finish(child, output);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
    EXPECT_EQ(r.status, 2);
    ASSERT_TRUE(r.ended()) << r.text;
    const std::string detail = r.records.back()["detail"];
    EXPECT_EQ(r.records.back()["reason"], signal == SIGSTOP ? "timeout" : "system error") << detail;
    EXPECT_NE(detail.find("(process " + workers[1] + ")"), std::string::npos) << detail;
    EXPECT_NE(detail.find(signal == SIGSTOP ? "is stopped" : "was ended by signal 9"), std::string::npos) << detail;
    for (const std::string& worker : workers) EXPECT_FALSE(fs::exists("/proc/" + worker));
  }
}

// Rounds of 20 ms in intervals of 2 ms: a median of nothing is no rate.
TEST(BurnProgram, IntervalsShorterThanARoundAreNoMeasurement) {
  const Result r = run({program("burn"), "--seconds", "0.01", "--workers", "1", "--allow-busy"});
  EXPECT_EQ(r.status, 2);
  ASSERT_EQ(r.records.size(), 2u) << r.text;
  EXPECT_EQ(r.records[1]["reason"], "timeout");
}

// Stopped for nine tenths of the time: it moves, and is named with what it got.
TEST(BurnProgramFault, ASlowedWorkerIsNamed) {
  const std::string output = output_file();
  const pid_t child = start({program("burn"), "--seconds", "4", "--workers", "2", "--allow-busy"}, output);
  const std::vector<std::string> workers = workers_of(child, 2);
  ASSERT_EQ(workers.size(), 2u);
  const int slowed = std::stoi(workers[0]);
  for (int turns = 0; turns < 24; ++turns) {
    kill(slowed, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(180));
    kill(slowed, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Result r = finish(child, output);
  ASSERT_EQ(r.records.size(), 4u) << r.text;
  EXPECT_EQ(r.status, 0);  // what it computed is right; that it is slow is the judge's business
  ASSERT_TRUE(r.records[1]["parameters"].contains("slow")) << r.text;
  const std::string processor = std::to_string(r.records[2]["parameters"]["processor"].get<int>());
  EXPECT_NE(r.records[1]["parameters"]["slow"].get<std::string>().find("processor " + processor + " got 0."),
            std::string::npos)
      << r.text;
}

TEST(BurnProgramFault, SignalsLeaveNoWorker) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    const std::string output = output_file();
    const pid_t child = start({program("burn"), "--seconds", "60", "--workers", "2", "--allow-busy"}, output);
    const std::vector<std::string> workers = workers_of(child, 2);
    kill(child, signal);
    const Result r = finish(child, output);
    for (int turns = 0; turns < 500 && fs::exists("/proc/" + workers.at(0)); ++turns)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const std::string& worker : workers) EXPECT_FALSE(fs::exists("/proc/" + worker));
    if (signal == SIGKILL) continue;
    EXPECT_EQ(r.status, 2);
    ASSERT_TRUE(r.ended()) << r.text;
    EXPECT_EQ(r.records.back()["reason"], "interrupted");
  }
}

}  // namespace
