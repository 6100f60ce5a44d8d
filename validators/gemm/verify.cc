#include "gemm/verify.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace clusterc::gemm {
namespace {

constexpr std::uint64_t kRowsRecomputed =
    16;  // rows that fail are recomputed to count their wrong elements; more count as one each

// The whole number that `value` is; nothing when it is none.
bool as_whole(double value, std::int64_t& out) {
  if (!(std::fabs(value) <= 0x1p53) || value != std::trunc(value)) return false;
  out = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace

unsigned exact_bits(unsigned digits, std::uint64_t k) {
  const auto growth = static_cast<unsigned>(std::bit_width(k - 1));
  return digits > growth + 2 ? (digits - growth) / 2 : 1;
}

Check verify_exact(const Problem& p, const std::function<double(std::uint64_t, std::uint64_t)>& c) {
  const std::uint64_t n = p.n;
  std::vector<std::uint64_t> x(n), bx(n), abx(n), cx(n);
  std::vector<bool> broken(n);
  for (std::uint64_t j = 0; j < n; ++j) x[j] = harness::random_bits(p.seed_a ^ p.seed_b, j) | 1;
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

Check verify_sampled(const Problem& p, const Rounding& rounding, std::uint64_t samples, std::uint64_t seed,
                     const std::function<double(std::uint64_t, std::uint64_t)>& c) {
  Check check{.checked = samples};
  for (std::uint64_t j = 0; j < p.n; ++j) {
    for (std::uint64_t i = 0; i < p.n; ++i) check.wrong += !std::isfinite(c(i, j));
  }
  const double k_u = static_cast<double>(p.n) * rounding.accumulation;
  const double gamma = k_u / (1 - k_u);
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
        (gamma + rounding.narrow) * static_cast<double>(magnitude * scale) + rounding.output * std::fabs(want);
    if (!(std::fabs(c(i, j) - want) <= allowed)) ++check.wrong;
  }
  return check;
}

}  // namespace clusterc::gemm
