// The partitions of a slurm.conf as `scheduler.partitions` has them.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/slurm_groups.h"
#include "write/writers.h"

namespace clusterc {

struct SlurmPartitionSpec {
  std::string name, nodes, qos;  // nodes: where they are not whole groups
  std::vector<std::string> groups, extra;
  std::vector<std::string> lost;  // settings as written that a spec cannot hold
  bool standard = false, exclusive = false;
  std::optional<std::int64_t> minutes, default_minutes, priority, tier;
  bool says_more = false;  // than the partition of a group does without an entry
};

using SlurmAsWritten = std::function<std::string(const SlurmSetting&, std::string_view key)>;
// nullopt: a spec cannot name the partition, or its nodes.
std::optional<SlurmPartitionSpec> slurm_partition_spec(const SlurmGroups&, const SlurmPartitionNodes&,
                                                       const SlurmAsWritten&);
void write_slurm_partitions(YamlWriter&, const std::vector<SlurmPartitionSpec>&);

}  // namespace clusterc
