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
  bool together = true;            // the nodes have to run at the same time; false: each when it is free
  std::chrono::milliseconds timeout{std::chrono::minutes(10)};
  const std::atomic<bool>* interrupted = nullptr;
  std::string bundle;  // folder of clusterc-contain, which keeps the processes of a world together; empty: argv[0]'s
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
  std::vector<std::string> stacks;  // of its processes, when its time was over (base/stacks.h)
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
  // What run() executes; of a launch that takes a command for each node, that of the first one.
  virtual std::vector<std::string> command(const Launch&) const = 0;
  // Puts the programs of a bundle (bundle_programs) into the folder `to` of each node; why it could not, by node.
  virtual std::vector<NodeState> copy(const std::string& from, const std::string& to,
                                      std::span<const std::string> nodes) const;
};

// The files clusterc-* of a bundle, by their whole paths, in order.
std::vector<std::string> bundle_programs(const std::string& folder);

std::unique_ptr<Launcher> make_local_launcher(
    std::string this_node);  // `this_node`: the host name of this machine, without its domain

struct SlurmOptions {
  std::string partition, account, reservation;  // as srun and sbatch take them; empty: Slurm's own choice
  // Jobs of sbatch in place of srun: their scripts and what they print lie in this folder, which all nodes see. Empty:
  // srun.
  std::string batch_folder;
  const std::atomic<bool>* interrupted = nullptr;
};
std::unique_ptr<Launcher> make_slurm_launcher(SlurmOptions = {});

struct Host;  // launch/hosts.h
struct MpirunOptions {
  std::vector<Host> hosts;  // that may be reached; others of the spec are not
  std::string ssh_config;   // as -F of ssh; empty: the user's own
  const std::atomic<bool>* interrupted = nullptr;
};
std::unique_ptr<Launcher> make_mpirun_launcher(MpirunOptions);

std::vector<std::string> last_lines(
    std::string_view text);  // the last lines of what was written, at most 20, without empty ones and rules
std::vector<std::string_view> launcher_ids();  // "local", "mpirun", "slurm", "kubernetes"

}  // namespace clusterc
