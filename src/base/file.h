// Reading and writing single files with errors that name their kind.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/place.h"

namespace clusterc {

struct FileError {
  enum class Kind { missing, directory, too_large, unreadable, unwritable };
  Kind kind = Kind::unreadable;
  std::string message;  // stands alone: "'lab.yaml' is a directory, not a file"
};

// The whole file. The size is looked at before a byte is read, and again while reading: pipes and /proc have none.
// "-" is not standard input here; that is the caller's business.
std::optional<std::string> read_file(const std::string& path, std::uint64_t max_bytes, FileError& error);

// The same of a file that is open, from where it stands to its end. `path` is for the error.
std::optional<std::string> read_file(int fd, const std::string& path, std::uint64_t max_bytes, FileError& error);

// A new file under an unpredictable name, then one rename: whoever reads `path` sees the old text or the new one, never
// half, and no link is written through. It is on the disk when this returns.
// Refused: a symbolic link, a folder, a socket or a block device by that name, a pipe of another user or without a
// reader, a folder that does not belong to the caller or to root (base/place.h). A character device (/dev/null) and a
// pipe are written into; /dev/stdout, /dev/stderr and /dev/fd/N mean the descriptor that the program was given.
bool write_file(const std::string& path, std::string_view bytes, FileError& error, mode_t mode = 0666);
// What of this can be known before there are bytes to write: true, or the reason in `error`.
bool can_write_file(const std::string& path, FileError& error);

// Opens a file that is appended to and read back, and makes it where there is none. It is a regular file of the
// caller's or of root's with one name that nobody else can write to; no link is followed, and nothing else is opened.
std::optional<Descriptor> open_to_append(const std::string& path, FileError& error);
// All of it, or false (errno).
bool write_all(int fd, std::string_view bytes);

// A file that is made beside the one that it replaces. Signals are held back while it lives, so that it is finished or
// removed.
class Replacement {
 public:
  explicit Replacement(const WritePlace& place) : place_(place) {}
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  bool open(mode_t mode);  // each of these: false, and errno
  int fd() const { return file_.get(); }
  bool sync();          // to the disk, and closed
  bool put_in_place();  // after sync()

 private:
  HoldSignals held_;
  const WritePlace& place_;
  std::string name_;
  Descriptor file_;
};

}  // namespace clusterc
