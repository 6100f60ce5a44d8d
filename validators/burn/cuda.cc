// The CUDA back end: a worker for each GPU, products by cuBLAS, sweeps over its memory. Nothing here touches CUDA in
// the process that watches.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "burn/crew.h"
#include "burn/gpus.h"
#include "harness/cuda_support.h"
#include "harness/inputs.h"

#ifdef CLUSTERC_CUDA
#include <cuda_runtime_api.h>

#include "burn/load_size.h"
#include "burn/products.h"
#endif

namespace clusterc::burn {
using namespace harness;
namespace {

#ifdef CLUSTERC_CUDA
std::unique_ptr<Load> gpu_load(int gpu, std::uint64_t seed) {
  cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
  const auto cublas = open_cublas_lt();
  int multiprocessors = 0, ratio = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu), "cudaDeviceGetAttribute");
  cuda_check(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, gpu),
             "cudaDeviceGetAttribute");
  const Dose dose = dose_of(static_cast<unsigned>(multiprocessors), static_cast<unsigned>(ratio));
  std::vector<Product> products;
  const auto add = [&](const char* precision, std::uint64_t n, unsigned times) {
    products.push_back({.name = format("the {} product", precision),
                        .multiplier = gemm::cuda_multiplier(cublas, gpu, precision, n, seed),
                        .n = n,
                        .times = times});
  };
  // Half of the 16-bit products in each of the two types, and FP8's beside them; a GPU that lacks a type goes without.
  const unsigned half = (dose.fp16 + 1) / 2;
  add("fp16", kLoadSize.order, half);
  for (const auto& [precision, times] : {std::pair("bf16", half), {"fp8", half}}) {
    try {
      add(precision, kLoadSize.order, times);
    } catch (const CouldNotRun& e) {
      if (e.cause() != Cause::not_applicable) throw;
    }
  }
  add("fp32", kLoadSize.order, dose.fp32);
  add("fp64", kLoadSize.order_fp64, dose.fp64);
  return std::make_unique<ProductLoad>(std::move(products), memtest::open_cuda(gpu, kLoadSize.swept, 0),
                                       kLoadSize.sweeps, stream_seed(seed, 3));
}
#endif

// A line for each GPU: UUID, blank, name.
std::string gpus_as_text() {
  const int count = require_gpus();
  std::string out;
#ifdef CLUSTERC_CUDA
  for (int i = 0; i < count; ++i) {
    const Device device = gpu_device(i);
    out += format("{} {}\n", device.uuid, device.name);
  }
#else
  (void)count;
#endif
  return out;
}

}  // namespace

Bench cuda_bench(const Options& options, double seconds, double sensors, Reporter& report) {
  const std::string text = ask_elsewhere(gpus_as_text, seconds, "counting the GPUs");
  Bench bench;
  bench.device = {.backend = Backend::cuda, .label = "gpus"};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto blank = line.find(' ');
    const int number = static_cast<int>(bench.places.size());
    bench.places.push_back({.gpu = true, .number = number, .uuid = std::string(line.substr(0, blank))});
    bench.each.push_back({.backend = Backend::cuda,
                          .label = bench.places.back().name(),
                          .name = std::string(line.substr(std::min(line.size(), blank + 1))),
                          .uuid = bench.places.back().uuid});
  }
  if (const auto workers = options.count("--workers"); workers && *workers < bench.places.size()) {
    bench.places.resize(*workers);
    bench.each.resize(*workers);
  }
  if (!bench.each.empty()) bench.device.name = bench.each.front().name;
#ifdef CLUSTERC_CUDA
  // The same operands on every GPU.
  bench.load = [seed = options.seed](std::size_t worker) { return gpu_load(static_cast<int>(worker), seed); };
#endif
  bench.watch = watch_gpus(bench.places, sensors, report);
  return bench;
}

}  // namespace clusterc::burn
