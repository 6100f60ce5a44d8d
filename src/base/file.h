// Reading and writing single files with errors that name their kind.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

struct FileError {
  enum class Kind { missing, directory, too_large, unreadable, unwritable };
  Kind kind = Kind::unreadable;
  std::string message;  // stands alone: "'lab.yaml' is a directory, not a file"
};

// The whole file. The size is looked at before a byte is read, and again while reading: pipes and /proc have none.
// "-" is not standard input here; that is the caller's business.
std::optional<std::string> read_file(const std::string& path, std::uint64_t max_bytes, FileError& error);

// Beside it first, then one rename: whoever reads `path` sees the old text or the new one, never half.
bool write_file(const std::string& path, std::string_view bytes, FileError& error);

}  // namespace clusterc
