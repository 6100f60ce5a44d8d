#include "audit/files/xml_values.h"

#include <vector>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kDeepest = 32, kLongestName = 64, kMostElements = 4u << 20;

}  // namespace

bool read_xml_values(std::string_view text, FileId file, const TakeValue& take, std::uint32_t& end) {
  std::string path;
  std::vector<std::size_t> lengths;  // of the path, before each open element
  std::size_t at = 0, text_begin = 0, elements = 0;
  bool leaf = false;  // nothing but text since the last element began
  const auto past = [&](std::string_view word) {
    const std::size_t found = text.find(word, at);
    if (found == text.npos) return false;
    at = found + word.size();
    return true;
  };
  for (;;) {
    end = static_cast<std::uint32_t>(at);
    at = text.find('<', at);
    if (at == text.npos) return false;
    end = static_cast<std::uint32_t>(at);
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      if (!past("-->")) return false;
    } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
      if (!past(">")) return false;
    } else if (rest.starts_with("</")) {
      const std::size_t close = at;
      if (lengths.empty()) return false;
      const std::string_view name = rest.substr(2, rest.find('>') == rest.npos ? 0 : rest.find('>') - 2);
      if (trim(name) != std::string_view(path).substr(lengths.back() + (lengths.back() > 0 ? 1 : 0))) return false;
      if (leaf) {
        const std::string_view value = trim(text.substr(text_begin, close - text_begin));
        const auto from = static_cast<std::uint32_t>(
            value.empty() ? text_begin : static_cast<std::size_t>(value.data() - text.data()));
        take(path, value, {file, from, from + static_cast<std::uint32_t>(value.size())});
      } else {
        take(path, {}, {file, end, end + 2});
      }
      path.resize(lengths.back());
      lengths.pop_back();
      leaf = false;
      if (!past(">")) return false;
      if (lengths.empty()) return true;
    } else {
      std::size_t n = 1;
      while (n < rest.size() && n <= kLongestName &&
             (rest[n] == '_' || rest[n] == '-' || (rest[n] >= '0' && rest[n] <= '9') ||
              ((rest[n] | 0x20) >= 'a' && (rest[n] | 0x20) <= 'z')))
        ++n;
      const std::size_t close = rest.find('>');
      if (n == 1 || n > kLongestName || close == rest.npos || lengths.size() >= kDeepest || ++elements > kMostElements)
        return false;
      leaf = false;
      if (rest[close - 1] != '/') {
        lengths.push_back(path.size());
        if (!path.empty()) path += '/';
        path += rest.substr(1, n - 1);
        leaf = true;
      } else if (lengths.empty()) {
        return false;
      }
      at += close + 1;
      text_begin = at;
    }
  }
}

}  // namespace clusterc
