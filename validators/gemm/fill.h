// Device arrays filled from the generator, and compared: the only kernels of this validator; the products are cuBLAS's.
#pragma once
#include <cstdint>

namespace clusterc::gemm {

enum class Element : std::uint8_t { fp64, fp32, bf16, fp16 };

// Element i = whole_number(seed, i, bits) * scale, which every Element holds exactly for the bits that the caller chooses.
void fill_random(void* at, Element, std::uint64_t count, std::uint64_t seed, unsigned bits, double scale);
void fill_nan(void* at, Element, std::uint64_t count);
// Elements of `at` that differ from those of `reference` in any bit; `at` is NaN afterwards. `counter` is 8 bytes of the device.
std::uint64_t differing_then_nan(void* at, const void* reference, Element, std::uint64_t count, void* counter);

}  // namespace clusterc::gemm
