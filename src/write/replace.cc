#include "write/replace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

namespace clusterc {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

bool replace_file(const std::string& path, std::string_view expected, std::string_view bytes, FileError& error) {
  const auto refuse = [&](const std::string& why) {
    error = {FileError::Kind::unwritable, "'" + path + "' " + why};
    return false;
  };
  const auto reason = [](int number) { return std::generic_category().message(number); };
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) return refuse("cannot be written: " + reason(errno));
  const std::string target = real.get();
  struct stat before {
  }, now{};
  if (::stat(target.c_str(), &before) != 0) return refuse("cannot be written: " + reason(errno));
  if (!S_ISREG(before.st_mode)) return refuse("is no regular file");
  if (before.st_nlink > 1) return refuse("has further names (hard links), which would keep the old text");
  // Root may write what is marked read-only: the mark is meant all the same.
  if ((before.st_mode & 0222) == 0 || ::access(target.c_str(), W_OK) != 0) return refuse("is read-only");
  FileError unreadable;
  const auto text = read_file(target, std::max<std::size_t>(expected.size(), 1), unreadable);
  if (!text || *text != expected) return refuse("was changed meanwhile");

  std::string beside = target + ".part-XXXXXX";
  Descriptor file{::mkostemp(beside.data(), O_CLOEXEC)};
  const auto fail = [&](const std::string& why) {
    ::unlink(beside.c_str());
    return refuse(why);
  };
  if (file.fd < 0) return refuse("cannot be written: " + reason(errno));
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot be written: " + reason(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  struct stat made {};
  if (::fstat(file.fd, &made) != 0) return fail("cannot be written: " + reason(errno));
  if ((made.st_uid != before.st_uid || made.st_gid != before.st_gid) &&
      ::fchown(file.fd, before.st_uid, before.st_gid) != 0)
    return fail("belongs to somebody else, whose file it could not stay");
  if (::fchmod(file.fd, before.st_mode & 07777) != 0 || ::fsync(file.fd) != 0)
    return fail("cannot be written: " + reason(errno));
  const int fd = std::exchange(file.fd, -1);
  if (::close(fd) != 0) return fail("cannot be written: " + reason(errno));  // NFS tells of a full disk here
  if (::stat(target.c_str(), &now) != 0 || !same_file(before, now)) return fail("was changed meanwhile");
  if (::rename(beside.c_str(), target.c_str()) != 0) return fail("cannot be written: " + reason(errno));
  return true;
}

}  // namespace clusterc
