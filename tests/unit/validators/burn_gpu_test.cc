// What burn does with GPUs, as far as it can be seen without one: its load on the host back ends of its parts, its
// processes, its sensors.
#include "burn/crew.h"
#include "burn/gpus.h"
#include "burn/products.h"
#include "harness/cuda_support.h"
#include "harness/loop.h"
#include "skipping.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc;
using namespace clusterc::program_run;
using namespace clusterc::burn;
using harness::Cause;
using harness::CouldNotRun;

constexpr std::uint64_t kOrder = 96, kBytes = 1u << 20;

// A product of the machine's BLAS; one of its results can be spoiled, or left out.
class Spoiled final : public gemm::Multiplier {
 public:
  explicit Spoiled(std::unique_ptr<gemm::Multiplier> real) : real_(std::move(real)) {}
  harness::Device device() const override { return real_->device(); }
  double run() override { return ++runs == left_out ? 0 : real_->run(); }
  void poison() override { real_->poison(); }
  gemm::Check verify() override { return wrong_reference ? gemm::Check{1, 1} : real_->verify(); }
  void keep() override { real_->keep(); }
  gemm::Check compare() override { return real_->compare(); }
  void damage() override { real_->damage(); }
  std::uint64_t bytes() const override { return real_->bytes(); }
  std::vector<std::pair<std::string, harness::Parameter>> parameters() const override { return real_->parameters(); }
  int runs = 0, left_out = -1;
  bool wrong_reference = false;

 private:
  std::unique_ptr<gemm::Multiplier> real_;
};

class GpuLoad : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      blas = gemm::open_host_blas(1);
    } catch (const CouldNotRun& e) {
      CLUSTERC_MISSING(e.what());
    }
  }
  std::unique_ptr<ProductLoad> make(int left_out, bool wrong_reference) {
    std::vector<Product> products;
    for (const char* precision : {"fp32", "fp64"}) {
      auto multiplier = std::make_unique<Spoiled>(gemm::host_multiplier(blas, precision, kOrder, 7));
      if (precision == std::string("fp64")) {
        multiplier->left_out = left_out;
        multiplier->wrong_reference = wrong_reference;
      }
      products.push_back({.name = std::string("the ") + precision + " product",
                          .multiplier = std::move(multiplier),
                          .n = kOrder,
                          .times = 2});
    }
    auto memory = memtest::open_host(kBytes, 1, pulse);
    words = memory.get();
    return std::make_unique<ProductLoad>(std::move(products), std::move(memory), 3, 11);
  }
  harness::TextPulse pulse;
  std::shared_ptr<gemm::HostBlas> blas;
  memtest::Memory* words = nullptr;
};

TEST_F(GpuLoad, RoundsOfASoundDeviceAreRight) {
  const auto load = make(-1, false);
  EXPECT_DOUBLE_EQ(load->flop(), 2.0 * 96 * 96 * 96 * 2 * 2);  // two products, twice each
  for (int i = 0; i < 4; ++i) EXPECT_EQ(load->round(false), "");
}

TEST_F(GpuLoad, AProductThatWasNotWrittenIsNoMatch) {
  const auto load = make(4, false);  // the first is the reference, the next two are of round one
  EXPECT_EQ(load->round(false), "");
  EXPECT_EQ(load->round(false), "the fp64 product");
  EXPECT_EQ(load->round(false), "");
}

TEST_F(GpuLoad, AWrongReferenceSpoilsEveryRound) {
  const auto load = make(-1, true);
  EXPECT_EQ(load->round(false), "the first of the fp64 product");
  EXPECT_EQ(load->round(false), "the first of the fp64 product");
}

TEST_F(GpuLoad, AWordThatChangesIsFoundInTheNextSweep) {
  const auto load = make(-1, false);
  EXPECT_EQ(load->round(false), "");
  words->fill({.content = memtest::Content::solid, .value = 5});
  EXPECT_EQ(load->round(false), "the memory sweep");
  EXPECT_EQ(load->round(false), "");
}

TEST(GpuDose, PartsLastAlikeOnFastAndSlowDevices) {
  EXPECT_EQ(dose_of(132, 2).fp16, 66u);
  EXPECT_EQ(dose_of(132, 2).fp64, 16u);  // H100: FP64 at half the rate of FP32
  EXPECT_EQ(dose_of(142, 64).fp64, 1u);  // L40S: a 64th
  EXPECT_EQ(dose_of(1, 64).fp16, 1u);    // a slice
}

TEST(BurnCrew, WhatAWorkerCouldNotDoIsSaidWithItsDevice) {
  Bench bench;
  bench.places = {{.gpu = true, .number = 0}, {.gpu = true, .number = 1}};
  class Sleeps final : public Load {
    double flop() const override { return 1; }
    std::string_view round(bool) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return {};
    }
  };
  bench.load = [](std::size_t worker) -> std::unique_ptr<Load> {
    if (worker == 1) throw CouldNotRun(Cause::no_memory, "cudaMalloc: out of memory");
    return std::make_unique<Sleeps>();
  };
  Crew crew(bench, false);
  try {
    for (int i = 0; i < 1000; ++i) {
      crew.look(5);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL();
  } catch (const CouldNotRun& e) {
    EXPECT_EQ(e.cause(), Cause::no_memory);
    EXPECT_STREQ(e.what(), "gpu1: cudaMalloc: out of memory");
  }
}

TEST(BurnCrew, AnAnswerComesFromAnotherProcess) {
  EXPECT_EQ(ask_elsewhere([] { return std::string(100'000, 'x'); }, 5, "asking").size(), 100'000u);
  EXPECT_EQ(ask_elsewhere([] { return std::to_string(getpid()); }, 5, "asking") == std::to_string(getpid()), false);
  const auto cause_of = [](const std::function<std::string()>& ask, double seconds) {
    try {
      ask_elsewhere(ask, seconds, "counting the GPUs");
    } catch (const CouldNotRun& e) {
      return std::pair(e.cause(), std::string(e.what()));
    }
    return std::pair(Cause::system, std::string("answered"));
  };
  EXPECT_EQ(cause_of([]() -> std::string { throw CouldNotRun(Cause::no_gpu, "none there"); }, 5),
            std::pair(Cause::no_gpu, std::string("none there")));
  EXPECT_EQ(cause_of(
                [] {
                  abort();
                  return std::string();
                },
                5),
            std::pair(Cause::system, std::string("counting the GPUs crashed")));
  EXPECT_EQ(cause_of(
                [] {
                  sleep(60);
                  return std::string();
                },
                0.3),
            std::pair(Cause::timeout, std::string("counting the GPUs got no answer in 0.3 s")));
}

TEST(BurnSensors, AGpuThatItsHeatHoldsBackIsNamed) {
  std::string why;
  auto nvml = harness::Nvml::open(why, CLUSTERC_FAKE_NVML);
  ASSERT_TRUE(nvml) << why;
  GpuWatch watch(std::move(nvml), "",
                 {{.gpu = true, .number = 0, .uuid = "GPU-1"},
                  {.gpu = true, .number = 1, .uuid = "GPU-2"},
                  {.gpu = true, .number = 2, .uuid = "MIG-3"}});
  for (int i = 0; i < 5; ++i) watch.read(1);
  EXPECT_EQ(watch.slowed(), "");  // the power cap alone is what a full load looks like
  const Reading sixth = watch.read(1);
  EXPECT_DOUBLE_EQ(*sixth.clock, 1740e6);  // the median of 1980 and 1500
  EXPECT_DOUBLE_EQ(*sixth.temperature, 85);
  EXPECT_DOUBLE_EQ(*sixth.power, 1301);
  EXPECT_EQ(watch.slowed(), "gpu1 was held back by hardware thermal slowdown in 1 of 6 readings");
  const auto parameters = watch.parameters();
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(std::get<std::string>(parameters[0].second), "gpu0: power cap; gpu1: power cap, hardware thermal slowdown");
  EXPECT_EQ(std::get<std::uint64_t>(parameters[1].second), 1u);  // corrected
  EXPECT_EQ(std::get<std::uint64_t>(parameters[2].second), 0u);
  EXPECT_EQ(std::get<double>(parameters[3].second), 1400);       // the power cap of both
  EXPECT_EQ(std::get<std::uint64_t>(parameters[4].second), 0u);  // rows that were replaced
  EXPECT_EQ(watch.uncorrected().count, 0u);
  watch.read(1);
  EXPECT_EQ(watch.uncorrected().count, 2u);
  EXPECT_EQ(watch.uncorrected().text, "gpu1: 2 memory errors that could not be corrected");
}

TEST(BurnSensors, WithoutNvmlTheRecordSaysSo) {
  std::string why;
  auto nvml = harness::Nvml::open(why, "libthere-is-no-such.so.1");
  EXPECT_FALSE(nvml);
  GpuWatch watch(std::move(nvml), why, {{.gpu = true}});
  EXPECT_FALSE(watch.read(1).clock);
  ASSERT_EQ(watch.parameters().size(), 1u);
  EXPECT_NE(std::get<std::string>(watch.parameters()[0].second).find("libthere-is-no-such.so.1"), std::string::npos);
}

// A driver that hangs: the run ends with a record that says where.
TEST(BurnSensorsFault, NvmlThatNeverAnswersEndsTheRun) {
  const harness::Program burn{.name = "burn", .summary = "", .backends = {}};
  for (const auto& [where, what] : {std::pair("init", "opening NVML: nothing moved for 0.5 s"),
                                    {"handle", "asking NVML for the GPUs: nothing moved for 0.5 s"}}) {
    const std::string output = output_file();
    const pid_t child = fork();
    if (child == 0) {
      setenv("FAKE_NVML_HANGS", where, 1);
      harness::Options options;
      std::ofstream file(output);
      harness::Reporter report(burn, options, "node-a", [&](std::string_view line) { file << line << std::flush; });
      watch_gpus({{.gpu = true, .number = 0, .uuid = "GPU-1"}}, 0.5, report, CLUSTERC_FAKE_NVML);
      _exit(99);
    }
    const Result result = finish(child, output);
    EXPECT_EQ(result.status, 2) << where;
    ASSERT_EQ(result.records.size(), 1u) << result.text;
    EXPECT_EQ(result.records[0]["reason"], "timeout");
    EXPECT_EQ(result.records[0]["detail"], what);
  }
}
TEST(BurnSensors, NvmlThatAnswersIsAsked) {
  const harness::Program burn{.name = "burn", .summary = "", .backends = {}};
  harness::Options options;
  harness::Reporter report(burn, options, "node-a", [](std::string_view line) { ADD_FAILURE() << line; });
  const auto watch = watch_gpus({{.gpu = true, .number = 0, .uuid = "GPU-1"}}, 30, report, CLUSTERC_FAKE_NVML);
  EXPECT_EQ(watch->read(1).clock, 1980e6);
}

TEST(BurnSensors, UnknownReasonsAreKept) {
  EXPECT_EQ(harness::reasons_text(0), "");
  EXPECT_EQ(harness::reasons_text(0x80 | 0x4000), "power brake, 0x4000");
}

#ifdef CLUSTERC_CUDA
TEST(Cublas, ALibraryThatIsMissingOrLacksAFunctionIsNamed) {
  for (const char* name : {"libthere-is-no-such.so.1", CLUSTERC_FAKE_NVML}) {
    try {
      harness::open_cublas({name});
      FAIL();
    } catch (const CouldNotRun& e) {
      EXPECT_EQ(e.cause(), Cause::library_missing);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
    try {
      harness::open_cublas_lt({name});
      FAIL();
    } catch (const CouldNotRun& e) {
      EXPECT_EQ(e.cause(), Cause::library_missing);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
}

// Products of emulated precision would be another figure under the same name.
TEST(Cublas, EmulationThatTheEnvironmentAsksForIsNotUsed) {
  setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1", 1);
  EXPECT_THROW(harness::open_cublas({"libthere-is-no-such.so.1"}), CouldNotRun);
  EXPECT_EQ(getenv("CUBLAS_EMULATE_DOUBLE_PRECISION"), nullptr);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  EXPECT_THROW(harness::open_cublas_lt({"libthere-is-no-such.so.1"}), CouldNotRun);
  EXPECT_EQ(getenv("NVIDIA_TF32_OVERRIDE"), nullptr);
}
#endif

}  // namespace
