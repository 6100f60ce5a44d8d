// clusterc-memtest: every word of a pattern is as it is defined, and a bit that something else flips is found with its
// place.
#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <set>

#include "harness/edac.h"
#include "memtest/pattern.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using namespace clusterc::memtest;

TEST(MemtestPattern, EveryBitOfAWordIsSetAloneOnce) {
  for (const std::uint64_t index : {0u, 1u, 63u, 64u, 1000003u}) {
    std::uint64_t seen = 0;
    for (std::uint64_t place = 0; place < 64; ++place) {
      const std::uint64_t word = word_of({Content::walking, place, false}, index);
      EXPECT_EQ(std::popcount(word), 1);
      EXPECT_EQ(seen & word, 0u);
      seen |= word;
      EXPECT_EQ(word_of({Content::walking, place, true}, index), ~word);
    }
    EXPECT_EQ(seen, ~std::uint64_t{0});
  }
}

TEST(MemtestPattern, NoTwoAddressesHoldTheSame) {
  EXPECT_EQ(word_of({Content::address, 0, false}, 0), 0u);
  EXPECT_EQ(word_of({Content::address, 0, false}, 5), 40u);
  EXPECT_EQ(word_of({Content::address, 0, true}, 5), ~std::uint64_t{40});
}

class Tree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "clusterc-tree-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  fs::path root;
};
using Edac = Tree;

// The layout of Documentation/admin-guide/ras.rst: two controllers, one module each.
TEST_F(Edac, ModulesWhoseCountersRoseAreNamed) {
  EXPECT_FALSE(clusterc::harness::read_edac(root));
  const std::string mc = "sys/devices/system/edac/mc/";
  put(mc + "mc0/ce_count", "3\n"), put(mc + "mc0/ue_count", "0\n"),
      put(mc + "mc0/dimm0/dimm_label", "CPU_SrcID#0_Ha#0_Chan#0_DIMM#0\n");
  put(mc + "mc0/dimm0/dimm_ce_count", "3\n"), put(mc + "mc0/dimm0/dimm_ue_count", "0\n"),
      put(mc + "mc0/seconds_since_reset", "99\n");
  put(mc + "mc1/ce_count", "0\n"), put(mc + "mc1/ue_count", "0\n"), put(mc + "mc1/dimm4/dimm_ce_count", "0\n"),
      put(mc + "power", "\n");
  const auto before = clusterc::harness::read_edac(root);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->corrected, 3u);
  put(mc + "mc1/ce_count", "2\n"), put(mc + "mc1/dimm4/dimm_ce_count", "2\n"), put(mc + "mc0/ue_count", "1\n"),
      put(mc + "mc0/dimm0/dimm_ue_count", "1\n");
  const auto after = clusterc::harness::read_edac(root);
  EXPECT_EQ(after->corrected, 5u);
  EXPECT_EQ(after->uncorrected, 1u);
  EXPECT_EQ(clusterc::harness::risen_modules(*before, *after),
            "CPU_SrcID#0_Ha#0_Chan#0_DIMM#0 (1 errors), mc1/dimm4 (2 errors)");
  EXPECT_EQ(clusterc::harness::risen_modules(*after, *after), "");
}

const std::vector<std::string> kSmall = {"--size", "1MiB", "--hold", "0.05", "--threads", "2"};
std::vector<std::string> with(std::vector<std::string> head, const std::vector<std::string>& more) {
  head.insert(head.end(), more.begin(), more.end());
  return head;
}

TEST(MemtestProgram, EveryTestPassesOnSoundMemory) {
  const Result r = run(with({program("memtest")}, kSmall));
  expect_measured(r, 6);
  for (const json& m : r.records) {
    if (m["record"] != "measurement") continue;
    EXPECT_EQ(m["size"], 1 << 20);
    if (m["metric"] == "memtest.walking") {
      EXPECT_EQ(m["checked"], 128 * (1 << 20) / 8);
    }  // 64 places, set and clear
    if (m["metric"] == "memtest.inversions") {
      EXPECT_EQ(m["checked"], 3 * (1 << 20) / 8);
    }
  }
}

double seconds_of(const std::function<void()>& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(MemtestProgram, SecondsBoundARoundAndEveryTestRuns) {
  // A whole round over 256 MiB has 278 sweeps of some 30 ms, the shortest one 28.
  Result r;
  EXPECT_LT(seconds_of([&] {
              r = run({program("memtest"), "--size", "256MiB", "--seconds", "4", "--threads", "1"});
            }),
            8);
  std::set<std::string> seen;
  for (const json& m : r.records) {
    if (m["record"] != "measurement") continue;
    seen.insert(m["metric"]);
    if (m["metric"] != "memtest.walking") continue;
    ASSERT_TRUE(m["parameters"].contains("walking_places")) << m;
    EXPECT_EQ(m["checked"], m["parameters"]["walking_places"].get<int>() * 2 * ((256 << 20) / 8));
  }
  EXPECT_EQ(seen.size(), 6u) << r.text;
}

TEST(MemtestProgram, SecondsThatAreTooFewForARoundAreRefusedAtOnce) {
  Result r;
  EXPECT_LT(seconds_of([&] {
              r = run({program("memtest"), "--size", "256MiB", "--seconds", "0.1", "--threads", "1"});
            }),
            4);
  EXPECT_EQ(r.status, 2);
  ASSERT_TRUE(r.ended()) << r.text;
  EXPECT_EQ(r.records.back()["reason"], "timeout");
  EXPECT_EQ(r.records.back()["detail"].get<std::string>().rfind("its shortest round takes about ", 0), 0u) << r.text;
}

TEST(MemtestProgram, TheFaultBuildIsFoundByEveryTest) {
  const Result r = run(with({kFaulty + "/clusterc-memtest-faulty"}, kSmall));
  expect_wrong_data(r, 6);
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_EQ(r.records[i]["parameters"]["first_wrong_offset"], 1 << 19);  // the word in the middle
    EXPECT_EQ(r.records[i]["parameters"]["first_wrong_bits"], "0");
  }
}

// From outside: another process flips bit 37 of one word through /proc/PID/mem while the memory is left alone.
TEST(MemtestProgramFault, ABitThatAnotherProcessFlipsIsFoundWithItsAddress) {
  const std::string output = output_file(), said = output + ".err";
  constexpr std::uint64_t kBytes = 24u << 20, kOffset = 0xabcde8;
  const pid_t child = start(
      {"sh", "-c", "exec " + program("memtest") + " --size 24MiB --tests hold --hold 4 --progress 2> " + said}, output);
  std::string text;
  for (int turns = 0; turns < 1500 && text.find("holding") == text.npos; ++turns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream file(said);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  ASSERT_NE(text.find("holding 24 MiB"), text.npos);
  std::uint64_t address = 0;
  std::ifstream maps("/proc/" + std::to_string(child) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t dash = 0;
    const std::uint64_t begin = std::stoull(line, &dash, 16), end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (end - begin >= kBytes && end - begin < kBytes + (1u << 20)) address = begin;
  }
  ASSERT_NE(address, 0u);
  const int memory = open(("/proc/" + std::to_string(child) + "/mem").c_str(), O_RDWR);
  ASSERT_GE(memory, 0);
  // The kernel may have laid another mapping directly before or behind: the word must be the one that the pattern puts
  // there, and its neighbours, too.
  std::uint64_t word = 0;
  const auto at = static_cast<off_t>(address + kOffset);
  ASSERT_EQ(pread(memory, &word, sizeof word, at), 8);
  const std::uint64_t flipped = word ^ std::uint64_t{1} << 37;
  ASSERT_EQ(pwrite(memory, &flipped, sizeof flipped, at), 8);
  close(memory);
  const Result r = finish(child, output);
  fs::remove(said);
  EXPECT_EQ(r.status, 1);
  ASSERT_EQ(r.records.size(), 3u) << r.text;
  const json& m = r.records[1];
  EXPECT_EQ(m["wrong"], 1);
  EXPECT_EQ(m["parameters"]["first_wrong_bits"], "37");
  char where[32];
  std::snprintf(where, sizeof where, "virtual 0x%llx", static_cast<unsigned long long>(address + kOffset));
  EXPECT_EQ(m["parameters"]["first_wrong_address"].get<std::string>().rfind(where, 0), 0u) << m;
}

TEST(MemtestProgram, TooMuchIsSaidWithBothNumbers) {
  const Result r = run({program("memtest"), "--size", "100TiB"});
  EXPECT_EQ(r.status, 2);
  ASSERT_TRUE(r.ended());
  EXPECT_EQ(r.records.back()["reason"], "not enough memory");
  EXPECT_EQ(r.records.back()["detail"].get<std::string>().rfind("100 TiB are to be tested, ", 0), 0u);
}

TEST(MemtestProgramFault, SigtermEndsASweepAndAHold) {
  for (const char* test : {"walking", "hold"}) {
    const std::string output = output_file();
    const pid_t child =
        start({program("memtest"), "--size", "64MiB", "--seconds", "1200", "--hold", "600", "--tests", test}, output);
    wait_for_a_record(output);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(child, SIGTERM);
    const Result r = finish(child, output);
    EXPECT_EQ(r.status, 2);
    ASSERT_TRUE(r.ended()) << r.text;
    EXPECT_EQ(r.records.back()["reason"], "interrupted");
  }
}

}  // namespace
