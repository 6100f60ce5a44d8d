// Copies between pinned memory of the host and a device: which pairs there are, and what one pair must be able to do.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report.h"

namespace clusterc::pcie {

enum class Way : std::uint8_t { to_device, to_host, both };  // both: at the same time

// A NUMA node with memory, and how far it is from every other (Documentation/ABI/stable/sysfs-devices-node: distance,
// in the order of the nodes).
struct MemoryNode {
  int id = 0;
  std::vector<int> distances;
};
std::vector<MemoryNode> memory_nodes(const std::filesystem::path& root = "/");

// One device and the node whose memory is copied.
struct CopyPath {
  int device = 0;
  int memory_node = -1;  // -1: wherever the kernel puts it
  bool own = true;       // the device's own node; false: the one that is farthest from it
};
// `node_of_device`: -1 where nobody knows; such a device has one path, and so has every device of a machine with one
// node.
std::vector<CopyPath> plan_paths(std::span<const int> node_of_device, std::span<const MemoryNode>);

// "pcie.copy", "pcie.copy.far_both"
std::string metric_of(const CopyPath&, Way);

// Pinned memory and memory of the device, a source and a destination in each.
class Copier {
 public:
  virtual ~Copier() = default;
  virtual harness::Device device() const = 0;
  virtual std::uint64_t bytes() const = 0;     // of one direction
  virtual double run(Way) = 0;                 // seconds of one copy, or of two side by side
  virtual void poison() = 0;                   // both destinations
  virtual std::uint64_t count_wrong(Way) = 0;  // 8-byte words of the destinations that are not what the generator says
  virtual std::vector<std::pair<std::string, harness::Parameter>> parameters() const = 0;
};
std::vector<int> host_devices();  // the node of each: every node's memory in a device's place
std::unique_ptr<Copier> open_host(const CopyPath&, std::uint64_t bytes, std::uint64_t seed);
std::vector<int> cuda_devices(int count);  // builds with CUDA only
std::unique_ptr<Copier> open_cuda(const CopyPath&, std::uint64_t bytes, std::uint64_t seed);

// Every path, each way, on the back end of the options.
void measure_copies(const harness::Options&, harness::Reporter&);

// Memory on one NUMA node, touched, page by page as the kernel has it.
class NodeMemory {
 public:
  NodeMemory(std::uint64_t bytes, int node);  // throws CouldNotRun where it is refused, or lies elsewhere
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  std::uint64_t* words() const { return words_; }
  std::uint64_t bytes() const { return bytes_; }
  int node() const { return node_; }  // where its first page lies; -1: a kernel without NUMA

 private:
  std::uint64_t* words_ = nullptr;
  std::uint64_t bytes_ = 0;
  int node_ = -1;
};

// No result has it, but for one in 2^64.
inline constexpr std::uint64_t kPoison = ~std::uint64_t{0};
// The two sources differ: what came from the wrong side is wrong.
inline constexpr std::uint64_t kOnHost = 0, kOnDevice = 1;  // streams of the generator

}  // namespace clusterc::pcie
