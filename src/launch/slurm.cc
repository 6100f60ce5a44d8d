// Through the cluster's Slurm: srun, from any machine that has its client commands and configuration.
#include <algorithm>
#include <iterator>
#include <map>

#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "launch/launcher.h"
#include "launch/slurm_jobs.h"
#include "launch/srun_output.h"
#include "launch/task_lines.h"

namespace clusterc {
namespace {

// States in which slurmctld hands a node to a job (sinfo(1), NODE STATE CODES); a suffix such as '*' or '~' says it
// does not answer.
bool takes_jobs(std::string_view state) {
  return state == "idle" || state == "allocated" || state == "mixed" || state == "completing";
}

class SlurmLauncher final : public Launcher {
 public:
  explicit SlurmLauncher(SlurmOptions options) : options_(std::move(options)), allocation_(find_allocation()) {}

  std::string_view id() const override { return "slurm"; }

  bool available(std::string& why) const override {
    for (const char* program : {"srun", "sinfo"})
      if (!find_program(program)) {
        why = std::string(program) + " is not installed here: run this on a machine with Slurm's client commands";
        return false;
      }
    const SubprocessResult ping =
        clusterc::run({.argv = {"sinfo", "-h", "-o", "%T"}, .timeout = std::chrono::seconds(20)});
    if (!ping.ok()) {
      why = "Slurm's controller does not answer: " + std::string(trim(ping.err.empty() ? ping.reason : ping.err));
      return false;
    }
    if (allocation_ && !options_.batch_folder.empty()) {
      why = "this runs inside job " + allocation_->job + ": --sbatch is for a machine outside of any job";
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
      // A reason is what somebody wrote: it may hold the separator.
      const std::string_view reason = trim(line.substr(fields[0].size() + fields[1].size() + 2));
      NodeState state{takes_jobs(fields[1]), std::string(fields[1])};
      if (!reason.empty() && reason != "none") state.why += " (" + printable(reason.substr(0, kLongestReason)) + ")";
      if (state.usable) state.why.clear();
      // A node in two partitions is listed twice, with one state. Where the states differ, a reason may have forged a
      // line: no job goes there.
      const auto [at, fresh] = known.emplace(fields[0], state);
      if (!fresh && at->second.usable && !state.usable) at->second = std::move(state);
    }
    std::vector<NodeState> out;
    for (const std::string& node : nodes) {
      if (allocation_ && !allocation_->has(node)) {
        out.push_back({false, "not in job " + allocation_->job + ", in which this runs"});
        continue;
      }
      const auto found = known.find(node);
      out.push_back(found != known.end()
                        ? found->second
                        : NodeState{false, listed.ok() ? "unknown to Slurm"
                                                       : "sinfo did not answer: " + std::string(trim(listed.err))});
    }
    return out;
  }

  std::vector<std::string> command(const Launch& launch) const override {
    if (options_.batch_folder.empty()) return srun_command(launch, options_, allocation_);
    return sbatch_command(launch, options_, options_.batch_folder + "/job");
  }

  // Which task runs where is laid down here and not told by the tasks: of a host list under --distribution=arbitrary
  // Slurm starts task i on the i-th host (srun(1), --distribution). Each task names its node all the same, in its first
  // line: one that names another is looked at by the judge.
  LaunchResult run(const Launch& launch) const override {
    return options_.batch_folder.empty() ? run_step(launch) : run_in_batch(launch, options_);
  }
  // srun --bcast sends one program at a time.
  std::vector<NodeState> copy(const std::string& from, const std::string& to,
                              std::span<const std::string> nodes) const override {
    std::vector<NodeState> out(nodes.size(), NodeState{true, ""});
    Launch folder{.argv = {"/bin/mkdir", "-p", "--", to},
                  .nodes = {nodes.begin(), nodes.end()},
                  .timeout = std::chrono::minutes(1)};
    const LaunchResult made = run_step(folder);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const TaskOutput& task : made.tasks)
        if (task.node == nodes[i] && !task.lines.empty())
          out[i] = {false, "the folder of the validators cannot be made: " + printable(task.lines.back())};
    if (!made.error.empty()) {
      for (NodeState& state : out) state = {false, "the folder of the validators cannot be made: " + made.error};
      return out;
    }
    // What --bcast sends is the program that srun starts, here a copy of it that is asked for its version.
    for (const std::string& program : bundle_programs(from))
      if (!broadcast(program, to + program.substr(program.rfind('/')), nodes, out)) return out;
    return out;
  }

 private:
  LaunchResult run_step(const Launch& launch) const {
    SrunOutput output(in_order(fold_names(launch.nodes), launch.nodes), ranks_of(launch), launch.mpi);
    Subprocess srun{.argv = srun_command(launch, options_, allocation_),
                    .timeout = launch.timeout + std::chrono::seconds(90),
                    // Of a SIGTERM srun makes a SIGKILL for its tasks (srun(1), SIGNALS): files that a validator made
                    // would stay. A SIGINT it hands on; validators end within 10 s of it (harness/deadline.h).
                    .after_interrupt = std::chrono::seconds(12),
                    .max_out = 0,
                    .most_err = kMostComplaints,
                    .on_line = [&](std::string_view piece) { output.take(piece); },
                    .max_line = OutputLimit{}.line,
                    .end_because = [&] { return output.end_because(); },
                    .interrupted = launch.interrupted};
    if (allocation_) srun.environment = environment_of_step();
    const SubprocessResult ended = clusterc::run(srun);
    LaunchResult result;
    result.started = ended.outcome != SubprocessResult::Outcome::not_started && !output.is_empty();
    result.interrupted = ended.outcome == SubprocessResult::Outcome::interrupted;
    result.messages = ended.err;
    if (ended.outcome == SubprocessResult::Outcome::stopped && output.has_task_over_limit())
      result.error.clear();  // the tasks say it themselves
    else if (ended.outcome != SubprocessResult::Outcome::exited)
      result.error = ended.reason;
    else if (output.is_empty() && ended.status != 0)
      result.error = "srun started nothing: " + std::string(trim(ended.err.empty() ? ended.reason : ended.err));
    result.tasks = output.results(ended);
    return result;
  }

  bool broadcast(const std::string& program, const std::string& to, std::span<const std::string> nodes,
                 std::vector<NodeState>& out) const {
    Launch launch{
        .argv = {program, "--version"}, .nodes = {nodes.begin(), nodes.end()}, .timeout = std::chrono::minutes(10)};
    Subprocess srun{.argv = broadcast_command(launch, options_, allocation_, to),
                    .timeout = std::chrono::minutes(11),
                    .interrupted = options_.interrupted};
    if (allocation_) srun.environment = environment_of_step();
    const SubprocessResult ended = clusterc::run(srun);
    // A program without --version ends with another status; whether its bytes came is compared afterwards.
    if (ended.outcome == SubprocessResult::Outcome::exited && ended.err.find("bcast") == std::string::npos) return true;
    const std::vector<std::string> said = last_lines(ended.err);
    for (NodeState& state : out)
      state = {false, "the validators cannot be copied: " +
                          printable(said.empty() ? ended.reason : said.back().substr(0, kLongestReason))};
    return false;
  }

  SlurmOptions options_;
  std::optional<Allocation> allocation_;
};

}  // namespace

std::unique_ptr<Launcher> make_slurm_launcher(SlurmOptions options) {
  return std::make_unique<SlurmLauncher>(std::move(options));
}

}  // namespace clusterc
