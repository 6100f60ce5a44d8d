#include "yaml/hidden.h"

#include <algorithm>
#include <array>

namespace clusterc {
namespace {

// One look-up a byte finds the control characters, and the first bytes of what else may be hidden.
constexpr std::array<bool, 256> make_suspect() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<std::size_t>(c)] = c != '\t' && c != '\n';
  table[0x7f] = table[0xc2] = table[0xd8] = table[0xe2] = table[0xef] = true;
  return table;
}
constexpr std::array<bool, 256> kSuspect = make_suspect();

// C1 controls, soft hyphen, Arabic letter mark, and so on: those of Unicode's Default_Ignorable_Code_Point and
// Bidi_Control that no spec needs to be written in its language.
constexpr bool is_hidden(std::uint32_t c) {
  return (c >= 0x7f && c <= 0x9f) || c == 0xad || c == 0x61c || c == 0x200b || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || c == 0x2060 || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

}  // namespace

std::optional<HiddenCharacter> hidden_character(std::string_view text, bool raw) {
  for (auto at = text.begin(); at != text.end(); ++at) {
    at = std::find_if(at, text.end(), [](char c) { return kSuspect[static_cast<unsigned char>(c)]; });
    if (at == text.end()) break;
    const auto left = static_cast<std::size_t>(text.end() - at);
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return i < left ? static_cast<unsigned char>(at[static_cast<std::ptrdiff_t>(i)]) : 0;
    };
    HiddenCharacter found{.at = text.size() - left, .size = 1, .number = byte(0)};
    if (found.number < 0x80) {
      if (!raw || found.number != '\r') return found;
      continue;
    }
    found.size = found.number < 0xe0 ? 2 : 3;
    found.number = found.size == 2 ? (found.number & 0x1f) << 6 | (byte(1) & 0x3f)
                                   : (found.number & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (is_hidden(found.number)) return found;
  }
  return std::nullopt;
}

}  // namespace clusterc
