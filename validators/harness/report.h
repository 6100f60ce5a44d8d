// The result of a validator: JSON lines on standard output, described by schemas/result.schema.json.
// First a header, then measurements, last an end record. A file without an end record was cut off, whatever else it
// holds. Every line leaves in one write as soon as it is complete: what was measured before a crash is kept.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/options.h"
#include "harness/outcome.h"
#include "harness/statistics.h"

namespace clusterc::harness {

// What was measured on: "host", "numa0", "gpu0". A host figure is never judged as a GPU's: the back end stands beside
// it.
struct Device {
  Backend backend = Backend::host;
  std::string label;  // unique within the host
  std::string name;   // "AMD EPYC", "NVIDIA H200"
  std::string uuid;   // of a GPU
};

using Parameter = std::variant<std::uint64_t, double, bool, std::string>;

struct Measurement {
  std::string metric;   // "memory.triad"
  std::string variant;  // "float32, in place": tells rows of the table apart; the JSON has the same in `parameters`
  std::string unit;     // "B/s", "FLOP/s", "s": SI units without a prefix
  bool higher_is_better = true;
  std::vector<double> samples;  // in `unit`, one for each timed iteration
  unsigned warmup = 0;
  std::uint64_t size_bytes = 0;  // of the operation, as the validator's README defines it
  Device device;
  std::uint64_t checked = 0;  // elements compared with independently computed values
  std::uint64_t wrong = 0;    // of them wrong
  std::optional<double>
      other_load;  // share of the processors' time that other work used meanwhile; absent: too short to tell
  std::vector<std::pair<std::string, Parameter>> parameters;
  bool verified() const { return checked > 0 && wrong == 0; }
};

class Reporter {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // `host` names this machine in every record.
  Reporter(const Program&, const Options&, std::string host, Sink);

  void header(std::string_view started_utc);
  void measurement(const Measurement&);
  // The last record; the exit status that repeats it. Without a figure, or a record of the program's own, nothing was
  // shown: not applicable.
  Exit done();
  // `stacks`: what the processes that did not end were doing (base/stacks.h).
  Exit error(Cause, std::string_view detail, const std::vector<std::string>& stacks = {});

  // A line of the program's own making (the probe's object). `line` has no line end.
  void raw(std::string_view line);

  bool busy_seen() const { return busy_seen_; }

 private:
  void print(std::string_view line);

  const Program& program_;
  const Options& options_;
  std::string host_;
  Sink sink_;
  std::uint64_t measurements_ = 0;
  std::uint64_t wrong_ = 0;
  bool unverified_ = false;
  bool own_record_ = false;
  bool busy_seen_ = false;
  bool table_begun_ = false;
};

// Writes all of `line` to standard output with as few write calls as the system allows.
void write_to_stdout(std::string_view line);

// "2026-11-21T03:20:00Z"
std::string utc_now();

}  // namespace clusterc::harness
