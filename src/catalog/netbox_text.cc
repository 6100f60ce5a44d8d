#include "catalog/netbox_text.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace clusterc {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The number that ends before `at`, blanks between them passed over; `at` moves to its first digit. A comma before one
// or two digits is a decimal point.
std::optional<double> number_before(std::string_view text, std::size_t& at) {
  std::size_t end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && (digit(text[begin - 1]) || ((text[begin - 1] == '.' || text[begin - 1] == ',') && begin > 1 &&
                                                  digit(text[begin - 2]) && begin < end)))
    --begin;
  if (begin == end) return std::nullopt;
  std::string digits(text.substr(begin, end - begin));
  std::ranges::replace(digits, ',', '.');
  double value = 0;
  const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  at = begin;
  return value;
}

std::optional<double> number_after(std::string_view text, std::size_t at) {
  double value = 0;
  const auto [stop, failed] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return failed == std::errc() && stop > text.data() + at ? std::optional(value) : std::nullopt;
}

// Calls `found(watts, end)` for each "8.6kVA" and "22.0 kW".
template <class F>
void each_power(std::string_view text, F found) {
  for (std::size_t k = text.find_first_of("kK"); k != text.npos; k = text.find_first_of("kK", k + 1)) {
    const std::string_view rest = text.substr(k + 1);
    const std::size_t length = rest.starts_with("VA") ? 3 : rest.starts_with("W") ? 2 : 0;
    if (length == 0 || (k + length < text.size() && letter(text[k + length]))) continue;
    std::size_t at = k;
    if (const auto value = number_before(text, at)) found(*value * 1000, k + length);
  }
}

}  // namespace

std::vector<double> stated_volts(std::string_view text) {
  std::vector<double> out;
  for (std::size_t v = text.find('V'); v != text.npos; v = text.find('V', v + 1)) {
    if (v + 1 < text.size() && letter(text[v + 1])) continue;  // VA, and words
    std::size_t at = v;
    for (auto value = number_before(text, at); value; value = number_before(text, at)) {
      if (*value < 48 || *value > 1000) break;
      out.push_back(*value);
      if (at == 0 || (text[at - 1] != '-' && text[at - 1] != '/')) break;
      --at;
    }
  }
  return out;
}

std::optional<double> stated_power(std::string_view text) {
  std::optional<double> most;
  each_power(text, [&](double watts, std::size_t) { most = std::max(most.value_or(0), watts); });
  return most;
}

std::vector<StatedRating> stated_ratings(std::string_view text) {
  std::vector<StatedRating> out;
  each_power(text, [&](double watts, std::size_t end) {
    while (end < text.size() && text[end] == ' ') ++end;
    if (end >= text.size() || text[end] != '(') return;
    const std::size_t close = text.find(')', end);
    const auto amperes = number_after(text, end + 1);
    if (amperes && *amperes > 0 && close != text.npos && close > 0 && text[close - 1] == 'A')
      out.push_back({watts, *amperes});
  });
  return out;
}

std::optional<int> stated_outlets(std::string_view text, std::string_view kind) {
  for (std::size_t found = text.find(kind); found != text.npos; found = text.find(kind, found + 1)) {
    const std::size_t behind = found + kind.size();
    if (behind < text.size() && (digit(text[behind]) || text.substr(behind).starts_with("/"))) continue;
    std::size_t at = found;
    const auto back_over = [&](std::string_view word) {
      while (at > 0 && text[at - 1] == ' ') --at;
      if (!text.substr(0, at).ends_with(word)) return false;
      at -= word.size();
      return true;
    };
    back_over("IEC");
    const bool bracket = back_over(")");
    if (!bracket && !back_over("x")) back_over("X");
    while (at > 0 && text[at - 1] == ' ') --at;
    const auto value = number_before(text, at);
    if (!value || *value != static_cast<int>(*value) || *value < 1 || *value > 256) continue;
    if (bracket ? at == 0 || text[at - 1] != '(' : at > 0 && (letter(text[at - 1]) || text[at - 1] == '-')) continue;
    return static_cast<int>(*value);
  }
  return std::nullopt;
}

}  // namespace clusterc
