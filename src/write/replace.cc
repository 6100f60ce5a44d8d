#include "write/replace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/place.h"

namespace clusterc {
namespace {

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
  const auto unwritable = [&](int number) {
    return refuse("cannot be written: " + std::generic_category().message(number));
  };
  std::optional<WritePlace> place;
  try {
    place = find_place(path, LastLink::followed);
  } catch (const PlaceError& e) {
    error = {FileError::Kind::unwritable, e.message};
    return false;
  }
  const int folder = place->folder.get();
  const char* const name = place->name.c_str();
  struct stat around {
  }, before{}, now{};
  if (::fstat(folder, &around) != 0 || ::fstatat(folder, name, &before, AT_SYMLINK_NOFOLLOW) != 0)
    return unwritable(errno);
  if (!S_ISREG(before.st_mode)) return refuse("is no regular file");
  if (std::string why = why_not_into(around, place->path, true); !why.empty()) {
    error = {FileError::Kind::unwritable, std::move(why)};
    return false;
  }
  if (before.st_nlink > 1) return refuse("has further names (hard links), which would keep the old text");
  // Root may write what is marked read-only: the mark is meant all the same.
  if ((before.st_mode & 0222) == 0 || ::faccessat(folder, name, W_OK, AT_EACCESS) != 0) return refuse("is read-only");
  FileError unreadable;
  const Descriptor old(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const auto text =
      old ? read_file(old.get(), path, std::max<std::size_t>(expected.size(), 1), unreadable) : std::nullopt;
  if (!text || *text != expected) return refuse("was changed meanwhile");

  Replacement fresh(*place);
  if (!fresh.open(0600) || !write_all(fresh.fd(), bytes)) return unwritable(errno);
  struct stat made {};
  if (::fstat(fresh.fd(), &made) != 0) return unwritable(errno);
  if ((made.st_uid != before.st_uid || made.st_gid != before.st_gid) &&
      ::fchown(fresh.fd(), before.st_uid, before.st_gid) != 0)
    return refuse("belongs to somebody else, whose file it could not stay");
  if (::fchmod(fresh.fd(), before.st_mode & 07777) != 0 || !fresh.sync()) return unwritable(errno);
  if (::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !same_file(before, now))
    return refuse("was changed meanwhile");
  return fresh.put_in_place() || unwritable(errno);
}

}  // namespace clusterc
