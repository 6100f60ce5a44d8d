#include "gemm/verify.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace clusterc::gemm {
namespace {

constexpr std::uint64_t kRowsRecomputed =
    16;  // rows that fail are recomputed to count their wrong elements; more count as one each

// lambda of the bound, and how many standard deviations a sum of whole numbers has room for (verify.h).
constexpr double kLambda = 4, kRoom = 8;

}  // namespace

unsigned exact_bits(unsigned digits, std::uint64_t k) {
  const auto growth = static_cast<unsigned>(std::bit_width(k - 1));
  return digits > growth + 2 ? (digits - growth) / 2 : 1;
}

std::array<Problem, 2> exact_problems(const Problem& like, unsigned operand_digits, unsigned sum_digits) {
  const double n = static_cast<double>(like.n), most = std::ldexp(1.0, static_cast<int>(sum_digits));
  // Variances: 4^bits / 3 of the uniform numbers, 2^-sparse of the sparse ones.
  unsigned bits = 0, sparse = 2;
  while (bits < operand_digits && kRoom * std::sqrt(n / 4 / 3) * std::ldexp(1.0, static_cast<int>(bits) + 1) <= most)
    ++bits;
  if (bits == 0) {
    while (kRoom * std::sqrt(n) * std::ldexp(1.0, -static_cast<int>(sparse)) > most) ++sparse;
  }
  std::array<Problem, 2> out = {like, like};
  for (std::size_t i = 0; i < 2; ++i) {
    Numbers& wide = i == 0 ? out[i].of_a : out[i].of_b;
    Numbers& other = i == 0 ? out[i].of_b : out[i].of_a;
    wide.bits = bits;
    wide.sparse = bits == 0 ? sparse : 0;
    other.bits = 0;
    other.sparse = sparse;
  }
  return out;
}

Check verify_exact(const Problem& p, const std::function<double(std::uint64_t, std::uint64_t)>& c) {
  const std::uint64_t n = p.n;
  std::vector<std::uint64_t> x(n), bx(n), abx(n), cx(n);
  std::vector<bool> broken(n);
  for (std::uint64_t j = 0; j < n; ++j) x[j] = p.x(j);
  for (std::uint64_t j = 0; j < n; ++j) {
    for (std::uint64_t i = 0; i < n; ++i) bx[i] += static_cast<std::uint64_t>(p.b(i, j)) * x[j];
  }
  for (std::uint64_t j = 0; j < n; ++j) {
    for (std::uint64_t i = 0; i < n; ++i) {
      abx[i] += static_cast<std::uint64_t>(p.a(i, j)) * bx[j];
      std::int64_t element = 0;
      if (as_whole(c(i, j), element))
        cx[i] += static_cast<std::uint64_t>(element) * x[j];
      else
        broken[i] = true;
    }
  }
  Check check{.checked = n * n};
  std::uint64_t recomputed = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (!broken[i] && abx[i] == cx[i]) continue;
    if (++recomputed > kRowsRecomputed) {
      ++check.wrong;
      continue;
    }
    std::uint64_t in_row = 0;
    for (std::uint64_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::uint64_t k = 0; k < n; ++k) sum += p.a(i, k) * p.b(k, j);
      in_row += c(i, j) != static_cast<double>(sum);
    }
    check.wrong += std::max<std::uint64_t>(in_row, 1);
  }
  return check;
}

Check verify_samples(const Problem& p, const Rounding& rounding, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t, std::uint64_t)>& c) {
  Check check{.checked = samples};
  const double grown = kLambda * std::sqrt(static_cast<double>(p.n)) * rounding.accumulation;
  for (std::uint64_t s = 0; s < samples; ++s) {
    const std::uint64_t i = harness::random_bits(seed, 2 * s) % p.n, j = harness::random_bits(seed, 2 * s + 1) % p.n;
    long double sum = 0, magnitude = 0;
    for (std::uint64_t k = 0; k < p.n; ++k) {
      const auto product = static_cast<long double>(p.a(i, k)) * static_cast<long double>(p.b(k, j));
      sum += product;
      magnitude += product < 0 ? -product : product;
    }
    const long double scale = static_cast<long double>(rounding.scale) * static_cast<long double>(rounding.scale);
    const auto want = static_cast<double>(sum * scale);
    const double allowed =
        (grown + rounding.narrow) * static_cast<double>(magnitude * scale) + rounding.output * std::fabs(want);
    if (!(std::fabs(c(i, j) - want) <= allowed)) ++check.wrong;
  }
  return check;
}

Check verify_sampled(const Problem& p, const Rounding& rounding, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t, std::uint64_t)>& c) {
  Check check = verify_samples(p, rounding, samples, seed, c);
  for (std::uint64_t j = 0; j < p.n; ++j) {
    for (std::uint64_t i = 0; i < p.n; ++i) check.wrong += !std::isfinite(c(i, j));
  }
  return check;
}

}  // namespace clusterc::gemm
