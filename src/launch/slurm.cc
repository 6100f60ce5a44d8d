// Through the cluster's Slurm: srun, from any machine that has its client commands and configuration.
#include <algorithm>
#include <iterator>
#include <map>

#include "base/host_pattern.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "launch/launcher.h"

namespace clusterc {
namespace {

// States in which slurmctld hands a node to a job (sinfo(1), NODE STATE CODES); a suffix such as '*' or '~' says it
// does not answer.
bool takes_jobs(std::string_view state) {
  return state == "idle" || state == "allocated" || state == "mixed" || state == "completing";
}

// What srun --label prints, put together again: srun cuts lines into messages of 1,024 bytes (SLURM_IO_MAX_MSG_LEN,
// src/common/io_hdr.h) and labels each as if it were a line; a line of 1,023 bytes and its end still fit into one. So a
// piece of 1,024 bytes goes on in the next.
constexpr std::size_t kLargestPiece = 1024;

class LabelledLines {
 public:
  // "3: {…}", the number as wide as the largest. `use` gets the task and the whole line, or nothing is called.
  template <class F>
  void take(std::string_view piece, F&& use) {
    const auto colon = piece.find(':');
    const auto task = colon == std::string_view::npos ? std::nullopt : parse_uint(trim(piece.substr(0, colon)));
    if (!task) return;
    const std::string_view text = piece.substr(std::min(piece.size(), colon + 2));
    std::string& begun = begun_[*task];
    begun += text;
    if (text.size() >= kLargestPiece) return;
    use(*task, std::string_view(begun));
    begun.clear();
  }

 private:
  std::map<std::uint64_t, std::string> begun_;
};

class SlurmLauncher final : public Launcher {
 public:
  std::string_view id() const override { return "slurm"; }

  bool available(std::string& why) const override {
    for (const char* program : {"srun", "sinfo"})
      if (!find_program(program)) {
        why = std::string(program) + " is not installed here: run this where Slurm's client commands are";
        return false;
      }
    const SubprocessResult ping =
        clusterc::run({.argv = {"sinfo", "-h", "-o", "%T"}, .timeout = std::chrono::seconds(20)});
    if (!ping.ok()) {
      why = "Slurm's controller does not answer: " + std::string(trim(ping.err.empty() ? ping.reason : ping.err));
      return false;
    }
    return true;
  }

  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    const SubprocessResult listed =
        clusterc::run({.argv = {"sinfo", "-h", "-N", "-o", "%N|%T|%E"}, .timeout = std::chrono::seconds(60)});
    std::map<std::string, NodeState, std::less<>> known;
    for (const std::string_view line : split(listed.out, '\n')) {
      const auto fields = split(line, '|');
      if (fields.size() < 3) continue;
      const std::string_view reason = trim(fields[2]);
      NodeState state{takes_jobs(fields[1]), std::string(fields[1])};
      if (!reason.empty() && reason != "none") state.why += " (" + std::string(reason) + ")";
      if (state.usable) state.why.clear();
      known.emplace(fields[0], std::move(state));  // a node in two partitions is listed twice, with one state
    }
    std::vector<NodeState> out;
    for (const std::string& node : nodes) {
      const auto found = known.find(node);
      out.push_back(found != known.end()
                        ? found->second
                        : NodeState{false, listed.ok() ? "unknown to Slurm"
                                                       : "sinfo did not answer: " + std::string(trim(listed.err))});
    }
    return out;
  }

  // Every task names its node first: which task runs where is Slurm's business (its order of nodes is not ours).
  LaunchResult run(const Launch& launch) const override {
    const auto minutes = std::max<long>(1, std::chrono::ceil<std::chrono::minutes>(launch.timeout).count());
    Subprocess process;
    process.argv = {"srun", "--label", "--quiet", "--exclusive", "--nodelist=" + fold_names(launch.nodes),
                    "--nodes=" + std::to_string(launch.nodes.size()),
                    "--ntasks-per-node=" + std::to_string(launch.ranks_per_node), "--time=" + std::to_string(minutes),
                    "--immediate=60", "--job-name=clusterc", "--input=none",
                    // All cores and all memory: a step is otherwise bound to one core a task.
                    "--cpu-bind=none", "--mem=0", launch.mpi ? "--kill-on-bad-exit=1" : "--kill-on-bad-exit=0"};
    if (launch.mpi)
      process.argv.push_back("--mpi=pmix");
    else
      process.argv.push_back("--mpi=none");
    // What --exclusive takes of GPUs it keeps from the step: they are asked for by number.
    if (launch.gpus_per_node > 0) process.argv.push_back("--gres=gpu:" + std::to_string(launch.gpus_per_node));
    process.argv.insert(process.argv.end(), {"/bin/sh", "-c", "echo \"node $SLURMD_NODENAME\"; exec \"$0\" \"$@\""});
    process.argv.insert(process.argv.end(), launch.argv.begin(), launch.argv.end());
    process.timeout = launch.timeout + std::chrono::seconds(90);
    process.interrupted = launch.interrupted;

    LaunchResult result;
    std::map<std::uint64_t, TaskOutput> by_task;
    LabelledLines output, errors;
    process.on_line = [&](std::string_view whole) {
      output.take(whole, [&](std::uint64_t number, std::string_view line) {
        TaskOutput& task = by_task[number];
        if (task.node.empty() && line.starts_with("node "))
          task.node = line.substr(5);
        else
          task.lines.emplace_back(line);
      });
    };
    const SubprocessResult ended = clusterc::run(process);
    result.started = ended.outcome != SubprocessResult::Outcome::not_started && !by_task.empty();
    result.interrupted = ended.outcome == SubprocessResult::Outcome::interrupted;
    result.messages = ended.err;
    std::map<std::uint64_t, std::vector<std::string>> complaints;
    for (const std::string_view whole : split(ended.err, '\n'))
      errors.take(whole, [&](std::uint64_t task, std::string_view line) { complaints[task].emplace_back(line); });
    if (launch.mpi && !by_task.empty()) {
      // One result for the world: rank 0 prints it, or, where rank 0 is stuck, another one its end.
      TaskOutput world = std::move(by_task.begin()->second);
      for (auto at = std::next(by_task.begin()); at != by_task.end(); ++at)
        world.lines.insert(world.lines.end(), at->second.lines.begin(), at->second.lines.end());
      if (world.lines.empty())
        world.lines = last_lines(ended.err);
      else if (!ended.ok())
        world.complaints = last_lines(ended.err);
      result.tasks.push_back(std::move(world));
    } else {
      for (const std::string& node : launch.nodes)
        for (auto& [number, task] : by_task)
          if (task.node == node) {
            // What printed nothing speaks through its standard error: a program or a library that is not there.
            if (task.lines.empty())
              task.lines = std::move(complaints[number]);
            else if (!ended.ok())
              task.complaints = last_lines(join(complaints[number], "\n"));
            result.tasks.push_back(std::move(task));
            break;
          }
    }
    if (ended.outcome != SubprocessResult::Outcome::exited)
      result.error = ended.reason;
    else if (by_task.empty() && ended.status != 0)
      result.error = "srun started nothing: " + std::string(trim(ended.err.empty() ? ended.reason : ended.err));
    return result;
  }
};

}  // namespace

std::unique_ptr<Launcher> make_slurm_launcher() { return std::make_unique<SlurmLauncher>(); }

}  // namespace clusterc
