// SARIF 2.1.0 (OASIS, 2020): what code hosts show beside a change. Section numbers in comments are that document's.
#include <map>
#include <set>

#include "base/text.h"
#include "diag/place.h"
#include "diag/render.h"

namespace clusterc {
namespace {

// 3.4.3: a URI reference. A path from the root becomes a file URI; what RFC 3986 does not allow in a path is escaped.
std::string uri_of(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/!$&'()*+,;=@").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      uri += '%', uri += kHex[byte >> 4], uri += kHex[byte & 15];
  }
  return uri;
}

class SarifWriter {
 public:
  SarifWriter(const Findings& findings, const Sources& sources, std::span<const RuleText> rules,
              std::string_view version)
      : findings_(findings), sources_(sources), rules_(rules), version_(version), json_(out_, {.indent = 2}) {
    // 3.19.23: rules without a result need no descriptor, and the texts of all of them are many times the results.
    std::set<std::string_view> used;
    for (const Finding& finding : findings.all()) used.insert(finding.rule);
    for (const RuleText& rule : rules)
      if (used.contains(rule.id)) index_.emplace(rule.id, index_.size());
  }

  std::string write() {
    const Findings& findings = findings_;
    // Rules that bring no text of their own (the loader's) still need a descriptor each.
    std::vector<std::string_view> bare;
    for (const Finding& finding : findings.all())
      if (index_.emplace(finding.rule, index_.size()).second) bare.push_back(finding.rule);
    json_.begin_object()
        .field("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
        .field("version", "2.1.0")
        .array("runs")
        .begin_object();
    json_.object("tool").object("driver").field("name", "clusterc");
    if (!version_.empty()) json_.field("version", version_).field("semanticVersion", version_);
    json_.array("rules");
    for (const RuleText& rule : rules_)
      if (index_.contains(rule.id)) descriptor(rule);
    for (const std::string_view id : bare) json_.begin_object().field("id", id).end_object();
    json_.end_array().end_object().end_object();
    json_.field("columnKind", "unicodeCodePoints").array("results");
    const std::vector<std::string> prints = fingerprints(findings, sources_);
    for (std::size_t i = 0; i < findings.all().size(); ++i) result(findings.all()[i], prints[i]);
    json_.end_array().end_object().end_array().end_object();
    out_ += '\n';
    return std::move(out_);
  }

 private:
  // SARIF 2.1.0, 3.11.6: "[text](place)" in a message is a link, which no text of a spec shall make.
  void text(std::string_view name, std::string_view what) {
    json_.object(name).field("text", replace_all(what, "](", "\\](")).end_object();
  }

  void descriptor(const RuleText& rule) {  // 3.49
    json_.begin_object().field("id", rule.id);
    if (!rule.summary.empty()) text("shortDescription", rule.summary);
    if (!rule.explanation.empty()) text("fullDescription", rule.explanation), text("help", rule.explanation);
    if (!rule.help_uri.empty()) json_.field("helpUri", rule.help_uri);
    json_.object("defaultConfiguration").field("level", severity_name(rule.severity)).end_object();
    if (!rule.code.empty()) json_.object("properties").field("code", rule.code).end_object();
    json_.end_object();
  }

  void region(std::string_view name, SourceSpan span, bool with_line = false) {  // 3.30; ends are exclusive
    const Place place = place_of(sources_, span);
    json_.object(name)
        .field("startLine", place.begin.line)
        .field("startColumn", place.begin.column)
        .field("endLine", place.end.line)
        .field("endColumn", place.end.column)
        .field("byteOffset", span.begin)
        .field("byteLength", std::max(span.begin, span.end) - span.begin);
    constexpr std::size_t kLongestSnippet = 400;
    if (with_line && findings_.quotable(sources_, span.file, place.begin.line))
      if (const std::string_view line = sources_.line_text(span.file, place.begin.line);
          !line.empty() && line.size() <= kLongestSnippet)
        text("snippet", line.substr(0, kLongestSnippet));
    json_.end_object();
  }

  void physical(SourceSpan span) {  // 3.29
    json_.object("physicalLocation")
        .object("artifactLocation")
        .field("uri", uri_of(sources_.path(span.file)))
        .end_object();
    region("region", span, true);
    json_.end_object();
  }

  // The only text that every viewer shows: the message with its arithmetic and the ways out.
  static std::string full_message(const Finding& finding) {
    std::string message = printable(finding.message);
    if (!finding.caret.empty()) message += ": " + printable(finding.caret);
    for (const Remark& note : finding.notes)
      if (!note.span.valid()) message += "\nnote: " + printable(note.message);
    for (const Remark& help : finding.helps) message += "\nhelp: " + printable(help.message);
    return message;
  }

  void result(const Finding& finding, const std::string& print) {  // 3.27
    json_.begin_object()
        .field("ruleId", finding.rule)
        .field("ruleIndex", index_.find(finding.rule)->second)
        .field("level", severity_name(finding.severity));
    text("message", full_message(finding));
    json_.array("locations");
    if (finding.span.valid() || !finding.objects.empty()) {
      json_.begin_object();
      if (finding.span.valid()) physical(finding.span);
      if (!finding.objects.empty()) {
        json_.array("logicalLocations");
        for (const std::string& object : finding.objects)
          json_.begin_object().field("fullyQualifiedName", object).end_object();
        json_.end_array();
      }
      json_.end_object();
    }
    json_.end_array();
    json_.object("partialFingerprints", JsonWriter::Layout::line)
        .field("clustercPlace/v1", print)
        .end_object();  // 3.27.17
    related(finding);
    if (finding.fix) fix(*finding.fix);
    if (finding.accepted)  // 3.35: accepted in the spec itself
      json_.array("suppressions")
          .begin_object()
          .field("kind", "inSource")
          .field("justification", *finding.accepted)
          .end_object()
          .end_array();
    else if (finding.in_baseline)
      json_.array("suppressions")
          .begin_object()
          .field("kind", "external")
          .field("justification", "in the baseline")
          .end_object()
          .end_array();
    json_.end_object();
  }

  void related(const Finding& finding) {
    std::size_t id = 0;
    for (const Remark& note : finding.notes) {
      if (!note.span.valid()) continue;
      if (id == 0) json_.array("relatedLocations");
      json_.begin_object().field("id", ++id);
      text("message", printable(note.message) + (note.label.empty() ? "" : ": " + printable(note.label)));
      physical(note.span);
      json_.end_object();
    }
    if (id != 0) json_.end_array();
  }

  void fix(const Fix& fix) {  // 3.55: one change a file
    std::map<FileId, std::vector<const Edit*>> by_file;
    for (const Edit& edit : fix.edits) by_file[edit.span.file].push_back(&edit);
    json_.array("fixes").begin_object();
    text("description", fix.title);
    json_.array("artifactChanges");
    for (const auto& [file, edits] : by_file) {
      json_.begin_object()
          .object("artifactLocation")
          .field("uri", uri_of(sources_.path(file)))
          .end_object()
          .array("replacements");
      for (const Edit* edit : edits) {
        json_.begin_object();
        region("deletedRegion", edit->span);
        text("insertedContent", edit->replacement);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array().end_object().end_array();
  }

  const Findings& findings_;
  const Sources& sources_;
  std::span<const RuleText> rules_;
  std::string_view version_;
  std::map<std::string_view, std::size_t> index_;
  std::string out_;
  JsonWriter json_;
};

}  // namespace

std::string render_sarif(const Findings& findings, const Sources& sources, std::span<const RuleText> rules,
                         std::string_view version) {
  return SarifWriter(findings, sources, rules, version).write();
}

}  // namespace clusterc
