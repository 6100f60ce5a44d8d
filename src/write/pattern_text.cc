#include "write/pattern_text.h"

#include "base/text.h"

namespace clusterc {
namespace {
constexpr std::string_view kBegin = "clustercMark", kEnd = "Z";

// Sixteen characters of a digest are enough that nobody finds a text with its own digest in it. Behind them a letter:
// the number begins.
std::string begin_of(std::string_view salt) { return std::string(kBegin) + std::string(salt.substr(0, 16)) + "n"; }
}  // namespace

std::string PatternText::mark(std::string_view salt, std::size_t n) {
  std::string out = begin_of(salt);
  append_uint(out, n);
  out += kEnd;
  return out;
}

PatternText::PatternText(std::string text, std::string_view salt) : text_(std::move(text)) {
  const std::string begin = begin_of(salt);
  std::size_t from = 0, search = 0;
  for (;;) {
    const std::size_t at = text_.find(begin, search);
    if (at == std::string::npos) break;
    const std::size_t digits = at + begin.size(), end = text_.find(kEnd, digits);
    const auto n =
        end == std::string::npos ? std::nullopt : parse_uint(std::string_view(text_).substr(digits, end - digits));
    if (!n) {  // no mark: it stays
      search = digits;
      continue;
    }
    pieces_.push_back({from, at - from, static_cast<std::int64_t>(*n)});
    search = from = end + kEnd.size();
  }
  pieces_.push_back({from, text_.size() - from, -1});
}

}  // namespace clusterc
