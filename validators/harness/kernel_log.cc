#include "harness/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "base/format.h"

namespace clusterc::harness {

std::optional<Xid> parse_xid(std::string_view line) {
  constexpr std::string_view kMark = "NVRM: Xid (PCI:";
  const auto at = line.find(kMark);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + kMark.size());
  const auto bracket = line.find("): ");
  if (bracket == line.npos || bracket > 32) return std::nullopt;
  Xid out{.address = std::string(line.substr(0, bracket)), .number = 0};
  line.remove_prefix(bracket + 3);
  if (std::from_chars(line.data(), line.data() + line.size(), out.number).ec != std::errc()) return std::nullopt;
  return out;
}

KernelLog::KernelLog(const char* path) : file_(::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (file_ >= 0) ::lseek(file_, 0, SEEK_END);
}
KernelLog::~KernelLog() {
  if (file_ >= 0) ::close(file_);
}

// A read gives one record; one that was overwritten before it was read gives EPIPE, and the next is read
// (Documentation/ABI/testing/dev-kmsg).
std::vector<Xid> KernelLog::xids() {
  std::vector<Xid> out;
  if (file_ < 0) return out;
  std::array<char, 8192> record{};
  constexpr unsigned kMost = 100000;  // records; a log that grows faster than it is read ends here
  for (unsigned turns = 0; turns < kMost; ++turns) {
    const ssize_t length = ::read(file_, record.data(), record.size());
    if (length == 0 || (length < 0 && errno != EPIPE && errno != EINTR)) break;
    if (length < 0) continue;
    std::string_view rest(record.data(), static_cast<std::size_t>(length));
    while (!rest.empty()) {  // a file has several lines
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (const auto xid = parse_xid(line)) out.push_back(*xid);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
  }
  return out;
}

std::vector<Xid> xids_of(std::vector<Xid> xids, std::string_view address) {
  std::erase_if(xids, [&](const Xid& xid) { return address.substr(0, address.rfind('.')) != xid.address; });
  return xids;
}

std::string xids_text(const std::vector<Xid>& xids) {
  std::string out;
  for (const Xid& xid : xids) out += format("{}{} on {}", out.empty() ? "" : ", ", xid.number, xid.address);
  return out;
}

}  // namespace clusterc::harness
