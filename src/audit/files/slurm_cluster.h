// What a slurm.conf and the gres.conf beside it say of nodes, GPUs and partitions.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/slurm_file.h"
#include "base/host_pattern.h"

namespace clusterc {

using SlurmDefaults = std::map<std::string, SlurmSetting, std::less<>>;  // of NodeName=DEFAULT lines so far

// A line that defines something by name: NodeName, PartitionName.
struct SlurmEntry {
  const SlurmRecord* record = nullptr;
  std::shared_ptr<const SlurmDefaults> defaults;
  std::string names;                                     // as written
  const SlurmSetting* find(std::string_view key) const;  // of the line, else of the defaults before it
};

struct SlurmNodeLine : SlurmEntry {
  std::vector<std::string> each;  // name by name
  std::int64_t count() const { return static_cast<std::int64_t>(each.size()); }
};

struct SlurmGres {
  std::string type;  // empty: none given
  std::int64_t count = 1;
};
// "gpu:a100:8(S:0-1),nic:2": the entries for GPUs. An entry with `no_consume` or a name of its own is none.
std::vector<SlurmGres> gpus_of_gres(std::string_view gres);

struct SlurmCluster {
  SlurmText text;  // owns the records
  std::map<std::string, SlurmSetting, std::less<>> settings;
  std::vector<SlurmNodeLine> nodes;
  std::vector<SlurmEntry> partitions, node_sets;
  const SlurmRecord* unread = nullptr;  // the first whose nodes are no host list, or too many
  std::int64_t node_count = 0, gpu_count = 0;
  const SlurmSetting* find(std::string_view key) const {
    const auto found = settings.find(key);
    return found == settings.end() ? nullptr : &found->second;
  }
};
SlurmCluster slurm_cluster(SlurmText);

// "n[1-4],m7" -> "n[1-4]", "m7": the commas outside of brackets.
std::vector<std::string_view> host_list_terms(std::string_view list);

inline constexpr std::int64_t kMostSlurmNames = std::int64_t{1} << 20;  // of all lists of one kind together
// The names of a host list, in the order written; each term is read by itself, so that a long list costs no more than
// its names. nullopt: it is no host list, or has more names than are `left`.
std::optional<std::vector<std::string>> host_list_names(std::string_view list, std::int64_t& left);

}  // namespace clusterc
