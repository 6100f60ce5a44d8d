// `check` of files that people have already and that are no specs (audit/files/).
#pragma once
#include <memory>
#include <string>

#include "audit/files/judge.h"
#include "cli/command.h"

namespace clusterc::cli {

void add_known_file_options(po::options_description&);  // --gpus, --gpu-memory: what a file does not say itself

// Reads files of the folder of `path`, each once. The sources must outlive it.
ReadBeside files_beside(const std::string& path, Sources&, std::size_t max_bytes);

struct KnownFileRun {
  std::shared_ptr<Run> run;  // sources, findings and `unreadable` alone; null: the file is none that is judged
  std::string summary;       // "a slurm.conf: 4 nodes, 32 GPUs"
  bool in_part = false;      // nothing is wrong, but not all could be compared, as `audit` has it
};
KnownFileRun check_known_file(const std::string& path, const RunOptions&, const po::variables_map&);

}  // namespace clusterc::cli
