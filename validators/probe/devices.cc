// PCI tree, network interfaces, RDMA devices, drives, mounts: from sysfs and /proc/self/mounts.
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/format.h"
#include "harness/machine.h"
#include "pcie/acs.h"
#include "probe/facts.h"

namespace clusterc::probe {
using namespace harness;
namespace fs = std::filesystem;

bool is_pci_address(const std::string& name) {  // "0000:17:00.0"; the domain may be longer (VMD)
  const auto colon = name.find(':');
  return colon != std::string::npos && colon >= 4 && name.size() == colon + 8 && name[colon + 3] == ':' &&
         name[colon + 6] == '.';
}

PciPlace pci_place(const Path& device_link) {
  std::error_code error;
  Path at = fs::canonical(device_link, error);
  if (error) return {};
  // An NVMe namespace or a virtio disk sits a few levels below its PCI function: the nearest one above is meant.
  for (; at.has_relative_path(); at = at.parent_path()) {
    if (!is_pci_address(at.filename().string())) continue;
    return {at.filename().string(), static_cast<int>(read_number(at / "numa_node").value_or(-1))};
  }
  return {};
}

namespace {

std::string link_name(const Path& link) {
  std::error_code error;
  const Path target = fs::read_symlink(link, error);
  return error ? std::string() : target.filename().string();
}

void place_fields(JsonWriter& json, const PciPlace& place) {
  if (!place.address.empty()) json.field("pci_address", place.address);
  if (place.numa_node >= 0) json.field("numa_node", place.numa_node);
}

// "32.0 GT/s PCIe" -> 32e9; "Unknown" -> nothing
std::optional<double> transfers(const Path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  double value = 0;
  const auto step = std::from_chars(text->data(), text->data() + text->size(), value);
  if (step.ec != std::errc() || value <= 0) return std::nullopt;
  return value * 1e9;
}

void link_fields(JsonWriter& json, const Path& device) {
  for (const auto& [speed_name, width_name, prefix] : {std::tuple{"link_transfers_per_second", "link_lanes", "current"},
                                                       {"max_link_transfers_per_second", "max_link_lanes", "max"}}) {
    const auto speed = transfers(device / format("{}_link_speed", prefix));
    const auto width = read_number(device / format("{}_link_width", prefix));
    if (!speed || !width || *width <= 0 || *width == 255) continue;  // 255: a port without a link
    json.field(speed_name, *speed).field(width_name, *width);
  }
}

}  // namespace

void pci_facts(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/bus/pci/devices";
  json.array("pci");
  for (const std::string& address : sorted_entries(folder)) {
    const Path device = folder / address;
    json.begin_object().field("address", address);
    for (const char* name : {"class", "vendor", "device", "subsystem_vendor", "subsystem_device"})
      text_field(json, name, device / name);
    if (const std::string driver = link_name(device / "driver"); !driver.empty()) json.field("driver", driver);
    std::error_code error;
    const Path real = fs::canonical(device, error);
    if (!error) {  // the bridge above, or the root bus as "pci0000:00"
      const std::string parent = real.parent_path().filename().string();
      if (is_pci_address(parent) || parent.starts_with("pci")) json.field("parent", parent);
    }
    if (const auto node = read_number(device / "numa_node"); node && *node >= 0) json.field("numa_node", *node);
    if (const std::string group = link_name(device / "iommu_group"); !group.empty()) json.field("iommu_group", group);
    link_fields(json, device);
    if (read_text(device / "class").value_or("").starts_with("0x0604"))  // a bridge
      if (const pcie::AcsControl acs = pcie::read_acs(read_bytes(device / "config").value_or("")); acs.known)
        json.field("acs_control", acs.bits.value_or(0));
    json.end_object();
  }
  json.end_array();
}

void nic_facts(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/class/net";
  json.array("nics");
  for (const std::string& name : sorted_entries(folder)) {
    const Path nic = folder / name;
    if (name == "lo" || !read_text(nic / "address")) continue;
    json.begin_object().field("name", name);
    json.field("physical", fs::exists(nic / "device"));
    if (const std::string driver = link_name(nic / "device/driver"); !driver.empty()) json.field("driver", driver);
    text_field(json, "mac", nic / "address");
    if (const auto mtu = read_number(nic / "mtu")) json.field("mtu_bytes", *mtu);
    text_field(json, "state", nic / "operstate");
    // Mb/s; -1 or an error where the link is down or has no speed (virtio).
    if (const auto speed = read_number(nic / "speed"); speed && *speed > 0)
      json.field("bits_per_second", *speed * 1'000'000);
    place_fields(json, pci_place(nic / "device"));
    json.end_object();
  }
  json.end_array();
}

void rdma_facts(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/class/infiniband";
  json.array("rdma");
  for (const std::string& name : sorted_entries(folder)) {
    const Path device = folder / name;
    json.begin_object().field("name", name);
    for (const auto& [field, file] : {std::pair{"node_type", "node_type"},
                                      {"node_guid", "node_guid"},
                                      {"firmware", "fw_ver"},
                                      {"board", "board_id"},
                                      {"hca_type", "hca_type"}}) {
      text_field(json, field, device / file);
    }
    place_fields(json, pci_place(device / "device"));
    json.array("ports");
    for (const std::string& port : sorted_entries(device / "ports")) {
      const Path at = device / "ports" / port;
      json.begin_object().field("port", port);
      for (const char* file : {"state", "phys_state", "rate", "link_layer", "lid"}) text_field(json, file, at / file);
      text_field(json, "gid0", at / "gids/0");
      json.end_object();
    }
    json.end_array();
    json.array("interfaces");
    for (const std::string& interface : sorted_entries(device / "device/net")) json.value(interface);
    json.end_array().end_object();
  }
  json.end_array();
}

void drive_facts(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/class/block";
  json.array("drives");
  for (const std::string& name : sorted_entries(folder)) {
    const Path drive = folder / name;
    // Whole devices that hold data: no partitions, loops, RAM disks, mapped or multi-path views of others.
    if (fs::exists(drive / "partition") || !fs::exists(drive / "device")) continue;
    const auto sectors = read_number(drive / "size");
    if (!sectors || *sectors == 0) continue;
    json.begin_object()
        .field("name", name)
        .field("bytes", *sectors * 512);  // the kernel counts 512-byte sectors whatever the drive has
    if (const auto rotational = read_number(drive / "queue/rotational")) json.field("rotational", *rotational != 0);
    json.field("nvme", name.starts_with("nvme"));
    text_field(json, "model", drive / "device/model");
    text_field(json, "vendor", drive / "device/vendor");
    text_field(json, "serial", drive / "device/serial");
    place_fields(json, pci_place(drive / "device"));
    json.end_object();
  }
  json.end_array();
}

namespace {

// /proc/mounts writes blank, tab, line end and backslash as \040 and so on: proc(5), getmntent(3).
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 4], code, 8).ptr == &text[i + 4]) {
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void mount_facts(JsonWriter& json, const Path& root) {
  auto text = read_text(root / "proc/self/mounts");
  if (!text) text = read_text(root / "proc/mounts");
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  json.array("mounts");
  while (!rest.empty()) {
    const auto line_end = rest.find('\n');
    std::string_view line = rest.substr(0, line_end);
    rest.remove_prefix(line_end == std::string_view::npos ? rest.size() : line_end + 1);
    std::array<std::string, 4> part;  // source, target, type, options
    for (std::string& p : part) {
      const auto blank = line.find(' ');
      p = unescaped(line.substr(0, blank));
      line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
    }
    const auto& [source, target, type, options] = part;
    // A block device, a server's export, or memory that programs share; not the kernel's own views (proc, cgroup, …).
    const bool local = source.starts_with('/');
    const bool remote = source.find(':') != std::string::npos || type.starts_with("fuse") || type == "lustre" ||
                        type == "beegfs" || type == "gpfs" || type == "ceph" || type == "weka";
    if (!local && !remote && target != "/" && target != "/dev/shm") continue;
    json.begin_object().field("source", source).field("target", target).field("type", type).field("options", options);
    struct statvfs space {};
    // Only local ones are asked for their size: a dead server would hold us for ever.
    if (local && !remote && root == "/" && statvfs(target.c_str(), &space) == 0) {
      json.field("bytes", std::uint64_t{space.f_blocks} * space.f_frsize)
          .field("free_bytes", std::uint64_t{space.f_bavail} * space.f_frsize);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace clusterc::probe
