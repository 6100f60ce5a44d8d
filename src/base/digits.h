// Numbers for people: whole ones with their digits in threes.
#pragma once
#include <string>

namespace clusterc {

// "-1234567.50" -> "-1,234,567.50".
inline std::string in_threes(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0, point = digits.find('.');
  for (std::size_t i = point == std::string::npos ? digits.size() : point; i > first + 3;) digits.insert(i -= 3, ",");
  return digits;
}

}  // namespace clusterc
