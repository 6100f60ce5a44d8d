// Access Control Services: whether the switches between a GPU and an adapter send what they exchange up to the root
// complex and back (PCI Express Base Specification 6.0, section 7.7.11; NVIDIA's NCCL user guide, "PCI Access Control
// Services (ACS)": GPUDirect is slow then, or hangs).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcie/links.h"

namespace clusterc::pcie {

// Of the control register: P2P Request Redirect, P2P Completion Redirect, P2P Egress Control. The kernel switches off
// these three for peers (drivers/pci/pci.c, pci_disable_acs_redir()).
inline constexpr std::uint16_t kRedirects = 1 << 2 | 1 << 3 | 1 << 5;

// The control register of ACS in a device's configuration space. `known`: false where the extended part of it is not
// there (the kernel shows the first 64 bytes to everybody, and the rest to root). No register: the device redirects
// nothing.
struct AcsControl {
  bool known = false;
  std::optional<std::uint16_t> bits;
};
AcsControl read_acs(std::string_view configuration);

// A GPU and an adapter below one switch, and the ports of switches between them that redirect, or that may.
struct PeerPath {
  std::string gpu, adapter;
  std::vector<std::string> redirects, unknown;
  bool direct() const { return redirects.empty() && unknown.empty(); }
};
// In the order of the links. Pairs that only the root complex joins are left out: what they exchange goes through it
// anyway.
std::vector<PeerPath> peer_paths(const std::filesystem::path& root, const std::vector<Link>&);

// "to 0000:18:00.0 direct, to 0000:19:00.0 redirected at 0000:17:01.0"; of one GPU. Empty: it has no such adapter.
std::string paths_text(const std::vector<PeerPath>&, std::string_view gpu);
// What is wrong with the paths of a GPU where all shall be direct, in words; empty: nothing.
std::string trouble_of_paths(const std::vector<PeerPath>&, std::string_view gpu);

}  // namespace clusterc::pcie
