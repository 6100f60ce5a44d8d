// Ports of RDMA adapters as the kernel shows them below /sys/class/infiniband
// (Documentation/ABI/stable/sysfs-class-infiniband; the texts are those that drivers/infiniband/core/sysfs.c writes),
// and what a machine is said to have.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::fabric {

enum class Layer : std::uint8_t { infiniband, ethernet };
std::string_view layer_text(Layer);  // "InfiniBand", "Ethernet"

struct Port {
  std::string device;  // "mlx5_0"
  int number = 0;      // from 1
  Layer layer = Layer::infiniband;
  std::string state, physical;  // "ACTIVE", "LinkUp"
  double rate = 0;              // bit/s of one direction, as negotiated; 0: unknown
  int lanes = 0;
  std::string speed;      // "NDR"
  std::uint64_t lid = 0;  // InfiniBand; 0: no subnet manager gave one
  std::string interface;  // network interface; empty: none
  std::int64_t mtu = 0;   // of it; 0: unknown
  std::size_t gids = 0;   // that are set
  std::optional<unsigned>
      routed_gid;         // Ethernet: index of a RoCE v2 GID, one of an IPv4 or global address before a link-local one
  bool routable = false;  // that GID is not link-local
  std::map<std::string, std::uint64_t>
      errors;  // counters that rise when something goes wrong ("symbol_error"); those that are there
  std::optional<std::uint64_t> sent;  // bytes
  bool active() const { return state == "ACTIVE" && rate > 0; }
  std::string name() const;  // "mlx5_0/1"
};

// In the order of device (mlx5_2 before mlx5_10) and port. Adapters whose link layer is neither (EFA) are left out.
std::vector<Port> read_ports(const std::filesystem::path& root);

// "infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000": so many ports at that rate, and the MTU of their interfaces.
struct Demand {
  Layer layer = Layer::infiniband;
  std::size_t count = 0;
  double rate = 0;       // bit/s
  std::int64_t mtu = 0;  // 0: any
};
std::optional<std::vector<Demand>> parse_demands(std::string_view text, std::string& why);

// Which port answers which demand: of each layer the best ports (active, fast, in order) to the fastest demands.
// Without demands every port that is active, or is neither down nor disabled.
struct Chosen {
  std::size_t port = 0;  // index
  std::optional<std::size_t> demand;
};
struct Choice {
  std::vector<Chosen> ports;        // in the order of the ports
  std::vector<std::string> absent;  // "2 of 8 InfiniBand ports are not there"
};
Choice choose(const std::vector<Port>&, const std::vector<Demand>&);

// What is wrong with a port, in words; empty: nothing.
std::string trouble_of(const Port&, const Demand*);
// "symbol_error rose by 3"; of two looks at one port.
std::string risen(const Port& before, const Port& after);

}  // namespace clusterc::fabric
