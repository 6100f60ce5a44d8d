// A first, fast look at YAML text, before the parser sees it. It knows the lexical shape of YAML (indentation, brackets,
// quotes, block scalars) and nothing of meaning. It does what the parser does badly or too late: refuses bytes that are
// not text, bounds nesting and memory before anything is built, and names the usual slips in the words of the one who
// made them. What it cannot judge it leaves to the parser.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "yaml/document.h"

namespace clusterc {

struct ByteRange {
  std::uint32_t begin = 0, end = 0;
};

struct ScanResult {
  bool ok = false;                       // false: exactly one finding was added
  bool empty = true;                     // no node at all: nothing, or comments only
  std::size_t nodes_max = 0;             // never fewer than the document will have, aliases not expanded
  std::vector<ByteRange> block_scalars;  // from the '|' or '>' to the end of the last line that is not blank, in order
};

ScanResult scan_yaml(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits);

// What surrounds a place in YAML text. `at` may be the end of the text.
inline bool yaml_blank(char c) { return c == ' ' || c == '\t'; }
inline bool yaml_break(char c) { return c == '\n' || c == '\r'; }
inline bool yaml_blank_or_end(std::string_view text, std::size_t at) {
  return at >= text.size() || yaml_blank(text[at]) || yaml_break(text[at]);
}
// The first place from `at` on that is neither white space, line end nor comment.
std::size_t yaml_skip_space(std::string_view text, std::size_t at);

}  // namespace clusterc
