// What the probes of the nodes say about hardware, firmware and software: the machines that a report is about.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct NodeProbe;
struct Report;

struct GpuFacts {
  std::string name, serial, uuid, vbios, pci_address;
};
struct AdapterFacts {
  std::string name, model, firmware, id;  // id: node GUID of an RDMA adapter, MAC of another
};

// A text that the probe could not read is empty. All texts are printable().
struct NodeFacts {
  std::string node, host, probed;  // probed: the node's own clock
  std::string system, kernel;      // "Debian GNU/Linux 12 (bookworm)", "6.1.0-13-amd64"
  std::string vendor, product, serial, bios, cpu;
  double memory_bytes = 0;
  std::string driver, cuda, nccl;  // of NVIDIA
  std::vector<GpuFacts> gpus;
  std::vector<AdapterFacts> adapters;  // RDMA adapters, then physical network interfaces
};

NodeFacts read_probe(const NodeProbe&);
std::vector<NodeFacts> nodes_of(const Report&);  // of its probes in their order, then what an earlier report had

}  // namespace clusterc
