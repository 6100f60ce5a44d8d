// The largest count that carries no error which a smaller one did not have, and what stops the next ones.
// Pure search: planning and judging one count is the caller's business, and is asked for at most once a count.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace clusterc {

struct FitError {
  std::string key;            // rule and place: the same error at another count has the same
  std::string rule, message;  // the message has the numbers of its count
};
using FitProbe = std::function<std::vector<FitError>(std::int64_t count)>;

struct FitLimit {
  std::int64_t at = 0;
  FitError error;
};  // the first count that has it
struct FitOutcome {
  std::int64_t largest = 0;        // 0: not even one fits
  bool limited = true;             // false: nothing stops it up to the most that was tried
  std::int64_t tried = 0;          // the largest count that was planned
  std::vector<FitLimit> first;     // what appears at largest + 1
  std::vector<FitLimit> next;      // what else appears beyond, in the order of counts
  std::vector<FitError> standing;  // errors that are there at every count: the count does not cause them
};

// `start`: a count to begin with, 1 or more; nothing beyond `most` is tried. An error that is there with one member is
// caused by the count when it is there with two and with `start`, and says something else with two. Beyond the first
// limit `beyond` is asked in place of `probe`, up to twice the largest.
FitOutcome find_fit(const FitProbe& probe, const FitProbe& beyond, std::int64_t start, std::int64_t most,
                    std::size_t next_limits);

}  // namespace clusterc
