// Programs where the system gives less than they ask for: threads, room on standard output, sizes of files, memory, an
// answer within reason.
#include <csignal>

#include "harness/deadline.h"
#include "harness/loop.h"
#include "skipping.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;

Result shell(const std::string& script) { return run({"sh", "-c", script}); }

// In 150 MB of addresses there is room for some stacks of 8 MiB, not for 64.
TEST(Limits, AThreadThatCannotBeStartedIsNamed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses";
#endif
  for (const char* command : {"clusterc-memtest --threads 64 --size 8MiB",
                              "clusterc-storage --jobs 64 --size 64MiB --tests metadata --path /tmp"}) {
    const Result result =
        shell(std::string("ulimit -s 8192; ulimit -v 150000; exec ") + kPrograms + "/" + command + " --allow-busy");
    ASSERT_TRUE(result.ended()) << command << ": " << result.status << " " << result.text;
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.records.back()["reason"], "system error");
    const std::string detail = result.records.back()["detail"];
    EXPECT_TRUE(detail.starts_with("thread ") && detail.find(" of 64 could not be started: ") != detail.npos) << detail;
  }
}

TEST(Limits, StandardOutputThatTakesNothingIsStatusTwo) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const char* name : {"memory", "memtest", "storage", "mpi", "nccl", "hpl"}) {
    if (!fs::exists(program(name))) continue;
    for (const char* arguments : {"--list", "--help", "--allow-busy --size 1MiB"}) {
      if (std::string(name) == "hpl" && *(arguments + 2) == 'a') arguments = "--allow-busy --size 10";
      if (std::string(name) == "storage" && *(arguments + 2) == 'a') continue;  // fio takes longer than this test
      EXPECT_EQ(shell(program(name) + " " + arguments + " >/dev/full").status, 2) << name << " " << arguments;
      EXPECT_EQ(shell(program(name) + " " + arguments + " >&-").status, 2) << name << " " << arguments;
    }
  }
}

// Blocks of 512 or 1024 bytes: 1 or 2 MB, less than a shard. The kernel sends SIGXFSZ, whose default is death.
TEST(Limits, ALimitOfFileSizesIsASystemError) {
  const Result result =
      shell("ulimit -f 2000; exec " + program("storage") + " --path /tmp --tests checkpoint --size 64MiB --allow-busy");
  ASSERT_TRUE(result.ended()) << result.status;
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.records.back()["reason"], "system error");
  EXPECT_NE(result.records.back()["detail"].get<std::string>().find("File too large"), std::string::npos)
      << result.text;
}

// A share of nobody knows how much is no test; neither is one of next to nothing.
TEST(Limits, MemtestNeedsToKnowHowMuchThereIs) {
  if (run({"unshare", "-rm", "mount", "-t", "tmpfs", "none", "/proc"}).status != 0)
    GTEST_SKIP() << "this user may not make a mount name space";
  const Result blind =
      run({"unshare", "-rm", "sh", "-c", "mount -t tmpfs none /proc; exec " + program("memtest") + " --allow-busy"});
  ASSERT_TRUE(blind.ended()) << blind.text;
  EXPECT_EQ(blind.status, 2);
  EXPECT_EQ(blind.records.back()["reason"], "system error");
  const std::string figures = output_file();
  std::ofstream(figures) << "MemTotal: 100 kB\nMemAvailable: 90 kB\n";
  const Result little =
      run({"unshare", "-rm", "sh", "-c",
           "mount --bind " + figures + " /proc/meminfo; exec " + program("memtest") + " --allow-busy"});
  fs::remove(figures);
  ASSERT_TRUE(little.ended()) << little.text;
  EXPECT_EQ(little.status, 2);
  EXPECT_EQ(little.records.back()["reason"], "not enough memory");
}

// A library that waits for ever does not see the signal; who watches over it does.
TEST(LimitsFault, ASignalEndsARunWhoseRepetitionDoesNotEnd) {
  using namespace clusterc::harness;
  const std::string output = output_file();
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    catch_signals();
    static constexpr Program kStuck{
        .name = "stuck", .summary = "", .size_help = "", .backends = {}, .extra = {}, .metrics = {}};
    Options options;
    Reporter report(kStuck, options, "node-a", write_to_stdout);
    TextPulse pulse;
    pulse.doing("a product");
    const Deadline deadline(pulse, 300, report);
    raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(60));
    _exit(0);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Result result = finish(child, output);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(static_cast<int>(kEndsWithin * 1000)));
  EXPECT_EQ(result.status, 2);
  ASSERT_TRUE(result.ended()) << result.text;
  EXPECT_EQ(result.records.back()["reason"], "interrupted");
  EXPECT_EQ(result.records.back()["detail"], "a product: nothing ended within 10 s of the signal");
}

// What no run could do is wrong use: told before anything is looked at, on standard error alone.
TEST(Limits, ValuesThatNoRunCouldTakeAreWrongUse) {
  for (const char* command : {"pcie --copies --size 7B",
                              "pcie --size 8KiB",
                              "pcie --sysfs /nowhere",
                              "pcie --sysfs /etc/passwd",
                              "nvlink --size 8B",
                              "nvlink --stand-ins 100000",
                              "storage --block 5000B",
                              "storage --random-block 512B",
                              "storage --jobs 1025",
                              "fabric --tcp-port 65280",
                              "fabric --sysfs /nowhere",
                              "memtest --warmup 1",
                              "memtest --percent 100",
                              "burn --warmup 1",
                              "memory --size 15B",
                              "fabric --gpudirect cuda",
                              "fabric --hosts a,b --gpudirect cuda,rocm",
                              "fabric --hosts a,b --gpudirect opencl",
                              "pcie --acs off,any",
                              "mpi --size 2GiB",
                              "mpi --tests bandwidth --max-size 4GiB"}) {
    if (std::string(command).starts_with("mpi") && !fs::exists(program("mpi"))) continue;
    const Result result = shell(kPrograms + "/clusterc-" + command);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_EQ(result.text, "") << command;
  }
}

// What the library took, not what it was asked for.
TEST(Limits, ThreadsOfABlasAreThoseThatItUses) {
  const Result result = run({program("gemm"), "--threads", "999999", "--size", "64", "--iterations", "1",
                             "--precisions", "fp64", "--allow-busy"});
  if (result.ended() && result.records.back().value("reason", "") == "library missing")
    CLUSTERC_MISSING(result.records.back()["detail"]);
  ASSERT_EQ(result.records.size(), 3u) << result.text;
  const json& parameters = result.records[1]["parameters"];
  if (!parameters.contains("threads")) GTEST_SKIP() << "the BLAS here does not say how many threads it uses";
  EXPECT_LT(parameters["threads"], 999999);
}

// One rank alone, sizes that have nothing for each rank, and ranks that a launcher of another MPI started each for
// itself.
TEST(Limits, MpiSaysThatThereIsNothingToMeasure) {
  if (!fs::exists(program("mpi"))) CLUSTERC_MISSING("clusterc-mpi is not built: no MPI was found");
  const Result alone = run({program("mpi"), "--size", "8B", "--allow-busy"});
  EXPECT_EQ(alone.status, 3);
  ASSERT_TRUE(alone.ended()) << alone.text;
  EXPECT_EQ(alone.records.back()["status"], "not applicable");
  const Result none = run(
      {"mpirun", "--oversubscribe", "-n", "3", program("mpi"), "--tests", "alltoall", "--size", "8B", "--allow-busy"});
  ASSERT_NE(first_end(none), nullptr) << none.text;
  EXPECT_EQ((*first_end(none))["status"], "not applicable");
  EXPECT_EQ((*first_end(none))["detail"], "no message of these sizes has an element for each of 3 ranks");
}
TEST(Limits, RanksOfAnotherMpiAreNoJob) {
  if (!fs::exists(program("mpi"))) CLUSTERC_MISSING("clusterc-mpi is not built: no MPI was found");
  for (const char* name : {"mpi", "nccl", "hpl"}) {
    const Result first = run({"env", "PMI_SIZE=2", "PMI_RANK=0", program(name), "--allow-busy"}),
                 second = run({"env", "PMI_SIZE=2", "PMI_RANK=1", program(name), "--allow-busy"});
    EXPECT_EQ(first.status, 2);
    EXPECT_EQ(second.status, 2);
    ASSERT_TRUE(first.ended()) << first.text;
    EXPECT_EQ(first.records.back()["reason"], "communication error");
    EXPECT_NE(first.records.back()["detail"].get<std::string>().find("another MPI than this program was built with"),
              std::string::npos)
        << first.text;
    EXPECT_EQ(second.text, "");  // one tells
  }
}

}  // namespace
