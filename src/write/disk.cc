#include "write/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include "base/file.h"

namespace clusterc {

void fail_write(std::string_view path, std::string_view what, int number) {
  throw WriteError("'" + std::string(path) + "' " + std::string(what) + ": " + std::generic_category().message(number));
}

std::string_view read_into(std::string& buffer, int fd, std::size_t limit, std::string_view path) {
  if (buffer.size() < limit) buffer.resize(limit);
  std::size_t have = 0;
  while (have < limit) {
    const ssize_t got = ::read(fd, buffer.data() + have, limit - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_write(path, "cannot be read", errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer).substr(0, have);
}

namespace {

void make(int from, const std::string& name, std::string_view whole) {
  if (::mkdirat(from, name.c_str(), 0755) != 0 && errno != EEXIST) fail_write(whole, "cannot be made", errno);
}

}  // namespace

std::optional<std::string_view> read_link(std::string& buffer, int folder, const char* name) {
  if (buffer.size() < PATH_MAX) buffer.resize(PATH_MAX);
  const ssize_t got = ::readlinkat(folder, name, buffer.data(), buffer.size());
  if (got < 0) return std::nullopt;
  return std::string_view(buffer).substr(0, static_cast<std::size_t>(got));
}

namespace {

// Takes the descriptor.
void empty_folder(int fd, const std::function<bool()>& stop) {
  DIR* directory = ::fdopendir(fd);
  if (!directory) {
    ::close(fd);
    return;
  }
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view child = entry->d_name;
    if (child == "." || child == "..") continue;
    if (stop && stop()) break;
    if (entry->d_type == DT_DIR || ::unlinkat(fd, entry->d_name, 0) != 0) remove_tree(fd, entry->d_name, stop);
  }
  ::closedir(directory);
}

int open_folder(int at, const char* name) {
  return ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace

bool remove_tree(int at, const char* name, const std::function<bool()>& stop) {
  const int fd = open_folder(at, name);
  if (fd < 0) return errno == ENOENT || ::unlinkat(at, name, 0) == 0 || errno == ENOENT;
  empty_folder(fd, stop);
  return ::unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

void remove_tree_behind(int at, const char* name) {
  // A description of its own: a lock on `at` ends with this process.
  const int above = open_folder(at, ".");
  const int tree = above < 0 ? -1 : open_folder(at, name);
  struct stat was {};
  if (tree >= 0 && ::fstat(tree, &was) == 0 && ::fork() == 0) {
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int fd = 0; fd < 1024; ++fd)  // nobody waits for the end of a pipe that it does not use
      if (fd != above && fd != tree) ::close(fd);
    empty_folder(tree, nullptr);
    // Whoever has the lock has removed the rest, and may have made a folder of this name anew.
    struct stat now {};
    if ((::flock(above, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        ::fstatat(above, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == was.st_dev && now.st_ino == was.st_ino)
      ::unlinkat(above, name, AT_REMOVEDIR);
    ::_exit(0);
  }
  if (tree >= 0) ::close(tree);
  if (above >= 0) ::close(above);
}

bool FolderAbove::enter(std::string_view above) {
  if (above == above_) return true;
  Descriptor fd;
  if (!above.empty()) {
    fd = Descriptor(::openat(root_, std::string(above).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return false;
  }
  fd_ = std::move(fd);
  above_ = above;
  return true;
}

void Builder::write(std::string_view path, std::string_view bytes, std::uint32_t mode) {
  const char* name = enter(path);
  if (mode == kLink) {
    if (::symlinkat(std::string(bytes).c_str(), above_.get(), name) == 0) return;
    if (errno == EEXIST) throw std::logic_error("Bundle: '" + std::string(path) + "' stands twice");
    fail_write(path, "cannot be made a symbolic link, which not every file system has", errno);
  }
  Descriptor file(::openat(above_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) {
    if (errno == EEXIST) throw std::logic_error("Bundle: '" + std::string(path) + "' stands twice");
    fail_write(path, "cannot be written", errno);
  }
  if (!write_all(file.get(), bytes)) fail_write(path, "cannot be written", errno);
  if ((mode & mask_) != 0 && ::fchmod(file.get(), mode) != 0) fail_write(path, "cannot be given its mode", errno);
  if (::close(file.release()) != 0) fail_write(path, "cannot be written", errno);  // a full disk on NFS
}

void Builder::carry(int from, const std::string& path) {
  const char* name = enter(path);
  if (::linkat(from, path.c_str(), above_.get(), name, 0) == 0) return;
  const int number = errno;
  struct stat status {};
  std::string buffer;
  if (number == EXDEV || ::fstatat(from, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    fail_write(path, "cannot be carried over", number);
  if (S_ISLNK(status.st_mode))
    if (const auto target = read_link(buffer, from, path.c_str())) return write(path, *target, kLink);
  if (!S_ISREG(status.st_mode)) fail_write(path, "cannot be carried over", number);
  const Descriptor old(::openat(from, path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (old.get() < 0) fail_write(path, "cannot be read", errno);
  write(path, read_into(buffer, old.get(), static_cast<std::size_t>(status.st_size), path), status.st_mode & 0777u);
}

void refuse_folder_of_others(int folder, std::string_view path) {
  struct stat status {};
  if (::fstat(folder, &status) != 0) fail_write(path, "cannot be looked at", errno);
  status.st_mode &= ~static_cast<mode_t>(S_ISVTX);  // it keeps others from renaming, not from adding
  if (const std::string why = why_not_into(status, std::string(path), false); !why.empty()) throw WriteError(why);
}

void keep_rights(int at, const char* name, const struct stat& was, std::string_view path) {
  struct stat now {};
  if (::fstatat(at, name, &now, AT_SYMLINK_NOFOLLOW) != 0) fail_write(path, "cannot be looked at", errno);
  if ((now.st_uid != was.st_uid || now.st_gid != was.st_gid) &&
      ::fchownat(at, name, was.st_uid, was.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
    fail_write(path, "cannot be given its owner", errno);
  if (::fchmodat(at, name, was.st_mode & 07777u, 0) != 0) fail_write(path, "cannot be given its mode", errno);
}

void Builder::carry_folder(int from, const std::string& path) {
  enter(path + "/x");
  struct stat was {};
  if (::fstatat(from, path.c_str(), &was, AT_SYMLINK_NOFOLLOW) != 0) fail_write(path, "cannot be carried over", errno);
  keep_rights(root_, path.c_str(), was, path);
}

// Makes the folder of `path` and those above it, and opens the one above it.
const char* Builder::enter(std::string_view path) {
  const std::string_view wanted = folder_of(path), above = folder_of(wanted);
  if (wanted != current_) {
    for (std::size_t at = above.find('/'); !above.empty(); at = above.find('/', at + 1)) {
      const std::string_view part = above.substr(0, at);
      if (!within(current_, part)) make(root_, std::string(part), part);
      if (at == std::string_view::npos) break;
    }
    if (!above_.enter(above)) fail_write(above, "cannot be opened", errno);
    if (!wanted.empty() && !within(current_, wanted))
      make(above_.get(), std::string(wanted.substr(above_.skip())), wanted);
    current_ = wanted;
  }
  name_ = path.substr(above_.skip());
  return name_.c_str();
}

}  // namespace clusterc
