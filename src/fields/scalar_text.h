// Text -> bool, whole number, ratio as YAML 1.2 (core schema) reads plain scalars, and what was wrong with it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

enum class NumberProblem { none, not_a_number, leading_zero, not_whole, too_large };

// 42, -3, 0x1F, 0o17. `010` is refused: one reader's ten is another's eight.
std::optional<std::int64_t> parse_whole(std::string_view, NumberProblem&);
// 0.97, 70e9, 4/3, 60 %; whole numbers too.
std::optional<double> parse_ratio(std::string_view, NumberProblem&);
// true, True, TRUE, false, False, FALSE.
std::optional<bool> parse_truth(std::string_view);
// Shortest text that parse_ratio reads back to the same double.
std::string ratio_text(double);

}  // namespace clusterc
