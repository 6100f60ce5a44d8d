#include "diag/source.h"

#include <algorithm>

namespace clusterc {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

FileId Sources::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text), {}});
  return static_cast<FileId>(files_.size() - 1);
}

std::string_view Sources::path(FileId file) const { return file < files_.size() ? files_[file].path : std::string_view(); }

std::string_view Sources::text(FileId file) const { return file < files_.size() ? files_[file].text : std::string_view(); }

std::string_view Sources::text(SourceSpan span) const {
  const std::string_view all = text(span.file);
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

// A line ends at "\n", "\r\n" or a "\r" of its own, as YAML 1.2 section 5.4 has it. The line after a last line end
// exists (and is empty), so that the end of a file has a place.
const std::vector<std::uint32_t>& Sources::lines(const File& file) const {
  if (file.line_starts.empty()) {
    const std::string_view text = file.text;
    file.line_starts.push_back(0);
    for (std::size_t i = 0; (i = text.find_first_of("\r\n", i)) != std::string_view::npos;) {
      i += text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1;
      file.line_starts.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return file.line_starts;
}

LineColumn Sources::position(FileId id, std::uint32_t offset) const {
  if (id >= files_.size()) return {};
  const File& file = files_[id];
  const std::vector<std::uint32_t>& starts = lines(file);
  offset = std::min(offset, static_cast<std::uint32_t>(file.text.size()));
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  std::uint32_t at = *(after - 1);
  if (at == 0 && file.text.starts_with(kByteOrderMark)) at = std::min<std::uint32_t>(offset, kByteOrderMark.size());
  std::uint32_t column = 1;
  for (; at < offset; ++at)   // every byte but the continuation bytes of UTF-8 begins a character
    column += (static_cast<unsigned char>(file.text[at]) & 0xc0) != 0x80;
  if (offset < file.text.size() && (static_cast<unsigned char>(file.text[offset]) & 0xc0) == 0x80 && column > 1) --column;
  return {static_cast<std::uint32_t>(after - starts.begin()), column};
}

std::string_view Sources::line_text(FileId id, std::uint32_t line) const {
  if (id >= files_.size()) return {};
  const File& file = files_[id];
  const std::vector<std::uint32_t>& starts = lines(file);
  if (line == 0 || line > starts.size()) return {};
  const std::size_t begin = starts[line - 1];
  const std::size_t end = line < starts.size() ? starts[line] : file.text.size();
  std::string_view text = std::string_view(file.text).substr(begin, end - begin);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (line == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace clusterc
