#include "yaml/scan.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "yaml/scanner.h"

namespace clusterc {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// yaml-cpp 0.7 keeps every token of a bracketed collection until it is closed, as long as the whole of it might turn
// out to be a key. sizeof(YAML::Token) on LP64 (src/token.h: two enums, a Mark of three ints, a string, a vector, an
// int).
constexpr std::size_t kBytesPerQueuedToken = 88;
// What the parser and the document keep of an anchor: a node of std::map<std::string, size_t> (4 words of the tree, 4
// of the string, 1 of the value), the allocator's word, and ours of 24 bytes.
constexpr std::size_t kBytesPerAnchor = 104;

}  // namespace

void YamlScanner::walk() {
  p_ = line_ = yaml_byte_order_marks(text_);
  while (to_token()) {
    if (flow_.empty())
      block_token();
    else
      flow_token();
  }
  if (!flow_.empty() && outside_) not_closed();
  if (!flow_.empty()) {
    const Flow& open = flow_.back();
    error("spec-bracket-not-closed", open.at, open.at + 1,
          format("'{}' is not closed before the end of the file", open.open))
        .label(format("needs a '{}'", open.open == '[' ? ']' : '}'));
    stop();
  }
  check_memory(text_.size());
  result_.nodes_max = nodes_ + perhaps_ + 1;
}

bool YamlScanner::to_token() {
  while (true) {
    while (p_ < text_.size() && yaml_blank(text_[p_])) ++p_;
    if (has(p_, '#'))
      while (p_ < text_.size() && !yaml_break(text_[p_])) ++p_;
    if (p_ >= text_.size()) return false;
    if (!yaml_break(text_[p_])) return true;
    new_line();
  }
}

void YamlScanner::check_depth(std::size_t where) {
  if (indents_.size() + flow_.size() <= limits_.depth) return;
  error("spec-nested-too-deep", where, where + 1, format("nested more than {} levels deep", limits_.depth))
      .note(span(indents_.empty() ? flow_.front().at : indents_.front().at,
                 (indents_.empty() ? flow_.front().at : indents_.front().at) + 1),
            "the first level begins here");
  stop();
}

// A lower bound, so that a hopeless file is refused before anything is built for it.
void YamlScanner::check_memory(std::size_t where) {
  next_check_ = nodes_ + 4096;
  const std::size_t needed =
      text_.size() + sizeof(Document::Node) * nodes_ + kBytesPerQueuedToken * flow_tokens_ + kBytesPerAnchor * anchors_;
  if (needed <= limits_.memory_bytes) return;
  error("spec-too-large", where, where,
        format("{} values up to here need more than {} MB of memory", nodes_, limits_.memory_bytes >> 20))
      .help(flow_.empty()
                ? "facts of single nodes belong in a CSV inventory, which has no such limit"
                : "write the outermost bracket as indented lines, or put facts of single nodes in a CSV inventory");
  stop();
}

void YamlScanner::push_indent(std::uint32_t column, bool sequence, std::size_t where) {
  const bool same_column_list =
      sequence && !indents_.empty() && !indents_.back().sequence && top() == static_cast<int>(column);
  if (static_cast<int>(column) <= top() && !same_column_list) return;
  indents_.push_back({column, sequence, static_cast<std::uint32_t>(where)});
  count_node();
  if (events_ != nullptr) events_->open_block(sequence, where);
  check_depth(where);
}

// Ends the collections that this line's indentation ends.
void YamlScanner::first_on_line() {
  fresh_line_ = false;
  if (const std::size_t where = text_.substr(0, p_).find('\t', line_); where != std::string_view::npos) {
    error("spec-tab-in-indentation", where, where + 1, "a tab in the indentation")
        .label("YAML allows only spaces")
        .help(format("replace each tab by spaces: write `{}`", line_without_tabs()));
    stop();
  }
  const bool item = text_[p_] == '-' && ends_word(p_ + 1);
  bool ended = false;
  const auto here = static_cast<int>(column());
  std::optional<Indent> last;
  while (!indents_.empty() && (top() > here || (top() == here && indents_.back().sequence && !item))) {
    last = indents_.back();
    indents_.pop_back();
    if (events_ != nullptr) events_->close_block();
    ended = true;
  }
  if (ended && top() < here) {
    std::size_t end = p_;
    while (end < text_.size() && !ends_word(end) && !(text_[end] == ':' && ends_word(end + 1))) ++end;
    if (last->sequence && static_cast<int>(last->column) == here) {
      error("spec-bad-indentation", p_, end,
            format("'{}' stands in a list but does not begin with '- '", word(p_, end)))
          .note(span(last->at, last->at + 1), "the list begins here");
      stop();
    }
    bad_indentation(end, *last);
    stop();
  }
}

void YamlScanner::block_token() {
  if (document_mark(p_)) {
    const bool starts = text_[p_] == '-';
    result_.simple = false;
    if (starts && (document_open_ || document_over_)) {
      error("spec-second-document", p_, p_ + 3, "a second document begins here, a spec is one document");
      stop();
    }
    if (starts)
      document_open_ = true;
    else
      document_over_ = document_open_ || !result_.empty;
    indents_.clear();
    p_ += 3;
    fresh_line_ = false;
    key_column_ = kNoKeyHere;  // nothing but a value may follow "---" on its line
    if (starts) key_column_ = kNoKey;
    return;
  }
  if (document_over_) {
    error("spec-second-document", p_, p_ + 1, "text after the end of the document, a spec is one document");
    stop();
  }
  if (p_ == line_ && text_[p_] == '%' && !document_open_) {  // a directive
    result_.simple = false;
    while (p_ < text_.size() && !yaml_break(text_[p_])) ++p_;
    return;
  }
  first_here_ = fresh_line_;
  if (fresh_line_) first_on_line();
  column_here_ = static_cast<int>(column());
  document_open_ = true;
  const char c = text_[p_];
  if ((c == '-' || c == '?') && ends_word(p_ + 1)) {
    if (key_column_ == kNoKey) push_indent(column(), c == '-', p_);  // else the parser has a word to say
    if (c == '?') result_.simple = false;
    if (events_ != nullptr) events_->dash();
    perhaps_ += 2;
    ++p_;
    return;
  }
  if (c == ':' && ends_word(p_ + 1)) {
    perhaps_ += 2;
    key_column_ = kNoKey;
    result_.simple = false;
    ++p_;
    return;
  }
  if (key_column_ == kNoKey) key_column_ = column(), key_line_ = line_;
  switch (c) {
    case '&':
    case '!':
      property();
      break;
    case '*':
      count_node(), property(), end_node(last_begin_, false);
      break;
    case '[':
    case '{':
      open_flow();
      break;
    case '|':
    case '>':
      block_scalar();
      break;
    case '"':
    case '\'':
      quoted();
      break;
    default:
      plain();
  }
  if (nodes_ >= next_check_) check_memory(p_);
}

void YamlScanner::flow_token() {
  if (document_mark(p_)) result_.simple = false;  // no text, and nothing that a flow may hold: the parser says so
  if (fresh_line_ && !outside_) {
    std::size_t first = flow_.front().at;
    while (first > 0 && !yaml_break(text_[first - 1])) --first;
    const std::size_t depth = text_.find_first_not_of(' ', first) - first;
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,[]{}", p_), text_.size());
    if (column() <= depth && line_ > first && end > p_ + 1 && text_[end - 1] == ':')
      outside_ = Outside{p_, last_end_, flow_};
  }
  fresh_line_ = false;
  ++flow_tokens_;
  const char c = text_[p_];
  Flow& level = flow_.back();
  switch (c) {
    case '[':
    case '{':
      begin_node(p_), open_flow();
      return;
    case ']':
    case '}':
      close_flow();
      return;
    case ',':
      if (!level.node && !level.colon) {
        error("spec-empty-item", p_, p_ + 1,
              level.comma ? "nothing between two commas" : format("nothing between '{}' and ','", level.open))
            .help("take the comma away, or write null if an empty item is meant");
        stop();
      }
      lone_key();
      level.node = level.colon = false;
      level.comma = true;
      ++p_;
      if (events_ != nullptr) events_->comma();
      return;
    case '&':
    case '!':
      property();
      return;
    case '*':
      begin_node(p_), count_node(), property(), end_node(last_begin_, false);
      return;
    case '"':
    case '\'':
      begin_node(p_), quoted();
      return;
    case ':': {
      const bool behind_json =
          p_ > 0 && (text_[p_ - 1] == '"' || text_[p_ - 1] == '\'' || text_[p_ - 1] == ']' || text_[p_ - 1] == '}');
      if (behind_json || ends_word(p_ + 1) || text_[p_ + 1] == ',' || text_[p_ + 1] == ']' || text_[p_ + 1] == '}') {
        flow_colon();
        return;
      }
      break;
    }
    case '?':
      result_.simple = false;
      if (ends_word(p_ + 1)) {
        ++p_;
        return;
      }
      break;
    default:
      break;
  }
  begin_node(p_);
  plain();
  if (nodes_ >= next_check_) check_memory(p_);
}

void YamlScanner::begin_node(std::size_t where) {
  Flow& level = flow_.back();
  if (level.node) {
    if (outside_) not_closed();
    if (brackets_in_text(where)) stop();
    error("spec-missing-comma", where, where + 1, format("',' missing before this, inside '{}'", level.open))
        .note(span(level.at, level.at + 1), "opened here")
        .fixed_by("insert ','", {{span(last_end_, last_end_), ","}});
    stop();
  }
  level.node = true;
  level.comma = false;
}

void YamlScanner::flow_colon() {
  Flow& level = flow_.back();
  if (level.colon) {
    if (outside_) not_closed();
    // {a: 1 b: 2} reads "1 b" as one text: the last word of it was meant as the next key.
    std::size_t begin = last_end_;
    while (begin > last_begin_ && !yaml_blank(text_[begin - 1]) && !yaml_break(text_[begin - 1])) --begin;
    std::size_t gap = begin;
    while (gap > last_begin_ && (yaml_blank(text_[gap - 1]) || yaml_break(text_[gap - 1]))) --gap;
    if (gap > last_begin_) {
      error("spec-missing-comma", begin, last_end_, format("',' missing before the key '{}'", word(begin, last_end_)))
          .note(span(level.at, level.at + 1), "inside this bracket")
          .fixed_by("insert ','", {{span(gap, gap), ","}});
    } else {
      error("spec-yaml-syntax", p_, p_ + 1, "a second ':' in one pair").help("put text that contains ': ' in quotes");
    }
    stop();
  }
  level.colon = true;
  level.node = level.comma = false;
  perhaps_ += 3;
  ++p_;
  // The parser takes a key in brackets only on the line of its ':', and not a long one.
  if (level.open == '[' || last_begin_ < line_ || p_ - last_begin_ > kLongestKey) result_.simple = false;
  if (events_ != nullptr) events_->colon();
}

void YamlScanner::open_flow() {
  flow_.push_back({text_[p_], static_cast<std::uint32_t>(p_)});
  count_node();
  if (flow_.size() == 1) flow_tokens_ = 0;
  ++flow_tokens_;
  perhaps_ += 1;
  check_depth(p_);
  if (events_ != nullptr) events_->open_bracket(text_[p_] == '[', p_);
  ++p_;
}

void YamlScanner::close_flow() {
  const Flow level = flow_.back();
  const char c = text_[p_];
  if ((level.open == '[') != (c == ']')) {
    error("spec-bracket-not-closed", p_, p_ + 1, format("'{}' closes nothing: the open bracket is '{}'", c, level.open))
        .note(span(level.at, level.at + 1), "opened here");
    stop();
  }
  lone_key();
  flow_.pop_back();
  ++p_;
  if (events_ != nullptr) events_->close_bracket(p_);
  last_begin_ = level.at;
  last_end_ = p_;
  if (flow_.empty()) {
    check_memory(p_);
    flow_tokens_ = 0;
    outside_.reset();
    end_node(level.at, false);
  }
}

std::size_t yaml_byte_order_marks(std::string_view text) {
  std::size_t at = 0;
  while (text.substr(at).starts_with(kByteOrderMark)) at += kByteOrderMark.size();
  return at;
}

std::size_t yaml_skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (yaml_blank(text[at]) || yaml_break(text[at]))
      ++at;
    else if (text[at] == '#' && (at == 0 || yaml_blank(text[at - 1]) || yaml_break(text[at - 1])))
      while (at < text.size() && !yaml_break(text[at])) ++at;
    else
      break;
  }
  return at;
}

ScanResult scan_yaml(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits) {
  return YamlScanner(sources, file, findings, limits).run();
}

void replay_simple(const Sources& sources, FileId file, const YamlLimits& limits, ScanEvents& events) {
  Findings none;  // the same text was found clean before
  YamlScanner(sources, file, none, limits).replay(events);
}

}  // namespace clusterc
