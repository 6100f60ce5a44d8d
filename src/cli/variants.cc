#include "cli/variants.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "base/text.h"
#include "diag/render.h"
#include "plan/cost/purchases.h"
#include "report/fit_report.h"
#include "report/phases_report.h"
#include "spec/network.h"
#include "spec/prices.h"
#include "spec/site.h"
#include "spec/workload.h"

namespace clusterc::cli {
namespace {

constexpr std::int64_t kMostTried = 131072;  // nodes: a million GPUs of eight; the size that the planner is made for
constexpr std::size_t kNextLimits = 3;

// On a terminal only, and only of what takes longer than a second.
class Progress {
 public:
  void say(const std::string& text) {
    if (!tty_ || std::chrono::steady_clock::now() - begin_ < std::chrono::seconds(1)) return;
    put_error("\r\033[K" + text);
    said_ = true;
  }
  ~Progress() {
    if (said_) put_error("\r\033[K");
  }

 private:
  bool tty_ = ::isatty(STDERR_FILENO) != 0, said_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<FitError> errors_of(const Run& run) {
  std::vector<FitError> out;
  for (const Finding& f : run.findings.all()) {
    if (f.severity != Severity::error || f.accepted) continue;
    // The name of a source, not its number: a count is a source of its own, and may come after others.
    const std::string at = f.span.valid()
                               ? std::string(run.sources.path(f.span.file)) + ":" + std::to_string(f.span.begin)
                               : std::string();
    out.push_back({f.rule + "|" + at, f.rule, f.message});
  }
  return out;
}

// The setting of an --option that was refused: what would be planned is the spec without it. Errors that a rule finds
// there are of a spec that has it.
std::optional<std::string> refused_setting(const Run& run) {
  for (const Finding& f : run.findings.all()) {
    if (f.severity != Severity::error || !f.span.valid() || !f.rule.starts_with("spec-")) continue;
    const std::string_view source = run.sources.path(f.span.file);
    if (source.starts_with(kOptionSource)) return format("{}={}: {}", source, run.sources.text(f.span.file), f.message);
  }
  return std::nullopt;
}

std::string unplannable(const Run& run) {
  if (!run.unreadable.empty()) return run.unreadable;
  for (const Finding& f : run.findings.all())
    if (f.severity == Severity::error) return f.message;
  return "it has no plan";
}

}  // namespace

Printed fit(const std::string& path, const po::variables_map& given, const std::string& group, Format format_wanted) {
  const RunOptions options = run_options(given, path);
  const auto first = run_pipeline(path, Stage::checked, options);
  if (!first->plan) return {"", report_findings(*first, path, given, true)};
  const Cluster& cluster = *first->cluster;
  const auto dot = group.find('.');
  const std::string section = group.substr(0, dot), name = dot == group.npos ? std::string() : group.substr(dot + 1);
  std::vector<std::string_view> names;
  std::int64_t asked = 0;
  struct Along {
    std::string path;
    std::int64_t each;
  };  // trays that come with each assembly
  std::vector<Along> along;
  if (section == "nodes") {
    for (const NodeGroupModel& g : cluster.nodes) {
      names.push_back(g.name);
      if (g.name != name) continue;
      if (g.assembly >= 0)
        throw UsageError{"--fit: the nodes of '" + name + "' are trays: use --fit assemblies." +
                         cluster.assemblies[static_cast<std::size_t>(g.assembly)].name};
      asked = g.count;
    }
  } else if (section == "assemblies") {
    for (std::size_t a = 0; a < cluster.assemblies.size(); ++a) {
      const AssemblyGroupModel& assembly = cluster.assemblies[a];
      names.push_back(assembly.name);
      if (assembly.name != name) continue;
      asked = assembly.count;
      for (const NodeGroupModel& g : cluster.nodes)
        if (g.assembly == static_cast<int>(a))
          along.push_back({"nodes." + g.name, std::max<std::int64_t>(1, g.count / std::max<std::int64_t>(1, asked))});
    }
  } else {
    throw UsageError{"--fit must be nodes.GROUP or assemblies.GROUP, not '" + group + "'"};
  }
  if (asked == 0) {
    const auto near = nearest_name(name, names);
    throw UsageError{"--fit: there is no '" + group + "' in the spec" +
                     (near ? "; did you mean '" + section + "." + std::string(*near) + "'?" : "")};
  }

  Progress progress;
  const auto planned = [&](std::int64_t count, std::vector<SpecOverride> more) {
    progress.say(format("{} = {} …", group, count));
    RunOptions with = options;
    with.overrides.push_back({"phases", ""});  // counts of the whole spec, which this one no longer is
    with.overrides.push_back({group, std::to_string(count)});
    for (const Along& a : along) with.overrides.push_back({a.path, std::to_string(count * a.each)});
    // A size to leave room for is no limit: it grows along.
    if (section == "nodes")
      for (const auto& network : cluster.spec.networks)
        if (const auto* built = network.value.built_for.find(name); built && built->value && *built->value < count)
          with.overrides.push_back({"networks." + network.name + ".built_for." + name, std::to_string(count)});
    for (SpecOverride& o : more) with.overrides.push_back(std::move(o));
    return run_pipeline(path, Stage::checked, with);
  };
  const FitProbe probe = [&](std::int64_t count) { return errors_of(*planned(count, {})); };
  // Racks that are full keep everything else from growing: beyond them, the search goes on as if there were more of the
  // kind.
  int racks = -1;
  if (section == "nodes") racks = cluster.nodes[static_cast<std::size_t>(cluster.find_node_group(name))].racks;
  const FitProbe beyond = [&](std::int64_t count) {
    std::vector<SpecOverride> more;
    if (racks >= 0) {
      const RackGroupModel& g = cluster.racks[static_cast<std::size_t>(racks)];
      const std::int64_t enough = std::max(g.count + (g.count * count + asked - 1) / asked, g.count + 1);
      more.push_back({"racks." + g.name, std::to_string(std::min(enough, kMostTried))});
      // They are empty: what already stands in the racks that there are stands in no other.
      for (std::size_t i = 0; i < g.spec->occupied.size(); ++i)
        if (g.spec->occupied[i].racks.empty())
          more.push_back({format("racks.{}.occupied.{}.racks", g.name, i), "[\"" + g.names.text() + "\"]"});
    }
    return errors_of(*planned(count, std::move(more)));
  };
  FitReport report{.cluster = cluster.spec.name.value_or(""), .of = group, .asked = asked};
  report.outcome = find_fit(probe, beyond, asked, kMostTried, kNextLimits);
  if (racks >= 0 && !report.outcome.next.empty())
    report.relaxed = format("as if there were more racks in '{}'", cluster.racks[static_cast<std::size_t>(racks)].name);
  if (report.outcome.largest > 0)
    if (const auto best = planned(report.outcome.largest, {}); best->plan)
      report.figures = figures_of(*best->plan, best->findings);
  const bool fits = report.outcome.largest >= asked;
  return {format_wanted == Format::json ? render_fit_json(report) : render_fit_text(report), fits ? kOk : kFindings};
}

Printed lay_side_by_side(const std::string& path, const po::variables_map& given,
                         const std::vector<std::string>& wishes, Format format_wanted) {
  const RunOptions options = run_options(given, path);
  std::vector<Variant> variants;
  int worst = kOk;
  const auto add = [&](std::string name, const std::string& spec, const RunOptions& with) {
    const auto run = run_pipeline(spec, Stage::checked, with);
    Variant v{.name = std::move(name)};
    run->findings.sort(run->sources);
    const std::optional<std::string> refused = refused_setting(*run);
    if (refused)
      v.why = *refused;
    else if (run->plan)
      v.figures = figures_of(*run->plan, run->findings);
    else
      v.why = unplannable(*run);
    if (!refused)
      for (const Finding& f : run->findings.all())
        if (f.severity == Severity::error && !f.accepted) v.errors.push_back(format("{} [{}]", f.message, f.rule));
    worst = std::max<int>(worst, !v.figures ? kUnjudged : v.errors.empty() ? kOk : kFindings);
    variants.push_back(std::move(v));
  };
  add(path == "-" ? "standard input" : path, path, options);
  for (const std::string& wish : wishes) {
    RunOptions with = options;
    if (wish.find('=') == wish.npos) {
      with.from_stdin = false;
      if (wish == "-") throw UsageError{"--option: only the first spec can be standard input"};
      add(wish, wish, with);
      continue;
    }
    std::string error;
    auto settings = parse_overrides(wish, error);
    if (!settings) throw UsageError{"--option: " + error};
    with.overrides = std::move(*settings);
    add(wish, path, with);
  }
  return {format_wanted == Format::json ? render_variants_json(variants) : render_variants_text(variants), worst};
}

namespace {

// Counts of a phase: its own, else those of the phase before, else all.
struct GrowingGroup {
  std::string path;
  std::string name;
  std::int64_t all = 0, now = 0;
  bool nodes = true;
};
struct GrowthStep {
  std::string name, by;
  std::vector<std::int64_t> counts;  // by group
};

std::vector<GrowingGroup> groups_that_grow(const Cluster& cluster) {
  std::vector<GrowingGroup> groups;
  for (const NodeGroupModel& g : cluster.nodes)
    if (g.assembly < 0) groups.push_back({"nodes." + g.name, g.name, g.count, g.count, true});
  for (const StorageModel& s : cluster.storage)
    if (s.part && s.nodes < 0)
      groups.push_back({"storage." + s.name + ".servers.count", s.name, s.count, s.count, false});
  return groups;
}

std::vector<GrowthStep> steps_of(const Cluster& cluster, std::vector<GrowingGroup>& groups) {
  std::vector<GrowthStep> steps;
  for (const auto& phase : cluster.spec.phases) {
    for (GrowingGroup& g : groups)
      if (const auto* count = (g.nodes ? phase.value.nodes : phase.value.storage).find(g.name); count && count->value)
        g.now = *count->value;
    GrowthStep step{phase.name, phase.value.by ? phase.value.by->text() : std::string(), {}};
    for (const GrowingGroup& g : groups) step.counts.push_back(g.now);
    steps.push_back(std::move(step));
  }
  if (std::any_of(groups.begin(), groups.end(), [](const GrowingGroup& g) { return g.now != g.all; })) {
    GrowthStep last{"the whole spec", {}, {}};
    for (const GrowingGroup& g : groups) last.counts.push_back(g.all);
    steps.push_back(std::move(last));
  }
  for (const auto& phase : cluster.spec.phases)
    for (const auto& e : phase.value.nodes)
      if (std::none_of(groups.begin(), groups.end(),
                       [&](const GrowingGroup& g) { return g.nodes && g.name == e.name; }))
        throw UsageError{"--phases: the nodes of '" + e.name + "' are trays of assemblies, which phases cannot split"};
  return steps;
}

// Ports, cables and addresses are left for all that the spec has.
std::vector<SpecOverride> room_to_grow(const Cluster& cluster, const std::vector<GrowingGroup>& groups,
                                       const std::vector<GrowthStep>& steps, std::vector<std::string>& built_for) {
  std::vector<SpecOverride> room;
  for (const NetworkModel& n : cluster.networks) {
    if (!n.spec || n.shares >= 0) continue;
    for (const GrowingGroup& g : groups) {
      const bool member = std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) {
        return g.nodes ? e.group >= 0 && cluster.nodes[static_cast<std::size_t>(e.group)].name == g.name
                       : e.storage >= 0 && cluster.storage[static_cast<std::size_t>(e.storage)].name == g.name;
      });
      const bool grows = std::any_of(steps.begin(), steps.end(), [&](const GrowthStep& s) {
        return s.counts[static_cast<std::size_t>(&g - groups.data())] != g.all;
      });
      const auto* said = n.spec->built_for.find(g.name);
      if (!member || !grows || (said && said->value && *said->value >= g.all)) continue;
      room.push_back({"networks." + n.name + ".built_for." + g.name, std::to_string(g.all)});
      built_for.push_back(format("network '{}' is planned for {} of '{}', as with `built_for`", n.name, g.all, g.name));
    }
  }
  return room;
}

// What a step has fewer of than the whole spec. `smaller`: jobs that run on fewer nodes for it.
std::vector<SpecOverride> overrides_of(const Cluster& cluster, const std::vector<GrowingGroup>& groups,
                                       const GrowthStep& step, const std::vector<SpecOverride>& room,
                                       std::vector<std::string>& smaller) {
  std::vector<SpecOverride> out;
  out.push_back({"phases", ""});  // counts of the whole spec, which this one is not
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (step.counts[g] == groups[g].all) continue;
    if (step.counts[g] == 0)
      throw UsageError{
          format("--phases: phase '{}' has 0 of '{}': a phase needs at least 1", step.name, groups[g].name)};
    out.push_back({groups[g].path, std::to_string(step.counts[g])});
  }
  out.insert(out.end(), room.begin(), room.end());
  // Jobs are those of the whole cluster: in a smaller step they run on what is there.
  for (const auto& job : cluster.spec.workloads)
    for (const auto& on : job.value.on)
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!groups[g].nodes || groups[g].name != on.name || !on.value || *on.value.value <= step.counts[g] ||
            *on.value.value > groups[g].all)
          continue;
        out.push_back({"workloads." + job.name + ".on." + on.name, std::to_string(step.counts[g])});
        smaller.push_back(format("job '{}' is planned on {} of its {} nodes of '{}'", job.name, step.counts[g],
                                 *on.value.value, on.name));
      }
  return out;
}

}  // namespace

Printed grow(const std::string& path, const po::variables_map& given, Format format_wanted) {
  const RunOptions options = run_options(given, path);
  const auto whole = run_pipeline(path, Stage::checked, options);
  if (!whole->plan) return {"", report_findings(*whole, path, given, true)};
  const Cluster& cluster = *whole->cluster;
  if (cluster.spec.phases.empty()) throw UsageError{"--phases: the spec has no `phases`"};
  PhasesReport report{.cluster = cluster.spec.name.value_or("")};
  // Steps that take away, or have more than the whole, are no way to grow: told as `check` tells it, and not planned.
  Findings wrong;
  check_phases(cluster.spec, wrong);
  if (wrong.count(Severity::error) > 0) return {"", report_findings(*whole, path, given, true)};

  std::vector<GrowingGroup> groups = groups_that_grow(cluster);
  const std::vector<GrowthStep> steps = steps_of(cluster, groups);
  const std::vector<SpecOverride> room = room_to_grow(cluster, groups, steps, report.built_for);
  const std::size_t keep = format_wanted == Format::json ? static_cast<std::size_t>(-1) : 3;
  std::unique_ptr<Run> before;
  Purchases bought;
  int worst = kOk;
  for (const GrowthStep& step : steps) {
    RunOptions with = options;
    std::vector<std::string> smaller;
    for (SpecOverride& o : overrides_of(cluster, groups, step, room, smaller)) with.overrides.push_back(std::move(o));
    auto run = run_pipeline(path, Stage::checked, with);
    if (!run->plan) return {"", report_findings(*run, path, given, true)};
    PhaseStep s{.name = step.name,
                .by = step.by,
                .figures = figures_of(*run->plan, run->findings),
                .idle_leaves = idle_leaves(*run->plan),
                .smaller_jobs = std::move(smaller)};
    // What stands empty is bought by the phase that fills it; the last one buys what is left.
    const bool last = &step == &steps.back();
    const RacksBought racks = last ? RacksBought::all : RacksBought::used;
    if (before) s.change = diff_plans(*before->plan, *run->plan, keep);
    s.change.parts = bought.step(before ? &*before->plan : nullptr, *run->plan, racks);
    s.figures.cost = cost_of(*run->plan, racks, bought.paid_besides());
    if (!before && s.figures.cost) s.once = s.figures.cost->once;
    if (!last)
      for (const RackGroupModel& g : run->cluster->racks) s.empty_racks += empty_racks(*run->plan, g);
    run->findings.sort(run->sources);
    for (const Finding& f : run->findings.all())
      if (f.severity == Severity::error && !f.accepted) s.errors.push_back(format("{} [{}]", f.message, f.rule));
    if (!s.errors.empty()) worst = kFindings;
    report.steps.push_back(std::move(s));
    before = std::move(run);
  }
  return {format_wanted == Format::json ? render_phases_json(report) : render_phases_text(report), worst};
}

}  // namespace clusterc::cli
