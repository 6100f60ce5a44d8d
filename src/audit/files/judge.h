// Judges a file that people have already, without a spec.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "diag/finding.h"
#include "spec/other_files.h"

namespace clusterc {

// What a file does not say itself; 0: not known.
struct FileChoices {
  std::int64_t gpus = 0;
  Bytes gpu_memory;  // of one GPU
};

// Reads a file of the same folder into the sources; nullopt where there is none. Empty: the folder is not known.
using ReadBeside = std::function<std::optional<FileId>(const std::string& name)>;

// What a report, list or log does not say is neither right nor wrong.
inline constexpr std::string_view kFileNotRead[] = {"file-smi-unread", "file-lspci-unread", "file-lstopo-unread",
                                                    "file-nccl-unread", "file-dcgm-unread"};

// "a slurm.conf: 4 nodes, 32 GPUs, with gres.conf". nullopt: such a file is not judged.
std::optional<std::string> judge_file(const OtherFile&, const Sources&, FileId, const FileChoices&, const ReadBeside&,
                                      Findings&);
bool is_judged(FileKind);

}  // namespace clusterc
