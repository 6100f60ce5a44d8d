// Points in time as our files write them: seconds since 1970, "2026-11-25T10:24:43Z". The clock is the caller's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

std::string utc_text(std::int64_t seconds);
// Exactly that form, of a day that there is, from 1970 to 9999; nullopt for everything else.
std::optional<std::int64_t> parse_utc(std::string_view text);
// "26 years", "3 days", "2 hours", "14 s": rounded down; of less than nothing "0 s".
std::string age_text(std::int64_t seconds);

}  // namespace clusterc
