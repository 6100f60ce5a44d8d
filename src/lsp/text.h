// The text of an open document and the places that editors name in it: a line and a count of UTF-16 code units, both
// from 0 (Language Server Protocol 3.17, "Position"). Lines end at "\n", "\r\n" or "\r". Immutable: a change makes a
// new one, so that an analysis can keep the text it began with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::lsp {

struct Position {
  std::uint32_t line = 0, character = 0;
  bool operator==(const Position&) const = default;
};
struct Range {
  Position start, end;
};

class TextDocument {
 public:
  explicit TextDocument(std::string text);
  std::string_view text() const { return text_; }
  // Byte offset of a place. Beyond the end of a line: its end, before the line break; beyond the last line: the end of
  // the text; between the halves of a surrogate pair: before the character. Never inside a character.
  std::size_t offset(Position) const;
  Position position(std::size_t offset) const;
  Range range(std::size_t begin, std::size_t end) const { return {position(begin), position(end)}; }
  // The text with that range replaced; a range whose end comes first is taken the other way round.
  std::string replaced(Range, std::string_view by) const;
  std::size_t line_begin(std::size_t offset) const;

 private:
  std::size_t line_of(std::size_t offset) const;
  std::string text_;
  std::vector<std::uint32_t> lines_;  // byte offset of each line
};

}  // namespace clusterc::lsp
