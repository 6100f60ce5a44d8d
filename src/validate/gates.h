// Each stage is a gate: a node that failed in one is not used in those behind it.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "validate/judge.h"
#include "validate/rounds.h"
#include "validate/suite.h"

namespace clusterc {

class Gates {
 public:
  // `keep_going`: only the inventory shuts nodes out; what fails later is told and stays in use.
  explicit Gates(bool keep_going) : keep_going_(keep_going) {}

  // Before a test of a later stage the nodes that failed the one before it are shut out.
  void enter(SuiteStage);
  // What the nodes of a test gave: those that failed or had an error are shut out when the stage is over. A figure of
  // several nodes (a world, a team) is of all of them. In the pair stage a node is shut out where it failed with every
  // partner, and no culprit explains that. `verdicts` of tests that ran, without what the missing of other nodes adds
  // to them.
  void take(const SuiteTest&, std::span<const Judged> verdicts);

  // What the search for culprits decided in the pair stage: who is shut out, and why; the bad pairs of `explained`
  // accuse nobody else.
  void blame(const std::map<std::string, std::string>& nodes, const std::set<std::string>& explained);

  // "its node stage failed (memory.triad)"; empty: it is in use.
  std::string why_shut(const std::string& node) const;
  bool is_shut(const std::string& node) const { return shut_.contains(node); }

 private:
  void take_pairs(const SuiteTest&, std::span<const Judged>);
  void close();

  bool keep_going_;
  SuiteStage stage_ = SuiteStage::inventory;
  std::map<std::string, std::string> shut_, failed_;  // node -> why; failed_: in this stage
  std::vector<PairOutcome> pairs_;
};

}  // namespace clusterc
