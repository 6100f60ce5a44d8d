// Read by what follows the schema of Jenkins' JUnit reports (junit-4.xsd of its xunit plugin), as most CI systems do.
#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "base/xml_writer.h"
#include "report/search_report.h"
#include "report/validation_report.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

constexpr std::string_view kDemands = "demands of the spec", kCulprits = "culprits";

struct Counts {
  std::size_t failures = 0, errors = 0, skipped = 0;
};

Counts counts_of(const std::vector<const Judged*>& suite) {
  Counts out;
  for (const Judged* j : suite) {
    out.failures += j->verdict == Verdict::fail || j->verdict == Verdict::degraded;
    out.errors += j->verdict == Verdict::error;
    out.skipped += j->verdict == Verdict::skipped || j->verdict == Verdict::unjudged;
  }
  return out;
}

// `seconds`: as measured; absent: nobody measured them, and the page says nothing.
XmlWriter& open_suite(XmlWriter& xml, std::string_view name, std::size_t tests, const Counts& counts,
                      const Report& report, std::optional<double> seconds = std::nullopt) {
  xml.open("testsuite")
      .attribute("name", printable(name))
      .attribute("tests", tests)
      .attribute("failures", counts.failures)
      .attribute("errors", counts.errors)
      .attribute("skipped", counts.skipped);
  // ISO 8601 without a zone, as the schemas have it; it is UTC.
  const std::string started = utc_text(report.started);
  xml.attribute("timestamp", started.substr(0, started.size() - 1));
  return seconds ? xml.attribute("time", format("{:.3f}", *seconds)) : xml;
}

std::string figures_of(const Judged& j) {
  const auto figure = [&](std::string_view name, const std::optional<double>& v) {
    return v ? format("{}: {}\n", name, to_text(*v, j.dimension)) : std::string();
  };
  std::string out = figure("measured", j.value) + figure("floor", j.floor) + figure("typical", j.typical) +
                    figure("ceiling", j.ceiling);
  if (j.demanded) out += "demanded by the spec\n";
  if (j.from_journal)
    out += format("from the {}, measured at {}\n", j.from_report ? "earlier report" : "journal",
                  utc_text(*j.from_journal));
  for (const EarlierResult& earlier : j.history)
    out += format("before, at {}: {} {} {}\n", utc_text(earlier.ended), verdict_name(earlier.verdict),
                  earlier.value ? to_text(*earlier.value, j.dimension) : "-", printable(earlier.reason));
  return out;
}

void write_case(XmlWriter& xml, const Judged& j) {
  xml.open("testcase")
      .attribute("name", printable(format("{} on {}{}", j.metric, j.node, j.device.empty() ? "" : ": " + j.device)))
      .attribute("classname", printable(j.test));
  const std::string reason = printable(format("{}: {}", verdict_name(j.verdict), j.reason));
  if (j.verdict == Verdict::fail || j.verdict == Verdict::degraded)
    xml.open("failure").attribute("type", verdict_name(j.verdict)).attribute("message", reason).text(reason).close();
  else if (j.verdict == Verdict::error)
    xml.open("error").attribute("type", "error").attribute("message", reason).text(reason).close();
  else if (j.verdict != Verdict::pass)
    xml.open("skipped").text(reason).close();
  if (const std::string figures = figures_of(j); !figures.empty()) xml.open("system-out").text(figures).close();
  xml.close();
}

void write_demands(XmlWriter& xml, const Report& report) {
  Counts counts;
  for (const Demand& d : report.demands) counts.failures += !d.met;
  open_suite(xml, kDemands, report.demands.size(), counts, report);
  for (const Demand& d : report.demands) {
    const std::string of = (d.group.empty() ? "the cluster" : d.group) + (d.scope.empty() ? "" : " (" + d.scope + ")");
    xml.open("testcase").attribute("name", printable(d.metric + " of " + of)).attribute("classname", kDemands);
    if (!d.met)
      xml.open("failure")
          .attribute("type", "not met")
          .attribute("message", printable(d.why))
          .text(printable(d.why))
          .close();
    xml.close();
  }
  xml.close();
}

// A case for each search, and one for each culprit: a culprit that is fast enough for the floors is no green page.
void write_searches(XmlWriter& xml, const Report& report) {
  Counts counts;
  for (const SearchReport& s : report.searches) counts.failures += s.culprits.size();
  open_suite(xml, kCulprits, report.searches.size() + counts.failures, counts, report);
  const auto open = [&](const std::string& name) {
    xml.open("testcase").attribute("name", printable(name)).attribute("classname", kCulprits);
  };
  for (const SearchReport& s : report.searches) {
    open("search in " + s.group);
    xml.open("system-out")
        .text(format("{} pairs in {} rounds, {} suspects left open\n", s.pairs, s.rounds, s.open.size()))
        .close()
        .close();
    for (const NamedCulprit& c : s.culprits) {
      open(c.what);
      xml.open("failure")
          .attribute("type", "culprit")
          .attribute("message", printable(c.verdict))
          .text(printable(format("{}; {}; {}", c.verdict, place_of_culprit(c), join(c.evidence, "; "))))
          .close()
          .close();
    }
  }
  xml.close();
}

// The verdict of the run is a case of its own: what has not passed is no green page.
void write_run(XmlWriter& xml, const Report& report) {
  const RunVerdict verdict = run_verdict(report);
  const bool failed = verdict == RunVerdict::failed, open = verdict == RunVerdict::nothing_wrong,
             error = !failed && !is_good(verdict);
  const std::string why = printable(format("{}: {}", run_verdict_name(verdict), why_run_verdict(report)));
  open_suite(xml, "run", 1, {.failures = failed, .errors = error, .skipped = open}, report,
             report.took > 0 ? std::optional(report.took) : std::nullopt);
  xml.open("testcase").attribute("name", "verdict of the run").attribute("classname", "run");
  if (error) xml.open("error").attribute("type", "run").attribute("message", why).text(why).close();
  if (failed) xml.open("failure").attribute("type", "run").attribute("message", why).text(why).close();
  if (open) xml.open("skipped").text(why).close();
  if (!report.selection.empty())
    xml.open("system-out").text("options of the run: " + printable(report.selection) + "\n").close();
  xml.close().close();
}

}  // namespace

std::string render_validation_junit(const Report& report) {
  std::vector<std::string_view> order;
  std::map<std::string_view, std::vector<const Judged*>> suites;
  for (const Judged& j : report.verdicts) {
    auto& suite = suites[j.test];
    if (suite.empty()) order.push_back(j.test);
    suite.push_back(&j);
  }
  XmlWriter xml;
  xml.open("testsuites").attribute("name", printable("clusterc validate " + report.cluster));
  write_run(xml, report);
  if (!report.demands.empty()) write_demands(xml, report);
  if (!report.searches.empty()) write_searches(xml, report);
  for (const std::string_view name : order) {
    const auto& suite = suites[name];
    const auto took = report.seconds.find(name);
    open_suite(xml, name, suite.size(), counts_of(suite), report,
               took == report.seconds.end() ? std::nullopt : std::optional(took->second));
    for (const Judged* j : suite) write_case(xml, *j);
    xml.close();
  }
  xml.close();
  return xml.take();
}

}  // namespace clusterc
