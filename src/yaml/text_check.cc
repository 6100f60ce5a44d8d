#include "yaml/text_check.h"

#include <simdjson.h>

#include "base/format.h"
#include "yaml/hidden.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

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

}  // namespace

bool check_yaml_text(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits) {
  const std::string_view text = sources.text(file);
  const auto span = [&](std::size_t begin, std::size_t end) {
    return SourceSpan{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  const auto error = [&](std::string_view rule, std::size_t begin, std::size_t end, std::string message) -> Finding& {
    return findings.error(rule, span(begin, end), std::move(message));
  };
  if (text.size() > limits.text_bytes) {
    findings
        .error("spec-too-large", span(0, 0),
               format("the file has {} bytes, at most {} are read", text.size(), limits.text_bytes))
        .help("facts of single nodes belong in a CSV inventory, which has no such limit");
    return false;
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    error("spec-not-utf8", 0, 0, "the file is UTF-16, not UTF-8").help("save it as UTF-8");
    return false;
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    const std::size_t bad = first_bad_byte(text);
    error("spec-not-utf8", bad, bad + 1, format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[bad])))
        .help("save the file as UTF-8");
    return false;
  }
  const std::size_t marks = yaml_byte_order_marks(text);
  if (const auto hidden = hidden_character(text.substr(marks), true)) {
    error("spec-control-character", marks + hidden->at, marks + hidden->at + hidden->size,
          format("invisible character U+{:04X} in the text", hidden->number))
        .help("remove it: a spec says what it seems to say");
    return false;
  }
  return true;
}

}  // namespace clusterc
