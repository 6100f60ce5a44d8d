#include "report/markdown.h"

#include <algorithm>

namespace clusterc {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '@')
      out += "&#64;";
    else {
      if (std::string_view("\\`*_{}[]()#+!|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// CommonMark 0.31, 6.1: as many backticks on either side as there stand nowhere inside; a blank beside each where the
// text begins or ends with one.
std::string markdown_code(std::string_view text) {
  std::string out;
  std::size_t run = 0, longest = 0;
  for (const char c : text) {
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (out.starts_with('`') || out.ends_with('`')) out = " " + out + " ";
  const std::string fence(longest + 1, '`');
  return fence + out + fence;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& c : cells) out += " " + markdown_text(c) + " |";
  return out + "\n";
}

}  // namespace clusterc
