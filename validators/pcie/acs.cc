#include "pcie/acs.h"

#include <algorithm>

#include "base/format.h"
#include "harness/machine.h"

namespace clusterc::pcie {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kExtended = 0x100, kWhole = 4096;  // where extended capabilities begin, and where they end
constexpr unsigned kAcs = 0x000d;                        // the capability's number
constexpr std::size_t kControl = 6;                      // from the capability's beginning

unsigned word(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) | static_cast<unsigned>(static_cast<unsigned char>(bytes[at + 1])) << 8;
}

// The bridges above a device, the highest first.
std::vector<std::string> bridges_above(const fs::path& root, const std::string& address) {
  std::error_code failed;
  std::vector<std::string> out;
  for (const fs::path& part : fs::canonical(root / "sys/bus/pci/devices" / address, failed).parent_path())
    if (is_pci_address(part.string())) out.push_back(part.string());
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

// A capability's head: number in bits 0 to 15, version to 19, where the next one is to 31; 0: there is none.
AcsControl read_acs(std::string_view bytes) {
  if (bytes.size() < kWhole) return {};
  AcsControl out{.known = true, .bits = {}};
  std::size_t at = kExtended;
  for (std::size_t turns = 0; turns < kWhole / 8 && at >= kExtended && at + 8 <= kWhole; ++turns) {
    const unsigned number = word(bytes, at), next = word(bytes, at + 2);
    if (number == kAcs) {
      out.bits = static_cast<std::uint16_t>(word(bytes, at + kControl));
      return out;
    }
    if (number == 0xffff) return {};  // the device does not answer
    at = next >> 4 & ~std::size_t{3};
  }
  return out;
}

std::vector<PeerPath> peer_paths(const fs::path& root, const std::vector<Link>& links) {
  std::vector<PeerPath> out;
  for (const Link& gpu : links)
    for (const Link& adapter : links) {
      if (gpu.kind != Kind::gpu || adapter.kind != Kind::nic) continue;
      const auto above_gpu = bridges_above(root, gpu.address), above_adapter = bridges_above(root, adapter.address);
      const auto [a, b] = std::ranges::mismatch(above_gpu, above_adapter);
      // Below one port of the root complex, and then below two of a switch.
      if (a == above_gpu.begin() || a == above_gpu.end() || b == above_adapter.end()) continue;
      PeerPath path{.gpu = gpu.address, .adapter = adapter.address, .redirects = {}, .unknown = {}};
      std::vector<std::string> between(a, above_gpu.end());
      between.insert(between.end(), b, above_adapter.end());
      for (const std::string& bridge : between) {
        const AcsControl acs =
            read_acs(harness::read_bytes(root / "sys/bus/pci/devices" / bridge / "config").value_or(""));
        if (!acs.known)
          path.unknown.push_back(bridge);
        else if (acs.bits.value_or(0) & kRedirects)
          path.redirects.push_back(bridge);
      }
      out.push_back(std::move(path));
    }
  return out;
}

std::string paths_text(const std::vector<PeerPath>& paths, std::string_view gpu) {
  std::string out;
  for (const PeerPath& path : paths) {
    if (path.gpu != gpu) continue;
    out += format("{}to {} {}", out.empty() ? "" : ", ", path.adapter,
                  !path.redirects.empty() ? "redirected at " + joined(path.redirects)
                  : path.direct()         ? "direct"
                                          : "not known");
  }
  return out;
}

std::string trouble_of_paths(const std::vector<PeerPath>& paths, std::string_view gpu) {
  std::string adapters, adapters_unknown;
  std::vector<std::string> ports, ports_unknown;
  const auto add = [](const PeerPath& path, const std::vector<std::string>& those, std::string& list,
                      std::vector<std::string>& at) {
    if (those.empty()) return;
    list += (list.empty() ? "" : ", ") + path.adapter;
    for (const std::string& port : those)
      if (std::ranges::find(at, port) == at.end()) at.push_back(port);
  };
  for (const PeerPath& path : paths) {
    if (path.gpu != gpu) continue;
    add(path, path.redirects, adapters, ports);
    if (path.redirects.empty()) add(path, path.unknown, adapters_unknown, ports_unknown);
  }
  std::string out;
  if (!ports.empty())
    out = format(
        "ACS of {} sends what {} and adapter {} exchange up to the processor: switch ACS off in the firmware, "
        "or boot with `pci=disable_acs_redir={}`",
        joined(ports), gpu, adapters, [&] {
          std::string list;
          for (const std::string& port : ports) list += (list.empty() ? "" : ";") + port;
          return list;
        }());
  if (!ports_unknown.empty())
    out += format("{}whether ACS of {} redirects what {} and adapter {} exchange is not known: root alone can read it",
                  out.empty() ? "" : "; ", joined(ports_unknown), gpu, adapters_unknown);
  return out;
}

}  // namespace clusterc::pcie
