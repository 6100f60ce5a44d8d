// What is burned: the workers of a back end, their load, and the sensors that are read meanwhile.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/options.h"
#include "harness/report.h"
#include "harness/sensors.h"

namespace clusterc::burn {

// What one worker does again and again, made and used in a process of its own.
class Load {
 public:
  virtual ~Load() = default;
  virtual double flop() const = 0;  // of a round, in its matrix part
  // One round; gives the name of the part whose result is wrong, or nothing. `damage`: a bit is flipped first (fault
  // build).
  virtual std::string_view round(bool damage) = 0;
};

using Reading = harness::SensorReading;
class Watch {
 public:
  virtual ~Watch() = default;
  virtual Reading read(double seconds) = 0;          // `seconds` since the last reading
  virtual std::string slowed() const { return {}; }  // who was held back meanwhile, and by what; empty: nobody
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const { return {}; }
  using Errors = harness::GpuSensors::Errors;
  virtual Errors uncorrected() const { return {}; }  // of memory, since the beginning
};

struct Place {  // of a worker
  bool gpu = false;
  int number = 0;
  std::string uuid = {};     // of a GPU
  std::string name() const;  // "processor 5", "gpu3"
};

struct Bench {
  harness::Device device;             // of all together
  std::vector<harness::Device> each;  // of every worker where they are devices of their own, else empty
  std::vector<Place> places;
  std::function<std::unique_ptr<Load>(std::size_t worker)> load;  // called in the worker's process
  std::unique_ptr<Watch> watch;
};
Bench host_bench(const harness::Options&);
// `seconds`: how long the driver may take to answer, and `sensors` NVML. Throws CouldNotRun where there is no driver,
// no GPU or no device code.
Bench cuda_bench(const harness::Options&, double seconds, double sensors, harness::Reporter&);

}  // namespace clusterc::burn
