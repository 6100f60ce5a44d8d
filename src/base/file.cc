#include "base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/file_pieces.h"
#include "base/quantity.h"

namespace clusterc {
namespace {

std::string reason(int number) { return std::generic_category().message(number); }

}  // namespace

std::optional<std::string> read_file(const std::string& path, std::uint64_t max_bytes, FileError& error) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return read_file(file.get(), path, max_bytes, error);
  if (errno == ENOENT || errno == ENOTDIR)
    error = {FileError::Kind::missing, "'" + path + "' does not exist"};
  else
    error = {FileError::Kind::unreadable, "'" + path + "' cannot be read: " + reason(errno)};
  return std::nullopt;
}

std::optional<std::string> read_file(int fd, const std::string& path, std::uint64_t max_bytes, FileError& error) {
  using Kind = FileError::Kind;
  const auto fail = [&](Kind kind, std::string text) {
    error = {kind, "'" + path + "' " + std::move(text)};
    return std::nullopt;
  };
  const auto too_large = [&](std::string size) {
    return fail(Kind::too_large, "is " + size + ", the limit is " + to_text(Bytes(static_cast<double>(max_bytes))));
  };
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail(Kind::unreadable, "cannot be read: " + reason(errno));
  if (S_ISDIR(status.st_mode)) return fail(Kind::directory, "is a directory, not a file");
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (S_ISREG(status.st_mode) && size > max_bytes) return too_large(to_text(Bytes(static_cast<double>(size))));

  std::string text;
  std::size_t have = 0;
  text.resize(static_cast<std::size_t>(S_ISREG(status.st_mode) ? size : 0) + 1);  // one more byte finds the end at once
  for (;;) {
    if (have == text.size()) text.resize(std::max<std::size_t>(2 * text.size(), 65536));
    const ssize_t got = ::read(fd, text.data() + have, text.size() - have);
    if (got < 0) {
      if (errno == EINTR) continue;
      return fail(Kind::unreadable, "cannot be read: " + reason(errno));
    }
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > max_bytes)
      return fail(Kind::too_large, "goes on past the limit of " + to_text(Bytes(static_cast<double>(max_bytes))));
  }
  text.resize(have);
  return text;
}

namespace {

// The number of a descriptor that the program was started with; -1: the path names none. Ours close on exec.
int given_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/")}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, failed] = std::from_chars(path.data() + folder.size(), end, number);
    if (failed != std::errc() || stop != end || number < 0) return -1;
    const int flags = ::fcntl(number, F_GETFD);
    return flags >= 0 && (flags & FD_CLOEXEC) == 0 ? number : -1;
  }
  return -1;
}

const char* what_it_is(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a character device";
  return "a file";
}

// Into something that is no file: it may take for ever, so a signal ends it.
bool write_stream(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// Where `path` would be written to, after all that can be looked at first. `mode`: of what is there, 0: nothing.
std::optional<WritePlace> place_of_file(const std::string& path, mode_t& mode, FileError& error) {
  const auto fail = [&](int number, std::string message) {
    error = {number == ENOENT || number == ENOTDIR ? FileError::Kind::missing : FileError::Kind::unwritable,
             std::move(message)};
    return std::nullopt;
  };
  const auto refuse = [&](const std::string& why) { return fail(EPERM, "'" + path + "' " + why); };
  std::optional<WritePlace> place;
  try {
    place = find_place(path, LastLink::stays);
  } catch (const PlaceError& e) {
    return fail(e.number, e.message);
  }
  struct stat folder {
  }, there{};
  if (::fstat(place->folder.get(), &folder) != 0) return refuse("cannot be written: " + reason(errno));
  mode = ::fstatat(place->folder.get(), place->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 ? there.st_mode : 0;
  if (S_ISLNK(mode)) return refuse("is a symbolic link, through which nothing is written: name the file itself");
  if (S_ISDIR(mode) || S_ISSOCK(mode) || S_ISBLK(mode))
    return refuse(std::string("is ") + what_it_is(mode) + ": name a file");
  if ((S_ISFIFO(mode) || S_ISCHR(mode)) && !is_ours(there))
    return refuse(std::string("is ") + what_it_is(mode) + " of another user: name a file");
  if (S_ISFIFO(mode) || S_ISCHR(mode)) return place;
  if (std::string why = why_not_into(folder, place->path, true); !why.empty()) return fail(EPERM, std::move(why));
  if (::faccessat(place->folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    return refuse("cannot be written into '" + place->path + "': " + reason(errno));
  return place;
}

}  // namespace

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool can_write_file(const std::string& path, FileError& error) {
  mode_t mode = 0;
  return given_descriptor(path) >= 0 || place_of_file(path, mode, error).has_value();
}

bool write_file(const std::string& path, std::string_view bytes, FileError& error, mode_t mode) {
  return write_file_in_pieces(
      path, [&](const std::function<void(std::string_view)>& write) { write(bytes); }, error, mode);
}

bool write_file_in_pieces(const std::string& path, const Pieces& make, FileError& error, mode_t mode) {
  const auto written = [&](int fd, bool (*write)(int, std::string_view)) {
    int failed = 0;
    make([&](std::string_view piece) {
      if (failed == 0 && !write(fd, piece)) failed = errno;
    });
    errno = failed;
    return failed == 0;
  };
  const auto fail = [&](int number) {
    error = {number == ENOENT ? FileError::Kind::missing : FileError::Kind::unwritable,
             "'" + path + "' cannot be written: " + reason(number)};
    return false;
  };
  if (const int given = given_descriptor(path); given >= 0) return written(given, write_stream) || fail(errno);
  mode_t there = 0;
  const std::optional<WritePlace> place = place_of_file(path, there, error);
  if (!place) return false;
  if (S_ISFIFO(there) || S_ISCHR(there)) {
    // Without a reader a pipe would be waited for until somebody comes.
    const Descriptor stream(
        ::openat(place->folder.get(), place->name.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!stream && errno == ENXIO && S_ISFIFO(there)) {
      error = {FileError::Kind::unwritable, "'" + path + "' is a pipe (FIFO) that nobody reads"};
      return false;
    }
    if (!stream || ::fstat(stream.get(), &status) != 0) return fail(errno);
    if ((status.st_mode & S_IFMT) != (there & S_IFMT)) return fail(EBUSY);
    if (::fcntl(stream.get(), F_SETFL, O_WRONLY) != 0) return fail(errno);
    return written(stream.get(), write_stream) || fail(errno);
  }
  Replacement fresh(*place);
  return (fresh.open(mode) && written(fresh.fd(), write_all) && fresh.sync() && fresh.put_in_place()) || fail(errno);
}

std::optional<Descriptor> open_to_append(const std::string& path, FileError& error) {
  const auto fail = [&](FileError::Kind kind, std::string message) {
    error = {kind, std::move(message)};
    return std::nullopt;
  };
  const auto refuse = [&](const std::string& why) {
    return fail(FileError::Kind::unwritable, "'" + path + "' " + why);
  };
  std::optional<WritePlace> place;
  try {
    place = find_place(path, LastLink::stays);
  } catch (const PlaceError& e) {
    return fail(e.number == ENOENT || e.number == ENOTDIR ? FileError::Kind::missing : FileError::Kind::unwritable,
                e.message);
  }
  struct stat folder {
  }, status{};
  if (::fstat(place->folder.get(), &folder) != 0) return refuse("cannot be opened: " + reason(errno));
  if (std::string why = why_not_into(folder, place->path, true); !why.empty())
    return fail(FileError::Kind::unwritable, std::move(why));
  // Looked at before it is opened, which alone does something to a device; and again once it is open.
  const auto not_regular = [&] {
    return refuse(std::string("is ") + what_it_is(status.st_mode) + ", no regular file");
  };
  const char* const name = place->name.c_str();
  const bool exists = ::fstatat(place->folder.get(), name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && !S_ISREG(status.st_mode)) return not_regular();
  constexpr int kFlags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(::openat(place->folder.get(), name, exists ? kFlags : kFlags | O_CREAT | O_EXCL, 0644));
  if (!file || ::fstat(file.get(), &status) != 0) return refuse("cannot be opened: " + reason(errno));
  if (!S_ISREG(status.st_mode)) return not_regular();
  if (!is_ours(status)) return refuse("belongs to another user: name another file");
  if (others_may_write(status)) return refuse("can be changed by other users: take their right away (chmod go-w)");
  if (status.st_nlink > 1) return refuse("has further names (hard links), which would get what is appended");
  if (!exists) ::fsync(place->folder.get());  // where a file system cannot, its name may be lost with the power
  return file;
}

Replacement::~Replacement() {
  if (!name_.empty()) ::unlinkat(place_.folder.get(), name_.c_str(), 0);
}

bool Replacement::open(mode_t mode) {
  constexpr int kTries = 16;  // 64 random bits: one is enough
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return false;
    std::string name = ".clusterc-";
    for (int digit = 0; digit < 16; ++digit, random >>= 4) name += "0123456789abcdef"[random & 15];
    file_ = Descriptor(
        ::openat(place_.folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file_) {
      name_ = std::move(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

bool Replacement::sync() {
  // EINVAL, EROFS: a file system that cannot.
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) return false;
  return ::close(file_.release()) == 0;  // NFS tells of a full disk here
}

bool Replacement::put_in_place() {
  const int folder = place_.folder.get();
  if (::renameat(folder, name_.c_str(), folder, place_.name.c_str()) != 0) return false;
  name_.clear();
  ::fsync(folder);  // what failed now would be the old text after a loss of power: the new one is in place already
  return true;
}

}  // namespace clusterc
