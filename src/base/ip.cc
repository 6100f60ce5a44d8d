#include "base/ip.h"

#include <charconv>

#include "base/text.h"

namespace clusterc {

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const auto part : parts) {
    const auto octet = parse_uint(part);
    if (!octet || *octet > 255 || part.size() > 3 || (part.size() > 1 && part[0] == '0')) return std::nullopt;
    value = value << 8 | static_cast<std::uint32_t>(*octet);
  }
  return value;
}

std::optional<Ipv4Prefix> Ipv4Prefix::parse(std::string_view text, std::string& error) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    error = "has no prefix length; write it as 10.0.0.0/16";
    return std::nullopt;
  }
  const auto address = parse_ipv4(text.substr(0, slash));
  if (!address) {
    error = "is no IPv4 network; write it as 10.0.0.0/16";
    return std::nullopt;
  }
  const std::string_view digits = text.substr(slash + 1);
  const auto length = parse_uint(digits);
  if (!length || *length > 32 || digits.size() > 2) {
    error = "has a prefix length outside 0 to 32";
    return std::nullopt;
  }
  if (digits.size() > 1 && digits.front() == '0') {  // 08: some programs read that as octal
    error = "has a zero before its prefix length; write it as " + std::string(text.substr(0, slash)) + "/" +
            std::string(digits.substr(1));
    return std::nullopt;
  }
  Ipv4Prefix prefix{*address, static_cast<int>(*length)};
  if (const std::uint32_t network = *address & prefix.mask(); network != *address) {
    prefix.base = network;
    error = "has bits set behind the /" + std::string(digits) + "; the network is " + prefix.text();
    return std::nullopt;
  }
  return prefix;
}

void append_ipv4(std::uint32_t address, std::string& out) {
  char buffer[16];
  char* at = buffer;
  for (int shift = 24; shift >= 0; shift -= 8) {
    at = std::to_chars(at, buffer + sizeof buffer, (address >> shift) & 255u).ptr;
    if (shift > 0) *at++ = '.';
  }
  out.append(buffer, at);
}

std::string ipv4_text(std::uint32_t address) {
  std::string out;
  append_ipv4(address, out);
  return out;
}

std::string Ipv4Prefix::text() const {
  std::string out = ipv4_text(base);
  out += '/';
  append_uint(out, static_cast<std::uint64_t>(length));
  return out;
}

std::optional<std::uint64_t> parse_mac(std::string_view text) {
  const bool dotted = text.size() == 14;  // 0200.0a00.0001
  if (!dotted && text.size() != 17) return std::nullopt;
  const char separator = text[dotted ? 4 : 2];
  if (dotted ? separator != '.' : separator != ':' && separator != '-') return std::nullopt;
  const std::size_t group = dotted ? 4 : 2;
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < text.size(); at += group + 1) {
    if (at > 0 && text[at - 1] != separator) return std::nullopt;
    std::uint32_t part = 0;
    const auto result = std::from_chars(text.data() + at, text.data() + at + group, part, 16);
    if (result.ec != std::errc{} || result.ptr != text.data() + at + group) return std::nullopt;
    value = value << (4 * group) | part;
  }
  return value;
}

}  // namespace clusterc
