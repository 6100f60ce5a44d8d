#include "harness/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/format.h"
#include "base/json_writer.h"

namespace clusterc::harness {
namespace {

struct ByteUnit {
  std::string_view text;
  std::uint64_t bytes;
};
constexpr ByteUnit kByteUnits[] = {{"TiB", 1ull << 40},
                                   {"GiB", 1ull << 30},
                                   {"MiB", 1ull << 20},
                                   {"KiB", 1ull << 10},
                                   {"TB", 1'000'000'000'000},
                                   {"GB", 1'000'000'000},
                                   {"MB", 1'000'000},
                                   {"kB", 1'000},
                                   {"B", 1}};

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto cut = text.find(at);
    out.push_back(text.substr(0, cut));
    if (cut == std::string_view::npos) return out;
    text.remove_prefix(cut + 1);
  }
}

// What was expected instead, or nothing when `value` is of this kind.
std::string expected_instead(Kind kind, std::string_view argument, std::string_view value) {
  switch (kind) {
    case Kind::none:
    case Kind::toggle:
      return {};
    case Kind::text:
      return value.empty() || value.find('\0') != value.npos ? "a text expected" : "";
    case Kind::count:
      return parse_count(value) ? "" : "a count of at least 1 expected";
    case Kind::bytes:
      return parse_bytes(value) ? "" : "whole bytes with their unit expected, as in 128MiB";
    case Kind::seconds:
      return parse_seconds(value) ? "" : "seconds above 0 expected";
    case Kind::choices: {
      const auto all = split(argument, '|');
      for (const std::string_view word : split(value, ',')) {
        if (std::ranges::find(all, word) == all.end()) return format("'{}' is none of {}", word, argument);
      }
      return {};
    }
  }
  return {};
}

}  // namespace

std::string_view backend_text(Backend backend) { return backend == Backend::cuda ? "cuda" : "host"; }
std::string_view program_version() { return CLUSTERC_VERSION; }

std::optional<unsigned> Options::count(std::string_view name) const {
  const auto found = extra.find(name);
  return found == extra.end() ? std::nullopt : parse_count(found->second);
}
std::optional<std::uint64_t> Options::bytes(std::string_view name) const {
  const auto found = extra.find(name);
  return found == extra.end() ? std::nullopt : parse_bytes(found->second);
}
std::optional<double> Options::seconds_of(std::string_view name) const {
  const auto found = extra.find(name);
  return found == extra.end() ? std::nullopt : parse_seconds(found->second);
}
std::string Options::text(std::string_view name, std::string_view otherwise) const {
  const auto found = extra.find(name);
  return found == extra.end() ? std::string(otherwise) : found->second;
}
std::string Options::wrong_folder(std::string_view name) const {
  std::error_code failed;
  if (!has(name) || std::filesystem::is_directory(text(name, ""), failed)) return {};
  return clusterc::format("'{} {}': {}", name, text(name, ""), failed ? failed.message() : "not a directory");
}
std::vector<std::string> Options::choices(std::string_view name, std::string_view all) const {
  const auto found = extra.find(name);
  std::vector<std::string> out;
  for (const std::string_view word : split(all, '|')) {
    if (found == extra.end() || std::ranges::count(split(found->second, ','), word) > 0) out.emplace_back(word);
  }
  return out;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const ByteUnit& unit : kByteUnits) {
    if (text != unit.text) continue;
    const double bytes = number * static_cast<double>(unit.bytes);
    if (bytes > 0x1p62 || bytes != std::floor(bytes)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

std::optional<unsigned> parse_count(std::string_view text) {
  const auto value = whole<unsigned>(text);
  if (!value || *value == 0 || *value > 0x7fffffffu) return std::nullopt;
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  if (text.ends_with('s')) text.remove_suffix(1);
  if (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

std::string bytes_text(double bytes) {
  for (const ByteUnit& unit : std::span(kByteUnits).first(4)) {
    if (bytes >= static_cast<double>(unit.bytes))
      return format("{:.4g} {}", bytes / static_cast<double>(unit.bytes), unit.text);
  }
  return format("{:.4g} B", bytes);
}

std::string help_text(const Program& program) {
  std::string out =
      format("clusterc-{}: {}\n\nusage: clusterc-{} [options]\n\n", program.name, program.summary, program.name);
  const auto line = [&](std::string_view name, std::string_view argument, std::string_view help) {
    const std::string left = argument.empty() ? std::string(name) : format("{} {}", name, argument);
    out += format("  {:<22} {}\n", left, help);
  };
  if (program.measures) {
    std::string backends;
    for (const Backend backend : program.backends)
      backends += format("{}{}", backends.empty() ? "" : ", ", backend_text(backend));
    line("--device", "BACKEND", format("host or cuda (this build has: {}; default host)", backends));
    if (program.size_kind != Kind::none)
      line("--size", program.size_kind == Kind::bytes ? "BYTES" : "COUNT", program.size_help);
    line("--iterations", "COUNT", "timed repetitions of each measurement");
    line("--warmup", "COUNT", "repetitions before the timed ones");
    line("--seconds", "SECONDS", "measure each figure for at least this long, instead of a number of iterations");
    line("--seed", "NUMBER", "seed of the random inputs (default 1)");
    line("--allow-busy", "", "measure although other work uses the processors; the records say so");
  }
  for (const ExtraOption& option : program.extra) line(option.name, option.argument, option.help);
  line("--json", "", "one JSON object a line (default)");
  line("--table", "", "a table of the same numbers");
  line("--format", "FORMAT", "json or text: the same as --json and --table");
  line("--progress", "", "say on standard error how far a long run is (default where that is a terminal)");
  line("--list", "", "the figures that this program brings, and their units; nothing is measured");
  line("--version", "", "name, version, protocol and back ends as JSON");
  line("--help", "", "this text");
  out += "\nexit status: 0 measured, 1 wrong data, 2 could not run or wrong use, 3 not applicable here\n";
  return out;
}

std::string list_text(const Program& program, Format format_wanted) {
  std::string out;
  for (const MetricFacts& metric : program.metrics) {
    if (format_wanted == Format::text) {
      out += format("{:<28} {:<7} {:<6} {}\n", metric.name, metric.unit, metric.higher_is_better ? "higher" : "lower",
                    metric.what);
      continue;
    }
    JsonWriter(out)
        .begin_object()
        .field("record", "metric")
        .field("metric", metric.name)
        .field("unit", metric.unit)
        .field("better", metric.higher_is_better ? "higher" : "lower")
        .field("what", metric.what)
        .end_object();
    out += '\n';
  }
  return out;
}

std::string version_record(const Program& program) {
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .field("format", "clusterc-validator")
      .field("name", program.name)
      .field("version", program_version());
  json.field("protocol", 1).array("backends");
  for (const Backend backend : program.backends) json.value(backend_text(backend));
  json.end_array().end_object();
  return out + "\n";
}

CommandLine parse_command_line(const Program& program, int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) options.arguments.emplace_back(argv[i]);
  bool list = false, json_asked = false;
  const auto wrong = [](std::string message) { return CommandLine{.error = UsageError{std::move(message)}}; };

  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    std::string name = options.arguments[i];
    std::optional<std::string> value;
    if (const auto equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "--help") return {.print = help_text(program)};
    if (name == "--version") return {.print = version_record(program)};

    const auto extra = std::ranges::find(program.extra, name, &ExtraOption::name);
    const bool is_switch = (program.measures && name == "--allow-busy") || name == "--json" || name == "--table" ||
                           name == "--list" || name == "--progress" ||
                           (extra != program.extra.end() && extra->kind == Kind::toggle);
    if (is_switch) {
      if (value) return wrong(format("option '{}' takes no value", name));
      if (extra != program.extra.end())
        options.extra[name] = "";
      else if (name == "--allow-busy")
        options.allow_busy = true;
      else if (name == "--progress")
        options.progress = true;
      else if (name == "--list")
        list = true;
      else
        options.format = name == "--json" ? Format::json : Format::text;
      json_asked |= name == "--json";
      continue;
    }
    const bool common = name == "--device" || name == "--iterations" || name == "--warmup" || name == "--seconds" ||
                        name == "--seed" || (name == "--size" && program.size_kind != Kind::none);
    const bool known = extra != program.extra.end() || name == "--format" || (common && program.measures);
    if (!known) return wrong(format("unknown option '{}'", name));
    if (!value) {
      if (i + 1 == options.arguments.size()) return wrong(format("option '{}' needs a value", name));
      value = options.arguments[++i];
    }

    const auto bad = [&](std::string_view expected) { return wrong(format("'{} {}': {}", name, *value, expected)); };
    if (name == "--device") {
      if (*value == "host")
        options.device = Backend::host;
      else if (*value == "cuda")
        options.device = Backend::cuda;
      else
        return bad("host or cuda expected");
    } else if (name == "--format") {
      if (*value == "json")
        options.format = Format::json, json_asked = true;
      else if (*value == "text")
        options.format = Format::text;
      else
        return bad("json or text expected");
    } else if (name == "--iterations") {
      if (!(options.iterations = parse_count(*value))) return bad("a count of at least 1 expected");
    } else if (name == "--warmup") {
      if (*value == "0")
        options.warmup = 0;
      else if (!(options.warmup = parse_count(*value)))
        return bad("a count expected");
    } else if (name == "--seconds") {
      if (!(options.seconds = parse_seconds(*value))) return bad("seconds above 0 expected");
    } else if (name == "--seed") {
      const auto seed = whole<std::uint64_t>(*value);
      if (!seed) return bad("a whole number expected");
      options.seed = *seed;
    } else if (name == "--size") {
      if (const auto instead = expected_instead(program.size_kind, "", *value); !instead.empty()) return bad(instead);
      if (program.size_kind == Kind::bytes)
        options.size = parse_bytes(*value);
      else
        options.size = parse_count(*value);
    } else {
      if (const auto instead = expected_instead(extra->kind, extra->argument, *value); !instead.empty())
        return bad(instead);
      options.extra[name] = *value;
    }
  }
  if (options.seconds && options.iterations) return wrong("'--seconds' and '--iterations' exclude each other");
  if (list) return {.print = list_text(program, json_asked ? Format::json : Format::text)};
  if (program.wrong_options) {
    if (std::string why = program.wrong_options(options); !why.empty()) return wrong(std::move(why));
  }
  return {.run = std::move(options)};
}

}  // namespace clusterc::harness
