// Source files and places in them. A span is a byte range of one file; lines and columns are worked out when a finding
// is printed.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

using FileId = std::uint32_t;
constexpr FileId kNoFile = 0xffffffffu;

struct SourceSpan {
  FileId file = kNoFile;
  std::uint32_t begin = 0;  // byte offset of the first byte
  std::uint32_t end = 0;    // one past the last
  bool valid() const { return file != kNoFile; }
  bool operator==(const SourceSpan&) const = default;
};

struct LineColumn {
  std::uint32_t line = 0;    // 1-based
  std::uint32_t column = 0;  // 1-based, in characters (Unicode code points)
};

// Owns the text of every file that was read. Text never moves: views into it live as long as the Sources.
class Sources {
 public:
  FileId add(std::string path, std::string text);  // `path` as the user gave it
  std::size_t size() const { return files_.size(); }
  std::string_view path(FileId) const;
  std::string_view text(FileId) const;
  std::string_view text(SourceSpan) const;
  LineColumn position(FileId, std::uint32_t offset) const;
  std::string_view line_text(FileId, std::uint32_t line) const;  // without the line end

 private:
  struct File {
    std::string path, text;
    mutable std::vector<std::uint32_t> line_index;  // made on first use: line ends before each block of text
  };
  std::deque<File> files_;
  static const std::vector<std::uint32_t>& line_index(const File&);
};

}  // namespace clusterc
