#include "harness/report.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <ctime>

#include "base/format.h"
#include "base/json_writer.h"
#include "harness/load.h"

namespace clusterc::harness {
namespace {

constexpr int kFormatVersion = 1;

struct Scale {
  std::string_view unit, shown;
  double divisor;
};
// How a table for people shows a unit; the JSON keeps the plain one.
constexpr Scale kScales[] = {{"B/s", "GB/s", 1e9}, {"FLOP/s", "GFLOP/s", 1e9}, {"s", "us", 1e-6}};

void device_fields(JsonWriter& json, const Device& device) {
  json.object("device").field("backend", backend_text(device.backend)).field("label", device.label);
  if (!device.name.empty()) json.field("name", device.name);
  if (!device.uuid.empty()) json.field("uuid", device.uuid);
  json.end_object();
}

// Two places behind the point, and never fewer than three digits that say something: 0.0000187 is not 0.00.
std::string shown(double value) {
  return value != 0 && std::fabs(value) < 1 ? format("{:#.3g}", value) : format("{:.2f}", value);
}

}  // namespace

Reporter::Reporter(const Program& program, const Options& options, std::string host, Sink sink)
    : program_(program), options_(options), host_(std::move(host)), sink_(std::move(sink)) {}

void Reporter::print(std::string_view line) { sink_(std::string(line) + "\n"); }

void Reporter::raw(std::string_view line) {
  own_record_ = true;
  print(line);
}

void Reporter::header(std::string_view started_utc) {
  if (options_.format == Format::text) {
    print(format("clusterc-{} {} on {}, {}", program_.name, program_version(), host_, started_utc));
    return;
  }
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("record", "header").field("format", "clusterc-result").field("version", kFormatVersion);
  json.field("validator", program_.name).field("program_version", program_version()).field("host", host_);
  json.field("started", started_utc).field("backend", backend_text(options_.device)).field("seed", options_.seed);
  json.array("arguments");
  for (const std::string& argument : options_.arguments) json.value(argument);
  json.end_array().end_object();
  print(line);
}

void Reporter::measurement(const Measurement& m) {
  const Summary s = summarise(m.samples);
  const bool busy = m.other_load && *m.other_load > kBusyShare;
  busy_seen_ |= busy;
  ++measurements_;
  wrong_ += m.wrong;
  unverified_ |= !m.verified();

  if (options_.format == Format::text) {
    Scale scale{m.unit, m.unit, 1};
    for (const Scale& known : kScales) {
      if (known.unit == m.unit) scale = known;
    }
    if (!table_begun_) {
      print(format("{:<48} {:>8} {:>10} {:>12} {:>12} {:>12} {:>7} {:>5}  {}", "metric", "device", "size", "median",
                   "p05", "p95", "unit", "count", "data"));
      table_begun_ = true;
    }
    print(format("{:<48} {:>8} {:>10} {:>12} {:>12} {:>12} {:>7} {:>5}  {}{}",
                 m.variant.empty() ? m.metric : format("{} {}", m.metric, m.variant), m.device.label,
                 bytes_text(static_cast<double>(m.size_bytes)), shown(s.median / scale.divisor),
                 shown(s.p05 / scale.divisor), shown(s.p95 / scale.divisor), scale.shown, s.count,
                 m.verified() ? std::string("verified") : format("WRONG ({} of {})", m.wrong, m.checked),
                 busy ? ", busy" : ""));
    for (const auto& [name, parameter] : m.parameters) {
      if (const auto* text = std::get_if<std::string>(&parameter); text && name == "slow") print("  slow: " + *text);
    }
    return;
  }
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("record", "measurement").field("metric", m.metric).field("unit", m.unit);
  json.field("better", m.higher_is_better ? "higher" : "lower");
  json.field("value", s.median).field("count", s.count).field("warmup", m.warmup);
  json.object("quantiles").field("p05", s.p05).field("p50", s.median).field("p95", s.p95).end_object();
  json.field("min", s.min).field("max", s.max).field("size", m.size_bytes);
  device_fields(json, m.device);
  json.field("host", host_).field("data_verified", m.verified()).field("checked", m.checked).field("wrong", m.wrong);
  if (m.other_load) json.field("other_load", *m.other_load);
  json.field("busy", busy);
  json.object("parameters");
  for (const auto& [name, parameter] : m.parameters) {
    json.key(name);
    std::visit([&](const auto& value) { json.value(value); }, parameter);
  }
  json.end_object().end_object();
  print(line);
}

Exit Reporter::done() {
  if (measurements_ == 0 && !own_record_)
    return error(Cause::not_applicable, "nothing of what was asked for can be measured here");
  if (options_.format == Format::text) {
    print(unverified_ ? "done: WRONG DATA" : "done");
  } else {
    std::string line;
    JsonWriter json(line);
    json.begin_object().field("record", "end").field("status", "done").field("measurements", measurements_);
    json.field("data_verified", !unverified_).field("wrong", wrong_).end_object();
    print(line);
  }
  return unverified_ ? Exit::data_wrong : Exit::done;
}

Exit Reporter::error(Cause cause, std::string_view detail, const std::vector<std::string>& stacks) {
  if (options_.format == Format::text) {
    print(cause == Cause::not_applicable ? format("not applicable here: {}", detail)
                                         : format("error: {}: {}", cause_text(cause), detail));
    for (const std::string& line : stacks) print("  " + line);
  } else {
    std::string line;
    JsonWriter json(line);
    json.begin_object()
        .field("record", "end")
        .field("status", cause == Cause::not_applicable ? "not applicable" : "error")
        .field("reason", cause_text(cause));
    json.field("detail", detail).field("measurements", measurements_).field("wrong", wrong_);
    if (!stacks.empty()) {
      json.array("stacks");
      for (const std::string& s : stacks) json.value(s);
      json.end_array();
    }
    json.end_object();
    print(line);
  }
  return exit_of(cause);
}

void write_to_stdout(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw CouldNotRun(Cause::system, "standard output takes no more data");
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace clusterc::harness
