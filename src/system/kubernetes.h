// What a Kubernetes cluster on these machines is: its release, control plane, networks, workers with what pods may use
// of them, places in the fabric, teams with their parts, rails as secondary networks of pods. Decided here once; the
// output kubernetes writes it, the runbook prints it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.h"
#include "system/system.h"

namespace clusterc {

// The releases that the compiled files are written for: kubeadm.k8s.io/v1beta4 came with 1.31, and 1.36 is the newest
// whose programs judged them.
inline constexpr std::string_view kOldestKubernetes = "1.31";
// Bits of the block of pod addresses that each node gets: 110 pods, kubelet's maximum, and as many that are ending.
inline constexpr int kPodBlockLength = 24;
inline constexpr std::int64_t kApiPort = 6443;

inline constexpr std::string_view kGroupLabel = "clusterc/group";
inline constexpr std::string_view kPodLabel = "topology.clusterc/pod", kLeafLabel = "topology.clusterc/leaf",
                                  kRackLabel = "topology.clusterc/rack", kNvlinkLabel = "topology.clusterc/nvlink",
                                  kFabricLabel = "topology.clusterc/fabric";

// A name of the API: lower-case letters, digits and inner hyphens, at most 63 (RFC 1123 label).
bool is_kubernetes_label_name(std::string_view);
// A value of a label: letters, digits, and inner - _ ., at most 63.
bool is_kubernetes_label_value(std::string_view);

struct KubernetesMachine {
  int group = -1;
  std::int64_t member = 0;
  std::string name;           // of the node object: its host name in lower case
  std::uint32_t address = 0;  // that the kubelet announces; 0: it chooses
  std::map<std::string, std::string> labels;
};

// A group whose nodes run pods of jobs.
struct KubernetesWorkers {
  int group = -1;
  std::vector<KubernetesMachine> nodes;
  std::int64_t cpus = 0, reserved_cpus = 0;       // of one node, hardware threads; 0: not known
  std::int64_t memory_mib = 0, reserved_mib = 0;  // that jobs may use; that the kubelet keeps back
  std::string gpu;                                // resource name: nvidia.com/gpu; empty without GPUs
  std::int64_t gpus = 0;                          // of one node, as the device plugin counts them
  std::int64_t spares = 0;
  std::vector<std::string_view> levels;  // labels that every node has, from the widest to the narrowest
};

struct KubernetesAmount {  // of one flavor
  int workers = -1;        // index in `workers`
  std::int64_t gpus = 0, cpus = 0, memory_mib = 0;
  // What may be borrowed besides, where a quota of the spec ends it.
  std::optional<std::int64_t> more_gpus, more_cpus, more_memory_mib;
};
struct KubernetesTeam {
  std::string name;  // namespace, group and queue
  std::vector<std::string> users;
  std::vector<KubernetesAmount> amounts;       // of each of `workers`
  std::map<std::string, std::int64_t> limits;  // of the namespace, by resource; empty: no quota
};

// A network of jobs that has remote memory access, as pods get it: one interface on each rail.
struct KubernetesRail {
  std::string name;    // "rails-compute1"
  std::string device;  // compute1, on the node
  std::optional<Ipv4Prefix> pool;
  std::int64_t block = 0;  // addresses of the pool for each node
};
struct KubernetesRailNetwork {
  int network = -1;
  bool infiniband = false;
  std::int64_t mtu = 0;
  std::string resource;  // rdma/rails
  std::vector<int> workers;
  std::vector<KubernetesRail> rails;
};

// Storage of the spec that pods of every team get.
struct KubernetesStorage {
  const StorageModel* storage = nullptr;
  std::string storage_class;
  bool many = true;          // ReadWriteMany
  std::string server, path;  // NFS; without a server: mounted on the nodes. Each team has a folder of its name there
  std::int64_t capacity_gib = 0;
};

struct KubernetesFacts {
  std::string release;  // "1.36"; empty: the spec names none
  std::string version;  // as kubeadm takes it: v1.36.4, stable-1.36
  std::string endpoint_host;
  std::int64_t endpoint_port = kApiPort;
  std::vector<KubernetesMachine> control_plane;  // empty: somebody else's
  std::vector<int> control_groups;
  Ipv4Prefix pods, services;
  std::vector<KubernetesWorkers> workers;
  std::vector<KubernetesTeam> teams;
  std::vector<KubernetesAmount> spare_amounts;  // that no team has
  bool kueue = false;
  std::vector<KubernetesRailNetwork> rails;
  std::vector<KubernetesStorage> storage;
};

KubernetesFacts kubernetes_facts(const System&, Findings&);

// In facts.teams and facts.spare_amounts; needs facts.workers.
void kubernetes_teams(const System&, KubernetesFacts&, Findings&);
// In facts.rails; needs facts.workers.
void kubernetes_rails(const System&, KubernetesFacts&, Findings&);
// In facts.storage; needs facts.workers.
void kubernetes_storage(const System&, KubernetesFacts&, Findings&);

}  // namespace clusterc
