// JUnit XML, as CI systems read it (the schema of the Ant task, which they all follow loosely): one suite a file, one
// case a finding. An error is a failure, an accepted one is skipped; what does not fail a check passes, with its text
// as output.
#include <algorithm>

#include "base/format.h"
#include "base/printable.h"
#include "base/xml_writer.h"
#include "diag/place.h"
#include "diag/render.h"

namespace clusterc {
namespace {

bool fails(const Finding& finding) { return finding.severity == Severity::error && finding.counts(); }

void write_case(XmlWriter& xml, const Finding& finding, const Findings& findings, const Sources& sources) {
  const bool placed = finding.span.valid();
  const LineColumn at = placed ? sources.position(finding.span.file, finding.span.begin) : LineColumn{};
  const std::string path = placed ? printable(sources.path(finding.span.file)) : "clusterc";
  xml.open("testcase")
      .attribute("name", placed ? format("{} at {}:{}", finding.rule, at.line, at.column) : finding.rule)
      .attribute("classname", path);
  if (placed) xml.attribute("file", path).attribute("line", at.line);
  if (finding.accepted) {
    xml.open("skipped").attribute("message", "accepted: " + printable(*finding.accepted)).close();
  } else if (finding.in_baseline) {
    xml.open("skipped").attribute("message", "in the baseline").close();
  } else if (fails(finding)) {
    xml.open("failure")
        .attribute("type", finding.rule)
        .attribute("message", printable(finding.message))
        .text(render_text(finding, findings, sources))
        .close();
  } else {
    xml.open("system-out").text(render_text(finding, findings, sources)).close();
  }
  xml.close();
}

}  // namespace

std::string render_junit(const Findings& findings, const Sources& sources, bool (*unasked)(std::string_view)) {
  std::vector<std::vector<const Finding*>> suites(sources.size() + 1);  // the last: findings without a place
  for (const Finding& finding : findings.all())
    suites[std::min<std::size_t>(finding.span.file, sources.size())].push_back(&finding);
  const auto count = [](const std::vector<const Finding*>& suite, auto which) {
    return static_cast<std::size_t>(
        std::ranges::count_if(suite, [&](const Finding* finding) { return which(*finding); }));
  };
  XmlWriter xml;
  xml.open("testsuites").attribute("name", "clusterc");
  for (std::size_t file = 0; file < suites.size(); ++file) {
    const auto& suite = suites[file];
    if (file == sources.size() && suite.empty()) break;
    const std::string_view name = file < sources.size() ? sources.path(static_cast<FileId>(file)) : "clusterc";
    if (suite.empty() && unasked && unasked(name)) continue;
    const std::string shown = printable(name);
    xml.open("testsuite")
        .attribute("name", shown)
        .attribute("tests", std::max<std::size_t>(1, suite.size()))
        .attribute("failures", count(suite, fails))
        .attribute("errors", std::size_t{0})
        .attribute("skipped", count(suite, [](const Finding& finding) { return !finding.counts(); }));
    if (suite.empty()) xml.open("testcase").attribute("name", "no findings").attribute("classname", shown).close();
    for (const Finding* finding : suite) write_case(xml, *finding, findings, sources);
    xml.close();
  }
  xml.close();
  return xml.take();
}

}  // namespace clusterc
