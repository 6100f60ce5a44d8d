#include "validate/repeat.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace clusterc {
namespace {

bool is_each_alone(const SuiteTest& test) { return !test.mpi && test.system.empty() && test.team_nodes <= 1; }
bool failed(const Judged& j) {
  return j.verdict == Verdict::fail || j.verdict == Verdict::error || j.verdict == Verdict::degraded;
}

std::string of(const SuiteTest& test, const std::string& node) { return is_each_alone(test) ? node : std::string(); }

}  // namespace

std::vector<SuiteTest> tests_to_repeat(const std::vector<SuiteTest>& suite, const Report& earlier) {
  std::map<std::string_view, std::set<std::string_view>> bad, seen;  // by test: nodes
  for (const Judged& j : earlier.verdicts) {
    seen[j.test].insert(j.node);
    if (failed(j)) bad[j.test].insert(j.node);
  }
  std::vector<SuiteTest> out;
  for (SuiteTest test : suite) {
    const bool accused = test.search_round > 0 && std::ranges::any_of(earlier.searches, [&](const SearchReport& s) {
                           return s.group == test.group && !s.culprits.empty();
                         });
    if (accused) {  // a culprit may be fast enough for the floors: the whole search is done again
      out.push_back(std::move(test));
      continue;
    }
    const auto known = seen.find(test.id);
    const auto at = bad.find(test.id);
    if (known != seen.end()) {
      const bool alone = is_each_alone(test) && test.skip.empty();
      const auto again = [&](const std::string& node) {
        return (at != bad.end() && at->second.contains(node)) || !known->second.contains(node);
      };
      const bool some = alone && std::ranges::any_of(test.nodes, again);
      if (at == bad.end() && !some) continue;
      if (some) std::erase_if(test.nodes, [&](const std::string& node) { return !again(node); });
    }
    out.push_back(std::move(test));
  }
  return out;
}

std::string why_not_repeated(const EarlierReport& earlier, const Report& now, const std::string& spec_digest) {
  const Report& was = earlier.report;
  if (!was.error.empty()) return "its run could not start: " + was.error;
  if (was.cluster != now.cluster) return "it is of the cluster '" + was.cluster + "'";
  if (earlier.spec_digest != spec_digest) return "it is of another spec: validate the changed spec as a whole";
  if (was.program_version != now.program_version)
    return "it is of clusterc " + was.program_version + ", this is " + now.program_version;
  if (was.bundle_digest != now.bundle_digest) return "its validators are others than those in the bundle";
  if (was.launcher != now.launcher) return "its launcher is " + was.launcher;
  return {};
}

void merge_earlier(Report& now, const EarlierReport& earlier, const std::vector<SuiteTest>& repeated,
                   const std::vector<SuiteTest>& suite) {
  now.repeats = earlier.report.started;
  std::map<std::string_view, std::size_t> order;
  std::map<std::string_view, const SuiteTest*> again;
  for (const SuiteTest& t : suite) order.emplace(t.id, order.size());
  for (const SuiteTest& t : repeated) again.emplace(t.id, &t);
  // Repeated and brought a verdict: an interrupted run has none for the rest, which stays as it was.
  std::set<std::pair<std::string_view, std::string>> replaced;
  for (const Judged& j : now.verdicts)
    if (const auto test = again.find(j.test); test != again.end()) replaced.emplace(j.test, of(*test->second, j.node));
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Key, const Judged*> before;
  std::vector<Judged> kept;
  for (const Judged& j : earlier.report.verdicts) {
    if (!order.contains(j.test)) continue;  // of what no test brings: conclude() says it again
    const auto test = again.find(j.test);
    if (test != again.end() && replaced.contains({j.test, of(*test->second, j.node)})) {
      before.emplace(Key{j.test, j.metric, j.node, j.device}, &j);
      continue;
    }
    kept.push_back(j);
    kept.back().from_report = true;
    kept.back().derivation = now.place_of(earlier.report.derivation_of(j));
    if (!kept.back().from_journal) kept.back().from_journal = earlier.report.ended;
  }
  // A result without a device (nothing was measured) was one of all devices of the node, and the reverse.
  const auto earlier_of = [&](const Judged& j) -> const Judged* {
    if (const auto at = before.find({j.test, j.metric, j.node, j.device}); at != before.end()) return at->second;
    const auto near = before.lower_bound({j.test, j.metric, j.node, ""});
    const bool same = near != before.end() && near->second->test == j.test && near->second->metric == j.metric &&
                      near->second->node == j.node;
    return same ? near->second : nullptr;
  };
  for (Judged& j : now.verdicts)
    if (const Judged* was = earlier_of(j)) {
      j.history = was->history;
      j.history.push_back({was->verdict, was->value, was->reason, was->from_journal.value_or(earlier.report.ended)});
    }
  std::ranges::move(kept, std::back_inserter(now.verdicts));
  const auto place = [&](const Judged& j) {
    const auto at = order.find(j.test);
    return at == order.end() ? order.size() : at->second;
  };
  std::ranges::stable_sort(now.verdicts, {}, place);
  for (const SearchReport& s : earlier.report.searches)
    if (std::ranges::find(now.searches, s.group, &SearchReport::group) == now.searches.end()) now.searches.push_back(s);
  std::set<std::string_view> probed;
  for (const NodeProbe& p : now.probes) probed.insert(p.node);
  for (const NodeFacts& n : earlier.nodes)
    if (!probed.contains(n.node)) now.earlier_nodes.push_back(n);
}

}  // namespace clusterc
