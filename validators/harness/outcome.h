// How a validator ends. The exit status repeats what the last record says; a reader trusts the record, because a
// launcher may put its own exit status in place of ours.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace clusterc::harness {

enum class Exit : int {
  done = 0,            // measured, and every check agreed
  data_wrong = 1,      // measured, and data was wrong: the speed means nothing
  could_not_run = 2,   // also wrong use of the command line
  not_applicable = 3,  // what is measured does not exist here, and nothing is wrong with that
};

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
  program_missing,  // a program that does the work is not installed
  no_space,         // the disk or its quota is full
  read_only,        // the file system takes no writes
  not_applicable,   // there is nothing here that this validator could measure: one rank, no such device, no such format
  system,           // the operating system refused something
};

std::string_view cause_text(Cause);
constexpr Exit exit_of(Cause cause) {
  return cause == Cause::not_applicable ? Exit::not_applicable : Exit::could_not_run;
}

// Ends the run: thrown where the cause is found, caught once in `run_validator`.
class CouldNotRun : public std::runtime_error {
 public:
  CouldNotRun(Cause cause, const std::string& detail) : std::runtime_error(detail), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// Any exception as the end of a run: what the system refused and what memory was not there have causes of their own.
CouldNotRun as_could_not_run(const std::exception&);

}  // namespace clusterc::harness
