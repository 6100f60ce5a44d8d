#include "validate/report_text.h"

#include <simdjson.h>

#include "base/format.h"
#include "base/printable.h"
#include "base/utc.h"

namespace clusterc {
namespace {

using ReportElement = simdjson::dom::element;
using Object = simdjson::dom::object;

// What is wrong with the report; thrown and caught in this file.
struct UnsoundReport {
  std::string why;
};

std::string text(const Object& e, const char* key) {
  std::string_view v;
  if (e[key].get(v) != simdjson::SUCCESS) throw UnsoundReport{format("'{}' is missing or not a text", key)};
  return printable(v);
}
bool truth(const Object& e, const char* key) {
  bool v = false;
  if (e[key].get(v) != simdjson::SUCCESS) throw UnsoundReport{format("'{}' is missing or not true or false", key)};
  return v;
}
std::int64_t moment(const Object& e, const char* key) {
  const auto at = parse_utc(text(e, key));
  if (!at) throw UnsoundReport{format("'{}' is not a time", key)};
  return *at;
}
std::optional<double> number(const Object& e, const char* key) {
  double v = 0;
  return e[key].get(v) == simdjson::SUCCESS ? std::optional(v) : std::nullopt;
}
std::int64_t count(const Object& e, const char* key) {
  std::int64_t v = 0;
  return e[key].get(v) == simdjson::SUCCESS ? v : 0;
}
Object object_of(const ReportElement& e, const char* what) {
  Object out;
  if (e.get(out) != simdjson::SUCCESS) throw UnsoundReport{format("{} is not an object", what)};
  return out;
}

Verdict verdict_of(std::string_view name) {
  for (const Verdict v :
       {Verdict::pass, Verdict::degraded, Verdict::fail, Verdict::error, Verdict::skipped, Verdict::unjudged})
    if (verdict_name(v) == name) return v;
  throw UnsoundReport{format("there is no verdict '{}'", name.substr(0, 20))};
}
Dimension dimension_of(std::string_view name) {
  for (const Dimension d : {Dimension::byte_rate, Dimension::flop_rate, Dimension::time, Dimension::op_rate})
    if (dimension_name(d) == name) return d;
  throw UnsoundReport{format("no figure has the dimension '{}'", name.substr(0, 20))};
}

Judged read_verdict(const Object& e, Report& report) {
  Judged j;
  j.test = text(e, "test");
  j.metric = text(e, "metric");
  j.node = text(e, "node");
  j.device = text(e, "device");
  j.verdict = verdict_of(text(e, "verdict"));
  j.reason = text(e, "reason");
  j.demanded = truth(e, "demanded");
  j.value = number(e, "value");
  j.dimension = dimension_of(text(e, "dimension"));
  j.lower_is_better = text(e, "better") == "lower";
  j.floor = number(e, "floor");
  j.typical = number(e, "typical");
  j.ceiling = number(e, "ceiling");
  j.derivation = report.place_of(text(e, "derivation"));
  j.data_verified = truth(e, "data_verified");
  j.busy = truth(e, "busy");
  j.page_cache = truth(e, "page_cache");
  j.size = count(e, "size_bytes");
  j.samples = count(e, "samples");
  j.p05 = number(e, "p05").value_or(0);
  j.p95 = number(e, "p95").value_or(0);
  Object from;
  if (e["from_journal"].get(from) == simdjson::SUCCESS) j.from_journal = moment(from, "ended");
  if (e["from_report"].get(from) == simdjson::SUCCESS) j.from_journal = moment(from, "ended"), j.from_report = true;
  simdjson::dom::array history;
  if (e["history"].get(history) == simdjson::SUCCESS)
    for (const ReportElement one : history) {
      const Object earlier = object_of(one, "an entry of 'history'");
      j.history.push_back({verdict_of(text(earlier, "verdict")), number(earlier, "value"), text(earlier, "reason"),
                           moment(earlier, "ended")});
    }
  return j;
}

NodeFacts read_node(const Object& e) {
  NodeFacts n{text(e, "node"),
              text(e, "host"),
              text(e, "probed"),
              text(e, "system"),
              text(e, "kernel"),
              text(e, "vendor"),
              text(e, "product"),
              text(e, "serial"),
              text(e, "bios"),
              text(e, "cpu"),
              number(e, "memory_bytes").value_or(0),
              text(e, "nvidia_driver"),
              text(e, "cuda"),
              text(e, "nccl"),
              {},
              {}};
  simdjson::dom::array list;
  if (e["gpus"].get(list) == simdjson::SUCCESS)
    for (const ReportElement one : list) {
      const Object g = object_of(one, "a GPU");
      n.gpus.push_back({text(g, "name"), text(g, "serial"), text(g, "uuid"), text(g, "vbios"), text(g, "pci_address")});
    }
  if (e["adapters"].get(list) == simdjson::SUCCESS)
    for (const ReportElement one : list) {
      const Object a = object_of(one, "an adapter");
      n.adapters.push_back({text(a, "name"), text(a, "model"), text(a, "firmware"), text(a, "id")});
    }
  return n;
}

std::vector<std::string> texts(const Object& e, const char* key) {
  std::vector<std::string> out;
  simdjson::dom::array list;
  if (e[key].get(list) != simdjson::SUCCESS) throw UnsoundReport{format("'{}' is missing or not a list", key)};
  for (const ReportElement one : list) {
    std::string_view v;
    if (one.get(v) != simdjson::SUCCESS) throw UnsoundReport{format("'{}' has an entry that is no text", key)};
    out.push_back(printable(v));
  }
  return out;
}

std::vector<NamedCulprit> read_culprits(const Object& e, const char* key) {
  std::vector<NamedCulprit> out;
  simdjson::dom::array list;
  if (e[key].get(list) != simdjson::SUCCESS) throw UnsoundReport{format("'{}' is missing or not a list", key)};
  for (const ReportElement one : list) {
    const Object c = object_of(one, "a culprit");
    out.push_back({.kind = text(c, "kind"),
                   .what = text(c, "what"),
                   .object = text(c, "object"),
                   .node = text(c, "node"),
                   .adapter = text(c, "adapter"),
                   .cable = text(c, "cable"),
                   .switch_port = text(c, "switch_port"),
                   .rack = text(c, "rack"),
                   .unit = static_cast<int>(count(c, "unit")),
                   .serial = text(c, "serial"),
                   .verdict = text(c, "verdict"),
                   .evidence = texts(c, "evidence"),
                   .command = text(c, "command"),
                   .next_step = text(c, "next_step"),
                   .confidence = number(c, "confidence").value_or(0)});
  }
  return out;
}

SearchReport read_search(const Object& e) {
  return {.group = text(e, "group"),
          .rounds = static_cast<std::size_t>(count(e, "rounds")),
          .confirmations = static_cast<std::size_t>(count(e, "confirmations")),
          .pairs = static_cast<std::size_t>(count(e, "pairs")),
          .measurements = count(e, "measurements"),
          .slow = count(e, "slow"),
          .unexplained = count(e, "passing"),
          .culprits = read_culprits(e, "culprits"),
          .open = read_culprits(e, "open"),
          .notes = texts(e, "notes")};
}

EarlierReport read(const Object& e) {
  EarlierReport out;
  Report& r = out.report;
  r.cluster = text(e, "cluster");
  out.spec_digest = text(e, "spec_sha256");
  r.launcher = text(e, "launcher");
  r.program_version = text(e, "program_version");
  r.bundle_digest = text(e, "bundle_sha256");
  r.started = moment(e, "started");
  r.ended = moment(e, "ended");
  r.error = text(e, "error");
  r.interrupted = truth(e, "interrupted");
  r.selection = text(e, "selection");
  r.left_out = texts(e, "left_out");
  simdjson::dom::array list;
  if (e["verdicts"].get(list) != simdjson::SUCCESS) throw UnsoundReport{"'verdicts' is missing or not a list"};
  for (const ReportElement one : list) r.verdicts.push_back(read_verdict(object_of(one, "a verdict"), r));
  if (e["searches"].get(list) == simdjson::SUCCESS)
    for (const ReportElement one : list) r.searches.push_back(read_search(object_of(one, "a search")));
  if (e["durations"].get(list) == simdjson::SUCCESS)  // reports of earlier versions have none
    for (const ReportElement one : list) {
      const Object duration = object_of(one, "a duration");
      if (const auto seconds = number(duration, "seconds")) r.seconds[text(duration, "test")] = *seconds;
    }
  if (e["nodes"].get(list) != simdjson::SUCCESS) throw UnsoundReport{"'nodes' is missing or not a list"};
  for (const ReportElement one : list) out.nodes.push_back(read_node(object_of(one, "a node")));
  return out;
}

}  // namespace

std::optional<EarlierReport> read_report(std::string_view json, std::string& error) {
  simdjson::dom::parser parser;
  ReportElement e;
  Object whole;
  std::string_view name;
  std::int64_t version = 0;
  if (parser.parse(json.data(), json.size()).get(e) != simdjson::SUCCESS || e.get(whole) != simdjson::SUCCESS ||
      whole["format"].get(name) != simdjson::SUCCESS || name != "clusterc-validation") {
    error = "it is not a report of 'clusterc validate' (-o FILE)";
    return std::nullopt;
  }
  if (whole["version"].get(version) != simdjson::SUCCESS || version != 1) {
    error = format("its format has version {}, this program reads version 1", version);
    return std::nullopt;
  }
  try {
    return read(whole);
  } catch (const UnsoundReport& unsound) {
    error = "it is damaged: " + unsound.why;
    return std::nullopt;
  }
}

}  // namespace clusterc
