#include "audit/files/judge.h"

#include "audit/files/judge_hpl_dat.h"
#include "audit/files/judge_nvidia_smi.h"
#include "audit/files/judge_slurm.h"
#include "base/format.h"

namespace clusterc {

FileJudgement judge_file(const KnownFile& known, Sources& sources, FileId file, const FileChoices& choices,
                         const ReadBeside& read, Findings& findings) {
  FileJudgement out;
  if (!known.read_by.empty()) {
    out.unjudged = format("this is {}, not a spec, and 'check' does not judge it: {}", known.what, known.read_by);
    return out;
  }
  if (known.kind == FileKind::slurm_conf)
    out.summary = judge_slurm(sources, file, read, findings);
  else if (known.kind == FileKind::hpl_dat)
    out.summary = judge_hpl_dat(sources, file, choices, findings);
  else if (known.kind == FileKind::nvidia_smi_xml)
    out.summary = judge_nvidia_smi_xml(sources, file, findings);
  else if (known.kind == FileKind::nvidia_smi_topo)
    out.summary = judge_nvidia_smi_topo(sources, file, findings);
  out.summary = format("{}: {}", known.what, out.summary);
  return out;
}

}  // namespace clusterc
