// Container runtimes of a group's nodes: their files, where these go, and what they set.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

// Whether the spec names one of these runtimes for the group.
bool runs_containers(const NodeGroupModel&, std::initializer_list<std::string_view> names);
bool runs_kubernetes(const Cluster&);
bool has_gpus_of(const NodeGroupModel&, Vendor);
bool gpus_by_hook(const NodeGroupModel&);  // `container_gpus: hook`; else by CDI

// A group's runtimes, and what is to be said to them.
struct ContainerSettings {
  bool nvidia = false;  // its runtime is to be named
  bool cdi = false;
  std::optional<std::int64_t> memlock;  // bytes, -1: unlimited. RDMA pins what it transfers, in a container as outside
  std::int64_t nofile = 0, shared_memory = 0;
};
ContainerSettings container_settings(const Cluster&, int group);

// Docker asks a mirror for images of docker.io alone.
inline constexpr std::string_view kDockersOwn = "docker.io";
bool mirrors_docker(const Cluster&);
bool is_hosts_toml(std::string_view name);

// Local scratch whose path Enroot cannot take; null: there is none, or Enroot does not run.
const StorageModel* enroot_scratch_refused(const Cluster&, const NodeGroupModel&);

// The files of a group's container runtimes, and where they go on a node.
struct ContainerFile {
  std::string name, installed;
};
std::vector<ContainerFile> container_files(const Cluster&, int group);
// The folder on local scratch below which each user's images and containers lie; empty: no Enroot here, or no scratch.
std::string enroot_folder(const Cluster&, int group);

}  // namespace clusterc
