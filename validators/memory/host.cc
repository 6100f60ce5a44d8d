// The host back end: one thread a core, each thread touches its own slice first and keeps it, ordinary stores.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/machine.h"
#include "harness/team.h"
#include "memory/backend.h"
#include "memory/kernels.h"

namespace clusterc::memory {
namespace {
using namespace harness;

// Three arrays in one mapping, so that their distance is ours to choose: arrays that start at the same place of a page
// make loads wait for stores with the same low 12 address bits.
class Arrays {
 public:
  explicit Arrays(std::uint64_t elements)
      : stride_((elements * sizeof(double) + kPage - 1) / kPage * kPage + kStagger) {
    bytes_ = 3 * stride_;
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
      throw CouldNotRun(Cause::no_memory,
                        format("{} for three arrays were refused", bytes_text(static_cast<double>(bytes_))));
    huge_ =
        madvise(at, bytes_, MADV_HUGEPAGE) == 0;  // fewer TLB misses; a kernel without them goes on with small pages
    base_ = static_cast<std::byte*>(at);
  }
  ~Arrays() { munmap(base_, bytes_); }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  double* array(unsigned index) const { return reinterpret_cast<double*>(base_ + index * stride_); }
  bool huge() const { return huge_; }

 private:
  static constexpr std::uint64_t kPage = 4096, kStagger = 1344;  // a third of a page, in whole cache lines
  std::uint64_t stride_, bytes_ = 0;
  std::byte* base_ = nullptr;
  bool huge_ = false;
};

double expected(Kernel kernel, double x, double y) {
  switch (kernel) {
    case Kernel::copy:
      return x;
    case Kernel::scale:
      return kFactor * x;
    case Kernel::add:
      return x + y;
    case Kernel::triad:
      return x + kFactor * y;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

class HostMemory final : public Place {
 public:
  HostMemory(const HostPlace& place, std::uint64_t bytes, std::uint64_t seed)
      : place_(place),
        elements_(bytes / sizeof(double)),
        seed_(seed),
        arrays_(elements_),
        team_(place.cpus),
        kernels_(kernels_of_this_processor()) {
    team_.run([&](unsigned rank) {
      const auto [begin, end] = slice_of(elements_, rank, team_.size());
      double *x = arrays_.array(0), *y = arrays_.array(1), *z = arrays_.array(2);
      for (std::size_t i = begin; i < end; ++i) {
        x[i] = random_unit(stream_seed(seed_, 0), i);
        y[i] = random_unit(stream_seed(seed_, 1), i);
        z[i] = std::numeric_limits<double>::quiet_NaN();
      }
    });
  }

  Device device() const override { return {.backend = Backend::host, .label = place_.label, .name = cpu_model()}; }
  std::uint64_t elements() const override { return elements_; }

  double run(Kernel kernel) override {
    return team_.run([&](unsigned rank) {
      const auto [begin, end] = slice_of(elements_, rank, team_.size());
      kernels_.run(kernel, arrays_.array(2), arrays_.array(0), arrays_.array(1), kFactor, begin, end);
    });
  }

  void poison() override {
    team_.run([&](unsigned rank) {
      const auto [begin, end] = slice_of(elements_, rank, team_.size());
      std::fill(arrays_.array(2) + begin, arrays_.array(2) + end, std::numeric_limits<double>::quiet_NaN());
    });
  }

  std::uint64_t count_wrong(Kernel kernel) override {
    fault_flip_bit(arrays_.array(2), elements_ / 2 * sizeof(double));
    std::atomic<std::uint64_t> wrong{0};
    team_.run([&](unsigned rank) {
      const auto [begin, end] = slice_of(elements_, rank, team_.size());
      std::uint64_t mine = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double want =
            expected(kernel, random_unit(stream_seed(seed_, 0), i), random_unit(stream_seed(seed_, 1), i));
        mine += std::bit_cast<std::uint64_t>(want) != std::bit_cast<std::uint64_t>(arrays_.array(2)[i]);
      }
      wrong += mine;
    });
    return wrong;
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"threads", std::uint64_t{team_.size()}},     {"threads_bound", team_.bound()},
            {"last_level_cache_bytes", place_.llc_bytes}, {"stores", std::string("ordinary")},
            {"vectors", std::string(kernels_.vectors)},   {"huge_pages_asked", arrays_.huge()}};
  }

 private:
  HostPlace place_;
  std::uint64_t elements_, seed_;
  Arrays arrays_;
  Team team_;
  KernelSet kernels_;
};

}  // namespace

std::vector<HostPlace> host_places(unsigned threads) {
  const std::vector<NumaNode> nodes = numa_nodes(allowed_cpus());
  std::vector<HostPlace> out(1);
  out[0].label = "host";
  for (const NumaNode& node : nodes) {
    out[0].cpus.insert(out[0].cpus.end(), node.cpus.begin(), node.cpus.end());
    out[0].llc_bytes += node.llc_bytes;
    if (nodes.size() > 1)
      out.push_back({.label = format("numa{}", node.id), .cpus = node.cpus, .llc_bytes = node.llc_bytes});
  }
  if (out[0].cpus.empty()) throw CouldNotRun(Cause::system, "the kernel names no processor that this process may use");
  if (threads > 0) {  // a number of threads is the whole machine's; they are dealt out over the processors in order
    out.resize(1);
    const std::vector<int> all = out[0].cpus;
    out[0].cpus.resize(threads);
    for (unsigned i = 0; i < threads; ++i)
      out[0].cpus[i] = all[threads <= all.size() ? i * all.size() / threads : i % all.size()];
  }
  return out;
}

std::uint64_t default_array_bytes(std::uint64_t llc_bytes) {
  constexpr std::uint64_t kLeast =
      64ull << 20;  // where the kernel tells of no cache: larger than a quarter of any client part's
  return std::max(kLeast, 4 * llc_bytes);
}

std::unique_ptr<Place> open_host(const HostPlace& place, std::uint64_t array_bytes, std::uint64_t seed) {
  if (array_bytes < 64 * place.cpus.size())
    throw CouldNotRun(Cause::system, "an array needs at least one cache line for each thread");
  const std::uint64_t available = available_memory();
  if (available > 0 && 3 * array_bytes > available / 2) {
    throw CouldNotRun(Cause::no_memory,
                      format("three arrays of {} take more than half of the {} that are available",
                             bytes_text(static_cast<double>(array_bytes)), bytes_text(static_cast<double>(available))));
  }
  return std::make_unique<HostMemory>(place, array_bytes, seed);
}

}  // namespace clusterc::memory
