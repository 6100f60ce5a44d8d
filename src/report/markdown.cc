#include "report/markdown.h"

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"

namespace clusterc {

std::string markdown_text(std::string_view text) {
  std::string out;
  const std::string clean = printable(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '@')
      out += "&#64;";
    else {
      // GitHub makes links of "https://…" and "www.…" by themselves (GFM 6.9).
      const bool link = std::string_view(clean).substr(i).starts_with("://") ||
                        (c == '.' && i >= 3 && to_lower(std::string_view(clean).substr(i - 3, 3)) == "www");
      if (link || std::string_view("\\`*_{}[]()#+!|~").find(c) != std::string_view::npos) out += '\\';
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
  for (const char c : printable(text)) {
    out += c;
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (out.starts_with('`') || out.ends_with('`')) out = " " + out + " ";
  const std::string fence(longest + 1, '`');
  return fence + out + fence;
}

// CommonMark 0.31, 4.5: a fence of more backticks than stand anywhere inside.
std::string markdown_block(std::string_view language, std::string_view text) {
  std::size_t ticks = 3, run = 0;
  for (const char c : text) run = c == '`' ? run + 1 : 0, ticks = std::max(ticks, run + 1);
  const std::string fence(ticks, '`');
  std::string out = fence;
  ((out += language) += '\n') += text;
  if (!text.ends_with('\n')) out += '\n';
  return (out += fence) += '\n';
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& c : cells) out += " " + markdown_text(c) + " |";
  return out + "\n";
}

}  // namespace clusterc
