// Where files lie: the mount, whether it takes direct transfers, what is free, and how much of a file the page cache
// holds.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::storage {

struct Mount {
  std::string point, type, source;  // "/scratch", "lustre", "10.0.0.1@o2ib:/scratch"
};
// proc_pid_mountinfo(5); octal escapes are undone.
std::vector<Mount> parse_mountinfo(std::string_view text);
// The mount that holds `path` (absolute, without symbolic links): the longest point that is a part of it, of several at
// one point the last.
std::optional<Mount> mount_of(const std::vector<Mount>&, std::string_view path);

struct Place {
  std::string path;  // absolute, without symbolic links
  Mount mount;
  std::uint64_t free = 0;  // bytes that an ordinary user may take
  bool direct = false;     // O_DIRECT is taken: reads and writes go past the page cache
};

// Throws CouldNotRun where the folder is not there, is read-only, or (`mounted`) is no mount point itself.
Place look_at(const std::string& path, bool mounted);
// Whether O_DIRECT is taken in `folder`, tried with a file of its own that is removed.
bool takes_direct(const std::string& folder);

// Share of the file's pages that the page cache holds: mincore(2). nullopt where the kernel does not say.
std::optional<double> cached_share(const std::string& file);

}  // namespace clusterc::storage
