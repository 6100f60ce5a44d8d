#include "yaml/scan.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "yaml/hidden.h"

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
// The parser copies each text several times, so a single one is bounded on its own.
constexpr std::size_t kLongestText = 1u << 20;

// The first byte that does not continue well-formed UTF-8. Only run when there is one.
std::size_t first_bad_byte(std::string_view text) {
  std::size_t low = 0, high = text.size();
  // A prefix that ends inside a character is invalid too, so the search is for the longest valid prefix, by blocks.
  constexpr std::size_t kBlock = 4096;
  while (low + kBlock < high) {
    std::size_t middle = low + (high - low) / 2;
    while (middle > low && (static_cast<unsigned char>(text[middle]) & 0xc0) == 0x80) --middle;
    if (middle == low) break;
    if (simdjson::validate_utf8(text.data() + low, middle - low))
      low = middle;
    else
      high = middle;
  }
  while (low < text.size()) {
    std::size_t length = 1;
    const auto lead = static_cast<unsigned char>(text[low]);
    if (lead >= 0xf0)
      length = 4;
    else if (lead >= 0xe0)
      length = 3;
    else if (lead >= 0xc0)
      length = 2;
    if (low + length > text.size() || !simdjson::validate_utf8(text.data() + low, length)) return low;
    low += length;
  }
  return text.size();
}

constexpr std::size_t kLongestKey = 1000;  // the parser takes none of more than 1,024 characters

struct Stop {};  // thrown after the finding that ends the scan

class Scanner {
 public:
  Scanner(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits)
      : sources_(sources), file_(file), findings_(findings), limits_(limits), text_(sources.text(file)) {}

  void replay(ScanEvents& events) {
    events_ = &events;
    walk();
    while (!indents_.empty()) indents_.pop_back(), events.close_block();
  }

  ScanResult run() {
    try {
      check_bytes();
      walk();
      result_.ok = true;
    } catch (const Stop&) {
    }
    return std::move(result_);
  }

 private:
  struct Indent {
    std::uint32_t column;
    bool sequence;
    std::uint32_t at;
  };
  struct Flow {
    char open;
    std::uint32_t at;
    bool node = false;   // an item, key or value was read and not yet ended by ',' or ':'
    bool colon = false;  // the ':' of a pair was read
    bool comma = false;  // the last token was ','
  };

  [[noreturn]] void stop() { throw Stop{}; }
  SourceSpan span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  Finding& error(std::string_view rule, std::size_t begin, std::size_t end, std::string message) {
    return findings_.error(rule, span(begin, end), std::move(message));
  }
  std::uint32_t line_of(std::size_t at) const { return sources_.position(file_, static_cast<std::uint32_t>(at)).line; }
  std::string_view word(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kLongest = 40;
    std::string_view all = text_.substr(begin, end - begin);
    if (all.size() <= kLongest) return all;
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(all[cut]) & 0xc0) == 0x80) --cut;
    return all.substr(0, cut);
  }

  bool at(std::size_t i, char c) const { return i < text_.size() && text_[i] == c; }
  bool ends_word(std::size_t i) const { return yaml_blank_or_end(text_, i); }
  bool document_mark(std::size_t i) const {
    return i == line_ && (text_.substr(i, 3) == "---" || text_.substr(i, 3) == "...") && ends_word(i + 3);
  }
  std::uint32_t column() const { return static_cast<std::uint32_t>(p_ - line_); }
  int top() const { return indents_.empty() ? -1 : static_cast<int>(indents_.back().column); }

  void check_bytes();
  void walk();
  bool to_token();
  void new_line() {
    if (text_[p_] == '\r' && at(p_ + 1, '\n')) ++p_;
    line_ = ++p_;
    fresh_line_ = true;
    if (flow_.empty()) key_column_ = kNoKey;
  }
  void block_token();
  void flow_token();
  void first_on_line();
  void push_indent(std::uint32_t column, bool sequence, std::size_t where);
  void check_depth(std::size_t where);
  void begin_node(std::size_t where);
  void end_node(std::size_t begin, bool plain);
  void property();
  void quoted();
  void plain();
  [[noreturn]] void not_closed();
  bool brackets_in_text(std::size_t where);
  void bad_indentation(std::size_t end, const Indent& last);
  std::string line_without_tabs() const;
  bool simple_start(std::size_t where) const;
  void block_scalar();
  void open_flow();
  void close_flow();
  void flow_colon();
  // {a, b: 1}: the parser takes a key without a ':' only on the line of what ends it.
  void lone_key() {
    const Flow& level = flow_.back();
    if (level.open == '{' && level.node && !level.colon && (last_begin_ < line_ || p_ - last_begin_ > kLongestKey))
      result_.simple = false;
  }
  void count_node() {
    ++nodes_;
    result_.empty = false;
  }
  void check_memory(std::size_t where);
  void check_length(std::size_t begin);

  static constexpr std::int64_t kNoKey = -1;      // no key has begun on this line yet
  static constexpr std::int64_t kNoKeyHere = -2;  // a value stands here: no key may begin on this line

  const Sources& sources_;
  FileId file_;
  Findings& findings_;
  const YamlLimits& limits_;
  std::string_view text_;
  ScanResult result_;

  ScanEvents* events_ = nullptr;
  std::size_t p_ = 0;       // here
  std::size_t line_ = 0;    // start of this line
  bool fresh_line_ = true;  // no token on this line yet
  bool first_here_ = true;  // in a block: of the token at hand, was it the first on its line,
  int column_here_ = 0;     // and where it began
  std::int64_t key_column_ = kNoKey;
  std::size_t key_line_ = 0;  // the line that key_column_ is on
  std::vector<Indent> indents_;
  std::vector<Flow> flow_;
  std::size_t flow_tokens_ = 0;  // in the outermost open bracket
  std::size_t nodes_ = 0, perhaps_ = 0, next_check_ = 4096;
  std::size_t anchors_ = 0;
  bool document_open_ = false, document_over_ = false;
  std::optional<ByteRange> long_quote_;  // the last quoted text that runs over several lines
  bool plain_before_ = false;            // the last text had no quotes
  // Inside a bracket: the first line that stands no deeper than the line of the outermost one and begins with a key, as
  // if the bracket were closed; and what was open and read before it.
  struct Outside {
    std::size_t at, behind;
    std::vector<Flow> open;
  };
  std::optional<Outside> outside_;
  std::size_t last_begin_ = 0, last_end_ = 0;
};

void Scanner::check_bytes() {
  if (text_.size() > limits_.text_bytes) {
    findings_
        .error("spec-too-large", span(0, 0),
               format("the file has {} bytes, at most {} are read", text_.size(), limits_.text_bytes))
        .help("facts of single nodes belong in a CSV inventory, which has no such limit");
    stop();
  }
  if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
    error("spec-not-utf8", 0, 0, "the file is UTF-16, not UTF-8").help("save it as UTF-8");
    stop();
  }
  if (!simdjson::validate_utf8(text_.data(), text_.size())) {
    const std::size_t bad = first_bad_byte(text_);
    error("spec-not-utf8", bad, bad + 1, format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[bad])))
        .help("save the file as UTF-8");
    stop();
  }
  result_.simple = text_.find_first_of("\t\r") == std::string_view::npos;
  const std::size_t marks = yaml_byte_order_marks(text_);
  if (const auto hidden = hidden_character(text_.substr(marks), true)) {
    error("spec-control-character", marks + hidden->at, marks + hidden->at + hidden->size,
          format("invisible character U+{:04X} in the text", hidden->number))
        .help("remove it: a spec says what it seems to say");
    stop();
  }
}

void Scanner::walk() {
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

bool Scanner::to_token() {
  while (true) {
    while (p_ < text_.size() && yaml_blank(text_[p_])) ++p_;
    if (at(p_, '#'))
      while (p_ < text_.size() && !yaml_break(text_[p_])) ++p_;
    if (p_ >= text_.size()) return false;
    if (!yaml_break(text_[p_])) return true;
    new_line();
  }
}

void Scanner::check_depth(std::size_t where) {
  if (indents_.size() + flow_.size() <= limits_.depth) return;
  error("spec-nested-too-deep", where, where + 1, format("nested more than {} levels deep", limits_.depth))
      .note(span(indents_.empty() ? flow_.front().at : indents_.front().at,
                 (indents_.empty() ? flow_.front().at : indents_.front().at) + 1),
            "the first level begins here");
  stop();
}

// A lower bound, so that a hopeless file is refused before anything is built for it.
void Scanner::check_memory(std::size_t where) {
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

void Scanner::check_length(std::size_t begin) {
  if (p_ - begin <= kLongestText) return;
  error("spec-too-large", begin, begin + 1,
        format("a text of {} bytes, at most {} are read", p_ - begin, kLongestText));
  stop();
}

void Scanner::push_indent(std::uint32_t column, bool sequence, std::size_t where) {
  const bool same_column_list =
      sequence && !indents_.empty() && !indents_.back().sequence && top() == static_cast<int>(column);
  if (static_cast<int>(column) <= top() && !same_column_list) return;
  indents_.push_back({column, sequence, static_cast<std::uint32_t>(where)});
  count_node();
  if (events_ != nullptr) events_->open_block(sequence, where);
  check_depth(where);
}

// Ends the collections that this line's indentation ends.
void Scanner::first_on_line() {
  fresh_line_ = false;
  if (const std::size_t where = text_.substr(0, p_).find('\t', line_); where != std::string_view::npos) {
    error("spec-tab-in-indentation", where, where + 1, "a tab in the indentation")
        .label("YAML allows blanks only")
        .help(format("replace each tab by blanks: write `{}`", line_without_tabs()));
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

// The line as it would stand with blanks: as deep as the line before it, or deeper where that one opens a block.
std::string Scanner::line_without_tabs() const {
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

void Scanner::bad_indentation(std::size_t end, const Indent& last) {
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

void Scanner::block_token() {
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

void Scanner::flow_token() {
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

void Scanner::begin_node(std::size_t where) {
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

void Scanner::flow_colon() {
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

// A bracket is open where the text goes on as if it were not: closed behind what was read before.
void Scanner::not_closed() {
  std::string closing;
  const auto& open = outside_->open;
  for (auto level = open.rbegin(); level != open.rend(); ++level) closing += level->open == '[' ? ']' : '}';
  const std::size_t innermost = open.back().at;
  error("spec-bracket-not-closed", innermost, innermost + 1,
        format("'{}' is not closed before line {}", open.back().open, line_of(outside_->at)))
      .label(format("needs a '{}'", closing.front()))
      .note(span(outside_->at, outside_->at + 1), "the text goes on here as if it were")
      .fixed_by(format("write '{}'", closing), {{span(outside_->behind, outside_->behind), " " + closing}});
  stop();
}

// { names: gpu[01-12] }: a text with a bracket that is no list. Typographic quotes around it are none.
bool Scanner::brackets_in_text(std::size_t where) {
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

void Scanner::open_flow() {
  flow_.push_back({text_[p_], static_cast<std::uint32_t>(p_)});
  count_node();
  if (flow_.size() == 1) flow_tokens_ = 0;
  ++flow_tokens_;
  perhaps_ += 1;
  check_depth(p_);
  if (events_ != nullptr) events_->open_bracket(text_[p_] == '[', p_);
  ++p_;
}

void Scanner::close_flow() {
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

// An anchor, tag or alias: up to the next blank or, in brackets, the next indicator.
void Scanner::property() {
  last_begin_ = p_;
  result_.simple = false;
  anchors_ += text_[p_] == '&';
  if (text_[p_] == '!' && at(p_ + 1, '<'))
    while (p_ < text_.size() && text_[p_] != '>' && !yaml_break(text_[p_])) ++p_;
  const auto ends = [&](char c) {
    return yaml_blank(c) || yaml_break(c) || (c == ',' || c == '[' || c == ']' || c == '{' || c == '}');
  };
  while (p_ < text_.size() && !ends(text_[p_])) ++p_;
  if (p_ == last_begin_) ++p_;
  last_end_ = p_;
  check_length(last_begin_);
}

void Scanner::quoted() {
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
      if (quote == '"' || !at(p_ + 1, quote)) break;
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
bool Scanner::simple_start(std::size_t where) const {
  const char c = text_[where];
  if (c == '-')
    return where + 1 < text_.size() &&
           std::string_view(" \n-,:?#[]{}").find(text_[where + 1]) == std::string_view::npos;
  return std::string_view(",[]{}#&*!|>'\"%@`?:").find(c) == std::string_view::npos;
}

void Scanner::plain() {
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
      // Does the text go on below? Blank lines belong to it if it does.
      std::size_t next = p_, start = p_;
      while (next < text_.size() && (yaml_blank(text_[next]) || yaml_break(text_[next]))) {
        if (yaml_break(text_[next])) start = next + 1;
        ++next;
      }
      if (next >= text_.size() || text_[next] == '#' || static_cast<int>(next - start) < indent) break;
      if (next == start && (text_.substr(next, 3) == "---" || text_.substr(next, 3) == "...") && ends_word(next + 3))
        break;
      line_ = start;
      p_ = next;
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
  if (line_ != first_line && !in_flow && at(p_, ':') && ends_word(p_ + 1)) {
    const std::size_t first_end = text_.find_first_of("\r\n", begin);
    const std::size_t colon = text_.substr(begin, first_end - begin).find(':');
    const std::size_t key = text_.find_first_not_of(" \t", line_);
    if (colon != std::string_view::npos && colon > 0) {
      error("spec-missing-blank", begin, begin + colon + 1,
            format("no blank behind the ':' of '{}'", word(begin, begin + colon)))
          .fixed_by("insert a blank", {{span(begin + colon + 1, begin + colon + 1), " "}});
    } else if (key >= end) {
      error("spec-yaml-syntax", p_, p_ + 1, "a ':' where no key can stand")
          .note(span(begin, first_end), "this text goes on because the next line is indented deeper")
          .help("write the key and its ':' on one line");
    } else {
      error("spec-bad-indentation", key, end,
            format("'{}' cannot be a key here: it continues the text of line {}", word(key, end), line_of(begin)))
          .note(span(begin, first_end), "this text goes on because the next line is indented deeper")
          .help(format("indent '{}' like the key that it belongs beside", word(key, end)));
    }
    stop();
  }
  // A mapping is open at this column, so a key was expected.
  if (!in_flow && !indents_.empty() && !indents_.back().sequence && key_column_ == top() &&
      static_cast<std::int64_t>(begin - first_line) == key_column_ && !(at(p_, ':') && ends_word(p_ + 1)) &&
      text_[begin] != '@' && text_[begin] != '`' && text_[begin] != '%' && text_[begin] != ',' && text_[begin] != ']' &&
      text_[begin] != '}') {
    const std::size_t first_end = std::min(end, text_.find_first_of("\r\n", begin));
    const std::size_t colon = text_.substr(begin, first_end - begin).find(':');
    if (colon != std::string_view::npos && colon > 0) {
      error("spec-missing-blank", begin, begin + colon + 1,
            format("no blank behind the ':' of '{}'", word(begin, begin + colon)))
          .fixed_by("insert a blank", {{span(begin + colon + 1, begin + colon + 1), " "}});
    } else {
      error("spec-yaml-syntax", begin, first_end, format("'{}' is not a key: it has no ':'", word(begin, first_end)))
          .note(span(indents_.back().at, indents_.back().at + 1), "the mapping that it stands in begins here");
    }
    stop();
  }
  end_node(begin, true);
}

// In a block: is it a key? Then its column is a level of indentation.
void Scanner::end_node(std::size_t begin, bool is_plain) {
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
  if (!at(colon, ':') || !ends_word(colon + 1)) {
    // A value that stands no deeper than what it belongs to, or with something behind it: the parser judges that.
    if ((first_here_ && column_here_ <= top()) || !(colon >= text_.size() || yaml_break(text_[colon]) ||
                                                    (at(colon, '#') && colon > p_) || (at(colon, '#') && is_plain)))
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

void Scanner::block_scalar() {
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
    while (at(q, ' ')) ++q;
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

}  // namespace

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
  return Scanner(sources, file, findings, limits).run();
}

void replay_simple(const Sources& sources, FileId file, const YamlLimits& limits, ScanEvents& events) {
  Findings none;  // the same text was found clean before
  Scanner(sources, file, none, limits).replay(events);
}

}  // namespace clusterc
