// Names of the time zones of the world, of the IANA database: those of the machine that runs are another release, or
// none.
#pragma once
#include <span>
#include <string_view>

namespace clusterc {

inline constexpr std::string_view kTimeZoneRelease = "2025b";
std::span<const std::string_view> time_zones();  // aliases too, in the order of their bytes
bool is_time_zone(std::string_view);

}  // namespace clusterc
