// How a validator ends. The exit status repeats what the last record says; a reader trusts the record, because a launcher
// may put its own exit status in place of ours.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace clusterc::harness {

enum class Exit : int { done = 0, data_wrong = 1, usage = 2, could_not_run = 3 };

// Why nothing was measured. The spelling (`cause_text`) is what the end record carries as `reason`.
enum class Cause : std::uint8_t {
  no_driver,        // cudaDriverGetVersion gives 0
  driver_too_old,   // older than the runtime that we were built with
  no_gpu,           // a driver, but no device
  no_device_code,   // a GPU older than every architecture that we were built for
  not_built,        // this build has no such back end
  library_missing,  // a library or a symbol of it, loaded at run time
  busy,             // other work used the processors
  no_memory,        // less memory than the measurement needs
  timeout,          // a deadline passed; the detail says where
  interrupted,      // SIGINT or SIGTERM
  device_error,     // a device call failed
  communication,    // an MPI call failed
  system,           // the operating system refused something
};

std::string_view cause_text(Cause);

// Ends the run: thrown where the cause is found, caught once in `run_validator`.
class CouldNotRun : public std::runtime_error {
 public:
  CouldNotRun(Cause cause, const std::string& detail) : std::runtime_error(detail), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

}  // namespace clusterc::harness
