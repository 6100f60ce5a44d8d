// Mistakes that the scanner explains at length: what was probably meant, as a line to write.
#include <algorithm>
#include <string>

#include "base/format.h"
#include "yaml/scanner.h"

namespace clusterc {

// A bracket is open where the text goes on as if it were not: closed behind what was read before.
void YamlScanner::not_closed() {
  std::string closing;
  const auto& open = outside_->open;
  for (auto level = open.rbegin(); level != open.rend(); ++level) closing += level->open == '[' ? ']' : '}';
  const std::size_t innermost = open.back().at;
  error("spec-bracket-not-closed", innermost, innermost + 1,
        format("'{}' is not closed before line {}", open.back().open, line_of(outside_->at)))
      .label(format("needs a '{}'", closing.front()))
      .note(span(outside_->at, outside_->at + 1), "the text continues here as if the bracket were closed")
      .fixed_by(format("write '{}'", closing), {{span(outside_->behind, outside_->behind), " " + closing}});
  stop();
}

// { names: gpu[01-12] }: a text with a bracket that is no list. Typographic quotes around it are none.
bool YamlScanner::brackets_in_text(std::size_t where) {
  if (!plain_before_ || where != last_end_ || text_[where] != '[') return false;
  std::size_t end = where, depth = 0;
  for (; end < text_.size() && !yaml_break(text_[end]); ++end) {
    if (text_[end] == '[') ++depth;
    if (text_[end] == ']' && depth > 0) --depth;
    if (depth == 0 && (yaml_blank(text_[end]) || text_[end] == ',' || text_[end] == '}' || text_[end] == ']') &&
        text_[end] != ']')
      break;
  }
  if (depth != 0) return false;
  std::string_view all = text_.substr(last_begin_, end - last_begin_);
  for (const std::string_view quote :
       {"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99"}) {
    if (all.starts_with(quote)) all.remove_prefix(quote.size());
    if (all.ends_with(quote)) all.remove_suffix(quote.size());
  }
  if (all.find_first_of("\"\\") != all.npos) return false;
  error("spec-yaml-syntax", last_begin_, end,
        format("inside '{}' a '[' begins a list: a text with brackets needs quotes", flow_.back().open))
      .fixed_by(format("write \"{}\"", all), {{span(last_begin_, end), format("\"{}\"", all)}});
  return true;
}

// The line as it would stand with blanks: as deep as the line before it, or deeper where that one opens a block.
std::string YamlScanner::line_without_tabs() const {
  std::size_t end = line_;  // of the line before that holds something
  while (end > 0 && (yaml_break(text_[end - 1]) || yaml_blank(text_[end - 1]))) --end;
  std::size_t begin = end;
  while (begin > 0 && !yaml_break(text_[begin - 1])) --begin;
  const std::string_view before = text_.substr(begin, end - begin);
  const std::size_t blanks = before.find_first_not_of(" \t");
  std::size_t depth = blanks == before.npos || before.substr(0, blanks).find('\t') != before.npos ? 0 : blanks;
  if (before.ends_with(':')) depth += 2;
  return std::string(depth, ' ') + std::string(word(p_, std::min(text_.find_first_of("\r\n", p_), text_.size())));
}

void YamlScanner::bad_indentation(std::size_t end, const Indent& last) {
  Finding& finding =
      error("spec-bad-indentation", p_, end, format("an indentation of {} fits nothing above", column()));
  if (!indents_.empty())
    finding.note(span(indents_.back().at, indents_.back().at + 1),
                 format("the enclosing level is indented by {}", top()));
  finding.note(span(last.at, last.at + 1), format("the level before is indented by {}", last.column));
  // A key that opens a block is likelier to stand beside what the level above holds; a value beside the values before.
  const std::size_t line_end = std::min(text_.find_first_of("\r\n", p_), text_.size());
  const std::string_view line = text_.substr(p_, line_end - p_);
  constexpr std::size_t kLongest = 120;
  if (line.size() > kLongest || indents_.empty()) return;
  const bool opens = line.ends_with(':');
  finding.help(format("write `{}{}` to stand beside {}",
                      std::string(opens ? static_cast<std::size_t>(top()) : last.column, ' '), line,
                      opens ? "what the level above holds" : "the keys before it"));
}

}  // namespace clusterc
