// This machine alone: programs run directly, MPI worlds through mpirun.
#include <unistd.h>

#include <algorithm>

#include "base/subprocess.h"
#include "base/text.h"
#include "launch/launcher.h"
#include "launch/task_lines.h"

namespace clusterc {
namespace {

class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(std::string this_node) : this_node_(std::move(this_node)) {}

  std::string_view id() const override { return "local"; }
  bool available(std::string&) const override { return true; }

  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    std::vector<NodeState> out;
    for (const std::string& node : nodes)
      out.push_back(node == this_node_ ? NodeState{true, ""}
                                       : NodeState{false, "not this machine, whose host name is '" + this_node_ +
                                                              "': the local launcher reaches only this machine"});
    return out;
  }

  LaunchResult run(const Launch& launch) const override {
    LaunchResult result;
    Subprocess process;
    if (launch.mpi) {
      if (!find_program("mpirun")) {
        result.error = "mpirun is not installed on this machine";
        return result;
      }
      // The bundle's clusterc-contain keeps the job together: whatever is killed, no rank, file or shared memory of it
      // stays.
      const std::string contain = launch.argv[0].substr(0, launch.argv[0].rfind('/') + 1) + "clusterc-contain";
      if (find_program(contain)) {
        process.argv.push_back(contain);
        process.grace = std::chrono::seconds(16);  // it gives mpirun 10 s to end by itself, and its orphans 5
      }
      process.argv.insert(process.argv.end(),
                          {"mpirun", "-n", std::to_string(launch.ranks_per_node), "--oversubscribe"});
      // Open MPI asks for this consent where everything is root anyway: containers and fresh nodes.
      if (::geteuid() == 0) process.argv.push_back("--allow-run-as-root");
    }
    process.argv.insert(process.argv.end(), launch.argv.begin(), launch.argv.end());
    process.timeout = launch.timeout;
    process.interrupted = launch.interrupted;
    TaskOutput task{.node = this_node_};
    // Ranks of a world print into one stream.
    const auto tasks = static_cast<std::size_t>(launch.mpi ? std::max(1, launch.ranks_per_node) : 1);
    OutputLimit limit;
    limit.bytes *= tasks, limit.lines *= tasks;
    TaskLines output(limit);
    process.max_out = 0;
    process.max_line = limit.line;
    process.most_err = kMostComplaints;
    process.on_line = [&](std::string_view line) { output.take(line, task); };
    process.end_because = [&] { return task.broken; };
    const SubprocessResult ended = clusterc::run(process);
    result.started = ended.outcome != SubprocessResult::Outcome::not_started;
    result.interrupted = ended.outcome == SubprocessResult::Outcome::interrupted;
    if (ended.outcome == SubprocessResult::Outcome::stopped && task.broken.empty()) task.broken = too_many_complaints();
    if (!task.broken.empty())
      task.lines.clear();
    else if (ended.outcome != SubprocessResult::Outcome::exited)
      result.error = ended.reason;
    result.messages = ended.err;
    // What printed nothing speaks through its standard error: a library that is not there.
    if (task.lines.empty() && task.broken.empty())
      task.lines = last_lines(ended.err);
    else if (!ended.ok())
      task.complaints = last_lines(ended.err);
    result.tasks.push_back(std::move(task));
    return result;
  }

 private:
  std::string this_node_;
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher(std::string this_node) {
  return std::make_unique<LocalLauncher>(std::move(this_node));
}
std::vector<std::string> last_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  if (lines.size() > 20) lines.erase(lines.begin(), lines.end() - 20);
  return lines;
}

std::vector<std::string_view> launcher_ids() { return {"local", "slurm"}; }

}  // namespace clusterc
