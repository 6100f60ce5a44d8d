// What a validator printed, read back: JSON lines of format "clusterc-result", version 1 (schemas/result.schema.json).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clusterc {

struct MeasurementRecord {
  std::string metric, unit, host, device, backend;  // unit: B/s, FLOP/s, s, 1/s
  double value = 0, p05 = 0, p95 = 0;
  std::int64_t count = 0, warmup = 0, size = 0, wrong = 0, checked = 0;
  bool data_verified = false, busy = false, lower_is_better = false;
  std::string team;  // of a collective: the nodes (or the rail) whose ranks worked together; empty: all
  std::string type;  // element type of a collective ("float32"); empty: the metric has none
  std::optional<bool> in_place;
  std::int64_t nodes = 0;       // on which the ranks of an MPI world ran; 0: it does not say
  bool oversubscribed = false;  // ranks shared a core
  std::string slow;             // who or what was slow or had errors corrected; empty: nobody
  bool page_cache = false;      // storage: memory may have answered in place of the device
  std::string parameters;       // all of them, as JSON: with metric, device and size they tell figures apart
  std::string damaged;          // what a figure cannot do without and this one lacks; empty: nothing
};

struct ResultRecords {
  std::string validator, host, program_version;  // of the header
  std::size_t headers = 0;  // more than one: programs that do not know of each other printed into one result
  std::string
      damaged;  // the first line that begins as a record and is none, or an end record that says less than it must
  std::int64_t told_measurements = 0, told_wrong = 0;  // by the end record
  bool told_verified = false;
  std::vector<MeasurementRecord> measurements;
  std::optional<std::string> probe;  // the probe's line, as it was
  std::size_t probes = 0;            // how many such lines
  std::string probe_host;            // what the probe calls its machine
  std::int64_t gpus = 0;             // GPUs that the probe saw
  std::string no_gpus;               // why it saw none, where it says so
  bool done = false;                 // an end record with status done was read
  bool not_applicable = false;       // an end record with that status: `error` holds why there is nothing to measure
  bool unexplained = false;         // cut off, or ended by a signal and nothing else: what the launcher said tells more
  std::vector<std::string> stacks;  // of the end records: what was there when the time of a rank was over
  std::string error;  // reason of an end record with status error, or what is wrong with the lines; empty when done
};

// A result without an end record was cut off: error "cut off". Lines that are not JSON (a library's chatter) are
// counted, not fatal.
ResultRecords read_records(const std::vector<std::string>& lines);

}  // namespace clusterc
