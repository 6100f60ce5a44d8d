// The scanner behind scan_yaml and replay_simple: one walk over the text. For yaml/scan*.cc alone.
//
// scan.cc has the structure (lines, indentation, brackets), scan_text.cc what stands in it (texts, anchors, tags),
// scan_mistakes.cc the mistakes that need a closer look at the text.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/scan.h"
#include "yaml/text_check.h"

namespace clusterc {

class YamlScanner {
 public:
  YamlScanner(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits)
      : sources_(sources), file_(file), findings_(findings), limits_(limits), text_(sources.text(file)) {}

  void replay(ScanEvents& events) {
    events_ = &events;
    walk();
    while (!indents_.empty()) indents_.pop_back(), events.close_block();
  }

  ScanResult run() {
    try {
      if (check_yaml_text(sources_, file_, findings_, limits_)) {
        result_.simple = text_.find_first_of("\t\r") == std::string_view::npos;
        walk();
        result_.ok = true;
      }
    } catch (const Stop&) {
    }
    return std::move(result_);
  }

 private:
  struct Stop {};  // thrown after the finding that ends the scan
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

  bool has(std::size_t i, char c) const { return i < text_.size() && text_[i] == c; }
  bool ends_word(std::size_t i) const { return yaml_blank_or_end(text_, i); }
  bool document_mark(std::size_t i) const {
    return i == line_ && (text_.substr(i, 3) == "---" || text_.substr(i, 3) == "...") && ends_word(i + 3);
  }
  std::uint32_t column() const { return static_cast<std::uint32_t>(p_ - line_); }
  int top() const { return indents_.empty() ? -1 : static_cast<int>(indents_.back().column); }

  void walk();
  bool to_token();
  void new_line() {
    if (text_[p_] == '\r' && has(p_ + 1, '\n')) ++p_;
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

  // Mistakes: scan_mistakes.cc.
  [[noreturn]] void not_closed();
  bool brackets_in_text(std::size_t where);
  void bad_indentation(std::size_t end, const Indent& last);
  std::string line_without_tabs() const;

  // Texts, anchors and tags: scan_text.cc.
  void property();
  void quoted();
  void plain();
  bool goes_on_below(int indent);
  void check_plain_key(std::size_t begin, std::size_t first_line, std::size_t end);
  [[noreturn]] void stop_for_missing_blank(std::size_t begin, std::size_t colon);
  bool simple_start(std::size_t where) const;
  void block_scalar();
  void end_node(std::size_t begin, bool plain);
  void check_length(std::size_t begin);

  static constexpr std::size_t kLongestKey = 1000;  // the parser takes none of more than 1,024 characters
  static constexpr std::int64_t kNoKey = -1;        // no key has begun on this line yet
  static constexpr std::int64_t kNoKeyHere = -2;    // a value stands here: no key may begin on this line

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

}  // namespace clusterc
