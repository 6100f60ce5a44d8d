// Which keys slurm.conf has: for extra lines, since slurmctld does not start on a line that it does not know.
#pragma once
#include <span>
#include <string_view>

namespace clusterc {

// Those that the programs of 22.05 or 24.11 (Debian 12 and 13) take, found by giving each to them;
// tests/consumers/slurm.sh holds the list against the installed one. Sorted without regard to case.
std::span<const std::string_view> slurm_conf_keys();
bool is_slurm_conf_key(std::string_view);  // in any case of letters, as Slurm reads it

// Keys of a file beside slurm.conf: those of 22.05, as its programs take them, and those that releases from 23.02 to
// 25.05 added. Empty: the file is not in the table.
struct SlurmFileKeys {
  std::span<const std::string_view> first, added;
};
SlurmFileKeys slurm_file_keys(std::string_view file);

// Keys behind the first one of a line that defines something (NodeName, PartitionName, NodeSet, DownNodes), asked of
// the programs likewise; those of newer releases from slurm.conf(5) of 24.11 and 25.05. Empty: such a line has one
// setting alone.
std::span<const std::string_view> slurm_line_keys(std::string_view first);

}  // namespace clusterc
