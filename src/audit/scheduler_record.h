// What the scheduler says of itself: `scontrol show nodes`, `show config`, `show topology`, `kubectl get nodes -o
// json`.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct SeenSchedulerNode {
  std::string name, state, reason, version;
  std::int64_t cpus = -1, sockets = -1, cores_per_socket = -1, threads_per_core = -1;  // -1: not said
  std::int64_t memory_mib = -1;
  std::int64_t gpus = -1;
  std::set<std::string> gres;  // "gpu:h100:8"
  bool has_gres = false, has_features = false;
  std::set<std::string> features;
  std::map<std::string, std::string, std::less<>> labels, facts;  // Kubernetes; facts: of nodeInfo
  bool up = true;                                                 // takes jobs, or runs them
  bool cordoned = false;                                          // Kubernetes: takes no further pods
};

struct SeenScheduler {
  std::vector<SeenSchedulerNode> nodes;
  std::map<std::string, std::string, std::less<>> config;  // keys of slurm.conf, and SLURM_VERSION
  struct Switch {
    std::string name, nodes, switches;  // folded, as Slurm writes them
  };
  std::vector<Switch> switches;
  bool has_nodes = false, has_config = false, has_topology = false;
};

inline constexpr std::uint64_t kLargestSchedulerFile = std::uint64_t{512} << 20;

// Adds what the text says; it is recognised by its content, and may hold all three of scontrol. False with `error` for
// what is none of them, or has a line of none of them.
bool read_scontrol(std::string_view text, SeenScheduler& into, std::string& error);
bool read_kubectl(std::string_view text, SeenScheduler& into, std::string& error);

}  // namespace clusterc
