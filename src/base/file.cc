#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/quantity.h"

namespace clusterc {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::string reason(int number) { return std::generic_category().message(number); }

}  // namespace

std::optional<std::string> read_file(const std::string& path, std::uint64_t max_bytes, FileError& error) {
  using Kind = FileError::Kind;
  const auto fail = [&](Kind kind, std::string text) {
    error = {kind, "'" + path + "' " + std::move(text)};
    return std::nullopt;
  };
  const auto too_large = [&](std::string size) {
    return fail(Kind::too_large, "is " + size + ", the limit is " + to_text(Bytes(static_cast<double>(max_bytes))));
  };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) {
    const int number = errno;
    if (number == ENOENT || number == ENOTDIR) return fail(Kind::missing, "does not exist");
    return fail(Kind::unreadable, "cannot be read: " + reason(number));
  }
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) return fail(Kind::unreadable, "cannot be read: " + reason(errno));
  if (S_ISDIR(status.st_mode)) return fail(Kind::directory, "is a directory, not a file");
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (S_ISREG(status.st_mode) && size > max_bytes) return too_large(to_text(Bytes(static_cast<double>(size))));

  std::string text;
  std::size_t have = 0;
  text.resize(static_cast<std::size_t>(S_ISREG(status.st_mode) ? size : 0) + 1);  // one more byte finds the end at once
  for (;;) {
    if (have == text.size()) text.resize(std::max<std::size_t>(2 * text.size(), 65536));
    const ssize_t got = ::read(file.fd, text.data() + have, text.size() - have);
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

bool write_file(const std::string& path, std::string_view bytes, FileError& error) {
  // A device or a pipe is written into, a link is followed: only a regular file is replaced.
  struct stat status {};
  const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  std::string target = path;
  if (char* real = special ? nullptr : ::realpath(path.c_str(), nullptr)) {
    target = real;
    std::free(real);
  }
  const std::string beside = special ? path : target + ".part-" + std::to_string(::getpid());
  const auto fail = [&](int number) {
    if (!special) ::unlink(beside.c_str());
    error = {number == ENOENT ? FileError::Kind::missing : FileError::Kind::unwritable,
             "'" + path + "' cannot be written: " + reason(number)};
    return false;
  };
  Descriptor file{::open(beside.c_str(), O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC), 0666)};
  if (file.fd < 0) return fail(errno);
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::close(std::exchange(file.fd, -1)) != 0) return fail(errno);  // NFS tells of a full disk here
  if (!special && ::rename(beside.c_str(), target.c_str()) != 0) return fail(errno);
  return true;
}

}  // namespace clusterc
