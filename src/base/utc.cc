#include "base/utc.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {

namespace chr = std::chrono;

std::string utc_text(std::int64_t seconds) {
  const chr::sys_seconds moment{chr::seconds(seconds)};
  const auto midnight = chr::floor<chr::days>(moment);
  const chr::year_month_day day{midnight};
  const chr::hh_mm_ss time{moment - midnight};
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), time.hours().count(),
                time.minutes().count(), time.seconds().count());
}

std::optional<std::int64_t> parse_utc(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != kForm[i]) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    return static_cast<std::int64_t>(*parse_uint(text.substr(at, digits)));
  };
  const chr::year_month_day day{chr::year(static_cast<int>(number(0, 4))),
                                chr::month(static_cast<unsigned>(number(5, 2))),
                                chr::day(static_cast<unsigned>(number(8, 2)))};
  const std::int64_t hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (!day.ok() || number(0, 4) < 1970 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return chr::sys_days(day).time_since_epoch().count() * std::int64_t{86400} + hour * 3600 + minute * 60 + second;
}

std::string age_text(std::int64_t seconds) {
  seconds = std::max<std::int64_t>(0, seconds);
  // A year of the Gregorian calendar has 365.2425 days.
  struct Unit {
    std::int64_t seconds;
    std::string_view name;
  };
  for (const Unit& unit : {Unit{31556952, "year"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}})
    if (const std::int64_t n = seconds / unit.seconds; n > 0) return format("{} {}{}", n, unit.name, n == 1 ? "" : "s");
  return format("{} s", seconds);
}

}  // namespace clusterc
