// Processors, memory, GPUs, adapters and drives of a node.
#include <algorithm>
#include <map>
#include <set>

#include "audit/hardware_words.h"
#include "audit/node_view.h"
#include "base/format.h"
#include "base/index.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/node_memory.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "model/smt.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Sums of memory, beside each other in one unit.
std::string in_gib(double bytes) { return format("{:.5g} GiB", bytes / (1 << 30)); }

constexpr double kSameSize = 0.03;      // of drives: makers round
constexpr double kSameMemory = 0.07;    // of a sum: firmware and kernel keep some
constexpr double kSameAsOthers = 0.01;  // memory of nodes of a group: one module of 64 is 1.6 %
// Request redirect, completion redirect, egress control (PCI Express Base Specification 6.0, section 7.7.11.3).
constexpr std::int64_t kRedirects = 1 << 2 | 1 << 3 | 1 << 5;
// GPUs lower the rate of an idle link to 2.5 or 5 GT/s, and raise it under load: below this nothing is known.
constexpr std::int64_t kLeastTrained = 3;

// "GPU 0000:1b:00.0", "GPUs 0000:1b:00.0 and 0000:4f:00.0", "all 8 GPUs"
std::string devices(std::string_view word, const std::vector<std::string>& names, std::size_t all) {
  if (names.size() == 1) return format("{} {}", word, names.front());
  if (names.size() == all) return format("all {} {}s", all, word);
  return format("{}s {}", word, join(names, ", "));
}

bool is_data_drive(const NodeRecord::Drive& d) {  // no optical drive, floppy, compressed memory, network device
  for (const std::string_view prefix : {"sr", "fd", "zram", "nbd", "rbd", "loop"})
    if (d.name.starts_with(prefix)) return false;
  return d.bytes > 0;
}

// 400e9 of "400 Gb/sec (4X NDR)"; 0: not said.
double rate_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return text.find("Gb/sec") == text.npos || !(value > 0 && value < 1e5) ? 0 : value * 1e9;
}

class NodeHardware {
 public:
  NodeHardware(const NodeView& view, const GroupView& all) : view_(view), all_(all) {}

  void hardware() {
    processors();
    memory();
    gpus();
    if (view_.planned().virtual_machine || view_.planned().instance) return;
    adapters();
    drives();
    access_control();
  }

  void processors() {
    const ServerModel& p = view_.planned();
    const NodeRecord& s = view_.seen;
    if (p.virtual_machine || p.instance) {
      if (p.virtual_machine && p.cores > 0 && s.threads > 0 && s.threads != p.cores * p.threads_per_core)
        view_.differs("cores", "has", format("{} processors", s.threads), std::to_string(p.cores * p.threads_per_core));
      else if (p.virtual_machine && s.threads == 0)
        view_.unread("the processors");
      return;
    }
    if (p.cpu_count > 0) {
      if (s.sockets == 0)
        view_.unread("the number of processors");
      else if (s.sockets != p.cpu_count)
        return view_.differs("sockets", "has", s.sockets == 1 ? "1 processor" : format("{} processors", s.sockets),
                             std::to_string(p.cpu_count));
    }
    if (p.cpu) {
      const std::optional<bool> same = s.cpu_model.empty() ? std::nullopt : is_cpu(*p.cpu, s.cpu_model);
      if (!same)
        view_.unread("the processor model");
      else if (!*same)
        return view_.differs("cpu", "has", "processors " + quoted(s.cpu_model), p.cpu_model);
    }
    if (p.cores > 0 && s.cores > 0 && s.cores != p.cores)
      view_.differs("cores", "has", format("{} cores", s.cores), std::to_string(p.cores));
    else if (p.cores > 0 && s.cores == 0)
      view_.unread("the number of cores");
    if (p.cpu && s.threads_per_core == 0) view_.unread("the number of threads a core");
    // A missing argument `nosmt` has a finding of its own.
    if (s.threads_per_core > 0 && p.cpu && s.threads_per_core != p.threads_per_core &&
        !(kernel_switches_smt_off(view_.wanted()) && !view_.has_argument("nosmt")))
      view_.differs("threads", "has",
                    s.threads_per_core == 1 ? "1 thread a core" : format("{} threads a core", s.threads_per_core),
                    std::to_string(p.threads_per_core));
    if (view_.wanted().nodes_per_socket && p.cpu_count > 0) {
      const std::int64_t nodes = *view_.wanted().nodes_per_socket * p.cpu_count;
      if (s.numa_nodes == 0)
        view_.unread("the number of NUMA nodes");
      else if (s.numa_nodes != nodes)
        view_.differs("numa", "has", format("{} NUMA nodes", s.numa_nodes), std::to_string(nodes));
    }
  }

  void memory() {
    const ServerModel& p = view_.planned();
    const NodeRecord& s = view_.seen;
    const std::optional<Dimms>& modules = p.part.memory;
    if (modules && modules->count && modules->size && !s.dimms.empty()) {
      const bool same = static_cast<std::int64_t>(s.dimms.size()) == *modules->count &&
                        std::ranges::all_of(s.dimms, [&](double size) { return size == modules->size->value; });
      if (!same)
        view_.differs("memory", "has", "memory modules " + dimm_list(),
                      format("{} x {}", *modules->count, gib(modules->size->value)));
      return;
    }
    if (!p.memory) return;
    if (s.memory_bytes <= 0) return view_.unread("the memory");
    const NodeMemory usual = node_memory(view_.cluster, view_.group);
    const double least =
        usual.least_usable > 0 ? static_cast<double>(usual.least_usable * kMiB) : p.memory->value * (1 - kSameMemory);
    if (s.memory_bytes < least || s.memory_bytes > p.memory->value * (1 + kSameMemory))
      view_.differs("memory", "has", in_gib(s.memory_bytes) + " of memory", in_gib(p.memory->value));
  }

  void gpus() {
    const ServerModel& p = view_.planned();
    const NodeRecord& s = view_.seen;
    const auto count = static_cast<std::int64_t>(s.gpus.size());
    if (p.gpu && p.gpu->vendor && *p.gpu->vendor != Vendor::nvidia) {
      if (p.gpu_count > 0) view_.unread("the GPUs, which are not NVIDIA's,");
      return;
    }
    if (!s.has_gpus) return p.gpu_count > 0 ? view_.unread("the GPUs") : void();
    if (count != p.gpu_count)
      view_.differs("gpus", "has", count == 1 ? "1 GPU" : format("{} GPUs", count),
                    p.gpu_count == 0 ? "none" : std::to_string(p.gpu_count));
    if (p.gpu_count == 0 || count == 0) return;
    std::vector<std::string> gone;
    for (const NodeRecord::Gpu& gpu : s.gpus)
      if (!gpu.accessible) gone.push_back(gpu.address);
    if (!gone.empty())
      view_.differs("gpus", "has", devices("GPU", gone, s.gpus.size()) + ", which the driver cannot open");
    gpu_models();
    gpu_links();
    nvlinks();
  }

  // Without the driver a GPU has no name.
  std::optional<bool> by_pci_id(std::string_view address) const {
    const NodeRecord::Function* f = view_.seen.function(address);
    if (!f || view_.planned().gpu->pci_ids.empty()) return std::nullopt;
    for (const auto& id : view_.planned().gpu->pci_ids)
      if (id && id->as_written == f->id) return true;
    return std::nullopt;  // the list of ids need not have every variant
  }

  void gpu_models() {
    const ServerModel& p = view_.planned();
    if (!p.gpu) return;
    std::set<std::string> others;
    bool open = false;
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus) {
      if (!gpu.accessible) continue;
      const std::optional<bool> same = gpu.name.empty() ? by_pci_id(gpu.address) : is_gpu(*p.gpu, gpu.name);
      open = open || !same;
      if (same && !*same) others.insert(quoted(gpu.name));
    }
    if (!others.empty())
      view_.differs("gpu-model", "has", "GPUs " + join(others, ", "), p.gpu_model);
    else if (open)
      view_.unread("the model of the GPUs");
    if (!others.empty() || !p.gpu->memory) return;
    std::map<std::string, std::vector<std::string>> other_memory;
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus)
      if (gpu.memory_bytes > 0 &&
          (gpu.memory_bytes < 0.90 * p.gpu->memory->value || gpu.memory_bytes > 1.08 * p.gpu->memory->value))
        other_memory[gib(gpu.memory_bytes)].push_back(gpu.address);
    if (std::ranges::any_of(view_.seen.gpus, [](const auto& gpu) { return gpu.accessible && gpu.memory_bytes <= 0; }))
      view_.unread("the memory of the GPUs");
    for (const auto& [size, names] : other_memory)
      view_.differs("gpu-memory", "has",
                    format("{} of memory on {}", size, devices("GPU", names, view_.seen.gpus.size())),
                    gib(p.gpu->memory->value));
  }

  // Rate and width that a link is planned with: the least of both ends. 0: the spec does not say.
  std::pair<std::int64_t, std::int64_t> planned_link(std::int64_t generation, std::int64_t lanes) const {
    const ServerModel& p = view_.planned();
    for (const std::int64_t other :
         {p.cpu ? p.cpu->pcie_generation.value_or(0) : 0, p.part.pcie_generation.value_or(0)})
      if (other > 0 && generation > 0) generation = std::min(generation, other);
    return {generation, lanes};
  }

  struct LinkOf {
    std::string name;
    const SeenPcieLink* link;
  };
  // `idles`: its rate falls when nothing is to be done.
  void links(std::string_view fact, std::string_view word, const std::vector<LinkOf>& all, std::int64_t generation,
             std::int64_t lanes, bool idles) {
    std::map<std::int64_t, std::vector<std::string>> slow, narrow;
    bool silent = false;
    for (const auto& [name, link] : all) {
      if (link->generation == 0 || link->lanes == 0) {
        silent = true;
        continue;
      }
      const std::int64_t width = lanes > 0 ? lanes : link->most_lanes;
      const std::int64_t rate = generation > 0 ? generation : link->most_generation;
      if (width > 0 && link->lanes < width) narrow[link->lanes].push_back(name);
      // An end that cannot do more, or a link that trained lower, is a difference; an idle link is none.
      const bool idle = idles && link->generation < kLeastTrained;
      const std::int64_t able = link->most_generation > 0 ? link->most_generation : link->generation;
      if (rate > 0 && able < rate)
        slow[able].push_back(name);
      else if (rate > 0 && !idle && link->generation < rate)
        slow[link->generation].push_back(name);
      else if (rate > 0 && idle && link->generation < rate)
        idle_.push_back(name);
    }
    for (const auto& [g, names] : slow)
      view_.differs(fact, "has", format("{} at PCIe generation {}", devices(word, names, all.size()), g),
                    generation > 0 ? std::to_string(generation) : "as much as both ends can do");
    for (const auto& [l, names] : narrow)
      view_.differs(fact, "has", format("{} with {} PCIe lanes", devices(word, names, all.size()), l),
                    lanes > 0 ? std::to_string(lanes) : "as many as it has");
    if (silent) view_.unread(format("the PCIe links of the {}s", word));
    if (!idle_.empty() && idles)
      view_.unread(format("the PCIe generation of {}, which {} idle,", devices(word, idle_, all.size()),
                          idle_.size() == 1 ? "is" : "are"));
  }

  void gpu_links() {
    const ServerModel& p = view_.planned();
    if (p.virtual_machine || p.instance) return;
    auto [generation, lanes] =
        planned_link(p.gpu ? p.gpu->pcie_generation.value_or(0) : 0, p.gpu ? p.gpu->pcie_lanes.value_or(0) : 0);
    for (const PcieDevice& d : pcie_tree(p).devices)  // a slot may have fewer
      if (d.kind == PcieDeviceKind::gpu && d.lanes > 0) lanes = lanes > 0 ? std::min(lanes, d.lanes) : d.lanes;
    std::vector<LinkOf> all;
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus)
      if (gpu.accessible) all.push_back({gpu.address, &gpu.link});
    links("gpu-link", "GPU", all, generation, lanes, true);
  }

  void nvlinks() {
    const std::optional<std::int64_t> each = nvlinks_of_gpu(view_.planned());
    if (!each || *each == 0 || gpus_joined_in_server(view_.planned()) < 2) return;
    std::map<std::int64_t, std::vector<std::string>> fewer;
    bool silent = false;
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus) {
      if (gpu.nvlinks_up < 0)
        silent = silent || gpu.accessible;
      else if (gpu.nvlinks_up < *each)
        fewer[gpu.nvlinks_up].push_back(gpu.address);
    }
    for (const auto& [up, names] : fewer)
      view_.differs("nvlinks", "has",
                    format("{} with {} NVLinks up", devices("GPU", names, view_.seen.gpus.size()), up),
                    std::to_string(*each));
    if (silent) view_.unread("the NVLinks of the GPUs");
  }

  void adapters() {
    const NodeRecord& s = view_.seen;
    for (const GroupView::Adapters& p : all_.adapters) {
      const std::string name = join(p.models, ", ");
      if (!s.has_pci || s.pci.empty()) {
        view_.unread("the network adapters");
        return;
      }
      std::vector<LinkOf> all;
      std::set<std::string> cards;  // an adapter with two ports has two functions
      for (const NodeRecord::Function& f : s.pci)
        if (p.ids.contains(f.id) && f.kind.starts_with("0x02") &&
            cards.insert(f.address.substr(0, f.address.find('.'))).second)
          all.push_back({f.address, &f.link});
      const auto count = static_cast<std::int64_t>(all.size());
      // Cards with several chips show more than one: only fewer are a difference that is certain.
      if (count < p.adapters)
        view_.differs("nics", "has", count == 1 ? "1 adapter " + name : format("{} adapters {}", count, name),
                      std::to_string(p.adapters));
      if (count == 0) continue;
      const auto [generation, lanes] = planned_link(p.generation, p.lanes);
      links("nic-link", "adapter", all, generation, lanes, false);
      ports(p, name, cards);
    }
  }

  // As many ports as planned have to be up with each planned rate or more. Which port is slow, only a rate that no
  // network has can say.
  void ports(const GroupView::Adapters& p, const std::string& name, const std::set<std::string>& cards) {
    if (p.rates.empty()) return;
    std::vector<double> up;
    std::vector<std::string> odd;
    bool any = false;
    for (const NodeRecord::Rdma& device : view_.seen.rdma) {
      if (!cards.contains(device.address.substr(0, device.address.find('.')))) continue;
      for (const NodeRecord::Rdma::Port& port : device.ports) {
        any = true;
        const std::string called = device.name + (device.ports.size() > 1 ? "/" + port.number : "");
        const double rate = rate_of(port.rate);
        if (port.state.find("ACTIVE") == port.state.npos) {
          odd.push_back(called + " is down");
          continue;
        }
        up.push_back(rate);
        const auto same = [&](double planned) { return about(rate, planned, 0.01); };
        if (rate > 0 && std::ranges::none_of(p.rates, same) && rate < p.rates.front())
          odd.push_back(called + " is at " + to_text(BitsPerSecond(rate)));
      }
    }
    if (!any) return view_.unread("the ports of the adapters " + name);
    if (std::ranges::count(up, 0.0) > 0) return view_.unread("the rate of the ports of the adapters " + name);
    for (std::size_t i = 0; i < p.rates.size(); ++i) {
      const double rate = p.rates[i];
      if (i + 1 < p.rates.size() && p.rates[i + 1] == rate) continue;  // the last one of this rate
      const auto fast = static_cast<std::size_t>(std::ranges::count_if(up, [&](double r) { return r >= 0.99 * rate; }));
      if (fast > i) continue;
      return view_.differs("ports", "has",
                           format("{} {} at {}{}", fast, fast == 1 ? "port" : "ports", to_text(BitsPerSecond(rate)),
                                  odd.empty() ? "" : " (" + join(odd, ", ") + ")"),
                           std::to_string(i + 1));
    }
  }

  void drives() {
    std::int64_t planned_count = 0;
    std::map<double, std::int64_t> sizes;
    for (const Named<Drives>& set : view_.planned().part.drives) {
      if (set.value.shared.value_or(false) || !set.value.size) continue;
      planned_count += set.value.count.value_or(1);
      sizes[set.value.size->value] += set.value.count.value_or(1);
    }
    if (planned_count == 0) return;
    if (!view_.seen.has_drives) return view_.unread("the drives");
    std::int64_t count = 0;
    std::map<double, std::int64_t> there;
    std::map<std::string, std::int64_t> list;
    for (const NodeRecord::Drive& d : view_.seen.drives)
      if (is_data_drive(d)) ++count, ++there[d.bytes], ++list[gib(d.bytes)];
    bool same = count == planned_count;
    for (const auto& [size, wanted_count] : sizes) {
      std::int64_t of_size = 0;
      for (const auto& [bytes, n] : there)
        if (about(bytes, size, kSameSize)) of_size += n;
      same = same && of_size == wanted_count;
    }
    if (same) return;
    std::map<std::string, std::int64_t> plan;
    for (const auto& [size, n] : sizes) plan[gib(size)] += n;
    view_.differs("drives", "has", list.empty() ? "no drive" : "drives " + counted(list), counted(plan));
  }

  // Bridges between a GPU and the root port above it.
  // `unknown`: the record does not say where a GPU is in the PCIe tree, so there may be more of them.
  std::set<const NodeRecord::Function*> bridges_above_gpus(bool& unknown) const {
    std::set<const NodeRecord::Function*> out;
    std::map<std::string_view, const NodeRecord::Function*> by_address;
    for (const NodeRecord::Function& f : view_.seen.pci) by_address.emplace(f.address, &f);
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus) {
      if (!gpu.accessible) continue;
      auto at = by_address.find(gpu.address);
      unknown = unknown || at == by_address.end();
      // A tree has few levels; a record that leads round in a circle has no end.
      for (int level = 0; at != by_address.end() && level < 32; ++level) {
        const std::string_view parent = at->second->parent;
        at = by_address.find(parent);
        // Above the first bridge is the root, "pci0000:10"; any other function has to be in the record.
        unknown = unknown || (at == by_address.end() && !parent.starts_with("pci"));
        if (at != by_address.end() && by_address.contains(at->second->parent)) out.insert(at->second);
      }
    }
    return out;
  }

  void access_control() {
    if (view_.planned().gpu_count == 0 || view_.seen.gpus.empty()) return;
    std::vector<std::string> on;
    bool unknown = !view_.seen.has_pci, silent = false;
    const auto bridges = bridges_above_gpus(unknown);
    for (const NodeRecord::Function* bridge : bridges)
      if (!bridge->acs)
        silent = true;
      else if (*bridge->acs & kRedirects)
        on.push_back(bridge->address);
    std::ranges::sort(on);
    const bool off_is_planned = (view_.wanted().acs && !*view_.wanted().acs) ||
                                (view_.wanted().gpudirect_rdma.value_or(false) && !view_.wanted().acs.value_or(false));
    if (off_is_planned && !on.empty())
      view_.differs("acs", "has", format("ACS on at {}", devices("bridge", on, 0)), "off");
    else if (off_is_planned && unknown)
      view_.unread("ACS of the PCIe bridges above the GPUs, which the record does not name,");
    else if (off_is_planned && silent)
      view_.unread("ACS of the PCIe bridges above the GPUs, which only root can read,");
    if (!silent && !unknown && !bridges.empty())
      view_.common("acs", "the number of bridges above GPUs with ACS on", std::to_string(on.size()));
  }

  void common_hardware() {
    const NodeRecord& s = view_.seen;
    view_.common("server", "the server model", s.vendor.empty() ? s.product : s.vendor + " " + s.product);
    view_.common("bios", "the BIOS", s.bios);
    view_.common("cpu", "the processor model", s.cpu_model);
    const auto number = [&](std::string_view fact, std::string_view what, std::int64_t n) {
      if (n > 0) view_.common(fact, what, std::to_string(n));
    };
    number("sockets", "the number of processors", s.sockets);
    number("cores", "the number of cores", s.cores);
    number("threads", "the number of threads a core", s.threads_per_core);
    number("numa", "the number of NUMA nodes", s.numa_nodes);
    if (const double usual = all_.usual_memory; s.memory_bytes > 0)
      view_.common("memory", "the memory",
                   in_gib(about(s.memory_bytes, usual, kSameAsOthers) ? usual : s.memory_bytes));
    if (s.has_gpus && !s.gpus.empty()) number("gpus", "the number of GPUs", static_cast<std::int64_t>(s.gpus.size()));
    std::set<std::string> models, vbios, power, firmware, drives;
    for (const NodeRecord::Gpu& gpu : s.gpus) {
      if (!gpu.name.empty()) models.insert(gpu.name);
      if (!gpu.vbios.empty()) vbios.insert(gpu.vbios);
      if (gpu.power_limit_watts > 0) power.insert(to_text(Watts(gpu.power_limit_watts)));
    }
    view_.common("gpu-model", "the GPU model", listed(models));
    view_.common("vbios", "the VBIOS of the GPUs", listed(vbios));
    view_.common("power-limit", "the power limit of the GPUs", listed(power));
    std::map<std::string, std::set<std::string>> by_id;  // versions of adapters of one kind
    for (const NodeRecord::Rdma& device : s.rdma)
      if (const NodeRecord::Function* f = s.function(device.address); f && !device.firmware.empty())
        by_id[f->id].insert(device.firmware);
    for (const auto& [id, versions] : by_id) firmware.insert(id + " " + join(versions, " and "));
    view_.common("nic-firmware", "the firmware of the RDMA adapters", listed(firmware));
    for (const NodeRecord::Drive& d : s.drives)
      if (is_data_drive(d) && !d.model.empty()) drives.insert(d.model);
    view_.common("drives", "the drive model", listed(drives));
    group_links();
    group_slots();
  }

 private:
  // An adapter in another slot leaves a GPU without one below its root port. Addresses alone are not compared: a device
  // fewer moves those of all that come after it. Without the planned number of adapters, that is what differs.
  void group_slots() {
    const NodeRecord& s = view_.seen;
    if (!s.has_pci || !s.has_rdma || s.gpus.empty()) return;
    std::map<std::string_view, std::string_view> parent_of;
    for (const NodeRecord::Function& f : s.pci) parent_of.emplace(f.address, f.parent);
    const auto top = [&](std::string_view address) {
      for (int level = 0; level < 32; ++level) {
        const auto found = parent_of.find(address);
        if (found == parent_of.end()) return std::string_view();
        if (!parent_of.contains(found->second)) return found->second.starts_with("pci") ? address : std::string_view();
        address = found->second;
      }
      return std::string_view();
    };
    std::set<std::string_view> with, cards;
    for (const NodeRecord::Rdma& r : s.rdma) {
      with.insert(top(r.address));
      cards.insert(std::string_view(r.address).substr(0, r.address.rfind('.')));
    }
    std::int64_t planned = 0, without = 0;
    for (const GroupView::Adapters& a : all_.adapters) planned += a.adapters;
    for (const NodeRecord::Gpu& gpu : s.gpus) {
      const std::string_view port = gpu.accessible ? top(gpu.address) : std::string_view();
      if (port.empty()) return;
      without += !with.contains(port);
    }
    if (with.contains({}) || static_cast<std::int64_t>(cards.size()) != planned) return;
    view_.common("slots", "the number of GPUs without an RDMA adapter below the same PCIe root port",
                 std::to_string(without));
  }
  // Where the spec has no number, most nodes of the group say what is usual.
  void group_links() {
    std::map<std::string, std::int64_t> nics;
    std::set<std::string> gpu_lanes, rates;
    for (const NodeRecord::Gpu& gpu : view_.seen.gpus)
      if (gpu.link.lanes > 0) gpu_lanes.insert(format("{} lanes", gpu.link.lanes));
    view_.common("gpu-link", "the PCIe width of the GPUs", listed(gpu_lanes));
    std::set<std::string> cards;
    for (const NodeRecord::Function& f : view_.seen.pci)
      if (f.kind.starts_with("0x0200") || f.kind.starts_with("0x0207"))
        if (cards.insert(f.address.substr(0, f.address.find('.'))).second) ++nics[f.id];
    view_.common("nics", "the list of network adapters", counted(nics));
    for (const NodeRecord::Rdma& device : view_.seen.rdma)
      for (const NodeRecord::Rdma::Port& port : device.ports)
        if (port.state.find("ACTIVE") != port.state.npos) rates.insert(port.rate);
    view_.common("ports", "the rate of the RDMA ports", listed(rates));
  }

  std::string dimm_list() const {
    std::map<std::string, std::int64_t> list;
    for (const double size : view_.seen.dimms) ++list[gib(size)];
    return counted(list);
  }

  const NodeView& view_;
  const GroupView& all_;
  std::vector<std::string> idle_;
};

}  // namespace

// By PCI ids, which the catalogue has; sets whose ids are the same are counted together.
std::vector<GroupView::Adapters> planned_adapters(const Cluster& cluster, const NodeGroupModel& group) {
  std::vector<GroupView::Adapters> out;
  const int g = static_cast<int>(&group - cluster.nodes.data());
  for (std::size_t set = 0; set < group.server.nics.size(); ++set) {
    const NicSet& nics = group.server.nics[set];
    if (!nics.part || nics.part->pci_ids.empty()) continue;
    std::set<std::string> ids;
    for (const auto& id : nics.part->pci_ids)
      if (id) ids.insert(id->as_written);
    auto same = std::ranges::find(out, ids, &GroupView::Adapters::ids);
    if (same == out.end()) same = out.insert(out.end(), GroupView::Adapters{.ids = ids, .models = {}});
    same->models.insert(nics.model);
    same->adapters += nics.count;
    const auto least = [](std::int64_t& value, std::int64_t other) {
      if (other > 0) value = value > 0 ? std::min(value, other) : other;
    };
    least(same->generation, nics.part->pcie_generation.value_or(0));
    least(same->lanes, nics.part->pcie_lanes.value_or(0));
    for (const GroupEnd& where : ends_of_group(cluster, g)) {
      const EndPoints& end = cluster.networks[at(where.network)].ends[at(where.end)];
      if (end.ports < 0 || group.server.ports[at(end.ports)].nics != static_cast<int>(set)) continue;
      same->rates.insert(same->rates.end(), at(end.ports_each), end.rate.value);
    }
  }
  for (GroupView::Adapters& a : out) std::ranges::sort(a.rates, std::greater<>{});
  return out;
}

void compare_hardware(const NodeView& view, const GroupView& all) {
  NodeHardware node(view, all);
  if (view.planned().known) node.hardware();
  node.common_hardware();
}

}  // namespace clusterc
