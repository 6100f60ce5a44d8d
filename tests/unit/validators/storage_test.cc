// clusterc-storage: how it reads mounts and fio, and that a damaged block, a full disk, a read-only or absent mount, a missing or stopped fio and a kill
// are found, named, and leave nothing behind.
#include <sys/stat.h>

#include <algorithm>

#include "storage/fio.h"
#include "storage/place.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using namespace clusterc::storage;

// Lines as proc_pid_mountinfo(5) explains them; "\040" is a blank.
constexpr const char* kMounts =
    "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
    "35 22 0:31 / /scratch rw shared:7 master:2 - lustre 10.0.0.1@o2ib:/scratch rw,flock\n"
    "36 22 0:32 / /scratch\\040two rw - nfs4 nas:/two rw\n"
    "37 22 0:33 / /scratch rw - tmpfs none rw\n"
    "broken line\n";

TEST(StoragePlace, TheLongestMountPointHoldsAPath) {
  const std::vector<Mount> mounts = parse_mountinfo(kMounts);
  ASSERT_EQ(mounts.size(), 4u);
  EXPECT_EQ(mounts[1].source, "10.0.0.1@o2ib:/scratch");
  EXPECT_EQ(mounts[2].point, "/scratch two");
  EXPECT_EQ(mount_of(mounts, "/scratchy")->point, "/");            // not by a common beginning of a name
  EXPECT_EQ(mount_of(mounts, "/scratch two/a")->type, "nfs4");
  EXPECT_EQ(mount_of(mounts, "/scratch/a")->type, "tmpfs");        // mounted over the one before
  EXPECT_EQ(mount_of(mounts, "/scratch")->point, "/scratch");
}

// What fio 3.33 printed, cut to what is read.
TEST(StorageFio, JsonIsReadBehindWhatFioSaysFirst) {
  const auto r = parse_fio("fio: this platform does not support process shared mutexes\n"
                           R"({"jobs":[{"error":0,"read":{"io_bytes":0},"write":{"io_bytes":919601152,"bw_bytes":586480326,"iops":559.3,"total_ios":877,
                              "clat_ns":{"percentile":{"50.000000":2000000,"99.000000":90000000}}}}]})", true);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->bytes, 919601152u);
  EXPECT_EQ(r->operations, 877u);
  EXPECT_DOUBLE_EQ(r->bytes_per_second, 586480326);
  EXPECT_DOUBLE_EQ(r->latency_median, 0.002);
  EXPECT_DOUBLE_EQ(r->latency_p99, 0.09);
  EXPECT_FALSE(parse_fio(R"({"jobs":[{"error":0,"write":{)", true));   // cut off
  EXPECT_FALSE(parse_fio("fio: pid=1, err=28", true));
  EXPECT_FALSE(parse_fio(R"({"jobs":[1]})", true));
  EXPECT_EQ(parse_fio(R"({"jobs":[{"error":28,"write":{}}]})", true)->error, 28);
}

// Printed by fio 3.33 for one flipped byte, and for a block that was never written.
TEST(StorageFio, EveryDamagedPlaceIsNamedOnce) {
  EXPECT_EQ(parse_verify_errors("crc32c: verify failed at file ./data.1.0 offset 5255168, length 4096 (requested block: offset=5242880, length=1048576, flags=8)\n"
                                "       Expected CRC: 8226f89f\n       Received CRC: cde7579e\n"
                                "crc32c: verify failed at file ./data.1.0 offset 5255168, length 4096 (requested block: offset=5242880, length=1048576, flags=8)\n"
                                "verify: bad magic header 0, wanted acca at file /mnt/a b/data.0.0 offset 8192, length 4096 (requested block: offset=0, length=1048576)\n"),
            (std::vector<std::string>{"data.1.0 at 5255168", "data.0.0 at 8192"}));
  EXPECT_TRUE(parse_verify_errors("fio: pid=3, err=28/file:filesetup.c:240\n").empty());
}

TEST(StorageFio, TheEngineIsOneThatIsThere) {
  EXPECT_EQ(choose_engine("Available IO engines:\n\tcpuio\n\tlibaio\n"), "libaio");
  EXPECT_EQ(choose_engine("Available IO engines:\n\tlibaiox\n\tpsync\n"), "psync");
}

// A folder to measure in and one for programs that stand in for others.
class StorageProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "clusterc-storage-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    data = root + "/data", bin = root + "/bin";
    fs::create_directory(data);
    fs::create_directory(bin);
  }
  void TearDown() override { fs::remove_all(root); }

  static std::string which(const std::string& name) {
    for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"})
      if (const std::string path = std::string(folder) + "/" + name; access(path.c_str(), X_OK) == 0) return path;
    return {};
  }
  bool have_fio() const { return !which("fio").empty(); }
  // A shell script in fio's place; $REAL is the real one, "$@" its arguments.
  void stand_in(const std::string& script) {
    std::ofstream(bin + "/fio") << "#!/bin/sh\nREAL=" << which("fio") << "\n" << script << "\n";
    chmod((bin + "/fio").c_str(), 0755);
  }
  std::vector<std::string> command(std::vector<std::string> more, const std::string& build = program("storage")) const {
    std::vector<std::string> all = {"env", "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", build, "--path", data, "--size", "4MiB", "--block", "64KiB", "--jobs", "2", "--files", "20", "--iterations", "1",
                                    "--pass", "0.05", "--allow-busy"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void expect_nothing_left() const { EXPECT_TRUE(fs::is_empty(data)) << fs::directory_iterator(data)->path(); }
  static void expect_error(const Result& r, const std::string& reason, const std::string& detail) {
    ASSERT_TRUE(r.ended()) << r.text;
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(r.records.back()["reason"], reason) << r.text;
    EXPECT_NE(r.records.back()["detail"].get<std::string>().find(detail), std::string::npos) << r.text;
  }
  // In a mount name space of its own: `script` mounts on $D, then runs the program. Empty text: this user may not make one.
  Result in_name_space(const std::string& script, std::vector<std::string> more) const {
    std::string all = "D=" + data + "; ";
    if (geteuid() != 0) all = "exec 2>/dev/null; " + all;
    std::vector<std::string> line = command(std::move(more));
    std::string words;
    for (const std::string& word : line) words += " '" + word + "'";
    return run({"unshare", geteuid() == 0 ? "-m" : "-rm", "sh", "-c", all + script + " && exec" + words});
  }
  std::string root, data, bin;
};
#define SKIP_WITHOUT_FIO() \
  if (!have_fio()) GTEST_SKIP() << "fio is not installed"

TEST_F(StorageProgram, MeasuresVerifiesAndLeavesNothing) {
  SKIP_WITHOUT_FIO();
  const Result r = run(command({}));
  expect_measured(r, 9);
  expect_nothing_left();
  for (const json& m : r.records) {
    if (m["record"] != "measurement") continue;
    EXPECT_TRUE(m["parameters"].contains("page_cache")) << m;
    if (m["metric"] == "storage.write") { EXPECT_EQ(m["checked"], 4 * 1024 * 1024 / 4096); }     // one header in 4 KiB
    if (m["metric"] == "storage.checkpoint_read") { EXPECT_EQ(m["checked"], 2 * 16 * 1024 * 1024 / 8); }   // a shard of at least 16 MiB a thread, word by word
    if (m["metric"] == "storage.stat") { EXPECT_EQ(m["checked"], 2 * 3 * 2 * 20); }             // warm-up and one pass, 3 checks, 2 threads, 20 files
  }
}

// fio would take what stands before the ':' for a folder of its own.
TEST_F(StorageProgram, AColonInAPathIsPartOfIt) {
  SKIP_WITHOUT_FIO();
  data = root + "/10.0.0.1:home\\";
  fs::create_directory(data);
  fs::create_directory(root + "/10.0.0.1");
  expect_measured(run(command({"--tests", "sequential"})), 2);
  expect_nothing_left();
  EXPECT_TRUE(fs::is_empty(root + "/10.0.0.1"));
}

TEST_F(StorageProgram, TheFaultBuildIsFoundEverywhere) {
  SKIP_WITHOUT_FIO();
  expect_wrong_data(run(command({}, kFaulty + "/clusterc-storage-faulty")), 9);
  expect_nothing_left();
}

// Outside of the program: one bit of one file changes after fio wrote it.
TEST_F(StorageProgram, ABlockThatIsDamagedOnTheDiskIsNamed) {
  SKIP_WITHOUT_FIO();
  stand_in(R"("$REAL" "$@"; s=$?
case "$*" in *--rw=read*--time_based*|*--time_based*--rw=read*) printf X | dd of=data.1.0 bs=1 seek=14000 conv=notrunc 2>/dev/null;; esac
exit $s)");
  const Result r = run(command({"--tests", "sequential"}));
  EXPECT_EQ(r.status, 1);
  ASSERT_EQ(r.records.size(), 4u) << r.text;
  for (const int i : {1, 2}) {
    EXPECT_EQ(r.records[static_cast<std::size_t>(i)]["wrong"], 1);
    EXPECT_EQ(r.records[static_cast<std::size_t>(i)]["parameters"]["first_wrong"], "data.1.0 at 12288");   // 14000 / 4096 = 3.4: the block at 3 x 4096
  }
  expect_nothing_left();
}

TEST_F(StorageProgram, AMissingFioIsSaid) {
  std::vector<std::string> line = command({});
  line[1] = "PATH=/nonexistent";
  line[0] = "/usr/bin/env";
  expect_error(run(line), "program missing", "fio is not on the path");
  line.insert(line.end(), {"--tests", "metadata,checkpoint"});   // these need none
  expect_measured(run(line), 5);
  expect_nothing_left();
}

TEST_F(StorageProgram, WhatIsNotMountedIsNotMeasured) {
  expect_error(run(command({"--mounted", "--tests", "metadata"})), "system error", "is not mounted: the folder lies in");
  expect_nothing_left();
  fs::remove(data);
  expect_error(run(command({"--tests", "metadata"})), "system error", "No such file or directory");
  fs::create_directory(data);
}

TEST_F(StorageProgram, AFullDiskIsFoundBeforeAndOnTheWay) {
  SKIP_WITHOUT_FIO();
  Result r = in_name_space("mount -t tmpfs -o size=8m none $D", {"--mounted", "--size", "64MiB", "--tests", "sequential"});
  if (r.records.empty()) GTEST_SKIP() << "this user may not make a mount name space";
  expect_error(r, "no space left", "the files take 64 MiB");
  // Somebody else fills it meanwhile: fio itself meets the end of the disk.
  stand_in("[ \"$1\" = --enghelp ] || head -c 64000000 /dev/zero > ../filler 2>/dev/null\nexec \"$REAL\" \"$@\"");
  expect_error(in_name_space("mount -t tmpfs -o size=8m none $D", {"--tests", "sequential"}), "no space left", "No space left on device");
  // The checkpoint has room for one shard of 16 MiB and not for the next beside it.
  expect_error(in_name_space("mount -t tmpfs -o size=40m none $D", {"--tests", "checkpoint", "--jobs", "2", "--checkpoint", "4MiB"}), "no space left", "'");
}

TEST_F(StorageProgram, AReadOnlyMountIsSaid) {
  const Result r = in_name_space("mount -t tmpfs -o ro none $D", {"--mounted", "--tests", "metadata"});
  if (r.records.empty()) GTEST_SKIP() << "this user may not make a mount name space";
  expect_error(r, "read-only file system", "is mounted read-only");
}

// What lies in memory is no storage: every record says that the page cache may have answered.
TEST_F(StorageProgram, MemoryIsNotTakenForADisk) {
  const Result r = in_name_space("mount -t tmpfs none $D", {"--mounted", "--tests", "metadata,checkpoint"});
  if (r.records.empty()) GTEST_SKIP() << "this user may not make a mount name space";
  expect_measured(r, 5);
  for (const json& m : r.records) {
    if (m["record"] == "measurement") { EXPECT_EQ(m["parameters"]["page_cache"], true) << m; }
  }
}

class StorageProgramFault : public StorageProgram {};

// fio is stopped: found by its name and process within the deadline, and ended.
TEST_F(StorageProgramFault, AStoppedFioIsNamedWithinTheDeadline) {
  SKIP_WITHOUT_FIO();
  stand_in("[ \"$1\" = --enghelp ] && exec \"$REAL\" \"$@\"\necho $$ > " + root + "/pid\nkill -STOP $$");
  const auto begin = std::chrono::steady_clock::now();
  const Result r = run(command({"--tests", "sequential", "--timeout", "4"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  expect_error(r, "timeout", "laying out 4 MiB");
  std::string pid;
  std::ifstream(root + "/pid") >> pid;
  EXPECT_NE(r.text.find("(process " + pid + ") is stopped"), std::string::npos) << r.text;
  EXPECT_FALSE(fs::exists("/proc/" + pid));
  expect_nothing_left();
}

// SIGTERM ends with a record; SIGKILL to the one who works or the one who waits leaves neither a file nor a fio.
TEST_F(StorageProgramFault, NoSignalLeavesAFileOrAProcess) {
  SKIP_WITHOUT_FIO();
  stand_in("[ \"$1\" = --enghelp ] || echo $$ > " + root + "/pid\nexec \"$REAL\" \"$@\"");
  for (const std::string what : {"TERM", "INT", "KILL worker", "KILL parent"}) {
    fs::remove(root + "/pid");
    const std::string output = output_file();
    std::vector<std::string> line = command({"--tests", "sequential"});
    const auto pass = std::find(line.begin(), line.end(), "--pass");
    pass[1] = "60";
    const pid_t child = start(line, output);
    for (int turns = 0; turns < 500 && !fs::exists(root + "/pid"); ++turns) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(fs::exists(root + "/pid")) << what;
    std::string worker, fio;
    std::ifstream("/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children") >> worker;
    ASSERT_FALSE(worker.empty());
    kill(what == "KILL worker" ? std::stoi(worker) : child, what == "TERM" ? SIGTERM : what == "INT" ? SIGINT : SIGKILL);
    const Result r = finish(child, output);
    for (int turns = 0; turns < 500 && (fs::exists("/proc/" + worker) || !fs::is_empty(data)); ++turns) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ifstream(root + "/pid") >> fio;
    for (int turns = 0; turns < 500 && fs::exists("/proc/" + fio); ++turns) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(fs::exists("/proc/" + fio)) << what;
    EXPECT_FALSE(fs::exists("/proc/" + worker)) << what;
    expect_nothing_left();
    if (what == "TERM" || what == "INT") expect_error(r, "interrupted", "SIG" + what);
    if (what == "KILL worker") { EXPECT_EQ(r.status, 128 + SIGKILL); }
  }
}

}  // namespace
