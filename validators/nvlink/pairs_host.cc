// The host in the GPUs' place: memory, and a thread for each direction. It shows the logic, and says nothing of a GPU.
#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/machine.h"
#include "harness/team.h"
#include "nvlink/pairs.h"

namespace clusterc::nvlink {
using namespace harness;
namespace {

constexpr int kLikeHopper = 90;  // so that NVML, or what tests put in its place, may tell of links of a known rate

// Two processors, or one twice.
std::vector<int> copying_cpus() {
  const std::vector<int> cpus = numa_nodes(allowed_cpus()).front().cpus;
  return {cpus.front(), cpus.size() > 1 ? cpus[1] : cpus.front()};
}

class HostPair final : public Pair {
 public:
  HostPair(std::uint64_t bytes, std::uint64_t seed)
      : seed_(seed),
        first_{.in = random(bytes, kOnFirst),
               .out = std::vector<std::uint64_t>(bytes / sizeof(std::uint64_t)),
               .walk = make_walk(stream_seed(seed, kWalkOfFirst))},
        second_{.in = random(bytes, kOnSecond),
                .out = std::vector<std::uint64_t>(bytes / sizeof(std::uint64_t)),
                .walk = make_walk(stream_seed(seed, kWalkOfSecond))},
        team_(copying_cpus()) {}

  std::uint64_t bytes() const override { return first_.in.size() * sizeof(std::uint64_t); }

  double copy(Way way) override {
    return team_.run([&](unsigned rank) {
      if (rank == 0 && way != Way::back) std::memcpy(second_.out.data(), first_.in.data(), bytes());
      if (rank == 1 && way != Way::forth) std::memcpy(first_.out.data(), second_.in.data(), bytes());
    });
  }

  double walk(Way way) override {
    return team_.run([&](unsigned rank) {
      if (rank == 0) found_[way == Way::back] = end_of_walk((way == Way::back ? first_ : second_).walk.data());
    });
  }

  void poison() override {
    for (Side* side : {&first_, &second_}) std::fill(side->out.begin(), side->out.end(), kPoison);
    for (auto& found : found_) found.fill(kPoison);
  }

  std::uint64_t count_wrong(Way way) override {
    fault_flip_bit((way == Way::back ? first_ : second_).out.data(), bytes() / 2);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < first_.in.size(); ++i) {
      if (way != Way::back) wrong += second_.out[i] != random_bits(stream_seed(seed_, kOnFirst), i);
      if (way != Way::forth) wrong += first_.out[i] != random_bits(stream_seed(seed_, kOnSecond), i);
    }
    return wrong;
  }

  std::array<std::uint64_t, 2> found(Way way) override { return found_[way == Way::back]; }

 private:
  struct Side {
    std::vector<std::uint64_t> in, out, walk;
  };
  std::vector<std::uint64_t> random(std::uint64_t bytes, std::uint64_t stream) const {
    std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
    for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = random_bits(stream_seed(seed_, stream), i);
    return words;
  }
  std::uint64_t seed_;
  Side first_, second_;
  std::array<std::array<std::uint64_t, 2>, 2> found_{};  // forth, back
  Team team_;
};

class HostGpus final : public Gpus {
 public:
  explicit HostGpus(int count) : count_(count), name_(cpu_model()) {}
  int count() const override { return count_; }
  Device device(int gpu) const override {
    return {.backend = Backend::host, .label = format("gpu{}", gpu), .name = name_, .uuid = format("GPU-{}", gpu + 1)};
  }
  int capability(int) const override { return kLikeHopper; }
  bool can_access(int, int) const override { return true; }
  std::unique_ptr<Pair> open(int, int, std::uint64_t bytes, std::uint64_t seed) const override {
    return std::make_unique<HostPair>(bytes, seed);
  }

 private:
  int count_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Gpus> host_gpus(int count) { return std::make_unique<HostGpus>(count); }

}  // namespace clusterc::nvlink
