// Something that multiplies two random n x n matrices of one precision, again and again.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gemm/verify.h"
#include "harness/cuda_support.h"

namespace clusterc::gemm {

class Multiplier {
 public:
  virtual ~Multiplier() = default;
  virtual harness::Device device() const = 0;
  virtual double run() = 0;   // seconds of one C = A B
  virtual void poison() = 0;  // every element of C becomes what no product is: a NaN; of whole numbers their least
  virtual Check verify() = 0;
  // For a product that is repeated: C as it is becomes the reference; later ones are compared with it, every element
  // bit for bit, and C is poison afterwards, so that a product that was not written is no match. `damage` is the fault
  // build's: changes one element of C.
  virtual void keep() = 0;
  virtual Check compare() = 0;
  virtual void damage() = 0;
  virtual std::uint64_t bytes() const = 0;  // of the three matrices
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};

inline constexpr std::string_view kPrecisions = "fp64|fp32|tf32|bf16|fp16|fp8|int8";

// A BLAS that was found at run time. Throws CouldNotRun(library_missing).
class HostBlas;
std::shared_ptr<HostBlas> open_host_blas(unsigned threads);  // 0: one for each core
bool host_has(std::string_view precision);                   // fp64, fp32
std::uint64_t host_default_order(const HostBlas&);
std::unique_ptr<Multiplier> host_multiplier(std::shared_ptr<HostBlas>, std::string_view precision, std::uint64_t n,
                                            std::uint64_t seed);

// cuBLASLt, builds with CUDA only. Of as many `algorithms` as the library proposes for this product the fastest is
// taken: 1 is the library's own choice. Throws CouldNotRun(not_applicable) where it has none for this precision, order
// and GPU.
std::unique_ptr<Multiplier> cuda_multiplier(std::shared_ptr<harness::CublasLt>, int gpu, std::string_view precision,
                                            std::uint64_t n, std::uint64_t seed, unsigned algorithms = 1);

}  // namespace clusterc::gemm
