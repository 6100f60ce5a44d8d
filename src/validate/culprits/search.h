// The search for culprits as a dialogue: it says which pairs to test, takes what they measured, and says what to test
// next, until every culprit is confirmed.
//
//   CulpritSearch search(fabric);
//   for (PairRound round = search.next(); !round.empty(); round = search.next()) search.take(measure(round));
//   report(search.result());
#pragma once
#include <utility>
#include <vector>

#include "validate/culprits/decode.h"
#include "validate/culprits/schedule.h"

namespace clusterc {

struct SearchOptions {
  std::size_t base = 0;  // rounds that test everybody; 0: 4, and 6 where routing does not determine the links
  std::size_t most = 0;  // rounds in all; 0: two more
  DecodeOptions decode;
};

class CulpritSearch {
 public:
  CulpritSearch(const PairFabric&, SearchOptions = {});  // keeps the fabric

  // The pairs of the next round, each in both directions on every rail. Empty: the search is over.
  PairRound next();
  // What they measured. A transfer that did not run has the value 0; one that could not be asked for is left out.
  void take(std::vector<PairValue> values) { take(std::move(values), rounds_); }

  // Where somebody else runs the rounds for everybody: which these are, what the `round`-th of them measured (from 1),
  // and the rounds that follow them, even if not all of them ran.
  const std::vector<PairRound>& base() const { return base_; }
  void take(std::vector<PairValue>, std::size_t round);
  PairRound confirmation();

  Decoded result() const { return decode(fabric_, values_, options_.decode); }
  std::size_t rounds() const { return rounds_; }
  std::size_t tests() const { return tests_; }  // pairs in all rounds

 private:
  PairRound confirm(const Decoded&) const;

  const PairFabric& fabric_;
  SearchOptions options_;
  std::vector<PairRound> base_;
  std::vector<PairValue> values_;
  std::size_t rounds_ = 0, tests_ = 0;
};

}  // namespace clusterc
