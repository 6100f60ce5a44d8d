#include "system/mount_source.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_';
}

constexpr std::size_t kLongestName = 8;  // of a file system (mkfs.lustre(8), --fsname)
constexpr std::size_t kLongest = 1000;   // of all, far below what a line of fstab holds

// o2ib and o2ib0 are the same LNet.
std::optional<std::string> lnet_of(std::string_view text) {
  const std::string_view type = text.starts_with("o2ib") ? "o2ib" : text.starts_with("tcp") ? "tcp" : "";
  const std::string_view number = text.substr(type.size());
  if (type.empty() || number.size() > 3 || !std::all_of(number.begin(), number.end(), is_digit) ||
      (number.size() > 1 && number.front() == '0'))
    return std::nullopt;
  return number == "0" ? std::string(type) : std::string(text);
}

}  // namespace

std::optional<LustreSource> read_lustre_source(std::string_view text, std::string& why) {
  const std::size_t slash = text.find(":/");
  if (slash == std::string_view::npos || text.size() > kLongest)
    return why = "it must have NIDs, then ':/' and the name of the file system", std::nullopt;
  LustreSource out;
  for (const std::string_view server : split(text.substr(0, slash), ':'))
    for (const std::string_view nid : split(server, ',')) {
      const std::size_t at = std::min(nid.find('@'), nid.size());
      const auto address = parse_ipv4(nid.substr(0, at));
      const auto net = lnet_of(at < nid.size() ? nid.substr(at + 1) : "tcp");
      const std::string_view host = nid.substr(0, at);
      const bool name =
          is_mount_host(host) && std::any_of(host.begin(), host.end(), [](char c) { return !is_digit(c) && c != '.'; });
      if ((!address && !name) || !net)
        return why = "'" + one_line(nid) +
                     "' is not a NID, which is an address or host name and an LNet, such as 10.3.0.5@o2ib or "
                     "fs-1.example.org@tcp",
               std::nullopt;
      out.nids.push_back({address.value_or(0), *net});
    }
  std::size_t level = 0;
  for (const std::string_view part : split(text.substr(slash + 2), '/')) {
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_plain))
      return why = "'" + one_line(text.substr(slash + 1)) +
                   "' is not a name of a file system, which has letters, digits, - and _, and folders after a '/'",
             std::nullopt;
    if (level++ == 0 && part.size() > kLongestName)
      return why =
                 "its name '" + std::string(part) + "' is longer than " + std::to_string(kLongestName) + " characters",
             std::nullopt;
  }
  return out;
}

bool is_mount_host(std::string_view text) {
  return !text.empty() && text.size() <= 253 && is_plain(text.front()) && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c) || c == '.'; });
}

std::optional<NfsSource> read_nfs_source(std::string_view text, std::string& why) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.size() > kLongest)
    return why = "it has no path, which begins with '/'", std::nullopt;
  NfsSource out{std::string(text.substr(0, slash)), std::string(text.substr(slash))};
  if (!out.host.empty()) {
    if (out.host.back() != ':') return why = "a ':' must separate the host from the path", std::nullopt;
    out.host.pop_back();
    if (!is_mount_host(out.host))
      return why = "'" + one_line(out.host) + "' is not a host name or IPv4 address", std::nullopt;
  }
  for (const std::string_view part : split(std::string_view(out.folder).substr(1), '/'))
    if (out.folder != "/" && (part.empty() || part == "." || part == ".." ||
                              !std::all_of(part.begin(), part.end(), [](char c) { return is_plain(c) || c == '.'; })))
      return why = "'" + one_line(out.folder) +
                   "' is not a path: each '/' must be followed by a name of letters, digits, '.', - and _",
             std::nullopt;
  return out;
}

}  // namespace clusterc
