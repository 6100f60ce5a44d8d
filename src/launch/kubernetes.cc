#include "launch/kubernetes.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "launch/kubernetes_log.h"
#include "launch/kubernetes_pods.h"
#include "launch/srun_output.h"

namespace clusterc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// What reads logs and copies at the same time: each is a kubectl of some 50 MB.
constexpr std::size_t kAtOnce = 16;
// How long the API server may not answer before a launch is given up.
constexpr auto kAnswers = std::chrono::minutes(2);
// A program of the bundle; those with device code of seven architectures are the largest, some 200 MB.
constexpr std::size_t kMostProgram = std::size_t{1} << 30;

class KubernetesLauncher final : public Launcher {
 public:
  explicit KubernetesLauncher(KubernetesOptions options) : options_(std::move(options)) {
    for (const KubernetesNode& node : options_.nodes) known_.emplace(node.name, &node);
  }

  std::string_view id() const override { return "kubernetes"; }
  bool available(std::string& why) const override;
  std::vector<NodeState> states(std::span<const std::string> nodes) const override;
  LaunchResult run(const Launch&) const override;
  // Without the shell that counts lines and finds the nodes of a world.
  std::vector<std::string> command(const Launch& launch) const override {
    if (!launch.mpi) return launch.argv;
    const int ranks = std::max(1, launch.ranks_per_node);
    std::vector<std::string> out = {"mpirun",
                                    "--hostfile",
                                    "/clusterc/hosts",
                                    "-n",
                                    std::to_string(launch.nodes.size() * static_cast<std::size_t>(ranks)),
                                    "--map-by",
                                    format("ppr:{}:node", ranks),
                                    "--bind-to",
                                    "none"};
    out.insert(out.end(), launch.argv.begin(), launch.argv.end());
    return out;
  }
  std::vector<NodeState> copy(const std::string& from, const std::string& to,
                              std::span<const std::string> nodes) const override;

 private:
  struct Following {
    LaunchPods pods;
    std::string error;  // of the whole launch
    bool interrupted = false;
  };

  std::vector<std::string> kubectl(std::vector<std::string> words) const {
    std::vector<std::string> argv = {"kubectl", "--request-timeout=60s"};
    if (!options_.context.empty()) argv.push_back("--context=" + options_.context);
    if (!options_.space.empty()) argv.push_back("--namespace=" + options_.space);
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  SubprocessResult ask(std::vector<std::string> words, std::string input = {}) const {
    return clusterc::run({.argv = kubectl(std::move(words)),
                          .input = std::move(input),
                          .timeout = seconds(120),
                          .max_out = std::size_t{1} << 30,  // some 10 kB for each pod
                          .interrupted = options_.interrupted});
  }
  std::vector<const KubernetesNode*> nodes_of(const Launch& launch) const {
    std::vector<const KubernetesNode*> out;
    for (const std::string& node : launch.nodes)
      if (const auto at = known_.find(node); at != known_.end()) out.push_back(at->second);
    return out;
  }
  // `wait`: until their pods are gone. What was made by a run that crashed has the labels of the run that goes on.
  void remove(const std::string& selector, bool wait) const;
  Following begin(const Launch&, PodUse) const;
  void follow(const Launch&, Following&, const std::function<bool()>& done) const;
  void read_log(const Launch&, PodTask&, std::size_t ranks) const;
  std::string why_no_pod(const std::string& job) const;

  KubernetesOptions options_;
  std::map<std::string, const KubernetesNode*, std::less<>> known_;
  mutable bool swept_ = false;    // what an earlier run left is gone
  mutable bool mpi_jobs_ = true;  // the API has MPIJobs, as far as is known
};

// Each index once, by at most kAtOnce threads.
void each_at_once(std::size_t count, const std::function<void(std::size_t)>& use) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < std::min(kAtOnce, count); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) use(i);
    });
  for (std::thread& thread : threads) thread.join();
}

std::string said(const SubprocessResult& ended) {
  const std::vector<std::string> lines = last_lines(ended.err);
  return lines.empty() ? ended.reason : printable(lines.back().substr(0, kLongestReason));
}

std::string why_refused(const SubprocessResult& ended) {
  if (ended.err.find("no matches for kind \"MPIJob\"") != std::string::npos)
    return "the cluster has no MPIJob: install MPI Operator (kubeflow.org/v2beta1)";
  return "the API server does not take the objects of this test: " + said(ended);
}

bool KubernetesLauncher::available(std::string& why) const {
  if (!find_program("kubectl")) {
    why = "kubectl is not installed here: run this on a machine that has it with a configuration";
    return false;
  }
  const SubprocessResult asked = ask({"get", "nodes", "--output=name", "--chunk-size=1"});
  if (!asked.ok()) why = "the API server does not show the nodes: " + said(asked);
  return why.empty();
}

std::vector<NodeState> KubernetesLauncher::states(std::span<const std::string> nodes) const {
  const SubprocessResult listed = ask({"get", "nodes", "--output=json"});
  const std::map<std::string, ApiNode> there = read_nodes(listed.out);
  std::vector<NodeState> out;
  for (const std::string& node : nodes) {
    const auto known = known_.find(node);
    if (known == known_.end() || known->second->object.empty()) {
      out.push_back({false, "no node of Kubernetes that runs pods of jobs"});
      continue;
    }
    const auto at = there.find(known->second->object);
    if (at == there.end())
      out.push_back({false, listed.ok() ? format("unknown to Kubernetes (no node '{}')", known->second->object)
                                        : "kubectl did not answer: " + said(listed)});
    else
      out.push_back(state_of(at->second, known->second->gpu));
  }
  return out;
}

void KubernetesLauncher::remove(const std::string& selector, bool wait) const {
  for (const char* kind : {"jobs.batch", "mpijobs.kubeflow.org"}) {
    if (std::string_view(kind).starts_with("mpi") && !mpi_jobs_) continue;
    std::vector<std::string> words = {"delete",
                                      kind,
                                      "--selector=" + selector,
                                      "--ignore-not-found",
                                      wait ? "--cascade=foreground" : "--cascade=background",
                                      wait ? "--wait=true" : "--wait=false"};
    if (wait) words.emplace_back("--timeout=60s");
    // Not ended by a signal: it comes behind one, too.
    const SubprocessResult done =
        clusterc::run({.argv = kubectl(std::move(words)), .timeout = seconds(wait ? 90 : 10)});
    if (done.err.find("doesn't have a resource type") != std::string::npos) mpi_jobs_ = false;
  }
}

KubernetesLauncher::Following KubernetesLauncher::begin(const Launch& launch, PodUse use) const {
  Following out;
  const std::vector<const KubernetesNode*> nodes = nodes_of(launch);
  if (nodes.size() != launch.nodes.size()) {
    out.error = "a node of this test is no node of Kubernetes";
    return out;
  }
  if (!swept_) remove(format("{}={}", kRunLabel, options_.run), true);
  swept_ = true;
  const std::string id = launch_id(launch, options_);
  out.pods = LaunchPods(launch, nodes, id, options_.image);
  const SubprocessResult made = ask({"create", "--filename=-"}, kubernetes_objects(launch, options_, nodes, use));
  out.interrupted = made.outcome == SubprocessResult::Outcome::interrupted;
  if (!made.ok()) out.error = why_refused(made);
  return out;
}

// Asks for the pods until `done`.
void KubernetesLauncher::follow(const Launch& launch, Following& state, const std::function<bool()>& done) const {
  const std::string selector = format("--selector={}={}", kLaunchLabel, launch_id(launch, options_));
  // Often enough for a test of seconds, seldom enough for the API server: a list of 4,096 pods is some 40 MB.
  const auto pause = std::chrono::milliseconds(500 + 2 * launch.nodes.size());
  auto answered = Clock::now();
  while (state.error.empty() && !state.interrupted) {
    const SubprocessResult listed = ask({"get", "pods", selector, "--output=json"});
    const auto now = Clock::now();
    if (listed.outcome == SubprocessResult::Outcome::interrupted) {
      state.interrupted = true;
    } else if (listed.ok() && state.pods.take(listed.out, now)) {
      answered = now;
    } else if (now - answered > kAnswers) {
      state.error = "the API server did not answer for 2 min: " + said(listed);
    }
    if (state.interrupted || done()) return;
    const auto until = Clock::now() + pause;
    while (Clock::now() < until && !state.interrupted) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      state.interrupted = launch.interrupted && launch.interrupted->load();
    }
  }
}

// The log from its beginning; once more where the connection broke before its end.
void KubernetesLauncher::read_log(const Launch& launch, PodTask& task, std::size_t ranks) const {
  OutputLimit limit;
  limit.bytes *= ranks, limit.lines *= ranks;
  PodLog log(limit);
  SubprocessResult read;
  for (int turn = 0; turn < 3 && !log.is_whole(); ++turn) {
    read = clusterc::run({.argv = kubectl({"logs", task.pod, "--container=" + task.role}),
                          .timeout = std::chrono::minutes(5),
                          .max_out = 0,
                          .on_line = [&](std::string_view line) { log.take(line, task.output); },
                          .max_line = limit.line,
                          .interrupted = launch.interrupted});
    if (read.outcome == SubprocessResult::Outcome::interrupted) break;
    if (!log.is_whole()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  const auto by_object = std::find_if(options_.nodes.begin(), options_.nodes.end(),
                                      [&](const KubernetesNode& n) { return n.object == log.node(); });
  if (!log.node().empty()) task.output.claims = by_object == options_.nodes.end() ? log.node() : by_object->name;
  if (!task.output.broken.empty()) {
    task.output.lines.clear();
  } else if (task.output.lines.empty()) {
    task.output.lines = log.errors();
    if (!log.is_whole()) task.output.lines.push_back("the log of pod '" + task.pod + "' has no end: " + said(read));
  } else if (log.status() != 0) {
    task.output.complaints = last_lines(join(log.errors(), "\n"));
  }
  if (!task.note.empty()) task.output.complaints.push_back(task.note);
}

// Why a controller makes no pod stands in an event: a quota, or pod security of the namespace.
std::string KubernetesLauncher::why_no_pod(const std::string& job) const {
  const SubprocessResult listed =
      ask({"get", "events", "--field-selector=type=Warning,involvedObject.name=" + job, "--output=json"});
  return read_event(listed.out);
}

LaunchResult KubernetesLauncher::run(const Launch& launch) const {
  Following state = begin(launch, PodUse::programs);
  LaunchPods& pods = state.pods;
  follow(launch, state, [&] { return pods.settled(); });
  LaunchResult result;
  result.interrupted = state.interrupted;
  result.error = state.error;
  const auto ranks =
      launch.mpi ? launch.nodes.size() * static_cast<std::size_t>(std::max(1, launch.ranks_per_node)) : 1;
  if (!state.interrupted && state.error.empty()) {
    std::string why;
    each_at_once(pods.tasks().size(), [&](std::size_t i) {
      PodTask& task = pods.tasks()[i];
      if (task.has_log) read_log(launch, task, ranks);
    });
    for (PodTask& task : pods.tasks()) {
      if (task.never_made && why.empty()) why = why_no_pod(task.job);
      if (task.never_made && !why.empty()) task.output.broken += ": " + why;
      result.started = result.started || !task.never_made;
      for (const std::string& line : task.output.complaints) result.messages += line + "\n";
      result.tasks.push_back(std::move(task.output));
    }
  }
  remove(format("{}={}", kLaunchLabel, launch_id(launch, options_)), false);
  return result;
}

// A pod on each node holds the folder open, and kubectl hands it file after file.
std::vector<NodeState> KubernetesLauncher::copy(const std::string& from, const std::string&,
                                                std::span<const std::string> nodes) const {
  std::vector<NodeState> out(nodes.size(), NodeState{true, ""});
  const Launch launch{.argv = {"copy"},
                      .nodes = {nodes.begin(), nodes.end()},
                      .timeout = std::chrono::minutes(30),
                      .interrupted = options_.interrupted};
  Following state = begin(launch, PodUse::copying);
  follow(launch, state, [&] { return state.pods.running(); });
  std::vector<PodTask>& tasks = state.pods.tasks();
  if (state.interrupted) state.error = "interrupted";
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!state.error.empty() || !tasks[i].output.broken.empty())
      out[i] = {false,
                "the validators cannot be copied: " + (state.error.empty() ? tasks[i].output.broken : state.error)};
  for (const std::string& program : bundle_programs(from)) {
    FileError unreadable;
    const auto bytes = read_file(program, kMostProgram, unreadable);
    const std::string path = options_.bundle + program.substr(program.rfind('/'));
    each_at_once(nodes.size(), [&](std::size_t i) {
      if (!out[i].usable) return;
      if (!bytes) {
        out[i] = {false, "the validators cannot be copied: " + unreadable.message};
        return;
      }
      const SubprocessResult sent =
          clusterc::run({.argv = kubectl({"exec", "--stdin", tasks[i].pod, "--container=task", "--", "/bin/sh", "-c",
                                          "cat > \"$0.part\" && chmod 755 \"$0.part\" && mv \"$0.part\" \"$0\"", path}),
                         .input = *bytes,
                         .timeout = std::chrono::minutes(10),
                         .interrupted = options_.interrupted});
      if (!sent.ok()) out[i] = {false, "the validators cannot be copied: " + said(sent)};
    });
  }
  remove(format("{}={}", kLaunchLabel, launch_id(launch, options_)), false);
  return out;
}

}  // namespace

std::unique_ptr<Launcher> make_kubernetes_launcher(KubernetesOptions options) {
  return std::make_unique<KubernetesLauncher>(std::move(options));
}

}  // namespace clusterc
