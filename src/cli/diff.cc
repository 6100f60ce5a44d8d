#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/page_file.h"
#include "cli/written_files.h"
#include "compile/compile.h"
#include "report/diff_report.h"
#include "report/page_before.h"
#include "report/tree_diff.h"
#include "rules/finding_table.h"
#include "spec/prices.h"
#include "spec/types.h"
#include "write/manifest.h"
#include "write/tree.h"

namespace clusterc::cli {
namespace {

void options_of_diff(po::options_description& o) {
  add_positional(o, "OLD NEW");
  o.add_options()("only", po::value<std::string>()->value_name("LIST"),
                  "with a compiled tree: only these outputs: slurm,netplan")(
      "format", po::value<std::string>()->default_value("text")->value_name("FORMAT"),
      "text, markdown (for a pull request) or json (every object)")(
      "page", po::value<std::string>()->value_name("FILE"),
      "for two specs: also write the new plan, with what changes marked in each drawing, as one HTML page")(
      "color", po::value<std::string>()->default_value("auto")->value_name("WHEN"),
      "auto, always or never: for findings of a spec that has no plan")(
      "today", po::value<std::string>()->value_name("DATE"),
      "date that decides which acceptances have expired (default: today)")(
      "max-bytes", po::value<std::int64_t>()->default_value(64 << 20)->value_name("N"), "largest size of a spec");
}

bool is_pipe(const std::string& path) {
  struct stat status {};
  return path == "-" || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

// Both bundles compiled with one digest: it stands in every header, and is no difference.
std::vector<ChangeList> compare_files(const Run& before, const Run& after, std::size_t keep) {
  Bundle a, b;
  Findings unheard;
  const auto compile = [&](const Run& run, Bundle& into) {
    const System same = deploy(*run.cluster, *run.plan, output_kinds(), run.inventory ? &*run.inventory : nullptr);
    compile_outputs(same, {.templates = run.templates ? &*run.templates : nullptr}, into, unheard);
  };
  compile(before, a);
  compile(after, b);
  a.sort();
  b.sort();
  std::vector<ChangeList> lists;
  const auto add = [&](std::string_view verb, const std::string& path, std::string_view was, std::string_view is) {
    const std::string what = format("{} in {}", verb, path.substr(0, path.find('/')));
    auto list = std::find_if(lists.begin(), lists.end(), [&](const ChangeList& l) { return l.what == what; });
    if (list == lists.end()) list = lists.insert(lists.end(), {what, 0, {}});
    if (++list->count <= static_cast<std::int64_t>(keep))
      list->items.push_back({path, std::string(was), std::string(is)});
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

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;  // of a file in a tree

// What lies in the tree: a text and its mode, or nothing. What is neither file nor link was refused when the tree was
// surveyed.
std::pair<std::optional<std::string>, std::uint32_t> file_in(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::symlink_status(path, failed);
  if (!std::filesystem::exists(status)) return {};
  if (std::filesystem::is_symlink(status)) return {std::filesystem::read_symlink(path, failed).string(), kLink};
  if (!std::filesystem::is_regular_file(status))
    throw std::runtime_error("'" + path + "' is neither a file nor a link: it cannot be compared with a compiled file");
  FileError error;
  auto text = read_file(path, kLargest, error);
  if (!text) throw std::runtime_error(error.message);
  return {std::move(text), 0100000 | (static_cast<std::uint32_t>(status.permissions()) & 0777)};
}

// A spec and a tree that was compiled: what compiling the spec would change in it, or, with the spec first, how the
// tree differs from it.
int with_tree(const po::variables_map& given, const std::string& before, const std::string& after) {
  const bool spec_is_new = is_folder(before);
  const std::string &tree = spec_is_new ? before : after, &spec = spec_is_new ? after : before;
  if (is_folder(spec)) throw UsageError{"both are folders: name a spec and a compiled tree, or two specs"};
  FileError error;
  const std::string manifest = tree + "/" + std::string(kManifestName);
  if (std::error_code failed;
      std::filesystem::exists(manifest, failed) && !std::filesystem::is_regular_file(manifest, failed))
    throw UsageError{"'" + manifest + "' is not a file"};
  if (!read_file(tree + "/" + std::string(kManifestName), std::uint64_t{1} << 30, error))
    throw UsageError{"'" + tree + "' is not a compiled tree: " + error.message};
  const std::string& wish = given["format"].as<std::string>();
  RunOptions options = run_options(given, spec);
  options.outputs = output_ids(given);
  if (is_pipe(spec)) options.folder = std::filesystem::path(tree).parent_path().string();
  const auto run = run_pipeline(spec, Stage::checked, options);
  if (!run->plan || run->findings.count(Severity::error)) {
    report_findings_as_text(*run, spec, given);
    put_error("the tree was not compared: nothing is compiled from a spec with errors\n");
    return kUnjudged;
  }
  std::vector<Finding> accepted;
  for (const Finding& f : run->findings.all())
    if (f.accepted) accepted.push_back(f);
  const CompileWish asked{accepted, options.outputs, run->templates ? &*run->templates : nullptr};
  const auto compile = [&](const Bundle::Sink& sink) {
    Findings told;  // by the pipeline
    Bundle files(sink);
    compile_outputs(*run->system, asked, files, told);
    files.flush();
  };
  WriteResult found;
  {
    Tree there(tree, {.spec_digest = run->spec_digest, .tool_version = CLUSTERC_VERSION, .check = true});
    compile(
        [&](const Bundle::File& file, std::string_view bytes) { there.put(file.path, file.origin, bytes, file.mode); });
    found = there.finish();
  }
  TreeDiff d{.before_name = before == "-" ? "standard input" : before,
             .after_name = after == "-" ? "standard input" : after,
             .spec_sha256 = run->spec_digest};
  d.foreign = found.foreign;
  std::map<std::string, TreeDiff::File, std::less<>> differing;
  const auto asked_for = [&](std::string_view path) {
    return options.outputs.empty() || options.outputs.contains(path.substr(0, path.find('/')));
  };
  for (const std::string& path : found.differing)
    if (path == kManifestName)
      d.other_spec = true;
    else if (asked_for(path))
      differing[path].path = path;
  for (const std::string& path : found.hand_edited)
    if (asked_for(path)) differing[path].path = path, differing[path].edited = true;
  std::erase_if(d.foreign, [&](const std::string& path) { return !asked_for(path); });
  if (!differing.empty())  // once more, for the texts of those alone
    compile([&](const Bundle::File& file, std::string_view bytes) {
      const auto at = differing.find(file.path);
      if (at == differing.end()) return;
      (spec_is_new ? at->second.after : at->second.before) = std::string(bytes);
      (spec_is_new ? at->second.after_mode : at->second.before_mode) = file.mode == kLink ? kLink : 0100000 | file.mode;
    });
  for (auto& [path, file] : differing) {
    auto [text, mode] = file_in(tree + "/" + path);
    (spec_is_new ? file.before : file.after) = std::move(text);
    (spec_is_new ? file.before_mode : file.after_mode) = mode;
    d.files.push_back(std::move(file));
  }
  if (wish == "text")
    put_error(render_tree_summary(d)), put(render_tree_patch(d));
  else
    put_text(wish == "json" ? render_tree_json(d) : render_tree_markdown(d));
  return d.files.empty() ? 0 : 1;
}

// Objects of a list of changes on a page: those that drawings mark, and those that only tables and lines of a network
// show. What is beyond makes the file large, and nobody reads it there.
constexpr std::size_t kOnPage = 100000, kInTables = 3000;

void shorten(PlanDiff& d) {
  for (auto* lists : {&d.cables_added, &d.cables_removed, &d.cables_moved, &d.cables_replaced, &d.renumbered})
    for (ChangeList& list : *lists)
      if (list.items.size() > kInTables) list.items.resize(kInTables);
}

// Where the outputs of one spec alone were judged, what they say is neither new nor gone.
void leave_out_outputs(Findings& findings) {
  std::erase_if(findings.all(), [](const Finding& f) {
    const FindingKind* kind = find_finding_kind(f.rule);
    return kind && is_of_outputs(*kind);
  });
}

int run_diff(const po::variables_map& given) {
  const auto paths = positional(given);
  if (paths.size() != 2) throw UsageError{"name two specs, or a spec and a compiled tree: the old one and the new one"};
  if (paths[0] == "-" && paths[1] == "-") throw UsageError{"only one of the two can be standard input"};
  const std::string& wish = given["format"].as<std::string>();
  if (wish != "text" && wish != "markdown" && wish != "json")
    throw UsageError{"--format must be text, markdown or json, not '" + wish + "'"};
  const bool page = given.count("page") > 0, trees = is_folder(paths[0]) || is_folder(paths[1]);
  if (page && trees) throw UsageError{"--page compares two specs: omit it for a compiled tree"};
  require_written_apart(given, {{paths[0], "is the old spec"}, {paths[1], "is the new spec"}}, {"page"});
  if (trees) return with_tree(given, paths[0], paths[1]);
  if (given.count("only"))
    throw UsageError{"--only needs a compiled tree: for two specs, the whole plans are compared"};
  std::unique_ptr<Run> runs[2];
  for (int i = 0; i < 2; ++i) {
    RunOptions options = run_options(given, paths[i]);
    options.all_cables = page;
    // What comes through a pipe has no folder: what it names is looked for beside the other one.
    if (is_pipe(paths[i]))
      options.folder =
          is_pipe(paths[1 - i]) ? std::string() : std::filesystem::path(paths[1 - i]).parent_path().string();
    runs[i] = run_pipeline(paths[i], Stage::checked, options);
  }
  bool planned = true;
  for (int i = 0; i < 2; ++i) {
    if (runs[i]->plan) continue;
    planned = false;
    report_findings_as_text(*runs[i], paths[i], given);
  }
  if (!planned) return kUnjudged;
  const std::size_t keep = wish == "json" ? static_cast<std::size_t>(-1) : page ? kOnPage : 3;
  const Findings of_new = runs[1]->findings;  // the page has all of them
  SpecDiff d{.before_name = paths[0] == "-" ? "standard input" : paths[0],
             .after_name = paths[1] == "-" ? "standard input" : paths[1],
             .before_digest = runs[0]->spec_digest,
             .after_digest = runs[1]->spec_digest};
  d.written = written_changes(runs[0]->cluster->spec, runs[1]->cluster->spec);
  d.plan = diff_plans(*runs[0]->plan, *runs[1]->plan, keep);
  for (const auto& r : runs) r->findings.sort(r->sources);
  d.before = figures_of(*runs[0]->plan, runs[0]->findings);
  d.after = figures_of(*runs[1]->plan, runs[1]->findings);
  if (runs[0]->outputs_judged != runs[1]->outputs_judged)
    for (const auto& r : runs) leave_out_outputs(r->findings);
  diff_findings({runs[0]->findings, runs[0]->sources}, {runs[1]->findings, runs[1]->sources}, d);
  if (d.before.errors || d.after.errors)
    d.why_no_files = format("'{}' has errors, and nothing is compiled from a spec with errors",
                            d.before.errors ? d.before_name : d.after_name);
  else
    d.files = compare_files(*runs[0], *runs[1], keep);
  if (wish == "text")
    put_report(render_diff_text(d), given);
  else
    put_text(wish == "json" ? render_diff_json(d) : render_diff_markdown(d));
  if (page) {
    shorten(d.plan);
    if (d.files)
      for (ChangeList& list : *d.files)
        if (list.items.size() > kInTables) list.items.resize(kInTables);
    Run& now = *runs[1];
    now.findings = of_new;
    write_page(now, expect_figures(*now.cluster, *now.plan, true), paths[1], given["page"].as<std::string>(),
               {{"diff", render_diff_json(d)}, {"before", render_page_before(*runs[0]->cluster, *runs[0]->plan)}});
  }
  return d.same() ? 0 : 1;
}

}  // namespace
const Command kDiff{
    "diff",
    "two specs: what to buy, move, recable and reconfigure; a spec and a compiled tree: what changes in its files",
    "clusterc diff OLD NEW [--format text|markdown|json] [--only slurm,netplan] [--page FILE]", options_of_diff,
    run_diff};
}  // namespace clusterc::cli
