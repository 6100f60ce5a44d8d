// The tree that is there, held against the files that are to be there and against the manifest of those that were
// written last.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/digest.h"
#include "write/disk.h"
#include "write/manifest.h"

namespace clusterc {

enum class FileState : std::uint8_t { absent, same, differs, edited /* since it was written, or not by us */ };

struct TreeFile {
  std::string path;
  Digest sha256{};
  std::uint32_t mode = 0644;
  std::uint16_t origin = 0;
  FileState state = FileState::absent;
};

// Of a file that may be too large to hold.
Digest digest_of(int fd, std::string& buffer, Sha256&, std::string_view path);
bool edited_since(const ManifestDigests& before, std::string_view path, const Digest&);

// Files come sorted, so what is wanted below a folder is one range of them, and the names in that folder are looked for
// within that range.
class Survey {
 public:
  Survey(const std::vector<TreeFile>& files, const ManifestDigests& before);
  // `ours`: a folder of the tree that other users can change ends it (WriteError). `go_on` is called for each entry,
  // and may throw.
  void walk(int root, bool ours, std::function<void()> go_on);

  std::vector<std::string> kept;          // files that are not wanted and stay: edited or never ours
  std::vector<std::string> kept_folders;  // folders that nobody generated
  std::vector<std::string> foreign;       // to report: files and whole folders ("notes/") that nobody generated
  std::vector<std::string> hand_edited;   // to report
  std::vector<std::string> removed;       // generated last time, not this time, unchanged

 private:
  template <class Visit>
  void each_entry(int fd, std::size_t depth, const std::string& prefix, const Visit& visit);
  struct Range {
    std::size_t begin, end;
  };
  std::size_t first_from(std::string_view path,
                         Range) const;  // the first file of the range whose path is not below `path` in their order
  Range below(std::string& path, Range) const;  // what is wanted in the folder `path`
  void walk(int fd, std::size_t depth, const std::string& prefix, Range, bool foreign);
  void file(int folder, const char* name, std::string path, Range, bool foreign);

  const std::vector<TreeFile>& files_;
  const ManifestDigests& before_;
  std::unordered_set<std::string_view> folders_before_;
  bool ours_ = false;
  std::function<void()> go_on_;
  std::string buffer_;
  std::vector<std::unique_ptr<char[]>> buffers_;  // entries of the folders on the way down, one for each level
  Sha256 sha_;
};

}  // namespace clusterc
