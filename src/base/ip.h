// IPv4 addresses as numbers in host byte order, and prefixes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterc {

struct Ipv4Prefix {
  std::uint32_t base = 0;      // network address
  int length = 0;              // 0 … 32
  static std::optional<Ipv4Prefix> parse(std::string_view, std::string& error);   // "10.10.0.0/16"; host bits set is an error that names the network
  std::uint64_t size() const { return std::uint64_t{1} << (32 - length); }
  std::uint32_t mask() const { return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length); }
  std::uint32_t broadcast() const { return base | ~mask(); }
  bool contains(std::uint32_t a) const { return (a & mask()) == base; }
  bool overlaps(const Ipv4Prefix& o) const { return contains(o.base) || o.contains(base); }
  std::string text() const;
  bool operator==(const Ipv4Prefix&) const = default;
};

std::optional<std::uint32_t> parse_ipv4(std::string_view);
void append_ipv4(std::uint32_t, std::string& out);
std::string ipv4_text(std::uint32_t);

}  // namespace clusterc
