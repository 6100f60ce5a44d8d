// The host in a device's place: memory of a NUMA node, a thread on it for each direction. It shows the logic, and says
// nothing of a GPU.
#include <cstring>

#include "base/format.h"
#include "harness/fault.h"
#include "harness/inputs.h"
#include "harness/machine.h"
#include "harness/team.h"
#include "pcie/copies.h"

namespace clusterc::pcie {
using namespace harness;
namespace {

// Two processors near the device, or one twice.
std::vector<int> copying_cpus(const std::vector<NumaNode>& nodes, int device) {
  const std::vector<int>& cpus = nodes.at(static_cast<std::size_t>(device)).cpus;
  return {cpus.front(), cpus.size() > 1 ? cpus[1] : cpus.front()};
}

class HostCopier final : public Copier {
 public:
  HostCopier(const CopyPath& path, std::uint64_t bytes, std::uint64_t seed)
      : nodes_(numa_nodes(allowed_cpus())),
        node_(nodes_.at(static_cast<std::size_t>(path.device)).id),
        seed_(seed),
        host_in_(bytes, path.memory_node),
        host_out_(bytes, path.memory_node),
        device_in_(bytes, path.memory_node < 0 ? -1 : node_),
        device_out_(bytes, path.memory_node < 0 ? -1 : node_),
        team_(copying_cpus(nodes_, path.device)) {
    for (std::uint64_t i = 0; i < words(); ++i) {
      host_in_.words()[i] = random_bits(stream_seed(seed_, kOnHost), i);
      device_in_.words()[i] = random_bits(stream_seed(seed_, kOnDevice), i);
    }
  }

  Device device() const override {
    return {
        .backend = Backend::host, .label = nodes_.size() > 1 ? format("numa{}", node_) : "host", .name = cpu_model()};
  }
  std::uint64_t bytes() const override { return host_in_.bytes(); }

  double run(Way way) override {
    return team_.run([&](unsigned rank) {
      if (rank == 0 && way != Way::to_host) std::memcpy(device_out_.words(), host_in_.words(), bytes());
      if (rank == 1 && way != Way::to_device) std::memcpy(host_out_.words(), device_in_.words(), bytes());
    });
  }

  void poison() override {
    for (const NodeMemory* out : {&host_out_, &device_out_}) std::fill(out->words(), out->words() + words(), kPoison);
  }

  std::uint64_t count_wrong(Way way) override {
    fault_flip_bit(way == Way::to_host ? host_out_.words() : device_out_.words(), bytes() / 2);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < words(); ++i) {
      if (way != Way::to_host) wrong += device_out_.words()[i] != random_bits(stream_seed(seed_, kOnHost), i);
      if (way != Way::to_device) wrong += host_out_.words()[i] != random_bits(stream_seed(seed_, kOnDevice), i);
    }
    return wrong;
  }

  std::vector<std::pair<std::string, Parameter>> parameters() const override {
    return {{"memory_node", format("{}", host_in_.node())},
            {"device_node", format("{}", device_in_.node())},
            {"pinned", false},
            {"threads_bound", team_.bound()}};
  }

 private:
  std::uint64_t words() const { return bytes() / sizeof(std::uint64_t); }
  std::vector<NumaNode> nodes_;
  int node_;
  std::uint64_t seed_;
  NodeMemory host_in_, host_out_, device_in_, device_out_;
  Team team_;
};

}  // namespace

std::vector<int> host_devices() {
  std::vector<int> out;
  for (const NumaNode& node : numa_nodes(allowed_cpus())) out.push_back(node.id);
  return out;
}

std::unique_ptr<Copier> open_host(const CopyPath& path, std::uint64_t bytes, std::uint64_t seed) {
  return std::make_unique<HostCopier>(path, bytes, seed);
}

}  // namespace clusterc::pcie
