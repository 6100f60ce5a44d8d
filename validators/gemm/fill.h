// Device arrays filled from the generator, and checked: the only kernels of this validator; the products are cuBLAS's.
#pragma once
#include <cstdint>

#include "gemm/verify.h"

namespace clusterc::gemm {

enum class Element : std::uint8_t { fp64, fp32, bf16, fp16, fp8 /* E4M3 */, int8, int32 };
constexpr unsigned bytes_of(Element e) {
  return e == Element::fp64                          ? 8
         : e == Element::fp32 || e == Element::int32 ? 4
         : e == Element::bf16 || e == Element::fp16  ? 2
                                                     : 1;
}

// Element i = numbers.at(i) * scale, which every Element holds exactly for the bits that the caller chooses.
void fill_random(void* at, Element, std::uint64_t count, const Numbers& numbers, double scale);
// What no product is: NaN; of int32 its least, which sums of products of 8 bits do not reach. Of results: not of fp8
// and int8.
void poison(void* at, Element, std::uint64_t count);
// Elements of `at` that differ from those of `reference` in any bit; `at` is poison afterwards. `counter` is 8 bytes of
// the device.
std::uint64_t differing_then_poison(void* at, const void* reference, Element, std::uint64_t count, void* counter);

// Freivalds' check of an exact product on the device (verify.h): how many rows of C have a wrong element. `scratch` has
// room for rows_scratch(n) bytes on the device.
constexpr std::uint64_t rows_scratch(std::uint64_t n) { return 4 * n * sizeof(std::uint64_t); }
std::uint64_t wrong_rows(const void* c, Element, const Problem&, void* scratch);

}  // namespace clusterc::gemm
