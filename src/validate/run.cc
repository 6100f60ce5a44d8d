#include "validate/run.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "model/nvlink.h"
#include "model/storage_path.h"
#include "spec/ha.h"
#include "targets/collectives.h"
#include "targets/metrics.h"
#include "targets/rdma_ports.h"
#include "validate/conclude.h"
#include "validate/expected_time.h"
#include "validate/gates.h"
#include "validate/journal.h"
#include "validate/pace.h"
#include "validate/repeat.h"
#include "validate/vendor_hpl.h"
#include "validate/verdicts.h"

namespace clusterc {

std::size_t Report::count(Verdict v) const {
  return static_cast<std::size_t>(
      std::count_if(verdicts.begin(), verdicts.end(), [v](const Judged& j) { return j.verdict == v; }));
}

std::int32_t Report::place_of(std::string_view derivation) {
  if (derivation.empty()) return -1;
  // The last ones first: figures of one test follow each other, and a report has some hundred of these texts.
  const auto at = std::find(derivations.rbegin(), derivations.rend(), derivation);
  if (at != derivations.rend()) return static_cast<std::int32_t>(derivations.rend() - at) - 1;
  derivations.emplace_back(derivation);
  return static_cast<std::int32_t>(derivations.size()) - 1;
}

bool Report::ran_something() const {
  return std::ranges::any_of(verdicts, [](const Judged& j) { return j.verdict != Verdict::skipped; });
}

namespace {

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

// Of a duration in seconds; what was measured is at least one, because 0 stands for nothing.
double in_milliseconds(double seconds) { return seconds > 0 ? std::max(std::round(seconds * 1000) / 1000, 0.001) : 0; }

bool is_interrupted(const ValidateOptions& options) { return options.interrupted && options.interrupted->load(); }

// One run of a suite; every step adds to the report.
class SuiteRun {
 public:
  SuiteRun(const Cluster& cluster, const ExpectedFigures& expected, const std::vector<SuiteTest>& suite,
           const Launcher& launcher, const ValidateOptions& options)
      : cluster_(cluster), expected_(expected), suite_(suite), launcher_(launcher), options_(options) {}
  Report run();

 private:
  struct NodesOfTest {
    std::vector<std::string> usable, gone;
  };

  void begin_report();
  bool open_journal();                                  // false: the report has the error
  bool run_test(const SuiteTest&, std::size_t number);  // false: the run ends here: interrupted, or the journal is lost
  bool run_tests();                                     // false as run_test
  void plan_searches();
  bool search_culprits(std::size_t number);  // behind the `number`-th test, the last one of the pair stage; as run_test
  bool has_room(const SuiteTest&, double seconds) const;
  void report_search(const PairSearch&);
  NodesOfTest split_nodes(const SuiteTest&);
  void prepare_bundle(const std::vector<std::string>& nodes);
  void report_gone(const SuiteTest&, const NodesOfTest&);
  static bool too_few(const SuiteTest&, const NodesOfTest&);
  std::string why_gone(const NodesOfTest&) const;
  const JournalTest* find_in_journal(const JournalTest&) const;
  bool launch(const SuiteTest&, const std::vector<std::string>& nodes, JournalTest& ran);  // false as run_test
  void fail_for_missing_nodes(const SuiteTest&, const NodesOfTest&, std::span<Judged> verdicts) const;

  std::int64_t now() const { return options_.clock ? options_.clock() : std::int64_t{0}; }
  double stopwatch() const { return options_.stopwatch ? options_.stopwatch() : 0.0; }
  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }

  const Cluster& cluster_;
  const ExpectedFigures& expected_;
  const std::vector<SuiteTest>& suite_;
  const Launcher& launcher_;
  const ValidateOptions& options_;
  Report report_;
  std::optional<Journal> journal_;
  bool journal_lost_ = false;
  Gates gates_{options_.keep_going};
  std::map<std::string, NodeState> states_;
  std::map<std::string, PairSearch> searches_;  // by node group
};

void SuiteRun::begin_report() {
  report_.cluster = *cluster_.spec.name;
  report_.launcher = launcher_.id();
  report_.journal = options_.journal;
  report_.program_version = options_.program_version;
  report_.bundle_digest = options_.bundle_digest;
  report_.ended = report_.started = now();
  report_.selection = options_.selection;
}

bool SuiteRun::open_journal() {
  if (options_.journal.empty()) return true;
  journal_ = Journal::open(
      options_.journal,
      {report_.cluster, options_.spec_digest, report_.launcher, options_.program_version, options_.bundle_digest,
       options_.earlier ? utc_text(options_.earlier->report.started) : "", options_.options},
      report_.started, options_.fresh, report_.error);
  if (!journal_) return false;
  report_.journal_started = journal_->started();
  report_.journal_refused = journal_->refused();
  if (options_.tell_journal) say(format("results are kept in '{}'", options_.journal));
  if (!report_.journal_refused.empty())
    say(format("the journal '{}' has an unfinished run, which is not used: {}; every test runs again",
               printable(options_.journal), report_.journal_refused));
  return true;
}

// Asks the launcher once for the state of each node.
SuiteRun::NodesOfTest SuiteRun::split_nodes(const SuiteTest& test) {
  std::vector<std::string> unknown;
  for (const std::string& node : test.nodes)
    if (!states_.contains(node)) unknown.push_back(node);
  if (!unknown.empty()) {
    const std::vector<NodeState> fresh = launcher_.states(unknown);
    for (std::size_t i = 0; i < unknown.size(); ++i) states_.emplace(unknown[i], fresh[i]);
    prepare_bundle(unknown);
  }
  NodesOfTest out;
  for (const std::string& node : test.nodes)
    (states_.at(node).usable && !gates_.is_shut(node) ? out.usable : out.gone).push_back(node);
  if (test.team_nodes > 1) leave_out_broken_teams(test, out.usable, out.gone);
  return out;
}

// A node whose validators are others, or whose validators cannot be copied, is not used.
void SuiteRun::prepare_bundle(const std::vector<std::string>& nodes) {
  std::vector<std::string> usable;
  const auto keep_usable = [&] {
    std::erase_if(usable, [&](const std::string& node) { return !states_.at(node).usable; });
  };
  usable = nodes;
  keep_usable();
  if (!options_.copy_from.empty() && !usable.empty()) {
    say(format("copying the validators to {}", fold_names(usable)));
    const std::vector<NodeState> copied = launcher_.copy(options_.copy_from, options_.bundle, usable);
    for (std::size_t i = 0; i < usable.size(); ++i)
      if (!copied[i].usable) states_.at(usable[i]) = {false, "not usable: " + copied[i].why};
    keep_usable();
  }
  if (options_.bundle_files.empty() || usable.empty() || is_interrupted(options_)) return;
  Launch launch = bundle_check_launch(options_.bundle, usable);
  launch.interrupted = options_.interrupted;
  const LaunchResult result = launcher_.run(launch);
  for (const std::string& node : usable) {
    const auto task =
        std::find_if(result.tasks.begin(), result.tasks.end(), [&](const TaskOutput& t) { return t.node == node; });
    std::string why;
    if (task == result.tasks.end())
      why = "its validators were not compared: " + (result.error.empty() ? "no answer came" : result.error);
    else if (!task->broken.empty())
      why = "its validators were not compared: " + task->broken;
    else
      why = bundle_difference(options_.bundle_files, options_.bundle, task->lines);
    if (!why.empty()) states_.at(node) = {false, "not usable: " + why};
  }
}

void SuiteRun::report_gone(const SuiteTest& test, const NodesOfTest& nodes) {
  const bool one_world = test.mpi && test.team_nodes == 0;
  if (!one_world)
    for (const std::string& node : nodes.gone)
      verdict_for_all(report_.verdicts, test, node, Verdict::error,
                      !states_.at(node).usable ? "did not run: " + states_.at(node).why
                      : gates_.is_shut(node)   ? "did not run: " + gates_.why_shut(node)
                                               : "did not run: another node of its team cannot be used");
  else if (nodes.usable.empty())
    verdict_for_all(report_.verdicts, test, fold_names(test.nodes), Verdict::error,
                    "did not run: no node can be used: " + why_gone(nodes));
  else if (too_few(test, nodes))
    verdict_for_all(
        report_.verdicts, test, fold_names(test.nodes), Verdict::error,
        format("did not run: 1 of {} nodes can be used, and it takes 2: {}", test.nodes.size(), why_gone(nodes)));
}

// Verdicts that the suite is going to bring, at most as many as fit into some GB: a vector that grows holds them twice.
std::size_t verdicts_of(const std::vector<SuiteTest>& suite) {
  constexpr std::size_t kMost = std::size_t{1} << 23;
  std::size_t count = 0;
  for (const SuiteTest& t : suite)
    count +=
        t.nodes.size() * (t.metrics.size() + 1) * static_cast<std::size_t>(std::max<std::int64_t>(1, t.gpus_per_node));
  return std::min(count, kMost);
}

// The last whole run of the same test with the same arguments on the same nodes.
const JournalTest* SuiteRun::find_in_journal(const JournalTest& test) const {
  const JournalTest* earlier = nullptr;
  if (journal_)
    for (const JournalTest& done : journal_->done())
      if (done.id == test.id && done.how == test.how && done.error.empty() &&
          std::none_of(done.tasks.begin(), done.tasks.end(), [](const TaskOutput& t) { return !t.broken.empty(); }))
        earlier = &done;
  return earlier;
}

bool SuiteRun::launch(const SuiteTest& test, const std::vector<std::string>& nodes, JournalTest& ran) {
  Launch launch = launch_of(test, options_.bundle, nodes);
  launch.interrupted = options_.interrupted;
  const double began = stopwatch();
  LaunchResult result = launcher_.run(launch);
  ran.seconds = in_milliseconds(stopwatch() - began);
  ran.tasks = std::move(result.tasks);
  ran.ended = now();
  ran.error = result.error;
  if (ran.error.empty() && ran.tasks.empty())
    ran.error = result.messages.empty() ? "nothing was printed" : printable(result.messages.substr(0, 500));
  if (result.interrupted || is_interrupted(options_)) {
    report_.interrupted = true;  // not journalled: the next run does it again
    return false;
  }
  journal_lost_ = journal_ && !journal_->write(ran);
  return !journal_lost_;
}

// A job over several nodes that has lost all but one measures no network.
bool SuiteRun::too_few(const SuiteTest& test, const NodesOfTest& nodes) {
  return test.mpi && test.team_nodes == 0 && test.nodes.size() > 1 && nodes.usable.size() == 1;
}

// "n3 is drained (testing) and 1 more"
std::string SuiteRun::why_gone(const NodesOfTest& nodes) const {
  const std::string& first = nodes.gone.front();
  std::string why = first + (states_.at(first).usable ? ": " + gates_.why_shut(first) : " is " + states_.at(first).why);
  if (nodes.gone.size() > 1) why += format(" and {} more", nodes.gone.size() - 1);
  return why;
}

// It ran, but not on what was asked for: the figure is kept, the verdict is not a pass.
void SuiteRun::fail_for_missing_nodes(const SuiteTest& test, const NodesOfTest& nodes,
                                      std::span<Judged> verdicts) const {
  const std::string why = format("ran on {} of {} nodes: {}", nodes.usable.size(), test.nodes.size(), why_gone(nodes));
  for (Judged& judged : verdicts) {
    if (judged.verdict == Verdict::fail) continue;
    judged.verdict = Verdict::error;
    judged.reason = why;
  }
}

bool SuiteRun::run_test(const SuiteTest& test, std::size_t number) {
  if (is_interrupted(options_)) {
    report_.interrupted = true;
    return false;
  }
  if (!test.skip.empty()) {
    verdict_for_all(report_.verdicts, test, fold_names(test.nodes), Verdict::skipped, test.skip);
    if (test.left_out) report_.left_out.push_back(test.id);
    return true;
  }
  gates_.enter(test.stage);
  const NodesOfTest nodes = split_nodes(test);
  report_gone(test, nodes);
  if (nodes.usable.empty() || too_few(test, nodes)) return true;

  JournalTest ran{test.id, join(test.arguments, " ") + " on " + fold_names(nodes.usable), "", {}, 0, 0};
  const std::string title = format("[{}/{}] {} on {}", number, suite_.size(), test.id, fold_names(nodes.usable));
  const JournalTest* earlier = find_in_journal(ran);
  if (earlier) {
    ran = *earlier;
    ++report_.resumed;
    say(format("{}: taken from the journal: it ended at {}, {} ago", title, utc_text(earlier->ended),
               age_text(report_.started - earlier->ended)));
  } else {
    say(format("{}; {}", title, pace_text(suite_, number, now() - report_.started)));
    if (!launch(test, nodes.usable, ran)) return false;
  }

  if (ran.seconds > 0) report_.seconds[test.id] = ran.seconds;
  const std::size_t before = report_.verdicts.size();
  judge_test(cluster_, expected_, test, ran, nodes.usable, report_);
  const std::span<Judged> verdicts = std::span(report_.verdicts).subspan(before);
  if (earlier)
    for (Judged& judged : verdicts) judged.from_journal = earlier->ended;
  gates_.take(test, verdicts);
  if (const auto search = searches_.find(test.group); search != searches_.end() && test.search_round > 0)
    search->second.take(test, nodes.usable, ran.tasks);
  if (test.mpi && test.team_nodes == 0 && !nodes.gone.empty()) fail_for_missing_nodes(test, nodes, verdicts);
  return true;
}

void SuiteRun::plan_searches() {
  if (!options_.plan) return;
  std::map<std::string, std::set<std::string>> tested;
  for (const SuiteTest& test : suite_)
    if (test.search_round > 0 && test.skip.empty()) tested[test.group].insert(test.nodes.begin(), test.nodes.end());
  for (const auto& [group, nodes] : tested)
    searches_.try_emplace(group, *options_.plan, cluster_.find_node_group(group),
                          std::vector<std::string>(nodes.begin(), nodes.end()));
}

// `seconds`: of the rounds of confirmation before it.
bool SuiteRun::has_room(const SuiteTest& test, double seconds) const {
  return options_.time_budget <= 0 || expected_seconds(suite_) + seconds + test.expected_s <= options_.time_budget;
}

bool SuiteRun::search_culprits(std::size_t number) {
  double seconds = 0;
  bool goes_on = true;
  for (auto& [group, search] : searches_) {
    while (goes_on) {
      const std::optional<SuiteTest> test = search.confirmation();
      if (!test) break;
      if (!has_room(*test, seconds)) {
        search.note(format("the time budget has no room for a round of confirmation on {}", fold_names(test->nodes)));
        break;
      }
      seconds += test->expected_s;
      goes_on = run_test(*test, number);
    }
    if (goes_on) report_search(search);
  }
  return goes_on;
}

void SuiteRun::report_search(const PairSearch& search) {
  const NamingHelp help{.serial =
                            [&](const std::string& node) {
                              const auto probe = std::ranges::find(report_.probes, node, &NodeProbe::node);
                              return probe == report_.probes.end() ? std::string() : read_probe(*probe).serial;
                            },
                        .command =
                            [&](const std::string& from, const std::string& to, const std::string&) {
                              return format("clusterc validate {} --stage pair --nodes {},{}", options_.spec, from, to);
                            }};
  report_.searches.push_back(search.report(help));
  const SearchReport& found = report_.searches.back();
  gates_.blame(search.blamed(found), search.explained());
  for (const NamedCulprit& c : found.culprits) say(format("culprit: {}: {}", c.what, c.verdict));
}

bool SuiteRun::run_tests() {
  std::size_t number = 0;
  bool searched = false;
  for (const SuiteTest& test : suite_) {
    if (!searched && test.stage > SuiteStage::pair) {
      searched = true;
      if (!search_culprits(number)) return false;
    }
    if (!run_test(test, ++number)) return false;
    ::malloc_trim(0);  // the lines of a test of many nodes are some 100 MB, and the next test is of other sizes
  }
  return searched || search_culprits(number);
}

Report SuiteRun::run() {
  const double began = stopwatch();
  begin_report();
  if (options_.earlier) {
    if (std::string why = why_not_repeated(*options_.earlier, report_, options_.spec_digest); !why.empty()) {
      report_.error = "the earlier report cannot be continued: " + why;
      return std::move(report_);
    }
  }
  if (!launcher_.available(report_.error) || !open_journal()) return std::move(report_);
  report_.verdicts.reserve(verdicts_of(suite_));
  plan_searches();
  run_tests();
  if (journal_lost_) {
    report_.error = "the journal cannot be written";
    return std::move(report_);
  }
  report_.ended = now();
  report_.took = in_milliseconds(stopwatch() - began);
  const std::vector<SuiteTest>& whole = options_.whole_suite ? *options_.whole_suite : suite_;
  if (options_.earlier) merge_earlier(report_, *options_.earlier, suite_, whole);
  conclude(report_, cluster_, expected_, options_.earlier ? tests_that_ran(whole, report_.verdicts) : suite_, whole);
  if (options_.deliver && !options_.deliver(report_)) return std::move(report_);
  if (journal_ && !report_.interrupted && !journal_->complete()) report_.error = "the journal cannot be written";
  return std::move(report_);
}

}  // namespace

Launch launch_of(const SuiteTest& test, const std::string& bundle, std::vector<std::string> nodes) {
  const std::size_t count = nodes.size();
  Launch launch{.argv = {bundle + "/clusterc-" + test.validator},
                .nodes = std::move(nodes),
                .ranks_per_node = test.ranks_per_node,
                .gpus_per_node = test.gpus_per_node * test.gpu_instances,
                .mpi = test.mpi,
                .together = test.mpi || test.team_nodes > 1 || !test.system.empty(),
                .timeout = test.timeout};
  launch.argv.insert(launch.argv.end(), test.arguments.begin(), test.arguments.end());
  if (test.vendor) launch.argv = vendor_command(test, count);
  launch.bundle = bundle;
  return launch;
}

Report run_suite(const Cluster& cluster, const ExpectedFigures& expected, const std::vector<SuiteTest>& suite,
                 const Launcher& launcher, const ValidateOptions& options) {
  return SuiteRun(cluster, expected, suite, launcher, options).run();
}

}  // namespace clusterc
