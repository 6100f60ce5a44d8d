#include "report/certificate.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/digest.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "base/statistics.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/html_writer.h"
#include "report/search_report.h"
#include "report/validation_report.h"
#include "validate/inventory.h"
#include "validate/run_verdict.h"

namespace clusterc {
namespace {

constexpr std::string_view kStyle =
    "body{font:10pt/1.35 sans-serif;color:#111;max-width:60em;margin:2em auto;padding:0 1em}"
    "h1{font-size:18pt;margin:0 0 .2em}h2{font-size:12pt;margin:1.6em 0 .4em;break-after:avoid}"
    "table{border-collapse:collapse;width:100%;font-size:9pt}"
    "th,td{border:1px solid #999;padding:.15em .4em;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;white-space:nowrap}tr{break-inside:avoid}thead{display:table-header-group}"
    ".verdict{font-size:14pt;font-weight:bold;padding:.4em .6em;border:3px solid;margin:1em 0}"
    ".yes{color:#063;border-color:#063}.no{color:#a00;border-color:#a00}.open{color:#850;border-color:#850}"
    "code{font-size:8pt;overflow-wrap:anywhere}.sign td{height:4em}"
    "@page{size:A4;margin:15mm}@media print{body{margin:0;max-width:none}}";

// How the page presents the verdict of the run: only what has passed is an acceptance.
struct Presented {
  std::string_view title, word, style;
};
Presented present(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::passed:
      return {"Certificate of acceptance", "PASSED", "verdict yes"};
    case RunVerdict::nothing_wrong:
      return {"No acceptance: nothing wrong was found", "NOTHING WRONG WAS FOUND", "verdict open"};
    case RunVerdict::nothing_judged:
      return {"No acceptance: nothing was judged", "NOTHING WAS JUDGED", "verdict no"};
    case RunVerdict::failed:
    case RunVerdict::interrupted:
    case RunVerdict::could_not_run:
      break;
  }
  return {"Acceptance NOT PASSED", "NOT PASSED", "verdict no"};
}

std::string title_of(const Report& report) {
  return printable(format("{}: {}", present(run_verdict(report)).title, report.cluster));
}

// Which figures were measured while other work used the machines; empty: none.
std::string beside_other_work(const Report& report) {
  constexpr std::int64_t kMostNodes = std::int64_t{1} << 17;  // a name of a team is the validator's own text
  std::size_t measured = 0, busy = 0, passed = 0;
  std::set<std::string> nodes;
  for (const Judged& j : report.verdicts) {
    if (!j.value) continue;
    ++measured;
    if (!j.busy) continue;
    ++busy;
    passed += j.verdict == Verdict::pass;
    // A figure of several nodes names them as one pattern.
    HostPattern::Error error;
    const auto pattern = HostPattern::parse(j.node.str(), error);
    const bool plain = pattern && pattern->count() <= kMostNodes;
    if (!plain) nodes.insert(j.node);
    for (std::int64_t i = 0; plain && i < pattern->count(); ++i) nodes.insert(pattern->name(i));
  }
  if (busy == 0) return {};
  return format(
      "The machines were busy with other work: {} of {} figures were measured beside it ({} of them pass), on "
      "{}.",
      busy, measured, passed, fold_names({nodes.begin(), nodes.end()}));
}

class Certificate {
 public:
  Certificate(const Report& report, const CertificateFacts& facts) : report_(report), facts_(facts) {}
  std::string render();

 private:
  void headings(std::initializer_list<std::string_view> names);  // one that begins with '>' is of numbers
  void cell(std::string_view text) { html_.element("td", text); }
  void number(std::string_view text) { html_.element("td", "class", "n", text); }
  void verdict();
  void demands();
  void figures();
  void not_passed();
  void not_run();
  void culprits();
  void accepted();
  void nodes();
  void versions();
  void signatures();

  const Report& report_;
  const CertificateFacts& facts_;
  HtmlWriter html_;
};

void Certificate::headings(std::initializer_list<std::string_view> names) {
  html_.open("table").open("thead").open("tr");
  for (const std::string_view name : names)
    if (name.starts_with('>'))
      html_.element("th", "class", "n", name.substr(1));
    else
      html_.element("th", name);
  html_.close().close().open("tbody");
}

void Certificate::verdict() {
  std::string counts;
  for (const Verdict v :
       {Verdict::pass, Verdict::degraded, Verdict::fail, Verdict::error, Verdict::skipped, Verdict::unjudged})
    if (const std::size_t n = report_.count(v))
      counts += format("{}{} {}", counts.empty() ? "" : ", ", n, verdict_name(v));
  const auto met = std::ranges::count_if(report_.demands, &Demand::met);
  const Presented shown = present(run_verdict(report_));
  const bool in_part = run_verdict(report_) == RunVerdict::passed && !report_.not_run.empty();
  html_.element("p", "class", shown.style,
                format("{}{}: {}", shown.word, in_part ? ", AND A PART OF THE SUITE DID NOT RUN" : "",
                       counts.empty() ? "nothing was measured" : counts));
  if (run_verdict(report_) == RunVerdict::nothing_wrong)
    html_.element("p", "This page is no acceptance: " + why_run_verdict(report_) + ".");
  if (!report_.selection.empty())
    html_.element("p", "Options of the run: " + printable(report_.selection) +
                           ". This page says nothing of what is not listed below.");
  if (const std::string busy = beside_other_work(report_); !busy.empty()) html_.element("p", printable(busy));
  if (!report_.error.empty()) html_.element("p", "The run could not be done: " + printable(report_.error));
  if (report_.interrupted) html_.element("p", "The run was interrupted: a part of the suite did not run.");
  html_.element("p", format("{} of {} figures that the spec demands were measured and passed. The run began at {} and "
                            "ended at {} (UTC), through {}.",
                            met, report_.demands.size(), utc_text(report_.started), utc_text(report_.ended),
                            printable(report_.launcher)));
  if (report_.demands.empty()) html_.element("p", "The spec demands no figure: nothing in its targets.");
  if (!report_.left_out.empty())
    html_.element("p", "Left out for want of time: " + printable(join(report_.left_out, ", ")) + ".");
  if (report_.repeats > 0)
    html_.element("p", format("This run repeated what had not passed in the run of {}; all other results are from the "
                              "report of that run.",
                              utc_text(report_.repeats)));
  if (report_.resumed > 0)
    html_.element("p", format("{} tests were taken from the journal of a run that began at {}.", report_.resumed,
                              utc_text(report_.journal_started)));
}

void Certificate::demands() {
  if (report_.demands.empty()) return;
  html_.element("h2", "What the spec demands");
  headings({"figure", "of", ">measured", ">passed", "met", "why not"});
  for (const Demand& d : report_.demands) {
    html_.open("tr");
    cell(d.metric);
    cell(printable((d.group.empty() ? "the cluster" : d.group) + (d.scope.empty() ? "" : " (" + d.scope + ")")));
    number(format("{}", d.measured));
    number(format("{}", d.passed));
    cell(d.met ? "yes" : "NO");
    cell(printable(d.why));
    html_.close();
  }
  html_.close().close();
}

// A row for each test and metric, however many nodes and devices it was measured on; a sum over nodes is no figure of a
// node.
void Certificate::figures() {
  struct Row {
    std::vector<double> values;
    std::map<Verdict, std::size_t> verdicts;
    const Judged* first = nullptr;
  };
  std::map<std::tuple<std::string_view, std::string_view, bool>, std::size_t> known;
  std::vector<Row> rows;
  for (const Judged& j : report_.verdicts) {
    const auto [at, fresh] = known.try_emplace({j.test, j.metric, j.device == kAllTogether}, rows.size());
    if (fresh) rows.push_back({.first = &j});
    Row& row = rows[at->second];
    if (j.value) row.values.push_back(*j.value);
    if (!row.first->floor && j.floor) row.first = &j;
    ++row.verdicts[j.verdict];
  }
  html_.element("h2", "Figures");
  headings({"test", "figure", ">measured", ">lowest", ">median", ">highest", ">floor", "verdicts"});
  for (const Row& row : rows) {
    const Dimension d = row.first->dimension;
    const auto figure = [&](double v) { return to_text(v, d); };
    html_.open("tr");
    cell(printable(row.first->test));
    cell(printable(row.first->metric) +
         (row.first->device == kAllTogether ? format(" ({})", kAllTogether) : std::string()));
    number(format("{}", row.values.size()));
    number(row.values.empty() ? "-" : figure(std::ranges::min(row.values)));
    number(row.values.empty() ? "-" : figure(median_of(row.values)));
    number(row.values.empty() ? "-" : figure(std::ranges::max(row.values)));
    number(row.first->floor ? figure(*row.first->floor) : "-");
    std::string verdicts;
    for (const auto& [v, n] : row.verdicts)
      verdicts += format("{}{} {}", verdicts.empty() ? "" : ", ", n, verdict_name(v));
    cell(verdicts);
    html_.close();
  }
  html_.close().close();
}

// Everything that is not a pass, and what became of what a later run repeated.
void Certificate::not_passed() {
  struct Row {
    const Judged* first;
    std::vector<std::string> nodes;
  };
  std::map<std::tuple<Verdict, std::string_view, std::string_view, std::string_view, std::string_view>, std::size_t>
      known;
  std::vector<Row> rows;
  for (const Judged& j : report_.verdicts) {
    if (j.verdict == Verdict::pass && j.history.empty()) continue;
    const std::string_view node = j.history.empty() ? std::string_view() : std::string_view(j.node);
    const auto [at, fresh] = known.try_emplace({j.verdict, j.test, j.metric, j.reason, node}, rows.size());
    if (fresh) rows.push_back({&j, {}});
    rows[at->second].nodes.push_back(j.node);
  }
  html_.element("h2", "What did not pass, was left out, could not be judged, or was repeated");
  if (rows.empty()) {
    html_.element("p", "Nothing.");
    return;
  }
  headings({"verdict", "test", "figure", "nodes", "reason"});
  for (Row& row : rows) {
    const Judged& j = *row.first;
    html_.open("tr");
    cell(verdict_name(j.verdict));
    cell(printable(j.test));
    cell(printable(j.metric));
    std::ranges::sort(row.nodes);
    row.nodes.erase(std::unique(row.nodes.begin(), row.nodes.end()), row.nodes.end());
    cell(printable(row.nodes.size() == 1 ? row.nodes.front() : fold_names(row.nodes)));
    std::string reason = printable(j.reason);
    for (const EarlierResult& e : j.history)
      reason += format("{}before, at {}: {}{}{}", reason.empty() ? "" : "; ", utc_text(e.ended),
                       verdict_name(e.verdict), e.value ? " with " + to_text(*e.value, j.dimension) : "",
                       e.reason.empty() ? "" : " (" + printable(e.reason) + ")");
    cell(reason);
    html_.close();
  }
  html_.close().close();
}

void Certificate::not_run() {
  if (report_.not_run.empty()) return;
  html_.element("h2", "Not measured");
  html_.element("p", "These tests of the suite did not run: " + printable(join(report_.not_run, ", ")) +
                         ". This page says nothing of what they measure.");
}

void Certificate::culprits() {
  if (report_.searches.empty()) return;
  html_.element("h2", "What makes pairs of nodes slow");
  for (const SearchReport& s : report_.searches)
    html_.element("p", format("{}: {} pairs in {} rounds, {} culprits, {} suspects left open.", printable(s.group),
                              s.pairs, s.rounds, s.culprits.size(), s.open.size()));
  if (std::ranges::all_of(report_.searches, [](const SearchReport& s) { return s.culprits.empty(); })) return;
  headings({"culprit", "where", "measured"});
  for (const SearchReport& s : report_.searches)
    for (const NamedCulprit& c : s.culprits) {
      html_.open("tr");
      cell(printable(c.what));
      cell(printable(place_of_culprit(c)));
      cell(printable(c.verdict));
      html_.close();
    }
  html_.close().close();
}

void Certificate::accepted() {
  html_.element("h2", "Accepted findings");
  if (facts_.accepted.empty()) {
    html_.element("p", "The spec accepts no finding.");
    return;
  }
  headings({"finding", "place", "what it says", "accepted because"});
  for (const AcceptedFinding& f : facts_.accepted) {
    html_.open("tr");
    for (const std::string* text : {&f.rule, &f.place, &f.message, &f.reason}) cell(printable(*text));
    html_.close();
  }
  html_.close().close();
}

std::string known(const std::string& text) { return text.empty() ? "unknown" : text; }

void Certificate::nodes() {
  const std::vector<NodeFacts> all = nodes_of(report_);
  html_.element("h2", "Machines");
  if (all.empty()) {
    html_.element("p", "No probe of a node was read.");
    return;
  }
  html_.element("p",
                "As the probe of each node read them. 'unknown': the probe could not read it, for example because "
                "only root can.");
  headings({"node", "machine", "serial", "firmware", "system", "NVIDIA driver, CUDA"});
  for (const NodeFacts& n : all) {
    html_.open("tr");
    cell(printable(n.node) + (n.host.empty() || n.host == n.node ? "" : " (host " + n.host + ")"));
    cell(n.vendor.empty() && n.product.empty() ? known(n.cpu) : n.vendor + " " + n.product);
    cell(known(n.serial));
    cell(known(n.bios));
    cell(known(n.system) + ", " + known(n.kernel));
    cell(n.driver.empty() ? (n.gpus.empty() ? "-" : "unknown") : n.driver + ", " + known(n.cuda));
    html_.close();
  }
  html_.close().close();
  html_.element("h2", "GPUs and adapters");
  headings({"node", "device", "model", "serial or id", "firmware"});
  for (const NodeFacts& n : all) {
    for (std::size_t i = 0; i < n.gpus.size(); ++i) {
      const GpuFacts& g = n.gpus[i];
      html_.open("tr");
      cell(printable(n.node));
      cell(format("GPU {} ({})", i, known(g.pci_address)));
      cell(known(g.name));
      cell(known(g.serial) + (g.uuid.empty() ? "" : ", " + g.uuid));
      cell(known(g.vbios));
      html_.close();
    }
    for (const AdapterFacts& a : n.adapters) {
      html_.open("tr");
      cell(printable(n.node));
      cell(known(a.name));
      cell(known(a.model));
      cell(known(a.id));
      cell(a.firmware.empty() ? "-" : a.firmware);
      html_.close();
    }
  }
  html_.close().close();
}

void Certificate::versions() {
  html_.element("h2", "What the verdict rests on");
  headings({"what", "SHA-256"});
  const auto row = [&](const std::string& what, const std::string& hash) {
    html_.open("tr");
    cell(printable(what));
    html_.open("td").element("code", hash.empty() ? "none" : hash).close();
    html_.close();
  };
  row("spec " + facts_.spec_path, facts_.spec_sha256);
  row("plan.json of this spec", facts_.plan_sha256);
  row(report_.journal.empty() ? std::string("journal: none was kept")
                              : format("journal {}, its first {} bytes (head -c {} FILE | sha256sum)", report_.journal,
                                       facts_.journal_bytes, facts_.journal_bytes),
      facts_.journal_sha256);
  row("clusterc " + report_.program_version, facts_.program_sha256);
  row("validators: names and bytes of clusterc-* in the bundle", report_.bundle_digest);
  row("all five: the lines 'spec HASH', 'plan HASH', 'journal HASH', 'program HASH', 'validators HASH'",
      certificate_digest(facts_, report_.bundle_digest));
  html_.close().close();
}

void Certificate::signatures() {
  html_.element("h2", run_verdict(report_) == RunVerdict::passed ? "Accepted by" : "Seen by (not an acceptance)");
  html_.open("table", "class", "sign").open("tbody");
  for (const char* who : {"supplier: name, date, signature", "customer: name, date, signature"}) {
    html_.open("tr");
    cell(who);
    cell("");
    html_.close();
  }
  html_.close().close();
}

std::string Certificate::render() {
  const std::string title = title_of(report_);
  html_.open("html", "lang", "en").open("head");
  html_.empty("meta", "charset", "utf-8");
  html_.empty("meta", "name", "viewport", "content", "width=device-width");
  html_.element("title", title).style(kStyle).close();
  html_.open("body").element("h1", title);
  verdict();
  demands();
  figures();
  not_passed();
  not_run();
  culprits();
  accepted();
  nodes();
  versions();
  signatures();
  html_.close().close();
  return html_.take();
}

}  // namespace

std::string certificate_digest(const CertificateFacts& facts, const std::string& bundle_digest) {
  const auto hash = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
  return sha256_hex(format("spec {}\nplan {}\njournal {}\nprogram {}\nvalidators {}\n", hash(facts.spec_sha256),
                           hash(facts.plan_sha256), hash(facts.journal_sha256), hash(facts.program_sha256),
                           hash(bundle_digest)));
}

std::string render_certificate(const Report& report, const CertificateFacts& facts) {
  return Certificate(report, facts).render();
}

}  // namespace clusterc
