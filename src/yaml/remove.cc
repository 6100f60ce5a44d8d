#include "yaml/remove.h"

#include "yaml/scan.h"

namespace clusterc {
namespace {

class Remover {
 public:
  Remover(const Sources& sources, SourceSpan span) : text_(sources.text(span.file)), span_(span) {}

  bool plain() const { return span_.valid() && span_.begin < span_.end && span_.end <= text_.size(); }

  std::optional<Edit> item() const {
    const std::size_t before = back_over_blanks(span_.begin);
    if (before > 0 && text_[before - 1] == '-' && only_blanks_before(before - 1)) return block_item(before - 1);
    return in_brackets();
  }
  std::optional<Edit> pair() const {
    if (only_blanks_before(span_.begin)) {
      const auto after = line_end_behind(span_.end);
      if (after && !opens_or_parts(first_sign_before(span_.begin))) return edit(line_begin(span_.begin), *after, "");
    }
    return in_brackets();
  }

 private:
  Edit edit(std::size_t begin, std::size_t end, std::string with) const {
    return {{span_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, std::move(with)};
  }
  std::size_t back_over_blanks(std::size_t at) const {
    while (at > 0 && yaml_blank(text_[at - 1])) --at;
    return at;
  }
  std::size_t line_begin(std::size_t at) const {
    while (at > 0 && !yaml_break(text_[at - 1])) --at;
    return at;
  }
  bool only_blanks_before(std::size_t at) const { return back_over_blanks(at) == line_begin(at); }
  // Behind the line end (and a comment before it); nothing where something else stands in the line.
  std::optional<std::size_t> line_end_behind(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && yaml_blank(text_[end])) ++end;
    if (end < text_.size() && text_[end] == '#' && end > at)
      while (end < text_.size() && !yaml_break(text_[end])) ++end;
    if (end < text_.size() && !yaml_break(text_[end])) return std::nullopt;
    if (end < text_.size() && text_[end] == '\r') ++end;
    if (end < text_.size() && text_[end] == '\n') ++end;
    return end;
  }
  // The last sign before `at` that is neither white space nor (by whole lines) a comment; '\0': none. Good enough to
  // tell brackets.
  char first_sign_before(std::size_t at) const {
    while (at > 0) {
      const std::size_t begin = line_begin(at);
      const std::string_view line = text_.substr(begin, at - begin);
      const std::size_t first = line.find_first_not_of(" \t");
      if (first != line.npos && line[first] != '#') return line[line.find_last_not_of(" \t")];
      at = begin;
      while (at > 0 && yaml_break(text_[at - 1])) --at;
    }
    return '\0';
  }
  static bool opens_or_parts(char sign) { return sign == '[' || sign == '{' || sign == ','; }

  // Is there a dash in this column among the lines of the list, above or below?
  bool has_neighbour(std::size_t dash, std::size_t after) const {
    const std::size_t column = dash - line_begin(dash);
    const auto sign_at = [&](std::size_t begin)
        -> std::optional<bool> {  // true: an item; false: the list is over; nothing: look further
      std::size_t at = begin;
      while (at < text_.size() && text_[at] == ' ') ++at;
      if (at >= text_.size() || yaml_break(text_[at]) || text_[at] == '#' || text_[at] == '\t') return std::nullopt;
      if (at - begin > column) return std::nullopt;
      return at - begin == column && text_[at] == '-' && yaml_blank_or_end(text_, at + 1);
    };
    for (std::size_t at = after; at < text_.size();) {
      if (const auto found = sign_at(at)) {
        if (*found) return true;
        break;
      }
      while (at < text_.size() && !yaml_break(text_[at])) ++at;
      while (at < text_.size() && yaml_break(text_[at])) ++at;
    }
    for (std::size_t at = line_begin(dash); at > 0;) {
      std::size_t end = at;
      while (end > 0 && yaml_break(text_[end - 1])) --end;
      at = line_begin(end);
      if (const auto found = sign_at(at)) return *found;
    }
    return false;
  }

  // Of the lines that are only a comment, in the column of the dash and without a gap above it: they are about the
  // item.
  std::size_t begin_of_comments(std::size_t dash) const {
    std::size_t begin = line_begin(dash);
    const std::size_t column = dash - begin;
    while (begin > 0) {
      const std::size_t end = begin - (begin > 1 && text_.substr(begin - 2, 2) == "\r\n" ? 2 : 1),
                        above = line_begin(end);
      const std::string_view line = text_.substr(above, end - above);
      if (line.find_first_not_of(' ') != column || line[column] != '#') break;
      begin = above;
    }
    return begin;
  }

  std::optional<Edit> block_item(std::size_t dash) const {
    const auto after = line_end_behind(span_.end);
    if (!after) return std::nullopt;
    const std::size_t begin = begin_of_comments(dash);
    if (!has_neighbour(dash, *after))
      return edit(begin, span_.end, std::string(text_.substr(line_begin(dash), dash - line_begin(dash))) + "[]");
    return edit(begin, *after, "");
  }

  std::optional<Edit> in_brackets() const {
    std::size_t before = span_.begin;
    while (before > 0 && (yaml_blank(text_[before - 1]) || yaml_break(text_[before - 1]))) --before;
    if (before == 0 || !opens_or_parts(text_[before - 1])) return std::nullopt;
    // A comment's last sign may be a comma: then the line begins with, or has, a '#'.
    if (text_.substr(line_begin(before - 1), before - line_begin(before - 1)).find('#') != text_.npos)
      return std::nullopt;
    std::size_t behind = span_.end;
    while (behind < text_.size() && (yaml_blank(text_[behind]) || yaml_break(text_[behind]))) ++behind;
    if (behind >= text_.size()) return std::nullopt;
    if (text_[behind] == ',') {
      const auto line_end = line_end_behind(behind + 1);
      if (only_blanks_before(span_.begin) && line_end) return edit(line_begin(span_.begin), *line_end, "");
      std::size_t next = behind + 1;
      while (next < text_.size() && yaml_blank(text_[next])) ++next;
      return edit(span_.begin, next, "");
    }
    if (text_[behind] != ']' && text_[behind] != '}') return std::nullopt;
    return text_[before - 1] == ',' ? edit(before - 1, span_.end, "") : edit(span_.begin, span_.end, "");
  }

  std::string_view text_;
  SourceSpan span_;
};

}  // namespace

std::optional<Edit> removal_of_item(const Sources& sources, SourceSpan item) {
  const Remover remover(sources, item);
  return remover.plain() ? remover.item() : std::nullopt;
}

std::optional<Edit> removal_of_pair(const Sources& sources, SourceSpan pair) {
  const Remover remover(sources, pair);
  return remover.plain() ? remover.pair() : std::nullopt;
}

}  // namespace clusterc
