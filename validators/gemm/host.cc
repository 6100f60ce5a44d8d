// The host back end: dgemm and sgemm of whatever BLAS the machine has, through the Fortran names that all of them
// export.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/format.h"
#include "gemm/backend.h"
#include "harness/blas.h"
#include "harness/fault.h"
#include "harness/loop.h"
#include "harness/machine.h"

namespace clusterc::gemm {
using namespace harness;

class HostBlas : public Blas {
 public:
  using Blas::Blas;
};

namespace {

template <class T>
class HostMultiplier final : public Multiplier {
 public:
  HostMultiplier(std::shared_ptr<HostBlas> blas, std::uint64_t n, std::uint64_t seed)
      : blas_(std::move(blas)),
        problem_{.n = n,
                 .of_a = {stream_seed(seed, 0), exact_bits(std::numeric_limits<T>::digits, n)},
                 .of_b = {stream_seed(seed, 1), exact_bits(std::numeric_limits<T>::digits, n)}} {
    const std::uint64_t available = available_memory();
    if (available > 0 && bytes() > available / 2) {
      throw CouldNotRun(Cause::no_memory,
                        format("three matrices of order {} take {}, more than half of the {} that are available", n,
                               bytes_text(static_cast<double>(bytes())), bytes_text(static_cast<double>(available))));
    }
    a_.resize(n * n);
    b_.resize(n * n);
    c_.resize(n * n);
    for (std::uint64_t i = 0; i < n * n; ++i) {
      a_[i] = static_cast<T>(problem_.of_a.at(i));
      b_[i] = static_cast<T>(problem_.of_b.at(i));
    }
  }

  Device device() const override { return {.backend = Backend::host, .label = "host", .name = cpu_model()}; }

  double run() override {
    const int n = static_cast<int>(problem_.n);
    const T one = 1, zero = 0;
    const double begin = now_seconds();
    if constexpr (std::is_same_v<T, double>)
      blas_->dgemm("N", "N", &n, &n, &n, &one, a_.data(), &n, b_.data(), &n, &zero, c_.data(), &n);
    else
      blas_->sgemm("N", "N", &n, &n, &n, &one, a_.data(), &n, b_.data(), &n, &zero, c_.data(), &n);
    return now_seconds() - begin;
  }

  void poison() override { std::ranges::fill(c_, std::numeric_limits<T>::quiet_NaN()); }

  Check verify() override {
    fault_flip_bit(c_.data(), c_.size() / 2 * sizeof(T));
    return verify_exact(
        problem_, [this](std::uint64_t i, std::uint64_t j) { return static_cast<double>(c_[i + j * problem_.n]); });
  }

  void keep() override { kept_ = c_; }
  Check compare() override {
    Check check{.checked = c_.size()};
    for (std::size_t i = 0; i < c_.size(); ++i) check.wrong += std::memcmp(&c_[i], &kept_[i], sizeof(T)) != 0;
    poison();
    return check;
  }
  void damage() override { fault_flip_bit(c_.data(), c_.size() / 2 * sizeof(T)); }

  std::uint64_t bytes() const override { return 3 * problem_.n * problem_.n * sizeof(T); }
  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    auto out = blas_->parameters();
    out.emplace_back("check", std::string("exact, every element"));
    out.emplace_back("inputs", format("random whole numbers of {} bits and sign", problem_.of_a.bits));
    return out;
  }

 private:
  std::shared_ptr<HostBlas> blas_;
  Problem problem_;
  std::vector<T> a_, b_, c_, kept_;
};

}  // namespace

std::shared_ptr<HostBlas> open_host_blas(unsigned threads) { return std::make_shared<HostBlas>(threads); }
bool host_has(std::string_view precision) { return precision == "fp64" || precision == "fp32"; }

// Seconds of work in all for 10 to 100 GFLOP/s a core: 2 n^3 is 17 GFLOP at 2,048, 137 at 4,096, 1,100 at 8,192. More
// cores need larger matrices to have work for all of them.
std::uint64_t host_default_order(const HostBlas& blas) {
  return blas.cores() < 16 ? 2048 : blas.cores() < 64 ? 4096 : 8192;
}

std::unique_ptr<Multiplier> host_multiplier(std::shared_ptr<HostBlas> blas, std::string_view precision, std::uint64_t n,
                                            std::uint64_t seed) {
  if (precision == "fp64") return std::make_unique<HostMultiplier<double>>(std::move(blas), n, seed);
  return std::make_unique<HostMultiplier<float>>(std::move(blas), n, seed);
}

}  // namespace clusterc::gemm
