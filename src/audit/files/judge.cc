#include "audit/files/judge.h"

#include <map>

#include "audit/files/judge_hpl_dat.h"
#include "audit/files/judge_logs.h"
#include "audit/files/judge_lspci.h"
#include "audit/files/judge_lstopo.h"
#include "audit/files/judge_nvidia_smi.h"
#include "audit/files/judge_slurm.h"
#include "base/format.h"
#include "base/line_ends.h"

namespace clusterc {

bool is_judged(FileKind kind) {
  return kind == FileKind::slurm_conf || kind == FileKind::hpl_dat || kind == FileKind::nvidia_smi_xml ||
         kind == FileKind::nvidia_smi_topo || kind == FileKind::lspci || kind == FileKind::lstopo_xml ||
         kind == FileKind::nccl_log || kind == FileKind::dcgm_log;
}

namespace {

// A file with one mistake a line is read by people: some findings of each kind, and the number of the rest.
void hand_on(Findings& from, Findings& to) {
  constexpr std::size_t kMostShown = 20;
  std::map<std::pair<std::string, Severity>, std::size_t> count;
  for (Finding& f : from.all()) {
    const std::size_t n = ++count[{f.rule, f.severity}];
    if (n <= kMostShown) to.all().push_back(std::move(f));
  }
  for (auto f = to.all().rbegin(); f != to.all().rend(); ++f) {
    const auto found = count.find({f->rule, f->severity});
    if (found == count.end() || found->second <= kMostShown) continue;
    f->note({}, format("{} more findings of this kind are not shown", found->second - kMostShown));
    count.erase(found);
  }
}

// A reader of lines takes a text whose lines end with a CR alone for one line: it would find nothing, and say so.
bool has_lines(const OtherFile& known, const Sources& sources, FileId file, Findings& findings) {
  const std::size_t cr = bare_carriage_return(sources.text(file));
  if (cr == std::string_view::npos) return true;
  const std::string_view rule = known.kind == FileKind::slurm_conf   ? "file-slurm-unread"
                                : known.kind == FileKind::hpl_dat    ? "file-hpl-malformed"
                                : known.kind == FileKind::lspci      ? "file-lspci-unread"
                                : known.kind == FileKind::lstopo_xml ? "file-lstopo-unread"
                                : known.kind == FileKind::nccl_log   ? "file-nccl-unread"
                                : known.kind == FileKind::dcgm_log   ? "file-dcgm-unread"
                                                                     : "file-smi-unread";
  const auto at = static_cast<std::uint32_t>(cr);
  findings.error(rule, {file, at, at}, "a line ends with a CR alone: the file was not read")
      .help("save the file with LF line ends: tr '\\r' '\\n' < FILE > FILE.lf");
  return false;
}

}  // namespace

std::optional<std::string> judge_file(const OtherFile& known, const Sources& sources, FileId file,
                                      const FileChoices& choices, const ReadBeside& read, Findings& out) {
  std::string summary;
  Findings findings;
  if (is_judged(known.kind) && !has_lines(known, sources, file, out)) return format("{}: not read", known.name);
  if (known.kind == FileKind::slurm_conf)
    summary = judge_slurm(sources, file, read, findings);
  else if (known.kind == FileKind::hpl_dat)
    summary = judge_hpl_dat(sources, file, choices, findings);
  else if (known.kind == FileKind::nvidia_smi_xml)
    summary = judge_nvidia_smi_xml(sources, file, findings);
  else if (known.kind == FileKind::nvidia_smi_topo)
    summary = judge_nvidia_smi_topo(sources, file, findings);
  else if (known.kind == FileKind::lspci)
    summary = judge_lspci(sources, file, findings);
  else if (known.kind == FileKind::lstopo_xml)
    summary = judge_lstopo(sources, file, findings);
  else if (known.kind == FileKind::nccl_log)
    summary = judge_nccl_log(sources, file, findings);
  else if (known.kind == FileKind::dcgm_log)
    summary = judge_dcgm_log(sources, file, findings);
  else
    return std::nullopt;
  hand_on(findings, out);
  return format("{}: {}", known.name, summary);
}

}  // namespace clusterc
