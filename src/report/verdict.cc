#include "report/verdict.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "diag/render.h"
#include "report/markdown.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostListed = 25;

// The findings that are listed: errors first, then warnings, each in the order of the spec.
std::vector<const Finding*> listed(const PlanVerdict& v) {
  std::vector<const Finding*> all;
  for (const Severity severity : {Severity::error, Severity::warning})
    for (const Finding& f : v.findings.all())
      if (f.severity == severity && f.counts()) all.push_back(&f);
  return all;
}

std::string head(const PlanVerdict& v) {
  return format("{}: {}", v.buildable() ? "BUILDABLE" : "NOT BUILDABLE", render_summary(v.findings));
}

// "line 12", "parts/x.yaml, line 3"; empty: a finding about no place.
std::string place(const PlanVerdict& v, const Finding& f) {
  if (!f.span.valid()) return {};
  const auto line = v.sources.position(f.span.file, f.span.begin).line;
  const std::string_view path = v.sources.path(f.span.file);
  return f.span.file == 0 ? format("line {}: ", line) : format("{}, line {}: ", path.substr(path.rfind('/') + 1), line);
}

std::string rest_of(std::size_t count) {
  return count > kMostListed ? format("and {} more: `clusterc check` prints all", count - kMostListed) : std::string();
}

}  // namespace

std::string render_verdict_text(const PlanVerdict& v) {
  std::string out = head(v) + "\n";
  const auto all = listed(v);
  for (std::size_t i = 0; i < std::min(all.size(), kMostListed); ++i)
    out += printable(format("  {}: {}{} [{}]", severity_name(all[i]->severity), place(v, *all[i]), all[i]->message,
                            all[i]->rule)) +
           "\n";
  if (const std::string rest = rest_of(all.size()); !rest.empty()) out += "  " + rest + "\n";
  return without_commands(out + "\n");
}

std::string render_verdict_markdown(const PlanVerdict& v) {
  std::string out = format("**{}**\n\n", head(v));
  const auto all = listed(v);
  for (std::size_t i = 0; i < std::min(all.size(), kMostListed); ++i)
    out += format("- {}: {} (`{}`)\n", severity_name(all[i]->severity),
                  markdown_text(place(v, *all[i]) + all[i]->message), all[i]->rule);
  if (const std::string rest = rest_of(all.size()); !rest.empty()) out += "- " + rest + "\n";
  return out + (all.empty() ? "" : "\n");
}

void write_verdict(JsonWriter& json, const PlanVerdict& v) {
  json.object("verdict")
      .field("buildable", v.buildable())
      .field("errors", v.findings.count(Severity::error))
      .field("warnings", v.findings.count(Severity::warning))
      .field("notes", v.findings.count(Severity::note))
      .array("findings");
  for (const Finding* f : listed(v)) {
    json.begin_object(JsonWriter::Layout::line)
        .field("severity", severity_name(f->severity))
        .field("rule", f->rule)
        .field("message", f->message);
    if (f->span.valid() && f->span.file == 0) json.field("line", v.sources.position(f->span.file, f->span.begin).line);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace clusterc
