// Watches over a rank from a thread of its own, which makes no MPI call: a rank that waits inside MPI cannot watch
// itself. It ends the process when
//   nothing moved for the deadline   with whom we wait for and, on this machine, who is stopped or behind, and the
//                                    stacks of the ranks of this machine (base/stacks.h);
//   a rank of this machine is gone   killed, or ended without a word;
//   SIGINT or SIGTERM came           the launcher ends a job that way, also when another rank died.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "harness/outcome.h"
#include "harness/report.h"
#include "mpi/board.h"
#include "mpi/job.h"
#include "mpi/pulse.h"

namespace clusterc::mpi {

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
  // `expired` runs on the guard's thread, once; it makes no MPI call and does not return. `seconds`: the deadline of
  // who can name a stopped rank; who cannot waits `behind` longer, so that the one who knows tells first.
  using Expired =
      std::function<void(harness::Cause, const std::string& detail, const std::vector<std::string>& stacks)>;
  Guard(const Pulse&, double seconds, double behind, Expired);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Those that cannot be seen from here (another PID namespace) are left out. `board`: where the ranks of this node
  // write how far they are; of a program whose ranks beat at the same points of their work.
  void watch(std::vector<Process> others, int nodes, std::shared_ptr<Board> board = nullptr);

 private:
  void run();
  std::string gone() const;
  std::string stopped() const;
  std::string behind() const;
  std::vector<std::string> stacks() const;

  const Pulse& pulse_;
  const double seconds_;
  double behind_;
  const Expired expired_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Process> others_;
  std::shared_ptr<Board> board_;
  bool stop_ = false;
  std::thread thread_;
};

// The other ranks on this machine. Every rank of the job must call it.
std::vector<Process> processes_of_node(const Job&);

// What a validator does when its guard expires: one end record, and out without a further MPI call (the other thread is
// inside one; the launcher ends the other ranks). Rank 0 tells of what all see; the others a little later, in turn.
Guard::Expired tell_and_leave(harness::Reporter&, int rank);
double seconds_behind(int rank);

}  // namespace clusterc::mpi
