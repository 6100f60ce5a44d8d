#include "lsp/text.h"

#include <algorithm>

namespace clusterc::lsp {
namespace {

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
// A character outside the basic plane is a surrogate pair; in UTF-8 it begins with 0xf0 to 0xf4.
std::uint32_t utf16_units(char lead) { return static_cast<unsigned char>(lead) >= 0xf0 ? 2 : 1; }

}  // namespace

TextDocument::TextDocument(std::string text) : text_(std::move(text)) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_return) lines_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::size_t TextDocument::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(lines_, offset) - lines_.begin()) - 1;
}

std::size_t TextDocument::line_begin(std::size_t offset) const {
  return lines_[line_of(std::min(offset, text_.size()))];
}

std::size_t TextDocument::offset(Position p) const {
  if (p.line >= lines_.size()) return text_.size();
  std::size_t at = lines_[p.line];
  for (std::uint32_t units = 0; at < text_.size() && text_[at] != '\n' && text_[at] != '\r';) {
    units += utf16_units(text_[at]);
    if (units > p.character) break;
    do ++at;
    while (at < text_.size() && continuation(text_[at]));
  }
  return at;
}

Position TextDocument::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  while (offset > 0 && offset < text_.size() && continuation(text_[offset])) --offset;
  const std::size_t line = line_of(offset);
  Position p{static_cast<std::uint32_t>(line), 0};
  for (std::size_t at = lines_[line]; at < offset; ++at)
    if (!continuation(text_[at])) p.character += utf16_units(text_[at]);
  return p;
}

std::string TextDocument::replaced(Range range, std::string_view by) const {
  const std::size_t a = offset(range.start), b = offset(range.end);
  const std::size_t begin = std::min(a, b), end = std::max(a, b);
  std::string out;
  out.reserve(text_.size() - (end - begin) + by.size());
  out.append(text_, 0, begin).append(by).append(text_, end, std::string::npos);
  return out;
}

}  // namespace clusterc::lsp
