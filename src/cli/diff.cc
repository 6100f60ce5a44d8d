#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "base/format.h"
#include "cli/command.h"
#include "compile/compile.h"
#include "report/diff_report.h"
#include "spec/types.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "OLD NEW");
  o.add_options()
      ("format", po::value<std::string>()->default_value("text")->value_name("FORMAT"), "text, markdown (for a pull request) or json (every object)")
      ("color", po::value<std::string>()->default_value("auto")->value_name("WHEN"), "auto, always or never: for findings of a spec that has no plan")
      ("today", po::value<std::string>()->value_name("DATE"), "day against which acceptances expire (default: today)")
      ("max-bytes", po::value<std::int64_t>()->default_value(64 << 20)->value_name("N"), "largest spec that is read");
}

bool is_pipe(const std::string& path) {
  struct stat status {};
  return path == "-" || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

// Both bundles compiled with one digest: it stands in every header, and is no difference.
std::vector<ChangeList> compare_files(const Run& before, const Run& after, std::size_t keep) {
  Bundle a, b;
  Findings unheard;
  compile_outputs(*before.cluster, *before.plan, {"", {}, {}, before.inventory ? &*before.inventory : nullptr}, a, unheard);
  compile_outputs(*after.cluster, *after.plan, {"", {}, {}, after.inventory ? &*after.inventory : nullptr}, b, unheard);
  a.sort();
  b.sort();
  std::vector<ChangeList> lists;
  const auto add = [&](std::string_view verb, const std::string& path, std::string_view was, std::string_view is) {
    const std::string what = format("{} in {}", verb, path.substr(0, path.find('/')));
    auto list = std::find_if(lists.begin(), lists.end(), [&](const ChangeList& l) { return l.what == what; });
    if (list == lists.end()) list = lists.insert(lists.end(), {what, 0, {}});
    if (++list->count <= static_cast<std::int64_t>(keep)) list->items.push_back({path, std::string(was), std::string(is)});
  };
  std::size_t i = 0;
  for (const Bundle::File& f : b.files()) {
    for (; i < a.files().size() && a.files()[i].path < f.path; ++i) add("gone", a.files()[i].path, "", "");
    if (i == a.files().size() || a.files()[i].path != f.path) {
      add("new", f.path, "", "");
      continue;
    }
    const Bundle::File& was = a.files()[i++];
    if (a.bytes(was) != b.bytes(f) || was.mode != f.mode) add("changed", f.path, "", "");
  }
  for (; i < a.files().size(); ++i) add("gone", a.files()[i].path, "", "");
  return lists;
}

int run(const po::variables_map& given) {
  const auto paths = positional(given);
  if (paths.size() != 2) throw UsageError{"name two specs: the old one and the new one"};
  if (paths[0] == "-" && paths[1] == "-") throw UsageError{"standard input can be one of the two"};
  const std::string& wish = given["format"].as<std::string>();
  if (wish != "text" && wish != "markdown" && wish != "json") throw UsageError{"--format takes text, markdown or json, not '" + wish + "'"};
  std::unique_ptr<Run> runs[2];
  for (int i = 0; i < 2; ++i) {
    RunOptions options = run_options(given, paths[i]);
    // What comes through a pipe has no folder: what it names is looked for beside the other one.
    if (is_pipe(paths[i])) options.folder = is_pipe(paths[1 - i]) ? std::string() : std::filesystem::path(paths[1 - i]).parent_path().string();
    runs[i] = run_pipeline(paths[i], Stage::checked, options);
  }
  bool planned = true;
  for (int i = 0; i < 2; ++i) {
    if (runs[i]->plan) continue;
    planned = false;
    report_findings_as_text(*runs[i], paths[i], given);
  }
  if (!planned) return kUnjudged;
  const std::size_t keep = wish == "json" ? static_cast<std::size_t>(-1) : 3;
  SpecDiff d{.before_name = paths[0] == "-" ? "standard input" : paths[0], .after_name = paths[1] == "-" ? "standard input" : paths[1], .before_digest = runs[0]->spec_digest, .after_digest = runs[1]->spec_digest};
  d.written = written_changes(runs[0]->cluster->spec, runs[1]->cluster->spec);
  d.plan = diff_plans(*runs[0]->plan, *runs[1]->plan, keep);
  for (const auto& r : runs) r->findings.sort(r->sources);
  diff_findings(runs[0]->findings, runs[1]->findings, d);
  d.before = figures_of(*runs[0]->plan, runs[0]->findings);
  d.after = figures_of(*runs[1]->plan, runs[1]->findings);
  if (d.before.errors || d.after.errors) d.why_no_files = format("'{}' has errors, and nothing is compiled from a spec with errors", d.before.errors ? d.before_name : d.after_name);
  else d.files = compare_files(*runs[0], *runs[1], keep);
  put(wish == "json" ? render_diff_json(d) : wish == "markdown" ? render_diff_markdown(d) : render_diff_text(d));
  return d.same() ? 0 : 1;
}

}  // namespace
const Command kDiff{"diff", "two specs: what to buy, move, recable and reconfigure, and what the change does", "clusterc diff OLD NEW [--format text|markdown|json]", options, run};
}  // namespace clusterc::cli
