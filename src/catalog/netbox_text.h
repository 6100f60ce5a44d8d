// The figures that the comments of a NetBox type state: "Rack PDU 2G, ZeroU, 22.0kW(32A), 230V, (30) C13 & (12) C19".
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace clusterc {

std::vector<double> stated_volts(std::string_view text);    // "200-240V" and "230V/400V" are two each
std::optional<double> stated_power(std::string_view text);  // the highest of kW and kVA, in W; "3,84 kW"
struct StatedRating {
  double watts = 0, amperes = 0;
};
std::vector<StatedRating> stated_ratings(std::string_view text);                  // "22.0kW(32A)"
std::optional<int> stated_outlets(std::string_view text, std::string_view kind);  // "C13": "(36) C13", "8x C13"

}  // namespace clusterc
