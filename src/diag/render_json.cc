// The findings as data: format "clusterc-findings", version 1. Columns are characters, offsets are bytes, ends are
// exclusive.
#include "diag/place.h"
#include "diag/render.h"

namespace clusterc {
namespace {

void write_place(JsonWriter& json, const Sources& sources, SourceSpan span) {
  if (!span.valid()) {
    json.null();
    return;
  }
  const Place place = place_of(sources, span);
  json.begin_object(JsonWriter::Layout::line)
      .field("file", place.path)
      .field("line", place.begin.line)
      .field("column", place.begin.column)
      .field("end_line", place.end.line)
      .field("end_column", place.end.column)
      .field("offset", span.begin)
      .field("end_offset", std::max(span.begin, span.end))
      .end_object();
}

void write_remarks(JsonWriter& json, std::string_view name, const Sources& sources,
                   const std::vector<Remark>& remarks) {
  json.array(name);
  for (const Remark& remark : remarks) {
    json.begin_object().field("message", remark.message);
    if (!remark.label.empty()) json.field("label", remark.label);
    if (remark.span.valid()) write_place(json.key("place"), sources, remark.span);
    json.end_object();
  }
  json.end_array();
}

void write_finding(JsonWriter& json, const Sources& sources, const Finding& finding) {
  json.begin_object()
      .field("severity", severity_name(finding.severity))
      .field("rule", finding.rule)
      .field("message", finding.message);
  if (!finding.caret.empty()) json.field("label", finding.caret);
  write_place(json.key("place"), sources, finding.span);
  if (!finding.key_path.empty()) json.field("path", finding.key_path);
  write_remarks(json, "notes", sources, finding.notes);
  write_remarks(json, "helps", sources, finding.helps);
  json.key("fix");
  if (finding.fix) {
    json.begin_object().field("title", finding.fix->title).array("edits");
    for (const Edit& edit : finding.fix->edits) {
      json.begin_object();
      write_place(json.key("place"), sources, edit.span);
      json.field("replacement", edit.replacement).end_object();
    }
    json.end_array().end_object();
  } else {
    json.null();
  }
  json.array("objects", JsonWriter::Layout::line);
  for (const std::string& object : finding.objects) json.value(object);
  json.end_array()
      .field("physics", finding.physics)
      .field("accepted", finding.accepted)
      .field("in_baseline", finding.in_baseline)
      .end_object();
}

}  // namespace

std::string render_json(const Findings& findings, const Sources& sources, const JsonMembers& more) {
  std::string out;
  JsonWriter json(out, {.indent = 2});
  json.begin_object().field("format", "clusterc-findings").field("version", 1).array("findings");
  std::size_t accepted = 0, in_baseline = 0;
  for (const Finding& finding : findings.all()) {
    write_finding(json, sources, finding);
    accepted += finding.accepted.has_value();
    in_baseline += finding.in_baseline;
  }
  json.end_array()
      .object("summary")
      .field("errors", findings.count(Severity::error))
      .field("warnings", findings.count(Severity::warning))
      .field("notes", findings.count(Severity::note))
      .field("accepted", accepted)
      .field("in_baseline", in_baseline)
      .end_object();
  if (more) more(json);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace clusterc
