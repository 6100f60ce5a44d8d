// clusterc-nvlink as far as it can be seen without a GPU: its pairs, loops and checks on the host's memory, its links
// from a library in NVML's place, and GPUs that refuse.
#include <map>
#include <set>

#include "nvlink/links.h"
#include "nvlink/pairs.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using clusterc::nvlink::GpuLinks;
using clusterc::nvlink::Gpus;
using clusterc::nvlink::Join;

const std::vector<std::string> kSmall = {"--size", "1MiB", "--iterations", "3", "--allow-busy"};

class Nvlink : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("FAKE_NVLINK"); }
  static Result look(const char* links, std::vector<std::string> more = {},
                     const std::string& build = program("nvlink")) {
    if (links)
      setenv("FAKE_NVLINK", links, 1);
    else
      unsetenv("FAKE_NVLINK");
    std::vector<std::string> arguments = {build, "--nvml", CLUSTERC_FAKE_NVML};
    arguments.insert(arguments.end(), kSmall.begin(), kSmall.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  static std::vector<GpuLinks> links_of(const char* text, std::size_t count) {
    setenv("FAKE_NVLINK", text, 1);
    std::string why;
    std::vector<std::string> uuids;
    for (std::size_t i = 0; i < count; ++i) uuids.push_back("GPU-" + std::to_string(i + 1));
    return clusterc::nvlink::read_links(clusterc::harness::Nvml::open(why, CLUSTERC_FAKE_NVML), why, uuids);
  }
  // "gpu0-gpu1 nvlink.copy" -> how often
  static std::map<std::string, int> figures(const Result& r) {
    std::map<std::string, int> out;
    for (const json& m : r.records)
      if (m.value("record", "") == "measurement")
        ++out[m["device"]["label"].get<std::string>() + " " + m["metric"].get<std::string>()];
    return out;
  }
  static std::vector<json> links(const Result& r) {
    std::vector<json> out;
    for (const json& m : r.records)
      if (m.value("metric", "") == "nvlink.links") out.push_back(m);
    return out;
  }
  static std::string detail(const Result& r) { return r.ended() ? r.records.back().value("detail", "") : r.text; }
};

using NvlinkFault = Nvlink;

// Three GPUs: three pairs, each with a copy forth, back and both ways, and a walk forth and back.
TEST_F(Nvlink, EveryPairIsCopiedEachWayAndWalked) {
  const Result r = look("18s;18s;18s", {"--stand-ins", "3", "--links", "18"});
  expect_measured(r, 3 * 5 + 3);
  const std::map<std::string, int> seen = figures(r);
  for (const char* one :
       {"gpu0-gpu1 nvlink.copy", "gpu1-gpu0 nvlink.copy", "gpu0-gpu1 nvlink.copy.both", "gpu0-gpu1 nvlink.latency",
        "gpu1-gpu0 nvlink.latency", "gpu2-gpu1 nvlink.copy", "gpu0-gpu2 nvlink.copy.both"})
    EXPECT_EQ(seen.count(one) ? seen.at(one) : 0, 1) << one;
  for (const json& m : r.records) {
    const std::string metric = m.value("metric", "");
    if (metric.starts_with("nvlink.copy")) {
      EXPECT_EQ(m["checked"], (metric == "nvlink.copy" ? 1 : 2) * 1048576 / 8);
    } else if (metric == "nvlink.latency") {
      EXPECT_EQ(m["better"], "lower");
      EXPECT_EQ(m["checked"], 2);  // where the walk ends, and the sum of its places
    }
  }
  // Eighteen links of 25 GB/s: 450 GB/s one way.
  for (const json& m : links(r)) {
    EXPECT_DOUBLE_EQ(m["value"].get<double>(), 450e9);
    EXPECT_FALSE(m["parameters"].contains("slow")) << m;
    EXPECT_EQ(m["parameters"]["errors_counted"], true);
  }
  EXPECT_EQ(links(r)[2]["parameters"]["address"], "00000000:1c:00.0");
}

TEST_F(Nvlink, AFlippedBitIsFoundInEachCopyWalkAndLink) {
  expect_wrong_data(look("18s;18s", {}, kFaulty + "/clusterc-nvlink-faulty"), 5 + 2);
}

TEST_F(Nvlink, FewerThanTwoGpusAreNoPair) {
  const Result r = look("18s", {"--stand-ins", "1"});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.records.back()["status"], "not applicable");
  EXPECT_EQ(look("18s;18s", {"--size", "4097B"}).status, 2);
}

TEST_F(Nvlink, LinksThatAreDownCountErrorsOrCarryNoAccessesAreNamed) {
  const Result r = look("14s,1d,1s,2d;1e,17s;16s,2m", {"--links", "18", "--stand-ins", "3"});
  expect_measured(r, 15 + 3);
  const auto found = links(r);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0]["parameters"]["slow"], "gpu0 has 15 of 18 NVLinks up (down: 14, 16-17)");
  EXPECT_DOUBLE_EQ(found[0]["value"].get<double>(), 375e9);
  EXPECT_EQ(found[0]["parameters"]["links"], 15);
  EXPECT_EQ(found[0]["parameters"]["links_of_gpu"], 18);
  EXPECT_EQ(found[1]["parameters"]["slow"], "gpu1: link 0 counted 1 replays");
  EXPECT_EQ(found[2]["parameters"]["slow"], "gpu2 carries no memory accesses of other GPUs over link 16-17");
}

TEST_F(Nvlink, WithoutADemandLinksThatAreDownAreToldBesideOthers) {
  const Result r = look("17s,1d;18s");
  expect_measured(r, 5 + 2);
  EXPECT_EQ(links(r)[0]["parameters"]["slow"], "gpu0 has 17 of 18 NVLinks up (down: 17)");
  EXPECT_FALSE(links(r)[1]["parameters"].contains("slow"));
}

TEST_F(Nvlink, ALinkThatGoesDownMeanwhileIsWrongData) {
  const Result r = look("1f,17s;18s");
  ASSERT_TRUE(r.ended()) << r.text;
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(links(r)[0]["wrong"], 1);
  EXPECT_EQ(links(r)[0]["parameters"]["slow"], "gpu0 had 18 NVLinks up at first, 17 later");
}

// All that can be measured is, and the end says what is missing.
TEST_F(Nvlink, AGpuWithoutALinkThatIsUpIsAnErrorBesideOthersAndOnDemand) {
  Result r = look("18s;18d");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "device error");
  EXPECT_EQ(detail(r), "gpu1 has none of 18 NVLinks up");
  EXPECT_EQ(figures(r).count("gpu0-gpu1 peer.copy"), 1u);
  EXPECT_EQ(links(r).size(), 1u);
  r = look("12d;12d", {"--links", "12"});  // cards whose bridge is not there
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(detail(r), "gpu0 has 0 of 12 NVLinks up (down: 0-11); gpu1 has 0 of 12 NVLinks up (down: 0-11)");
  expect_measured(look("12d;12d"), 5);   // nobody says that there is one
  r = look(nullptr, {"--links", "18"});  // cards without NVLink
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(detail(r), "gpu0 has 0 of 18 NVLinks up; gpu1 has 0 of 18 NVLinks up");
}

TEST_F(Nvlink, WithoutNvmlCopiesAreMeasuredAndLinksAreNotKnown) {
  const auto with = [](const char* library, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {program("nvlink"), "--nvml", library};
    arguments.insert(arguments.end(), kSmall.begin(), kSmall.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  Result r = with("libthere-is-no-such.so.1", {});
  expect_measured(r, 5);
  EXPECT_EQ(r.records[1]["metric"], "nvlink.copy");
  EXPECT_EQ(r.records[1]["parameters"]["joined_by"], "not known");
  r = with("libthere-is-no-such.so.1", {"--links", "18"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "library missing");
  EXPECT_NE(detail(r).find("libthere-is-no-such.so.1"), std::string::npos);
  EXPECT_EQ(r.records.size(), 7u);
  r = look("18s;18s;18s;18s;18s", {"--links", "18", "--stand-ins", "5"});  // of GPU-5 this NVML knows nothing
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "device error");
  EXPECT_EQ(detail(r), "18 NVLinks shall be there, and nothing is known of them: NVML does not know GPU-5");
}

// Cards in two bridged pairs; a board of four, each wired to each by four links; switches; an old driver, which tells
// addresses alone.
TEST_F(Nvlink, HowTwoGpusAreJoinedIsReadFromTheOtherEnds) {
  auto gpus = links_of("12g1;12g0;12g3;12g2", 4);
  EXPECT_EQ(join_of(gpus, 0, 1), Join::all);
  EXPECT_EQ(join_of(gpus, 0, 2), Join::none);
  EXPECT_EQ(join_of(gpus, 2, 3), Join::all);
  gpus = links_of("4g1,4g2,4g3;4g0,4g2,4g3;4g0,4g1,4g3;4g0,4g1,4g2", 4);
  EXPECT_EQ(join_of(gpus, 0, 3), Join::part);
  EXPECT_EQ(join_of(links_of("17s,1d;18s", 2), 0, 1), Join::all);
  EXPECT_EQ(join_of(links_of("11g1,1d;11g0,1d", 2), 0, 1), Join::all);  // a link of the bridge is down on both
  EXPECT_EQ(join_of(links_of("18u;18u", 2), 0, 1), Join::unknown);
  EXPECT_EQ(join_of(links_of("18d;18s", 2), 0, 1), Join::none);
  for (const char* old : {"-12g1;12g0;12g3;12g2", "-18s;18s;18s;18s"})
    EXPECT_EQ(join_of(links_of(old, 4), 0, 1), Join::all) << old;
  EXPECT_EQ(join_of(links_of("-12g1;12g0;12g3;12g2", 4), 1, 2), Join::none);
}

TEST_F(Nvlink, FiguresAreNamedByWhatJoinsThePair) {
  const auto seen = figures(look("12g1;12g0;6g0,6g3;12g2", {"--stand-ins", "4"}));
  EXPECT_EQ(seen.count("gpu0-gpu1 nvlink.copy"), 1u);
  EXPECT_EQ(seen.count("gpu1-gpu2 peer.latency"), 1u);
  EXPECT_EQ(seen.count("gpu2-gpu3 nvlink.part.copy.both"), 1u);
}

// A walk is one cycle through all places: each is the next of exactly one.
TEST(NvlinkWalk, IsOneCycleThroughAllPlaces) {
  using namespace clusterc::nvlink;
  const auto words = make_walk(7);
  std::set<std::uint64_t> seen;
  std::uint64_t at = 0, sum = 0;
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    at = words[at * kWordsOfPlace];
    seen.insert(at);
    if (i < kSteps) sum += at;
    if (i + 1 == kSteps) {
      EXPECT_EQ(end_of_walk(words.data()), (std::array<std::uint64_t, 2>{at, sum}));
    }
  }
  EXPECT_EQ(seen.size(), kPlaces);
  EXPECT_EQ(at, 0u);
  EXPECT_NE(make_walk(8), words);
}

// GPUs that refuse each other, or deliver what is wrong.
class Refusing final : public Gpus {
 public:
  Refusing(int count, std::set<std::pair<int, int>> refused, int capability = 90)
      : real_(clusterc::nvlink::host_gpus(count)), refused_(std::move(refused)), capability_(capability) {}
  int count() const override { return real_->count(); }
  clusterc::harness::Device device(int gpu) const override { return real_->device(gpu); }
  int capability(int) const override { return capability_; }
  bool can_access(int gpu, int other) const override { return !refused_.contains({gpu, other}); }
  std::unique_ptr<clusterc::nvlink::Pair> open(int first, int second, std::uint64_t bytes,
                                               std::uint64_t seed) const override {
    return real_->open(first, second, bytes, seed);
  }

 private:
  std::unique_ptr<Gpus> real_;
  std::set<std::pair<int, int>> refused_;
  int capability_;
};

// What ended the run, in words; the lines of figures go to `lines`.
std::string end_of(const Gpus& gpus, const char* links, unsigned demanded, std::vector<std::string>& lines) {
  using namespace clusterc::harness;
  setenv("FAKE_NVLINK", links, 1);
  std::string why;
  const auto nvml = Nvml::open(why, CLUSTERC_FAKE_NVML);
  const Program program{.name = "nvlink", .summary = "", .size_help = "", .backends = {}, .extra = {}, .metrics = {}};
  Options options;
  options.size = 4096;
  options.iterations = 1;
  options.allow_busy = true;
  lines.clear();
  Reporter report(program, options, "h", [&](std::string_view line) { lines.emplace_back(line); });
  try {
    clusterc::nvlink::measure_gpus(gpus, nvml, why, {.links = demanded}, options, report);
  } catch (const CouldNotRun& e) {
    return std::string(cause_text(e.cause())) + ": " + e.what();
  }
  return "done";
}

TEST_F(Nvlink, PairsThatCannotAccessEachOtherAreNamed) {
  std::vector<std::string> lines;
  EXPECT_EQ(end_of(Refusing(2, {}), "18s;18s", 18, lines), "done");
  EXPECT_EQ(lines.size(), 7u);
  // Joined by links, one way refused: not measured, and an error at the end; the others are measured.
  EXPECT_EQ(end_of(Refusing(3, {{2, 0}}), "18s;18s;18s", 0, lines),
            "device error: gpu2 cannot access the memory of gpu0");
  EXPECT_EQ(lines.size(), 2u * 5 + 3);
  EXPECT_NE(lines.back().find(R"("no_access":"gpu0")"), std::string::npos) << lines.back();
  // Bridged in pairs, and across them nothing: that is how such cards are.
  const std::set<std::pair<int, int>> across = {{0, 2}, {2, 0}, {0, 3}, {3, 0}, {1, 2}, {2, 1}, {1, 3}, {3, 1}};
  EXPECT_EQ(end_of(Refusing(4, across), "12g1;12g0;12g3;12g2", 0, lines), "done");
  EXPECT_EQ(lines.size(), 2u * 5 + 4);
  EXPECT_EQ(end_of(Refusing(4, across), "12g1;12g0;12g3;12g2", 12, lines), "done");
  // No links, no access: nothing to measure, unless links shall be there.
  EXPECT_EQ(end_of(Refusing(2, {{0, 1}, {1, 0}}), "", 0, lines),
            "not applicable: none of the 2 GPUs can access the memory of another");
  EXPECT_EQ(end_of(Refusing(2, {{0, 1}, {1, 0}}), "", 18, lines),
            "device error: gpu0 has 0 of 18 NVLinks up; gpu1 has 0 of 18 NVLinks up");
  EXPECT_TRUE(lines.empty());
}

TEST_F(Nvlink, WhatALinkCarriesIsTheArchitecturesAndNotGuessed) {
  std::vector<std::string> lines;
  EXPECT_EQ(end_of(Refusing(2, {}, 100), "18s;18s", 18, lines), "done");
  EXPECT_EQ(json::parse(lines.back())["value"], 900e9);  // B200: eighteen of 50 GB/s
  EXPECT_EQ(
      end_of(Refusing(2, {}, 130), "18s;18s", 18, lines),
      "device error: what an NVLink of gpu0 carries (compute capability 13.0) is not known to this release: 18 are up");
  EXPECT_EQ(lines.size(), 5u);
}

TEST(NvlinkGpu, WithoutAGpuTheCauseIsSaid) {
  const Result r = run({program("nvlink"), "--device", "cuda", "--links", "18"});
  if (r.status == 0 || r.status == 1 || r.status == 3) GTEST_SKIP() << "there are GPUs here";
  ASSERT_TRUE(r.ended()) << r.text;
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(std::set<std::string>({"no NVIDIA driver", "no GPU", "driver too old", "device error"})
                  .contains(r.records.back()["reason"]))
      << r.text;
}

// A driver that hangs: the run ends with a record that says where.
TEST_F(NvlinkFault, NvmlThatNeverAnswersEndsTheRun) {
  for (const char* where : {"init", "handle"}) {
    setenv("FAKE_NVML_HANGS", where, 1);
    const Result r = look("18s;18s", {"--timeout", "0.5"});
    unsetenv("FAKE_NVML_HANGS");
    EXPECT_EQ(r.status, 2) << where;
    ASSERT_TRUE(r.ended()) << r.text;
    EXPECT_EQ(r.records.back()["reason"], "timeout");
    EXPECT_EQ(detail(r), "asking NVML for the links: nothing moved for 0.5 s");
  }
}

}  // namespace
