// Where things end in YAML text: the parser tells only where a node begins, with its anchor and tag. For builder.cc and
// parser_words.cc alone. `at` and `begin` are bytes of the source.
#pragma once
#include <string_view>

#include "yaml/scan.h"

namespace clusterc {

// Behind the anchor, tag or alias that begins at `at`.
std::size_t yaml_property_end(std::string_view text, std::size_t at);

class YamlPlaces {
 public:
  // `scan`: of the same text.
  YamlPlaces(std::string_view text, const ScanResult& scan) : text_(text), scan_(scan) {}

  // Properties: anchors and tags.
  bool property_at(std::size_t at) const;
  std::size_t properties_end(std::size_t at) const;   // behind the last of those that begin there
  std::size_t skip_properties(std::size_t at) const;  // the first place behind them that is text

  std::size_t null_word(std::size_t begin, bool in_brackets) const;  // length of ~, null …; 0: none stands there
  std::size_t quote_end(std::size_t begin) const;                    // behind the closing quote
  std::size_t block_end(std::size_t begin) const;                    // of a text that begins with '|' or '>'
  std::size_t plain_end(std::size_t begin, std::string_view value) const;  // `value`: as the parser read it

 private:
  std::string_view text_;
  const ScanResult& scan_;
};

}  // namespace clusterc
