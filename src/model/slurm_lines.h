// Extra lines that the spec adds to Slurm's files (outputs.slurm.extra), as rules and outputs read them: Key=Value
// pairs, keys in any case, as Slurm 22.05's own reader takes them apart (tests/consumers/slurm.sh asks it).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace clusterc {

struct SlurmLine {
  SourceSpan span;
  std::vector<std::pair<std::string, std::string>> pairs;  // keys in lower case
  struct Place {
    std::size_t begin = 0, end = 0;  // offsets in the text: from the key to the end of the value
  };
  std::vector<Place> places;  // of each pair
  std::string rest;           // where it is no Key=Value any more: Slurm ends there ("Parse error")
  const std::string* value(std::string_view key) const {  // of those that come again the last, as Slurm has it
    for (auto p = pairs.rbegin(); p != pairs.rend(); ++p)
      if (p->first == key) return &p->second;
    return nullptr;
  }
};
SlurmLine read_slurm_line(std::string_view text, SourceSpan);
// Of one file; empty where Slurm does not schedule.
std::vector<SlurmLine> extra_slurm_lines(const Cluster&, std::string_view file);

// The names of a host list that are nodes of this cluster, and the first one that is not.
struct SlurmNames {
  std::vector<std::int64_t> nodes;  // node numbers
  std::optional<std::string> unknown;
  bool readable = true;  // it is a host list
};
// hostlist.c of Slurm, MAX_RANGE: slurmctld ends at a longer one ("Too many hosts in range").
inline constexpr std::uint64_t kLongestSlurmRange = 65536;
bool slurm_reads_ranges(std::string_view list);  // none of its ranges is longer

SlurmNames slurm_names_of(const Cluster&, std::string_view list);

}  // namespace clusterc
