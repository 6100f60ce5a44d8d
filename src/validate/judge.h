// What a measurement means against what was expected. Error (did not run) is not fail (ran, too slow); nothing but pass
// counts as passed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "targets/targets.h"
#include "validate/record.h"

namespace clusterc {

enum class Verdict { pass, degraded, fail, error, skipped, unjudged };
std::string_view verdict_name(Verdict);

struct Judged {
  std::string test;  // id in the suite
  std::string metric, node, device;
  Verdict verdict = Verdict::error;
  std::string reason;           // always for degraded, fail, error, skipped, unjudged: with both numbers
  std::optional<double> value;  // SI
  Dimension dimension = Dimension::byte_rate;
  std::optional<double> ceiling, typical, floor;
  std::string derivation;                                        // of the ceiling
  bool data_verified = false, busy = false, page_cache = false;  // as measured
  std::int64_t size = 0;
  std::optional<std::int64_t> from_journal;  // taken over from an earlier run: when its test ended, seconds since 1970
  bool demanded = false;                     // the spec names it in its targets: skipped and unjudged do not do
};

// A figure above what physics allows was measured wrongly: more than this over the ceiling is an error, not a pass.
// Clocks and data sheets round; two parts in a hundred is more than either.
constexpr double kAboveCeiling = 1.02;

// `expected` may be null: nothing is known of this metric on this hardware.
Judged judge(const MeasurementRecord&, const ExpectedFigure* expected);

}  // namespace clusterc
