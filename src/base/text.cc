#include "base/text.h"

#include <algorithm>

namespace clusterc {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char kHex[] = "0123456789abcdef";
}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  if (from.empty()) return std::string(text);
  for (;;) {
    const std::size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t a_end = i, b_end = j;
    while (a_end < a.size() && is_digit(a[a_end])) ++a_end;
    while (b_end < b.size() && is_digit(b[b_end])) ++b_end;
    if (a_end - i != b_end - j) return a_end - i < b_end - j;  // more digits is more
    if (const int order = a.substr(i, a_end - i).compare(b.substr(j, b_end - j)); order != 0) return order < 0;
    i = a_end, j = b_end;
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a.size() != b.size() ? a.size() < b.size() : a < b;  // equal but for zeros in front
}

std::optional<std::uint64_t> parse_uint(std::string_view digits) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

void append_padded(std::string& out, std::uint64_t value, unsigned width) {
  char buffer[20];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const auto digits = static_cast<unsigned>(end - buffer);
  if (digits < width) out.append(width - digits, '0');
  out.append(buffer, end);
}

void append_hex(std::string& out, std::uint64_t value, unsigned width) {
  char buffer[16];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  const auto digits = static_cast<unsigned>(end - buffer);
  if (digits < width) out.append(width - digits, '0');
  out.append(buffer, end);
}

void append_mac(std::string& out, std::uint64_t address) {
  char buffer[17];
  char* at = buffer;
  for (int shift = 40; shift >= 0; shift -= 8) {
    *at++ = kHex[(address >> (shift + 4)) & 15u];
    *at++ = kHex[(address >> shift) & 15u];
    if (shift > 0) *at++ = ':';
  }
  out.append(buffer, sizeof buffer);
}

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

}  // namespace clusterc
