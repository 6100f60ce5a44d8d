#include "audit/files/judge.h"

#include "audit/files/judge_hpl_dat.h"
#include "audit/files/judge_nvidia_smi.h"
#include "audit/files/judge_slurm.h"
#include "base/format.h"

namespace clusterc {

bool is_judged(FileKind kind) {
  return kind == FileKind::slurm_conf || kind == FileKind::hpl_dat || kind == FileKind::nvidia_smi_xml ||
         kind == FileKind::nvidia_smi_topo;
}

std::optional<std::string> judge_file(const OtherFile& known, const Sources& sources, FileId file,
                                      const FileChoices& choices, const ReadBeside& read, Findings& findings) {
  std::string summary;
  if (known.kind == FileKind::slurm_conf)
    summary = judge_slurm(sources, file, read, findings);
  else if (known.kind == FileKind::hpl_dat)
    summary = judge_hpl_dat(sources, file, choices, findings);
  else if (known.kind == FileKind::nvidia_smi_xml)
    summary = judge_nvidia_smi_xml(sources, file, findings);
  else if (known.kind == FileKind::nvidia_smi_topo)
    summary = judge_nvidia_smi_topo(sources, file, findings);
  else
    return std::nullopt;
  return format("{}: {}", known.name, summary);
}

}  // namespace clusterc
