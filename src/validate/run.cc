#include "validate/run.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "model/nvlink.h"
#include "model/storage_path.h"
#include "targets/collective_figures.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/rdma_ports.h"
#include "validate/consistency.h"
#include "validate/journal.h"

namespace clusterc {

std::size_t Report::count(Verdict v) const {
  return static_cast<std::size_t>(
      std::count_if(verdicts.begin(), verdicts.end(), [v](const Judged& j) { return j.verdict == v; }));
}

bool Report::passed() const {
  return error.empty() && !interrupted && !verdicts.empty() && !count(Verdict::fail) && !count(Verdict::error) &&
         !count(Verdict::degraded) && std::none_of(verdicts.begin(), verdicts.end(), [](const Judged& j) {
           return j.demanded && j.verdict != Verdict::pass;
         });
}

namespace {

// Whether the suite measures it on this cluster when nothing is left out.
bool has_validator(const Cluster& cluster, const ExpectedFigure& figure) {
  const Metric* metric = find_metric(figure.test);
  if (!metric) return false;
  if (metric->validator == "fabric" && metric->scope == "pair") {
    return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const NodeGroupModel& g) {
      return g.name == figure.group && g.count > 1 &&
             !rdma_compute_ports(cluster, static_cast<int>(&g - cluster.nodes.data())).empty();
    });
  }
  if (metric->validator == "nvlink")
    return std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                       [&](const NodeGroupModel& g) { return g.name == figure.group && has_nvlink_pairs(g.server); });
  if (metric->validator == "nccl") {
    const auto group = std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                                    [&](const NodeGroupModel& g) { return g.name == figure.group; });
    return group != cluster.nodes.end() &&
           (figure.scope != "whole" || collective_unit(cluster, *group).network.value > 0);
  }
  // A file system is measured where nodes mount it; the parts of its sum are "GROUP/SYSTEM".
  if (metric->validator == "storage") {
    for (std::size_t i = 0; i < cluster.storage.size(); ++i)
      if (cluster.storage[i].name == figure.group) return !groups_that_mount(cluster, static_cast<int>(i)).empty();
    return figure.group.find('/') != std::string::npos;
  }
  return true;
}

// Whether the test that brought a verdict measures in this scope.
bool scope_of(const std::vector<SuiteTest>& suite, const std::string& test, const std::string& scope) {
  const auto at = std::find_if(suite.begin(), suite.end(), [&](const SuiteTest& t) { return t.id == test; });
  return at == suite.end() || at->scope.empty() || at->scope == scope;
}

// Teams are made of nodes that follow each other: one whose nodes are not all there is left out, or all behind it would
// be other teams than planned.
void leave_out_broken_teams(const SuiteTest& test, std::vector<std::string>& usable, std::vector<std::string>& gone) {
  const std::set<std::string> lost(gone.begin(), gone.end());
  usable.clear();
  gone.clear();
  for (std::size_t first = 0; first < test.nodes.size(); first += static_cast<std::size_t>(test.team_nodes)) {
    const auto begin = test.nodes.begin() + static_cast<std::ptrdiff_t>(first),
               end = test.nodes.begin() + static_cast<std::ptrdiff_t>(std::min(
                                              test.nodes.size(), first + static_cast<std::size_t>(test.team_nodes)));
    auto& to = std::any_of(begin, end, [&](const std::string& n) { return lost.contains(n); }) ? gone : usable;
    to.insert(to.end(), begin, end);
  }
}

bool is_interrupted(const ValidateOptions& options) { return options.interrupted && options.interrupted->load(); }

// A verdict for every figure that a test was to bring from a node, all with one reason.
void verdict_for_all(std::vector<Judged>& out, const SuiteTest& test, const std::string& node, Verdict verdict,
                     const std::string& reason) {
  if (test.metrics.empty())
    out.push_back({.test = test.id, .metric = test.validator, .node = node, .verdict = verdict, .reason = reason});
  for (const std::string& metric : test.metrics)
    out.push_back({.test = test.id, .metric = metric, .node = node, .verdict = verdict, .reason = reason});
}

// Checked, right and whole: what is not decides whatever its speed, size and type.
bool is_good(const MeasurementRecord& m) {
  return m.data_verified && m.wrong == 0 && m.checked > 0 && m.damaged.empty();
}

// The one figure of a metric that is judged where a validator measured many sizes: a rate at the largest size, a time
// at the smallest (the latency point); never the best, and never an average over sizes. In place and out of place are
// apart. Collectives are judged in float32, as published figures are. The size stands beside the figure; all of them
// stay in the journal.
std::vector<const MeasurementRecord*> plateau(const std::vector<MeasurementRecord>& all) {
  using Key = std::tuple<std::string, std::string, std::string, int>;  // metric, team, device, placement
  std::map<Key, const MeasurementRecord*> best;
  std::vector<Key> order;
  for (const MeasurementRecord& m : all) {
    if (!m.type.empty() && m.type != "float32" && is_good(m)) continue;
    const Key key{m.metric, m.team, m.device, m.in_place ? *m.in_place : -1};
    const auto [at, fresh] = best.try_emplace(key, &m);
    if (fresh)
      order.push_back(key);
    else if (is_good(*at->second) != is_good(m))
      at->second = is_good(m) ? at->second : &m;
    else if (m.lower_is_better && m.size > 0 ? m.size < at->second->size : m.size > at->second->size)
      at->second = &m;
  }
  std::vector<const MeasurementRecord*> out;
  for (const auto& key : order) out.push_back(best[key]);
  return out;
}

// What is expected with a message of this size, where that is less than the plateau that published figures are of. What
// the spec says stands.
ExpectedFigure at_size(const Cluster& cluster, ExpectedFigure f, std::int64_t size) {
  constexpr double kPlateau =
      8.0 * (1ull << 30);  // from there on the curves of targets/collectives are flat, or all but flat
  if (collective_of(f.test).empty() || f.floor_by_user || (!f.floor.value && !f.typical.value)) return f;
  const std::optional<double> share = share_of_plateau(cluster, f, Bytes(static_cast<double>(size)));
  if (share && *share >= 1) return f;
  if (!share) {
    if (static_cast<double>(size) >= kPlateau) return f;
    f.missing = format("published figures are of 8 GiB and more, this message had {}: set a floor in targets",
                       to_text(Bytes(static_cast<double>(size))));
    f.floor = f.typical = f.best = {};
    return f;
  }
  for (Figure* figure : {&f.floor, &f.typical, &f.best}) {
    if (!figure->value) continue;
    *figure->value *= *share;
    figure->derivation +=
        format(", x {:.3g}: the share of the plateau that {} reach", *share, to_text(Bytes(static_cast<double>(size))));
  }
  return f;
}

// The name in the spec of the node that a team of one node calls by its host's name; other teams have the names that
// they gave.
std::string name_of_team(const std::string& team, const SuiteTest& test, const std::vector<std::string>& nodes) {
  if (test.team_nodes != 1) return team;
  if (nodes.size() == 1) return nodes.front();
  const std::string host = team.substr(0, team.find('.'));
  for (const std::string& name : {team, host})
    if (std::find(nodes.begin(), nodes.end(), name) != nodes.end()) return name;
  return team;
}

// `of`: whose figures are expected: a group, or a group and a storage system. `nodes`: on which it ran.
void judge_records(const Cluster& cluster, const ExpectedFigures& expected, const SuiteTest& test,
                   const std::string& of, const ResultRecords& records, const TaskOutput& task, const std::string& node,
                   const std::vector<std::string>& nodes, Report& report) {
  if (records.probe) report.probes.push_back({node, *records.probe});
  std::set<std::string> brought, teams;
  for (const MeasurementRecord* m : plateau(records.measurements)) {
    // What was not asked for (algbw, which says the same as busbw) stays in the journal, unless its data is wrong.
    if (is_good(*m) && std::find(test.metrics.begin(), test.metrics.end(), m->metric) == test.metrics.end()) continue;
    const ExpectedFigure* figure = figure_in_scope(expected, m->metric, of, test.scope);
    const std::optional<ExpectedFigure> sized =
        figure ? std::optional(at_size(cluster, *figure, m->size)) : std::nullopt;
    Judged judged = judge(*m, sized ? &*sized : nullptr);
    if (m->in_place) judged.device += *m->in_place ? ", in place" : ", out of place";
    // Ranks that share a core wait for each other's turn: no figure of theirs means anything.
    if (m->oversubscribed && judged.verdict != Verdict::fail && judged.verdict != Verdict::error) {
      judged.verdict = Verdict::error;
      judged.reason = "ranks shared a core: the figure says nothing of the network";
    }
    judged.test = test.id;
    judged.node = m->team.empty() ? node : name_of_team(m->team, test, nodes);
    brought.insert(m->metric);
    if (!m->team.empty()) teams.insert(judged.node);
    report.verdicts.push_back(std::move(judged));
  }
  if (!records.done) {
    constexpr std::size_t kSaid = 400;  // characters of what may be pages
    std::string why = records.error;
    if (records.unexplained && !task.complaints.empty())
      why += "; on standard error: " + join(task.complaints, "; ").substr(0, kSaid);
    SuiteTest rest = test;
    std::erase_if(rest.metrics, [&](const std::string& m) { return brought.contains(m); });
    const Verdict verdict = records.not_applicable ? Verdict::skipped : Verdict::error;
    if (!rest.metrics.empty() || test.metrics.empty())
      verdict_for_all(report.verdicts, rest, node, verdict, why);
    else
      report.verdicts.push_back(
          {.test = test.id, .metric = test.validator, .node = node, .verdict = Verdict::error, .reason = why});
    return;
  }
  if (test.validator == "probe") {
    report.verdicts.push_back({.test = test.id,
                               .metric = "probe",
                               .node = node,
                               .verdict = records.probe ? Verdict::pass : Verdict::error,
                               .reason = records.probe ? "" : "the probe printed nothing about the machine",
                               .data_verified = records.probe.has_value()});
    // Fewer GPUs than planned is a finding of its own; those that are there are measured all the same.
    if (records.probe && test.gpus_per_node > 0 && records.gpus != test.gpus_per_node) {
      std::string reason = records.gpus == 0
                               ? format("no GPU: the spec has {} in this node", test.gpus_per_node)
                               : format("{} GPUs: the spec has {} in this node", records.gpus, test.gpus_per_node);
      if (records.gpus == 0 && !records.no_gpus.empty()) reason += " (" + records.no_gpus + ")";
      report.verdicts.push_back({.test = test.id,
                                 .metric = "gpus",
                                 .node = node,
                                 .verdict = records.gpus == 0 ? Verdict::error : Verdict::fail,
                                 .reason = std::move(reason)});
    }
    return;
  }
  if (const std::int64_t size = test.team_nodes; size > 0 && !brought.empty()) {
    const std::size_t all = (nodes.size() + static_cast<std::size_t>(size) - 1) / static_cast<std::size_t>(size);
    if (teams.size() != all)
      report.verdicts.push_back({.test = test.id,
                                 .metric = test.metrics.front(),
                                 .node = node,
                                 .verdict = Verdict::error,
                                 .reason = format("{} of {} teams brought a figure", teams.size(), all)});
  }
  for (const std::string& metric : test.metrics)
    if (!brought.contains(metric)) {
      const ExpectedFigure* figure = figure_in_scope(expected, metric, of, test.scope);
      // A format that the chip or the library does not have is nothing that failed, unless the spec demands it.
      const bool demanded = figure && figure->floor_by_user;
      report.verdicts.push_back({.test = test.id,
                                 .metric = metric,
                                 .node = node,
                                 .verdict = demanded ? Verdict::error : Verdict::skipped,
                                 .reason = "the validator does not measure it on this machine"});
    }
}

// What contradicts itself passes nothing: its figures are kept where they are known to be bad, and are no figures
// otherwise.
void judge_task(const Cluster& cluster, const ExpectedFigures& expected, const SuiteTest& test, const std::string& of,
                const TaskOutput& task, const std::string& node, const std::vector<std::string>& nodes,
                Report& report) {
  const ResultRecords records = read_records(task.lines);
  const std::size_t first = report.verdicts.size(), inventories = report.probes.size();
  judge_records(cluster, expected, test, of, records, task, node, nodes, report);
  const auto found = contradiction_of(records, test, node, nodes);
  if (!found) return;
  report.probes.resize(inventories);
  for (std::size_t i = first; i < report.verdicts.size(); ++i) {
    Judged& judged = report.verdicts[i];
    if (judged.verdict == Verdict::fail || (judged.verdict == Verdict::error && found->verdict != Verdict::fail))
      continue;
    judged.verdict = found->verdict;
    judged.reason = found->reason;
    judged.data_verified = false;
    judged.value.reset();
  }
}

// What all nodes get of a storage system together: the sum of what each got beside the others.
void judge_sum(const ExpectedFigures& expected, const SuiteTest& test, const std::vector<std::string>& nodes,
               std::size_t first, Report& report) {
  for (const char* metric : {"storage.read", "storage.write"}) {
    const ExpectedFigure* figure = expected.find(metric, test.system);
    std::vector<const Judged*> parts;
    for (std::size_t i = first; i < report.verdicts.size(); ++i)
      if (report.verdicts[i].metric == metric && report.verdicts[i].value) parts.push_back(&report.verdicts[i]);
    MeasurementRecord sum{.metric = metric, .unit = "B/s", .device = "all together", .data_verified = true};
    Judged judged;
    if (parts.size() < test.nodes.size()) {
      judged = {.metric = metric,
                .device = sum.device,
                .verdict = Verdict::error,
                .reason = format("{} of {} nodes brought a figure", parts.size(), test.nodes.size())};
    } else {
      for (const Judged* part : parts) {
        sum.value += *part->value;
        sum.size += part->size;
        sum.data_verified = sum.data_verified && part->data_verified;
        sum.busy = sum.busy || part->busy;
        sum.page_cache = sum.page_cache || part->page_cache;
      }
      sum.checked = 1;
      sum.wrong = sum.data_verified ? 0 : 1;
      judged = judge(sum, figure);
      if (!sum.data_verified) judged.reason = "the data of a node is wrong";
    }
    judged.test = test.id;
    judged.node = fold_names(nodes);
    judged.demanded = figure && figure->demanded;
    report.verdicts.push_back(std::move(judged));
  }
}

void judge_test(const Cluster& cluster, const ExpectedFigures& expected, const SuiteTest& test, const JournalTest& ran,
                const std::vector<std::string>& nodes, Report& report) {
  if (test.mpi) {
    const std::string where = fold_names(nodes);
    if (ran.tasks.empty())
      return verdict_for_all(report.verdicts, test, where, Verdict::error,
                             ran.error.empty() ? "printed nothing" : ran.error);
    if (ran.tasks.size() > 1)
      return verdict_for_all(report.verdicts, test, where, Verdict::error,
                             format("contradictory: {} results of one job", ran.tasks.size()));
    const TaskOutput& world = ran.tasks.front();
    if (!world.broken.empty())
      return verdict_for_all(report.verdicts, test, where, Verdict::error, "ended: " + world.broken);
    if (!world.claims.empty() && std::find(nodes.begin(), nodes.end(), world.claims) == nodes.end())
      return verdict_for_all(
          report.verdicts, test, where, Verdict::error,
          format("contradictory: a rank ran on '{}', which was not asked for", printable(world.claims)));
    judge_task(cluster, expected, test, test.group, ran.tasks.front(), where, nodes, report);
    return;
  }
  const std::size_t first = report.verdicts.size();
  for (const std::string& node : nodes) {
    std::string of = test.group;
    if (!test.system.empty()) {
      const auto group = std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                                      [&](const NodeGroupModel& g) { return g.names.index_of(node) >= 0; });
      of = (group == cluster.nodes.end() ? "" : group->name) + "/" + test.system;
    }
    // The launcher knows on which node it started a task. A second result that calls itself this node's is as bad as a
    // second one that came from it: one of both is another node's.
    const auto of_node = [&](const TaskOutput& t) { return t.node == node; };
    const auto task = std::find_if(ran.tasks.begin(), ran.tasks.end(), of_node);
    const auto results = std::count_if(ran.tasks.begin(), ran.tasks.end(),
                                       [&](const TaskOutput& t) { return of_node(t) || t.claims == node; });
    const auto error = [&](std::string why) {
      verdict_for_all(report.verdicts, test, node, Verdict::error, std::move(why));
    };
    if (task != ran.tasks.end() && !task->claims.empty() && task->claims != node)
      error(format("contradictory: the result of this node calls itself one of '{}'", printable(task->claims)));
    else if (results > 1)
      error(format("contradictory: {} results of this node", results));
    else if (task == ran.tasks.end())
      error(ran.error.empty() ? "nothing came from this node" : ran.error);
    else if (!task->broken.empty())
      error("ended: " + task->broken);
    else
      judge_task(cluster, expected, test, of, *task, node, nodes, report);
  }
  for (const TaskOutput& task : ran.tasks)
    if (std::find(nodes.begin(), nodes.end(), task.node) == nodes.end())
      verdict_for_all(report.verdicts, test, task.node.empty() ? "unknown" : printable(task.node), Verdict::error,
                      "contradictory: a result of a node on which nothing was started");
  if (!test.system.empty()) judge_sum(expected, test, nodes, first, report);
}

}  // namespace

Report run_suite(const Cluster& cluster, const ExpectedFigures& expected, const std::vector<SuiteTest>& suite,
                 const Launcher& launcher, const ValidateOptions& options) {
  Report report;
  report.cluster = *cluster.spec.name;
  report.launcher = launcher.id();
  report.journal = options.journal;
  report.program_version = options.program_version;
  report.bundle_digest = options.bundle_digest;
  const auto now = [&] { return options.clock ? options.clock() : std::int64_t{0}; };
  report.started = now();
  if (!launcher.available(report.error)) return report;
  std::optional<Journal> journal;
  if (!options.journal.empty()) {
    journal = Journal::open(
        options.journal,
        {report.cluster, options.spec_digest, report.launcher, options.program_version, options.bundle_digest},
        report.started, options.fresh, report.error);
    if (!journal) return report;
    report.journal_started = journal->started();
    report.journal_refused = journal->refused();
    if (!report.journal_refused.empty() && options.progress)
      options.progress(
          format("the journal '{}' has a run that did not end and does not count: {}; every test runs anew",
                 printable(options.journal), report.journal_refused));
  }
  std::set<std::string> shut;  // nodes whose inventory stage did not come through: gate for the rest
  std::map<std::string, NodeState> states;
  std::size_t number = 0;
  for (const SuiteTest& test : suite) {
    ++number;
    if (is_interrupted(options)) {
      report.interrupted = true;
      break;
    }
    if (!test.skip.empty()) {
      verdict_for_all(report.verdicts, test, fold_names(test.nodes), Verdict::skipped, test.skip);
      continue;
    }
    std::vector<std::string> unknown, usable, gone;
    for (const std::string& node : test.nodes)
      if (!states.contains(node)) unknown.push_back(node);
    if (!unknown.empty()) {
      const std::vector<NodeState> fresh = launcher.states(unknown);
      for (std::size_t i = 0; i < unknown.size(); ++i) states.emplace(unknown[i], fresh[i]);
    }
    for (const std::string& node : test.nodes)
      (states.at(node).usable && !shut.contains(node) ? usable : gone).push_back(node);
    if (test.team_nodes > 1) leave_out_broken_teams(test, usable, gone);
    for (const std::string& node : gone)
      if (!test.mpi || test.team_nodes > 0)
        verdict_for_all(report.verdicts, test, node, Verdict::error,
                        !states.at(node).usable ? "did not run: " + states.at(node).why
                        : shut.contains(node)   ? "did not run: its inventory stage did not come through"
                                                : "did not run: another node of its team cannot be used");
    if (usable.empty()) {
      if (test.mpi && test.team_nodes == 0)
        verdict_for_all(report.verdicts, test, fold_names(test.nodes), Verdict::error,
                        "did not run: no node can be used");
      continue;
    }

    JournalTest ran{test.id, join(test.arguments, " ") + " on " + fold_names(usable), "", {}, 0};
    const JournalTest* earlier = nullptr;
    if (journal)
      for (const JournalTest& done : journal->done())
        if (done.id == test.id && done.how == ran.how && done.error.empty() &&
            std::none_of(done.tasks.begin(), done.tasks.end(), [](const TaskOutput& t) { return !t.broken.empty(); }))
          earlier = &done;
    const std::string title = format("[{}/{}] {} on {}", number, suite.size(), test.id, fold_names(usable));
    if (earlier) {
      ran = *earlier;
      ++report.resumed;
      if (options.progress)
        options.progress(format("{}: taken from the journal: it ended at {}, {} ago", title, utc_text(earlier->ended),
                                age_text(report.started - earlier->ended)));
    } else {
      if (options.progress) options.progress(title);
      Launch launch{.argv = {options.bundle + "/clusterc-" + test.validator},
                    .nodes = usable,
                    .ranks_per_node = test.ranks_per_node,
                    .gpus_per_node = test.gpus_per_node * test.gpu_instances,
                    .mpi = test.mpi,
                    .timeout = test.timeout,
                    .interrupted = options.interrupted};
      launch.argv.insert(launch.argv.end(), test.arguments.begin(), test.arguments.end());
      const LaunchResult result = launcher.run(launch);
      ran.tasks = result.tasks;
      ran.ended = now();
      ran.error = result.error;
      if (ran.error.empty() && result.tasks.empty())
        ran.error = result.messages.empty() ? "nothing was printed" : printable(result.messages.substr(0, 500));
      if (result.interrupted || is_interrupted(options)) {
        report.interrupted = true;
        break;  // not journalled: the next run does it again
      }
      if (journal && !journal->write(ran)) {
        report.error = "the journal cannot be written";
        return report;
      }
    }
    const std::size_t before = report.verdicts.size();
    judge_test(cluster, expected, test, ran, usable, report);
    if (earlier)
      for (std::size_t i = before; i < report.verdicts.size(); ++i) report.verdicts[i].from_journal = earlier->ended;
    if (test.mpi && test.team_nodes == 0 && !gone.empty()) {
      // It ran, but not on what was asked for: the figure is kept, the verdict is not a pass.
      std::vector<std::string> reasons;
      for (const std::string& node : gone)
        reasons.push_back(node + " " +
                          (states.at(node).usable ? "failed its inventory stage" : "is " + states.at(node).why));
      std::string why = format("ran on {} of {} nodes: {}", usable.size(), test.nodes.size(), reasons.front());
      if (reasons.size() > 1) why += format(" and {} more", reasons.size() - 1);
      for (std::size_t i = before; i < report.verdicts.size(); ++i)
        if (report.verdicts[i].verdict != Verdict::fail) {
          report.verdicts[i].verdict = Verdict::error;
          report.verdicts[i].reason = why;
        }
    }
    if (test.stage == SuiteStage::inventory)
      for (std::size_t i = before; i < report.verdicts.size(); ++i)
        if (report.verdicts[i].verdict != Verdict::pass && report.verdicts[i].metric == "probe")
          shut.insert(report.verdicts[i].node);
  }
  for (const ExpectedFigure& figure : expected.figures) {
    const bool brought = std::any_of(suite.begin(), suite.end(), [&](const SuiteTest& t) {
      return (t.system.empty() ? t.group : t.system) == figure.group && (t.scope.empty() || t.scope == figure.scope) &&
             std::find(t.metrics.begin(), t.metrics.end(), figure.test) != t.metrics.end();
    });
    // What is expected of this hardware and no validator of this release measures: it was not shown, and is said.
    if (!brought && !has_validator(cluster, figure) && !report.interrupted)
      report.verdicts.push_back({.test = "none",
                                 .metric = figure.test,
                                 .node = figure.group + (figure.scope.empty() ? "" : " (" + figure.scope + ")"),
                                 .verdict = Verdict::skipped,
                                 .reason = !figure.skip.empty() ? figure.skip
                                           : !collective_of(figure.test).empty() && !figure.missing.empty()
                                               ? figure.missing
                                               : "this release has no validator for it",
                                 .dimension = figure.dimension,
                                 .ceiling = figure.ceiling.value,
                                 .typical = figure.typical.value,
                                 .floor = figure.floor.value,
                                 .demanded = figure.demanded});
    else
      for (Judged& j : report.verdicts)
        if (j.metric == figure.test && figure.demanded && figure.scope != "storage" &&
            scope_of(suite, j.test, figure.scope))
          j.demanded = true;  // of storage the sum is demanded
  }
  if (options.deliver && !options.deliver(report)) return report;
  if (journal && !report.interrupted && !journal->complete()) report.error = "the journal cannot be written";
  return report;
}

}  // namespace clusterc
