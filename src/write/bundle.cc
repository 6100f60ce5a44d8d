#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "write/tree.h"

namespace clusterc {

void Bundle::open(std::string path, std::string_view origin, std::uint32_t mode) {
  if (open_) throw std::logic_error("Bundle: '" + files_.back().path + "' is still open");
  for (const std::string_view part : split(path, '/'))
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      throw std::logic_error("Bundle: '" + path + "' is no path inside the tree");
  files_.push_back({std::move(path), mode & 0777u, arena_.size(), 0, std::string(origin)});
  open_ = true;
}

void Bundle::close() {
  if (!open_) throw std::logic_error("Bundle: close without open");
  files_.back().size = arena_.size() - files_.back().begin;
  open_ = false;
}

void Bundle::add(std::string path, std::string_view origin, std::string_view bytes, std::uint32_t mode) {
  open(std::move(path), origin, mode);
  arena_ += bytes;
  close();
}

void Bundle::sort() { std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.path < b.path; }); }

}  // namespace clusterc
