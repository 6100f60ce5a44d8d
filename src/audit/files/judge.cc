#include "audit/files/judge.h"

#include "audit/files/judge_slurm.h"
#include "base/format.h"

namespace clusterc {

FileJudgement judge_file(const KnownFile& known, Sources& sources, FileId file, const FileChoices&,
                         const ReadBeside& read, Findings& findings) {
  FileJudgement out;
  if (!known.read_by.empty()) {
    out.unjudged = format("this is {}, not a spec, and 'check' does not judge it: {}", known.what, known.read_by);
    return out;
  }
  if (known.kind == FileKind::slurm_conf)
    out.summary = format("{}: {}", known.what, judge_slurm(sources, file, read, findings));
  return out;
}

}  // namespace clusterc
