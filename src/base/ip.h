// IPv4 addresses as numbers in host byte order, and prefixes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

struct Ipv4Prefix {
  std::uint32_t base = 0;  // network address
  int length = 0;          // 0 … 32
  static std::optional<Ipv4Prefix> parse(
      std::string_view, std::string& error);  // "10.10.0.0/16"; host bits set is an error that names the network
  std::uint64_t size() const { return std::uint64_t{1} << (32 - length); }
  std::uint32_t mask() const { return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length); }
  std::uint32_t broadcast() const { return base | ~mask(); }
  // Addresses that hosts may have: not the network's own and not the broadcast one, except in /31 (RFC 3021) and /32.
  std::uint64_t host_count() const { return length >= 31 ? size() : size() - 2; }
  std::uint32_t host(std::uint64_t i) const { return base + static_cast<std::uint32_t>(i + (length >= 31 ? 0 : 1)); }
  // The i-th prefix of `longer` bits inside this one: 10.0.0.0/8 .part(16, 3) is 10.3.0.0/16.
  Ipv4Prefix part(int longer, std::uint64_t i) const {
    return {base + static_cast<std::uint32_t>(longer >= 32 ? i : i << (32 - longer)), longer};
  }
  bool contains(std::uint32_t a) const { return (a & mask()) == base; }
  bool overlaps(const Ipv4Prefix& o) const { return contains(o.base) || o.contains(base); }
  std::string text() const;
  bool operator==(const Ipv4Prefix&) const = default;
};

// Four decimal numbers without zeros in front (some readers take 010 for octal).
std::optional<std::uint32_t> parse_ipv4(std::string_view);
void append_ipv4(std::uint32_t, std::string& out);
std::string ipv4_text(std::uint32_t);

// 48 bits from "02:00:0a:00:00:01", also with '-' or with dots in fours; nullopt otherwise.
std::optional<std::uint64_t> parse_mac(std::string_view);

}  // namespace clusterc
