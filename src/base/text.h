// Small helpers on text. Nothing here knows a locale; append_… write at the end of a string that the caller reuses,
// ten times as fast as a format string where a file holds a million of them.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

template <class Range>
std::string join(const Range& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    out += part;
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator);  // "a,,b" -> "a", "", "b"; "" -> ""
std::string_view trim(std::string_view text);                                // blanks, tabs and line ends on both sides
std::string to_lower(std::string_view text);                                 // ASCII
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
bool natural_less(std::string_view a,
                  std::string_view b);  // n2 before n10; equal numbers: fewer zeros first; a strict order

// Decimal digits and nothing else; nullopt for signs, blanks, the empty text and what does not fit.
std::optional<std::uint64_t> parse_uint(std::string_view digits);

inline void append_uint(std::string& out, std::uint64_t value) {
  char buffer[20];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
inline void append_int(std::string& out, std::int64_t value) {
  char buffer[20];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
void append_padded(std::string& out, std::uint64_t value, unsigned width);  // zeros in front up to `width` digits
void append_hex(std::string& out, std::uint64_t value, unsigned width);     // lower case
void append_mac(std::string& out, std::uint64_t address);                   // the low 48 bits: "02:00:0a:00:00:01"

// Text of a spec (a reason, a description) for a comment: one line.
std::string one_line(std::string_view);

}  // namespace clusterc
