// What trees are made of: folders that are open, files that are read, written, linked and removed below them. Whatever
// cannot be done ends in WriteError.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "write/tree.h"

namespace clusterc {

[[noreturn]] void fail_write(std::string_view path, std::string_view what, int number);  // errno

inline std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}
inline bool within(std::string_view path, std::string_view folder) {  // or the folder itself
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Reads up to `limit` bytes of an open file into a buffer that is used again and again.
std::string_view read_into(std::string& buffer, int fd, std::size_t limit, std::string_view path);
// Removes a tree; what another process removes at the same time is no error. False when something is left, because
// `stop` became true too: it is asked before each file.
bool remove_tree(int at, const char* name, const std::function<bool()>& stop = nullptr);
// Returns at once, and a child removes the tree, also when this process has ended. It keeps no lock of ours: who begins
// to write there meanwhile removes what is left (Tree).
void remove_tree_behind(int at, const char* name);
// Throws where a folder of a tree belongs to another user, or lets other users add files.
void refuse_folder_of_others(int folder, std::string_view path);
// Owner and mode of what stood there before, for the folder that takes its place.
void keep_rights(int at, const char* name, const struct stat& was, std::string_view path);
// Where a symbolic link points to; none: it is none, or cannot be read (errno).
std::optional<std::string_view> read_link(std::string& buffer, int folder, const char* name);

// The folder above that of the last file, kept open: files come folder by folder, and where each node has a folder of
// its own, naming that one with the file spares its opening.
class FolderAbove {
 public:
  explicit FolderAbove(int root) : root_(root) {}
  int get() const { return fd_.get() < 0 ? root_ : fd_.get(); }
  bool enter(std::string_view above);  // false: it is not there (errno)
  std::size_t skip() const {
    return above_.empty() ? 0 : above_.size() + 1;
  }  // where the name below it begins in a path

 private:
  int root_;
  Descriptor fd_;
  std::string above_;
};

// Makes files below one root, folders as they are needed.
class Builder {
 public:
  Builder(int root, mode_t mask) : root_(root), mask_(mask), above_(root) {}
  void write(std::string_view path, std::string_view bytes, std::uint32_t mode /* or kLink */);
  void carry(
      int from,
      const std::string& path);  // the same file under the new root; a copy where the file system has no hard links
  void carry_folder(int from, const std::string& path);  // a folder of others: its owner and rights with it

 private:
  const char* enter(std::string_view path);  // its name as seen from above_; until the next call

  int root_;
  mode_t mask_;
  FolderAbove above_;
  std::string current_, name_;  // the folder of the last file; its name
};

}  // namespace clusterc
