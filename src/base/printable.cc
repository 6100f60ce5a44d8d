#include "base/printable.h"

#include <algorithm>
#include <array>

namespace clusterc {
namespace {

struct Range {
  char32_t first, last;
};
// In order. U+FE00-FE0F stay: they choose the form of the character before them, and emoji are written with them.
constexpr std::array<Range, 27> kHidden = {
    {{0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x0600, 0x0605},
     {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},
     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
     {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
     {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
     {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}}};

// Nearly all text: nothing in it that anybody would obey.
bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

// U+0020, U+00A0, U+1680, U+2000-200A, U+202F, U+205F, U+3000: what .NET's TrimStart takes from the front of a line
// (Unicode 15.1, category Zs). The others of its set are control characters.
bool is_blank(char32_t code) {
  return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f ||
         code == 0x205f || code == 0x3000;
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Character c = decode_utf8(text, at);
    if (!is_blank(c.code)) break;
    at += c.length;
  }
  return at;
}

void defuse_brackets(std::string& text, std::size_t from) {
  while ((from = bracket_of_command(text, from)) != std::string::npos) text.insert(from, 1, '\\'), from += 2;
}

}  // namespace

std::size_t bracket_of_command(std::string_view text, std::size_t from) {
  for (std::size_t at = from; (at = text.find("##", at)) != std::string_view::npos; ++at)
    for (const std::string_view begin : {"##[", "##vso["})
      if (text.substr(at).starts_with(begin)) return at + begin.size() - 1;
  return std::string_view::npos;
}

bool begins_command(std::string_view before) { return before.ends_with("##") || before.ends_with("##vso"); }

bool is_command(std::string_view line) { return line.substr(behind_blanks(line, 0)).starts_with("::"); }

bool is_hidden(char32_t code) {
  const auto at = std::ranges::upper_bound(kHidden, code, {}, &Range::first);
  return at != kHidden.begin() && code <= (at - 1)->last;
}

Character decode_utf8(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return {0xfffd, 1};
  char32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xc0) != 0x80) return {0xfffd, 1};
    code = code << 6 | (next & 0x3fu);
  }
  // Written longer than need be, halves of surrogate pairs, beyond Unicode.
  if ((length == 3 && code < 0x800) || (length == 4 && code < 0x10000) || (code >= 0xd800 && code <= 0xdfff) ||
      code > 0x10ffff)
    return {0xfffd, 1};
  return {code, length};
}

void append_visible(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    out.append(text, begin, at - begin);
    if (at == text.size()) return;
    const Character c = decode_utf8(text, at);
    if (c.code == '\t' || c.code == '\n' || c.code == '\r' || c.code == 0x85 || c.code == 0x2028 || c.code == 0x2029)
      out += ' ';
    else if (c.code == 0xfffd || is_hidden(c.code))
      out += kReplacement;
    else
      out.append(text, at, c.length);
    at += c.length;
  }
}

void append_printable(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  append_visible(out, text);
  const std::size_t first = behind_blanks(out, begin);
  if (first < out.size() && out[first] == ':') out.insert(first, 1, '\\');
  defuse_brackets(out, begin);
}

std::string printable(std::string_view text) {
  std::string out;
  append_printable(out, text);
  return out;
}

std::string without_commands(std::string text) {
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t first = behind_blanks(text, line);
    if (std::string_view(text).substr(first).starts_with("::")) text.insert(first, 1, '\\');
    const std::size_t end = text.find('\n', first);
    if (end == std::string::npos) break;
    line = end + 1;
  }
  defuse_brackets(text, 0);
  return text;
}

}  // namespace clusterc
