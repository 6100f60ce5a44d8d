// Watches over a rank from a thread of its own, which makes no MPI call: a rank that waits inside MPI cannot watch itself. It ends
// the process when
//   nothing moved for the deadline   with whom we wait for and, on this machine, who is stopped;
//   a rank of this machine is gone   killed, or ended without a word;
//   SIGINT or SIGTERM came           the launcher ends a job that way, also when another rank died.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "harness/outcome.h"
#include "hpl/pulse.h"

namespace clusterc::hpl {

// A process on this machine, told from a later one with the same number by when it began.
struct Process {
  int rank = -1;
  long id = 0;
  std::uint64_t started = 0;  // ticks since boot
};
struct ProcessState {
  char state = '?';  // R, S, D, T (stopped), Z (ended, not yet reaped)
  std::uint64_t started = 0;
};
std::optional<ProcessState> state_of(long process_id);
// The text of /proc/<id>/stat (proc_pid_stat(5)); the name in it may hold blanks and brackets.
std::optional<ProcessState> parse_process_state(const std::string& stat);

class Guard {
 public:
  // `expired` runs on the guard's thread, once; it makes no MPI call and does not return.
  using Expired = std::function<void(harness::Cause, const std::string& detail)>;
  Guard(const Pulse&, double seconds, Expired);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  void watch(std::vector<Process> others);  // those that cannot be seen from here (another PID namespace) are left out

 private:
  void run();
  std::string gone() const;
  std::string stopped() const;

  const Pulse& pulse_;
  const double seconds_;
  const Expired expired_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Process> others_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace clusterc::hpl
