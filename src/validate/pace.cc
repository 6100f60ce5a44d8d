#include "validate/pace.h"

#include <chrono>

#include "base/format.h"

namespace clusterc {
namespace {

std::string length_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return format("{} s", seconds);
  if (seconds < 2 * kHour) return format("{} min", seconds / kMinute);
  return format("{} h", (seconds + kHour - 1) / kHour);
}

}  // namespace

std::string pace_text(const std::vector<SuiteTest>& suite, std::size_t number, std::int64_t elapsed) {
  std::chrono::milliseconds left{0};
  for (std::size_t i = number - 1; i < suite.size(); ++i) {
    if (!suite[i].skip.empty()) continue;
    if (suite[i].length_unknown)
      return format("{} elapsed; how long {} takes is not known", length_text(elapsed), suite[i].id);
    left += suite[i].timeout;
  }
  return format("{} elapsed, at most {} left", length_text(elapsed),
                length_text(std::chrono::ceil<std::chrono::seconds>(left).count()));
}

}  // namespace clusterc
