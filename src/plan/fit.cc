#include "plan/fit.h"

#include <algorithm>
#include <map>
#include <set>

namespace clusterc {
namespace {

class Asked {  // a probe that answers each count once
 public:
  explicit Asked(const FitProbe& probe) : probe_(probe) {}
  const std::vector<FitError>& operator()(std::int64_t n) {
    const auto found = known_.find(n);
    return found != known_.end() ? found->second : known_.emplace(n, probe_(n)).first->second;
  }
  std::int64_t largest() const { return known_.empty() ? 0 : known_.rbegin()->first; }

 private:
  const FitProbe& probe_;
  std::map<std::int64_t, std::vector<FitError>> known_;
};

const FitError* with_key(const std::vector<FitError>& all, const std::string& key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const FitError& e) { return e.key == key; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

FitOutcome find_fit(const FitProbe& probe, const FitProbe& beyond, std::int64_t start, std::int64_t most,
                    std::size_t next_limits) {
  FitOutcome out;
  Asked at(probe), after(beyond);
  std::set<std::string> standing;
  for (const FitError& e : at(1)) {
    const FitError* two = most > 1 ? with_key(at(2), e.key) : nullptr;
    if (two && two->message != e.message && (start <= 2 || with_key(at(std::min(start, most)), e.key))) {
      out.first.push_back({1, e});
    } else if (standing.insert(e.key).second) {
      out.standing.push_back(e);
    }
  }
  out.tried = at.largest();
  if (!out.first.empty()) return out;
  const auto limiting = [&](Asked& asked, std::int64_t n) {
    std::vector<FitError> errors;
    std::set<std::string> seen;
    for (const FitError& e : asked(n))
      if (!standing.contains(e.key) && seen.insert(e.key).second) errors.push_back(e);
    return errors;
  };

  std::int64_t good = 1, bad = std::clamp<std::int64_t>(start, 1, most);
  while (limiting(at, bad).empty()) {
    good = bad;
    if (bad == most) {
      out.largest = good;
      out.limited = false;
      out.tried = at.largest();
      return out;
    }
    bad = bad > most / 2 ? most : bad * 2;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (limiting(at, middle).empty() ? good : bad) = middle;
  }
  out.largest = good;
  std::set<std::string> told;
  for (FitError& e : limiting(at, bad)) {
    told.insert(e.key);
    out.first.push_back({bad, std::move(e)});
  }

  // The smallest count with an error that is not told yet, whichever it is: one limit may take another's place further
  // on (what a lost feed moves over is told while the normal load still fits).
  const auto untold = [&](std::int64_t n) {
    std::vector<FitError> errors = limiting(after, n);
    std::erase_if(errors, [&](const FitError& e) { return told.contains(e.key); });
    return errors;
  };
  const std::int64_t far = std::min(most, std::max(2 * good, good + 16));
  while (far > bad && out.next.size() < next_limits && !untold(far).empty()) {
    std::int64_t without = good, with = far;
    while (with - without > 1) {
      const std::int64_t middle = without + (with - without) / 2;
      (untold(middle).empty() ? without : with) = middle;
    }
    for (FitError& e : untold(with)) {
      if (out.next.size() == next_limits) break;
      told.insert(e.key);
      out.next.push_back({with, std::move(e)});
    }
  }
  out.tried = std::max(at.largest(), after.largest());
  return out;
}

}  // namespace clusterc
