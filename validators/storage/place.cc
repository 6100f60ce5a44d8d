#include "storage/place.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/format.h"
#include "harness/machine.h"
#include "harness/outcome.h"

namespace clusterc::storage {
namespace fs = std::filesystem;
using namespace harness;
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octal = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const auto cut = line.find(' ');
    if (cut != 0) out.push_back(line.substr(0, cut));
    line.remove_prefix(cut == line.npos ? line.size() : cut + 1);
  }
  return out;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> out;
  while (!text.empty()) {
    const auto line_end = text.find('\n');
    const std::vector<std::string_view> all = words(text.substr(0, line_end));
    text.remove_prefix(line_end == text.npos ? text.size() : line_end + 1);
    // 36 35 98:0 /root /mount options optional… - type source super-options
    const auto dash = std::find(all.begin(), all.end(), "-");
    if (all.size() < 6 || all.end() - dash < 3) continue;
    out.push_back({unescaped(all[4]), unescaped(dash[1]), unescaped(dash[2])});
  }
  return out;
}

std::optional<Mount> mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const Mount& m : mounts) {
    const bool inside =
        m.point == "/" || (path.starts_with(m.point) && (path.size() == m.point.size() || path[m.point.size()] == '/'));
    if (inside && (!best || m.point.size() >= best->point.size())) best = &m;
  }
  return best ? std::optional(*best) : std::nullopt;
}

Place look_at(const std::string& path, bool mounted) {
  Place place;
  struct stat status {};
  if (::stat((path + "/.").c_str(), &status) != 0) {  // the dot wakes an automounter
    throw CouldNotRun(Cause::system, format("'{}': {}", path, std::strerror(errno)));
  }
  std::error_code failed;
  place.path = fs::canonical(path, failed).string();
  if (failed) throw CouldNotRun(Cause::system, format("'{}': {}", path, failed.message()));
  const auto mount = mount_of(parse_mountinfo(read_text("/proc/self/mountinfo").value_or("")), place.path);
  if (mount) place.mount = *mount;
  if (mounted && (!mount || mount->point != place.path)) {
    throw CouldNotRun(Cause::system, format("'{}' is not mounted: the folder lies in '{}' ({})", path,
                                            place.mount.point, place.mount.type));
  }
  struct statvfs room {};
  if (::statvfs(place.path.c_str(), &room) != 0)
    throw CouldNotRun(Cause::system, format("'{}': {}", path, std::strerror(errno)));
  if (room.f_flag & ST_RDONLY) throw CouldNotRun(Cause::read_only, format("'{}' is mounted read-only", path));
  place.free = std::uint64_t{room.f_bavail} * room.f_frsize;
  return place;
}

bool takes_direct(const std::string& folder) {
  const std::string file = folder + "/direct";
  const int at = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0600);
  if (at >= 0) ::close(at);
  ::unlink(file.c_str());
  return at >= 0;
}

std::optional<double> cached_share(const std::string& file) {
  const int at = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (at < 0) return std::nullopt;
  struct stat status {};
  std::optional<double> out;
  if (::fstat(at, &status) == 0 && status.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(status.st_size),
               page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, at, 0);
    if (map != MAP_FAILED) {
      std::vector<unsigned char> pages((bytes + page - 1) / page);
      if (::mincore(map, bytes, pages.data()) == 0) {
        out = static_cast<double>(std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return p & 1; })) /
              static_cast<double>(pages.size());
      }
      ::munmap(map, bytes);
    }
  }
  ::close(at);
  return out;
}

}  // namespace clusterc::storage
