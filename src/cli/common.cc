#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "cli/command.h"
#include "compile/output.h"
#include "diag/render.h"
#include "report/screen.h"
#include "rules/finding_table.h"
#include "rules/say.h"
#include "rules/unchecked.h"
#include "write/tree.h"

namespace clusterc::cli {

void put_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) ::_exit(141);  // the reader left: what a program killed by SIGPIPE would give
      throw std::runtime_error("standard output cannot be written: " +
                               std::string(std::generic_category().message(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}
void put(std::string_view text) { put_all(STDOUT_FILENO, text); }
void put_text(std::string text) { put(without_commands(std::move(text))); }
void put_error(std::string_view text) { put_all(STDERR_FILENO, without_commands(std::string(text))); }

void add_help(po::options_description& options) { options.add_options()("help", po::bool_switch(), "this text"); }

void add_positional(po::options_description& options, const char* name) {
  options.add_options()("arguments", po::value<std::vector<std::string>>()->value_name(name), "");
}

void add_findings_options(po::options_description& options, const char* formats, bool strict) {
  auto add = options.add_options();
  add("format", po::value<std::string>()->default_value("text")->value_name("FORMAT"), formats);
  add("color", po::value<std::string>()->default_value("auto")->value_name("WHEN"), "auto, always or never");
  add("quiet", po::bool_switch(), "of text: errors and the result only");
  if (strict) add("strict", po::bool_switch(), "exit with status 1 on warnings, too");
  add("today", po::value<std::string>()->value_name("DATE"),
      "date that decides which acceptances have expired (default: today)");
  add("max-bytes", po::value<std::int64_t>()->default_value(64 << 20)->value_name("N"), "largest size of a spec");
}

std::vector<std::string> positional(const po::variables_map& given) {
  return given.count("arguments") ? given["arguments"].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::string one_spec(const po::variables_map& given) {
  const auto paths = positional(given);
  if (paths.size() != 1)
    throw UsageError{paths.empty() ? "name a spec" : "name one spec, not " + std::to_string(paths.size())};
  return paths.front();
}

RunOptions run_options(const po::variables_map& given, const std::string& path) {
  RunOptions options;
  if (given.count("max-bytes")) {
    const auto bytes = given["max-bytes"].as<std::int64_t>();
    if (bytes < 1) throw UsageError{"--max-bytes must be a number of bytes, at least 1, not " + std::to_string(bytes)};
    options.max_bytes = static_cast<std::size_t>(bytes);
  }
  if (given.count("today")) {
    std::string error;
    options.today = Date::parse(given["today"].as<std::string>(), error);
    if (!options.today) throw UsageError{"--today: " + error};
  } else {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    options.today = Date{utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday};
  }
  if (path == "-") {
    options.from_stdin = true;
    char buffer[65536];
    for (ssize_t n; (n = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
      options.stdin_text.append(buffer, static_cast<std::size_t>(n));
      if (options.stdin_text.size() > options.max_bytes) break;
    }
  }
  return options;
}

namespace {
constexpr std::pair<std::string_view, Format> kFormats[] = {{"text", Format::text},     {"json", Format::json},
                                                            {"sarif", Format::sarif},   {"junit", Format::junit},
                                                            {"github", Format::github}, {"gitlab", Format::gitlab}};
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) names.emplace_back(name);
  return names;
}

Format format_of(const po::variables_map& given) {
  const std::string& asked = given["format"].as<std::string>();
  for (const auto& [name, format] : kFormats)
    if (name == asked) return format;
  throw UsageError{"--format must be " + join(format_names(), ", ") + ", not '" + asked + "'"};
}

Format text_or_json(const po::variables_map& given, std::string_view what) {
  const std::string& asked = given["format"].as<std::string>();
  if (asked == "text") return Format::text;
  if (asked == "json") return Format::json;
  throw UsageError{std::string(what) + " printed as text or json, not '" + asked + "'"};
}

bool use_color(const po::variables_map& given, int fd) {
  const std::string& when = given["color"].as<std::string>();
  if (when == "always") return true;
  if (when == "never") return false;
  if (when != "auto") throw UsageError{"--color must be auto, always or never, not '" + when + "'"};
  const char* const terminal = std::getenv("TERM");
  return ::isatty(fd) && !std::getenv("NO_COLOR") && !(terminal && std::string_view(terminal) == "dumb");
}

bool is_quiet(const po::variables_map& given) { return given.count("quiet") && given["quiet"].as<bool>(); }

namespace {

constexpr std::size_t kNarrowest = 40;  // characters; what is narrower is no screen to read a table on

// Characters in a line of the terminal that standard output is; 0: it is none, or does not say.
std::size_t screen_columns() {
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
  return std::max<std::size_t>(size.ws_col, kNarrowest);
}

// For --quiet: the errors that are neither accepted nor in the baseline. The summary counts the other findings.
Findings only_errors(const Findings& all) {
  Findings errors = all;
  std::erase_if(errors.all(), [](const Finding& f) { return f.severity != Severity::error || !f.counts(); });
  return errors;
}

// Errors and warnings of `check` that `accept` takes.
bool acceptable(const Run& run, const po::variables_map& given) {
  return given.count("accept") && !given["accept"].as<bool>() &&
         std::ranges::any_of(run.findings.all(), [](const Finding& f) {
           const FindingKind* kind = find_finding_kind(f.rule);
           return kind && f.severity != Severity::note && f.counts() && !f.physics &&
                  kind->standing == Standing::acceptable;
         });
}

int exit_status(const Run& run, const std::string& path, const po::variables_map& given, bool say_summary) {
  if (!run.unreadable.empty()) {
    // The findings that say why come first; a file that could not even be read has none.
    if (run.findings.empty())
      put_error("clusterc: error: " + (path == "-" ? "standard input: " : std::string()) + printable(run.unreadable) +
                "\n");
    return kUnjudged;
  }
  const std::size_t errors = run.findings.count(Severity::error), warnings = run.findings.count(Severity::warning);
  if (say_summary && !run.findings.empty()) {
    const auto mendable = std::ranges::count_if(run.findings.all(), [](const Finding& f) {
      return f.fix && f.counts() && !f.fix->edits.empty() && f.fix->edits.front().span.file == 0;
    });
    const bool offered = given.count("fix") && !given["fix"].as<bool>() && !given["diff"].as<bool>() && mendable > 0;
    put_error(printable(path) + ": " + render_summary(run.findings) +
              (offered ? "; --fix corrects " + std::to_string(mendable) + ", --diff shows how" : "") +
              (acceptable(run, given) ? "; --accept prints entries that accept them" : "") + "\n");
  }
  const bool strict = given.count("strict") && given["strict"].as<bool>();
  return errors || (strict && warnings) ? kFindings : kOk;
}

// "catalog/gpus/nvidia-l40s.yaml": as the catalogue calls its own files among the sources.
bool is_built_in(std::string_view path) {
  const std::vector<std::string_view> steps = split(path, '/');
  return steps.size() == 3 && steps[0] == "catalog" && steps[2].ends_with(".yaml") &&
         find_embedded(steps[1], steps[2].substr(0, steps[2].size() - 5));
}

}  // namespace

void put_report(std::string text, const po::variables_map& given) {
  if (const std::size_t columns = screen_columns()) text = fold_to_width(text, columns);
  if (use_color(given, STDOUT_FILENO)) text = color_limits(text);
  put_text(std::move(text));
}

std::set<std::string, std::less<>> output_ids(const po::variables_map& given) {
  std::set<std::string, std::less<>> ids;
  if (!given.count("only")) return ids;
  std::vector<std::string_view> known;
  for (const Output* o : all_outputs()) known.push_back(o->id);
  for (const std::string_view word : split(given["only"].as<std::string>(), ',')) {
    const std::string_view id = trim(word);
    if (!find_output(id)) {
      const auto near = nearest_name(id, known);
      throw UsageError{"there is no output '" + std::string(id) + "'" +
                       (near ? "; did you mean '" + std::string(*near) + "'?" : "; known are " + join(known, ", "))};
    }
    ids.emplace(id);
  }
  return ids;
}

SourceSpan begin_of(Sources& sources, const std::string& path) {
  for (FileId f = 0; f < sources.size(); ++f)
    if (sources.path(f) == path) return {f, 0, 0};
  return {sources.add(path, std::string()), 0, 0};
}

int report_findings(Run& run, const std::string& path, const po::variables_map& given, bool to_stderr,
                    const JsonMembers& more) {
  const Format format = format_of(given);
  // A reader of the document alone must not take an unreadable file for a clean one.
  if (format != Format::text && !to_stderr && !run.unreadable.empty() && run.findings.empty())
    run.findings.error("spec-file-unreadable", begin_of(run.sources, path), run.unreadable);
  run.findings.sort(run.sources);
  const bool wanted_text = format == Format::text || to_stderr;
  std::string out;
  if (wanted_text) {
    // `check` says once for each section which keys its checks want.
    Findings shown = run.findings;
    std::vector<UncheckedSection> sections;
    if (is_quiet(given))
      shown = only_errors(shown);
    else if (given.count("verbose") && !given["verbose"].as<bool>())
      sections = fold_unchecked(shown);
    out = render_text(shown, run.sources, {.color = use_color(given, to_stderr ? STDERR_FILENO : STDOUT_FILENO)});
    for (const UncheckedSection& s : sections) out += printable(path) + ": " + s.text() + "\n";
  } else if (format == Format::json) {
    out = render_json(run.findings, run.sources, more);
  } else if (format == Format::sarif) {
    std::vector<RuleText> rules;
    for (const FindingKind& kind : all_finding_kinds())
      rules.push_back({kind.id, kind.code, kind.summary, kind.explanation, "", kind.severity});
    out = render_sarif(run.findings, run.sources, rules, CLUSTERC_VERSION);
  } else if (format == Format::junit) {
    out = render_junit(run.findings, run.sources, is_built_in);
  } else if (format == Format::github) {
    out = render_github(run.findings, run.sources);
  } else {
    out = render_gitlab(run.findings, run.sources);
  }
  if (to_stderr)
    put_error(out);
  else if (format == Format::text)
    put_text(std::move(out));
  else
    put(out);
  return exit_status(run, path, given, wanted_text);
}

int report_findings_as_text(Run& run, const std::string& path, const po::variables_map& given) {
  run.findings.sort(run.sources);
  put_error(render_text(is_quiet(given) ? only_errors(run.findings) : run.findings, run.sources,
                        {.color = use_color(given, STDERR_FILENO)}));
  return exit_status(run, path, given, true);
}

void report_kept(const WriteResult& written, const std::string& folder, bool force, std::string_view way_out) {
  const std::string where = printable(folder);
  for (const std::string& name : written.hand_edited)
    put_error(format("{}/{}: changed by hand since it was written{}\n", where, printable(name),
                     force ? "; overwritten" : "; kept (" + std::string(way_out) + ")"));
  for (const std::string& name : written.foreign)
    put_error(format("{}/{}: not written by clusterc; kept\n", where, printable(name)));
}

int report_tree(const WriteResult& written, const std::string& folder, bool force, std::string_view way_out,
                int status) {
  if (!written.ok) throw std::runtime_error(written.error);
  report_kept(written, folder, force, way_out);
  put_error(format("{}: {} written, {} unchanged, {} removed\n", printable(folder),
                   plural(static_cast<std::int64_t>(written.written), "file"), written.unchanged, written.removed));
  return !written.hand_edited.empty() && !force ? std::max(status, static_cast<int>(kFindings)) : status;
}

}  // namespace clusterc::cli
