// Counts and numbers of things are signed here (std::int64_t: -1 is "none"); the containers of the standard library
// take std::size_t.
#pragma once
#include <cstddef>
#include <cstdint>

namespace clusterc {

// The number as an index of a container. It must not be negative.
constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace clusterc
