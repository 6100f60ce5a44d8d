// The programs as they are installed: what they print, how they end, and that wrong data and a hung rank are found.
#include <unistd.h>

#include <set>

#include "skipping.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;

std::vector<std::string> mpirun(int ranks, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"mpirun", "--oversubscribe", "-n", std::to_string(ranks)};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}
bool have_mpi() { return fs::exists(program("mpi")); }
#define SKIP_WITHOUT_MPI() \
  if (!have_mpi()) CLUSTERC_MISSING("clusterc-mpi is not built: no MPI was found")

TEST(Programs, VersionIsTheHandshake) {
  for (const char* name : {"probe", "memory", "gemm"}) {
    const Result result = run({program(name), "--version"});
    EXPECT_EQ(result.status, 0);
    ASSERT_EQ(result.records.size(), 1u) << name;
    EXPECT_EQ(result.records[0]["format"], "clusterc-validator");
    EXPECT_EQ(result.records[0]["name"], name);
    EXPECT_EQ(result.records[0]["protocol"], 1);
    EXPECT_EQ(result.records[0]["backends"][0], "host");
  }
}

TEST(Programs, MemoryMeasuresAndVerifies) {
  expect_measured(run({program("memory"), "--size", "4MiB", "--iterations", "3", "--allow-busy"}), 4);
}
TEST(Programs, MemoryFindsAFlippedBit) {
  expect_wrong_data(run({kFaulty + "/clusterc-memory-faulty", "--size", "4MiB", "--iterations", "3", "--allow-busy"}),
                    4);
}

TEST(Programs, GemmMeasuresAndVerifies) {
  const Result result = run({program("gemm"), "--size", "300", "--iterations", "3", "--allow-busy"});
  if (result.ended() && result.records.back().value("reason", "") == "library missing")
    CLUSTERC_MISSING(result.records.back()["detail"]);
  expect_measured(result, 2);
}
TEST(Programs, GemmFindsAFlippedBit) {
  const Result result = run({kFaulty + "/clusterc-gemm-faulty", "--size", "300", "--iterations", "3", "--allow-busy"});
  if (result.ended() && result.records.back().value("reason", "") == "library missing")
    CLUSTERC_MISSING(result.records.back()["detail"]);
  expect_wrong_data(result, 2);
}

TEST(Programs, ProbePrintsOneObject) {
  const Result result = run({program("probe")});
  EXPECT_EQ(result.status, 0);
  ASSERT_EQ(result.records.size(), 3u);
  EXPECT_EQ(result.records[1]["record"], "probe");
}

TEST(Programs, TheSameSeedGivesTheSameInputsInText) {
  const Result result =
      run({program("memory"), "--size", "4MiB", "--iterations", "1", "--allow-busy", "--format", "text"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.text.find("memory.triad"), std::string::npos);
  EXPECT_NE(result.text.find("verified"), std::string::npos);
}

// Without a driver nothing is measured; on a machine with one these say what they found.
TEST(Programs, WithoutADriverACudaRunIsAnErrorAndNeverAMeasurement) {
  if (fs::exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  for (const char* name : {"memory", "gemm", "hpl", "burn"}) {
    if (!fs::exists(program(name))) continue;
    const Result result = run({program(name), "--device", "cuda"});
    EXPECT_EQ(result.status, 2) << name;
    ASSERT_EQ(result.records.size(), 2u) << result.text;
    EXPECT_EQ(result.records[1]["status"], "error");
    EXPECT_EQ(result.records[1]["reason"], "no NVIDIA driver");
  }
}

TEST(Programs, WrongUseIsStatusTwoAndPrintsNoRecord) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{program("memory"), "--size", "100"},
                                                                     {program("gemm"), "--bogus"},
                                                                     {program("probe"), "--iterations", "3"}}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.text.empty()) << result.text;
  }
}

// What does not exist here is no fault: status 3 and an end record of its own.
TEST(Programs, WhatTheBackEndDoesNotHaveIsNotApplicable) {
  const Result result = run({program("gemm"), "--precisions", "bf16", "--allow-busy"});
  if (result.ended() && result.records.back().value("reason", "") == "library missing")
    CLUSTERC_MISSING(result.records.back()["detail"]);
  EXPECT_EQ(result.status, 3);
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.records.back()["status"], "not applicable");
  EXPECT_EQ(result.records.back()["measurements"], 0);
}

// --list names the figures that a run brings, no more and no fewer.
TEST(Programs, ListNamesWhatARunBrings) {
  std::set<std::string> listed, brought;
  const Result list = run({program("memory"), "--list", "--json"});
  EXPECT_EQ(list.status, 0);
  for (const json& record : list.records)
    listed.insert(record["metric"].get<std::string>() + " in " + record["unit"].get<std::string>());
  for (const json& record :
       run({program("memory"), "--size", "1MiB", "--iterations", "1", "--allow-busy", "--json"}).records) {
    if (record["record"] == "measurement")
      brought.insert(record["metric"].get<std::string>() + " in " + record["unit"].get<std::string>());
  }
  EXPECT_EQ(listed, brought);
  EXPECT_EQ(listed.size(), 4u);
  const Result table = run({program("memory"), "--list"});
  EXPECT_NE(table.text.find("memory.triad"), std::string::npos);
  EXPECT_TRUE(table.records.empty());
}

// Work of others, found by measuring: as many spinning processes as processors, and nobody allows it.
TEST(Programs, AnotherLoadIsBusy) {
  std::vector<pid_t> spinners;
  for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency()); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (volatile bool on = true; on;) {
      }
    }
    spinners.push_back(child);
  }
  const Result result = run({program("memory"), "--size", "4MiB", "--iterations", "3"});
  for (const pid_t child : spinners) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(result.status, 2);
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.records.back()["reason"], "busy");
  EXPECT_EQ(result.records.size(), 2u);
}

TEST(Programs, TooLargeIsNotEnoughMemory) {
  const Result result = run({program("memory"), "--size", "100TiB", "--allow-busy"});
  EXPECT_EQ(result.status, 2);
  ASSERT_TRUE(result.ended());
  EXPECT_EQ(result.records.back()["reason"], "not enough memory");
}

TEST(Programs, AFullDiskIsNotADoneRun) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/full", O_WRONLY), 1);
    dup2(open("/dev/null", O_WRONLY), 2);
    execl(program("probe").c_str(), "clusterc-probe", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(ProgramsFault, SigtermEndsWithARecord) {
  const std::string output = output_file();
  const pid_t child = start({program("memory"), "--size", "4MiB", "--seconds", "60", "--allow-busy"}, output);
  wait_for_a_record(output);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGTERM);
  const Result result = finish(child, output);
  EXPECT_EQ(result.status, 2);
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.records.back()["reason"], "interrupted");
}

TEST(ProgramsFault, AKilledRunHasNoEndRecord) {
  const std::string output = output_file();
  const pid_t child = start({program("memory"), "--size", "4MiB", "--seconds", "60", "--allow-busy"}, output);
  wait_for_a_record(output);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGKILL);
  const Result result = finish(child, output);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  EXPECT_FALSE(result.records.empty());
  EXPECT_FALSE(result.ended()) << result.text;
}

TEST(Programs, MissingBlasIsALibraryMissing) {
  // An empty loader path hides nothing; a bad preload of the name does not either. The library is hidden by a name
  // space of its own only where we may make one.
  const Result result = run({"unshare", "-rm", "sh", "-c",
                             "for d in /usr/lib/*-linux-gnu /usr/lib64; do [ -d $d/openblas-pthread ] && mount -t "
                             "tmpfs none $d/openblas-pthread; done; "
                             "for l in $(ls /usr/lib/*-linux-gnu/libopenblas.so.0 /usr/lib/*-linux-gnu/libblas.so.3 "
                             "/usr/lib64/libopenblas.so.0 2>/dev/null); do "
                             "mount --bind /dev/null $(readlink -f $l) 2>/dev/null; done; exec " +
                                 program("gemm") + " --size 64 --allow-busy"});
  if (result.records.empty()) GTEST_SKIP() << "this user may not make a mount name space";
  ASSERT_TRUE(result.ended()) << result.text;
  if (result.status == 0) GTEST_SKIP() << "another BLAS is installed";
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.records.back()["reason"], "library missing");
}

TEST(Programs, MpiSumsAreExactForSeveralRanks) {
  SKIP_WITHOUT_MPI();
  for (const int ranks : {2, 3, 17}) {  // 17: more than regenerate all sums alone
    const Result result = run(mpirun(ranks, {program("mpi"), "--min-size", "8B", "--max-size", "16B", "--iterations",
                                             "3", "--warmup", "1", "--allow-busy"}));
    // Between pairs: two sizes of ping-pong (time and bandwidth), bandwidth, bidirectional and multi-pair; one message
    // rate and two figures of the barrier. All-reduce: types, placements, sizes, metrics. All-gather and all-to-all:
    // sizes that have 4 B for each rank, metrics.
    const int sizes = ranks == 2 ? 2 : ranks == 3 ? 1 : 0;
    expect_measured(result, 2 * (2 + 1 + 1 + 1) + 1 + 2 + 2 * 2 * 2 * 3 + 2 * sizes * 3);
    for (std::size_t i = 1; i + 1 < result.records.size(); ++i)
      EXPECT_EQ(result.records[i]["parameters"]["ranks"], ranks);
  }
}

// What each barrier takes beyond the fastest one.
TEST(Programs, MpiDelaysOfBarriersBeginAtTheFastest) {
  SKIP_WITHOUT_MPI();
  const Result result = run(mpirun(2, {program("mpi"), "--tests", "barrier", "--iterations", "9", "--allow-busy"}));
  ASSERT_EQ(result.records.size(), 4u) << result.text;
  const auto &time = result.records[1], &delay = result.records[2];
  EXPECT_EQ(delay["metric"], "mpi.barrier.delay");
  EXPECT_EQ(delay["count"], 9);
  EXPECT_EQ(delay["min"], 0.0);
  EXPECT_DOUBLE_EQ(delay["max"].get<double>(), time["max"].get<double>() - time["min"].get<double>());
}

// busbw = algbw * 2(n-1)/n, sample by sample; with three ranks the factor is 4/3.
TEST(Programs, MpiBusBandwidthFollowsTheFormula) {
  SKIP_WITHOUT_MPI();
  const Result result = run(mpirun(3, {program("mpi"), "--tests", "allreduce", "--size", "64KiB", "--types", "int32",
                                       "--placements", "out-of-place", "--iterations", "5", "--allow-busy"}));
  ASSERT_EQ(result.records.size(), 5u) << result.text;
  EXPECT_DOUBLE_EQ(result.records[3]["max"].get<double>() / result.records[2]["max"].get<double>(), 4.0 / 3);
  EXPECT_DOUBLE_EQ(result.records[2]["max"].get<double>() * result.records[1]["min"].get<double>(), 65536);
}

// Three ranks share 64 KiB: 5461 elements of 4 B each, 65,532 B in all; a link carries two thirds of them.
TEST(Programs, MpiExchangesFollowTheFormula) {
  SKIP_WITHOUT_MPI();
  const Result result = run(mpirun(
      3, {program("mpi"), "--tests", "allgather,alltoall", "--size", "64KiB", "--iterations", "5", "--allow-busy"}));
  ASSERT_EQ(result.records.size(), 8u) << result.text;
  for (const std::size_t at : {1u, 4u}) {
    const std::string what = at == 1 ? "mpi.allgather" : "mpi.alltoall";
    EXPECT_EQ(result.records[at]["metric"], what + ".time");
    EXPECT_EQ(result.records[at + 2]["metric"], what + ".busbw");
    EXPECT_EQ(result.records[at]["size"], 65532);
    EXPECT_EQ(result.records[at]["checked"], 3 * 16383);
    EXPECT_DOUBLE_EQ(result.records[at + 2]["max"].get<double>() / result.records[at + 1]["max"].get<double>(),
                     2.0 / 3);
    EXPECT_DOUBLE_EQ(result.records[at + 1]["max"].get<double>() * result.records[at]["min"].get<double>(), 65532);
  }
}

// One size of each pattern: ping-pong (time and bandwidth), bandwidth, bidirectional, multi-pair, message rate,
// two of the barrier, and the three of an all-reduce, an all-gather and an all-to-all.
TEST(Programs, MpiFindsAFlippedBitInEveryPattern) {
  SKIP_WITHOUT_MPI();
  expect_wrong_data(run(mpirun(2, {kFaulty + "/clusterc-mpi-faulty", "--size", "1KiB", "--types", "float32",
                                   "--placements", "in-place", "--iterations", "3", "--allow-busy"})),
                    2 + 6 + 3 + 3 + 3);
}

TEST(Programs, HplSolvesAndSaysHow) {
  SKIP_WITHOUT_MPI();
  // 5 ranks for a grid of 2 x 2: one stays idle. N is no multiple of NB.
  const Result result = run(mpirun(5, {program("hpl"), "--size", "203", "--block", "16", "--rows", "2", "--columns",
                                       "2", "--iterations", "2", "--allow-busy"}));
  expect_measured(result, 1);  // too small for a DGEMM
  ASSERT_GT(result.records.size(), 1u);
  const json& m = result.records[1];
  EXPECT_EQ(m["metric"], "hpl.score");
  EXPECT_EQ(m["size"], 8 * 203 * 204);
  EXPECT_EQ(m["count"], 2);
  EXPECT_EQ(m["parameters"]["ranks"], 4);
  EXPECT_LT(m["parameters"]["residual"].get<double>(), 16);
  // 13 block columns; each comes to two of the four ranks. Two solutions of 203 rows.
  EXPECT_EQ(m["parameters"]["panels_received"], 2 * 13 * 2);
  EXPECT_EQ(m["checked"], 2 * 203 + 2 * 13 * 2);
}

// The lowest bit of one word of one panel: far below what the residual shows.
TEST(Programs, HplFindsAFlippedBitInAPanelBetweenRanks) {
  SKIP_WITHOUT_MPI();
  const Result result = run(
      mpirun(2, {kFaulty + "/clusterc-hpl-faulty", "--size", "100", "--block", "16", "--warmup", "1", "--allow-busy"}));
  expect_wrong_data(result, 1);
  ASSERT_EQ(result.records.size(), 3u);
  EXPECT_EQ(result.records[1]["parameters"]["panels_damaged"], 1);
  EXPECT_LT(result.records[1]["parameters"]["residual"].get<double>(), 16);
}

// 203 rows in 13 blocks of 16 on 2 x 2. Messages, of which each sender has one receiver: a square goes along its row
// and its column, which makes 2; a left panel along both rows, where there is something below it on that row, and an
// upper panel along both columns. Below block k lie blocks k + 1 to 12: on both rows for k up to 10, on one for k = 11,
// on none for k = 12. So 13 x 2 + (11 x 2 + 1) x 2 = 72.
TEST(Programs, HplMxpSolvesAndSaysHow) {
  SKIP_WITHOUT_MPI();
  for (const std::string precision : {"fp32", "bf16", "fp16"}) {
    const Result result = run(mpirun(5, {program("hpl"), "--precision", precision, "--size", "203", "--block", "16",
                                         "--rows", "2", "--columns", "2", "--iterations", "2", "--allow-busy"}));
    expect_measured(result, 1);  // too small for a product
    ASSERT_GT(result.records.size(), 1u);
    const json& m = result.records[1];
    EXPECT_EQ(m["metric"], "hpl.mxp");
    EXPECT_EQ(m["count"], 2);
    const json& p = m["parameters"];
    EXPECT_EQ(p["precision"], precision);
    EXPECT_LT(p["residual"].get<double>(), 16);
    EXPECT_EQ(p["panels_received"], 2 * 72);
    EXPECT_EQ(m["checked"], 2 * 203 + 2 * 72);
    EXPECT_GE(p["refinement_steps"], 2);  // one step leaves what rounding made of the factors
    EXPECT_LE(p["refinement_steps"], 7);
  }
  const Result both = run({program("hpl"), "--precision", "fp64,fp16"});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(both.text.empty()) << both.text;
}
TEST(Programs, HplMxpFindsAFlippedBitInAMessageBetweenRanks) {
  SKIP_WITHOUT_MPI();
  const Result result = run(mpirun(2, {kFaulty + "/clusterc-hpl-faulty", "--precision", "fp16", "--size", "100",
                                       "--block", "16", "--warmup", "1", "--allow-busy"}));
  expect_wrong_data(result, 1);
  ASSERT_EQ(result.records.size(), 3u);
  EXPECT_EQ(result.records[1]["parameters"]["panels_damaged"], 1);
  EXPECT_LT(result.records[1]["parameters"]["residual"].get<double>(), 16);
}

// 2^-7 of one element of the factors: refinement comes to the right solution all the same, and what the factors left
// tells.
TEST(Programs, HplMxpFindsFactorsThatAreWorseThanTheirPrecision) {
  SKIP_WITHOUT_MPI();
  const Result result =
      run({kFaulty + "/clusterc-hpl-faulty", "--precision", "fp16", "--size", "100", "--block", "16", "--allow-busy"});
  expect_wrong_data(result, 1);
  ASSERT_EQ(result.records.size(), 3u);
  const json& p = result.records[1]["parameters"];
  EXPECT_GT(p["left_by_factors"].get<double>(), p["left_by_factors_limit"].get<double>());
  EXPECT_LT(p["residual"].get<double>(), 16);
}

// What a shell that becomes the program of one of several ranks does: `signal` comes a second after the first record,
// in the middle of the work.
std::string with_a_signal(const std::string& output, const char* signal, int rank, const std::string& command) {
  return "if [ \"$OMPI_COMM_WORLD_RANK\" = " + std::to_string(rank) + " ]; then (until [ -s " + output +
         " ] || [ ! -e /proc/$$ ]; do sleep 0.1; done; sleep 1; kill -" + signal + " $$) & fi; exec " + command;
}

// One of two ranks gets `signal` while it works. What MPI keeps in files and shared memory meanwhile lies in a folder
// of this test, and must be gone afterwards.
Result hpl_with_a_signal(const char* signal, int rank, std::chrono::steady_clock::duration& took,
                         const std::string& precision = "fp64") {
  const std::string output = output_file(), folder = output_file();
  fs::create_directories(folder + "/tmp");
  fs::create_directories(folder + "/shm");
  const std::string script =
      with_a_signal(output, signal, rank,
                    program("hpl") + " --size 400 --seconds 90 --timeout 4 --allow-busy --precision " + precision);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> arguments = {"env", "TMPDIR=" + folder + "/tmp",
                                        "OMPI_MCA_btl_vader_backing_directory=" + folder + "/shm"};
  for (std::string& argument : mpirun(2, {"sh", "-c", script})) arguments.push_back(std::move(argument));
  const Result result = finish(start(arguments, output), output);
  took = std::chrono::steady_clock::now() - begin;
  std::string left;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) left += entry.path().string() + " ";
  }
  EXPECT_EQ(left, "") << signal;
  fs::remove_all(folder);
  return result;
}

TEST(ProgramsFault, HplNamesTheRankThatIsStopped) {
  SKIP_WITHOUT_MPI();
  for (const auto& [rank, precision] : {std::pair(0, "fp64"), {1, "fp64"}, {0, "fp16"}, {1, "fp16"}}) {
    std::chrono::steady_clock::duration took{};
    const Result result = hpl_with_a_signal("STOP", rank, took, precision);
    EXPECT_LT(took, std::chrono::seconds(60));
    const json* end = first_end(result);
    ASSERT_NE(end, nullptr) << result.text;
    EXPECT_EQ((*end)["reason"], "timeout");
    const std::string detail = (*end)["detail"], who = "rank " + std::to_string(rank) + " on '";
    EXPECT_NE(detail.find(who, 5), std::string::npos) << detail;  // not as the one who tells
    EXPECT_NE(detail.find("is stopped"), std::string::npos) << detail;
  }
}

TEST(ProgramsFault, HplNamesTheRankThatWasKilled) {
  SKIP_WITHOUT_MPI();
  std::chrono::steady_clock::duration took{};
  const Result result = hpl_with_a_signal("KILL", 1, took);
  EXPECT_LT(took, std::chrono::seconds(60));
  EXPECT_NE(result.status, 0);
  const json* end = first_end(result);
  ASSERT_NE(end, nullptr) << result.text;
  EXPECT_EQ((*end)["reason"], "communication error");
  const std::string detail = (*end)["detail"];
  EXPECT_NE(detail.find("rank 1 on '"), std::string::npos) << detail;
  EXPECT_NE(detail.find("is gone"), std::string::npos) << detail;
}

TEST(ProgramsFault, HplEndsCleanlyWhenInterrupted) {
  SKIP_WITHOUT_MPI();
  std::chrono::steady_clock::duration took{};
  const Result result = hpl_with_a_signal("TERM", 0, took);
  EXPECT_LT(took, std::chrono::seconds(60));
  EXPECT_EQ(result.status, 2);
  const json* end = first_end(result);
  ASSERT_NE(end, nullptr) << result.text;
  EXPECT_EQ((*end)["reason"], "interrupted");
}

TEST(Programs, HplRefusesAGridThatNeedsMoreRanks) {
  SKIP_WITHOUT_MPI();
  const Result result = run(mpirun(2, {program("hpl"), "--rows", "2", "--columns", "2"}));
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(result.text.empty()) << result.text;
}

#define SKIP_WITHOUT_NCCL() \
  if (!fs::exists(program("nccl"))) CLUSTERC_MISSING("clusterc-nccl is not built: no MPI was found")

// Every collective, type and placement that MPI has, among ranks of whom one count is no power of two. 12 measurements:
// all_reduce, all_gather, reduce_scatter, all_to_all, reduce in both placements, broadcast in place, sendrecv out of
// place; three metrics each.
TEST(Programs, NcclVerifiesEveryCollectiveOnHosts) {
  SKIP_WITHOUT_NCCL();
  for (const int ranks : {2, 3, 17}) {  // 17: more than regenerate all sums alone
    const Result result = run(mpirun(ranks, {program("nccl"), "--size", "1KiB", "--types", "float32,int8,int64",
                                             "--iterations", "3", "--warmup", "1", "--allow-busy", "--timeout", "60"}));
    expect_measured(result, 12 * 3 * 3);
  }
}

// busbw = algbw x (n-1)/n for all_gather: 2/3 of it among three ranks; algbw counts the whole array.
TEST(Programs, NcclBandwidthFollowsTheFormula) {
  SKIP_WITHOUT_NCCL();
  const Result result = run(mpirun(3, {program("nccl"), "--collectives", "all_gather", "--size", "12KiB",
                                       "--placements", "out-of-place", "--iterations", "5", "--allow-busy"}));
  ASSERT_EQ(result.records.size(), 5u) << result.text;
  EXPECT_EQ(result.records[1]["size"], 12288);
  EXPECT_DOUBLE_EQ(result.records[2]["max"].get<double>() * result.records[1]["min"].get<double>(), 12288);
  EXPECT_DOUBLE_EQ(result.records[3]["max"].get<double>() / result.records[2]["max"].get<double>(), 2.0 / 3);
}

TEST(Programs, NcclFindsAFlippedBitInEveryCollective) {
  SKIP_WITHOUT_NCCL();
  expect_wrong_data(run(mpirun(2, {kFaulty + "/clusterc-nccl-faulty", "--size", "1KiB", "--types", "int32",
                                   "--iterations", "3", "--allow-busy"})),
                    12 * 3);
}

TEST(Programs, NcclOfOneRankIsNotApplicable) {
  SKIP_WITHOUT_NCCL();
  const Result result = run({program("nccl"), "--allow-busy"});
  EXPECT_EQ(result.status, 3);
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.records.back()["status"], "not applicable");
}

// One of two ranks gets `signal` in the middle of the work.
Result job_with_a_signal(const char* name, const char* signal, int rank) {
  const std::string output = output_file();
  const std::string script =
      with_a_signal(output, signal, rank, program(name) + " --size 1MiB --seconds 90 --timeout 4 --allow-busy");
  const auto begin = std::chrono::steady_clock::now();
  Result result = finish(start(mpirun(2, {"sh", "-c", script}), output), output);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << name << " " << signal;
  return result;
}

// A rank that is stopped: the others name it within the deadline, whichever it is.
TEST(ProgramsFault, CollectivesNameTheRankThatIsStopped) {
  SKIP_WITHOUT_NCCL();
  for (const char* name : {"nccl", "mpi"}) {
    for (const int rank : {0, 1}) {
      const Result result = job_with_a_signal(name, "STOP", rank);
      EXPECT_EQ(result.status, 2);
      const json* end = first_end(result);
      ASSERT_NE(end, nullptr) << result.text;
      EXPECT_EQ((*end)["reason"], "timeout");
      const std::string detail = (*end)["detail"];
      EXPECT_NE(detail.find("rank " + std::to_string(rank) + " on '", 5), std::string::npos)
          << detail;  // not as the one who tells
      EXPECT_NE(detail.find("is stopped"), std::string::npos) << detail;
      // Its stack comes first, then that of the rank that tells.
      ASSERT_TRUE(end->contains("stacks")) << result.text;
      const std::string first = (*end)["stacks"][0];
      EXPECT_TRUE(first.starts_with("process ") && first.find(": T (stopped)") != std::string::npos) << first;
      EXPECT_NE(end->dump().find(": S ("), std::string::npos) << result.text;
    }
  }
}

// A rank that is killed: named, and nobody calls the run done.
TEST(ProgramsFault, CollectivesNameTheRankThatWasKilled) {
  SKIP_WITHOUT_NCCL();
  for (const char* name : {"nccl", "mpi"}) {
    const Result result = job_with_a_signal(name, "KILL", 1);
    EXPECT_NE(result.status, 0);
    const json* end = first_end(result);
    ASSERT_NE(end, nullptr) << result.text;
    EXPECT_EQ((*end)["reason"], "communication error");
    const std::string detail = (*end)["detail"];
    EXPECT_NE(detail.find("rank 1 on '"), std::string::npos) << detail;
    EXPECT_NE(detail.find("is gone"), std::string::npos) << detail;
  }
}

// 8, 16 and 32 B of float64 among three ranks are 1, 1 and 1 element each of all_gather, and 1, 2 and 4 of all_reduce.
TEST(Programs, NcclMeasuresNoSizeTwice) {
  SKIP_WITHOUT_NCCL();
  const Result result =
      run(mpirun(3, {program("nccl"), "--collectives", "all_gather,all_reduce", "--min-size", "8B", "--max-size", "32B",
                     "--types", "float64", "--placements", "out-of-place", "--iterations", "3", "--allow-busy"}));
  expect_measured(result, 3 * (3 + 1));
}

TEST(Programs, NcclWithoutADriverSaysSo) {
  SKIP_WITHOUT_NCCL();
  if (fs::exists("/proc/driver/nvidia/version")) GTEST_SKIP() << "this machine has an NVIDIA driver";
  const Result result = run(mpirun(2, {program("nccl"), "--device", "cuda", "--allow-busy"}));
  EXPECT_EQ(result.status, 2);
  const json* end = first_end(result);
  ASSERT_NE(end, nullptr) << result.text;
  EXPECT_EQ((*end)["reason"], "no NVIDIA driver");
}

// A driver that hangs, and a probe that shall say so; without the fault the same library answers.
TEST(ProbeFault, NvmlThatNeverAnswersEndsTheRun) {
  char pattern[] = "/tmp/clusterc-nvml-XXXXXX";
  const std::string folder = mkdtemp(pattern);
  ASSERT_EQ(symlink(CLUSTERC_FAKE_NVML, (folder + "/libnvidia-ml.so.1").c_str()), 0);
  setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  setenv("FAKE_NVML_HANGS", "init", 1);
  const Result hung = run({program("probe"), "--timeout", "0.5"});
  unsetenv("FAKE_NVML_HANGS");
  const Result answered = run({program("probe"), "--timeout", "30"});
  unsetenv("LD_LIBRARY_PATH");
  fs::remove_all(folder);
  EXPECT_EQ(hung.status, 2);
  ASSERT_TRUE(hung.ended()) << hung.text;
  EXPECT_EQ(hung.records.back()["reason"], "timeout");
  EXPECT_EQ(hung.records.back()["detail"], "asking NVIDIA's driver: nothing moved for 0.5 s");
  EXPECT_EQ(answered.status, 0) << answered.text;
  EXPECT_NE(answered.text.find("\"nvml\":true"), std::string::npos) << answered.text;
}

}  // namespace
