#include "pipeline.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "base/digest.h"
#include "base/file.h"
#include "compile/compile.h"
#include "diag/near.h"
#include "rules/acceptances.h"
#include "rules/rejected.h"
#include "rules/severities.h"
#include "spec/model_presets.h"
#include "spec/other_files.h"
#include "spec/output.h"
#include "spec/workload.h"
#include "system/inventory_as_built.h"
#include "system/links.h"
#include "yaml/key_path.h"

namespace clusterc {
namespace {

namespace fs = std::filesystem;

// Links of the path are followed first; one that leads nowhere is reported by whoever reads it.
bool is_below(const fs::path& folder, const fs::path& path) {
  std::error_code failed;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failed),
                 real = failed ? fs::path() : fs::weakly_canonical(fs::absolute(path), failed);
  if (failed) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end();
}

// Paths that a spec names are relative to the spec and stay inside its folder: a spec from somewhere else must not read
// the reader's files.
std::optional<fs::path> inside(const fs::path& folder, const Value<std::string>& named, Findings& findings) {
  const fs::path relative = fs::path(*named).lexically_normal();
  if (relative.is_absolute() || (!relative.empty() && *relative.begin() == "..")) {
    findings.error("spec-path-outside", named.span, "'" + *named + "' lies outside the folder of the spec")
        .help("put it beside the spec, and name it relative to the spec");
    return std::nullopt;
  }
  const fs::path path = folder / relative;
  if (is_below(folder, path)) return path;
  findings.error("spec-path-outside", named.span, "'" + *named + "' leads out of the folder of the spec through a link")
      .help("put a copy beside the spec: what a link leads to is not read");
  return std::nullopt;
}

// Own parts: every *.yaml of the named folders, in name order, however the file system lists them.
void load_own_parts(const Spec& spec, const fs::path& folder, Run& run, Sha256& digest) {
  for (const Value<std::string>& named : spec.parts) {
    if (!named) continue;
    const auto path = inside(folder, named, run.findings);
    if (!path) continue;
    std::error_code failed;
    std::vector<fs::path> files;
    for (fs::directory_iterator i(*path, failed), end; !failed && i != end; i.increment(failed))
      if (i->path().extension() == ".yaml") files.push_back(i->path());
    if (failed) {
      run.findings.error("spec-file-unreadable", named.span,
                         "the folder of own parts '" + *named + "' cannot be read: " + failed.message());
      continue;
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (!is_below(folder, file)) {
        run.findings
            .error("spec-path-outside", named.span,
                   "'" + file.string() + "' leads out of the folder of the spec through a link")
            .help("put a copy there: what a link leads to is not read");
        continue;
      }
      FileError error;
      auto text = read_file(file.string(), 1u << 20, error);
      if (!text) {
        run.findings.error("spec-file-unreadable", named.span, error.message);
        continue;
      }
      digest.update(*text);
      run.catalog->add_own_file(run.sources.add(file.string(), std::move(*text)));
    }
  }
}

// The figures of models that the spec names, or whose configuration lies beside it.
void load_models(Spec& spec, const fs::path& folder, Run& run, Sha256& digest) {
  for (auto& workload : spec.workloads.entries) {
    if (!workload.value.model) continue;
    ModelShape& model = *workload.value.model;
    fill_from_preset(model, run.findings);
    if (!model.config) continue;
    const auto where = inside(folder, model.config, run.findings);
    if (!where) continue;
    FileError error;
    auto text = read_file(where->string(), 1u << 20, error);
    if (!text) {
      run.findings.error("spec-file-unreadable", model.config.span, error.message);
      continue;
    }
    digest.update(*text);
    fill_from_config(model, run.sources, run.sources.add(where->string(), std::move(*text)), run.findings);
  }
}

// Every file below the folder of templates, by path, however the file system lists them. What editors and version
// control keep there is none.
void load_templates(const Spec& spec, const fs::path& folder, Run& run, Sha256& digest) {
  constexpr std::size_t kFiles = 4096, kBytes = std::size_t{64} << 20;
  constexpr int kDeepest = 16;
  if (!spec.templates) return;
  const auto root = inside(folder, spec.templates, run.findings);
  if (!root) return;
  if (std::error_code same; fs::equivalent(*root, folder.empty() ? fs::path(".") : folder, same) && !same) {
    run.findings
        .error("spec-templates-own-folder", spec.templates.span,
               "the folder of templates is the folder of the spec: every file in it would be read as a template")
        .help("use a separate folder beside the spec: `templates: site-templates`");
    return;
  }
  const auto unreadable = [&](std::string why) {
    run.findings.error("spec-file-unreadable", spec.templates.span, std::move(why));
  };
  SiteTemplates found{*spec.templates, &run.sources, {}};
  while (found.folder.ends_with('/')) found.folder.pop_back();
  std::size_t bytes = 0;
  const std::function<bool(const fs::path&, const std::string&, int)> walk = [&](const fs::path& at,
                                                                                 const std::string& prefix, int depth) {
    std::error_code failed;
    std::vector<std::string> names;
    for (fs::directory_iterator i(at, failed), end; !failed && i != end; i.increment(failed)) {
      std::string name = i->path().filename().string();
      if (!name.starts_with('.') && !name.ends_with('~')) names.push_back(std::move(name));
      if (names.size() > kFiles)
        return unreadable("the folder of templates '" + found.folder + "' holds more than " + std::to_string(kFiles) +
                          " files"),
               false;
    }
    if (failed)
      return unreadable("the folder of templates '" + (at == *root ? found.folder : at.string()) +
                        "' cannot be read: " + failed.message()),
             false;
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const fs::path path = at / name;
      if (static_cast<void>(fs::status(path, failed)); failed) {
        unreadable("'" + path.string() + "' cannot be read: " + failed.message());
        continue;
      }
      if (!is_below(*root, path)) {
        run.findings
            .error("spec-path-outside", spec.templates.span,
                   "'" + path.string() + "' leads out of the folder of templates through a link")
            .help("put a copy there: what a link leads to is not read");
        continue;
      }
      const fs::file_type type = fs::status(path, failed).type();
      if (type == fs::file_type::directory) {
        if (depth == kDeepest)
          return unreadable("folders lie more than " + std::to_string(kDeepest) +
                            " deep in the folder of templates: '" + path.string() + "'"),
                 false;
        if (!walk(path, prefix + name + "/", depth + 1)) return false;
        continue;
      }
      FileError error;
      auto text = type == fs::file_type::regular ? read_file(path.string(), kBytes - bytes, error) : std::nullopt;
      if (!text) {
        unreadable(type == fs::file_type::regular ? error.message : "'" + path.string() + "' is no file");
        continue;
      }
      bytes += text->size();
      if (found.files.size() == kFiles)
        return unreadable("the folder of templates '" + found.folder + "' holds more than " + std::to_string(kFiles) +
                          " files"),
               false;
      digest.update(prefix + name + "\n");
      digest.update(*text);
      found.files.push_back({prefix + name, run.sources.add(path.string(), std::move(*text))});
    }
    return true;
  };
  if (walk(*root, "", 0)) run.templates = std::move(found);
}

}  // namespace

namespace {

void name_places(Run& run) {
  if (!run.document) return;
  std::vector<SourceSpan> places;
  places.reserve(run.findings.all().size());
  for (const Finding& f : run.findings.all()) places.push_back(f.span);
  std::vector<std::string> paths = key_paths(*run.document, places);
  for (std::size_t i = 0; i < paths.size(); ++i) run.findings.all()[i].key_path = std::move(paths[i]);
}

std::optional<std::string> read_text(const std::string& path, const RunOptions& options, Run& run) {
  if (options.from_stdin) return options.stdin_text;
  FileError error;
  auto read = read_file(path, options.max_bytes, error);
  if (!read) run.unreadable = error.message;
  return read;
}

void load_inventory(const Spec& spec, const fs::path& folder, Run& run, Sha256& digest) {
  if (!spec.inventory) return;
  if (const auto where = inside(folder, spec.inventory, run.findings)) {
    FileError error;
    if (auto inventory = read_file(where->string(), 256u << 20, error)) {
      digest.update(*inventory);
      run.inventory =
          Inventory::read(run.sources, run.sources.add(where->string(), std::move(*inventory)), run.findings);
    } else
      run.findings.error("spec-file-unreadable", spec.inventory.span, error.message);
  }
}

// Rules, severities, acceptances and, where there is no error, the outputs.
void judge(const RunOptions& options, Run& run) {
  std::vector<std::string_view> outputs;
  for (const Output* output : all_outputs()) outputs.push_back(output->id);
  for (const auto& wish : run.cluster->spec.outputs)
    if (!find_output(wish.name)) {
      Finding& f = run.findings.error("spec-unknown-name", wish.name_span, "there is no output '" + wish.name + "'");
      suggest(f, wish.name_span, wish.name, outputs);
      if (f.helps.empty()) f.help("'clusterc compile --list' names them");
    }
  const Value<Version>& rules = run.cluster->spec.rules;
  const std::optional<Edition> named =
      rules ? find_edition(rules->text()) : std::nullopt;  // none: the reader has said so
  check_rules(
      {*run.cluster, *run.plan, *run.expected, run.sources, options.edition.value_or(named.value_or(kNewestEdition))},
      run.findings);
  if (run.findings.count(Severity::error) > 0) {
    name_places(run);
    drop_what_follows_from_rejected(run.findings);
  }
  const std::vector<RaisedSeverity> raised = read_severities(run.cluster->spec, run.findings);
  raise_severities(raised, run.findings);
  Acceptances acceptances(run.cluster->spec, run.sources, options.today ? &*options.today : nullptr, run.findings);
  acceptances.apply(run.findings);
  // Outputs take what the rules find no error in; what they would refuse is said here already.
  const bool judged = !run.findings.count(Severity::error);
  run.outputs_judged = judged;
  if (judged) {
    judge_outputs(*run.system, {.only = options.outputs, .templates = run.templates ? &*run.templates : nullptr},
                  run.findings);
    if (!run.findings.count(Severity::error) && options.outputs.empty()) note_what_is_left(*run.system, run.findings);
    raise_severities(raised, run.findings);
    acceptances.apply(run.findings);
  }
  acceptances.report_unused(judged && options.outputs.empty(), run.findings);
}

std::unique_ptr<Run> advance(const std::string& path, Stage until, const RunOptions& options) {
  auto run = std::make_unique<Run>();
  std::optional<std::string> text = read_text(path, options, *run);
  if (!text) return run;
  const FileId file = run->sources.add(path, std::move(*text));
  if (const auto other = recognise_other_file(run->sources.text(file))) {
    run->findings.error("spec-other-file", {file, 0, 0}, "this is " + std::string(other->name) + ", not a cluster spec")
        .help(std::string(other->way_out));
    run->unreadable = "not a cluster spec";
    return run;
  }
  Sha256 digest;
  digest.update(run->sources.text(file));

  YamlLimits limits;
  limits.text_bytes = std::max(limits.text_bytes, options.max_bytes);
  if (options.max_bytes > (64u << 20)) limits.memory_bytes = options.max_bytes * 8;
  run->document = parse_yaml(run->sources, file, run->findings, limits);
  if (!run->document) {
    run->unreadable = "not a readable YAML document";
    return run;
  }
  if (until == Stage::loaded) return run;

  const auto change = [&](Spec& read) { apply_overrides(options.overrides, run->sources, run->findings, read); };
  for (const SpecOverride& o : options.overrides) digest.update(o.path + "=" + o.value + "\n");
  std::optional<Spec> spec = read_spec(*run->document, run->sources, run->findings, change);
  if (!spec) {
    run->unreadable = "not a cluster spec of a language version that this program reads";
    return run;
  }
  run->catalog = std::make_unique<Catalog>(run->sources, run->findings);
  const fs::path folder = options.folder ? fs::path(*options.folder) : fs::path(path).parent_path();
  load_own_parts(*spec, folder, *run, digest);
  load_inventory(*spec, folder, *run, digest);
  load_models(*spec, folder, *run, digest);
  load_templates(*spec, folder, *run, digest);
  run->spec_digest = to_hex(digest.finish());
  if (until == Stage::read) return run;

  run->cluster = resolve_cluster(std::move(*spec), *run->catalog, run->findings);
  if (until == Stage::resolved || !run->cluster) return run;

  run->plan = plan_cluster(*run->cluster);
  if (run->inventory) {
    take_links(*run->cluster, run->sources, *run->inventory, *run->plan, run->findings);
    take_addresses(*run->cluster, *run->inventory, *run->plan, run->findings);
  }
  if (options.all_cables) run->plan->cabling();
  run->expected = expect_figures(*run->cluster, *run->plan);
  run->system.emplace(
      deploy(*run->cluster, *run->plan, output_kinds(), run->inventory ? &*run->inventory : nullptr, run->spec_digest));
  if (until == Stage::planned) return run;

  judge(options, *run);
  return run;
}

}  // namespace

std::unique_ptr<Run> run_pipeline(const std::string& path, Stage until, const RunOptions& options) {
  auto run = advance(path, until, options);
  name_places(*run);
  return run;
}

}  // namespace clusterc
