#include "audit/files/words.h"

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

}  // namespace clusterc
