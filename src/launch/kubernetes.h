// Through a Kubernetes cluster: kubectl, from any machine that has it with a configuration. No daemon of ours: objects,
// the state of their pods, and what the pods print.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launcher.h"

namespace clusterc {

struct KubernetesNode {
  std::string name;                       // of the spec
  std::string object;                     // of the API; empty: its pods run no tests
  std::string gpu;                        // resource: nvidia.com/gpu; empty without GPUs
  std::string networks;                   // secondary networks of its pods, as Multus takes them; empty: none
  std::string adapters;                   // resource of its RDMA adapters; empty: none
  std::int64_t cpus = 0, memory_mib = 0;  // that a pod which has the node for itself asks for; 0: not known, not asked
  std::vector<std::string> mounts;        // of the file systems that the spec mounts on it
};

struct KubernetesOptions {
  std::string context, space, account;  // of kubectl, namespace, service account of the pods; empty: kubectl's choice
  std::string image;                    // of the pods
  std::string bundle;  // folder of the nodes that pods see at the same path; empty: the image has the validators
  std::string run;     // label of all that a run makes; the same when the run goes on after a crash
  std::vector<KubernetesNode> nodes;
  const std::atomic<bool>* interrupted = nullptr;
};
std::unique_ptr<Launcher> make_kubernetes_launcher(KubernetesOptions);

inline constexpr std::string_view kRunLabel = "clusterc/run", kLaunchLabel = "clusterc/launch",
                                  kTaskLabel = "clusterc/task", kRoleLabel = "clusterc/role";

// 16 hexadecimal digits: the same for the same launch of the same run.
std::string launch_id(const Launch&, const KubernetesOptions&);

enum class PodUse { programs, copying };  // copying: the folder of the bundle is made and written, and nothing runs

// The objects of a launch as JSON, for `kubectl create`: a Job for each node, or an MPIJob. `nodes`: of the launch.
std::string kubernetes_objects(const Launch&, const KubernetesOptions&, const std::vector<const KubernetesNode*>& nodes,
                               PodUse = PodUse::programs);

// What the container of a launch runs; of an MPI world: of its launcher.
std::vector<std::string> container_command(const Launch&, const std::vector<const KubernetesNode*>& nodes);

}  // namespace clusterc
