// Device arrays filled from the generator: the only kernels of this validator; the products are cuBLAS's.
#pragma once
#include <cstdint>

namespace clusterc::gemm {

enum class Element : std::uint8_t { fp64, fp32, bf16, fp16 };

// Element i = whole_number(seed, i, bits) * scale, which every Element holds exactly for the bits that the caller chooses.
void fill_random(void* at, Element, std::uint64_t count, std::uint64_t seed, unsigned bits, double scale);
void fill_nan(void* at, Element, std::uint64_t count);

}  // namespace clusterc::gemm
