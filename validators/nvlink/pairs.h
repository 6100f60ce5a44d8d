// Copies and reads between the GPUs of one machine: what a machine and a pair must be able to do, and what is made of
// it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/nvml.h"
#include "harness/report.h"

namespace clusterc::nvlink {

enum class Way : std::uint8_t { forth, back, both };  // of a pair's copies; both: at the same time

// Buffers of two GPUs, and nothing but theirs: a source and a destination on each, and a walk that the other reads.
class Pair {
 public:
  virtual ~Pair() = default;
  virtual std::uint64_t bytes() const = 0;  // of one direction
  virtual double copy(Way) = 0;             // seconds of one copy, or of two side by side
  virtual double walk(Way) = 0;  // seconds of kSteps reads, each of which says where the next is; forth: the first GPU
                                 // reads the second's memory
  virtual void poison() = 0;     // both destinations, and what the walks found
  virtual std::uint64_t count_wrong(Way) = 0;  // 8-byte words of the destinations that are not what the generator says
  virtual std::array<std::uint64_t, 2> found(Way) = 0;  // the last place of the walk, and the sum of all
};

// The GPUs of this machine, or what stands in their place.
class Gpus {
 public:
  virtual ~Gpus() = default;
  virtual int count() const = 0;
  virtual harness::Device device(int gpu) const = 0;      // with the UUID by which NVML knows it
  virtual int capability(int gpu) const = 0;              // without the dot: 90
  virtual bool can_access(int gpu, int other) const = 0;  // gpu reads and writes other's memory by itself
  virtual std::unique_ptr<Pair> open(int first, int second, std::uint64_t bytes, std::uint64_t seed) const = 0;
};
std::unique_ptr<Gpus> host_gpus(int count);
std::unique_ptr<Gpus> cuda_gpus(int count);  // builds with CUDA only

struct Demand {
  unsigned links = 0;  // that each GPU shall have up; 0: nobody says
};

// Every pair, each way and both, then the links. `why`: what opening NVML said where it is empty.
void measure_gpus(const Gpus&, const std::optional<harness::Nvml>& nvml, const std::string& why, Demand,
                  const harness::Options&, harness::Reporter&);

// The walk: kPlaces places of 128 bytes (2 MiB, as in NVIDIA/nvbandwidth), each of which holds the number of the next.
// All are one cycle, made by Sattolo's algorithm (S. Sattolo, Information Processing Letters 22, 1986) from the
// counter; half of it is walked, each place once, so that its end is not its beginning.
inline constexpr std::uint64_t kPlaces = 16384, kWordsOfPlace = 16, kSteps = kPlaces / 2;
std::vector<std::uint64_t> make_walk(std::uint64_t seed);
// A number that arrived damaged leads to some place, not out of the memory: walkers take it modulo kPlaces.
std::array<std::uint64_t, 2> end_of_walk(const std::uint64_t* words);

// No source has it, but for one word in 2^64.
inline constexpr std::uint64_t kPoison = ~std::uint64_t{0};
// Streams of the generator: what came from the wrong GPU is wrong.
inline constexpr std::uint64_t kOnFirst = 0, kOnSecond = 1, kWalkOfFirst = 2, kWalkOfSecond = 3;

}  // namespace clusterc::nvlink
