#include "validate/verdicts.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/stacks.h"
#include "base/text.h"
#include "model/storage_path.h"
#include "targets/collective_figures.h"
#include "targets/collectives.h"
#include "targets/linpack_model.h"
#include "targets/metrics.h"
#include "validate/consistency.h"
#include "validate/hpl_output.h"
#include "validate/selection.h"
#include "validate/vendor_hpl.h"

namespace clusterc {
namespace {

// A verdict on a figure that there is not. Its unit and its direction are the metric's all the same: an earlier figure
// stands beside it.
Judged without_figure(const SuiteTest& test, const std::string& metric, const std::string& node, Verdict verdict,
                      std::string reason) {
  Judged out{.test = test.id, .metric = metric, .node = node, .verdict = verdict, .reason = std::move(reason)};
  if (const Metric* known = find_metric(metric)) {
    out.dimension = known->unit;
    out.lower_is_better = known->lower_is_better();
  }
  return out;
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
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, int>;  // metric, team, device, placement
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

// What is expected with a message of this size, where that is less than the plateau that published figures are of;
// otherwise nothing: it is what is expected anyhow. What the spec says stands.
std::optional<ExpectedFigure> at_size(const Cluster& cluster, const ExpectedFigure& whole, std::int64_t size) {
  constexpr double kPlateau =
      8.0 * (1ull << 30);  // from there on the curves of targets/collectives are flat, or all but flat
  if (whole.floor_by_user || (!whole.floor.value && !whole.typical.value) || collective_of(whole.test).empty())
    return {};
  const std::optional<double> share = share_of_plateau(cluster, whole, Bytes(static_cast<double>(size)));
  if (share && *share >= 1) return {};
  if (!share && static_cast<double>(size) >= kPlateau) return {};
  ExpectedFigure f = whole;
  if (!share) {
    f.missing = format("published figures are for 8 GiB and more, this message had {}: set a floor in targets",
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

// What is expected of clusterc-hpl on GPUs: the ceiling, and the spec's own floor. Published figures are of the
// vendors' programs.
ExpectedFigure of_our_linpack(const NodeGroupModel& group, const ExpectedFigure& figure) {
  ExpectedFigure f = figure;
  f.typical = f.best = {};
  if (!f.floor_by_user) f.floor = {};
  f.missing = why_linpack_unjudged(group);
  return f;
}

// What is expected of a whole group, where a part of its nodes ran: of LINPACK their share. In an all-to-all of fewer
// nodes more stays inside each of them, so that the figure of all neither limits nor demands. Nothing: it is the same.
std::optional<ExpectedFigure> of_part(const NodeGroupModel& group, const ExpectedFigure& whole, std::size_t nodes) {
  const bool linpack = whole.test == "hpl.score",
             exchange = whole.test == "nccl.all_to_all.busbw" && whole.scope == "whole";
  if ((!linpack && !exchange) || static_cast<std::int64_t>(nodes) >= group.count) return std::nullopt;
  ExpectedFigure f = whole;
  if (exchange) {
    f.ceiling = f.typical = f.best = {};
    if (!f.floor_by_user) f.floor = {};
    f.missing = format("it is expected of {} nodes, and {} ran", group.count, nodes);
    return f;
  }
  for (Figure* figure : {&f.ceiling, &f.typical, &f.floor, &f.best}) {
    if (!figure->value) continue;
    *figure->value *= static_cast<double>(nodes) / static_cast<double>(group.count);
    figure->derivation += format(", of which {} of {} nodes ran", nodes, group.count);
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

// Adds the verdicts of one test. `of`: whose figures are expected: a group, or a group and a storage system.
class TestJudge {
 public:
  TestJudge(const Cluster& cluster, const ExpectedFigures& expected, const SuiteTest& test,
            const std::vector<std::string>& nodes, Report& report)
      : cluster_(cluster), expected_(expected), test_(test), nodes_(nodes), report_(report) {}

  void judge_world(const JournalTest& ran);  // the one result of an MPI world
  void judge_nodes(JournalTest& ran);        // a result of each node

 private:
  struct Brought {
    std::set<std::string> metrics;
    std::map<std::string, std::set<std::string>> teams;  // by metric
  };

  void judge_task(const std::string& of, const TaskOutput& task, const std::string& where);
  const ExpectedFigure* figure_of(const std::string& metric, const std::string& of);
  const NodeGroupModel* group_of_test() const;  // null: it is of several
  void judge_records(const std::string& of, const TaskOutput& task, const ResultRecords& records,
                     const std::string& where);
  Brought judge_measurements(const std::string& of, const ResultRecords& records, const std::string& where);
  void judge_unfinished(const Brought& brought, const TaskOutput& task, const ResultRecords& records,
                        const std::string& where);
  void judge_probe(const ResultRecords& records, const std::string& where);
  void judge_teams(const Brought& brought, const std::string& where);
  void judge_missing(const Brought& brought, const std::string& of, const std::string& where);
  void judge_devices(const ResultRecords& records, const std::string& where);
  void judge_ports(const ResultRecords& records, const std::string& where);
  struct Results {  // that came from a node, or that call themselves this node's
    TaskOutput* first = nullptr;
    std::size_t count = 0;
  };
  void judge_node(const JournalTest& ran, const std::string& node, const Results& results);
  void judge_sum(std::size_t first);
  std::size_t nodes_that_mount() const;  // the storage system of the test
  std::string expected_of(const std::string& node) const;
  void error(const std::string& where, const std::string& reason) {
    verdict_for_all(report_.verdicts, test_, where, Verdict::error, reason);
  }

  const Cluster& cluster_;
  const ExpectedFigures& expected_;
  const SuiteTest& test_;
  const std::vector<std::string>& nodes_;  // on which it ran
  Report& report_;
  std::string figures_of_;
  std::unordered_map<std::string, const ExpectedFigure*> figures_;
  SharedText id_{test_.id};
  SharedTexts texts_;  // of the verdicts
};

// All figures of a test are of a few metrics and, but for storage, of one group.
const ExpectedFigure* TestJudge::figure_of(const std::string& metric, const std::string& of) {
  if (of != figures_of_) figures_.clear(), figures_of_ = of;
  const auto at = figures_.find(metric);
  if (at != figures_.end()) return at->second;
  return figures_.emplace(metric, figure_in_scope(expected_, metric, of, test_.scope)).first->second;
}

const NodeGroupModel* TestJudge::group_of_test() const {
  const int group = cluster_.find_node_group(test_.group);
  return group < 0 ? nullptr : &cluster_.nodes[static_cast<std::size_t>(group)];
}

TestJudge::Brought TestJudge::judge_measurements(const std::string& of, const ResultRecords& records,
                                                 const std::string& where) {
  Brought brought;
  const SharedText here = texts_(where);
  for (const MeasurementRecord* m : plateau(records.measurements)) {
    // What was not asked for (algbw, which says the same as busbw) stays in the journal, unless its data is wrong.
    if (is_good(*m) && std::find(test_.metrics.begin(), test_.metrics.end(), m->metric) == test_.metrics.end())
      continue;
    const ExpectedFigure* const figure = figure_of(m->metric, of);
    const NodeGroupModel* const group = figure ? group_of_test() : nullptr;
    std::optional<ExpectedFigure> fitted = group ? of_part(*group, *figure, nodes_.size()) : std::nullopt;
    if (figure && !fitted) fitted = at_size(cluster_, *figure, m->size);
    const bool our_linpack = group && m->metric == "hpl.score" && !test_.vendor && test_.gpus_per_node > 0;
    const std::optional<ExpectedFigure> ours =
        our_linpack ? std::optional(of_our_linpack(*group, fitted ? *fitted : *figure)) : std::nullopt;
    const ExpectedFigure* const against = ours ? &*ours : fitted ? &*fitted : figure;
    Judged judged = judge(*m, against);
    // What reaches the spec's floor has passed, whatever the program; what does not says nothing of the hardware.
    if (ours && judged.data_verified && (judged.verdict == Verdict::fail || judged.verdict == Verdict::degraded)) {
      judged.verdict = Verdict::unjudged;
      judged.reason = judged.reason + "; " + ours->missing;
    }
    if (against) judged.derivation = report_.place_of(against->ceiling.derivation);
    if (m->in_place) judged.device = judged.device + (*m->in_place ? ", in place" : ", out of place");
    // Ranks that share a core wait for each other's turn: no figure of theirs means anything.
    if (m->oversubscribed && judged.verdict != Verdict::fail && judged.verdict != Verdict::error) {
      judged.verdict = Verdict::error;
      judged.reason = "ranks shared a core: the figure is not one of the network";
    }
    judged.test = id_;
    judged.node = m->team.empty() ? here : texts_(name_of_team(m->team, test_, nodes_));
    brought.metrics.insert(m->metric);
    if (!m->team.empty()) brought.teams[m->metric].insert(judged.node);
    for (SharedText* text : {&judged.metric, &judged.device}) *text = texts_(*text);
    // What was not judged has the same reason everywhere; other reasons have figures.
    if (judged.verdict == Verdict::unjudged || judged.verdict == Verdict::skipped)
      judged.reason = texts_(judged.reason);
    report_.verdicts.push_back(std::move(judged));
  }
  return brought;
}

// A result without its last record: why it ended, for each figure that it did not bring.
void TestJudge::judge_unfinished(const Brought& brought, const TaskOutput& task, const ResultRecords& records,
                                 const std::string& where) {
  constexpr std::size_t kSaid = 400;  // characters of what may be pages
  std::string why = records.error;
  if (records.unexplained && !task.complaints.empty())
    why += "; on standard error: " + join(task.complaints, "; ").substr(0, kSaid);
  SuiteTest rest = test_;
  std::erase_if(rest.metrics, [&](const std::string& m) { return brought.metrics.contains(m); });
  const Verdict verdict = records.not_applicable ? Verdict::skipped : Verdict::error;
  if (!rest.metrics.empty() || test_.metrics.empty())
    verdict_for_all(report_.verdicts, rest, where, verdict, why);
  else
    report_.verdicts.push_back(
        {.test = test_.id, .metric = test_.validator, .node = where, .verdict = Verdict::error, .reason = why});
}

void TestJudge::judge_probe(const ResultRecords& records, const std::string& where) {
  report_.verdicts.push_back({.test = test_.id,
                              .metric = "probe",
                              .node = where,
                              .verdict = records.probe ? Verdict::pass : Verdict::error,
                              .reason = records.probe ? "" : "the probe printed nothing about the machine",
                              .data_verified = records.probe.has_value()});
  // Fewer GPUs than planned is a finding of its own; those that are there are measured all the same.
  if (records.probe && test_.gpus_per_node > 0 && records.gpus != test_.gpus_per_node) {
    std::string reason = records.gpus == 0
                             ? format("no GPU: the spec has {} in this node", test_.gpus_per_node)
                             : format("{} GPUs: the spec has {} in this node", records.gpus, test_.gpus_per_node);
    if (records.gpus == 0 && !records.no_gpus.empty()) reason += " (" + records.no_gpus + ")";
    report_.verdicts.push_back({.test = test_.id,
                                .metric = "gpus",
                                .node = where,
                                .verdict = records.gpus == 0 ? Verdict::error : Verdict::fail,
                                .reason = std::move(reason)});
  }
}

void TestJudge::judge_teams(const Brought& brought, const std::string& where) {
  const std::int64_t size = test_.team_nodes;
  if (!test_.mpi || size <= 0 || brought.metrics.empty()) return;  // pairs of ports have a result for each node
  const std::size_t all = (nodes_.size() + static_cast<std::size_t>(size) - 1) / static_cast<std::size_t>(size);
  for (const std::string& metric : test_.metrics) {
    const auto teams = brought.teams.find(metric);
    const std::size_t count = teams == brought.teams.end() ? 0 : teams->second.size();
    if (brought.metrics.contains(metric) && count != all)
      report_.verdicts.push_back(
          without_figure(test_, metric, where, Verdict::error, format("{} of {} teams returned a figure", count, all)));
  }
}

void TestJudge::judge_missing(const Brought& brought, const std::string& of, const std::string& where) {
  for (const std::string& metric : test_.metrics)
    if (!brought.metrics.contains(metric)) {
      const ExpectedFigure* figure = figure_in_scope(expected_, metric, of, test_.scope);
      // A format that the chip or the library does not have is nothing that failed, unless the spec demands it.
      const bool demanded = figure && figure->floor_by_user;
      report_.verdicts.push_back(without_figure(test_, metric, where, demanded ? Verdict::error : Verdict::skipped,
                                                "the validator does not measure it on this machine"));
    }
}

// What each GPU of a node was to bring, and some did not: those that did say nothing of the others.
void TestJudge::judge_devices(const ResultRecords& records, const std::string& where) {
  if (test_.mpi || test_.gpus_per_node < 2 || test_.gpu_instances > 1) return;
  for (const std::string& name : test_.metrics) {
    const Metric* metric = find_metric(name);
    // Links are counted of all GPUs at once, and told of each.
    if (!metric || (metric->gpus != GpuShare::each && metric->judged != JudgedBy::link)) continue;
    std::set<std::string> seen;
    for (const MeasurementRecord& m : records.measurements)
      if (m.metric == name && m.device.starts_with("gpu") && m.device.find('-') == std::string::npos)
        seen.insert(m.device);
    if (const auto count = static_cast<std::int64_t>(seen.size()); count > 0 && count < test_.gpus_per_node)
      report_.verdicts.push_back(without_figure(test_, name, where, Verdict::error,
                                                format("figures of {} of {} GPUs came", count, test_.gpus_per_node)));
  }
}

// A port that is down on both hosts of a pair is missed by neither: each port, and with GPUDirect each GPU, has to
// bring a figure. What is measured both ways at once is told by one of the two hosts.
void TestJudge::judge_ports(const ResultRecords& records, const std::string& where) {
  if (test_.ports == 0) return;
  const auto gpus = static_cast<std::size_t>(test_.gpus_per_node), ports = static_cast<std::size_t>(test_.ports);
  for (const std::string& metric : test_.metrics) {
    std::set<std::string> pairs, links;
    for (const MeasurementRecord& m : records.measurements) {
      if (m.metric != metric || !m.device.starts_with("link")) continue;
      pairs.insert(m.device);
      links.insert(m.device.substr(0, m.device.find('-')));
    }
    if (links.empty()) continue;  // judge_missing() has said it
    std::string why;
    if (links.size() < ports)
      why = format("figures of {} of {} ports came", links.size(), ports);
    else if (pairs.size() < gpus)
      why = format("figures of {} of {} GPUs came", pairs.size(), gpus);
    if (!why.empty()) report_.verdicts.push_back(without_figure(test_, metric, where, Verdict::error, why));
  }
}

void TestJudge::judge_records(const std::string& of, const TaskOutput& task, const ResultRecords& records,
                              const std::string& where) {
  if (records.probe) report_.probes.push_back({where, *records.probe});
  const Brought brought = judge_measurements(of, records, where);
  if (!records.done) return judge_unfinished(brought, task, records, where);
  if (test_.validator == "probe") return judge_probe(records, where);
  judge_teams(brought, where);
  judge_missing(brought, of, where);
  judge_devices(records, where);
  judge_ports(records, where);
}

// What contradicts itself passes nothing: its figures are kept where they are known to be bad, and are no figures
// otherwise.
void TestJudge::judge_task(const std::string& of, const TaskOutput& task, const std::string& where) {
  const ResultRecords records =
      test_.vendor ? read_hpl_output(task.lines, vendor_input(test_, nodes_.size()), test_.vendor->program)
                   : read_records(task.lines);
  if (!records.stacks.empty()) report_.stacks.push_back({test_.id, where, records.stacks});
  const std::size_t first = report_.verdicts.size(), inventories = report_.probes.size();
  judge_records(of, task, records, where);
  const auto found = contradiction_of(records, test_, where, nodes_);
  if (!found) return;
  report_.probes.resize(inventories);
  for (std::size_t i = first; i < report_.verdicts.size(); ++i) {
    Judged& judged = report_.verdicts[i];
    if (judged.verdict == Verdict::fail || (judged.verdict == Verdict::error && found->verdict != Verdict::fail))
      continue;
    judged.verdict = found->verdict;
    judged.reason = found->reason;
    judged.data_verified = false;
    judged.value.reset();
  }
}

std::size_t TestJudge::nodes_that_mount() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < cluster_.storage.size(); ++i)
    if (cluster_.storage[i].name == test_.system)
      for (const int group : groups_that_mount(cluster_, static_cast<int>(i)))
        out += static_cast<std::size_t>(cluster_.nodes[static_cast<std::size_t>(group)].count);
  return out;
}

// What all nodes get of a storage system together: the sum of what each got beside the others.
void TestJudge::judge_sum(std::size_t first) {
  for (const char* metric : {"storage.read", "storage.write"}) {
    const ExpectedFigure* figure = expected_.find(metric, test_.system);
    std::vector<const Judged*> parts;
    for (std::size_t i = first; i < report_.verdicts.size(); ++i)
      if (report_.verdicts[i].metric == metric && report_.verdicts[i].value) parts.push_back(&report_.verdicts[i]);
    MeasurementRecord sum{.metric = metric, .unit = "B/s", .device = std::string(kAllTogether), .data_verified = true};
    Judged judged;
    if (parts.size() < test_.nodes.size()) {
      judged = {.metric = metric,
                .device = sum.device,
                .verdict = Verdict::error,
                .reason = format("{} of {} nodes returned a figure", parts.size(), test_.nodes.size())};
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
      if (figure) judged.derivation = report_.place_of(figure->ceiling.derivation);
      if (!sum.data_verified) judged.reason = "the data of a node is wrong";
      // A part of the nodes need not reach what the system gives to all.
      const std::size_t all = nodes_that_mount();
      if (sum.data_verified && nodes_.size() < all &&
          (judged.verdict == Verdict::fail || judged.verdict == Verdict::degraded)) {
        judged.verdict = Verdict::unjudged;
        judged.reason = format("{}; {} of {} nodes that mount it measured: the figure is expected of all of them",
                               judged.reason.str(), nodes_.size(), all);
      }
    }
    judged.test = test_.id;
    judged.node = fold_names(nodes_);
    judged.demanded = figure && figure->demanded;
    report_.verdicts.push_back(std::move(judged));
  }
}

void TestJudge::judge_world(const JournalTest& ran) {
  const std::string where = fold_names(nodes_);
  if (ran.tasks.empty()) return error(where, ran.error.empty() ? "printed nothing" : ran.error);
  if (ran.tasks.size() > 1) return error(where, format("contradictory: {} results of one job", ran.tasks.size()));
  const TaskOutput& world = ran.tasks.front();
  if (!world.broken.empty()) return error(where, "ended: " + world.broken);
  if (!world.claims.empty() && std::find(nodes_.begin(), nodes_.end(), world.claims) == nodes_.end())
    return error(where, format("contradictory: a rank ran on '{}', which was not requested", printable(world.claims)));
  judge_task(test_.group, world, where);
}

std::string TestJudge::expected_of(const std::string& node) const {
  if (test_.system.empty()) return test_.group;
  const int group = group_of_node(cluster_, node);
  return (group < 0 ? "" : cluster_.nodes[static_cast<std::size_t>(group)].name) + "/" + test_.system;
}

// The launcher knows on which node it started a task. A second result that calls itself this node's is as bad as a
// second one that came from it: one of both is another node's.
void TestJudge::judge_node(const JournalTest& ran, const std::string& node, const Results& results) {
  if (results.count == 0) return error(node, ran.error.empty() ? "no result came from this node" : ran.error);
  const TaskOutput* const task = results.first;
  if (task && !task->claims.empty() && task->claims != node)
    error(node, format("contradictory: the result of this node names '{}' as its host", printable(task->claims)));
  else if (results.count > 1)
    error(node, format("contradictory: {} results of this node", results.count));
  else if (!task)
    error(node, ran.error.empty() ? "no result came from this node" : ran.error);
  else if (!task->broken.empty())
    error(node, "ended: " + task->broken);
  else
    judge_task(expected_of(node), *task, node);
}

void TestJudge::judge_nodes(JournalTest& ran) {
  const std::size_t first = report_.verdicts.size();
  std::unordered_map<std::string_view, Results> by_node;
  for (const std::string& node : nodes_) by_node.emplace(node, Results{});
  std::vector<const TaskOutput*> strangers;
  for (TaskOutput& task : ran.tasks) {
    const auto started = by_node.find(task.node);
    if (started == by_node.end())
      strangers.push_back(&task);
    else if (++started->second.count, !started->second.first)
      started->second.first = &task;
    if (const auto claimed = by_node.find(task.claims); claimed != by_node.end() && task.claims != task.node)
      ++claimed->second.count;
  }
  constexpr std::size_t kTrim = 4096;  // nodes whose lines are some 40 MB: what they took can hold verdicts
  std::size_t judged = 0;
  for (const std::string& node : nodes_) {
    const Results& results = by_node.at(node);
    judge_node(ran, node, results);
    if (test_.search_round > 0 || !results.first) continue;
    results.first->lines = {};
    if (++judged % kTrim == 0) ::malloc_trim(0);
  }
  for (const TaskOutput* task : strangers)
    error(task->node.empty() ? "unknown" : printable(task->node),
          "contradictory: a result of a node on which nothing was started");
  if (!test_.system.empty()) judge_sum(first);
}

}  // namespace

void verdict_for_all(std::vector<Judged>& out, const SuiteTest& test, const std::string& node, Verdict verdict,
                     const std::string& reason) {
  if (test.metrics.empty())
    out.push_back({.test = test.id, .metric = test.validator, .node = node, .verdict = verdict, .reason = reason});
  for (const std::string& metric : test.metrics) out.push_back(without_figure(test, metric, node, verdict, reason));
}

namespace {
// Those that the launcher took from a journal may be anybody's text.
void keep_stacks(const SuiteTest& test, const JournalTest& ran, Report& report) {
  for (const TaskOutput& task : ran.tasks) {
    if (task.stacks.empty()) continue;
    TestStacks kept{test.id, test.mpi ? fold_names(test.nodes) : printable(task.node), {}};
    for (std::size_t i = 0; i < std::min(task.stacks.size(), kMostStackLines); ++i)
      kept.lines.push_back(printable(task.stacks[i].substr(0, kLongestStackLine)));
    report.stacks.push_back(std::move(kept));
  }
}
}  // namespace

void judge_test(const Cluster& cluster, const ExpectedFigures& expected, const SuiteTest& test, JournalTest& ran,
                const std::vector<std::string>& nodes, Report& report) {
  keep_stacks(test, ran, report);
  TestJudge judge(cluster, expected, test, nodes, report);
  if (test.mpi)
    judge.judge_world(ran);
  else
    judge.judge_nodes(ran);
}

}  // namespace clusterc
