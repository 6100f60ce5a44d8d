#include "validate/record.h"

#include <simdjson.h>

#include <cmath>

#include "base/format.h"
#include "base/printable.h"
#include "base/stacks.h"

namespace clusterc {
namespace {

// Other machines wrote it: nothing in it that a terminal would obey, and no more than somebody reads.
constexpr std::size_t kLongestText = 4096;
std::string text(const simdjson::dom::element& e, const char* key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? printable(v.substr(0, kLongestText)) : std::string();
}
double number(const simdjson::dom::element& e, const char* key) {
  double v = 0;
  return e[key].get(v) == simdjson::SUCCESS ? v : 0;
}
// What must be there: `damaged` names the first that is not. No machine measures 1e300 B/s.
constexpr double kMost = 1e24, kLeast = 1e-24;
double figure(const simdjson::dom::element& e, const char* key, std::string& damaged) {
  double v = 0;
  const bool told = e[key].get(v) == simdjson::SUCCESS && std::isfinite(v);
  if (told && (v == 0 || (v >= kLeast && v <= kMost))) return v;
  if (damaged.empty())
    damaged =
        told ? format("damaged record: '{}' is {:.6g}", key, v) : format("damaged record: '{}' is not a number", key);
  return 0;
}
std::int64_t count(const simdjson::dom::element& e, const char* key, std::string& damaged) {
  std::int64_t v = 0;
  if (e[key].get(v) == simdjson::SUCCESS && v >= 0) return v;
  if (damaged.empty()) damaged = format("damaged record: '{}' is not a count", key);
  return 0;
}
std::int64_t integer(const simdjson::dom::element& e, const char* key) {
  std::int64_t v = 0;
  return e[key].get(v) == simdjson::SUCCESS ? v : 0;
}
bool truth(const simdjson::dom::element& e, const char* key) {
  bool v = false;
  return e[key].get(v) == simdjson::SUCCESS && v;
}

using RecordValue = simdjson::dom::element;
std::string text_of(const RecordValue& v) {
  std::string_view said;
  return v.get(said) == simdjson::SUCCESS ? printable(said.substr(0, kLongestText)) : std::string();
}
void take(const RecordValue& v, std::int64_t& into) {
  std::int64_t n = 0;
  if (v.get(n) == simdjson::SUCCESS) into = n;
}
void take(const RecordValue& v, bool& into) {
  bool b = false;
  into = v.get(b) == simdjson::SUCCESS && b;
}

void take_parameters(MeasurementRecord& m, const RecordValue& parameters) {
  m.parameters = simdjson::minify(parameters);
  simdjson::dom::object all;
  if (parameters.get(all) != simdjson::SUCCESS) return;
  std::int64_t corrected = 0;
  std::string modules;
  for (const auto& [key, v] : all) {
    bool in_place = false;
    if (key == "type")
      m.type = text_of(v);
    else if (key == "team")
      m.team = text_of(v);
    else if (key == "nodes")
      take(v, m.nodes);
    else if (key == "oversubscribed")
      take(v, m.oversubscribed);
    else if (key == "page_cache")
      take(v, m.page_cache);
    else if (key == "slow")
      m.slow = text_of(v);
    else if (key == "ecc_corrected")
      take(v, corrected);
    else if (key == "ecc_modules")
      modules = text_of(v);
    else if (key == "in_place" && v.get(in_place) == simdjson::SUCCESS)
      m.in_place = in_place;
  }
  if (corrected <= 0) return;
  if (!m.slow.empty()) m.slow += "; ";
  m.slow += "the memory corrected " + std::to_string(corrected) + " errors";
  if (!modules.empty()) m.slow += ": " + modules;
}

void take_stacks(const RecordValue& e, std::vector<std::string>& into) {
  simdjson::dom::array lines;
  if (e["stacks"].get(lines) != simdjson::SUCCESS) return;
  for (const RecordValue line : lines)
    if (std::string_view said; into.size() < kMostStackLines && line.get(said) == simdjson::SUCCESS)
      into.push_back(printable(said.substr(0, kLongestStackLine)));
}

// In one pass over the members: a large run has millions of such lines.
MeasurementRecord measurement(const RecordValue& e) {
  MeasurementRecord m;
  simdjson::dom::object members;
  if (e.get(members) != simdjson::SUCCESS) return m;
  for (const auto& [key, v] : members) {
    if (key == "metric") {
      m.metric = text_of(v);
    } else if (key == "unit") {
      m.unit = text_of(v);
    } else if (key == "host") {
      m.host = text_of(v);
    } else if (key == "device") {
      m.device = text(v, "label");
      m.backend = text(v, "backend");
    } else if (key == "quantiles") {
      m.p05 = number(v, "p05");
      m.p95 = number(v, "p95");
    } else if (key == "count") {
      take(v, m.count);
    } else if (key == "warmup") {
      take(v, m.warmup);
    } else if (key == "size") {
      take(v, m.size);
    } else if (key == "data_verified") {
      take(v, m.data_verified);
    } else if (key == "busy") {
      take(v, m.busy);
    } else if (key == "better") {
      std::string_view better;
      m.lower_is_better = v.get(better) == simdjson::SUCCESS && better == "lower";
    } else if (key == "parameters") {
      take_parameters(m, v);
    }
  }
  m.value = figure(e, "value", m.damaged);
  m.wrong = count(e, "wrong", m.damaged);
  m.checked = count(e, "checked", m.damaged);
  return m;
}

}  // namespace

ResultRecords read_records(const std::vector<std::string>& lines) {
  constexpr std::size_t kLongestLine = 4u << 20;  // a probe of a large node is some 100 kB
  ResultRecords out;
  // Kept: a run of many nodes would give its buffers to each result anew.
  thread_local simdjson::dom::parser parser(kLongestLine);
  out.measurements.reserve(lines.size());
  bool ended = false;
  std::size_t chatter = 0;
  for (const std::string& line : lines) {
    simdjson::dom::element e;
    if (line.size() > kLongestLine || parser.parse(line).get(e) != simdjson::SUCCESS || !e.is_object()) {
      ++chatter;
      if (out.damaged.empty() && line.starts_with(R"({"record":)"))
        out.damaged = "damaged record: " + printable(line.substr(0, 100));
      continue;
    }
    const std::string record = text(e, "record");
    if (record == "header") {
      ++out.headers;
      out.validator = text(e, "validator");
      out.host = text(e, "host");
      out.program_version = text(e, "program_version");
      if (text(e, "format") != "clusterc-result" || integer(e, "version") != 1) {
        out.error = "the validator writes version " + std::to_string(integer(e, "version")) +
                    " of the result format, this program reads version 1: install the bundle of this program";
        return out;
      }
    } else if (record == "measurement") {
      out.measurements.push_back(measurement(e));
    } else if (record == "probe") {
      out.probe = line;
      ++out.probes;
      out.probe_host = text(e, "host");
      simdjson::dom::array gpus;
      if (e["gpus"].get(gpus) == simdjson::SUCCESS) out.gpus = static_cast<std::int64_t>(gpus.size());
      simdjson::dom::element nvidia;
      if (e["nvidia"].get(nvidia) == simdjson::SUCCESS) out.no_gpus = text(nvidia, "nvml_detail");
      if (out.host.empty()) out.host = text(e, "host");
    } else if (record == "end") {
      // Ranks of a world that falls apart may each print one: the first counts that tells more than that the launcher
      // ended it with the others.
      take_stacks(e, out.stacks);
      const bool failed = text(e, "status") == "error", by_signal = failed && text(e, "reason") == "interrupted";
      if (ended && (!out.unexplained || !failed || by_signal)) continue;
      ended = true;
      out.unexplained = by_signal;
      out.done = text(e, "status") == "done";
      if (out.done) {
        out.told_measurements = count(e, "measurements", out.damaged);
        out.told_wrong = count(e, "wrong", out.damaged);
        out.told_verified = truth(e, "data_verified");
      }
      out.not_applicable = text(e, "status") == "not applicable";
      if (out.not_applicable) {
        out.error = text(e, "detail");
      } else if (!out.done) {
        out.error = text(e, "reason");
        const std::string detail = text(e, "detail");
        if (!detail.empty() && detail != out.error) out.error += ": " + detail;
      }
    }
  }
  if (!ended) out.unexplained = true;
  if (!ended)
    out.error = lines.empty()             ? "printed nothing"
                : chatter == lines.size() ? "printed no result: " + printable(lines.back().substr(0, 200))
                                          : "cut off before its end";
  return out;
}

}  // namespace clusterc
