#include "burn/load.h"

#include <algorithm>

#include "harness/fault.h"
#include "harness/inputs.h"

namespace clusterc::burn {
using namespace harness;
namespace {

// C = A B, kProducts times summed. The middle loop runs over rows of B, so that the inner one is a vector of C.
[[gnu::always_inline]] inline void body(double* __restrict c, const double* __restrict a, const double* __restrict b) {
  for (unsigned times = 0; times < kProducts; ++times) {
    for (std::size_t i = 0; i < kSide; ++i) {
      for (std::size_t k = 0; k < kSide; ++k) {
        const double factor = a[i * kSide + k];
        for (std::size_t j = 0; j < kSide; ++j) c[i * kSide + j] += factor * b[k * kSide + j];
      }
    }
  }
}
void baseline(double* c, const double* a, const double* b) { body(c, a, b); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void avx2(double* c, const double* a, const double* b) { body(c, a, b); }
[[gnu::target("avx512f,prefer-vector-width=512")]] void avx512(double* c, const double* a, const double* b) {
  body(c, a, b);
}
#endif
using Product = void (*)(double*, const double*, const double*);
Product product_of_this_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#endif
  return baseline;
}

std::uint64_t hashed(std::uint64_t seed) {
  for (unsigned i = 0; i < kHashes; ++i) seed = random_bits(seed, i);
  return seed;
}

}  // namespace

Inputs make_inputs(std::uint64_t seed) {
  Inputs in{.a = std::vector<double>(kSide * kSide), .b = std::vector<double>(kSide * kSide), .seed = seed};
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    in.a[i] = static_cast<double>(random_bits(stream_seed(seed, 0), i) & 15) - 8;
    in.b[i] = static_cast<double>(random_bits(stream_seed(seed, 1), i) & 15) - 8;
  }
  return in;
}

Reference make_reference(const Inputs& in) {
  Reference out{.c = std::vector<std::int64_t>(kSide * kSide)};
  for (std::size_t i = 0; i < kSide; ++i)
    for (std::size_t j = 0; j < kSide; ++j) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < kSide; ++k)
        sum += static_cast<std::int64_t>(in.a[i * kSide + k]) * static_cast<std::int64_t>(in.b[k * kSide + j]);
      out.c[i * kSide + j] = sum * kProducts;
    }
  out.hash = hashed(in.seed);
  for (std::size_t i = 0; i < kWords; ++i) out.sum += ~random_bits(stream_seed(in.seed, 2), i) * (i | 1);
  return out;
}

Round::Round(const Inputs& in) : in_(in), c_(kSide * kSide), words_(kWords) {
  for (std::size_t i = 0; i < kWords; ++i) words_[i] = random_bits(stream_seed(in_.seed, 2), i);
}

std::string_view Round::run(const Reference& want, bool damage) {
  std::fill(c_.begin(), c_.end(), 0.0);
  static const Product product = product_of_this_processor();
  product(c_.data(), in_.a.data(), in_.b.data());
  if (damage)
    fault_flip_bit(c_.data(), c_.size() / 2 * sizeof(double) + 6);  // of the exponent's end: seen in any number but 0
  for (std::size_t i = 0; i < c_.size(); ++i)
    if (c_[i] != static_cast<double>(want.c[i])) return "the matrix product";
  if (hashed(in_.seed) != want.hash) return "the integer hashes";
  // Inverted, summed, and inverted back, in memory.
  for (std::uint64_t& word : words_) word = ~word;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kWords; ++i) sum += words_[i] * (i | 1);
  for (std::uint64_t& word : words_) word = ~word;
  return sum == want.sum ? std::string_view() : "the memory sum";
}

}  // namespace clusterc::burn
