// Characters of a text that nobody sees.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace clusterc {

// A character that nobody sees, and that makes a text read differently from what it is: controls but tab and line
// breaks (\r only where `raw`), marks of direction, spaces without width, byte order marks, separators of lines and
// paragraphs (Unicode TR 36 and 39, CVE-2021-42574). nullopt: none.
struct HiddenCharacter {
  std::size_t at = 0, size = 1;  // bytes
  std::uint32_t number = 0;      // code point
};
std::optional<HiddenCharacter> hidden_character(std::string_view utf8, bool raw);

}  // namespace clusterc
