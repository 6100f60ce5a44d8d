// clusterc-storage: how it reads mounts and fio, and that a damaged block, a full disk, a read-only or absent mount, a
// missing or stopped fio and a kill are found, named, and leave nothing behind.
#include <sys/stat.h>

#include <algorithm>

#include "skipping.h"
#include "storage/fio.h"
#include "storage/gds.h"
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
  EXPECT_EQ(mount_of(mounts, "/scratchy")->point, "/");  // not by a common beginning of a name
  EXPECT_EQ(mount_of(mounts, "/scratch two/a")->type, "nfs4");
  EXPECT_EQ(mount_of(mounts, "/scratch/a")->type, "tmpfs");  // mounted over the one before
  EXPECT_EQ(mount_of(mounts, "/scratch")->point, "/scratch");
}

// What fio 3.33 printed, cut to what is read.
TEST(StorageFio, JsonIsReadBehindWhatFioSaysFirst) {
  const auto r = parse_fio(
      "fio: this platform does not support process shared mutexes\n"
      R"({"jobs":[{"error":0,"read":{"io_bytes":0},"write":{"io_bytes":919601152,"bw_bytes":586480326,"iops":559.3,"total_ios":877,
                              "clat_ns":{"percentile":{"50.000000":2000000,"99.000000":90000000}}}}]})",
      true);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->bytes, 919601152u);
  EXPECT_EQ(r->operations, 877u);
  EXPECT_DOUBLE_EQ(r->bytes_per_second, 586480326);
  EXPECT_DOUBLE_EQ(r->latency_median, 0.002);
  EXPECT_DOUBLE_EQ(r->latency_p99, 0.09);
  EXPECT_FALSE(parse_fio(R"({"jobs":[{"error":0,"write":{)", true));  // cut off
  EXPECT_FALSE(parse_fio("fio: pid=1, err=28", true));
  EXPECT_FALSE(parse_fio(R"({"jobs":[1]})", true));
  EXPECT_EQ(parse_fio(R"({"jobs":[{"error":28,"write":{}}]})", true)->error, 28);
}

// Printed by fio 3.33 for one flipped byte, and for a block that was never written.
TEST(StorageFio, EveryDamagedPlaceIsNamedOnce) {
  EXPECT_EQ(parse_verify_errors("crc32c: verify failed at file ./data.1.0 offset 5255168, length 4096 (requested "
                                "block: offset=5242880, length=1048576, flags=8)\n"
                                "       Expected CRC: 8226f89f\n       Received CRC: cde7579e\n"
                                "crc32c: verify failed at file ./data.1.0 offset 5255168, length 4096 (requested "
                                "block: offset=5242880, length=1048576, flags=8)\n"
                                "verify: bad magic header 0, wanted acca at file /mnt/a b/data.0.0 offset 8192, length "
                                "4096 (requested block: offset=0, length=1048576)\n"),
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
    std::vector<std::string> all = {"env",   "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin",
                                    build,   "--path",
                                    data,    "--size",
                                    "4MiB",  "--block",
                                    "64KiB", "--jobs",
                                    "2",     "--files",
                                    "20",    "--iterations",
                                    "1",     "--pass",
                                    "0.05",  "--allow-busy"};
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
  // In a mount name space of its own: `script` mounts on $D, then runs the program. Empty text: this user may not make
  // one.
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
  if (!have_fio()) CLUSTERC_MISSING("fio is not installed")

TEST_F(StorageProgram, MeasuresVerifiesAndLeavesNothing) {
  SKIP_WITHOUT_FIO();
  const Result r = run(command({}));
  expect_measured(r, 9);
  expect_nothing_left();
  for (const json& m : r.records) {
    if (m["record"] != "measurement") continue;
    EXPECT_TRUE(m["parameters"].contains("page_cache")) << m;
    if (m["metric"] == "storage.write") {
      EXPECT_EQ(m["checked"], 4 * 1024 * 1024 / 4096);
    }  // one header in 4 KiB
    if (m["metric"] == "storage.checkpoint_read") {
      EXPECT_EQ(m["checked"], 2 * 16 * 1024 * 1024 / 8);
    }  // a shard of at least 16 MiB a thread, word by word
    if (m["metric"] == "storage.stat") {
      EXPECT_EQ(m["checked"], 2 * 3 * 2 * 20);
    }  // warm-up and one pass, 3 checks, 2 threads, 20 files
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
    EXPECT_EQ(r.records[static_cast<std::size_t>(i)]["parameters"]["first_wrong"],
              "data.1.0 at 12288");  // 14000 / 4096 = 3.4: the block at 3 x 4096
  }
  expect_nothing_left();
}

TEST_F(StorageProgram, AMissingFioIsSaid) {
  std::vector<std::string> line = command({});
  line[1] = "PATH=/nonexistent";
  line[0] = "/usr/bin/env";
  expect_error(run(line), "program missing", "fio is not on the path");
  line.insert(line.end(), {"--tests", "metadata,checkpoint"});  // these need none
  expect_measured(run(line), 5);
  expect_nothing_left();
}

TEST_F(StorageProgram, WhatIsNotMountedIsNotMeasured) {
  expect_error(run(command({"--mounted", "--tests", "metadata"})), "system error",
               "is not mounted: the folder lies in");
  expect_nothing_left();
  fs::remove(data);
  expect_error(run(command({"--tests", "metadata"})), "system error", "No such file or directory");
  fs::create_directory(data);
}

TEST_F(StorageProgram, AFullDiskIsFoundBeforeAndOnTheWay) {
  SKIP_WITHOUT_FIO();
  Result r =
      in_name_space("mount -t tmpfs -o size=8m none $D", {"--mounted", "--size", "64MiB", "--tests", "sequential"});
  if (r.records.empty()) GTEST_SKIP() << "this user may not make a mount name space";
  expect_error(r, "no space left", "the files take 64 MiB");
  // Somebody else fills it meanwhile: fio itself meets the end of the disk.
  stand_in("[ \"$1\" = --enghelp ] || head -c 64000000 /dev/zero > ../filler 2>/dev/null\nexec \"$REAL\" \"$@\"");
  expect_error(in_name_space("mount -t tmpfs -o size=8m none $D", {"--tests", "sequential"}), "no space left",
               "No space left on device");
  // The checkpoint has room for one shard of 16 MiB and not for the next beside it.
  expect_error(in_name_space("mount -t tmpfs -o size=40m none $D",
                             {"--tests", "checkpoint", "--jobs", "2", "--checkpoint", "4MiB"}),
               "no space left", "'");
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
    if (m["record"] == "measurement") {
      EXPECT_EQ(m["parameters"]["page_cache"], true) << m;
    }
  }
}

TEST(StorageGds, WhatNvidiaFsCountsIsRead) {
  // As the troubleshooting guide shows it.
  const std::string stats =
      "GDS Version: 1.0.0.71\nNVFS statistics(ver: 4.0)\nIO stats: Enabled, peer IO stats: Enabled\nReads              "
      "             : n=9 ok=9 err=0 readMiB=12 io_state_err=0\n"
      "Reads                           : Bandwidth(MiB/s)=0 Avg-Latency(usec)=0\nWrites                          : n=0 "
      "ok=0 err=0 writeMiB=3 io_state_err=0\n";
  const auto counted = parse_nvidia_fs(stats);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->read, 12 * 1048576);
  EXPECT_EQ(counted->written, 3 * 1048576);
  EXPECT_FALSE(parse_nvidia_fs(
      "IO stats: Disabled, peer IO stats: Disabled\nReads : err=0 io_state_err=0\nWrites : err=0 io_state_err=109\n"));
  EXPECT_FALSE(parse_nvidia_fs(""));
  EXPECT_STREQ(shown_by(std::nullopt, 100), "cuFile");
  EXPECT_STREQ(shown_by(90, 100), "nvidia-fs");
  EXPECT_STREQ(shown_by(89, 100), "nobody");
}
TEST(StorageGds, WhatIsMissingIsNamed) {
  const fs::path root = fs::temp_directory_path() / ("clusterc-gds-test-" + std::to_string(getpid()));
  fs::create_directories(root / "proc/driver/nvidia/gpus/0000:1a:00.0");
  fs::create_directories(root / "proc/driver/nvidia/gpus/0000:1b:00.0");
  const GdsParts all = look_for_gds(root, "", CLUSTERC_FAKE_CUFILE, "\tlibaio\n\tlibcufile\n");
  EXPECT_EQ(all.gpus, "0:1");
  EXPECT_EQ(all.missing, "");
  EXPECT_EQ(look_for_gds(root, "3", CLUSTERC_FAKE_CUFILE, "\tlibcufile\n").gpus, "3");
  fs::remove_all(root);
  const GdsParts none = look_for_gds(root, "", "libthere-is-no-such.so.0", "\tlibaio\n");
  for (const char* what :
       {"no NVIDIA GPU with a driver", "libthere-is-no-such.so.0", "fio is built without its engine libcufile"})
    EXPECT_NE(none.missing.find(what), std::string::npos) << none.missing;
  EXPECT_NE(look_for_gds(root, "0", CLUSTERC_FAKE_NVML, "\tlibcufile\n").missing.find("lacks cuFileDriverOpen"),
            std::string::npos);
}

// fio with an engine libcufile, which psync plays: it wants the forbidden compatibility mode and the options that the
// real one has. $MOVED is what nvidia-fs would count.
class StorageGdsProgram : public StorageProgram {
 protected:
  void stand_in_with_cufile(const std::string& before = "") {
    stand_in(R"([ "$1" = --enghelp ] && { printf '\tlibaio\n\tlibcufile\n'; exit 0; }
[ "$CUFILE_ALLOW_COMPAT_MODE$CUFILE_FORCE_COMPAT_MODE" = falsefalse ] || { echo "compatibility mode" >&2; exit 9; }
gds=; seen=
for a; do
  shift
  case $a in
    --ioengine=libcufile) gds=1; a=--ioengine=psync;;
    --gpu_dev_ids=0:1|--cuda_io=cufile) seen=$seen+; continue;;
  esac
  set -- "$@" "$a"
done
echo "$gds$seen $*" >> )" +
             root + R"(/calls
[ "$gds$seen" = 1++ ] || [ "$gds$seen" = "" ] || exit 8
)" + before + "\nexec \"$REAL\" \"$@\"");
  }
  std::vector<std::string> gds(std::vector<std::string> more = {},
                               const std::string& build = program("storage")) const {
    std::vector<std::string> all = command(
        {"--device", "cuda", "--gpus", "0:1", "--cufile", CLUSTERC_FAKE_CUFILE, "--nvidia-fs", root + "/stats"}, build);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void expect_not_applicable(const Result& r, const std::string& detail) const {
    EXPECT_EQ(r.status, 3) << r.text;
    ASSERT_EQ(r.records.size(), 2u) << r.text;
    EXPECT_EQ(r.records[1]["status"], "not applicable");
    EXPECT_NE(r.records[1]["detail"].get<std::string>().find(detail), std::string::npos) << r.text;
    expect_nothing_left();
  }
};

TEST_F(StorageGdsProgram, WithoutItsPartsItDoesNotApply) {
  SKIP_WITHOUT_FIO();
  expect_not_applicable(run(command({"--device", "cuda", "--cufile", "libthere-is-no-such.so.0"})),
                        "libthere-is-no-such.so.0");
  expect_not_applicable(run(gds()), "fio is built without its engine libcufile");
  stand_in_with_cufile();
  expect_not_applicable(run(gds({"--cufile", "libthere-is-no-such.so.0"})), "libthere-is-no-such.so.0");
}

TEST_F(StorageGdsProgram, MeasuresVerifiesAndSaysWhoShowsThatItWasDirect) {
  SKIP_WITHOUT_FIO();
  stand_in_with_cufile();
  const Result r = run(gds());
  expect_measured(r, 2);
  expect_nothing_left();
  ASSERT_EQ(r.records.size(), 4u) << r.text;
  EXPECT_EQ(r.records[1]["metric"], "storage.gds_write");
  EXPECT_EQ(r.records[2]["metric"], "storage.gds_read");
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(r.records[i]["device"]["backend"], "cuda");
    EXPECT_EQ(r.records[i]["checked"], 4 * 1024 * 1024 / 4096);
    EXPECT_EQ(r.records[i]["parameters"]["direct_shown_by"], "cuFile");
    EXPECT_FALSE(r.records[i]["parameters"].contains("nvidia_fs_share"));
  }
  // Layout, timed write, layout, timed read, verification by the GPUs, and by the host.
  std::ifstream calls(root + "/calls");
  std::vector<std::string> lines;
  for (std::string line; std::getline(calls, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 6u);
  const auto has = [&](std::size_t i, const char* what) { return lines[i].find(what) != std::string::npos; };
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(lines[i].starts_with("1++ "), i < 5) << lines[i];
    EXPECT_EQ(has(i, "--verify=crc32c"), i != 1 && i != 3) << lines[i];
    EXPECT_EQ(has(i, "--time_based"), i == 1 || i == 3) << lines[i];
    EXPECT_EQ(has(i, "--rw=write"), i < 3) << lines[i];
    EXPECT_TRUE(has(i, "--direct=1")) << lines[i];
    EXPECT_EQ(has(i, "--thread"), i < 5) << lines[i];
  }
}

// The kernel's part counts: a MiB at each look, which is far too little, or more than was moved.
TEST_F(StorageGdsProgram, WhatNvidiaFsDidNotCarryIsNotCalledDirect) {
  SKIP_WITHOUT_FIO();
  for (const auto& [mib, by] : {std::pair("0", "nobody"), {"1000000", "nvidia-fs"}}) {
    const std::string stats = root + "/stats";
    std::ofstream(stats) << "IO stats: Enabled\nReads : readMiB=5 x\nWrites : writeMiB=5 x\n";
    stand_in_with_cufile(std::string("n=$((5 + $(wc -l < ") + root + "/calls) * " + mib +
                         ")); printf 'IO stats: Enabled\\nReads : readMiB=%s x\\nWrites : writeMiB=%s x\\n' $n $n > " +
                         stats);
    const Result r = run(gds());
    expect_measured(r, 2);
    for (const json& m : r.records) {
      if (m["record"] != "measurement") continue;
      EXPECT_EQ(m["parameters"]["direct_shown_by"], by);
      EXPECT_EQ(m["parameters"]["nvidia_fs_share"].get<double>() > 0.9, std::string(by) == "nvidia-fs") << m;
    }
  }
}

TEST_F(StorageGdsProgram, AMountThatCuFileRefusesIsNotMeasuredThroughTheHost) {
  SKIP_WITHOUT_FIO();
  stand_in_with_cufile("echo 'cufile register: err=5027:file system not supported' >&2; exit 1");
  expect_not_applicable(run(gds()), "cufile register: err=5027:file system not supported");
  stand_in_with_cufile("echo 'cuFileDriverOpen: err=5001:nvidia-fs driver is not loaded' >&2; exit 1");
  expect_not_applicable(run(gds()), "nvidia-fs driver is not loaded");
  // What fails in another way is an error.
  stand_in_with_cufile("echo 'cuda runtime api call failed cudaMalloc: err=2:cudaErrorMemoryAllocation' >&2; exit 1");
  expect_error(run(gds()), "system error", "cudaErrorMemoryAllocation");
  expect_nothing_left();
}

TEST_F(StorageGdsProgram, TheFaultBuildIsFound) {
  SKIP_WITHOUT_FIO();
  stand_in_with_cufile();
  expect_wrong_data(run(gds({}, kFaulty + "/clusterc-storage-faulty")), 2);
  expect_nothing_left();
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
    std::string worker, fio;
    for (int turns = 0; turns < 500 && fio.empty(); ++turns) {  // the file is there before its line is
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::ifstream(root + "/pid") >> fio;
    }
    ASSERT_FALSE(fio.empty()) << what;
    std::ifstream("/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children") >> worker;
    ASSERT_FALSE(worker.empty());
    kill(what == "KILL worker" ? std::stoi(worker) : child, what == "TERM"  ? SIGTERM
                                                            : what == "INT" ? SIGINT
                                                                            : SIGKILL);
    const Result r = finish(child, output);
    for (int turns = 0; turns < 500 && (fs::exists("/proc/" + worker) || !fs::is_empty(data)); ++turns)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (std::string last; std::ifstream(root + "/pid") >> last) fio = last;
    for (int turns = 0; turns < 500 && fs::exists("/proc/" + fio); ++turns)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(fs::exists("/proc/" + fio)) << what;
    EXPECT_FALSE(fs::exists("/proc/" + worker)) << what;
    expect_nothing_left();
    if (what == "TERM" || what == "INT") expect_error(r, "interrupted", "SIG" + what);
    if (what == "KILL worker") {
      EXPECT_EQ(r.status, 128 + SIGKILL);
    }
  }
}

}  // namespace
