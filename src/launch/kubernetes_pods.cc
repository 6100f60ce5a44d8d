#include "launch/kubernetes_pods.h"

#include <simdjson.h>

#include <algorithm>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "launch/srun_output.h"

namespace clusterc {
namespace {

using Clock = std::chrono::steady_clock;
using Element = simdjson::dom::element;

// What a pod may wait for: a controller that makes it and a scheduler that finds it a place, as Slurm's --immediate=60;
// then an image of tens of GB.
constexpr auto kAppears = std::chrono::seconds(60), kPlaced = std::chrono::seconds(60);
constexpr auto kStarts = std::chrono::minutes(10);

std::string text(const Element& e, std::string_view pointer) {
  std::string_view v;
  return e.at_pointer(pointer).get(v) == simdjson::SUCCESS ? std::string(v) : std::string();
}
// What others wrote, as a part of a message.
std::string shown(const Element& e, std::string_view pointer) {
  return printable(text(e, pointer).substr(0, kLongestReason));
}

template <class F>
void each(const Element& e, std::string_view pointer, F&& use) {
  simdjson::dom::array all;
  if (e.at_pointer(pointer).get(all) == simdjson::SUCCESS)
    for (const Element one : all) use(one);
}

std::string in_brackets(const std::string& what) { return what.empty() ? what : " (" + what + ")"; }

// Reasons of a waiting container that do not pass by themselves: pkg/kubelet/images/types.go,
// pkg/kubelet/kuberuntime/kuberuntime_container.go.
bool is_about_image(std::string_view reason) {
  return reason == "ImagePullBackOff" || reason == "InvalidImageName" || reason == "ErrImageNeverPull" ||
         reason == "ImageInspectError" || reason == "RegistryUnavailable";
}
bool is_final(std::string_view reason) {
  return reason == "CreateContainerConfigError" || reason == "CreateContainerError" || reason == "RunContainerError";
}

}  // namespace

std::map<std::string, ApiNode> read_nodes(std::string_view json) {
  std::map<std::string, ApiNode> out;
  simdjson::dom::parser parser;
  Element list;
  if (parser.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS) return out;
  each(list, "/items", [&](const Element& e) {
    ApiNode node{.why_not_ready = "it never said that it is ready"};
    bool cordoned = false;
    if (e.at_pointer("/spec/unschedulable").get(cordoned) == simdjson::SUCCESS) node.cordoned = cordoned;
    each(e, "/status/conditions", [&](const Element& c) {
      if (text(c, "/type") != "Ready") return;
      node.ready = text(c, "/status") == "True";
      node.why_not_ready = shown(c, "/message");
    });
    each(e, "/spec/taints", [&](const Element& t) {
      if (const std::string effect = text(t, "/effect"); effect == "NoSchedule" || effect == "NoExecute")
        node.taints.push_back(text(t, "/key"));
    });
    out.emplace(text(e, "/metadata/name"), std::move(node));
  });
  return out;
}

NodeState state_of(const ApiNode& node, std::string_view tolerated) {
  if (!node.ready) return {false, "not ready" + in_brackets(node.why_not_ready)};
  if (node.cordoned) return {false, "cordoned: kubectl uncordon lets it take pods"};
  for (const std::string& taint : node.taints)
    if (taint != tolerated)
      return {false, format("tainted '{}': its pods do not tolerate that", printable(taint.substr(0, kLongestReason)))};
  return {true, ""};
}

std::string read_event(std::string_view json) {
  simdjson::dom::parser parser;
  Element list;
  std::string out;
  if (parser.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS) return out;
  each(list, "/items", [&](const Element& e) {
    if (std::string said = shown(e, "/message"); !said.empty()) out = std::move(said);
  });
  return out;
}

struct LaunchPods::Pod {
  const Element& e;
  std::string name, node, phase;
  explicit Pod(const Element& pod)
      : e(pod), name(text(e, "/metadata/name")), node(text(e, "/spec/nodeName")), phase(text(e, "/status/phase")) {}
};

LaunchPods::LaunchPods(const Launch& launch, const std::vector<const KubernetesNode*>& nodes, const std::string& id,
                       const std::string& image)
    : image_(image), timeout_(launch.timeout) {
  if (launch.mpi) {
    tasks_.push_back({.output = {.node = launch.nodes.front(), .lines = {}},
                      .role = "launcher",
                      .pod = "",
                      .job = "clusterc-" + id,
                      .node = ""});
    wanted_workers_ = nodes.size();
    return;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    tasks_.push_back({.output = {.node = launch.nodes[i], .lines = {}},
                      .role = "task",
                      .pod = "",
                      .job = format("clusterc-{}-{}", id, i),
                      .node = nodes[i]->object});
}

// What comes of the task counts no more.
void LaunchPods::lose(PodTask& task, std::string why) {
  task.output.broken = std::move(why);
  task.settled = true;
  task.has_log = false;
}

void LaunchPods::take_pending(PodTask& task, const Pod& pod, Clock::time_point now) {
  std::string waits, message, unplaced;
  bool placed = !pod.node.empty();
  each(pod.e, "/status/conditions", [&](const Element& c) {
    if (text(c, "/type") == "PodScheduled" && text(c, "/status") == "False") unplaced = shown(c, "/message");
  });
  if (!placed) {
    if (!task.homeless) task.homeless = now;
    if (now - *task.homeless > kPlaced)
      lose(task, "not run: within 60 s the scheduler found no place for its pod" + in_brackets(unplaced) +
                     ": free the node, or see what it offers with kubectl describe node");
    return;
  }
  each(pod.e, "/status/containerStatuses", [&](const Element& c) {
    waits = text(c, "/state/waiting/reason");
    message = shown(c, "/state/waiting/message");
  });
  if (is_about_image(waits))
    lose(task, format("not run: the node does not get the image '{}': {}{}: name one with --pod-image that it can pull",
                      image_, printable(waits), in_brackets(message)));
  else if (is_final(waits))
    lose(task, format("not run: its container cannot be made: {}{}", printable(waits), in_brackets(message)));
  else if (begun_ && now - *begun_ > kStarts)
    lose(task, format("not run: its pod did not start within 10 min: {}{}: see kubectl describe pod {}",
                      printable(waits.empty() ? "pending" : waits), in_brackets(message), pod.name));
}

void LaunchPods::take_pod(PodTask& task, const Pod& pod, Clock::time_point now) {
  task.pod = pod.name;
  if (!task.node.empty() && !pod.node.empty() && pod.node != task.node)
    return lose(task, format("its pod ran on '{}'", printable(pod.node.substr(0, kLongestReason))));
  std::string disrupted;
  each(pod.e, "/status/conditions", [&](const Element& c) {
    if (text(c, "/type") == "DisruptionTarget" && text(c, "/status") == "True")
      disrupted = shown(c, "/reason") + in_brackets(shown(c, "/message"));
  });
  const std::string reason = text(pod.e, "/status/reason");
  const bool over = pod.phase == "Succeeded" || pod.phase == "Failed";
  if (!disrupted.empty() || (pod.phase == "Failed" && !reason.empty())) {
    if (disrupted.empty()) disrupted = printable(reason) + in_brackets(shown(pod.e, "/status/message"));
    return lose(task, "not run to its end: its pod was taken from the node: " + disrupted);
  }
  if (over) {
    each(pod.e, "/status/containerStatuses", [&](const Element& c) {
      if (text(c, "/state/terminated/reason") == "OOMKilled") task.note = "its container was ended: out of memory";
    });
    task.settled = task.has_log = true;
    return;
  }
  if (!text(pod.e, "/metadata/deletionTimestamp").empty()) return lose(task, "not run to its end: its pod was deleted");
  if (pod.phase != "Running") return take_pending(task, pod, now);
  if (!task.running) task.running = now;
  if (now - *task.running <= timeout_) return;
  lose(task, format("it was ended after {} s, its time limit",
                    std::chrono::duration_cast<std::chrono::seconds>(timeout_).count()));
}

bool LaunchPods::take(std::string_view json, Clock::time_point now) {
  simdjson::dom::parser parser;
  Element list;
  if (parser.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS) return false;
  if (!begun_) begun_ = now;
  std::vector<bool> seen(tasks_.size());
  std::string lost;  // of a worker
  std::size_t running_workers = 0;
  each(list, "/items", [&](const Element& e) {
    const Pod pod(e);
    const std::string role = text(e, "/metadata/labels/clusterc~1role");
    if (role == "worker") {
      auto at = std::find_if(workers_.begin(), workers_.end(), [&](const PodTask& w) { return w.pod == pod.name; });
      if (at == workers_.end()) at = workers_.insert(at, {.role = role, .pod = pod.name});
      // The time of a world is that of its launcher.
      const bool runs = pod.phase == "Running" && text(e, "/metadata/deletionTimestamp").empty();
      running_workers += runs;
      if (!runs && !at->settled) take_pod(*at, pod, now);
      if (at->settled && lost.empty())
        lost = at->output.broken.empty() ? "its sshd ended: the image has to have one" : at->output.broken;
      return;
    }
    const auto task =
        role == "launcher" ? std::optional<std::uint64_t>(0) : parse_uint(text(e, "/metadata/labels/clusterc~1task"));
    if (!task || *task >= tasks_.size()) return;
    seen[*task] = true;
    if (!tasks_[*task].settled) take_pod(tasks_[*task], pod, now);
  });
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    PodTask& task = tasks_[i];
    if (task.settled || seen[i]) continue;
    if (!task.pod.empty()) {
      lose(task, "not run to its end: its pod was deleted");
    } else if (workers_.empty() && now - *begun_ > kAppears) {
      lose(task, wanted_workers_ > 0 ? "not run: MPI Operator made no pods of it within 60 s: see whether it runs"
                                     : "not run: no pod was made of its Job within 60 s");
      task.never_made = true;
    } else if (wanted_workers_ > 0 && running_workers == wanted_workers_ && now - *begun_ > kStarts) {
      lose(task, "not run: MPI Operator made no launcher of it within 10 min");
    }
  }
  // A world without one of its workers cannot end well, and its launcher may wait for it.
  if (!lost.empty() && !tasks_.empty() && !tasks_.front().settled) lose(tasks_.front(), lost);
  return true;
}

bool LaunchPods::settled() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const PodTask& t) { return t.settled; });
}

bool LaunchPods::running() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const PodTask& t) { return t.settled || t.running; });
}

}  // namespace clusterc
