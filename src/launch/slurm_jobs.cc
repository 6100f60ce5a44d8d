#include "launch/slurm_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "launch/srun_output.h"
#include "write/writers.h"

extern char** environ;

namespace clusterc {
namespace {

// Elements of one array: MaxArraySize of slurm.conf is 1,001 unless it says otherwise.
constexpr std::size_t kMostElements = 1000;

// Each task names its node in its first line.
constexpr const char* kNamesNode = "echo \"node $SLURMD_NODENAME\"; exec \"$0\" \"$@\"";

std::string minutes_of(const Launch& launch) {
  return std::to_string(std::max<long>(1, std::chrono::ceil<std::chrono::minutes>(launch.timeout).count()));
}

void add_choices(std::vector<std::string>& argv, const SlurmOptions& options) {
  if (!options.partition.empty()) argv.push_back("--partition=" + options.partition);
  if (!options.account.empty()) argv.push_back("--account=" + options.account);
  if (!options.reservation.empty()) argv.push_back("--reservation=" + options.reservation);
}

// How the tasks lie on the nodes. Slurm 24.11 takes no --nodes beside an arbitrary distribution: the list of hosts says
// how many there are.
void add_tasks(std::vector<std::string>& argv, const Launch& launch) {
  argv.push_back("--nodelist=" + fold_names(launch.nodes));
  if (launch.mpi)
    argv.insert(argv.end(),
                {"--nodes=" + std::to_string(launch.nodes.size()),
                 "--ntasks-per-node=" + std::to_string(ranks_of(launch)), "--kill-on-bad-exit=1", "--mpi=pmix"});
  else
    argv.insert(argv.end(), {"--ntasks=" + std::to_string(launch.nodes.size() * ranks_of(launch)),
                             "--distribution=arbitrary", "--kill-on-bad-exit=0", "--mpi=none"});
  // What --exclusive takes of GPUs it keeps from the step: they are asked for by number.
  if (launch.gpus_per_node > 0) argv.push_back("--gres=gpu:" + std::to_string(launch.gpus_per_node));
}

// `in_job`: a step of the job that runs already, beside the step from which it is started.
std::vector<std::string> srun_options(const Launch& launch, const SlurmOptions& options, bool in_job) {
  std::vector<std::string> argv = {"srun", "--label", "--quiet", "--job-name=clusterc", "--input=none",
                                   // One SIGINT goes to the tasks at once (Subprocess::after_interrupt in slurm.cc).
                                   "--disable-status",
                                   // All cores and all memory: a step is otherwise bound to one core a task.
                                   "--cpu-bind=none", "--mem=0"};
  if (in_job) {
    argv.emplace_back("--overlap");
  } else {
    argv.insert(argv.end(), {"--exclusive", "--immediate=60", "--time=" + minutes_of(launch)});
    add_choices(argv, options);
  }
  add_tasks(argv, launch);
  return argv;
}

std::string as_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    append_shell_word(out, word);
  }
  return out;
}

bool is_array(const Launch& launch) {
  return !launch.mpi && !launch.together && launch.nodes.size() > 1 && launch.nodes.size() <= kMostElements;
}

// What a job prints lies in files of its folder, cut where it grows beyond the limits: head ends then, and whoever
// writes to it with it.
std::string script_of(const Launch& launch, const SlurmOptions& options, const std::string& job) {
  const bool array = is_array(launch);
  std::vector<std::string> words;
  if (array)
    words = {"/bin/sh", "-c", kNamesNode};
  else
    words = srun_options(launch, options, true);
  if (!array) words.insert(words.end(), {"/bin/sh", "-c", kNamesNode});
  words.insert(words.end(), launch.argv.begin(), launch.argv.end());
  const std::size_t most = array ? OutputLimit{}.bytes + 2 : most_of_launch(launch.nodes.size()) + 1;
  std::string path;
  append_shell_word(path, job);
  if (array) path += ".$SLURM_ARRAY_TASK_ID";
  return format(
      "#!/bin/sh\n{{ {{ {} 2>&3 3>&-; echo $? > {}.status; }} | head -c {} > {}.out; }} 3>&1 | head -c {} > {}.err\n",
      as_line(words), path, most, path, kMostComplaints + 1, path);
}

// The lines of a file of a job, each cut as a subprocess would cut it.
template <class F>
void each_line(const std::string& path, std::size_t most, F&& use) {
  FileError unreadable;
  const auto text = read_file(path, most, unreadable);
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) use(line.substr(0, OutputLimit{}.line));
}

std::string text_of(const std::string& path, std::size_t most) {
  FileError unreadable;
  return read_file(path, most, unreadable).value_or("");
}

// Waits for the job; its elements are bound to their nodes before they may start.
struct Submitted {
  std::string job;  // number; empty: it was refused
  std::string error;
  bool interrupted = false;
};

Submitted submit_and_wait(const Launch& launch, const SlurmOptions& options, const std::string& job) {
  Submitted out;
  const auto ask = [](std::vector<std::string> argv) {
    return clusterc::run({.argv = std::move(argv), .timeout = std::chrono::seconds(60)});
  };
  const auto bind_elements = [&] {
    for (std::size_t i = 0; i < launch.nodes.size(); ++i) {
      const SubprocessResult bound =
          ask({"scontrol", "update", format("jobid={}_{}", out.job, i), "reqnodelist=" + launch.nodes[i]});
      if (!bound.ok() && out.error.empty())
        out.error = "scontrol cannot bind an element to its node: " + printable(std::string(trim(bound.err)));
    }
    if (out.error.empty()) {
      if (const SubprocessResult released = ask({"scontrol", "release", out.job}); !released.ok())
        out.error = "scontrol cannot release the job: " + printable(std::string(trim(released.err)));
    }
  };
  const SubprocessResult ended = clusterc::run({.argv = sbatch_command(launch, options, job),
                                                .max_out = std::size_t{1} << 16,
                                                .on_line =
                                                    [&](std::string_view line) {
                                                      if (!out.job.empty()) return;
                                                      out.job = std::string(trim(line.substr(0, line.find(';'))));
                                                      if (is_array(launch)) bind_elements();
                                                    },
                                                .end_because = [&] { return out.error; },
                                                .interrupted = launch.interrupted});
  out.interrupted = ended.outcome == SubprocessResult::Outcome::interrupted;
  if (out.job.empty())
    out.error = "sbatch took no job: " + printable(std::string(trim(ended.err.empty() ? ended.reason : ended.err)));
  if (!out.job.empty() && (out.interrupted || ended.outcome == SubprocessResult::Outcome::stopped))
    ask({"scancel", out.job});
  return out;
}

}  // namespace

std::optional<Allocation> find_allocation() {
  const char* const job = std::getenv("SLURM_JOB_ID");
  const char* const nodes = std::getenv("SLURM_JOB_NODELIST");
  if (!job || !nodes || !*job || !*nodes) return std::nullopt;
  HostPattern::Error error;
  auto pattern = HostPattern::parse(nodes, error);
  if (!pattern) return std::nullopt;
  return Allocation{job, std::move(*pattern)};
}

std::vector<std::string> environment_of_step() {
  constexpr std::string_view kKept[] = {"SLURM_JOB_ID=", "SLURM_JOBID=", "SLURM_CONF=", "SLURM_CONF_SERVER="};
  std::vector<std::string> out;
  for (char** at = environ; *at; ++at) {
    const std::string_view entry(*at);
    const bool kept = std::any_of(std::begin(kKept), std::end(kKept), [&](auto k) { return entry.starts_with(k); });
    if (kept || !(entry.starts_with("SLURM_") || entry.starts_with("SBATCH_"))) out.emplace_back(entry);
  }
  return out;
}

std::uint64_t ranks_of(const Launch& launch) { return static_cast<std::uint64_t>(std::max(1, launch.ranks_per_node)); }

std::vector<std::string> srun_command(const Launch& launch, const SlurmOptions& options,
                                      const std::optional<Allocation>& allocation) {
  std::vector<std::string> argv = srun_options(launch, options, allocation.has_value());
  argv.insert(argv.end(), {"/bin/sh", "-c", kNamesNode});
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  return argv;
}

std::vector<std::string> broadcast_command(const Launch& launch, const SlurmOptions& options,
                                           const std::optional<Allocation>& allocation, const std::string& to) {
  std::vector<std::string> argv = srun_options(launch, options, allocation.has_value());
  argv.push_back("--bcast=" + to);
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  return argv;
}

std::vector<std::string> sbatch_command(const Launch& launch, const SlurmOptions& options, const std::string& job) {
  std::vector<std::string> argv = {"sbatch", "--wait", "--parsable", "--job-name=clusterc", "--exclusive", "--mem=0",
                                   // What ended half-way runs again when this program does, not behind its back.
                                   "--no-requeue", "--time=" + minutes_of(launch), "--output=/dev/null"};
  add_choices(argv, options);
  if (launch.gpus_per_node > 0) argv.push_back("--gres=gpu:" + std::to_string(launch.gpus_per_node));
  if (is_array(launch))
    argv.insert(argv.end(), {"--hold", "--nodes=1", format("--array=0-{}", launch.nodes.size() - 1)});
  else
    argv.insert(argv.end(),
                {"--nodes=" + std::to_string(launch.nodes.size()),
                 "--ntasks-per-node=" + std::to_string(ranks_of(launch)), "--nodelist=" + fold_names(launch.nodes)});
  argv.push_back(job + ".sh");
  return argv;
}

LaunchResult run_in_batch(const Launch& launch, const SlurmOptions& options) {
  namespace fs = std::filesystem;
  LaunchResult result;
  std::string folder = options.batch_folder + "/job-XXXXXX";
  if (!::mkdtemp(folder.data())) {
    result.error = "no folder can be made in '" + options.batch_folder + "'";
    return result;
  }
  const std::string job = folder + "/job";
  FileError unwritten;
  if (!write_file(job + ".sh", script_of(launch, options, job), unwritten)) {
    result.error = unwritten.message;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return result;
  }
  const Submitted done = submit_and_wait(launch, options, job);
  result.interrupted = done.interrupted;
  result.error = done.error;
  const bool array = is_array(launch);
  const std::vector<std::string> order = array ? launch.nodes : in_order(fold_names(launch.nodes), launch.nodes);
  SrunOutput output(order, ranks_of(launch), launch.mpi);
  SubprocessResult ended{.outcome = SubprocessResult::Outcome::exited};
  for (std::size_t i = 0; i < (array ? launch.nodes.size() : 1); ++i) {
    const std::string path = array ? format("{}.{}", job, i) : job;
    each_line(path + ".out", most_of_launch(launch.nodes.size()) + 1, [&](std::string_view line) {
      if (!array) return output.take(line);
      if (!line.empty()) output.take_line(i, line);
    });
    for (const std::string& line : last_lines(text_of(path + ".err", kMostComplaints + 1)))
      ended.err += (array ? format("{}: {}", i, line) : line) + "\n";
    if (std::string(trim(text_of(path + ".status", 64))) != "0") ended.status = 1;
  }
  result.started = !output.is_empty();
  result.messages = ended.err;
  if (result.error.empty() && !output.has_task_over_limit()) result.error = output.end_because();
  if (result.error.empty() && output.is_empty())
    result.error = format("job {} printed nothing{}{}", done.job, ended.err.empty() ? "" : ": ",
                          printable(ended.err.substr(0, 500)));
  result.tasks = output.results(ended);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return result;
}

}  // namespace clusterc
