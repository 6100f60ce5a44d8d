// What a measurement means against what was expected. Error (did not run) is not fail (ran, too slow); nothing but pass
// counts as passed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "targets/targets.h"
#include "validate/record.h"

namespace clusterc {

enum class Verdict { pass, degraded, fail, error, skipped, unjudged };
std::string_view verdict_name(Verdict);

// A result of the same figure in an earlier run, which a later one replaced.
struct EarlierResult {
  Verdict verdict = Verdict::error;
  std::optional<double> value;
  std::string reason;
  std::int64_t ended = 0;  // of its run, seconds since 1970
};

// How a figure stands among equal nodes or GPUs (validate/peers.h); only of what stands out.
struct AmongPeers {
  std::size_t peers = 0;   // figures beside it
  double median = 0;       // of all of them, in SI
  double probability = 0;  // that a healthy one is so far off, one-sided
};

struct Judged {
  SharedText test;  // id in the suite
  SharedText metric, node, device;
  Verdict verdict = Verdict::error;
  SharedText reason;            // always for degraded, fail, error, skipped, unjudged: with both numbers
  std::optional<double> value;  // SI
  Dimension dimension = Dimension::byte_rate;
  std::optional<double> ceiling, typical, floor;
  std::int32_t derivation = -1;  // of the ceiling: Report::derivations has the text; -1: none
  bool data_verified = false, busy = false, page_cache = false;  // as measured
  std::int64_t size = 0;
  std::int64_t samples = 0;  // repetitions of which `value` is the median
  double p05 = 0, p95 = 0;   // of the repetitions
  bool lower_is_better = false;
  std::optional<AmongPeers> among_peers;
  std::vector<EarlierResult> history;        // the oldest first; empty: this is the first result
  std::optional<std::int64_t> from_journal;  // taken over from an earlier run: when its test ended, seconds since 1970
  bool from_report = false;                  // taken over from an earlier report, at that time
  bool demanded = false;                     // the spec names it in its targets: skipped and unjudged do not do
};

// The device of a sum over all nodes.
inline constexpr std::string_view kAllTogether = "all together";

// A figure above what physics allows was measured wrongly: more than this over the ceiling is an error, not a pass.
// Clocks and data sheets round; two parts in a hundred is more than either.
constexpr double kAboveCeiling = 1.02;

// `expected` may be null: nothing is known of this metric on this hardware.
Judged judge(const MeasurementRecord&, const ExpectedFigure* expected);

}  // namespace clusterc
