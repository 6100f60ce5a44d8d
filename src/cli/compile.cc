#include "compile/compile.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "rules/say.h"
#include "write/manifest.h"
#include "write/tree.h"

namespace clusterc::cli {
namespace {

void options_of_compile(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("output,o", po::value<std::string>()->value_name("DIR"), "folder of the compiled tree")(
      "only", po::value<std::string>()->value_name("LIST"), "compile only these outputs: slurm,netplan")(
      "list", po::bool_switch(), "list the outputs and the programs that read them")(
      "check", po::bool_switch(), "write nothing; fail if the tree is not up to date")(
      "force", po::bool_switch(), "overwrite files that were changed by hand");
}

// A tree is replaced as a whole: what stands there that this compile does not write would be gone, a plan's files or,
// with --only, those of other outputs. Better told than done.
void refuse_others(const std::string& folder, const std::set<std::string, std::less<>>& only) {
  FileError error;
  std::string why;
  const std::string manifest = folder + "/" + std::string(kManifestName);
  if (std::error_code failed;
      std::filesystem::exists(manifest, failed) && !std::filesystem::is_regular_file(manifest, failed))
    throw UsageError{"'" + manifest + "' is not a file; move it away"};
  const auto text = read_file(folder + "/" + std::string(kManifestName), std::uint64_t{1} << 30, error);
  if (!text) return;
  std::set<std::string, std::less<>> others;
  std::string last;  // files come output by output
  const bool whole = each_in_manifest(*text, why, [&](std::string_view path, std::string_view) {
    const std::string_view id = path.substr(0, path.find('/'));
    if (last.empty() && !find_output(id))
      throw UsageError{"'" + folder + "' is not a compiled tree (it has '" + std::string(path) +
                       "'), and would be replaced completely: name another folder"};
    if (only.empty()) return false;
    if (id != last && !only.contains(id)) others.emplace(id);
    last = id;
    return true;
  });
  if (!whole) return;  // the writer says what is wrong with it
  if (!others.empty())
    throw UsageError{"'" + folder + "' has other outputs (" + join(others, ", ") +
                     ") that --only would remove: name another folder, or compile without --only"};
}

int run_compile(const po::variables_map& given) {
  if (given["list"].as<bool>()) {
    for (const Output* o : all_outputs()) put(format("{:<12} {} (read by {})\n", o->id, o->summary, o->consumers));
    return kOk;
  }
  const std::string path = one_spec(given);
  const auto only = output_ids(given);
  if (!given.count("output")) throw UsageError{"name the folder with -o DIR"};
  const std::string folder = given["output"].as<std::string>();
  refuse_others(folder, only);
  text_or_json(given, "findings of compile are");
  RunOptions asked = run_options(given, path);
  asked.outputs = only;
  auto result = run_pipeline(path, Stage::checked, asked);
  if (!result->plan || result->findings.count(Severity::error)) {
    const int status = report_findings(*result, path, given, true);
    put_error("nothing was written: the spec has errors\n");
    return status == kOk ? kFindings : status;
  }
  std::vector<Finding> accepted;
  for (const Finding& f : result->findings.all())
    if (f.accepted) accepted.push_back(f);
  std::optional<Interrupts> interrupts(folder);
  const WriteOptions write{.spec_digest = result->spec_digest,
                           .tool_version = CLUSTERC_VERSION,
                           .force = given["force"].as<bool>(),
                           .check = given["check"].as<bool>(),
                           .interrupted = interrupts->flag(),
                           .progress = [](const std::string& line) { put_error(line + "\n"); }};
  WriteResult written;
  Findings told;  // by the pipeline, which has judged the same outputs
  try {
    Tree tree(folder, write);
    const Interrupts::Guard guard([&] { return tree.abandon(); });
    Bundle files(
        [&](const Bundle::File& file, std::string_view bytes) { tree.put(file.path, file.origin, bytes, file.mode); });
    const CompileWish wish{accepted, only, result->templates ? &*result->templates : nullptr};
    for (const std::string_view id : compile_outputs(*result->system, wish, files, told))
      put_error(format("{}: this cluster does not need this output\n", id));
    for (const Finding& f : told.all())
      if (f.severity == Severity::error && !std::ranges::any_of(accepted, [&](const Finding& known) {
            return known.rule == f.rule && known.span == f.span;
          }))
        throw std::logic_error("'" + f.rule + "' was found while writing, and not before: this is a bug");
    files.flush();
    written = tree.finish();
  } catch (const WriteError& failed) {
    written.error = failed.what();
    interrupts->end_if_interrupted();
  }
  interrupts.reset();
  const int status = report_findings(*result, path, given, true);
  constexpr std::string_view kWayOut =
      "--force overwrites it; to keep a change, use outputs.<id>.extra or a file in the template folder";
  if (!write.check) return report_tree(written, folder, write.force, kWayOut, status);
  if (!written.ok) throw std::runtime_error(written.error);
  report_kept(written, folder, write.force, kWayOut);
  for (const std::string& name : written.differing)
    put_text(format("{}/{}: not up to date\n", printable(folder), printable(name)));
  if (const std::size_t files = written.differing.size() + written.hand_edited.size(); files > 0) {
    put_error(format("{}: {} {} from the compiled files\n", folder, plural(files, "file"),
                     files == 1 ? "differs" : "differ"));
    return kFindings;
  }
  put_error(format("{}: up to date, {}\n", folder, plural(written.unchanged, "file")));
  return status;
}

}  // namespace
const Command kCompile{"compile", "the configuration of every system in the cluster",
                       "clusterc compile SPEC -o DIR [--only slurm,netplan] [--check] [--force]", options_of_compile,
                       run_compile};
}  // namespace clusterc::cli
