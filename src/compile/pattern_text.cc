#include "compile/pattern_text.h"

#include "base/text.h"

namespace clusterc {
namespace {
constexpr std::string_view kBegin = "clustercMark", kEnd = "Z";
}

std::string PatternText::mark(std::size_t n) {
  std::string out(kBegin);
  append_uint(out, n);
  out += kEnd;
  return out;
}

PatternText::PatternText(std::string text) : text_(std::move(text)) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = text_.find(kBegin, from);
    if (at == std::string::npos) break;
    const std::size_t digits = at + kBegin.size(), end = text_.find(kEnd, digits);
    const auto n = end == std::string::npos ? std::nullopt : parse_uint(std::string_view(text_).substr(digits, end - digits));
    if (!n) break;   // the user's own word, and no mark: it stays
    pieces_.push_back({from, at - from, static_cast<std::int64_t>(*n)});
    from = end + kEnd.size();
  }
  pieces_.push_back({from, text_.size() - from, -1});
}

}  // namespace clusterc
