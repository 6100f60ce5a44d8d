#include "pcie/links.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "harness/machine.h"

namespace clusterc::pcie {
namespace fs = std::filesystem;
using namespace harness;

bool is_pci_address(const std::string& name) {  // "0000:17:00.0"; the domain may be longer (VMD)
  const auto colon = name.find(':');
  return colon != name.npos && colon >= 4 && name.size() == colon + 8 && name[colon + 3] == ':' &&
         name[colon + 6] == '.';
}

namespace {

// "32.0 GT/s PCIe", "8 GT/s" -> 32e9; "Unknown" -> 0
double transfers(const fs::path& file) {
  const std::string text = read_text(file).value_or("");
  double value = 0;
  const auto step = std::from_chars(text.data(), text.data() + text.size(), value);
  return step.ec == std::errc() && value > 0 && value < 1000 ? value * 1e9 : 0;
}

Rate rate(const fs::path& device, const char* which) {
  const auto width = read_number(device / format("{}_link_width", which));
  return {transfers(device / format("{}_link_speed", which)),
          width && *width > 0 && *width <= 32 ? static_cast<int>(*width) : 0};  // 255: no link
}

std::uint64_t hex(const fs::path& file) {
  const std::string text = read_text(file).value_or("");
  std::uint64_t value = 0;
  if (text.starts_with("0x")) std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  return value;
}

std::optional<Kind> kind_of(std::uint64_t pci_class,
                            std::uint64_t vendor) {  // PCI Code and ID Assignment Specification
  const std::uint64_t base = pci_class >> 16, sub = pci_class >> 8 & 0xff;
  const bool maker_of_gpus = vendor == 0x10de || vendor == 0x1002;  // a BMC's display is none
  if ((base == 0x03 || base == 0x12) && maker_of_gpus) return Kind::gpu;
  if (base == 0x02 && (sub == 0x00 || sub == 0x07)) return Kind::nic;  // Ethernet, InfiniBand
  if (base == 0x01 && sub == 0x08) return Kind::nvme;
  return std::nullopt;
}

// "TOTAL_ERR_COR 3" among the lines of an aer_dev_* file.
std::uint64_t total_errors(const fs::path& file) {
  const std::string text = read_text(file).value_or("");
  const auto at = text.find("TOTAL_ERR_");
  const auto blank = at == text.npos ? at : text.find(' ', at);
  std::uint64_t value = 0;
  if (blank != text.npos) std::from_chars(text.data() + blank + 1, text.data() + text.size(), value);
  return value;
}

}  // namespace

double bytes_per_second(Rate r) {
  const double coding = r.transfers <= 5e9 ? 8.0 / 10 : r.transfers <= 32e9 ? 128.0 / 130 : 236.0 / 256;
  return r.transfers * r.lanes * coding / 8;
}

std::string rate_text(Rate r) { return format("{:.3g} GT/s x{}", r.transfers / 1e9, r.lanes); }

Rate Link::most() const {
  Rate out = device;
  if (upstream.known()) {
    out.transfers = std::min(out.transfers, upstream.transfers);
    out.lanes = std::min(out.lanes, upstream.lanes);
  }
  return out;
}

std::vector<Link> read_links(const fs::path& root) {
  std::vector<std::string> addresses;
  std::error_code failed;
  const fs::path folder = root / "sys/bus/pci/devices";
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    addresses.push_back(at->path().filename().string());
  std::sort(addresses.begin(), addresses.end());
  std::vector<Link> out;
  for (const std::string& address : addresses) {
    const fs::path device = folder / address;
    const std::uint64_t vendor = hex(device / "vendor");
    const auto kind = kind_of(hex(device / "class"), vendor);
    if (!kind || !is_pci_address(address) || fs::exists(device / "physfn", failed)) continue;
    Link link{.kind = *kind,
              .address = address,
              .id = format("{:04x}:{:04x}", vendor, hex(device / "device")),
              .now = rate(device, "current"),
              .device = rate(device, "max")};
    if (!link.device.known()) continue;  // virtio, a processor's own
    std::error_code error;
    const fs::path above = fs::canonical(device, error).parent_path();
    if (!error && is_pci_address(above.filename().string())) {
      link.port = above.filename().string();
      link.upstream = rate(above, "max");
    }
    link.errors_corrected = total_errors(device / "aer_dev_correctable");
    link.errors_uncorrected = total_errors(device / "aer_dev_nonfatal") + total_errors(device / "aer_dev_fatal");
    out.push_back(std::move(link));
  }
  return out;
}

std::string trouble_of(const Link& link) {
  const Rate most = link.most();
  std::string out;
  const auto say = [&](std::string text) { out += (out.empty() ? link.address + " " : ", ") + text; };
  if (!link.now.known())
    say("has no link");
  else if (link.now.lanes < most.lanes || (link.kind != Kind::gpu && link.now.transfers < most.transfers))
    say(format("runs at {}, both ends can do {}", rate_text(link.now), rate_text(most)));
  if (link.errors_uncorrected > 0)
    say(format("had {} uncorrected errors since the machine started", link.errors_uncorrected));
  return out;
}

}  // namespace clusterc::pcie
