#include "report/markdown.h"

namespace clusterc {

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) out += ' ';
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '@') out += "&#64;";
    else {
      if (std::string_view("\\`*_{}[]()#+!|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& c : cells) out += " " + markdown_text(c) + " |";
  return out + "\n";
}

}  // namespace clusterc
