#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "cli/command.h"
#include "cli/spec_files.h"
#include "diag/apply_fixes.h"
#include "diag/render.h"
#include "rules/say.h"
#include "write/replace.h"
#include "yaml/layout.h"

namespace clusterc::cli {
namespace {

void options_of_fmt(po::options_description& o) {
  add_positional(o, "SPEC");
  o.add_options()("check", po::bool_switch(), "write nothing; exit with status 1 if a spec would change")(
      "diff", po::bool_switch(), "show the changes, and write nothing")(
      "max-bytes", po::value<std::int64_t>()->default_value(64 << 20)->value_name("N"), "largest size of a spec");
}

struct Laid {
  int status = kOk;
  bool changed = false;
};

Laid one(const std::string& path, const po::variables_map& given) {
  RunOptions options = run_options(given, path);
  std::string before = options.stdin_text;
  FileError error;
  if (!options.from_stdin) {
    auto read = read_file(path, options.max_bytes, error);
    if (!read) {
      put_error("clusterc: error: " + printable(error.message) + "\n");
      return {kUnjudged, false};
    }
    before = std::move(*read);
  }
  Sources sources;
  Findings findings;
  const std::string name = path == "-" ? "standard input" : path;
  const auto after = lay_out_yaml(sources, sources.add(name, before), findings);
  if (!after) {
    findings.sort(sources);
    put_error(render_text(findings, sources));
    return {kUnjudged, false};
  }
  const bool changed = *after != before;
  if (given["diff"].as<bool>()) {
    put(unified_diff(name, before, *after));
    return {changed ? kFindings : kOk, changed};
  }
  if (given["check"].as<bool>()) {
    if (changed) put_error(printable(name) + ": would be reformatted\n");
    return {changed ? kFindings : kOk, changed};
  }
  if (options.from_stdin) {
    put(*after);
  } else if (changed && !replace_file(path, before, *after, error)) {
    put_error("clusterc: error: " + printable(error.message) + "\n");
    return {kUnjudged, false};
  }
  return {kOk, changed};
}

int run_fmt(const po::variables_map& given) {
  if (given["check"].as<bool>() && given["diff"].as<bool>())
    throw UsageError{"use --check, which only sets the exit status, or --diff, which shows the changes, but not both"};
  auto arguments = positional(given);
  const SpecFiles files = arguments.empty() ? specs_of_this_folder() : find_specs(arguments);
  int worst = kOk;
  std::int64_t changed = 0;
  for (const SpecFiles::Problem& problem : files.problems) {
    put_error("clusterc: error: " + printable(problem.text) + "\n");
    worst = kUnjudged;
  }
  for (const std::string& path : files.paths) {
    const Laid laid = one(path, given);
    worst = std::max(worst, laid.status);
    changed += laid.changed;
  }
  const bool wrote = !given["check"].as<bool>() && !given["diff"].as<bool>();
  if (wrote && files.paths != std::vector<std::string>{"-"} && worst != kUnjudged)
    put_error(format("{}: {} reformatted\n", plural(static_cast<std::int64_t>(files.paths.size()), "spec"), changed));
  return worst;
}

}  // namespace
const Command kFmt{"fmt", "format specs: indentation, spaces and empty lines; comments and meaning do not change",
                   "clusterc fmt [SPEC|FOLDER|PATTERN…] [--check|--diff]", options_of_fmt, run_fmt};
}  // namespace clusterc::cli
