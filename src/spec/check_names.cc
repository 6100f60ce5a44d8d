#include "spec/check_names.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/host_pattern.h"
#include "base/ip.h"
#include "base/text.h"
#include "spec/names.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestName = kLongestGroupName;

// U+2018 to U+201F at both ends.
std::string without_typographic_quotes(std::string_view text) {
  const auto quote = [](std::string_view three) {
    return three.size() == 3 && three.starts_with("\xe2\x80") && three[2] >= '\x98' && three[2] <= '\x9f';
  };
  if (text.size() < 7 || !quote(text.substr(0, 3)) || !quote(text.substr(text.size() - 3))) return std::string(text);
  return std::string(text.substr(3, text.size() - 6));
}

}  // namespace

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_domain(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  for (std::size_t from = 0; from <= name.size();) {
    const std::string_view label = name.substr(from, name.find('.', from) - from);
    if (label.empty() || label.size() > kLongestName || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; }))
      return false;
    from += label.size() + 1;
  }
  return true;
}

bool is_address(const std::string& text) {
  in6_addr v6;
  return parse_ipv4(text).has_value() || inet_pton(AF_INET6, text.c_str(), &v6) == 1;
}

bool is_numbers(std::string_view text) { return text.find_first_not_of("0123456789.") == text.npos; }

bool is_group_name(std::string_view name) {
  bool good = !name.empty() && name.size() <= kLongestGroupName && is_letter_or_digit(name.front());
  for (const char c : name) good = good && (is_letter_or_digit(c) || c == '-' || c == '_');
  return good;
}

void NameChecks::cluster_name(const Value<std::string>& name) {
  if (!name) return;
  bool good = !name->empty() && name->size() <= kLongestName && name->front() != '-' && name->back() != '-';
  for (const char c : *name) good = good && (is_letter_or_digit(c) || c == '-');
  if (!good)
    findings_.error(
        "spec-bad-name", name.span,
        format("'{}' cannot be a cluster's name: letters, digits and inner hyphens, at most {}", *name, kLongestName));
}

void NameChecks::group_name(std::string_view what, const std::string& name, SourceSpan at) {
  if (!is_group_name(name))
    findings_.error("spec-bad-name", at,
                    format("'{}' cannot name a {}: letters, digits, hyphens and underscores, at most {}", name, what,
                           kLongestName));
}

void NameChecks::pattern(const Value<std::string>& names) {
  if (!names) return;
  HostPattern::Error error;
  if (HostPattern::parse(*names, error)) return;
  // The place within the scalar, where the source spells it as it is read.
  SourceSpan at = names.span;
  const std::string_view written = sources_.text(at);
  const std::size_t quote = !written.empty() && (written[0] == '"' || written[0] == '\'') ? 1 : 0;
  if (written.substr(quote, names->size()) == *names && error.offset < names->size() &&
      static_cast<unsigned char>((*names)[error.offset]) < 0x80) {
    at.begin += static_cast<std::uint32_t>(quote + error.offset);
    at.end = at.begin + 1;
  }
  Finding& f = findings_.error("spec-bad-pattern", at, format("name pattern '{}': {}", *names, error.message));
  if (const std::string plain = without_typographic_quotes(*names); plain != *names && HostPattern::parse(plain, error))
    f.fixed_by(format("write \"{}\": typographic quotes are letters to YAML", plain),
               {{names.span, format("\"{}\"", plain)}});
  else
    f.help("patterns are written as \"gpu[001-127]\", \"h[1-2]n[01-16]\" or \"c[1,3,5-9]\"");
}

void NameChecks::host_names(const Value<std::string>& names) {
  HostPattern::Error error;
  const auto hosts = names ? HostPattern::parse(*names, error) : std::nullopt;
  if (!hosts || hosts->count() == 0) return;
  const std::string first = hosts->name(0);
  if (first.find_first_not_of("0123456789.") == std::string::npos)
    findings_.error("spec-bad-name", names.span, format("host name '{}' would be read as an IP address", first))
        .help(format("begin it with a letter: n{}", *names));
  else if (names->find('_') != std::string::npos)
    findings_
        .warning("spec-bad-name", names.span,
                 format("host name '{}' has an underscore, which DNS and many a program refuse", first))
        .help("letters, digits and inner hyphens (RFC 1123, 2.1)");
  else if (const std::size_t dot = first.find('.'); dot != std::string::npos)
    findings_
        .warning("spec-bad-name", names.span,
                 format("host name '{}' has a dot: cloud-init, hostname and Slurm read '{}' as the name, and the rest "
                        "as its domain",
                        first, first.substr(0, dot)))
        .help("write a hyphen in place of the dot; the domain of all nodes is `software.domain`");
}

void NameChecks::relative_path(std::string_view key, const Value<std::string>& path) {
  if (!path) return;
  std::string why;
  if (path->empty())
    why = "is empty";
  else if (path->front() == '/')
    why = "is absolute";
  for (const char c : *path)
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') why = "has a character that no path has here";
  for (std::size_t begin = 0; why.empty() && begin <= path->size();) {
    const std::size_t end = std::min(path->find('/', begin), path->size());
    if (path->substr(begin, end - begin) == "..") why = "leaves the folder of the spec";
    begin = end + 1;
  }
  if (!why.empty())
    findings_.error("spec-bad-path", path.span, format("'{}' is '{}', which {}", key, *path, why))
        .help("paths are relative to the spec and stay in its folder, such as ./parts");
}

void NameChecks::mount_point(const Value<std::string>& mount) {
  if (!mount) return;
  bool good = mount->size() > 1 && mount->front() == '/' && mount->back() != '/' &&
              mount->find("//") == std::string::npos && (*mount + "/").find("/../") == std::string::npos;
  for (const char c : *mount) good = good && static_cast<unsigned char>(c) > 0x20 && c != '\\' && c != '"' && c != '\'';
  if (!good) {
    findings_.error("spec-bad-path", mount.span,
                    format("'mount' is '{}', but must be an absolute path without spaces, such as /scratch", *mount));
    return;
  }
  // What a system starts from and keeps its state in (FHS 3.0, chapters 3 to 6; file-hierarchy(7)): a file system
  // over it takes the machine away.
  static constexpr std::string_view kSystem[] = {
      "/bin",     "/boot",      "/dev",         "/etc",       "/lib",       "/lib32", "/lib64",
      "/proc",    "/root",      "/run",         "/sbin",      "/sys",       "/usr",   "/usr/bin",
      "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/sbin",  "/usr/share", "/var",   "/var/cache",
      "/var/lib", "/var/log",   "/var/run",     "/var/spool", "/var/tmp"};
  static constexpr std::string_view kKernels[] = {
      "/boot/", "/dev/", "/proc/", "/sys/"};  // and all below: /dev/shm is the memory that MPI and NCCL share
  const auto hides = [&](std::string_view path) { return *mount == path; };
  const auto below = [&](std::string_view path) { return mount->starts_with(path); };
  if (std::any_of(std::begin(kSystem), std::end(kSystem), hides) ||
      std::any_of(std::begin(kKernels), std::end(kKernels), below))
    findings_
        .error("spec-bad-path", mount.span,
               format("a file system mounted at '{}' hides files that the operating system needs", *mount))
        .help("write a separate path, such as /scratch or /srv/data");
}

void NameChecks::word(std::string_view key, const Value<std::string>& v) {
  if (!v) return;
  const bool good = v->size() <= 200 && std::all_of(v->begin(), v->end(), [](char c) {
                      return is_letter_or_digit(c) || std::string_view(" ._+-/:@()").find(c) != std::string_view::npos;
                    });
  if (!good)
    findings_.error("spec-bad-name", v.span,
                    format("{} '{}' is too long or has other characters than allowed: at most 200 letters, digits, "
                           "spaces and . _ + - / : @ ( )",
                           key, *v));
}

void NameChecks::prefix(std::string_view key, const Value<std::string>& v) {
  std::string error;
  if (v && !Ipv4Prefix::parse(*v, error))
    findings_.error("spec-bad-prefix", v.span, format("{} '{}': {}", key, *v, error))
        .help("prefixes are written as 10.10.0.0/16");
}

void NameChecks::endpoint(const Value<std::string>& v) {
  if (!v) return;
  const std::size_t colon = v->rfind(':');
  const std::string host = v->substr(0, colon);
  const auto port = colon == std::string::npos ? std::optional<std::uint64_t>(6443) : parse_uint(v->substr(colon + 1));
  const bool numbers = !host.empty() && host.find_first_not_of("0123456789.") == std::string::npos;
  if (!(numbers ? parse_ipv4(host).has_value() : is_domain(host)) || !port || *port == 0 || *port > 65535)
    findings_
        .error("spec-bad-address", v.span,
               format("endpoint '{}' is no host or IPv4 address, with or without a port", *v))
        .help("write it as api.example.org:6443");
}

}  // namespace clusterc
