// One place whose memory can be measured, and the four operations of STREAM (J. D. McCalpin, "Memory bandwidth and
// machine balance in current high performance computers", IEEE TCCA Newsletter, December 1995).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/report.h"

namespace clusterc::memory {

enum class Kernel : std::uint8_t { copy, scale, add, triad };

struct KernelFacts {
  Kernel kernel;
  std::string_view metric;
  unsigned bytes_per_element;  // read plus written, as STREAM counts: what the store reads to fill its cache line is
                               // not counted
};
inline constexpr std::array<KernelFacts, 4> kKernels = {{{Kernel::copy, "memory.copy", 16},      // z = x
                                                         {Kernel::scale, "memory.scale", 16},    // z = q x
                                                         {Kernel::add, "memory.add", 24},        // z = x + y
                                                         {Kernel::triad, "memory.triad", 24}}};  // z = x + q y

// A power of two: q*y is exact, so a fused and a separate multiply-add give the same bits, and results are compared bit
// for bit.
inline constexpr double kFactor = 0.5;

class Place {
 public:
  virtual ~Place() = default;
  virtual harness::Device device() const = 0;
  virtual std::uint64_t elements() const = 0;
  virtual double run(Kernel) = 0;                 // seconds of one pass over all elements
  virtual void poison() = 0;                      // every output becomes a NaN
  virtual std::uint64_t count_wrong(Kernel) = 0;  // compares every output with what the generator says it must be
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};

// What the host back end would measure here: the whole machine, and each NUMA node alone where there are several.
struct HostPlace {
  std::string label;
  std::vector<int> cpus;
  std::uint64_t llc_bytes = 0;
};
std::vector<HostPlace> host_places(unsigned threads);  // threads 0: one for each core

// STREAM's run rules ask for arrays of at least four times the last-level caches.
std::uint64_t default_array_bytes(std::uint64_t llc_bytes);

std::unique_ptr<Place> open_host(const HostPlace&, std::uint64_t array_bytes, std::uint64_t seed);
std::unique_ptr<Place> open_cuda(int gpu, std::optional<std::uint64_t> array_bytes,
                                 std::uint64_t seed);  // builds with CUDA only

}  // namespace clusterc::memory
