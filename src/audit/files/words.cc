#include "audit/files/words.h"

#include <algorithm>

#include "base/format.h"

namespace clusterc {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3 + (digits[0] == '-' ? 1u : 0u);) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string counted(std::int64_t count, std::string_view word) {
  return format("{} {}{}", grouped(count), word, count == 1 ? "" : word.ends_with('h') ? "es" : "s");
}

std::string some_names(const std::vector<std::string>& first, std::int64_t count) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(first.size(), kShown);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown && static_cast<std::int64_t>(shown) == count;
    out += format("{}'{}'", i == 0 ? "" : last ? " and " : ", ", first[i]);
  }
  if (static_cast<std::int64_t>(shown) < count)
    out += format(" and {} more", grouped(count - static_cast<std::int64_t>(shown)));
  return out;
}

}  // namespace clusterc
