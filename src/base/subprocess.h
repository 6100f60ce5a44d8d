// Runs a program without a shell, in a process group of its own, with limits on time and on what it may print.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct Subprocess {
  std::vector<std::string> argv;                        // argv[0] is looked up in PATH
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; absent: ours
  std::string directory;                                // where it runs; empty: here
  std::string input;                                    // its standard input, whole
  bool hold_input = false;  // in place of `input`: nothing comes, and the end comes when the program or we have ended
  std::optional<std::chrono::milliseconds> timeout;
  // To end a program: SIGINT first, and so long until SIGTERM; 0: SIGTERM at once. For programs that hand SIGINT on to
  // others, which then end by themselves.
  std::chrono::milliseconds after_interrupt{0};
  std::chrono::milliseconds grace{2000};        // between SIGTERM and SIGKILL
  std::size_t max_out = std::size_t{64} << 20;  // bytes kept; the rest is read and dropped
  std::size_t max_err = std::size_t{1} << 20;
  std::optional<std::uint64_t> most_err;  // bytes of standard error beyond which the program is ended
  // Called for each whole line of standard output (without its end) as it comes; what is kept does not change. A line
  // that has grown to `max_line` bytes is handed over as it is then, and the rest of it is dropped.
  std::function<void(std::string_view line)> on_line;
  std::size_t max_line = std::size_t{64} << 20;
  // Asked again and again: why the program has to end now ("it printed more than 16 MiB"); empty: it may go on.
  std::function<std::string()> end_because;
  const std::atomic<bool>* interrupted = nullptr;  // becomes true (a signal handler's business): the group is ended
};

struct SubprocessResult {
  enum class Outcome { exited, signalled, timed_out, interrupted, stopped, not_started };  // stopped: see end_because
  Outcome outcome = Outcome::not_started;
  int status = 0;  // exit status, or the signal's number
  std::string out, err;
  bool truncated = false;  // more was printed than was kept
  std::string reason;      // stands alone, for all outcomes but exit status 0: "'mpirun' was ended after 30 s"
  bool ok() const { return outcome == Outcome::exited && status == 0; }
};

SubprocessResult run(const Subprocess&);

// Full path of a program as execvp would find it.
std::optional<std::string> find_program(std::string_view name);

}  // namespace clusterc
