// GPUs whose memory an adapter reads and writes by itself (GPUDirect RDMA): which GPU is next to which port, and what
// perftest has to be told.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/ports.h"

namespace clusterc::fabric {

enum class Maker : std::uint8_t { nvidia, amd };

struct Gpu {
  std::string address;  // "0000:17:00.0"
  unsigned number = 0;  // as ROCm counts them; of no use for CUDA, which has an order of its own
};
// In the order of their addresses. Virtual functions are left out.
std::vector<Gpu> read_gpus(const std::filesystem::path& root, Maker);

enum class Nearness : std::uint8_t { far, same_node, same_switch };  // of NUMA; of PCI Express
std::string_view nearness_text(Nearness);                            // "same PCIe switch"

struct GpuPort {
  std::size_t port = 0, gpu = 0;  // indices
  Nearness nearness = Nearness::far;
};
// Which GPU works with which of `ports`: each nearest pair that is left, until every port and every GPU has a partner;
// those that are over share one. In the order of the ports, then of the GPUs.
std::vector<GpuPort> pair_gpus(const std::filesystem::path& root, const std::vector<Port>&,
                               const std::vector<std::size_t>& ports, const std::vector<Gpu>&);

// How perftest gets the adapter to the memory of a GPU.
struct GpuMemory {
  Maker maker = Maker::nvidia;
  bool dma_buf = false;  // of the kernel; else the peer memory of a module
  std::vector<std::string> arguments(const Gpu&) const;
  std::string_view text() const { return dma_buf ? "DMA-BUF" : "peer memory"; }
};
// From what `ib_write_bw --help` prints, which lists the options of the libraries that it was built with, and the
// modules that the kernel has loaded. False: it cannot, and `why` says what is missing.
bool find_gpu_memory(const std::filesystem::path& root, Maker, std::string_view help, GpuMemory&, std::string& why);

}  // namespace clusterc::fabric
