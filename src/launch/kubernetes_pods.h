// What the API says of nodes and of the pods of a launch, and what that means for the tasks.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/kubernetes.h"

namespace clusterc {

struct ApiNode {
  bool ready = false, cordoned = false;
  std::string why_not_ready;
  std::vector<std::string> taints;  // keys of those that keep pods away
};
std::map<std::string, ApiNode> read_nodes(std::string_view json);  // of `kubectl get nodes`
NodeState state_of(const ApiNode&, std::string_view tolerated);    // `tolerated`: a taint that its pods tolerate

// The message of the last event of a list, as one line; empty: there is none.
std::string read_event(std::string_view json);

// A pod that is followed: of a Job, or of one that belongs to an MPIJob.
struct PodTask {
  TaskOutput output;
  std::string role, pod, job;  // container; name; the object that makes it
  std::string node;            // of the API; empty: any
  bool settled = false;        // nothing more comes of it
  bool has_log = false;
  bool never_made = false;  // no controller made a pod of it
  std::string note;         // what the API says of its end: "ended by the kernel: out of memory"
  std::optional<std::chrono::steady_clock::time_point> running, homeless;  // since when
};

class LaunchPods {
 public:
  LaunchPods() = default;
  LaunchPods(const Launch&, const std::vector<const KubernetesNode*>& nodes, const std::string& id,
             const std::string& image);
  // What `kubectl get pods` lists; false: it is no list.
  bool take(std::string_view json, std::chrono::steady_clock::time_point now);
  bool settled() const;  // every task
  bool running() const;  // every task runs or is settled
  std::vector<PodTask>& tasks() { return tasks_; }

 private:
  struct Pod;
  void take_pod(PodTask&, const Pod&, std::chrono::steady_clock::time_point now);
  void take_pending(PodTask&, const Pod&, std::chrono::steady_clock::time_point now);
  void lose(PodTask&, std::string why);

  std::vector<PodTask> tasks_;    // of each node; of an MPI world: its launcher
  std::vector<PodTask> workers_;  // of an MPI world, as they appear
  std::size_t wanted_workers_ = 0;
  std::string image_;
  std::chrono::milliseconds timeout_{};
  std::optional<std::chrono::steady_clock::time_point> begun_;
};

}  // namespace clusterc
