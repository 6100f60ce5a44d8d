#include "report/screen.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::string_view kRed = "\x1b[1;31m", kGreen = "\x1b[1;32m", kPlain = "\x1b[0m";
constexpr std::size_t kIndent = 4;

// Characters, not bytes: a continuation byte of UTF-8 takes no column.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t columns_of(std::string_view s) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](char c) { return !continues(c); }));
}

// The byte at which column `column` begins.
std::size_t byte_of(std::string_view s, std::size_t column) {
  std::size_t at = 0;
  for (; at < s.size(); ++at)
    if (!continues(s[at]) && column-- == 0) break;
  return at;
}

// Where the last column of a table begins that begins in the first half of the screen; 0: there is none.
std::size_t last_column(std::string_view line, std::size_t columns) {
  const std::size_t end = byte_of(line, columns / 2), begin = line.find_first_not_of(' ');
  std::size_t found = 0;
  for (std::size_t i = begin; i != std::string_view::npos && i + 2 < end; ++i)
    if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ') found = i + 2;
  return found == 0 ? 0 : columns_of(line.substr(0, found));
}

void fold(std::string_view line, std::size_t columns, std::string& out) {
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t below = last_column(line, columns);
  const std::size_t indent = below > margin ? below : std::min(margin + kIndent, columns / 2);
  for (std::size_t begun = 0; columns_of(line) + begun > columns; begun = indent) {
    const std::size_t room = byte_of(line, columns - begun);
    std::size_t cut = line.rfind(' ', room);
    if (cut == std::string_view::npos || line.find_first_not_of(' ') >= cut) {  // one word from end to end
      cut = line.find(' ', std::min(line.find_first_not_of(' '), line.size()));
      if (cut == std::string_view::npos) break;
    }
    const std::size_t rest = line.find_first_not_of(' ', cut);
    if (rest == std::string_view::npos) break;
    out += line.substr(0, line.find_last_not_of(' ', cut) + 1);
    out += '\n';
    out.append(indent, ' ');
    line.remove_prefix(rest);
  }
  out += line;
}

}  // namespace

std::string fold_to_width(std::string_view text, std::size_t columns) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    fold(text.substr(0, end), columns, out);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string color_limits(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto put = [&](std::string_view color, std::string_view what) {
    out.append(color).append(what).append(kPlain);
  };
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    for (const auto& [word, color] :
         {std::pair(std::string_view("NOT BUILDABLE"), kRed), std::pair(std::string_view("BUILDABLE"), kGreen)})
      if (line.starts_with(word)) {
        put(color, word);
        line.remove_prefix(word.size());
      }
    for (std::size_t at; (at = line.find("  ! ")) != std::string_view::npos;) {
      const std::size_t begin = at + 2, end = std::min(line.find("  ", begin), line.size());
      out += line.substr(0, begin);
      put(kRed, line.substr(begin, end - begin));
      line.remove_prefix(end);
    }
    out += line;
    if (!text.empty()) {
      out += '\n';
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace clusterc
