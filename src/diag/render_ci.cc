// Findings as code hosts show them beside a change.
//   GitHub: workflow commands on standard output (docs.github.com, "Workflow commands for GitHub Actions", "Setting an
//   error message") GitLab: a code quality report (docs.gitlab.com, "Code Quality", "Code Quality report format"; a
//   subset of Code Climate's)
#include <map>

#include "base/digest.h"
#include "base/format.h"
#include "diag/place.h"
#include "diag/render.h"

namespace clusterc {
namespace {

// In the text of a command a line end would end it, and '%' begins an escape; in a property ':' and ',' end it, too
// (actions/toolkit: command.ts). `text` is printable() but for line ends of ours.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += property ? "%3A" : ":";
        break;
      case ',':
        out += property ? "%2C" : ",";
        break;
      default:
        out += c;
    }
  return out;
}

// What a viewer without room for second places shows: the arithmetic and the ways out.
std::string whole_text(const Finding& finding) {
  std::string text = printable(finding.message);
  if (!finding.caret.empty()) text += ": " + printable(finding.caret);
  for (const Remark& note : finding.notes) text += "\nnote: " + printable(note.message);
  for (const Remark& help : finding.helps) text += "\nhelp: " + printable(help.message);
  return text;
}

}  // namespace

std::vector<std::string> fingerprints(const Findings& findings, const Sources& sources) {
  std::vector<std::string> prints;
  std::map<std::string, std::size_t> alike;
  for (const Finding& finding : findings.all()) {
    Sha256 sha;
    const auto part = [&](std::string_view text) { sha.update(text), sha.update(std::string_view("\0", 1)); };
    part(finding.rule);
    part(finding.span.valid() ? sources.path(finding.span.file) : std::string_view());
    part(finding.key_path);
    for (const std::string& object : finding.objects) part(object);
    if (finding.key_path.empty() && finding.objects.empty()) part(finding.message);
    std::string print = to_hex(sha.finish()).substr(0, 32);
    if (const std::size_t before = alike[print]++; before > 0) {
      Sha256 again;
      again.update(print);
      again.update(format("{}", before));
      print = to_hex(again.finish()).substr(0, 32);
    }
    prints.push_back(std::move(print));
  }
  return prints;
}

std::string render_github(const Findings& findings, const Sources& sources) {
  std::string out;
  for (const Finding& finding : findings.all()) {
    if (finding.in_baseline) continue;
    const bool quiet = finding.severity == Severity::note || finding.accepted;
    out += quiet ? "::notice " : finding.severity == Severity::warning ? "::warning " : "::error ";
    if (finding.span.valid()) {
      const Place at = place_of(sources, finding.span);
      out += format("file={},line={},endLine={},", escaped(printable(at.path), true), at.begin.line, at.end.line);
      // Columns are read only of a place within one line.
      if (at.begin.line == at.end.line) out += format("col={},endColumn={},", at.begin.column, at.end.column);
    }
    std::string text = whole_text(finding);
    if (finding.accepted)
      text += "\nnote: this " + std::string(severity_name(finding.severity)) +
              " is accepted: " + printable(*finding.accepted);
    out += format("title={}::{}\n", escaped(finding.rule, true), escaped(text, false));
  }
  return out;
}

std::string render_gitlab(const Findings& findings, const Sources& sources) {
  const std::vector<std::string> prints = fingerprints(findings, sources);
  std::string out;
  JsonWriter json(out, {.indent = 2});
  json.begin_array();
  std::size_t i = 0;
  for (const Finding& finding : findings.all()) {
    const std::string& print = prints[i++];
    if (!finding.counts()) continue;  // the format knows no accepted ones
    const bool placed = finding.span.valid();
    json.begin_object()
        .field("description", printable(finding.message))
        .field("check_name", finding.rule)
        .field("fingerprint", print)
        .field("severity", finding.severity == Severity::error     ? "major"
                           : finding.severity == Severity::warning ? "minor"
                                                                   : "info");
    json.object("location").field("path", placed ? sources.path(finding.span.file) : std::string_view("clusterc"));
    json.object("lines")
        .field("begin", placed ? sources.position(finding.span.file, finding.span.begin).line : 1u)
        .end_object();
    json.end_object().end_object();
  }
  json.end_array();
  out += '\n';
  return out;
}

}  // namespace clusterc
