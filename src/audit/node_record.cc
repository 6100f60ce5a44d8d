#include "audit/node_record.h"

#include <simdjson.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Element = simdjson::dom::element;
constexpr std::size_t kLongestText = 4096;  // a kernel's command line has at most 4096 characters
constexpr std::size_t kMostDevices = 8192;  // functions of the PCI tree of one machine
constexpr double kMostNumber = 1e18;

std::string text(const Element& e, std::string_view key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? printable(v.substr(0, kLongestText)) : std::string();
}
double number(const Element& e, std::string_view key) {
  double v = 0;
  return e[key].get(v) == simdjson::SUCCESS && v >= 0 && v < kMostNumber ? v : 0;
}
std::int64_t count(const Element& e, std::string_view key, std::int64_t otherwise = 0) {
  std::int64_t v = 0;
  return e[key].get(v) == simdjson::SUCCESS && v >= 0 && v < (std::int64_t{1} << 40) ? v : otherwise;
}
bool truth(const Element& e, std::string_view key, bool otherwise = false) {
  bool v = false;
  return e[key].get(v) == simdjson::SUCCESS ? v : otherwise;
}
// Whether the member is a list.
template <class Use>
bool each(const Element& e, std::string_view key, Use use) {
  simdjson::dom::array all;
  if (e[key].get(all) != simdjson::SUCCESS) return false;
  std::size_t met = 0;
  for (const Element one : all)
    if (one.is_object() && met++ < kMostDevices) use(one);
  return true;
}

// 2.5, 5, 8, 16, 32 and 64 GT/s (PCI Express Base Specification 6.0, section 1.2).
std::int64_t generation_of(double transfers_per_second) {
  constexpr double kRates[] = {2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 128e9};
  std::int64_t generation = 0;
  for (const double rate : kRates)
    if (transfers_per_second >= rate) ++generation;
  return generation;
}

std::string id_of(const Element& e) {  // "0x15b3", "0x1021" -> "15b3:1021"
  const std::string vendor = text(e, "vendor"), device = text(e, "device");
  if (!vendor.starts_with("0x") || !device.starts_with("0x")) return {};
  return vendor.substr(2) + ":" + device.substr(2);
}

// "00000000:1B:00.0" of NVML, "1b:00.0" of lspci -> "0000:1b:00.0", as the kernel writes it; other words stay as they
// are.
std::string pci_address(const Element& e, std::string_view key) {
  const std::string whole = text(e, key), lower = to_lower(whole);
  std::string_view address = lower;
  if (address.find_first_not_of("0123456789abcdef:.") != address.npos || address.size() < 7) return whole;
  const std::string_view last = address.substr(address.size() - 7);
  if (last[2] != ':' || last[5] != '.') return whole;
  address.remove_suffix(7);
  if (address.ends_with(':')) address.remove_suffix(1);
  if (address.find_first_of(":.") != address.npos) return whole;
  while (address.size() > 4 && address.front() == '0') address.remove_prefix(1);
  return std::string(4 - std::min<std::size_t>(4, address.size()), '0') + std::string(address) + ':' +
         std::string(last);
}

void take_gpu(const Element& e, NodeRecord& out) {
  NodeRecord::Gpu gpu{.address = pci_address(e, "pci_address"),
                      .name = text(e, "name"),
                      .vbios = text(e, "vbios"),
                      .accessible = truth(e, "accessible", true),
                      .memory_bytes = number(e, "memory_bytes"),
                      .power_limit_watts = number(e, "power_limit_watts"),
                      .nvlinks = count(e, "nvlinks", -1),
                      .nvlinks_up = count(e, "nvlinks_up", -1),
                      .link = {count(e, "pcie_generation"), count(e, "pcie_lanes"), count(e, "max_pcie_generation"),
                               count(e, "max_pcie_lanes")}};
  if (gpu.address.empty()) gpu.address = "with index " + std::to_string(count(e, "index"));
  out.gpus.push_back(std::move(gpu));
}

void take_function(const Element& e, NodeRecord& out) {
  NodeRecord::Function f{
      .address = pci_address(e, "address"),
      .parent = pci_address(e, "parent"),
      .id = id_of(e),
      .kind = text(e, "class"),
      .link = {generation_of(number(e, "link_transfers_per_second")), count(e, "link_lanes"),
               generation_of(number(e, "max_link_transfers_per_second")), count(e, "max_link_lanes")},
      .acs = {}};
  if (std::int64_t acs = 0; e["acs_control"].get(acs) == simdjson::SUCCESS && acs >= 0 && acs <= 0xffff) f.acs = acs;
  out.pci.push_back(std::move(f));
}

void take_rdma(const Element& e, NodeRecord& out) {
  NodeRecord::Rdma device{
      .name = text(e, "name"), .firmware = text(e, "firmware"), .address = pci_address(e, "pci_address"), .ports = {}};
  each(e, "ports", [&](const Element& port) {
    device.ports.push_back({text(port, "port"), text(port, "state"), text(port, "rate")});
  });
  out.rdma.push_back(std::move(device));
}

void take_limits(const Element& e, NodeRecord& out) {
  simdjson::dom::object all;
  if (e["limits"].get(all) != simdjson::SUCCESS) return;
  for (const auto& [key, value] : all) {
    if (!value.is_object() || out.limits.size() >= 32) continue;
    const auto side = [&](std::string_view name) {
      std::uint64_t v = 0;
      return value[name].get(v) == simdjson::SUCCESS ? std::to_string(v) : text(value, name);
    };
    out.limits[std::string(key)] = {side("soft"), side("hard")};
  }
  if (Element limits; e["limits"].get(limits) == simdjson::SUCCESS) out.root = truth(limits, "root");
}

void take_system(const Element& e, NodeRecord& out) {
  const auto member = [&](std::string_view key, auto take) {
    if (Element inner; e[key].get(inner) == simdjson::SUCCESS && inner.is_object()) take(inner);
  };
  member("os", [&](const Element& os) { out.os_id = text(os, "id"), out.os_version = text(os, "version"); });
  member("kernel", [&](const Element& kernel) {
    out.kernel = text(kernel, "release");
    if (kernel["arguments"].is_string()) out.arguments = text(kernel, "arguments");
    simdjson::dom::object modules;
    if (kernel["modules"].get(modules) != simdjson::SUCCESS) return;
    out.has_modules = true;
    for (const auto& [name, version] : modules)
      if (std::string_view v; out.modules.size() < 64 && version.get(v) == simdjson::SUCCESS)
        out.modules[printable(name.substr(0, 64))] = printable(v.substr(0, 64));
  });
  member("cpu", [&](const Element& cpu) {
    out.cpu_model = text(cpu, "model");
    out.sockets = count(cpu, "sockets"), out.cores = count(cpu, "cores"), out.threads = count(cpu, "threads");
    out.threads_per_core = count(cpu, "threads_per_core");
    // A node without cores is memory alone, as that of a GPU or of CXL.
    each(cpu, "numa_nodes", [&](const Element& node) { out.numa_nodes += count(node, "cores") > 0; });
  });
  member("memory", [&](const Element& memory) {
    out.memory_bytes = number(memory, "total_bytes");
    each(memory, "dimms", [&](const Element& dimm) { out.dimms.push_back(number(dimm, "bytes")); });
    std::ranges::sort(out.dimms);
  });
  member("platform", [&](const Element& platform) {
    out.vendor = text(platform, "sys_vendor"), out.product = text(platform, "product_name");
    out.bios = text(platform, "bios_version");
  });
  member("nvidia", [&](const Element& nvidia) {
    out.nvml = truth(nvidia, "nvml");
    out.driver = text(nvidia, "driver");
    if (out.driver.empty()) out.driver = text(nvidia, "kernel_module");
    out.cuda = text(nvidia, "cuda"), out.toolkit = text(nvidia, "cuda_toolkit"), out.nccl = text(nvidia, "nccl");
  });
}

}  // namespace

const NodeRecord::Function* NodeRecord::function(std::string_view address) const {
  const auto at = std::ranges::find(pci, address, &Function::address);
  return at == pci.end() ? nullptr : &*at;
}

bool is_node_record(std::string_view line) {
  const auto open = line.find('{');
  return open != line.npos && line.substr(open, 64).find(R"("record":"probe")") != line.npos;
}

std::optional<NodeRecord> read_node_record(std::string_view line, std::string& error) {
  const auto open = line.find('{');
  if (open == line.npos || line.size() > kLargestNodeRecord) {
    error = open == line.npos ? "it is no record of clusterc-probe" : "the record has more than 4 MiB";
    return std::nullopt;
  }
  simdjson::dom::parser parser;
  Element e;
  if (const auto failed = parser.parse(simdjson::padded_string(line.substr(open))).get(e);
      failed != simdjson::SUCCESS) {
    error = std::string("the record is cut or no JSON: ") + simdjson::error_message(failed);
    return std::nullopt;
  }
  if (!e.is_object() || text(e, "record") != "probe" || text(e, "host").empty()) {
    error = "it is no record of clusterc-probe";
    return std::nullopt;
  }
  NodeRecord out;
  out.host = text(e, "host");
  take_system(e, out);
  out.has_gpus = each(e, "gpus", [&](const Element& gpu) { take_gpu(gpu, out); });
  out.has_pci = each(e, "pci", [&](const Element& f) { take_function(f, out); });
  out.has_rdma = each(e, "rdma", [&](const Element& device) { take_rdma(device, out); });
  out.has_drives = each(e, "drives", [&](const Element& drive) {
    out.drives.push_back({text(drive, "name"), text(drive, "model"), number(drive, "bytes")});
  });
  take_limits(e, out);
  // The bus knows the links without the driver, and the port above a device too.
  for (NodeRecord::Gpu& gpu : out.gpus)
    if (const NodeRecord::Function* f = out.function(gpu.address)) {
      SeenPcieLink& l = gpu.link;
      if (f->link.generation > 0) l.generation = f->link.generation, l.lanes = f->link.lanes;
      if (f->link.most_generation > 0) l.most_generation = f->link.most_generation, l.most_lanes = f->link.most_lanes;
    }
  return out;
}

}  // namespace clusterc
