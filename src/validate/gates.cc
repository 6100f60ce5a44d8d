#include "validate/gates.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/format.h"
#include "validate/selection.h"

namespace clusterc {
namespace {

bool is_bad(const Judged& j) { return j.verdict == Verdict::fail || j.verdict == Verdict::error; }

// The nodes of a test that a verdict is of: one, or those that its pattern names.
class NodesOfVerdict {
 public:
  explicit NodesOfVerdict(const SuiteTest& test) : test_(test), names_(test.nodes.begin(), test.nodes.end()) {}
  std::vector<std::string> operator()(const std::string& named) const {
    if (names_.contains(named)) return {named};  // nearly all, of millions
    return nodes_of_verdict(test_, named);
  }

 private:
  const SuiteTest& test_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void Gates::enter(SuiteStage stage) {
  if (stage == stage_) return;
  close();
  stage_ = stage;
}

void Gates::close() {
  for (const std::string& node : blamed_nodes(pairs_))
    failed_.emplace(node, "its pair stage failed with every partner");
  pairs_.clear();
  if (!keep_going_ || stage_ == SuiteStage::inventory) shut_.insert(failed_.begin(), failed_.end());
  failed_.clear();
}

void Gates::take(const SuiteTest& test, std::span<const Judged> verdicts) {
  if (test.stage == SuiteStage::pair) return take_pairs(test, verdicts);
  const NodesOfVerdict nodes_of(test);
  for (const Judged& judged : verdicts) {
    // Of the inventory only the probe decides: what it says of GPUs that are missing is a verdict of its own.
    const bool probe = test.stage == SuiteStage::inventory;
    if (probe ? judged.metric != "probe" || judged.verdict == Verdict::pass : !is_bad(judged)) continue;
    const std::string why = probe ? std::string("its inventory stage failed")
                                  : format("its {} stage failed ({})", stage_name(test.stage), judged.metric);
    for (const std::string& node : nodes_of(judged.node)) failed_.emplace(node, why);
  }
}

void Gates::blame(const std::map<std::string, std::string>& nodes, const std::set<std::string>& explained) {
  std::erase_if(pairs_, [&](const PairOutcome& pair) {
    return !pair.good && (explained.contains(pair.first) || explained.contains(pair.second));
  });
  failed_.insert(nodes.begin(), nodes.end());
}

void Gates::take_pairs(const SuiteTest& test, std::span<const Judged> verdicts) {
  const NodesOfVerdict nodes_of(test);
  std::set<std::string> bad, seen;
  for (const Judged& judged : verdicts)
    for (const std::string& node : nodes_of(judged.node)) {
      seen.insert(node);
      if (is_bad(judged)) bad.insert(node);
    }
  for (std::size_t i = 0; i + 1 < test.nodes.size(); i += 2) {
    const std::string &first = test.nodes[i], &second = test.nodes[i + 1];
    if (seen.contains(first) || seen.contains(second))
      pairs_.push_back({first, second, !bad.contains(first) && !bad.contains(second)});
  }
}

std::string Gates::why_shut(const std::string& node) const {
  const auto at = shut_.find(node);
  return at == shut_.end() ? std::string() : at->second;
}

}  // namespace clusterc
