// What the node probe says of one machine, as far as `audit` compares it. A fact that the record lacks is empty.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct SeenPcieLink {  // 0: the record does not say
  std::int64_t generation = 0, lanes = 0, most_generation = 0, most_lanes = 0;
};

struct NodeRecord {
  struct Gpu {
    std::string address, name, vbios;
    bool accessible = true;
    double memory_bytes = 0, power_limit_watts = 0;
    std::int64_t nvlinks = -1, nvlinks_up = -1;  // -1: not said
    SeenPcieLink link;
  };
  struct Function {                         // of a PCI device
    std::string address, parent, id, kind;  // "15b3:1021", "0x020000"
    SeenPcieLink link;
    std::optional<std::int64_t> acs;  // control register of a bridge's ACS
  };
  struct Rdma {
    struct Port {
      std::string number, state, rate;  // "4: ACTIVE", "400 Gb/sec (4X NDR)"
    };
    std::string name, firmware, address;
    std::vector<Port> ports;
  };
  struct Drive {
    std::string name, model;
    double bytes = 0;
  };
  struct Limit {  // text: a number or "unlimited"
    std::string soft, hard;
  };

  std::string host, os_id, os_version, kernel, vendor, product, bios, cpu_model;
  std::optional<std::string> arguments;
  std::map<std::string, std::string, std::less<>> modules;  // loaded ones, with their version
  bool has_modules = false, nvml = false, root = false, has_pci = false, has_rdma = false, has_drives = false,
       has_gpus = false;
  std::int64_t sockets = 0, cores = 0, threads = 0, threads_per_core = 0, numa_nodes = 0;  // 0: not said
  double memory_bytes = 0;
  std::vector<double> dimms;  // bytes of each; empty: not said
  std::string driver, cuda, toolkit, nccl;
  std::vector<Gpu> gpus;
  std::vector<Function> pci;
  std::vector<Rdma> rdma;
  std::vector<Drive> drives;
  std::map<std::string, Limit, std::less<>> limits;
  const Function* function(std::string_view address) const;
};

inline constexpr std::size_t kLargestNodeRecord = std::size_t{4} << 20;  // bytes; one of a large node is some 100 kB

// Whether a line holds a record of the probe; pdsh and srun put the node's name in front of it.
bool is_node_record(std::string_view line);
// nullopt and `error` for what is none, or is too large.
std::optional<NodeRecord> read_node_record(std::string_view line, std::string& error);

}  // namespace clusterc
