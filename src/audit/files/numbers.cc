#include "audit/files/numbers.h"

#include <algorithm>

#include "base/text.h"

namespace clusterc {

std::vector<FileLine> lines_of(std::string_view text, std::size_t most) {
  std::vector<FileLine> out;
  for (std::size_t begin = 0; begin < text.size() && out.size() < most;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back({line, static_cast<std::uint32_t>(begin)});
    begin = end + 1;
  }
  return out;
}

std::vector<PlacedNumber> leading_numbers(const FileLine& line, FileId file, std::size_t most) {
  constexpr std::uint64_t kLargest = 1'000'000'000'000'000;
  std::vector<PlacedNumber> out;
  std::size_t at = 0;
  while (out.size() < most) {
    at = std::min(line.text.find_first_not_of(" \t", at), line.text.size());
    const std::size_t end = std::min(line.text.find_first_of(" \t", at), line.text.size());
    const auto number = parse_uint(line.text.substr(at, end - at));
    if (!number || *number > kLargest) break;
    const auto offset = [&](std::size_t i) { return line.begin + static_cast<std::uint32_t>(i); };
    out.push_back({static_cast<std::int64_t>(*number), {file, offset(at), offset(end)}});
    at = end;
  }
  return out;
}

}  // namespace clusterc
