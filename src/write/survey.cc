#include "write/survey.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace clusterc {

Digest digest_of(int fd, std::string& buffer, Sha256& sha, std::string_view path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (;;) {
    const std::string_view piece = read_into(buffer, fd, kPiece, path);
    sha.update(piece);
    if (piece.size() < kPiece) return sha.finish();
  }
}

bool edited_since(const ManifestDigests& before, std::string_view path, const Digest& digest) {
  const auto then = before.find(std::string(path));
  return then == before.end() || to_hex(digest) != then->second;
}

Survey::Survey(const std::vector<TreeFile>& files, const ManifestDigests& before) : files_(files), before_(before) {
  std::string_view last;  // the folder of the file before
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string_view path = files[i].path;
    if (i > 0 && path == files[i - 1].path) throw std::logic_error("Bundle: '" + files[i].path + "' stands twice");
    for (std::string_view folder = folder_of(path); !folder.empty() && !within(last, folder);
         folder = folder_of(folder))
      if (const std::size_t at = first_from(folder, {0, i}); at < i && files[at].path == folder)
        throw std::logic_error("Bundle: '" + files[at].path + "' is a file and a folder");
    last = folder_of(path);
  }
  for (const auto& [path, digest] : before)
    for (std::string_view folder = folder_of(path); !folder.empty() && folders_before_.insert(folder).second;)
      folder = folder_of(folder);
}

std::size_t Survey::first_from(std::string_view path, Range range) const {
  const auto begin = files_.begin();
  return static_cast<std::size_t>(
      std::lower_bound(begin + static_cast<std::ptrdiff_t>(range.begin), begin + static_cast<std::ptrdiff_t>(range.end),
                       path, [](const TreeFile& file, std::string_view wanted) { return file.path < wanted; }) -
      begin);
}

Survey::Range Survey::below(std::string& path, Range range) const {  // '0' follows '/'
  path += '/';
  const std::size_t begin = first_from(path, range);
  path.back() = '0';
  const std::size_t end = first_from(path, {begin, range.end});
  path.pop_back();
  return {begin, end};
}

// Folders are read with getdents64 itself: readdir would ask for two more system calls on each, and outputs with a
// folder for each node have as many folders as nodes. Stops when `visit` has seen all entries but "." and "..".
template <class Visit>
void Survey::each_entry(int fd, std::size_t depth, const std::string& prefix, const Visit& visit) {
  constexpr std::size_t kSize = 32768;  // what glibc's readdir takes, too
  if (buffers_.size() <= depth) buffers_.push_back(std::make_unique<char[]>(kSize));
  char* const buffer = buffers_[depth].get();
  for (;;) {
    const ssize_t got = ::getdents64(fd, buffer, kSize);
    if (got < 0) fail_write(prefix, "cannot be read", errno);
    if (got == 0) return;
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") visit(*entry);
    }
  }
}

// `fd` is read to its end.
void Survey::walk(int fd, std::size_t depth, const std::string& prefix, Range range, bool foreign_folder) {
  each_entry(fd, depth, prefix, [&](const dirent64& entry) {
    go_on_();
    std::string path = prefix + entry.d_name;
    bool is_folder = entry.d_type == DT_DIR;
    if (entry.d_type == DT_UNKNOWN) {
      struct stat status {};
      is_folder = ::fstatat(fd, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const Range inside = below(path, range);
      const bool unknown = inside.begin == inside.end && !folders_before_.contains(path);
      if (unknown) {
        kept_folders.push_back(path);
        if (!foreign_folder) foreign.push_back(path + "/");
      }
      const Descriptor folder(::openat(fd, entry.d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (folder.get() < 0) fail_write(path, "cannot be read", errno);
      if (ours_ && inside.begin != inside.end) refuse_folder_of_others(folder.get(), path);
      const std::size_t stay = kept.size() + kept_folders.size();
      walk(folder.get(), depth + 1, path + "/", inside, foreign_folder || unknown);
      const std::size_t at = first_from(path, range);
      const bool wanted = at < range.end && files_[at].path == path;
      if (wanted && (unknown || kept.size() + kept_folders.size() > stay))
        throw WriteError("'" + path + "' is a folder where a file is to be written; move it away");
    } else {
      file(fd, entry.d_name, std::move(path), range, foreign_folder);
    }
  });
}

void Survey::walk(int root, bool ours, std::function<void()> go_on) {
  ours_ = ours;
  go_on_ = std::move(go_on);
  const Descriptor copy(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (copy.get() < 0) fail_write(".", "cannot be read", errno);
  walk(copy.get(), 0, "", {0, files_.size()}, false);
}

void Survey::file(int folder, const char* name, std::string path, Range range, bool foreign_folder) {
  if (path == kManifestName) return;
  const auto keep = [&] {
    if (const Range inside = below(path, range); inside.begin != inside.end)
      throw WriteError("'" + path + "' is a file where a folder is to be written; move it away");
    kept.push_back(std::move(path));
  };
  const std::size_t wish = first_from(path, range);
  const bool wanted = wish < range.end && files_[wish].path == path;
  if (!wanted && !before_.contains(path)) {
    if (!foreign_folder) foreign.push_back(path);
    keep();
    return;
  }
  if (wanted) {
    if (files_[wish].state == FileState::edited) hand_edited.push_back(std::move(path));
    return;
  }
  const Descriptor fd(
      ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));  // generated last time only
  struct stat status {};
  const bool regular = fd.get() >= 0 && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (fd.get() < 0 && errno != ELOOP && errno != ENXIO) fail_write(path, "cannot be read", errno);
  const auto target = fd.get() < 0 && errno == ELOOP ? read_link(buffer_, folder, name) : std::nullopt;
  if ((regular && !edited_since(before_, path, digest_of(fd.get(), buffer_, sha_, path))) ||
      (target && !edited_since(before_, path, sha_(*target)))) {
    removed.push_back(std::move(path));
  } else {
    hand_edited.push_back(path);
    keep();
  }
}

}  // namespace clusterc
