// The files beside a slurm.conf as a spec has them: gres.conf, cgroup.conf, slurmdbd.conf, and those that are not read.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/files/judge.h"
#include "audit/files/slurm_partitions.h"

namespace clusterc {

struct SlurmFileSpec {
  std::vector<std::string> extra;  // lines for outputs.slurm.extra
  std::vector<std::string> lost;   // what is not compiled as it stands there
};
std::vector<std::string> slurm_gres_lost(const SlurmCluster& gres);
SlurmFileSpec slurm_cgroup_spec(const SlurmCluster& cgroup, const SlurmAsWritten&);

struct SlurmDatabaseSpec : SlurmFileSpec {
  std::string database;   // host of the database, where it is not beside slurmdbd
  bool password = false;  // StoragePass is set: the spec has a reference, never the text
};
// `host`: AccountingStorageHost as the spec has it; nullopt: slurmdbd is on no node of the spec, so that nothing of
// slurmdbd.conf is compiled.
SlurmDatabaseSpec slurm_database_spec(const SlurmCluster& slurmdbd, const std::optional<std::string>& host,
                                      const SlurmAsWritten&);

// Files of Slurm that clusterc does not read, and that lie beside this slurm.conf: a sentence each.
std::vector<std::string> slurm_files_unread(const ReadBeside&);

}  // namespace clusterc
