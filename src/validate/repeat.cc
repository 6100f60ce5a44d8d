#include "validate/repeat.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "validate/selection.h"

namespace clusterc {
namespace {

bool is_each_alone(const SuiteTest& test) { return !test.mpi && test.system.empty() && test.team_nodes <= 1; }
bool failed(const Judged& j) {
  return j.verdict == Verdict::fail || j.verdict == Verdict::error || j.verdict == Verdict::degraded;
}

std::string of(const SuiteTest& test, const std::string& node) { return is_each_alone(test) ? node : std::string(); }

// Of which nodes of the test there are verdicts. A team may have a name of its own, or the names by which its hosts
// call themselves: such a name stands for as many nodes as a team has.
std::set<std::string> nodes_seen(const SuiteTest& test, const std::set<std::string_view>& named) {
  const std::set<std::string_view> nodes(test.nodes.begin(), test.nodes.end());
  std::set<std::string> out;
  std::size_t elsewhere = 0;
  for (const std::string_view name : named) {
    if (nodes.contains(name)) {
      out.emplace(name);
      continue;
    }
    const std::vector<std::string> several = nodes_of_verdict(test, std::string(name));
    out.insert(several.begin(), several.end());
    if (several.empty() && test.mpi) elsewhere += static_cast<std::size_t>(test.team_nodes);
  }
  if (out.size() + elsewhere >= test.nodes.size()) out.insert(test.nodes.begin(), test.nodes.end());
  return out;
}

std::map<std::string_view, std::set<std::string_view>> names_by_test(const std::vector<Judged>& verdicts) {
  std::map<std::string_view, std::set<std::string_view>> out;
  for (const Judged& j : verdicts) out[j.test].insert(j.node);
  return out;
}

// The results that stay are of what was asked for then: short measurements, small messages.
std::string selection_of_both(const std::string& earlier, const std::string& now) {
  constexpr std::string_view kEarlier = "in the earlier run: ";
  if (earlier.empty() || earlier == now) return now;
  const std::string then = earlier.starts_with(kEarlier) ? earlier : std::string(kEarlier) + earlier;
  return now.empty() ? then : now + "; " + then;
}

// A culprit may be fast enough for the floors, and rounds of confirmation are no tests of the suite: the whole search
// is done again.
bool is_searched_again(const SuiteTest& test, const Report& earlier) {
  if (test.search_round == 0) return false;
  const auto accused = [&](const SearchReport& s) { return s.group == test.group && !s.culprits.empty(); };
  const auto unconfirmed = [&](const Judged& j) {
    return failed(j) && j.test.starts_with(confirmations_of(test.group));
  };
  return std::ranges::any_of(earlier.searches, accused) || std::ranges::any_of(earlier.verdicts, unconfirmed);
}

}  // namespace

std::vector<SuiteTest> tests_to_repeat(const std::vector<SuiteTest>& suite, const Report& earlier) {
  std::map<std::string_view, std::set<std::string_view>> bad;  // by test: nodes
  for (const Judged& j : earlier.verdicts)
    if (failed(j)) bad[j.test].insert(j.node);
  const auto named = names_by_test(earlier.verdicts);
  std::vector<SuiteTest> out;
  for (SuiteTest test : suite) {
    const auto known = named.find(test.id);
    const bool left_out = std::ranges::find(earlier.left_out, test.id) != earlier.left_out.end();
    if (known != named.end() && !left_out && !is_searched_again(test, earlier)) {
      const auto at = bad.find(test.id);
      const std::set<std::string> seen = nodes_seen(test, known->second);
      const auto again = [&](const std::string& node) {
        return (at != bad.end() && at->second.contains(node)) || !seen.contains(node);
      };
      const bool some = std::ranges::any_of(test.nodes, again);
      if (at == bad.end() && !some) continue;
      if (some && is_each_alone(test)) std::erase_if(test.nodes, [&](const std::string& node) { return !again(node); });
    }
    out.push_back(std::move(test));
  }
  return out;
}

std::vector<SuiteTest> tests_that_ran(const std::vector<SuiteTest>& suite, const std::vector<Judged>& verdicts) {
  const auto named = names_by_test(verdicts);
  std::vector<SuiteTest> out;
  for (SuiteTest test : suite) {
    const auto known = named.find(test.id);
    if (known == named.end()) continue;
    const std::set<std::string> seen = nodes_seen(test, known->second);
    std::erase_if(test.nodes, [&](const std::string& node) { return !seen.contains(node); });
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
  now.selection = selection_of_both(earlier.report.selection, now.selection);
  std::map<std::string_view, std::pair<std::size_t, const SuiteTest*>> order;
  std::map<std::string_view, const SuiteTest*> again;
  for (const SuiteTest& t : suite) order.emplace(t.id, std::pair(order.size(), &t));
  for (const SuiteTest& t : repeated) again.emplace(t.id, &t);
  // A choice of nodes may have a test that the whole suite has not.
  const auto whole_of = [&](std::string_view test) -> const SuiteTest& {
    const auto at = order.find(test);
    return at == order.end() ? *again.at(test) : *at->second.second;
  };
  // Repeated and brought a verdict: an interrupted run has none for the rest, which stays as it was.
  std::set<std::pair<std::string_view, std::string>> replaced;
  std::set<std::string_view> brought;
  std::map<std::string_view, std::set<std::string_view>> tested;  // nodes of each test that was repeated
  std::set<std::string> searched;                                 // groups
  for (const Judged& j : now.verdicts)
    if (const auto test = again.find(j.test); test != again.end()) {
      replaced.emplace(j.test, of(*test->second, j.node));
      const std::vector<std::string>& nodes = whole_of(j.test).nodes;
      if (brought.insert(j.test).second) tested.emplace(j.test, std::set<std::string_view>(nodes.begin(), nodes.end()));
      if (test->second->search_round > 0) searched.insert(test->second->group);
    }
  // One verdict on several nodes (left out) is replaced where each of them has a new one; one on a node that the test
  // does not have (a result of a stranger), where the test ran at all.
  const auto is_replaced = [&](const Judged& j) {
    if (!brought.contains(j.test)) return false;
    const SuiteTest& test = *again.at(j.test);
    if (replaced.contains({j.test, of(test, j.node)})) return true;
    if (tested.at(j.test).contains(j.node)) return false;
    return std::ranges::all_of(nodes_of_verdict(whole_of(j.test), j.node), [&](const std::string& node) {
      return replaced.contains({j.test, node});
    });
  };
  const auto is_confirmation_kept = [&](const Judged& j) {
    return std::ranges::any_of(earlier.report.searches, [&](const SearchReport& s) {
      return !searched.contains(s.group) && j.test.starts_with(confirmations_of(s.group));
    });
  };
  using RepeatKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<RepeatKey, const Judged*> before;
  std::vector<Judged> kept;
  for (const Judged& j : earlier.report.verdicts) {
    // Of what no test brings: conclude() says it again.
    if (!order.contains(j.test) && !is_confirmation_kept(j)) continue;
    if (is_replaced(j)) {
      before.emplace(RepeatKey{j.test, j.metric, j.node, j.device}, &j);
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
  for (const std::string& test : earlier.report.left_out)
    if (std::ranges::any_of(kept, [&](const Judged& j) { return j.test == test && j.verdict == Verdict::skipped; }) &&
        std::ranges::find(now.left_out, test) == now.left_out.end())
      now.left_out.push_back(test);
  std::ranges::move(kept, std::back_inserter(now.verdicts));
  const auto place = [&](const Judged& j) {
    const auto at = order.find(j.test);
    return at == order.end() ? order.size() : at->second.first;
  };
  std::ranges::stable_sort(now.verdicts, {}, place);
  for (const SearchReport& s : earlier.report.searches)
    if (std::ranges::find(now.searches, s.group, &SearchReport::group) == now.searches.end()) now.searches.push_back(s);
  for (const auto& [test, seconds] : earlier.report.seconds) now.seconds.emplace(test, seconds);
  std::set<std::string_view> probed;
  for (const NodeProbe& p : now.probes) probed.insert(p.node);
  for (const NodeFacts& n : earlier.nodes)
    if (!probed.contains(n.node)) now.earlier_nodes.push_back(n);
}

}  // namespace clusterc
