#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "write/tree.h"

namespace clusterc {
namespace {
// A file that begins below kFull of a chunk may outgrow it; then that chunk alone is copied once.
constexpr std::size_t kChunk = std::size_t{1} << 23, kFull = kChunk - (std::size_t{1} << 16);
constexpr std::size_t kBatch = std::size_t{1} << 18;  // goes to the sink while it is in the processor's cache
}  // namespace

void demand_inside(std::string_view path) {
  for (const std::string_view part : split(path, '/'))
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      throw std::logic_error("Bundle: '" + std::string(path) + "' is no path inside the tree");
}

void Bundle::open(std::string path, std::string_view origin, std::uint32_t mode) {
  if (open_) throw std::logic_error("Bundle: '" + files_.back().path + "' is still open");
  demand_inside(path);
  if (sink_ && chunks_.back().size() > kBatch) flush();
  if (chunks_.back().size() > kFull) {
    chunks_.emplace_back();
    chunks_.back().reserve(kChunk);
  }
  files_.push_back({std::move(path), mode & 0777u, chunks_.size() - 1, chunks_.back().size(), 0, std::string(origin)});
  open_ = true;
}

void Bundle::close() {
  if (!open_) throw std::logic_error("Bundle: close without open");
  files_.back().size = chunks_.back().size() - files_.back().begin;
  open_ = false;
}

void Bundle::add(std::string path, std::string_view origin, std::string_view bytes, std::uint32_t mode) {
  open(std::move(path), origin, mode);
  chunks_.back() += bytes;
  close();
}

void Bundle::link(std::string path, std::string_view origin, std::string_view target) {
  auto depth = std::count(path.begin(), path.end(), '/');  // folders that it may climb
  bool climbing = true;
  for (const std::string_view part : split(target, '/')) {
    if (climbing && part == "..")
      --depth;
    else
      climbing = false;
    if (depth < 0 || part.empty() || part == "." || (!climbing && part == "..") ||
        part.find('\0') != std::string_view::npos)
      throw std::logic_error("Bundle: '" + std::string(target) + "' is no way from '" + path + "' inside the tree");
  }
  add(std::move(path), origin, target);
  files_.back().mode = kLink;
}

void Bundle::flush() {
  if (!sink_) return;
  for (const File& file : files_) sink_(file, bytes(file));
  files_.clear();
  if (std::string& chunk = chunks_.back(); chunk.capacity() > kChunk)
    chunk = {};
  else
    chunk.clear();
}

void Bundle::sort() {
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.path < b.path; });
}

}  // namespace clusterc
