#include "fabric/gpus.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "harness/machine.h"

namespace clusterc::fabric {
namespace fs = std::filesystem;
using harness::read_number;
using harness::read_text;
namespace {

constexpr unsigned kMostNodes = 256;  // of KFD's topology

// ROCm counts the nodes of KFD that have vector units; where one lies is bus * 256 + device * 8 + function
// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c: node_show(), location_id).
std::map<std::string, unsigned> numbers_of_rocm(const fs::path& root) {
  std::map<std::string, unsigned> out;
  unsigned number = 0;
  for (unsigned node = 0; node < kMostNodes; ++node) {
    const auto text = read_text(root / format("sys/class/kfd/kfd/topology/nodes/{}/properties", node));
    if (!text) break;
    std::map<std::string, std::uint64_t, std::less<>> facts;
    for (const std::string_view line : split(*text, '\n')) {
      const auto blank = line.find(' ');
      std::uint64_t value = 0;
      if (blank != line.npos) std::from_chars(line.data() + blank + 1, line.data() + line.size(), value);
      facts[std::string(line.substr(0, blank))] = value;
    }
    if (facts["simd_count"] == 0) continue;
    const std::uint64_t at = facts["location_id"];
    // The first of several partitions of one GPU.
    out.emplace(format("{:04x}:{:02x}:{:02x}.{:x}", facts["domain"], at >> 8 & 0xff, at >> 3 & 0x1f, at & 7), number++);
  }
  return out;
}

// The folders of sysfs on the way to a device: "pci0000:15", "0000:15:01.0", …
std::vector<std::string> way_to(const fs::path& device) {
  std::error_code failed;
  std::vector<std::string> out;
  for (const fs::path& part : fs::canonical(device, failed)) out.push_back(part.string());
  return out;
}

struct Place {
  std::vector<std::string> way;
  std::int64_t node = -1;
};
Place place_of(const fs::path& device) { return {way_to(device), read_number(device / "numa_node").value_or(-1)}; }

// How near, and then how many bridges lead to both.
std::pair<Nearness, std::size_t> nearness(const Place& a, const Place& b) {
  const auto apart = std::ranges::mismatch(a.way, b.way).in1;
  const auto shared =
      std::count_if(a.way.begin(), apart, [](const std::string& part) {  // "0000:15:01.0", not "pci0000:15"
        return part.find(':') != part.npos && part.find('.') != part.npos;
      });
  if (shared > 0) return {Nearness::same_switch, static_cast<std::size_t>(shared)};
  return {a.node >= 0 && a.node == b.node ? Nearness::same_node : Nearness::far, 0};
}

}  // namespace

std::vector<Gpu> read_gpus(const fs::path& root, Maker maker) {
  std::vector<Gpu> out;
  std::error_code failed;
  const fs::path folder = root / "sys/bus/pci/devices";
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    // Display controllers and processing accelerators (PCI Code and ID Assignment Specification, classes 03h, 12h).
    const std::string kind = read_text(at->path() / "class").value_or("");
    std::error_code error;
    if (read_text(at->path() / "vendor") == (maker == Maker::nvidia ? "0x10de" : "0x1002") &&
        (kind.starts_with("0x03") || kind.starts_with("0x12")) && !fs::exists(at->path() / "physfn", error))
      out.push_back({at->path().filename().string()});
  }
  std::ranges::sort(out, {}, &Gpu::address);
  const std::map<std::string, unsigned> known = numbers_of_rocm(root);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto found = known.find(out[i].address);
    out[i].number = found == known.end() ? static_cast<unsigned>(i) : found->second;
  }
  return out;
}

std::string_view nearness_text(Nearness nearness) {
  return nearness == Nearness::same_switch ? "same PCIe switch"
         : nearness == Nearness::same_node ? "same NUMA node"
                                           : "another NUMA node, or not known";
}

std::vector<GpuPort> pair_gpus(const fs::path& root, const std::vector<Port>& ports,
                               const std::vector<std::size_t>& chosen, const std::vector<Gpu>& gpus) {
  struct Candidate {
    GpuPort pair;
    std::size_t bridges;
  };
  std::vector<Candidate> all;
  std::vector<Place> gpu_places;
  for (const Gpu& gpu : gpus) gpu_places.push_back(place_of(root / "sys/bus/pci/devices" / gpu.address));
  for (const std::size_t port : chosen) {
    const Place place = place_of(root / "sys/class/infiniband" / ports[port].device / "device");
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const auto [how_near, bridges] = nearness(place, gpu_places[gpu]);
      all.push_back({{port, gpu, how_near}, bridges});
    }
  }
  std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.pair.nearness, a.bridges) > std::pair(b.pair.nearness, b.bridges);
  });
  std::vector<GpuPort> out;
  std::map<std::size_t, unsigned> of_port, of_gpu;
  // First those of which neither has a partner; then the ports, and at last the GPUs, that are over.
  for (const auto& [ports_too, gpus_too] : {std::pair(false, false), {false, true}, {true, false}})
    for (const Candidate& c : all) {
      if ((!ports_too && of_port[c.pair.port] > 0) || (!gpus_too && of_gpu[c.pair.gpu] > 0)) continue;
      ++of_port[c.pair.port], ++of_gpu[c.pair.gpu];
      out.push_back(c.pair);
    }
  std::ranges::sort(out, {}, [](const GpuPort& p) { return std::pair(p.port, p.gpu); });
  return out;
}

std::vector<std::string> GpuMemory::arguments(const Gpu& gpu) const {
  std::vector<std::string> out = {maker == Maker::nvidia ? "--use_cuda_bus_id=" + gpu.address
                                                         : format("--use_rocm={}", gpu.number)};
  if (dma_buf) out.emplace_back(maker == Maker::nvidia ? "--use_cuda_dmabuf" : "--use_rocm_dmabuf");
  return out;
}

bool find_gpu_memory(const fs::path& root, Maker maker, std::string_view help, GpuMemory& out, std::string& why) {
  const bool nvidia = maker == Maker::nvidia;
  const auto lists = [&](std::string_view option) { return help.find(option) != help.npos; };
  if (!lists(nvidia ? "--use_cuda_bus_id" : "--use_rocm")) {
    why = nvidia
              ? "ib_write_bw was built without CUDA, '--use_cuda_bus_id' is none of its options: build perftest with "
                "`./configure CUDA_H_PATH=/usr/local/cuda/include/cuda.h`, or take that of DOCA"
              : "ib_write_bw was built without ROCm, '--use_rocm' is none of its options: build perftest with "
                "`./configure --enable-rocm --with-rocm=/opt/rocm`";
    return false;
  }
  out = {.maker = maker};
  std::error_code failed;
  const std::vector<const char*> modules =
      nvidia ? std::vector{"nvidia_peermem", "nv_peer_mem"} : std::vector{"ib_peer_mem"};
  for (const char* module : modules)
    if (fs::exists(root / "sys/module" / module, failed)) return true;
  if (lists(nvidia ? "--use_cuda_dmabuf" : "--use_rocm_dmabuf")) return out.dma_buf = true;
  // amdgpu registers its memory with the stack of the adapter's maker by itself.
  if (!nvidia && fs::exists(root / "sys/module/amdgpu", failed)) return true;
  why = nvidia ? "no adapter gets to the memory of a GPU: the module nvidia_peermem is not loaded (`modprobe "
                 "nvidia_peermem`), and ib_write_bw does not know '--use_cuda_dmabuf'"
               : "no adapter gets to the memory of a GPU: the module amdgpu is not loaded";
  return false;
}

}  // namespace clusterc::fabric
