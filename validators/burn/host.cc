// The host back end: a worker on each core, the kernel's own sensors.
#include <algorithm>

#include "burn/backend.h"
#include "burn/load.h"
#include "burn/watch.h"
#include "harness/inputs.h"
#include "harness/machine.h"

namespace clusterc::burn {
using namespace harness;
namespace {

class HostLoad final : public Load {
 public:
  explicit HostLoad(std::uint64_t seed) : in_(make_inputs(seed)), reference_(make_reference(in_)), round_(in_) {}
  double flop() const override { return kFlopOfRound; }
  std::string_view round(bool damage) override { return round_.run(reference_, damage); }

 private:
  Inputs in_;
  Reference reference_;
  Round round_;
};

class HostWatch final : public Watch {
 public:
  explicit HostWatch(std::vector<int> cpus) : cpus_(std::move(cpus)), energy_(read_sensors(cpus_).energy) {}
  Reading read(double seconds) override {
    const Sensors sensors = read_sensors(cpus_);
    Reading out{.clock = sensors.clock, .temperature = sensors.temperature, .power = {}};
    if (sensors.energy && energy_ && *sensors.energy >= *energy_ && seconds > 0)
      out.power = (*sensors.energy - *energy_) / seconds;  // the counter wraps
    energy_ = sensors.energy;
    return out;
  }

 private:
  std::vector<int> cpus_;
  std::optional<double> energy_;
};

}  // namespace

Bench host_bench(const Options& options) {
  std::vector<int> cpus;
  for (const NumaNode& node : numa_nodes(allowed_cpus())) cpus.insert(cpus.end(), node.cpus.begin(), node.cpus.end());
  if (cpus.empty()) throw CouldNotRun(Cause::system, "the kernel names no processor that this process may use");
  if (const auto workers = options.count("--workers")) {
    const std::vector<int> all = cpus;
    cpus.resize(std::min<std::size_t>(*workers, 65536));
    for (std::size_t i = 0; i < cpus.size(); ++i) cpus[i] = all[i % all.size()];
  }
  Bench bench{.device = {.backend = Backend::host, .label = "host", .name = cpu_model()},
              .each = {},
              .places = {},
              .load = {},
              .watch = std::make_unique<HostWatch>(cpus)};
  for (const int cpu : cpus) bench.places.push_back({.number = cpu});
  bench.load = [seed = options.seed](std::size_t worker) {
    return std::make_unique<HostLoad>(stream_seed(seed, worker));
  };
  return bench;
}

}  // namespace clusterc::burn
