// How programs start on nodes. A launcher knows nothing of what it starts.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct Launch {
  std::vector<std::string> argv;   // argv[0]: absolute path, the same on every node
  std::vector<std::string> nodes;  // names of the spec
  int ranks_per_node = 1;
  std::int64_t gpus_per_node = 0;  // to be asked for where a scheduler hands them out
  bool mpi = false;                // ranks of one MPI world; otherwise each node runs the program on its own
  std::chrono::milliseconds timeout{std::chrono::minutes(10)};
  const std::atomic<bool>* interrupted = nullptr;
};

// What one task may print on standard output. The largest probe is some 100 kB, the longest result (collectives of
// every type and size) a few MB; libraries that are told to say more print some thousand lines a rank.
struct OutputLimit {
  std::size_t bytes = std::size_t{16} << 20, lines = std::size_t{1} << 16, line = std::size_t{4} << 20;
};
// What a launch may print on standard error, of which the first 1 MiB is kept.
inline constexpr std::uint64_t kMostComplaints = std::uint64_t{64} << 20;

struct TaskOutput {  // what one node (or an MPI world) printed
  std::string
      node;  // name of the spec, on which the launcher started it, whatever the task says; MPI: of the first rank
  std::vector<std::string> lines;
  std::vector<std::string>
      complaints;      // the last lines of standard error of what ended badly: its own and the launcher's
  std::string claims;  // the node that the task calls itself, where it says so
  std::string broken;  // why nothing of what it printed counts ("it printed more than 16 MiB"); `lines` is empty then
};

struct LaunchResult {
  bool started = false;
  bool interrupted = false;
  std::string error;              // why nothing or not all ran; stands alone; empty: all ended by themselves
  std::vector<TaskOutput> tasks;  // in the order of the nodes
  std::string messages;           // end of standard error
};

struct NodeState {
  bool usable = false;
  std::string why;  // "drained (fan replaced)"; empty when usable
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual std::string_view id() const = 0;
  virtual bool available(std::string& why) const = 0;  // can it start anything from here?
  virtual std::vector<NodeState> states(std::span<const std::string> nodes) const = 0;
  virtual LaunchResult run(const Launch&) const = 0;
};

std::unique_ptr<Launcher> make_local_launcher(
    std::string this_node);  // `this_node`: the host name of this machine, without its domain
std::unique_ptr<Launcher> make_slurm_launcher();
std::vector<std::string> last_lines(
    std::string_view text);                    // the last lines of what was written, at most 20, without empty ones
std::vector<std::string_view> launcher_ids();  // "local", "slurm"

}  // namespace clusterc
