// Routing engines of InfiniBand's subnet manager.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace clusterc {

// Engines of OpenSM 3.3.23 (opensm(8), "ROUTING"), and behind them those that only NVIDIA's own OpenSM has (MLNX_OFED
// and UFM documentation, "Routing").
inline constexpr std::array kOpensmEngines = std::to_array<std::string_view>(
    {"minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "nue", "dfsssp", "sssp", "file", "ar_updn",
     "ar_ftree", "ar_torus", "ar_dor", "kdor-hc", "dfp", "pqft"});
inline constexpr std::size_t kOpenEngines = 11;
inline bool is_opensm_engine(std::string_view word) {
  return std::find(kOpensmEngines.begin(), kOpensmEngines.end(), word) != kOpensmEngines.end();
}
inline bool is_nvidia_opensm_engine(std::string_view word) {
  return std::find(kOpensmEngines.begin() + kOpenEngines, kOpensmEngines.end(), word) != kOpensmEngines.end();
}

}  // namespace clusterc
