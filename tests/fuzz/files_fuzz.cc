// Any bytes at all as a file of a cluster that is no spec: read as what it seems to be and as each kind that is judged,
// with itself as the file beside it. Findings lie inside a text that was read, say something, and name an id of a file.
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/files/judge.h"
#include "broken.h"

namespace {

using namespace clusterc;

void judge(const OtherFile& as, const std::string& text, const FileChoices& choices) {
  Sources sources;
  Findings findings;
  const FileId file = sources.add("file", text);
  const auto beside = [&](const std::string& name) -> std::optional<FileId> { return sources.add(name, text); };
  const auto summary = judge_file(as, sources, file, choices, beside, findings);
  if (summary && summary->size() > 1000) broken("a long summary", text);
  for (const Finding& f : findings.all()) {
    if (f.span.file >= sources.size() || f.span.begin > f.span.end || f.span.end > text.size() || f.message.empty())
      broken("a finding without a place in the text", text);
    if (!f.rule.starts_with("file-")) broken("a finding with another id", text);
    for (const Remark& r : f.notes)
      if (r.span.valid() && (r.span.begin > r.span.end || r.span.end > text.size())) broken("a note elsewhere", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const OtherFile* known = recognise_other_file(text)) judge(*known, text, {8, Bytes(80e9)});
  for (const FileKind kind :
       {FileKind::slurm_conf, FileKind::hpl_dat, FileKind::nvidia_smi_xml, FileKind::nvidia_smi_topo, FileKind::lspci,
        FileKind::nccl_log, FileKind::dcgm_log, FileKind::lstopo_xml}) {
    judge({kind, "a file", "read it"}, text, {});
    judge({kind, "a file", "read it"}, text, {3, Bytes(1e9)});
  }
  return 0;
}

#include "fuzz_main.h"
