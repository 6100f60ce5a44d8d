#include "fields/scalar_text.h"

#include <charconv>
#include <cmath>

namespace clusterc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

bool leading_zero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]); }

std::optional<double> parse_decimal(std::string_view text, NumberProblem& problem) {
  std::string_view s = text;
  const bool negative = !s.empty() && s.front() == '-';
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.remove_prefix(1);
  if (s.empty() || !(is_digit(s[0]) || (s[0] == '.' && s.size() > 1 && is_digit(s[1])))) {
    problem = NumberProblem::not_a_number;
    return {};
  }
  if (leading_zero(s)) {
    problem = NumberProblem::leading_zero;
    return {};
  }
  double number = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
  if (error == std::errc::result_out_of_range) {
    problem = NumberProblem::too_large;
    return {};
  }
  if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(number)) {
    problem = NumberProblem::not_a_number;
    return {};
  }
  return negative ? -number : number;
}

}  // namespace

std::optional<std::int64_t> parse_whole(std::string_view text, NumberProblem& problem) {
  problem = NumberProblem::none;
  std::string_view s = text;
  int base = 10;
  bool negative = false;
  if (s.starts_with("0x") || s.starts_with("0o")) {
    base = s[1] == 'x' ? 16 : 8;
    s.remove_prefix(2);
  } else if (!s.empty() && (s.front() == '-' || s.front() == '+')) {
    negative = s.front() == '-';
    s.remove_prefix(1);
  }
  if (s.empty() || s.front() == '-') {
    problem = NumberProblem::not_a_number;
    return {};
  }
  if (base == 10 && leading_zero(s)) {
    problem = NumberProblem::leading_zero;
    return {};
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number, base);
  if (end == s.data() + s.size() && error == std::errc()) return negative ? -number : number;
  if (error == std::errc::result_out_of_range && end == s.data() + s.size()) {
    problem = NumberProblem::too_large;
    return {};
  }
  NumberProblem other;
  problem = parse_decimal(text, other) ? NumberProblem::not_whole : NumberProblem::not_a_number;
  return {};
}

std::optional<double> parse_ratio(std::string_view text, NumberProblem& problem) {
  problem = NumberProblem::none;
  if (const auto slash = text.find('/'); slash != text.npos) {
    const auto above = parse_decimal(trimmed(text.substr(0, slash)), problem);
    if (!above) return {};
    const auto below = parse_decimal(trimmed(text.substr(slash + 1)), problem);
    if (!below) return {};
    if (*below == 0 || !std::isfinite(*above / *below)) {
      problem = NumberProblem::not_a_number;
      return {};
    }
    return *above / *below;
  }
  if (text.ends_with('%')) {
    const auto percent = parse_decimal(trimmed(text.substr(0, text.size() - 1)), problem);
    if (!percent) return {};
    return *percent / 100;
  }
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const auto whole = parse_whole(text, problem);
    if (!whole) return {};
    return static_cast<double>(*whole);
  }
  return parse_decimal(text, problem);
}

std::optional<bool> parse_truth(std::string_view s) {
  if (s == "true" || s == "True" || s == "TRUE") return true;
  if (s == "false" || s == "False" || s == "FALSE") return false;
  return {};
}

std::string ratio_text(double number) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  (void)error;
  return std::string(buffer, end);
}

}  // namespace clusterc
