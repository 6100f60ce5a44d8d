#include "report/validation_report.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/statistics.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/comparison_report.h"
#include "report/search_report.h"
#include "report/table.h"
#include "rules/say.h"
#include "validate/inventory.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

constexpr Verdict kVerdicts[] = {Verdict::pass,  Verdict::degraded, Verdict::fail,
                                 Verdict::error, Verdict::skipped,  Verdict::unjudged};

std::string figure(const std::optional<double>& v, Dimension d) { return v ? to_text(*v, d) : std::string("-"); }

// perftest compares no data: it counts what the adapter has acknowledged.
std::string_view data_word(const Judged& j) {
  if (!j.data_verified) return "WRONG";
  return j.metric.starts_with("rdma.") ? "acknowledged" : "verified";
}

std::string reason_and_history(const Judged& j) {
  std::string out = j.reason;
  for (const EarlierResult& e : j.history)
    out +=
        format("{}before, at {}: {}{}{}", out.empty() ? "" : "; ", utc_text(e.ended), verdict_name(e.verdict),
               e.value ? " with " + to_text(*e.value, j.dimension) : "", e.reason.empty() ? "" : " (" + e.reason + ")");
  return out;
}

// What the probes say of the nodes: which machines, in which state of their software, the figures are of.
void write_nodes(JsonWriter& json, const Report& report) {
  json.array("nodes");
  for (const NodeFacts& n : nodes_of(report)) {
    json.begin_object(JsonWriter::Layout::line)
        .field("node", n.node)
        .field("host", n.host)
        .field("probed", n.probed)
        .field("system", n.system)
        .field("kernel", n.kernel)
        .field("vendor", n.vendor)
        .field("product", n.product)
        .field("serial", n.serial)
        .field("bios", n.bios)
        .field("cpu", n.cpu)
        .field("memory_bytes", n.memory_bytes)
        .field("nvidia_driver", n.driver)
        .field("cuda", n.cuda)
        .field("nccl", n.nccl)
        .array("gpus");
    for (const GpuFacts& g : n.gpus)
      json.begin_object()
          .field("name", g.name)
          .field("serial", g.serial)
          .field("uuid", g.uuid)
          .field("vbios", g.vbios)
          .field("pci_address", g.pci_address)
          .end_object();
    json.end_array().array("adapters");
    for (const AdapterFacts& a : n.adapters)
      json.begin_object()
          .field("name", a.name)
          .field("model", a.model)
          .field("firmware", a.firmware)
          .field("id", a.id)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_demands(JsonWriter& json, const Report& report) {
  json.array("demands");
  for (const Demand& d : report.demands)
    json.begin_object(JsonWriter::Layout::line)
        .field("metric", d.metric)
        .field("group", d.group)
        .field("scope", d.scope)
        .field("measured", d.measured)
        .field("passed", d.passed)
        .field("met", d.met)
        .field("why", d.why)
        .end_object();
  json.end_array();
}

void write_verdict(JsonWriter& json, const Report& report, const Judged& j) {
  json.begin_object(JsonWriter::Layout::line)
      .field("test", j.test.str())
      .field("metric", j.metric.str())
      .field("node", j.node.str())
      .field("device", j.device.str())
      .field("verdict", verdict_name(j.verdict))
      .field("reason", j.reason.str())
      .field("demanded", j.demanded)
      .field("value", j.value)
      .field("dimension", dimension_name(j.dimension))
      .field("better", j.lower_is_better ? "lower" : "higher")
      .field("floor", j.floor)
      .field("typical", j.typical)
      .field("ceiling", j.ceiling)
      .field("derivation", report.derivation_of(j))
      .field("data_verified", j.data_verified)
      .field("busy", j.busy)
      .field("page_cache", j.page_cache)
      .field("size_bytes", j.size);
  if (j.samples > 0) json.field("samples", j.samples);
  if (j.p05 > 0) json.field("p05", j.p05).field("p95", j.p95);
  if (j.among_peers)
    json.object("among_peers")
        .field("peers", j.among_peers->peers)
        .field("median", j.among_peers->median)
        .field("probability", j.among_peers->probability)
        .end_object();
  if (j.from_journal)
    json.object(j.from_report ? "from_report" : "from_journal")
        .field("ended", utc_text(*j.from_journal))
        .field("age_s", report.started - *j.from_journal)
        .end_object();
  if (!j.history.empty()) {
    json.array("history");
    for (const EarlierResult& e : j.history)
      json.begin_object()
          .field("ended", utc_text(e.ended))
          .field("verdict", verdict_name(e.verdict))
          .field("value", e.value)
          .field("reason", e.reason)
          .end_object();
    json.end_array();
  }
  json.end_object();
}

// What was left out and what to do, below everything else.
std::string remarks_on(const Report& report, RunVerdict verdict) {
  std::string out;
  if (!report.left_out.empty())
    out +=
        format("{} left out for want of time: {}\n", plural(static_cast<std::int64_t>(report.left_out.size()), "test"),
               printable(join(report.left_out, ", ")));
  if (!report.journal_refused.empty())
    out += "the journal has an unfinished run, which is not used: " + printable(report.journal_refused) + "\n";
  if (report.interrupted)
    out += report.journal.empty() ? "nothing was kept (no journal)\n"
                                  : "finished tests are kept in '" + printable(report.journal) +
                                        "': the same command continues there, --fresh starts again\n";
  const auto busy = [](const Judged& j) { return j.verdict == Verdict::error && j.reason.starts_with("busy"); };
  if (std::any_of(report.verdicts.begin(), report.verdicts.end(), busy))
    out +=
        "other work used the machine: run it again when it is idle; with --allow-busy it measures anyway, and a figure "
        "that is too low is then an error, not a fail\n";
  if (!report.interrupted && !report.ran_something() && !report.verdicts.empty())
    out += "nothing was run: every test was skipped; the reason stands behind each\n";
  if (verdict == RunVerdict::nothing_wrong)
    out +=
        "this is no acceptance: " + why_run_verdict(report) + ": write the figures that it must reach into targets\n";
  if (is_good(verdict) && !report.not_run.empty())
    out += "a part of the suite did not run: " + printable(join(report.not_run, ", ")) + "\n";
  if ((is_good(verdict) || verdict == RunVerdict::nothing_judged) && report.count(Verdict::unjudged))
    out += "an unjudged figure is not a pass: its reason names what is needed to judge it\n";
  return out;
}

}  // namespace

std::string render_validation_text(const Report& report, bool color) {
  std::string out = printable(format("{}: validated through {}", report.cluster, report.launcher)) + "\n";
  if (!report.selection.empty()) out += "options of the run: " + printable(report.selection) + "\n";
  if (!report.error.empty()) return out + "could not run: " + printable(report.error) + "\n";
  // Nodes with the same outcome of the same metric are one line, whose value is the median.
  struct Line {
    const Judged* first;
    std::vector<std::string> nodes;
    std::vector<double> values;
  };
  std::vector<Line> lines;
  std::map<std::string, std::size_t> known;
  for (const Judged& j : report.verdicts) {
    const std::string key = j.test + "|" + j.metric + "|" + j.device + "|" + std::string(verdict_name(j.verdict)) +
                            "|" + (j.from_journal ? std::to_string(*j.from_journal) : "") + "|" +
                            (j.history.empty() ? "" : j.node) + "|" +
                            (j.verdict == Verdict::pass                                     ? ""
                             : j.verdict == Verdict::fail || j.verdict == Verdict::degraded ? j.node
                                                                                            : j.reason);
    const auto [at, fresh] = known.try_emplace(key, lines.size());
    if (fresh) lines.push_back({&j, {}, {}});
    if (std::find(lines[at->second].nodes.begin(), lines[at->second].nodes.end(), j.node) ==
        lines[at->second].nodes.end())
      lines[at->second].nodes.push_back(j.node);
    if (j.value) lines[at->second].values.push_back(*j.value);
  }
  // When each figure was measured stands there as soon as one of them is of an earlier run.
  const bool resumed = std::any_of(report.verdicts.begin(), report.verdicts.end(),
                                   [](const Judged& j) { return j.from_journal.has_value(); });
  std::vector<std::string> headings{"verdict", "metric",   "nodes",    "device", ">measured",
                                    ">floor",  ">typical", ">ceiling", "data"};
  if (resumed) headings.push_back("when");
  headings.push_back("reason");
  Table table(headings);
  for (Line& line : lines) {
    const Judged& j = *line.first;
    std::optional<double> median;
    if (!line.values.empty()) median = median_of(line.values);
    const bool one_pattern = line.nodes.size() == 1;
    std::vector<std::string> cells{std::string(verdict_name(j.verdict)),
                                   j.metric,
                                   one_pattern ? line.nodes.front() : fold_names(line.nodes),
                                   j.device.empty() ? "-" : j.device,
                                   figure(median, j.dimension),
                                   figure(j.floor, j.dimension),
                                   figure(j.typical, j.dimension),
                                   figure(j.ceiling, j.dimension),
                                   std::string(j.value ? data_word(j) : "-")};
    if (resumed)
      cells.push_back(j.from_journal ? format("{} ago ({}), from the {}", age_text(report.started - *j.from_journal),
                                              utc_text(*j.from_journal), j.from_report ? "earlier report" : "journal")
                                     : "now");
    cells.push_back(reason_and_history(j));
    table.row(std::move(cells));
  }
  out += "\n" + table.text() + "\n";
  std::string counts;
  for (const Verdict v : kVerdicts)
    if (report.count(v)) counts += format("{}{} {}", counts.empty() ? "" : ", ", report.count(v), verdict_name(v));
  if (counts.empty()) counts = "nothing was run";
  const RunVerdict verdict = run_verdict(report);
  const char* paint = verdict == RunVerdict::passed ? "\033[32m" : is_good(verdict) ? "\033[33m" : "\033[31m";
  out += format("{}{}{}: {}{}\n", color ? paint : "", run_verdict_name(verdict), color ? "\033[0m" : "", counts,
                report.resumed
                    ? format("; {} taken from the journal: of a run that began at {}, {} ago",
                             plural(static_cast<std::int64_t>(report.resumed), "test"),
                             utc_text(report.journal_started), age_text(report.started - report.journal_started))
                    : "");
  for (const Demand& d : report.demands)
    if (!d.met)
      out +=
          printable(format("demanded and not met: {} of {}{}: {}", d.metric, d.group.empty() ? "the cluster" : d.group,
                           d.scope.empty() ? "" : " (" + d.scope + ")", d.why)) +
          "\n";
  out += render_searches_text(report);
  for (const TestStacks& s : report.stacks) {
    out += printable(format("what was there when the time of {} on {} was over:", s.test, s.node)) + "\n";
    for (const std::string& line : s.lines) out += "  " + printable(line) + "\n";
  }
  out += remarks_on(report, verdict);
  return out;
}

void write_validation_json(const Report& report, std::string_view spec_digest, const Comparison* compared,
                           const std::function<void(std::string_view)>& sink) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // a verdict is half a kB
  std::string out;
  JsonWriter json(out, {.indent = 1});
  const auto hand_on = [&](std::size_t from) {
    if (out.size() < from) return;
    sink(out);
    out.clear();
  };
  json.begin_object()
      .field("format", "clusterc-validation")
      .field("version", 1)
      .field("cluster", report.cluster)
      .field("spec_sha256", spec_digest)
      .field("launcher", report.launcher)
      .field("program_version", report.program_version)
      .field("bundle_sha256", report.bundle_digest)
      .field("started", utc_text(report.started))
      .field("ended", utc_text(report.ended))
      .field("error", report.error)
      .field("interrupted", report.interrupted)
      .field("verdict", run_verdict_name(run_verdict(report)))
      .field("why", why_run_verdict(report))
      .field("passed", run_verdict(report) == RunVerdict::passed)
      .field("selection", report.selection);
  json.array("left_out", JsonWriter::Layout::line);
  for (const std::string& test : report.left_out) json.value(test);
  json.end_array();
  json.array("not_run", JsonWriter::Layout::line);
  for (const std::string& test : report.not_run) json.value(test);
  json.end_array();
  json.object("counts", JsonWriter::Layout::line);
  for (const Verdict v : kVerdicts) json.field(verdict_name(v), report.count(v));
  json.end_object();
  json.object("journal", JsonWriter::Layout::line)
      .field("path", report.journal)
      .field("tests_taken_over", report.resumed);
  if (report.resumed)
    json.field("run_started", utc_text(report.journal_started))
        .field("run_age_s", report.started - report.journal_started);
  json.field("refused", report.journal_refused).end_object();
  if (report.repeats > 0) json.field("repeats", utc_text(report.repeats));
  write_demands(json, report);
  write_searches(json, report);
  if (!report.stacks.empty()) {
    json.array("stacks");
    for (const TestStacks& s : report.stacks) {
      json.begin_object().field("test", s.test).field("node", s.node).array("lines");
      for (const std::string& line : s.lines) json.value(line);
      json.end_array().end_object();
    }
    json.end_array();
  }
  json.array("durations");
  for (const auto& [test, seconds] : report.seconds)
    json.begin_object(JsonWriter::Layout::line).field("test", test).field("seconds", seconds).end_object();
  json.end_array();
  write_nodes(json, report);
  json.array("verdicts");
  for (const Judged& j : report.verdicts) {
    write_verdict(json, report, j);
    hand_on(kPiece);
  }
  json.end_array();
  if (compared) write_comparison(json, *compared);
  json.end_object();
  out += '\n';
  hand_on(0);
}

std::string render_validation_json(const Report& report, std::string_view spec_digest, const Comparison* compared) {
  std::string out;
  write_validation_json(report, spec_digest, compared, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace clusterc
