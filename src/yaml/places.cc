#include "yaml/places.h"

#include <algorithm>
#include <cstring>

namespace clusterc {

std::size_t yaml_property_end(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "!<")
    while (at < text.size() && text[at] != '>' && !yaml_break(text[at])) ++at;
  while (at < text.size() && !yaml_blank_or_end(text, at) && !std::strchr(",[]{}", text[at])) ++at;
  return at;
}

bool YamlPlaces::property_at(std::size_t at) const {
  return at < text_.size() && (text_[at] == '&' || text_[at] == '!');
}

std::size_t YamlPlaces::skip_properties(std::size_t at) const {
  while (property_at(at)) at = yaml_skip_space(text_, yaml_property_end(text_, at));
  return at;
}

std::size_t YamlPlaces::properties_end(std::size_t at) const {
  std::size_t end = at;
  while (property_at(at)) end = yaml_property_end(text_, at), at = yaml_skip_space(text_, end);
  return end;
}

std::size_t YamlPlaces::null_word(std::size_t at, bool in_brackets) const {
  for (const std::string_view word : {"~", "null", "Null", "NULL"})
    if (text_.substr(at, word.size()) == word) {
      const std::size_t end = at + word.size();
      std::size_t behind = end;
      while (behind < text_.size() && yaml_blank(text_[behind])) ++behind;
      if (behind >= text_.size() || yaml_break(text_[behind]) || (text_[behind] == '#' && behind > end))
        return word.size();
      // Else it is a word of a longer text: `null b`, and but for brackets `null,`, `null]` and `null:x`.
      if (in_brackets ? std::strchr(",:]}", text_[behind]) != nullptr
                      : text_[behind] == ':' && yaml_blank_or_end(text_, behind + 1))
        return word.size();
    }
  return 0;
}

std::size_t YamlPlaces::quote_end(std::size_t begin) const {
  const char quote = text_[begin];
  for (std::size_t i = begin + 1; i < text_.size(); ++i) {
    if (quote == '"' && text_[i] == '\\')
      ++i;
    else if (text_[i] == quote) {
      if (quote == '"' || i + 1 >= text_.size() || text_[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return text_.size();
}

std::size_t YamlPlaces::block_end(std::size_t begin) const {
  const auto found = std::ranges::lower_bound(scan_.block_scalars, begin, {}, &ByteRange::begin);
  if (found != scan_.block_scalars.end() && found->begin == begin) return found->end;
  return std::min(text_.size(), begin + 1);
}

// Line ends and the blanks around them were folded in the value: step over white space on both sides.
std::size_t YamlPlaces::plain_end(std::size_t begin, std::string_view value) const {
  if (text_.substr(begin, value.size()) == value) return begin + value.size();
  std::size_t i = begin, j = 0;
  const auto space = [](char c) { return yaml_blank(c) || yaml_break(c); };
  while (i < text_.size() && j < value.size()) {
    if (space(value[j])) {
      while (j < value.size() && space(value[j])) ++j;
      while (i < text_.size() && space(text_[i])) ++i;
    } else if (text_[i] == value[j]) {
      ++i, ++j;
    } else {
      break;
    }
  }
  return i;
}

}  // namespace clusterc
