// The table of `dcgmi diag`: "| PCIe | Fail - GPU: 0 |" in release 3, "| pcie | Fail |" with a line "| | GPU0: Fail |"
// for each GPU in release 4. Lines "| Warning | … |", "| Error | … |" and "| Info | … |" below a test say more of it.
#include <algorithm>
#include <optional>

#include "audit/files/judge_logs.h"
#include "audit/files/numbers.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostLines = 1u << 18, kMostText = 400;

struct Cells {
  std::string_view name, result;
  SourceSpan span;  // of the result
};

std::optional<Cells> cells_of(const FileLine& line, FileId file) {
  const std::string_view t = line.text;
  const std::size_t first = t.find('|');
  if (first == t.npos || t.substr(first + 1).starts_with("---")) return std::nullopt;
  const std::size_t second = t.find('|', first + 1);
  if (second == t.npos) return std::nullopt;
  const std::size_t third = std::min(t.find('|', second + 1), t.size());
  Cells out{trim(t.substr(first + 1, second - first - 1)), trim(t.substr(second + 1, third - second - 1)), {}};
  if (out.result.empty()) return std::nullopt;
  const auto from = line.begin + static_cast<std::uint32_t>(out.result.data() - t.data());
  out.span = {file, from, from + static_cast<std::uint32_t>(out.result.size())};
  return out;
}

bool begins(std::string_view text, std::string_view word) { return to_lower(text.substr(0, word.size())) == word; }

struct Failure {
  std::string name, more;
  SourceSpan span;
  bool failed = false;  // else it warns
};

void report(const Failure& f, Findings& findings) {
  const std::string more = f.more.empty() ? std::string() : ": " + one_line(f.more);
  Finding& out = f.failed ? findings.error("file-dcgm-failed", f.span, format("the test '{}' failed{}", f.name, more))
                          : findings.warning("file-dcgm-failed", f.span, format("the test '{}' warns{}", f.name, more));
  out.note({}, "NVIDIA DCGM documentation, DCGM Diagnostics")
      .help(f.failed
                ? "drain the node; run the test again by itself (dcgmi diag -r NAME -v), and have the GPU replaced "
                  "if it fails again"
                : "repair what this line reports, and run the test again");
}

}  // namespace

std::string judge_dcgm_log(const Sources& sources, FileId file, Findings& findings) {
  std::int64_t passed = 0, failed = 0, warned = 0, skipped = 0, unknown = 0;
  std::optional<Failure> open;
  std::string test;
  SourceSpan last, cut, odd;
  int ends = 0;          // lines "+-----+" since the last row: one ends a table, the next begins another
  bool results = false;  // the rows are those of tests, not of the title or the metadata
  const auto close = [&] {
    if (open) report(*open, findings);
    open.reset();
  };
  for (const FileLine& line : lines_of(sources.text(file), kMostLines)) {
    const auto cells = cells_of(line, file);
    if (!cells) {
      const std::string_view text = trim(line.text);
      if (text.starts_with("+-") && text.find_first_not_of("+-") == text.npos) ++ends;
      if (text.find("-----  ") == 1) results = text.find("Metadata") == text.npos;
      continue;
    }
    if (begins(cells->name, "diagnostic") && begins(cells->result, "result")) {
      if (last.valid() && ends < 2 && !cut.valid()) cut = last;
      results = true;
      continue;
    }
    ends = 0;
    last = cells->span;
    const std::string_view result = cells->result;
    const bool said = begins(cells->name, "warning") || begins(cells->name, "error") || begins(cells->name, "info");
    if (cells->name.empty() || said) {
      // What the test says, over several lines; of GPUs only those that did not pass.
      const bool fine = cells->name.empty() && result.find(": Pass") != result.npos;
      if (open && !fine && open->more.size() < kMostText)
        open->more += (open->more.empty()    ? ""
                       : cells->name.empty() ? " "
                                             : "; ") +
                      std::string(result.substr(0, kMostText));
      continue;
    }
    close();
    test = one_line(cells->name.substr(0, 60));
    if (begins(result, "pass")) {
      ++passed;
    } else if (begins(result, "skip")) {
      ++skipped;
    } else if (begins(result, "fail") || begins(result, "warn")) {
      open = Failure{test, {}, cells->span, begins(result, "fail")};
      if (const std::size_t dash = result.find('-'); dash != result.npos)
        open->more = std::string(trim(result.substr(dash + 1)));
      ++(open->failed ? failed : warned);
    } else if (results && ++unknown == 1) {
      odd = cells->span;
    }
  }
  close();
  if (last.valid() && ends == 0 && !cut.valid()) cut = last;
  const auto unread = [&](SourceSpan at, std::string text, std::string_view source) {
    findings.error("file-dcgm-unread", at, std::move(text))
        .note({}, std::string(source))
        .help("dcgmi diag -r 3 > dcgm.txt");
  };
  constexpr std::string_view kManual = "NVIDIA DCGM documentation, DCGM Diagnostics";
  if (passed + failed + warned + skipped + unknown == 0)
    unread(last.valid() ? last : SourceSpan{file, 0, 0}, "the log has no result of a test", kManual);
  else if (cut.valid())
    unread(cut, "the table has no end: the diagnostic was stopped, or the log was cut",
           "dcgmi ends its table with a line +-----+");
  if (unknown > 0)
    unread(odd,
           unknown == 1 ? std::string("this result is neither Pass nor Fail, Warn or Skip")
                        : format("{} results are neither Pass nor Fail, Warn or Skip", unknown),
           kManual);
  else if (passed == 0 && failed == 0 && warned + skipped > 0)
    unread(last, "no test passed: each test was skipped or gave a warning", kManual);
  std::string out = format("{}: {} passed", counted(passed + failed + warned + skipped + unknown, "test"), passed);
  if (warned > 0) out += format(", {} with warnings", warned);
  if (failed > 0) out += format(", {} failed", failed);
  if (skipped > 0) out += format(", {} skipped", skipped);
  if (unknown > 0) out += format(", {} with an unknown result", unknown);
  return out;
}

}  // namespace clusterc
