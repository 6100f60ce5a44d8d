#include "base/place.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <deque>
#include <string_view>
#include <system_error>
#include <utility>

namespace clusterc {
namespace {

std::string reason(int number) { return std::generic_category().message(number); }

std::deque<std::string> parts_of(std::string_view path) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

// A group of one: Debian, Ubuntu and RHEL give each user a group of the same name, and with umask 002 what a user makes
// can be written by that group.
bool is_own_group(gid_t gid) {
  const passwd* const me = ::getpwuid(::geteuid());
  if (!me || me->pw_gid != gid) return false;
  const std::string name = me->pw_name;
  const group* const ours = ::getgrgid(gid);
  if (!ours || name != ours->gr_name) return false;
  for (char** member = ours->gr_mem; member && *member; ++member)
    if (name != *member) return false;
  return true;
}

std::string user_text(uid_t uid) {
  const std::string number = "user " + std::to_string(uid);
  const passwd* const user = ::getpwuid(uid);
  return user ? number + " (" + user->pw_name + ")" : number;
}

std::string mode_text(mode_t mode) {
  std::string out;
  for (unsigned shift = 12; shift > 0;) {
    shift -= 3;
    out += static_cast<char>('0' + ((mode >> shift) & 7u));
  }
  return out;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

bool is_ours(const struct stat& status) { return status.st_uid == ::geteuid() || status.st_uid == 0; }

bool others_may_write(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return true;
  return (status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid);
}

bool others_may_rename(const struct stat& status) {
  return (status.st_mode & S_ISVTX) == 0 && others_may_write(status);
}

std::string why_not_into(const struct stat& folder, const std::string& path, bool shared) {
  if (!is_ours(folder))
    return "'" + path + "' belongs to " + user_text(folder.st_uid) +
           ", who could change what is written there: name a folder of your own, or give it to you or to root (chown)";
  if (!shared && others_may_rename(folder))
    return "'" + path + "' can be changed by other users (mode " + mode_text(folder.st_mode & 07777u) +
           "), who could replace what is written there: name another folder, or take their right away (chmod go-w)";
  return {};
}

// One step for each name: what a name is gets known before it is followed.
WritePlace find_place(const std::string& path, LastLink last) {
  constexpr int kMostLinks = 40;  // as Linux: path_resolution(7)
  const auto fail = [](int number, std::string text) { return PlaceError{number, std::move(text)}; };
  const auto open_at = [](int at, const char* name) {
    return Descriptor(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  };
  // A folder on the way need not be readable.
  const auto pass_at = [](int at, const char* name, int flags) {
    return Descriptor(::openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | flags));
  };
  if (path.empty()) throw fail(ENOENT, "an empty path names no file");
  std::deque<std::string> parts = parts_of(path);
  Descriptor at(::open(path.front() == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) throw fail(errno, "the working folder cannot be opened: " + reason(errno));
  int links = 0;
  std::string name;
  while (!parts.empty()) {
    const std::string part = parts.front();
    parts.pop_front();
    const bool is_last = parts.empty();
    if (part == ".." && !is_last) {
      Descriptor up = pass_at(at.get(), "..", O_DIRECTORY);
      if (!up) throw fail(errno, "'" + path + "' cannot be opened: " + reason(errno));
      at = std::move(up);
      continue;
    }
    if (is_last && (last == LastLink::stays || part == "..")) {
      name = part;
      break;
    }
    Descriptor next = pass_at(at.get(), part.c_str(), 0);
    if (!next) {
      if (is_last && errno == ENOENT) {
        name = part;
        break;
      }
      throw fail(errno, "'" + path + "' cannot be opened: '" + part + "': " + reason(errno));
    }
    struct stat status {};
    if (::fstat(next.get(), &status) != 0) throw fail(errno, "'" + path + "' cannot be opened: " + reason(errno));
    if (!S_ISLNK(status.st_mode)) {
      if (is_last) {
        name = part;
        break;
      }
      if (!S_ISDIR(status.st_mode)) throw fail(ENOTDIR, "'" + path + "' cannot be opened: '" + part + "' is no folder");
      at = std::move(next);
      continue;
    }
    struct stat around {};
    if (::fstat(at.get(), &around) != 0) throw fail(errno, "'" + path + "' cannot be opened: " + reason(errno));
    if (!is_ours(status) || !is_ours(around) || others_may_rename(around))
      throw fail(EPERM, "'" + path + "' leads over the symbolic link '" + part + "', which " +
                            (is_ours(status) ? "lies in a folder that other users can change"
                                             : "belongs to " + user_text(status.st_uid)) +
                            ": name the file without it");
    if (++links > kMostLinks) throw fail(ELOOP, "'" + path + "' cannot be opened: " + reason(ELOOP));
    std::string target(PATH_MAX, '\0');
    const ssize_t got = ::readlinkat(next.get(), "", target.data(), target.size());
    if (got < 0) throw fail(errno, "'" + path + "' cannot be opened: " + reason(errno));
    target.resize(static_cast<std::size_t>(got));
    const std::deque<std::string> more = parts_of(target);
    parts.insert(parts.begin(), more.begin(), more.end());
    if (target.starts_with('/')) {
      at = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!at) throw fail(errno, "'/' cannot be opened: " + reason(errno));
    }
  }
  WritePlace place;
  if (name.empty() || name == "..") {  // a folder itself: its name is that in the folder above it
    const Descriptor self(::openat(at.get(), name.empty() ? "." : "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::string whole(PATH_MAX, '\0');
    const ssize_t got =
        self ? ::readlink(("/proc/self/fd/" + std::to_string(self.get())).c_str(), whole.data(), whole.size()) : -1;
    if (got < 0) throw fail(errno, "'" + path + "' cannot be opened: " + reason(errno));
    whole.resize(static_cast<std::size_t>(got));
    name = whole.substr(whole.rfind('/') + 1);
    if (name.empty()) throw fail(EBUSY, "'" + path + "' is the root folder; name a folder of its own");
    at = pass_at(self.get(), "..", O_DIRECTORY);
  }
  place.folder = open_at(at.get(), ".");
  if (!place.folder && errno == EACCES) place.folder = pass_at(at.get(), ".", O_DIRECTORY);  // writable, not readable
  if (!place.folder) throw fail(errno, "the folder of '" + path + "' cannot be opened: " + reason(errno));
  std::string whole(PATH_MAX, '\0');
  const ssize_t got =
      ::readlink(("/proc/self/fd/" + std::to_string(place.folder.get())).c_str(), whole.data(), whole.size());
  place.path = got > 0 ? whole.substr(0, static_cast<std::size_t>(got)) : std::string(".");  // without /proc
  place.name = std::move(name);
  return place;
}

HoldSignals::HoldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}
HoldSignals::~HoldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace clusterc
