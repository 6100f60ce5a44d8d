// Judges a file that people have already, without a spec.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "audit/files/known_file.h"
#include "base/quantity.h"
#include "diag/finding.h"

namespace clusterc {

// What a file does not say itself; 0: not known.
struct FileChoices {
  std::int64_t gpus = 0;
  Bytes gpu_memory;  // of one GPU
};

// Reads a file of the same folder into the sources; nullopt where there is none. Empty: the folder is not known.
using ReadBeside = std::function<std::optional<FileId>(const std::string& name)>;

struct FileJudgement {
  std::string summary;   // "a slurm.conf with gres.conf: 4 nodes, 32 GPUs"
  std::string unjudged;  // why `check` has no verdict, and what reads the file; empty: it has one
};
FileJudgement judge_file(const KnownFile&, Sources&, FileId, const FileChoices&, const ReadBeside&, Findings&);

}  // namespace clusterc
