// The search for culprits as a part of a run: the rounds of the pair stage come from its schedule, it takes what they
// measured, and rounds of confirmation follow until it knows who is slow.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "validate/culprits/named.h"
#include "validate/culprits/search.h"
#include "validate/suite.h"

namespace clusterc {

// What the search found among the pairs of a group.
struct SearchReport {
  std::string group;
  std::size_t rounds = 0, confirmations = 0;  // those of confirmation are counted in both
  std::size_t pairs = 0;                      // that measured
  std::int64_t measurements = 0, slow = 0;
  std::int64_t unexplained = 0;              // slow once, and good in other pairs: passing disturbances
  std::vector<NamedCulprit> culprits, open;  // open: suspects that were not confirmed
  std::vector<std::string> notes;            // what was left open, and why
};

// The ids of rounds of confirmation begin with it; they are no tests of the suite.
std::string confirmations_of(std::string_view group);

// The hosts of each round, partners beside each other. Empty: the plan has no switches for the compute network of the
// group, or not as many ports as `rails`; nothing can be searched then.
std::vector<std::vector<std::string>> search_rounds(const Plan&, int group, const std::vector<std::string>& nodes,
                                                    std::int64_t rails);

class PairSearch {
 public:
  // `nodes`: all that the pair stage of this group tests. They are compared with each other only: where the floor of
  // rdma.write lies close below healthy transfers, noise alone would make ports suspects. The verdicts have the floor.
  PairSearch(const Plan&, int group, const std::vector<std::string>& nodes);
  PairSearch(const PairSearch&) = delete;
  PairSearch& operator=(const PairSearch&) = delete;

  // `order`: the nodes on which it ran, partners beside each other. Pairs that were busy with other work, or where the
  // program does not apply, are left out.
  void take(const SuiteTest&, std::vector<std::string> order, std::span<const TaskOutput>);
  // The next round of confirmation, as a test; nullopt: none is needed, or the last one was the last.
  std::optional<SuiteTest> confirmation();
  void note(std::string why) { notes_.push_back(std::move(why)); }

  SearchReport report(const NamingHelp&) const;
  // Nodes that are culprits themselves, or have a port that is.
  std::map<std::string, std::string> blamed(const SearchReport&) const;
  // Nodes whose slow pairs a culprit explains: its own, and those behind a leaf, a rail of a rack, or a link.
  std::set<std::string> explained() const;

 private:
  void add_notes(const Decoded&, SearchReport&) const;

  const Plan& plan_;
  int group_;
  std::vector<std::int64_t> members_;
  PairFabric fabric_;
  CulpritSearch search_;
  std::optional<SuiteTest> latest_;  // of which a round of confirmation is a copy with other nodes
  std::size_t rounds_ = 0, confirmations_ = 0, pairs_ = 0, left_out_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace clusterc
