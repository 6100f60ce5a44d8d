// PCI Express links of GPUs, network adapters and NVMe drives, as the kernel tells them
// (Documentation/ABI/testing/sysfs-bus-pci).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clusterc::pcie {

struct Rate {
  double transfers = 0;  // a second and lane: 32e9
  int lanes = 0;
  bool known() const { return transfers > 0 && lanes > 0; }
};
// Bytes a second of one direction after coding (PCI Express Base Specification): 8b/10b to 5 GT/s, 128b/130b to 32
// GT/s, 236 of 256 bytes of a flit at 64 GT/s.
double bytes_per_second(Rate);
std::string rate_text(Rate);  // "32 GT/s x16"

bool is_pci_address(const std::string& name);  // "0000:17:00.0"

enum class Kind : std::uint8_t { gpu, nic, nvme };

struct Link {
  Kind kind = Kind::gpu;
  std::string address;  // "0000:17:00.0"
  std::string id;       // "10de:2330"
  std::string port;     // the bridge above; empty: a root bus without one
  Rate now, device,
      upstream;  // negotiated; what the device can; what the port above it can (unknown where there is none)
  std::uint64_t errors_corrected = 0, errors_uncorrected = 0;  // AER, since the machine started
  // What both ends can do.
  Rate most() const;
};

// In order of their addresses; virtual functions, and devices without a link of their own, are left out.
std::vector<Link> read_links(const std::filesystem::path& root);

// What is wrong with a link, in words; empty: nothing. A GPU that is idle slows its link: of one only the lanes are
// held against what both ends can do.
std::string trouble_of(const Link&);

}  // namespace clusterc::pcie
