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
#include "launch/task_lines.h"

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

constexpr std::size_t kLongestReason = 400;  // characters shown of what an administrator wrote

class LabelledLines {
 public:
  LabelledLines(std::uint64_t tasks, std::size_t longest) : tasks_(tasks), longest_(longest) {}
  // "3: {…}", the number as wide as the largest. `use` gets the task and the whole line, or what there is of it when it
  // has grown to the longest; or nothing is called. Tasks that were not started are all one, the last.
  template <class F>
  void take(std::string_view piece, F&& use) {
    const auto colon = piece.find(':');
    auto task = colon == std::string_view::npos ? std::nullopt : parse_uint(trim(piece.substr(0, colon)));
    if (!task) return;
    task = std::min(*task, tasks_);
    const std::string_view text = piece.substr(std::min(piece.size(), colon + 2));
    Begun& begun = begun_[*task];
    if (!begun.cut) {
      begun.line += text.substr(0, longest_ - begun.line.size());
      begun.cut = begun.line.size() >= longest_;
      if (begun.cut || text.size() < kLargestPiece) {
        use(*task, std::string_view(begun.line));
        begun.line.clear();
      }
    }
    if (text.size() < kLargestPiece) begun.cut = false;
  }

 private:
  struct Begun {
    std::string line;
    bool cut = false;  // handed over before its end
  };
  std::uint64_t tasks_;
  std::size_t longest_;
  std::map<std::uint64_t, Begun> begun_;
};

// The nodes in the order in which `folded`, a host list of fold_names, names them.
std::vector<std::string> in_order(const std::string& folded, std::vector<std::string> nodes) {
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(folded, error);
  if (!pattern || pattern->count() != static_cast<std::int64_t>(nodes.size())) {
    std::sort(nodes.begin(), nodes.end(), natural_less);
    return nodes;
  }
  for (std::int64_t i = 0; i < pattern->count(); ++i) nodes[static_cast<std::size_t>(i)] = pattern->name(i);
  return nodes;
}

// What the tasks of one srun print. `order`: the hosts, task after task, `ranks` of each.
class SrunOutput {
 public:
  SrunOutput(std::vector<std::string> order, std::uint64_t ranks, bool mpi)
      : order_(std::move(order)), ranks_(ranks), tasks_(order_.size() * ranks), mpi_(mpi) {}

  void take(std::string_view piece);  // of standard output, as srun labels it
  std::string end_because() const;    // as Subprocess has it
  bool is_empty() const { return by_task_.empty(); }
  bool has_task_over_limit() const { return over_ > 0; }
  std::vector<TaskOutput> results(const SubprocessResult& ended);

 private:
  struct Running {
    TaskOutput output;
    TaskLines lines{OutputLimit{}};
  };

  void take_line(std::uint64_t number, std::string_view line);
  TaskOutput world(const SubprocessResult& ended);
  std::vector<TaskOutput> each_task(const SubprocessResult& ended);

  std::vector<std::string> order_;
  std::uint64_t ranks_, tasks_;
  bool mpi_;
  LabelledLines labelled_{tasks_, OutputLimit{}.line};
  std::map<std::uint64_t, Running> by_task_;
  std::uint64_t over_ = 0, ended_ = 0;  // tasks
  std::size_t bytes_ = 0;
};

void SrunOutput::take(std::string_view piece) {
  labelled_.take(piece, [&](std::uint64_t number, std::string_view line) { take_line(number, line); });
}

void SrunOutput::take_line(std::uint64_t number, std::string_view line) {
  Running& task = by_task_[number];
  TaskOutput& into = task.output;
  if (into.node.empty() && number < tasks_) into.node = order_[number / ranks_];
  if (into.claims.empty() && line.starts_with("node ")) {
    into.claims = line.substr(5, kLongestReason);
    return;
  }
  const bool was_over = task.lines.over(), had_ended = task.lines.ended();
  task.lines.take(line, into);
  over_ += task.lines.over() && !was_over;
  ended_ += task.lines.ended() && !had_ended;
  if (!task.lines.over()) bytes_ += line.size();
}

// One that prints without end keeps no other from ending; then all of it is over.
std::string SrunOutput::end_because() const {
  // Beside the limit of each task, one of the launch, which a probe of each node is far below.
  const std::size_t most = (std::size_t{256} << 20) + order_.size() * (std::size_t{512} << 10);
  if (bytes_ > most) return "its tasks printed more than " + to_text(Bytes(static_cast<double>(most)));
  if (over_ == 0 || (!mpi_ && ended_ + over_ < tasks_)) return {};
  return "a task printed more than its limit";
}

// One result for the world: rank 0 prints it, or, where rank 0 is stuck, another one its end.
TaskOutput SrunOutput::world(const SubprocessResult& ended) {
  std::string stray;
  TaskOutput world = by_task_.begin()->second.output;
  for (auto at = by_task_.begin(); at != by_task_.end(); ++at) {
    TaskOutput& rank = at->second.output;
    if (at != by_task_.begin()) {
      world.lines.insert(world.lines.end(), rank.lines.begin(), rank.lines.end());
      if (world.broken.empty()) world.broken = rank.broken;
    }
    // Ranks are Slurm's to place, on the nodes that were asked for and no other: one that is elsewhere speaks for
    // all.
    if (!rank.claims.empty() && std::find(order_.begin(), order_.end(), rank.claims) == order_.end())
      stray = rank.claims;
  }
  if (!stray.empty()) world.claims = stray;
  if (!world.broken.empty())
    world.lines.clear();
  else if (world.lines.empty())
    world.lines = last_lines(ended.err);
  else if (!ended.ok())
    world.complaints = last_lines(ended.err);
  return world;
}

std::vector<TaskOutput> SrunOutput::each_task(const SubprocessResult& ended) {
  std::map<std::uint64_t, std::vector<std::string>> complaints;
  LabelledLines errors(tasks_, OutputLimit{}.line);
  for (const std::string_view whole : split(ended.err, '\n'))
    errors.take(whole, [&](std::uint64_t task, std::string_view line) { complaints[task].emplace_back(line); });
  std::vector<TaskOutput> out;
  for (auto& [number, running] : by_task_) {
    TaskOutput& task = running.output;
    if (number >= tasks_) task.broken = "the launcher did not start this task";
    // What printed nothing speaks through its standard error: a program or a library that is not there.
    if (task.lines.empty() && task.broken.empty())
      task.lines = std::move(complaints[number]);
    else if (!ended.ok())
      task.complaints = last_lines(join(complaints[number], "\n"));
    out.push_back(std::move(task));
  }
  return out;
}

std::vector<TaskOutput> SrunOutput::results(const SubprocessResult& ended) {
  if (mpi_ && !by_task_.empty()) return {world(ended)};
  return each_task(ended);
}

// `hosts`: the nodes of the launch, folded.
std::vector<std::string> srun_command(const Launch& launch, const std::string& hosts, std::uint64_t tasks) {
  const auto minutes = std::max<long>(1, std::chrono::ceil<std::chrono::minutes>(launch.timeout).count());
  std::vector<std::string> argv = {"srun", "--label", "--quiet", "--exclusive", "--nodelist=" + hosts,
                                   "--time=" + std::to_string(minutes), "--immediate=60", "--job-name=clusterc",
                                   "--input=none",
                                   // All cores and all memory: a step is otherwise bound to one core a task.
                                   "--cpu-bind=none", "--mem=0"};
  // Slurm 24.11 takes no --nodes beside an arbitrary distribution: the list of hosts says how many there are.
  if (launch.mpi)
    argv.insert(argv.end(),
                {"--nodes=" + std::to_string(launch.nodes.size()),
                 "--ntasks-per-node=" + std::to_string(launch.ranks_per_node), "--kill-on-bad-exit=1", "--mpi=pmix"});
  else
    argv.insert(argv.end(), {"--ntasks=" + std::to_string(tasks), "--distribution=arbitrary", "--kill-on-bad-exit=0",
                             "--mpi=none"});
  // What --exclusive takes of GPUs it keeps from the step: they are asked for by number.
  if (launch.gpus_per_node > 0) argv.push_back("--gres=gpu:" + std::to_string(launch.gpus_per_node));
  argv.insert(argv.end(), {"/bin/sh", "-c", "echo \"node $SLURMD_NODENAME\"; exec \"$0\" \"$@\""});
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  return argv;
}

class SlurmLauncher final : public Launcher {
 public:
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
      const auto found = known.find(node);
      out.push_back(found != known.end()
                        ? found->second
                        : NodeState{false, listed.ok() ? "unknown to Slurm"
                                                       : "sinfo did not answer: " + std::string(trim(listed.err))});
    }
    return out;
  }

  // Which task runs where is laid down here and not told by the tasks: of a host list under --distribution=arbitrary
  // Slurm starts task i on the i-th host (srun(1), --distribution). Each task names its node all the same, in its first
  // line: one that names another is looked at by the judge.
  LaunchResult run(const Launch& launch) const override {
    const std::string hosts = fold_names(launch.nodes);
    const std::vector<std::string> order = in_order(hosts, launch.nodes);
    const auto ranks = static_cast<std::uint64_t>(std::max(1, launch.ranks_per_node));
    SrunOutput output(order, ranks, launch.mpi);
    const SubprocessResult ended = clusterc::run({.argv = srun_command(launch, hosts, order.size() * ranks),
                                                  .timeout = launch.timeout + std::chrono::seconds(90),
                                                  .max_out = 0,
                                                  .most_err = kMostComplaints,
                                                  .on_line = [&](std::string_view piece) { output.take(piece); },
                                                  .max_line = OutputLimit{}.line,
                                                  .end_because = [&] { return output.end_because(); },
                                                  .interrupted = launch.interrupted});
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
};

}  // namespace

std::unique_ptr<Launcher> make_slurm_launcher() { return std::make_unique<SlurmLauncher>(); }

}  // namespace clusterc
