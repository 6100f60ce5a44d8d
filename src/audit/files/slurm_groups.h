// The nodes of a slurm.conf in groups: nodes whose lines describe the same hardware and that are in the same
// partitions.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/slurm_cluster.h"

namespace clusterc {

struct SlurmHardware {
  std::int64_t sockets = 0, cores_per_socket = 0, threads = 1;  // 0: the line does not say it
  std::int64_t cpus = 0;                                        // as written
  std::int64_t memory = 0;                                      // MiB, as written
  std::vector<SlurmGres> gpus;
  std::int64_t shards = 0;  // of a node
};

struct SlurmGroup {
  std::string name;
  std::vector<std::string> names;
  const SlurmNodeLine* line = nullptr;     // the first of its lines
  const SlurmEntry* partition = nullptr;   // has these nodes and no others, and gives the group its name
  std::vector<std::size_t> in_partitions;  // numbers
  std::vector<std::string> left_out;       // features that a spec cannot have: "feature=a&b"
  std::vector<std::string> features;       // as written, each once
  std::int64_t weight = 0;                 // 0: none written
  SlurmHardware hardware;
  bool cloud = false;
};

struct SlurmPartitionNodes {
  const SlurmEntry* entry = nullptr;
  std::size_t number = 0;  // as in SlurmGroup::in_partitions
  std::int64_t size = 0;   // nodes
};

struct SlurmGroups {
  std::vector<SlurmGroup> groups;
  std::vector<SlurmPartitionNodes> partitions;      // all, in the order of the file
  std::vector<const SlurmEntry*> other_partitions;  // that are no group's
  std::vector<std::string> controllers, outside;    // outside: those that no group has
  std::vector<std::string> addresses;               // "head1(10.0.0.5)": hosts with addresses, as written
  std::string error;                                // why there are no groups
};
inline constexpr std::size_t kMostSlurmGroups = 1000;

SlurmGroups slurm_groups(const SlurmCluster&);
// Whether the groups hold what a node line says under this key, in lower case.
bool slurm_group_reads(std::string_view key);
// Whether a group or a partition of a spec can have the name.
bool can_name_in_spec(std::string_view);

}  // namespace clusterc
