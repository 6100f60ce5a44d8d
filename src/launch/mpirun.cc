// Over ssh: each program by an ssh of its own, MPI worlds by Open MPI's mpirun with a list of hosts.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "launch/srun_output.h"
#include "launch/ssh.h"
#include "launch/task_lines.h"
#include "launch/world.h"

namespace clusterc {
namespace {

// Connections at the same time. Nodes of a pair have to run together, so a launch is not cut in parts.
constexpr std::size_t kMostNodes = 4096;

std::string last_of(std::string_view err) {
  const std::vector<std::string> lines = last_lines(err);
  return lines.empty() ? std::string() : printable(lines.back().substr(0, 400));
}

class MpirunLauncher final : public Launcher {
 public:
  explicit MpirunLauncher(MpirunOptions options) : options_(std::move(options)) {
    for (const Host& host : options_.hosts) known_.emplace(host.name, host.address);
    config_ = SshConfig::write(options_.hosts, options_.ssh_config, config_error_);
  }

  std::string_view id() const override { return "mpirun"; }
  bool available(std::string& why) const override;
  std::vector<NodeState> states(std::span<const std::string> nodes) const override;
  LaunchResult run(const Launch&) const override;
  std::vector<std::string> command(const Launch&) const override;
  std::vector<NodeState> copy(const std::string& from, const std::string& to,
                              std::span<const std::string> nodes) const override;

 private:
  std::vector<std::string> ssh(const std::string& node, const std::vector<std::string>& argv) const {
    return {"ssh", "-F", config_->path(), "-T", "--", node, remote_command(node, argv)};
  }
  std::vector<std::string> mpirun(const Launch&, const std::string& hostfile) const;
  LaunchResult run_world(const Launch&) const;
  LaunchResult run_each(const Launch&) const;
  // One program for each node, all at the same time.
  std::vector<SubprocessResult> at_once(std::span<const std::string> nodes,
                                        const std::function<Subprocess(std::size_t)>& make) const;

  MpirunOptions options_;
  std::map<std::string, std::string, std::less<>> known_;
  std::unique_ptr<SshConfig> config_;
  std::string config_error_;
};

bool MpirunLauncher::available(std::string& why) const {
  if (!config_) why = "no configuration for ssh can be written: " + config_error_;
  if (config_ && !find_program("ssh")) why = "ssh is not installed on this machine";
  return why.empty();
}

std::vector<SubprocessResult> MpirunLauncher::at_once(std::span<const std::string> nodes,
                                                      const std::function<Subprocess(std::size_t)>& make) const {
  std::vector<SubprocessResult> out(nodes.size());
  std::vector<Subprocess> processes;
  for (std::size_t i = 0; i < nodes.size(); ++i) processes.push_back(make(i));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < nodes.size(); ++i) threads.emplace_back([&, i] { out[i] = clusterc::run(processes[i]); });
  for (std::thread& thread : threads) thread.join();
  return out;
}

std::vector<NodeState> MpirunLauncher::states(std::span<const std::string> nodes) const {
  std::vector<NodeState> out(nodes.size());
  std::vector<std::string> there;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!known_.contains(nodes[i])) {
      out[i] = {false, "not named by --hosts"};
    } else if (there.size() == kMostNodes) {
      out[i] = {false, format("over the limit of {} nodes of this launcher", kMostNodes)};
    } else {
      there.push_back(nodes[i]);
      places.push_back(i);
    }
  }
  const auto ended = at_once(there, [&](std::size_t i) {
    return Subprocess{.argv = ssh(there[i], {"/bin/true"}),
                      .hold_input = true,
                      .timeout = std::chrono::seconds(30),
                      .interrupted = options_.interrupted};
  });
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (ended[i].ok()) {
      out[places[i]] = {true, ""};
      continue;
    }
    const std::string said = last_of(ended[i].err);
    out[places[i]] = {false, "not reached by ssh: " + (said.empty() ? ended[i].reason : said)};
  }
  return out;
}

std::vector<std::string> MpirunLauncher::mpirun(const Launch& launch, const std::string& hostfile) const {
  const std::size_t ranks = launch.nodes.size() * static_cast<std::size_t>(std::max(1, launch.ranks_per_node));
  // By its whole path, so that mpirun looks for its daemon at the same place on the nodes (mpirun(1), --prefix).
  std::vector<std::string> argv = {
      find_program("mpirun").value_or("mpirun"), "--hostfile", hostfile, "-n", std::to_string(ranks), "--map-by",
      "ppr:" + std::to_string(std::max(1, launch.ranks_per_node)) + ":node", "--bind-to", "none", "--mca", "plm", "rsh",
      "--mca", "plm_rsh_agent", "ssh", "--mca", "plm_rsh_args", "-F " + (config_ ? config_->path() : std::string()),
      // Each daemon from here: nodes need not reach each other by ssh.
      "--mca", "plm_rsh_no_tree_spawn", "1"};
  if (::geteuid() == 0) argv.emplace_back("--allow-run-as-root");
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  return argv;
}

std::vector<std::string> MpirunLauncher::command(const Launch& launch) const {
  if (launch.mpi) return mpirun(launch, config_ ? config_->folder() + "/hosts" : "hosts");
  return config_ ? ssh(launch.nodes.front(), launch.argv) : launch.argv;
}

LaunchResult MpirunLauncher::run(const Launch& launch) const {
  return launch.mpi ? run_world(launch) : run_each(launch);
}

LaunchResult MpirunLauncher::run_world(const Launch& launch) const {
  if (!find_program("mpirun")) return {.error = "mpirun is not installed on this machine"};
  std::string hosts;
  for (const std::string& node : launch.nodes)
    hosts += format("{} slots={}\n", node, std::max(1, launch.ranks_per_node));
  const std::string hostfile = config_->folder() + "/hosts";
  FileError unwritten;
  if (!write_file(hostfile, hosts, unwritten)) return {.error = unwritten.message};
  Subprocess process{.argv = mpirun(launch, hostfile), .grace = std::chrono::seconds(10)};
  const std::size_t ranks = launch.nodes.size() * static_cast<std::size_t>(std::max(1, launch.ranks_per_node));
  return run_in_one_stream(std::move(process), launch, ranks, launch.nodes.front(), false);
}

LaunchResult MpirunLauncher::run_each(const Launch& launch) const {
  struct Running {
    TaskOutput output;
    TaskLines lines{OutputLimit{}};
  };
  std::vector<Running> tasks(launch.nodes.size());
  std::atomic<std::size_t> bytes{0};
  const std::size_t most = most_of_launch(tasks.size());
  const auto ended = at_once(launch.nodes, [&](std::size_t i) {
    Running& task = tasks[i];
    task.output.node = launch.nodes[i];
    return Subprocess{.argv = ssh(launch.nodes[i], launch.argv),
                      .hold_input = true,
                      .timeout = launch.timeout,
                      .max_out = 0,
                      .most_err = kMostComplaints,
                      .on_line =
                          [&](std::string_view line) {
                            task.lines.take(line, task.output);
                            bytes += line.size();
                          },
                      .max_line = OutputLimit{}.line,
                      .end_because = [&, most]() -> std::string {
                        if (!task.output.broken.empty()) return task.output.broken;
                        return bytes > most ? "its tasks printed more than " + to_text(Bytes(static_cast<double>(most)))
                                            : std::string();
                      },
                      .interrupted = launch.interrupted};
  });
  using Outcome = SubprocessResult::Outcome;
  LaunchResult result;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TaskOutput& task = tasks[i].output;
    result.started = result.started || ended[i].outcome != Outcome::not_started;
    result.interrupted = result.interrupted || ended[i].outcome == Outcome::interrupted;
    if (task.broken.empty() && ended[i].outcome == Outcome::stopped)
      task.broken = bytes > most ? ended[i].reason : too_many_complaints();
    // Its time is over, or ssh is not there: nothing of it counts, and the others stay what they are.
    if (task.broken.empty() && ended[i].outcome != Outcome::exited) task.broken = ended[i].reason;
    if (!task.broken.empty())
      task.lines.clear();
    else if (task.lines.empty())
      task.lines = last_lines(ended[i].err);
    else if (!ended[i].ok())
      task.complaints = last_lines(ended[i].err);
    if (!ended[i].err.empty()) result.messages = ended[i].err;
    result.tasks.push_back(std::move(task));
  }
  return result;
}

std::vector<NodeState> MpirunLauncher::copy(const std::string& from, const std::string& to,
                                            std::span<const std::string> nodes) const {
  std::vector<NodeState> out(nodes.size(), NodeState{true, ""});
  const auto note = [&](const std::vector<SubprocessResult>& ended, const char* what) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (out[i].usable && !ended[i].ok()) {
        const std::string said = last_of(ended[i].err);
        out[i] = {false, format("{}: {}", what, said.empty() ? ended[i].reason : said)};
      }
  };
  note(at_once(nodes,
               [&](std::size_t i) {
                 return Subprocess{.argv = ssh(nodes[i], {"/bin/mkdir", "-p", "--", to}),
                                   .hold_input = true,
                                   .timeout = std::chrono::seconds(60),
                                   .interrupted = options_.interrupted};
               }),
       "the folder of the validators cannot be made");
  const std::vector<std::string> files = bundle_programs(from);
  note(at_once(nodes,
               [&](std::size_t i) {
                 std::vector<std::string> argv = {"scp", "-F", config_->path(), "-q", "-B", "-p", "--"};
                 argv.insert(argv.end(), files.begin(), files.end());
                 argv.push_back(nodes[i] + ":" + to + "/");
                 return Subprocess{
                     .argv = std::move(argv), .timeout = std::chrono::minutes(10), .interrupted = options_.interrupted};
               }),
       "the validators cannot be copied");
  return out;
}

}  // namespace

std::unique_ptr<Launcher> make_mpirun_launcher(MpirunOptions options) {
  return std::make_unique<MpirunLauncher>(std::move(options));
}

}  // namespace clusterc
