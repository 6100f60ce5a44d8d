// What the node probe says of one machine, and the first spec that can be written from it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace clusterc {

struct MachineFacts {
  struct Gpu {
    std::string name;
    std::int64_t memory_bytes = 0;
  };
  struct Nic {
    std::string name, driver;
    std::int64_t bits_per_second = 0;
  };
  struct Drive {
    std::string name;
    std::int64_t bytes = 0;
    bool nvme = false, rotational = false;
  };
  std::string host, os_id, os_version, kernel, arch, cpu_model, driver, cuda_driver;
  // 0: the probe could not see it, as the processors of a machine without /sys.
  std::int64_t sockets = 0, cores = 0, threads = 0, threads_per_core = 1, memory_bytes = 0;
  bool virtual_machine = false;
  bool nosmt = false;  // among the kernel's arguments
  std::vector<Gpu> gpus;
  std::vector<Nic> nics;  // physical ones
  std::vector<Drive> drives;
  std::vector<std::string> programs;  // found in PATH
};

// The line of the probe with record "probe". nullopt and `error` when it is none.
std::optional<MachineFacts> read_probe(std::string_view json, std::string& error);

// A commented spec of this one machine, in the spec language, that checks and validates as it is. What the probe cannot
// know stands there as a comment that says which key to add.
std::string spec_of_machine(const MachineFacts&, Catalog&);

}  // namespace clusterc
