// NVIDIA GPUs: by NVML where it is there, else from the PCI tree, which knows no name.
#include <optional>

#include "base/format.h"
#include "harness/library.h"
#include "harness/machine.h"
#include "harness/nvml.h"
#include "probe/facts.h"

namespace clusterc::probe {
namespace {
using namespace harness;

struct NvmlMemory {
  unsigned long long total, free, used;  // bytes
};
struct NvmlPci {  // nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(NvmlMemory) == 24 && sizeof(NvmlPci) == 68);

// NVML writes "00000000:17:00.0" in upper case, sysfs "0000:17:00.0" in lower.
std::string sysfs_address(const NvmlPci& pci) {
  return format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
}

void nvml_gpus(JsonWriter& json, const Nvml& nvml, const Path& root) {
  const unsigned count = nvml.get<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  json.array("gpus");
  for (unsigned index = 0; index < count; ++index) {
    json.begin_object().field("index", index).field("source", "nvml");
    const auto device = nvml.get<NvmlDevice*>("nvmlDeviceGetHandleByIndex_v2", index);
    if (!device) {  // a GPU that fell off the bus is counted and cannot be opened: that is a fact worth a record
      json.field("accessible", false).end_object();
      continue;
    }
    for (const auto& [field, name] : {std::pair{"name", "nvmlDeviceGetName"},
                                      {"uuid", "nvmlDeviceGetUUID"},
                                      {"serial", "nvmlDeviceGetSerial"},
                                      {"vbios", "nvmlDeviceGetVbiosVersion"}}) {
      if (const std::string text = nvml.text(name, *device); !text.empty()) json.field(field, text);
    }
    if (const auto memory = nvml.get<NvmlMemory>("nvmlDeviceGetMemoryInfo", *device))
      json.field("memory_bytes", memory->total);
    if (const auto limit = nvml.get<unsigned>("nvmlDeviceGetPowerManagementLimit", *device))
      json.field("power_limit_watts", *limit * 1e-3);
    if (const auto clock = nvml.get<unsigned>("nvmlDeviceGetMaxClockInfo", *device, 1))
      json.field("max_sm_hz", *clock * 1e6);  // NVML_CLOCK_SM
    if (const auto clock = nvml.get<unsigned>("nvmlDeviceGetMaxClockInfo", *device, 2))
      json.field("max_memory_hz", *clock * 1e6);  // NVML_CLOCK_MEM
    for (const auto& [field, name] : {std::pair{"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
                                      {"pcie_lanes", "nvmlDeviceGetCurrPcieLinkWidth"},
                                      {"max_pcie_generation", "nvmlDeviceGetMaxPcieLinkGeneration"},
                                      {"max_pcie_lanes", "nvmlDeviceGetMaxPcieLinkWidth"}}) {
      if (const auto value = nvml.get<unsigned>(name, *device)) json.field(field, *value);
    }
    unsigned links = 0, known = 0;
    constexpr unsigned kMostLinks = 18;  // NVML_NVLINK_MAX_LINKS
    for (unsigned link = 0; link < kMostLinks; ++link) {
      const auto state = nvml.get<int>("nvmlDeviceGetNvLinkState", *device, link);
      known += state.has_value();
      links += state.value_or(0) == 1;
    }
    if (known > 0) json.field("nvlinks_up", links).field("nvlinks", known);
    if (const auto pci = nvml.get<NvmlPci>("nvmlDeviceGetPciInfo_v3", *device)) {
      const std::string address = sysfs_address(*pci);
      json.field("pci_address", address);
      if (const auto node = read_number(root / "sys/bus/pci/devices" / address / "numa_node"); node && *node >= 0)
        json.field("numa_node", *node);
    }
    json.end_object();
  }
  json.end_array();
}

// Of the toolkit's version.json: "cuda" : { "name" : "CUDA SDK", "version" : "12.8.1" }, …
std::string toolkit_version(std::string_view text) {
  constexpr std::string_view kKey = "\"version\"";
  const auto cuda = text.find("\"cuda\"");
  const auto key = cuda == text.npos ? cuda : text.find(kKey, cuda);
  const auto open = key == text.npos ? key : text.find('"', key + kKey.size());
  const auto close = open == text.npos ? open : text.find('"', open + 1);
  if (close == text.npos || close - open > 32) return {};
  return std::string(text.substr(open + 1, close - open - 1));
}

void pci_gpus(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/bus/pci/devices";
  unsigned index = 0;
  json.array("gpus");
  for (const std::string& address : sorted_entries(folder)) {
    const Path device = folder / address;
    const std::string kind = read_text(device / "class").value_or("");
    // Display controllers: 0x0302 3D controller, 0x0300 VGA (PCI Code and ID Assignment Specification, class 03h).
    if (read_text(device / "vendor") != "0x10de" || !(kind.starts_with("0x0302") || kind.starts_with("0x0300")))
      continue;
    json.begin_object().field("index", index++).field("source", "pci").field("pci_address", address);
    text_field(json, "pci_device", device / "device");
    if (const auto node = read_number(device / "numa_node"); node && *node >= 0) json.field("numa_node", *node);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void gpu_facts(JsonWriter& json, const Path& root) {
  std::string why;
  const auto nvml = Nvml::open(why);
  json.object("nvidia").field("nvml", nvml.has_value());
  if (!nvml) json.field("nvml_detail", why);
  text_field(json, "kernel_module", root / "sys/module/nvidia/version");
  if (nvml) {
    if (const std::string driver = nvml->text("nvmlSystemGetDriverVersion"); !driver.empty())
      json.field("driver", driver);
    if (const auto cuda = nvml->get<int>("nvmlSystemGetCudaDriverVersion_v2"))
      json.field("cuda", format("{}.{}", *cuda / 1000, *cuda % 1000 / 10));
  }
  if (const std::string toolkit = toolkit_version(read_text(root / "usr/local/cuda/version.json").value_or(""));
      !toolkit.empty())
    json.field("cuda_toolkit", toolkit);
  std::string ignored;
  if (const auto nccl = Library::open({"libnccl.so.2"}, ignored)) {
    int version = 0;
    auto* get = nccl->symbol<int(int*)>("ncclGetVersion");
    // NCCL_VERSION_CODE: major*10000 + minor*100 + patch from 2.9 on (nccl.h).
    if (get && get(&version) == 0 && version >= 20900)
      json.field("nccl", format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100));
  }
  json.end_object();
  if (nvml) {
    nvml_gpus(json, *nvml, root);
    nvml->shutdown();
  } else {
    pci_gpus(json, root);
  }
}

}  // namespace clusterc::probe
