// A tree of generated files in memory, and how it reaches the disk: whole or not at all.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

// Files share chunks of memory, so that tens of thousands of small ones are cheap and nothing is copied as their number grows.
class Bundle {
 public:
  struct File { std::string path; std::uint32_t mode = 0644; std::size_t chunk = 0, begin = 0, size = 0; std::string origin; std::int32_t maker = -1; };
  using Maker = std::function<std::string()>;
  // Appends to one file: `text()` is what to append to, between open() and close() only.
  void open(std::string path, std::string_view origin, std::uint32_t mode = 0644);   // path relative, '/' separated, no "..", not twice
  std::string& text() { return chunks_.back(); }
  void close();
  void add(std::string path, std::string_view origin, std::string_view bytes, std::uint32_t mode = 0644);
  // A large file: its text is made once, when the tree is written, goes to disk at once and is dropped. So of many only one is in memory.
  void add_made(std::string path, std::string_view origin, Maker make, std::uint32_t mode = 0644);
  std::string made(const File& f) const { return makers_[static_cast<std::size_t>(f.maker)](); }
  bool has_made() const { return !makers_.empty(); }
  const std::vector<File>& files() const { return files_; }
  std::string_view bytes(const File& f) const { return std::string_view(chunks_[f.chunk]).substr(f.begin, f.size); }
  void sort();                                                                       // by path
 private:
  std::vector<File> files_;
  std::vector<std::string> chunks_{1};
  std::vector<Maker> makers_;
  bool open_ = false;
};

struct WriteOptions {
  std::string spec_digest;       // into manifest.json
  std::string tool_version;
  bool force = false;            // overwrite files that were changed by hand
  bool check = false;            // compare only, write nothing
};

struct WriteResult {
  bool ok = false;               // false: nothing was changed; `error` says why
  std::string error;
  std::size_t written = 0, unchanged = 0, removed = 0;
  std::vector<std::string> hand_edited;   // kept as they are (unless force)
  std::vector<std::string> foreign;       // not ours: kept
  std::vector<std::string> differing;     // check: would be written or removed
};

// Writes `bundle` and manifest.json (format, version, digest, and for each file path, mode, sha256, origin) to `directory`.
// A reader, or a kill at any moment, sees the old tree or the new one, never a mixture. Unchanged: nothing is written.
WriteResult write_tree(Bundle& bundle, const std::string& directory, const WriteOptions&);

}  // namespace clusterc
