// A first, fast look at YAML text, before the parser sees it. It knows the lexical shape of YAML (indentation,
// brackets, quotes, block scalars) and nothing of meaning. It does what the parser does badly or too late: refuses
// bytes that are not text, bounds nesting and memory before anything is built, and names the usual slips in the words
// of the one who made them. What it cannot judge it leaves to the parser.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "yaml/document.h"

namespace clusterc {

struct ByteRange {
  std::uint32_t begin = 0, end = 0;
};

// What the scan can tell of text in the simple part of YAML, in the order of the text: block and bracketed collections,
// keys, texts of one line without escapes, anchors and tags, and `>-` over lines that stand flush. Enough for nearly
// every spec, and an order of magnitude faster than the parser, which gets everything else.
class ScanEvents {
 public:
  virtual ~ScanEvents() = default;
  virtual void open_block(bool sequence, std::size_t at) = 0;
  virtual void dash() = 0;
  virtual void close_block() = 0;
  virtual void open_bracket(bool sequence, std::size_t at) = 0;
  virtual void colon() = 0;  // in brackets only
  virtual void comma() = 0;
  virtual void close_bracket(std::size_t end) = 0;
  virtual void text(std::size_t begin, std::size_t end, bool quoted, bool block_key) = 0;
  virtual void folded(std::size_t begin, std::size_t end,
                      std::string_view value) = 0;  // from the '>'; value: during the call only
};

struct ScanResult {
  bool ok = false;                       // false: exactly one finding was added
  bool empty = true;                     // no node at all: nothing, or comments only
  bool simple = true;                    // `replay_simple` can tell all of it
  std::size_t nodes_max = 0;             // never fewer than the document will have, aliases not expanded
  std::vector<ByteRange> block_scalars;  // from the '|' or '>' to the end of the last line that is not blank, in order
};

ScanResult scan_yaml(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits);
// Tells the shape of a text that `scan_yaml` called simple. It judges no grammar beyond what scan_yaml does: the events
// of text that is not YAML come in an order that no YAML has.
void replay_simple(const Sources& sources, FileId file, const YamlLimits& limits, ScanEvents& events);

// The way of parse_yaml for text that is not simple; for simple text it gives the same document (the tests compare
// them).
std::optional<Document> parse_yaml_in_full(const Sources& sources, FileId file, Findings& findings,
                                           const YamlLimits& limits, const ScanResult& scan);

// What surrounds a place in YAML text. `at` may be the end of the text.
inline bool yaml_blank(char c) { return c == ' ' || c == '\t'; }
inline bool yaml_break(char c) { return c == '\n' || c == '\r'; }
inline bool yaml_blank_or_end(std::string_view text, std::size_t at) {
  return at >= text.size() || yaml_blank(text[at]) || yaml_break(text[at]);
}
// Bytes of the byte order marks that the text begins with: one, or several where files were put together.
std::size_t yaml_byte_order_marks(std::string_view text);

// The first place from `at` on that is neither white space, line end nor comment.
std::size_t yaml_skip_space(std::string_view text, std::size_t at);

}  // namespace clusterc
