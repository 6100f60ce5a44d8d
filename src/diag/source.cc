#include "diag/source.h"

#include <algorithm>

namespace clusterc {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Lines are counted up to every 4 KiB and from there on demand: an index of every line of a hostile file of line ends
// would be four times as long as the file.
constexpr std::size_t kBlock = 4096;

// A line ends at "\n", "\r\n" or a "\r" of its own, as YAML 1.2 section 5.4 has it. The line after a last line end
// exists (and is empty), so that the end of a file has a place.
bool ends_line(std::string_view text, std::size_t i) {
  return text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
}

// Line ends in [from, to).
std::size_t count_line_ends(std::string_view text, std::size_t from, std::size_t to) {
  const std::string_view part = text.substr(from, to - from);
  auto count = static_cast<std::size_t>(std::ranges::count(part, '\n'));
  for (std::size_t i = 0; (i = part.find('\r', i)) != std::string_view::npos; ++i) count += ends_line(text, from + i);
  return count;
}

}  // namespace

FileId Sources::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text), {}});
  return static_cast<FileId>(files_.size() - 1);
}

std::string_view Sources::path(FileId file) const {
  return file < files_.size() ? files_[file].path : std::string_view();
}

std::string_view Sources::text(FileId file) const {
  return file < files_.size() ? files_[file].text : std::string_view();
}

std::string_view Sources::text(SourceSpan span) const {
  const std::string_view all = text(span.file);
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

const std::vector<std::uint32_t>& Sources::line_index(const File& file) {
  if (file.line_index.empty()) {
    file.line_index.reserve(file.text.size() / kBlock + 1);
    std::size_t count = 0;
    file.line_index.push_back(0);
    for (std::size_t at = 0; at + kBlock <= file.text.size(); at += kBlock) {
      count += count_line_ends(file.text, at, at + kBlock);
      file.line_index.push_back(static_cast<std::uint32_t>(count));
    }
  }
  return file.line_index;
}

LineColumn Sources::position(FileId id, std::uint32_t offset) const {
  if (id >= files_.size()) return {};
  const File& file = files_[id];
  const std::string_view text = file.text;
  offset = std::min(offset, static_cast<std::uint32_t>(text.size()));
  const std::size_t block = offset / kBlock;
  const std::size_t line = line_index(file)[block] + count_line_ends(text, block * kBlock, offset);
  std::size_t at = offset;
  while (at > 0 && !ends_line(text, at - 1)) --at;
  if (at == 0 && text.starts_with(kByteOrderMark)) at = std::min<std::size_t>(offset, kByteOrderMark.size());
  std::uint32_t column = 1;
  for (; at < offset; ++at)  // every byte but the continuation bytes of UTF-8 begins a character
    column += (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
  if (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xc0) == 0x80 && column > 1) --column;
  return {static_cast<std::uint32_t>(line + 1), column};
}

std::string_view Sources::line_text(FileId id, std::uint32_t line) const {
  if (id >= files_.size() || line == 0) return {};
  const File& file = files_[id];
  const std::string_view all = file.text;
  std::size_t begin = 0;
  if (line > 1) {  // behind the line end number line - 1
    const std::vector<std::uint32_t>& index = line_index(file);
    const auto block = static_cast<std::size_t>(std::ranges::lower_bound(index, line - 1) - index.begin()) - 1;
    std::size_t missing = line - 1 - index[block];
    for (begin = block * kBlock; missing > 0; ++begin) {
      if (begin >= all.size()) return {};
      missing -= ends_line(all, begin);
    }
  }
  std::string_view text = all.substr(begin, std::min(all.find_first_of("\r\n", begin), all.size()) - begin);
  if (line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace clusterc
