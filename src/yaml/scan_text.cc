// Texts (plain, quoted, block), anchors and tags: where each ends, and whether it is a key.
#include <algorithm>
#include <optional>

#include "base/format.h"
#include "yaml/scanner.h"

namespace clusterc {
namespace {

// The parser copies each text several times, so a single one is bounded on its own.
constexpr std::size_t kLongestText = 1u << 20;

}  // namespace

void YamlScanner::check_length(std::size_t begin) {
  if (p_ - begin <= kLongestText) return;
  error("spec-too-large", begin, begin + 1,
        format("a text of {} bytes, at most {} are read", p_ - begin, kLongestText));
  stop();
}

// An anchor, tag or alias: up to the next blank or, in brackets, the next indicator.
void YamlScanner::property() {
  last_begin_ = p_;
  result_.simple = false;
  anchors_ += text_[p_] == '&';
  if (text_[p_] == '!' && has(p_ + 1, '<'))
    while (p_ < text_.size() && text_[p_] != '>' && !yaml_break(text_[p_])) ++p_;
  const auto ends = [&](char c) {
    return yaml_blank(c) || yaml_break(c) || (c == ',' || c == '[' || c == ']' || c == '{' || c == '}');
  };
  while (p_ < text_.size() && !ends(text_[p_])) ++p_;
  if (p_ == last_begin_) ++p_;
  last_end_ = p_;
  check_length(last_begin_);
}

void YamlScanner::quoted() {
  const std::size_t begin = p_;
  const char quote = text_[p_++];
  const std::size_t first_line = line_;
  const char stops[] = {quote, '\\', '\n', '\r', 0};
  count_node();
  while (true) {
    p_ = text_.find_first_of(stops, p_);
    if (p_ == std::string_view::npos) break;
    const char c = text_[p_];
    if (c == quote) {
      if (quote == '"' || !has(p_ + 1, quote)) break;
      result_.simple = false;
      p_ += 2;
    } else if (c == '\\') {
      if (quote == '"') result_.simple = false;
      p_ += quote == '"' && p_ + 1 < text_.size() && !yaml_break(text_[p_ + 1]) ? 2 : 1;
    } else {
      const std::int64_t key = key_column_;
      new_line();
      key_column_ = key;
      fresh_line_ = false;
      if (document_mark(p_)) {
        p_ = std::string_view::npos;
        break;
      }
    }
  }
  if (p_ == std::string_view::npos || p_ >= text_.size()) {
    Finding& finding = error("spec-quote-not-closed", begin, begin + 1, format("the quote {} is not closed", quote))
                           .label("opened here");
    if (long_quote_)
      finding.note(span(long_quote_->begin, long_quote_->begin + 1),
                   "this earlier quote runs over several lines; its end may be the one that is missing");
    stop();
  }
  ++p_;
  plain_before_ = false;
  check_length(begin);
  if (line_ != first_line)
    result_.simple = false, long_quote_ = ByteRange{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p_)};
  end_node(begin, false);
}

// May a text begin so, in any reading of the standard?
bool YamlScanner::simple_start(std::size_t where) const {
  const char c = text_[where];
  if (c == '-')
    return where + 1 < text_.size() &&
           std::string_view(" \n-,:?#[]{}").find(text_[where + 1]) == std::string_view::npos;
  return std::string_view(",[]{}#&*!|>'\"%@`?:").find(c) == std::string_view::npos;
}

// Steps to the line below, if the text goes on there. Blank lines belong to it if it does.
bool YamlScanner::goes_on_below(int indent) {
  std::size_t next = p_, start = p_;
  while (next < text_.size() && (yaml_blank(text_[next]) || yaml_break(text_[next]))) {
    if (yaml_break(text_[next])) start = next + 1;
    ++next;
  }
  if (next >= text_.size() || text_[next] == '#' || static_cast<int>(next - start) < indent) return false;
  if (next == start && (text_.substr(next, 3) == "---" || text_.substr(next, 3) == "...") && ends_word(next + 3))
    return false;
  line_ = start;
  p_ = next;
  return true;
}

void YamlScanner::stop_for_missing_blank(std::size_t begin, std::size_t colon) {
  error("spec-missing-blank", begin, colon + 1, format("there is no space after the ':' of '{}'", word(begin, colon)))
      .fixed_by("insert a space", {{span(colon + 1, colon + 1), " "}});
  stop();
}

// In a block: a key that is none, because of its line or for want of a ':'.
void YamlScanner::check_plain_key(std::size_t begin, std::size_t first_line, std::size_t end) {
  if (line_ != first_line && has(p_, ':') && ends_word(p_ + 1)) {
    const std::size_t first_end = text_.find_first_of("\r\n", begin);
    const std::size_t colon = text_.substr(begin, first_end - begin).find(':');
    const std::size_t key = text_.find_first_not_of(" \t", line_);
    if (colon != std::string_view::npos && colon > 0) stop_for_missing_blank(begin, begin + colon);
    if (key >= end)
      error("spec-yaml-syntax", p_, p_ + 1, "a ':' where no key can stand")
          .note(span(begin, first_end), "this text goes on because the next line is indented deeper")
          .help("write the key and its ':' on one line");
    else
      error("spec-bad-indentation", key, end,
            format("'{}' cannot be a key here: it continues the text of line {}", word(key, end), line_of(begin)))
          .note(span(begin, first_end), "this text goes on because the next line is indented deeper")
          .help(format("indent '{}' like the key that it belongs beside", word(key, end)));
    stop();
  }
  // A mapping is open at this column, so a key was expected.
  if (!indents_.empty() && !indents_.back().sequence && key_column_ == top() &&
      static_cast<std::int64_t>(begin - first_line) == key_column_ && !(has(p_, ':') && ends_word(p_ + 1)) &&
      text_[begin] != '@' && text_[begin] != '`' && text_[begin] != '%' && text_[begin] != ',' && text_[begin] != ']' &&
      text_[begin] != '}') {
    const std::size_t first_end = std::min(end, text_.find_first_of("\r\n", begin));
    const std::size_t colon = text_.substr(begin, first_end - begin).find(':');
    if (colon != std::string_view::npos && colon > 0) stop_for_missing_blank(begin, begin + colon);
    error("spec-yaml-syntax", begin, first_end, format("'{}' is not a key: it has no ':'", word(begin, first_end)))
        .note(span(indents_.back().at, indents_.back().at + 1), "the mapping that it stands in begins here");
    stop();
  }
}

void YamlScanner::plain() {
  const std::size_t begin = p_;
  const std::size_t first_line = line_;
  const bool in_flow = !flow_.empty();
  const int indent = in_flow ? 0 : top() + 1;
  std::size_t end = p_;  // behind the last character that is not blank
  count_node();
  while (p_ < text_.size()) {
    const char c = text_[p_];
    if (c == ':') {
      if (ends_word(p_ + 1)) break;
      if (in_flow && (text_[p_ + 1] == ',' || text_[p_ + 1] == ']' || text_[p_ + 1] == '}')) break;
    } else if (c == '#') {
      if (p_ > begin && yaml_blank(text_[p_ - 1])) break;
    } else if (in_flow && (c == ',' || c == '[' || c == ']' || c == '{' || c == '}')) {
      break;
    } else if (yaml_blank(c)) {
      ++p_;
      continue;
    } else if (yaml_break(c)) {
      if (!goes_on_below(indent)) break;
      continue;
    }
    end = ++p_;
  }
  if (p_ == begin) end = ++p_;  // an indicator that cannot begin a text: the parser says so
  check_length(begin);
  last_begin_ = begin;
  last_end_ = end;
  plain_before_ = true;
  if (line_ != first_line || !simple_start(begin) ||
      (in_flow && text_.substr(begin, end - begin).find('?') != std::string_view::npos))
    result_.simple = false;
  if (!in_flow) check_plain_key(begin, first_line, end);
  end_node(begin, true);
}

// In a block: is it a key? Then its column is a level of indentation.
void YamlScanner::end_node(std::size_t begin, bool is_plain) {
  last_begin_ = begin;
  if (!is_plain) last_end_ = p_;
  const bool bracket = text_[begin] == '[' || text_[begin] == '{';
  const bool quoted = text_[begin] == '"' || text_[begin] == '\'';
  if (!flow_.empty()) {
    if (events_ != nullptr && !bracket) events_->text(begin, last_end_, quoted, false);
    return;
  }
  std::size_t colon = p_;
  while (colon < text_.size() && yaml_blank(text_[colon])) ++colon;
  if (!has(colon, ':') || !ends_word(colon + 1)) {
    // A value that stands no deeper than what it belongs to, or with something behind it: the parser judges that.
    if ((first_here_ && column_here_ <= top()) || !(colon >= text_.size() || yaml_break(text_[colon]) ||
                                                    (has(colon, '#') && colon > p_) || (has(colon, '#') && is_plain)))
      result_.simple = false;
    if (events_ != nullptr && !bracket) events_->text(begin, last_end_, quoted, false);
    return;
  }
  if (bracket || colon - begin > kLongestKey) result_.simple = false;
  if (key_column_ >= 0 && key_line_ != line_) {  // a key has one line: the parser says so
    result_.simple = false;
    return;
  }
  if (key_column_ == kNoKeyHere) {
    Finding& finding = error("spec-yaml-syntax", colon, colon + 1, "a second ': ' in one line");
    const std::size_t first = line_ + static_cast<std::size_t>(top() < 0 ? 0 : top());
    const std::size_t end = std::min({text_.find_first_of("\r\n", begin), text_.find(" #", begin), text_.size()});
    const std::string_view value = text_.substr(begin, end - begin);
    constexpr std::size_t kLongest = 80;
    const bool plain = is_plain && first < begin && value.size() <= kLongest &&
                       value.find_first_of("\"\\`") == value.npos && text_.substr(first, 2) != "- ";
    finding.help(plain ? format("write `{}\"{}\"`, or begin the inner mapping on a line of its own",
                                text_.substr(first, begin - first), value)
                       : "put text that contains ': ' in quotes, or begin the inner mapping on a line of its own");
    stop();
  }
  if (key_column_ >= 0)
    push_indent(static_cast<std::uint32_t>(key_column_), false, line_ + static_cast<std::size_t>(key_column_));
  if (key_column_ != static_cast<std::int64_t>(begin - line_)) result_.simple = false;
  if (events_ != nullptr) events_->text(begin, last_end_, quoted, true);
  key_column_ = kNoKeyHere;
  perhaps_ += 1;
  p_ = colon + 1;
}

void YamlScanner::block_scalar() {
  const std::size_t begin = p_++;
  // `>-` alone on its line, and below it lines that begin in one column, none of them blank: they are read as one line.
  bool simple = text_.substr(begin, 3) == ">-\n";
  bool gap = false;  // an empty line: it may end the text only
  std::string value;
  count_node();
  int indent = 1;
  bool detect = true;
  while (p_ < text_.size() && (text_[p_] == '+' || text_[p_] == '-' || (text_[p_] >= '1' && text_[p_] <= '9'))) {
    if (text_[p_] >= '1' && text_[p_] <= '9') indent = text_[p_] - '0', detect = false;
    ++p_;
  }
  if (top() >= 0) indent += top();
  while (p_ < text_.size() && !yaml_break(text_[p_])) ++p_;  // a comment; anything else the parser refuses
  std::size_t end = p_;
  while (p_ < text_.size()) {
    new_line();
    std::size_t q = p_;
    while (has(q, ' ')) ++q;
    if (q >= text_.size()) {
      simple = simple && q == line_;  // blanks without a line end are a line of the text to the parser
      p_ = q;
      break;
    }
    if (yaml_break(text_[q])) {
      simple = simple && q == line_;
      gap = true;
      p_ = q;
      continue;
    }
    const auto here = static_cast<int>(q - line_);
    if (detect) indent = std::max(indent, here), detect = false;
    if (here < indent) break;
    const std::size_t content = q;
    while (q < text_.size() && !yaml_break(text_[q])) ++q;
    simple = simple && !gap && here == indent && text_[content] != '#' && text_[q - 1] != ' ';
    if (simple && events_ != nullptr) {
      if (!value.empty()) value += ' ';
      value += text_.substr(content, q - content);
    }
    end = p_ = q;
  }
  if (!simple || end < begin + 3)
    result_.simple = false;
  else if (events_ != nullptr)
    events_->folded(begin, end, value);
  check_length(begin);
  key_column_ = kNoKey;
  result_.block_scalars.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

}  // namespace clusterc
