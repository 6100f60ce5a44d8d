// perftest as a program (https://github.com/linux-rdma/perftest): its command lines, and the table that it prints read
// back.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/ports.h"

namespace clusterc::fabric {

enum class Perftest : std::uint8_t { bandwidth, latency, both };  // ib_write_bw, ib_write_lat, ib_write_bw both ways

struct PerftestRun {
  Perftest test = Perftest::bandwidth;
  std::string program;  // path
  std::string peer;     // host to connect to; empty: wait for one
  unsigned tcp_port = 0;
  std::string device;
  int port = 1;
  std::optional<unsigned> gid_index;  // Ethernet
  std::uint64_t size = 0;             // bytes of a message
  unsigned seconds = 1;               // bandwidth
  unsigned iterations = 0;            // latency
  std::vector<std::string> memory;    // where the bytes are, where not in the host's memory (fabric/gpus.h)
};
std::vector<std::string> perftest_arguments(const PerftestRun&);

struct PerftestResult {
  std::uint64_t size = 0, iterations = 0;
  double value = 0;       // B/s (average), or s of one way (typical: the median)
  double tail = 0;        // latency: s, 99 %
  std::uint64_t mtu = 0;  // bytes, of the path; 0: not told
};
// Of what the client printed. nullopt: there is no whole table.
std::optional<PerftestResult> parse_perftest(std::string_view text, Perftest);

}  // namespace clusterc::fabric
