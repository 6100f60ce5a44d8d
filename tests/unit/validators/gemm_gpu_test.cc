// gemm's CUDA code on a runtime that is none: what it asks of cuBLASLt, what it reads of the sensors, and what it finds
// (tests/fakes/cuda_host.cc, cublas_lt.cc, nvml.cc). No kernel and no product of a GPU runs here.
#ifdef CLUSTERC_FAKE_GPU
#include <map>

#include "harness/gpu_users.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;

const std::string kFolder = CLUSTERC_FAKE_GPU;

// `wishes` are variables of the fakes: "FAKE_GPUS=0".
Result gemm(std::vector<std::string> wishes, const std::vector<std::string>& arguments,
            const std::string& name = "clusterc-gemm", bool allow_busy = true) {
  std::vector<std::string> all = {"env", "LD_LIBRARY_PATH=" + kFolder};
  all.insert(all.end(), wishes.begin(), wishes.end());
  all.insert(all.end(), {kFolder + "/" + name, "--device", "cuda"});
  if (allow_busy) all.emplace_back("--allow-busy");
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(all);
}
// By metric and device: "gemm.fp8 gpu0".
std::map<std::string, nlohmann::json> measured(const Result& result) {
  std::map<std::string, nlohmann::json> out;
  for (const auto& r : result.records)
    if (r["record"] == "measurement")
      out[r["metric"].get<std::string>() + " " + r["device"]["label"].get<std::string>()] = r;
  return out;
}

TEST(GemmOnAFakeGpu, EveryPrecisionOfEveryGpuIsMeasuredAndRight) {
  const Result result = gemm({"FAKE_NVML_COOL=1"}, {"--size", "96", "--iterations", "3"});
  EXPECT_EQ(result.status, 0) << result.text;
  const auto all = measured(result);
  EXPECT_EQ(all.size(), 14u);
  // Bytes of the three matrices by hand: 96 x 96 elements, 8 + 8 + 8 of fp64, 1 + 1 + 2 of fp8 with a bfloat16 result,
  // 1 + 1 + 4 of int8.
  for (const auto& [name, bytes] : {std::pair("gemm.fp64 gpu0", 24),
                                    {"gemm.fp32 gpu0", 12},
                                    {"gemm.tf32 gpu1", 12},
                                    {"gemm.bf16 gpu1", 6},
                                    {"gemm.fp16 gpu0", 6},
                                    {"gemm.fp8 gpu0", 4},
                                    {"gemm.int8 gpu1", 6}}) {
    ASSERT_TRUE(all.contains(name)) << name;
    EXPECT_EQ(all.at(name)["size"], 9216 * bytes) << name;
    EXPECT_EQ(all.at(name)["data_verified"], true) << name;
    EXPECT_EQ(all.at(name)["parameters"]["algorithms"], 3) << name;
    EXPECT_LT(all.at(name)["parameters"]["first_choice"], 0.9)
        << name;  // the first of the three takes 59 ms longer than the second: more than a busy machine adds
  }
  EXPECT_EQ(all.at("gemm.int8 gpu0")["checked"], 9216);
  EXPECT_EQ(all.at("gemm.fp8 gpu0")["checked"], 1024 + 2 * 9216);  // samples, and two exact products
}

TEST(GemmOnAFakeGpu, TheLibrarysOwnChoiceIsTakenWhereOneAlgorithmIsAskedFor) {
  const auto all =
      measured(gemm({}, {"--size", "32", "--iterations", "3", "--precisions", "bf16", "--algorithms", "1"}));
  const auto& one = all.at("gemm.bf16 gpu0");
  EXPECT_EQ(one["parameters"]["algorithms"], 1);
  EXPECT_FALSE(one["parameters"].contains("first_choice"));
  EXPECT_LT(one["value"], 2.0 * 32 * 32 * 32 / 0.014);  // 60 ms each
}

// Clocks, temperature, power and what held them back, of each GPU's own; the second is held back by heat from its sixth
// reading on, and has two errors then.
TEST(GemmOnAFakeGpu, SensorsAreReadMeanwhile) {
  const Result result = gemm({}, {"--size", "16", "--seconds", "0.9", "--precisions", "fp64,fp32"});
  EXPECT_EQ(result.status, 1) << result.text;
  const auto all = measured(result);
  const auto &cool = all.at("gemm.fp64 gpu0")["parameters"], &warm = all.at("gemm.fp32 gpu1")["parameters"];
  EXPECT_EQ(cool["clock_trace_mhz"].get<std::string>().substr(0, 15), "1980 1980 1980 ");
  EXPECT_EQ(cool["temperature_trace_c"].get<std::string>().substr(0, 6), "60 60 ");
  EXPECT_EQ(cool["power_trace_w"].get<std::string>().substr(0, 8), "650 650 ");
  EXPECT_EQ(cool["clock_reasons"], "gpu0: power cap");
  EXPECT_FALSE(cool.contains("slow"));
  EXPECT_EQ(warm["clock_reasons"], "gpu1: power cap, hardware thermal slowdown");
  EXPECT_EQ(warm["slow"].get<std::string>().substr(0, 50), "gpu1 was held back by hardware thermal slowdown in");
  std::uint64_t lost = 0;  // in one of its two measurements
  for (const char* name : {"gemm.fp64 gpu1", "gemm.fp32 gpu1"}) lost += all.at(name)["wrong"].get<std::uint64_t>();
  EXPECT_EQ(lost, 2u);
  EXPECT_EQ(all.at("gemm.fp64 gpu0")["wrong"], 0);
}

TEST(GemmOnAFakeGpu, WithoutNvmlTheRecordSaysSo) {
  const auto all = measured(gemm({"LD_LIBRARY_PATH=" + kFolder + "/only-cublas"},
                                 {"--size", "16", "--iterations", "2", "--precisions", "fp64"}));
  EXPECT_TRUE(all.empty());  // nothing there: cuBLASLt is asked for first
  std::filesystem::create_directories(kFolder + "/only-cublas");
  std::filesystem::copy_file(kFolder + "/libcublasLt.so.13", kFolder + "/only-cublas/libcublasLt.so.13",
                             std::filesystem::copy_options::overwrite_existing);
  const auto some = measured(gemm({"LD_LIBRARY_PATH=" + kFolder + "/only-cublas"},
                                  {"--size", "16", "--iterations", "2", "--precisions", "fp64"}));
  std::filesystem::remove_all(kFolder + "/only-cublas");
  EXPECT_NE(some.at("gemm.fp64 gpu0")["parameters"]["nvml"].get<std::string>().find("libnvidia-ml.so.1"),
            std::string::npos);
}

TEST(GemmOnAFakeGpu, AProductThatAGpuDoesNotHaveIsLeftOut) {
  EXPECT_EQ(measured(gemm({"FAKE_CUBLASLT_LACKS=fp8"}, {"--size", "16", "--iterations", "2"})).size(), 12u);
  EXPECT_EQ(measured(gemm({"FAKE_CUBLASLT_LACKS=fp8", "FAKE_CUBLASLT_SAYS=mismatch"},
                          {"--size", "16", "--iterations", "2", "--precisions", "fp8,bf16"}))
                .size(),
            2u);
  const Result alone =
      gemm({"FAKE_CUBLASLT_LACKS=int8"}, {"--size", "16", "--iterations", "2", "--precisions", "int8"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_EQ(alone.records.back()["detail"], "gpu1 has no int8 product of order 16: cuBLASLt knows no algorithm");
  const Result odd = gemm({}, {"--size", "17", "--iterations", "2", "--precisions", "fp8"});
  EXPECT_EQ(odd.status, 3);
  EXPECT_EQ(odd.records.back()["detail"],
            "gpu1 has no fp8 product of order 17: cuBLASLt knows no algorithm for an order that 16 does not divide");
  EXPECT_EQ(measured(gemm({}, {"--size", "17", "--iterations", "2"})).size(), 10u);
  EXPECT_EQ(gemm({"FAKE_GPUS=0"}, {}).records.back()["reason"], "no GPU");
}

// Seven seconds a product: trials of all algorithms would last minutes.
TEST(GemmOnAFakeGpu, ATypeOfFewUnitsIsMeasuredWithTheLibrarysOwnChoice) {
  const auto all = measured(
      gemm({"FAKE_CUBLASLT_SLOW=1"}, {"--size", "16", "--iterations", "1", "--warmup", "0", "--precisions", "fp64"}));
  EXPECT_EQ(all.at("gemm.fp64 gpu0")["parameters"]["algorithms"], 1);
  EXPECT_FALSE(all.at("gemm.fp64 gpu0")["parameters"].contains("first_choice"));
}

// Somebody else computes there: that is no fault of the GPU, and no figure of it either.
TEST(GemmOnAFakeGpu, AGpuThatAnotherProcessUsesIsBusy) {
  const std::vector<std::string> options = {"--size", "16", "--iterations", "2", "--precisions", "bf16"};
  const Result busy = gemm({"FAKE_NVML_USER=4711"}, options, "clusterc-gemm", false);
  EXPECT_EQ(busy.status, 2);
  ASSERT_FALSE(busy.records.empty()) << busy.text;
  EXPECT_EQ(busy.records.back()["reason"], "busy") << busy.text;
  EXPECT_NE(busy.records.back().value("detail", "").find("gpu0: process 4711 (python3, 512 MiB)"), std::string::npos)
      << busy.text;
  EXPECT_EQ(gemm({"FAKE_NVML_USER=4711"}, options).status, 0);
  // The slice of a GPU has another name there.
  EXPECT_EQ(gemm({"FAKE_NVML_USER=4711", "FAKE_NVML_SLICES=1"}, options, "clusterc-gemm", false).status, 2);
}

// Processes that are nobody else's work: the server of MPS, whose clients compute, and this one.
TEST(GemmOnAFakeGpu, ItsOwnProcessAndTheServerOfMpsMakeNoGpuBusy) {
  const std::vector<std::string> options = {"--size", "16", "--iterations", "2", "--precisions", "bf16"};
  const Result client = gemm({"FAKE_NVML_USER=mps 4711"}, options, "clusterc-gemm", false);
  EXPECT_EQ(client.status, 2);
  EXPECT_NE(client.records.back().value("detail", "").find("use the GPU: gpu0: process 4711 (python3"),
            std::string::npos)
      << client.text;
  EXPECT_EQ(gemm({"FAKE_NVML_USER=mps 99"}, options, "clusterc-gemm", false).status, 0);
  if (clusterc::harness::has_numbers_of_host()) {
    EXPECT_EQ(gemm({"FAKE_NVML_USER=self"}, options, "clusterc-gemm", false).status, 0);
  }
}

// Three hundred, of which a driver of 535 writes longer structures in its newer function.
TEST(GemmOnAFakeGpu, EveryProcessOfAnyNumberIsSeen) {
  const std::vector<std::string> options = {"--size", "16", "--iterations", "2", "--precisions", "bf16"};
  const Result busy = gemm({"FAKE_NVML_USER=many"}, options, "clusterc-gemm", false);
  EXPECT_EQ(busy.status, 2);
  for (const char* process : {"process 5001 (", "process 5002 (", "process 5300 ("})
    EXPECT_NE(busy.text.find(process), std::string::npos) << process;
}

TEST(GemmOnAFakeGpu, WrongProductsAreFound) {
  for (const auto& [name, r] : measured(gemm({}, {"--size", "32", "--iterations", "2"}, "clusterc-gemm-faulty")))
    EXPECT_GE(r["wrong"], 1) << name;
  // A quarter of the terms lost: sampled elements of rounded products are outside the bound, all but few.
  const Result lost = gemm({"FAKE_CUBLASLT_WRONG=all"}, {"--size", "512", "--iterations", "1", "--algorithms", "1",
                                                         "--precisions", "bf16,fp8", "--warmup", "0"});
  EXPECT_EQ(lost.status, 1);
  for (const auto& [name, r] : measured(lost)) EXPECT_GT(r["wrong"], 900) << name;
  // Eight terms lost of 96, and FP32 operands of which only the bits of a shorter type are multiplied: in most rows of
  // the exact products.
  for (const auto& [how, precisions] :
       {std::pair("few", "fp64,fp32,tf32,bf16,fp16,fp8"), {"tf32", "fp32"}, {"bf16", "fp32"}}) {
    const Result off =
        gemm({std::string("FAKE_CUBLASLT_WRONG=") + how},
             {"--size", "96", "--iterations", "1", "--algorithms", "1", "--warmup", "0", "--precisions", precisions});
    EXPECT_EQ(off.status, 1) << how;
    for (const auto& [name, r] : measured(off)) EXPECT_GT(r["wrong"], 90) << how << " " << name;
  }
  // One wrong element among whole numbers is found wherever it is.
  for (const auto& [name, r] :
       measured(gemm({"FAKE_CUBLASLT_WRONG=one"}, {"--size", "64", "--iterations", "2", "--precisions", "int8"})))
    EXPECT_EQ(r["wrong"], 1) << name;
}

TEST(GemmOnAFakeGpuFault, AProductThatNeverEndsEndsTheRun) {
  const Result result = gemm({"FAKE_CUBLASLT_HANGS=1"}, {"--size", "16", "--precisions", "bf16", "--timeout", "1"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.records.back()["reason"], "timeout");
  EXPECT_EQ(result.records.back()["detail"], "trying algorithms of gemm.bf16: nothing moved for 1 s");
}

}  // namespace
#endif
