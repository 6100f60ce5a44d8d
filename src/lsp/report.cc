#include "lsp/report.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "rules/acceptances.h"

namespace clusterc::lsp {
namespace {

constexpr std::size_t kMostDiagnostics = 1000;  // an editor shows a few screens of them; `clusterc check` has all
constexpr FileId kSpec = 0;                     // the first file of a run

// A finding without a place in the spec: of an own part, of the spec as a whole.
SourceSpan place_in_spec(const Analysis& a, SourceSpan span) {
  if (span.valid() && span.file == kSpec) return span;
  if (span.valid() && a.run->cluster && a.run->templates)
    for (const SiteTemplates::File& f : a.run->templates->files)
      if (f.file == span.file) return a.run->cluster->spec.templates.span;
  if (span.valid() && a.run->cluster && !a.run->cluster->spec.parts.empty() &&
      a.run->cluster->spec.parts.front().span.valid())
    return a.run->cluster->spec.parts.front().span;
  const std::string_view text = a.text->text();
  return {kSpec, 0, static_cast<std::uint32_t>(std::min(text.find_first_of("\r\n"), text.size()))};
}

// "own-parts/x.yaml:3:7: " of a place outside of the spec.
std::string elsewhere(const Analysis& a, SourceSpan span) {
  if (!span.valid() || span.file == kSpec) return {};
  const LineColumn at = a.run->sources.position(span.file, span.begin);
  return format("{}:{}:{}: ", a.run->sources.path(span.file), at.line, at.column);
}

Range range_of(const Analysis& a, SourceSpan span) { return a.text->range(span.begin, std::max(span.begin, span.end)); }

int severity_number(const Finding& f) {
  if (f.accepted) return 4;  // LSP DiagnosticSeverity: hint
  return f.severity == Severity::error ? 1 : f.severity == Severity::warning ? 2 : 3;
}

std::string message_of(const Analysis& a, const Finding& f, bool notes_apart) {
  std::string text = elsewhere(a, f.span) + f.message;
  if (!f.caret.empty()) text += "\n" + f.caret;
  for (const Remark& note : f.notes) {
    if (notes_apart && note.span.valid() && note.span.file == kSpec) continue;
    text += "\nnote: " + elsewhere(a, note.span) + note.message + (note.label.empty() ? "" : ": " + note.label);
  }
  for (const Remark& help : f.helps) text += "\nhelp: " + help.message;
  if (f.accepted) text += "\naccepted: " + *f.accepted;
  return text;
}

void write_diagnostic(JsonWriter& json, const Analysis& a, const Finding& f, std::string_view uri,
                      const ClientAbilities& can) {
  json.begin_object().key("range");
  write_range(json, range_of(a, place_in_spec(a, f.span)));
  json.field("severity", severity_number(f))
      .field("code", f.rule)
      .field("source", "clusterc")
      .field("message", message_of(a, f, can.related_information));
  if (can.related_information &&
      std::ranges::any_of(f.notes, [](const Remark& n) { return n.span.valid() && n.span.file == kSpec; })) {
    json.array("relatedInformation");
    for (const Remark& note : f.notes) {
      if (!note.span.valid() || note.span.file != kSpec) continue;
      json.begin_object().object("location").field("uri", uri).key("range");
      write_range(json, range_of(a, note.span));
      json.end_object().field("message", note.message + (note.label.empty() ? "" : ": " + note.label)).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

// What an editor offers for a finding: its own fix, else each name that was perhaps meant, in the place of the one that
// nobody knows.
std::vector<Fix> fixes_of(const Analysis& a, const Finding& f) {
  if (f.fix) {
    for (const Edit& edit : f.fix->edits)
      if (edit.span.file != kSpec) return {};
    return {*f.fix};
  }
  if (!f.span.valid() || f.span.file != kSpec || f.misspelt.empty()) return {};
  // The place may be more than the name: "8 x cx7-40", a text in quotes.
  const std::string_view written = a.run->sources.text(f.span);
  const std::size_t at = written.find(f.misspelt);
  if (at == std::string_view::npos || written.find(f.misspelt, at + 1) != std::string_view::npos) return {};
  const auto first = static_cast<std::uint32_t>(f.span.begin + at);
  std::vector<Fix> fixes;
  for (const std::string& name : f.meant)
    fixes.push_back(
        {format("write '{}'", name), {{{kSpec, first, static_cast<std::uint32_t>(first + f.misspelt.size())}, name}}});
  return fixes;
}

// Accepting a finding: the same entry as `clusterc check --accept` prints, in the place where it belongs.
std::optional<Fix> acceptance_of(const Analysis& a, const Finding& f) {
  if (!a.good() || !a.run->document || !a.today || f.accepted || f.severity == Severity::note) return std::nullopt;
  const Date until = accepted_until(*a.today);
  const auto edit = accepting_edit(*a.run->document, a.run->sources, accepting_entries(a.run->cluster->spec, f, until));
  if (!edit) return std::nullopt;
  return Fix{format("accept it until {}: say why", until.text()), {*edit}};
}

void write_edits(JsonWriter& json, const Analysis& a, const Fix& fix) {
  json.begin_array();
  for (const Edit& edit : fix.edits) {
    json.begin_object().key("range");
    write_range(json, range_of(a, edit.span));
    json.field("newText", edit.replacement).end_object();
  }
  json.end_array();
}

}  // namespace

void write_range(JsonWriter& json, const Range& range) {
  json.begin_object();
  json.object("start").field("line", range.start.line).field("character", range.start.character).end_object();
  json.object("end").field("line", range.end.line).field("character", range.end.character).end_object();
  json.end_object();
}

void write_diagnostics(JsonWriter& json, const Analysis& a, std::string_view uri, const ClientAbilities& can) {
  json.begin_array();
  std::size_t count = 0;
  for (const Finding& f : a.run->findings.all()) {
    if (++count > kMostDiagnostics) break;
    write_diagnostic(json, a, f, uri, can);
  }
  if (a.run->findings.empty() && !a.run->unreadable.empty()) {
    Finding f;
    f.rule = "spec-file-unreadable";
    f.message = a.run->unreadable;
    write_diagnostic(json, a, f, uri, can);
  }
  if (count > kMostDiagnostics) {
    Finding f;
    f.severity = Severity::note;
    f.rule = "spec-more-findings";
    f.message = format("the first {} of {} findings are shown; clusterc check has all of them", kMostDiagnostics,
                       a.run->findings.all().size());
    write_diagnostic(json, a, f, uri, can);
  }
  json.end_array();
}

void write_code_actions(JsonWriter& json, const Analysis& a, std::string_view uri, std::int64_t version,
                        std::size_t begin, std::size_t end, const ClientAbilities& can) {
  json.begin_array();
  for (const Finding& f : a.run->findings.all()) {
    const SourceSpan at = place_in_spec(a, f.span);
    if (f.accepted || at.begin > end || at.end < begin) continue;
    std::vector<Fix> fixes = fixes_of(a, f);
    const std::size_t mending = fixes.size();
    if (auto accept = acceptance_of(a, f)) fixes.push_back(std::move(*accept));
    for (std::size_t i = 0; i < fixes.size(); ++i) {
      const Fix& fix = fixes[i];
      json.begin_object().field("title", fix.title).field("kind", "quickfix").array("diagnostics");
      write_diagnostic(json, a, f, uri, can);
      json.end_array();
      if (f.fix && i < mending) json.field("isPreferred", true);
      json.object("edit");
      if (can.document_changes) {
        json.array("documentChanges")
            .begin_object()
            .object("textDocument")
            .field("uri", uri)
            .field("version", version)
            .end_object()
            .key("edits");
        write_edits(json, a, fix);
        json.end_object().end_array();
      } else {
        json.object("changes").key(uri);
        write_edits(json, a, fix);
        json.end_object();
      }
      json.end_object().end_object();
    }
  }
  json.end_array();
}

}  // namespace clusterc::lsp
