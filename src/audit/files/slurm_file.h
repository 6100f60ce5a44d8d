// A file of Slurm as Slurm takes it apart: comments, continued lines, Key=Value pairs, keys in any case, Include lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/judge.h"
#include "model/slurm_lines.h"

namespace clusterc {

struct SlurmSetting {
  std::string value;
  SourceSpan span;  // of "Key=Value"
};

// One line of settings. Of a key that stands twice Slurm takes the last.
struct SlurmRecord {
  SourceSpan span;
  std::vector<std::pair<std::string, SlurmSetting>> settings;  // keys in lower case
  const SlurmSetting* find(std::string_view key) const;
};

struct SlurmText {
  std::vector<SlurmRecord> records;
  bool whole = true;  // every line could be read, and every file that it includes
};
// With the files that Include lines name, where they lie in the same folder. What cannot be read is reported as
// `file-slurm-unread`.
SlurmText read_slurm_text(const Sources&, FileId, const ReadBeside&, Findings&);

}  // namespace clusterc
