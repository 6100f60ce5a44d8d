// Which values keys of slurm.conf take: numbers, truths, times and words, for extra lines, since slurmctld does not
// start on one that it cannot read.
#pragma once
#include <string>
#include <string_view>

namespace clusterc {

// Why Slurm does not take `value` for `key` of a line that begins with `first` ("NodeName"; for a line of one setting
// that key itself), as "'x' is no number"; empty: it does, or nobody here knows. As sinfo 22.05 answers, which
// tests/consumers/slurm.sh asks of each key; State of nodes as slurmctld does.
std::string slurm_value_refused(std::string_view first, std::string_view key, std::string_view value);

}  // namespace clusterc
