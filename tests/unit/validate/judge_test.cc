// Each verdict, and reading what validators print.
#include "validate/judge.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/stacks.h"
#include "targets/metrics.h"

namespace clusterc {
namespace {

MeasurementRecord measured(double value) {
  MeasurementRecord m{.metric = "memory.triad", .unit = "B/s"};
  m.value = value;
  m.data_verified = true;
  m.checked = 1;
  return m;
}

// Ceiling 100, typical 90, floor 80: below 80 fails, below 90 x 0.97 = 87.3 is degraded, above 102 was measured
// wrongly.
ExpectedFigure figure(const char* basis = "measured") {
  ExpectedFigure f{.test = "memory.triad"};
  f.ceiling.value = 100e9, f.typical.value = 90e9, f.floor.value = 80e9;
  f.basis = basis;
  return f;
}

Verdict verdict(double value, const ExpectedFigure& f) { return judge(measured(value), &f).verdict; }

TEST(Judge, EachVerdict) {
  const ExpectedFigure f = figure();
  EXPECT_EQ(verdict(95e9, f), Verdict::pass);
  EXPECT_EQ(verdict(87.4e9, f), Verdict::pass);
  EXPECT_EQ(verdict(87.2e9, f), Verdict::degraded);
  EXPECT_EQ(verdict(80e9, f), Verdict::degraded);
  EXPECT_EQ(verdict(79.9e9, f), Verdict::fail);
  EXPECT_EQ(verdict(101.9e9, f), Verdict::pass);
  EXPECT_EQ(verdict(102.1e9, f), Verdict::error);
  EXPECT_EQ(judge(measured(1e9), nullptr).verdict, Verdict::unjudged);
  EXPECT_NE(judge(measured(79e9), &f).reason.find("80 GB/s"), std::string::npos);
}

// What held a GPU's clocks back is said with the figure that it spoiled; of a figure that is as it should be it is no
// matter.
TEST(Judge, HeatIsSaidOfASlowProduct) {
  ExpectedFigure f = figure();
  f.test = "gemm.bf16";
  MeasurementRecord m = measured(79e9);
  m.metric = "gemm.bf16", m.slow = "gpu3 was held back by hardware thermal slowdown in 9 of 25 readings";
  EXPECT_TRUE(judge(m, &f).reason.ends_with(": " + m.slow)) << judge(m, &f).reason;
  m.value = 87.2e9;
  EXPECT_TRUE(judge(m, &f).reason.ends_with(": " + m.slow)) << judge(m, &f).reason;
  m.value = 95e9;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::pass);
  EXPECT_EQ(judge(m, &f).reason, "");
}

TEST(Judge, WrongDataFailsWhateverTheSpeed) {
  const ExpectedFigure f = figure();
  MeasurementRecord m = measured(95e9);
  m.data_verified = false;
  m.checked = 10, m.wrong = 1;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::fail);
  EXPECT_EQ(judge(m, nullptr).verdict, Verdict::fail);
}

TEST(Judge, TransferredFloorOnlyDegrades) {
  EXPECT_EQ(verdict(50e9, figure("transferred")), Verdict::degraded);
  EXPECT_EQ(verdict(50e9, figure("stated")), Verdict::degraded);
  EXPECT_EQ(verdict(50e9, figure("single")), Verdict::fail);
}

TEST(Judge, WithoutCeilingThereIsNoTargetUnlessTheSpecSetsOne) {
  ExpectedFigure f{.test = "memory.triad"};
  f.missing = "memory is not known";
  EXPECT_EQ(judge(measured(1e9), &f).verdict, Verdict::unjudged);
  EXPECT_EQ(judge(measured(1e9), &f).reason, "memory is not known");
  f.floor.value = 2e9, f.floor_by_user = true;
  EXPECT_EQ(verdict(1e9, f), Verdict::fail);
  EXPECT_EQ(verdict(3e9, f), Verdict::pass);
  f.skip = "not now";
  EXPECT_EQ(verdict(3e9, f), Verdict::skipped);
}

TEST(Judge, BesideOtherWorkNothingFails) {
  const ExpectedFigure f = figure();
  MeasurementRecord m = measured(50e9);
  m.busy = true;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::error);
  EXPECT_TRUE(judge(m, &f).reason.starts_with("busy"));
  m.value = 95e9;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::pass);
}

TEST(Judge, ALatencyIsBetterWhenLower) {
  ExpectedFigure f{.test = "t", .dimension = Dimension::time, .lower_is_better = true};
  f.ceiling.value = 1e-6, f.floor.value = 4e-6, f.basis = "measured";
  MeasurementRecord m = measured(5e-6);
  m.unit = "s", m.lower_is_better = true;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::fail);
  m.value = 3e-6;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::pass);
  m.value = 0.9e-6;
  EXPECT_EQ(judge(m, &f).verdict, Verdict::error);  // faster than physics allows
}

std::vector<std::string> sample(const std::string& path) {
  std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/validators/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A program that is newer than the table: the unit is its own, and nothing is expected of the figure. The case is a
// load latency of 90 ns, which was called contradictory because its name does not end in "latency".
TEST(Judge, OfAMetricThatTheTableDoesNotHaveTheUnitIsTheProgramsOwn) {
  for (const char* name : {"latency.load", "memory.latency", "memory.new_thing"}) {
    MeasurementRecord m = measured(9e-8);
    m.metric = name;
    m.unit = "s";
    const Judged j = judge(m, nullptr);
    EXPECT_EQ(j.verdict, Verdict::unjudged) << name << ": " << j.reason;
    EXPECT_EQ(j.dimension, Dimension::time) << name;
    m.unit = "furlongs";
    EXPECT_EQ(judge(m, nullptr).verdict, Verdict::error) << name;
  }
}

TEST(Judge, OfAMetricOfTheTableTheUnitIsTheTables) {
  for (const Metric& metric : all_metrics()) {
    MeasurementRecord m = measured(9e-8);
    m.metric = metric.name;
    m.backend = "cuda";
    m.unit = unit_name(metric.unit);
    EXPECT_NE(judge(m, nullptr).verdict, Verdict::error) << metric.name << ": " << judge(m, nullptr).reason;
    m.unit = metric.unit == Dimension::time ? "B/s" : "s";
    EXPECT_EQ(judge(m, nullptr).verdict, Verdict::error) << metric.name;
  }
}

TEST(Record, Samples) {
  const ResultRecords healthy = read_records(sample("memory/samples/healthy.jsonl"));
  EXPECT_TRUE(healthy.done);
  ASSERT_EQ(healthy.measurements.size(), 4u);
  EXPECT_EQ(healthy.measurements[0].metric, "memory.copy");
  EXPECT_DOUBLE_EQ(healthy.measurements[0].value, 25955350659.316948);
  EXPECT_TRUE(healthy.measurements[0].data_verified);

  const ResultRecords cut = read_records(sample("memory/samples/truncated.jsonl"));
  EXPECT_FALSE(cut.done);
  EXPECT_EQ(cut.error, "cut off before its end");
  const ResultRecords wrong = read_records(sample("memory/samples/wrong-data.jsonl"));
  EXPECT_FALSE(wrong.measurements.at(0).data_verified && wrong.measurements.at(1).data_verified &&
               wrong.measurements.at(2).data_verified && wrong.measurements.at(3).data_verified);
  EXPECT_TRUE(read_records(sample("memory/samples/busy.jsonl")).error.starts_with("busy: "));
  // What ranks printed of their processes is text of others, and has an end.
  std::string many =
      R"({"record":"end","status":"error","reason":"timeout","detail":"x","stacks":["process 1: \u001b[2J")";
  for (int i = 0; i < 1000; ++i) many += ",\"l\"";
  const ResultRecords hung = read_records({many + "]}"});
  EXPECT_EQ(hung.error, "timeout: x");
  ASSERT_EQ(hung.stacks.size(), kMostStackLines);
  EXPECT_EQ(hung.stacks[0], "process 1: \xef\xbf\xbd[2J");
  EXPECT_TRUE(read_records(sample("memory/samples/no-driver.jsonl")).error.starts_with("no NVIDIA driver"));
  EXPECT_TRUE(read_records(sample("mpi/samples/timeout.jsonl")).error.starts_with("timeout"));
  const ResultRecords mpi = read_records(sample("mpi/samples/two-ranks-busy-allowed.jsonl"));
  EXPECT_EQ(mpi.measurements.at(0).type, "float32");
  EXPECT_EQ(mpi.measurements.at(0).in_place, std::optional(true));
  EXPECT_TRUE(mpi.measurements.at(0).busy && mpi.measurements.at(0).lower_is_better);
  const ResultRecords probe = read_records(sample("probe/samples/virtual-machine.jsonl"));
  EXPECT_TRUE(probe.done && probe.probe);
  EXPECT_EQ(probe.gpus, 0);
  EXPECT_NE(probe.no_gpus.find("libnvidia-ml"), std::string::npos);
}

// A rank that died says why, or nobody does: that the launcher then ended the others is no reason.
// What a node prints reaches a terminal as text: ESC [ 2 J would empty it, a carriage return hide what stands before.
TEST(Record, NothingOfANodeRulesTheTerminal) {
  const std::string header =
      R"({"record":"header","format":"clusterc-result","version":1,"validator":"memory","program_version":"0.1.0","host":"n1","started":"x","backend":"host","seed":1,"arguments":[]})";
  const auto error = [&](const std::string& line) { return read_records({header, line}).error; };
  for (
      const std::string& said :
      {error(
           R"({"record":"end","status":"error","reason":"busy","detail":"a\u001b[2Jb\rc\nd","measurements":0,"wrong":0})"),
       read_records({"a\x1b[2Jb\rc"}).error,
       error(
           R"({"record":"end","status":"error","reason":"\u001b]0;x\u0007","detail":"x","measurements":0,"wrong":0})")}) {
    EXPECT_FALSE(said.empty());
    for (const char c : said) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << said;
  }
}

TEST(Record, AWorldThatFellApart) {
  const auto end = [](const std::string& reason, const std::string& detail) {
    return R"({"record":"end","status":"error","reason":")" + reason + R"(","detail":")" + detail +
           R"(","measurements":0,"wrong":0})";
  };
  const std::string header =
                        R"({"record":"header","format":"clusterc-result","version":1,"validator":"hpl","host":"n1"})",
                    done = R"({"record":"end","status":"done","measurements":0,"data_verified":true,"wrong":0})";
  const std::string one = end("interrupted", "rank 1: SIGTERM"), two = end("interrupted", "rank 2: SIGTERM"),
                    three = end("communication error", "rank 3: MPI_Send failed");
  const ResultRecords told = read_records({header, one, two, three});
  EXPECT_EQ(told.error, "communication error: rank 3: MPI_Send failed");
  EXPECT_FALSE(told.unexplained);
  EXPECT_EQ(read_records({header, three, one}).error, told.error);
  const ResultRecords nobody = read_records({header, one, two});
  EXPECT_EQ(nobody.error, "interrupted: rank 1: SIGTERM");
  EXPECT_TRUE(nobody.unexplained);
  EXPECT_TRUE(read_records({header}).unexplained);
  const ResultRecords ended = read_records({header, done, one});
  EXPECT_TRUE(ended.done);
  EXPECT_FALSE(ended.unexplained);
}

TEST(Record, ChatterAndVersions) {
  EXPECT_EQ(read_records({}).error, "printed nothing");
  EXPECT_EQ(read_records({"sh: 1: not found"}).error, "printed no result: sh: 1: not found");
  EXPECT_NE(read_records({R"({"record":"header","format":"clusterc-result","version":2})"}).error.find("version 2"),
            std::string::npos);
  // The first end counts.
  EXPECT_TRUE(
      read_records({R"({"record":"end","status":"error","reason":"timeout"})", R"({"record":"end","status":"done"})"})
          .error.starts_with("timeout"));
}

}  // namespace
}  // namespace clusterc
