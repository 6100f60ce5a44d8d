// The machine without its devices: system, processors, memory, firmware, limits.
#include <sys/resource.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "probe/facts.h"

namespace clusterc::probe {
using namespace harness;

std::vector<std::string> sorted_entries(const Path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    out.push_back(at->path().filename().string());
  }
  std::ranges::sort(out);
  return out;
}

void text_field(JsonWriter& json, std::string_view name, const Path& file) {
  if (const auto text = read_text(file); text && !text->empty()) json.field(name, *text);
}

namespace {

void number_field(JsonWriter& json, std::string_view name, const Path& file, std::int64_t factor = 1) {
  if (const auto number = read_number(file)) json.field(name, *number * factor);
}

// "key: value" or "KEY=value" lines.
std::string line_value(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const auto line_end = text.find('\n');
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
    const auto cut = line.find(separator);
    if (cut == std::string_view::npos) continue;
    std::string_view name = line.substr(0, cut), value = line.substr(cut + 1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
    if (name != key) continue;
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t' || value.front() == '"'))
      value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '"')) value.remove_suffix(1);
    return std::string(value);
  }
  return {};
}

std::uint64_t kib_value(std::string_view text, std::string_view key) {
  const std::string value = line_value(text, key, ':');
  std::uint64_t kib = 0;
  std::from_chars(value.data(), value.data() + value.size(), kib);
  return kib << 10;
}

// What decides how many FLOP a core does in a cycle: width of vectors, fused multiply-add, matrix units. x86 and ARM
// names.
constexpr std::array<std::string_view, 13> kFlagsThatCount = {
    "sse2",     "avx",      "avx2",     "fma",   "avx512f", "avx512_bf16", "avx512_vnni",
    "amx_tile", "amx_bf16", "amx_int8", "asimd", "sve",     "sve2"};

}  // namespace

void os_facts(JsonWriter& json, const Path& root) {
  json.object("os");
  auto release = read_text(root / "etc/os-release");
  if (!release) release = read_text(root / "usr/lib/os-release");
  if (release) {
    for (const auto& [field, key] : {std::pair{"id", "ID"},
                                     {"name", "PRETTY_NAME"},
                                     {"version", "VERSION_ID"},
                                     {"codename", "VERSION_CODENAME"}}) {
      if (const std::string value = line_value(*release, key, '='); !value.empty()) json.field(field, value);
    }
  }
  json.end_object().object("kernel");
  text_field(json, "release", root / "proc/sys/kernel/osrelease");
  text_field(json, "version", root / "proc/sys/kernel/version");
  text_field(json, "arguments", root / "proc/cmdline");
  // Modules that drive GPUs, adapters and file systems. The RDMA stacks of the vendor give theirs a version; those of
  // the kernel have none.
  json.object("modules");
  for (const char* name : {"ib_core", "lustre", "mlx5_core", "nvidia", "nvidia_peermem"}) {
    const Path folder = root / "sys/module" / name;
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) json.field(name, read_text(folder / "version").value_or(""));
  }
  json.end_object().end_object();
}

void cpu_facts(JsonWriter& json, const Path& root) {
  const Path cpus = root / "sys/devices/system/cpu";
  const auto info = read_text(root / "proc/cpuinfo").value_or("");
  json.object("cpu");
  utsname names{};
  if (uname(&names) == 0) json.field("arch", names.machine);
  if (const std::string vendor = line_value(info, "vendor_id", ':'); !vendor.empty()) json.field("vendor", vendor);
  if (const std::string model = cpu_model(root); !model.empty()) json.field("model", model);

  const std::set<int> online = parse_cpu_list(read_text(cpus / "online").value_or(""));
  std::set<std::string> cores, packages;
  for (const int cpu : online) {
    const Path topology = cpus / format("cpu{}/topology", cpu);
    if (const auto siblings = read_text(topology / "thread_siblings_list")) cores.insert(*siblings);
    if (const auto package = read_text(topology / "physical_package_id")) packages.insert(*package);
  }
  if (!online.empty()) json.field("threads", online.size());
  if (!cores.empty()) json.field("cores", cores.size()).field("threads_per_core", online.size() / cores.size());
  if (!packages.empty()) json.field("sockets", packages.size());
  number_field(json, "max_hz", cpus / "cpu0/cpufreq/cpuinfo_max_freq", 1000);
  number_field(json, "base_hz", cpus / "cpu0/cpufreq/base_frequency", 1000);
  if (const std::string mhz = line_value(info, "cpu MHz", ':'); !mhz.empty()) {
    double value = 0;
    std::from_chars(mhz.data(), mhz.data() + mhz.size(), value);
    if (value > 0)
      json.field("reported_hz", value * 1e6);  // at the moment of the probe; in a guest, what the hypervisor says
  }
  text_field(json, "governor", cpus / "cpu0/cpufreq/scaling_governor");

  std::string flags = line_value(info, "flags", ':');
  if (flags.empty()) flags = line_value(info, "Features", ':');
  flags = " " + flags + " ";
  json.array("flags");
  for (const std::string_view flag : kFlagsThatCount) {
    if (flags.find(format(" {} ", flag)) != std::string::npos) json.value(flag);
  }
  json.end_array();

  json.array("numa_nodes");
  for (const NumaNode& node : numa_nodes(online, root)) {
    const Path folder = root / format("sys/devices/system/node/node{}", node.id);
    json.begin_object().field("id", node.id);
    text_field(json, "cpus", folder / "cpulist");
    json.field("cores", node.cpus.size());
    if (node.memory_bytes > 0) json.field("memory_bytes", node.memory_bytes);
    if (node.llc_bytes > 0) json.field("last_level_cache_bytes", node.llc_bytes);
    text_field(json, "distances", folder / "distance");
    json.end_object();
  }
  json.end_array().end_object();
}

namespace {

std::uint64_t word(std::string_view table, std::size_t at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes && at + i < table.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(table[at + i])} << (8 * i);
  return value;
}

// DIMMs from the firmware's table, which only root may read: structures of type 17, DMTF DSP0134 (SMBIOS 3.6),
// section 7.18.
void smbios_dimms(JsonWriter& json, std::string_view table) {
  for (std::size_t at = 0; at + 4 <= table.size();) {
    const unsigned type = static_cast<unsigned char>(table[at]), length = static_cast<unsigned char>(table[at + 1]);
    if (length < 4 || at + length > table.size()) return;
    std::vector<std::string_view> strings;  // numbered from 1, after the formatted part, ended by an empty one
    std::size_t text = at + length;
    while (text < table.size() && table[text] != '\0') {
      const auto end = table.find('\0', text);
      if (end == std::string_view::npos) return;
      strings.push_back(table.substr(text, end - text));
      text = end + 1;
    }
    const auto string_at = [&](unsigned offset) -> std::string_view {
      if (offset >= length) return {};
      const auto index = static_cast<unsigned char>(table[at + offset]);
      return index == 0 || index > strings.size() ? std::string_view{} : strings[index - 1u];
    };
    if (type == 17 && length >= 0x15) {
      std::uint64_t bytes = 0;
      const std::uint64_t size =
          word(table, at + 0x0C, 2);  // MiB, or KiB when bit 15 is set; 0x7FFF: see the extended size
      if (size == 0x7FFF && length >= 0x20)
        bytes = (word(table, at + 0x1C, 4) & 0x7FFFFFFF) << 20;
      else if (size != 0xFFFF)
        bytes = size & 0x8000 ? (size & 0x7FFF) << 10 : size << 20;
      if (bytes > 0) {  // 0: an empty slot
        json.begin_object().field("slot", string_at(0x10)).field("bytes", bytes);
        if (length >= 0x17 && word(table, at + 0x15, 2) != 0)
          json.field("transfers_per_second", word(table, at + 0x15, 2) * 1'000'000);
        if (length >= 0x22 && word(table, at + 0x20, 2) != 0)
          json.field("configured_transfers_per_second", word(table, at + 0x20, 2) * 1'000'000);
        if (!string_at(0x17).empty()) json.field("manufacturer", string_at(0x17));
        if (!string_at(0x1A).empty()) json.field("part_number", string_at(0x1A));
        json.end_object();
      }
    }
    at = text + (text == at + length ? 2 : 1);  // a structure without strings ends with two zeros
  }
}

void edac_dimms(JsonWriter& json, const Path& root) {
  const Path folder = root / "sys/devices/system/edac/mc";
  for (const std::string& controller : sorted_entries(folder)) {
    for (const std::string& dimm : sorted_entries(folder / controller)) {
      if (!dimm.starts_with("dimm")) continue;
      const auto mib = read_number(folder / controller / dimm / "size");
      if (!mib || *mib == 0) continue;
      json.begin_object()
          .field("slot", read_text(folder / controller / dimm / "dimm_label").value_or(dimm))
          .field("bytes", *mib << 20);
      text_field(json, "type", folder / controller / dimm / "dimm_mem_type");
      json.end_object();
    }
  }
}

}  // namespace

void memory_facts(JsonWriter& json, const Path& root) {
  json.object("memory");
  if (const auto info = read_text(root / "proc/meminfo")) {
    json.field("total_bytes", kib_value(*info, "MemTotal")).field("available_bytes", kib_value(*info, "MemAvailable"));
    json.field("swap_bytes", kib_value(*info, "SwapTotal"));
  }
  std::string dimms;
  JsonWriter list(dimms);
  const auto table = read_bytes(root / "sys/firmware/dmi/tables/DMI");
  list.begin_array();
  if (table) smbios_dimms(list, *table);
  list.end_array();
  if (dimms == "[]") {
    dimms.clear();
    JsonWriter edac(dimms);
    edac.begin_array();
    edac_dimms(edac, root);
    edac.end_array();
    if (dimms != "[]") {
      json.array("dimms");
      edac_dimms(json, root);
      json.end_array();
    }
  } else {
    json.array("dimms");
    smbios_dimms(json, *table);
    json.end_array();
  }
  json.end_object();
}

void platform_facts(JsonWriter& json, const Path& root) {
  const Path dmi = root / "sys/class/dmi/id";
  json.object("platform");
  for (const char* name : {"sys_vendor", "product_name", "product_version", "product_serial", "board_name",
                           "bios_vendor", "bios_version", "bios_date"}) {
    text_field(json, name, dmi / name);
  }
  const std::string flags = " " + line_value(read_text(root / "proc/cpuinfo").value_or(""), "flags", ':') + " ";
  json.field("virtual_machine",
             flags.find(" hypervisor ") != std::string::npos || read_text(root / "sys/hypervisor/type").has_value());
  text_field(json, "hypervisor", root / "sys/hypervisor/type");
  std::error_code ignored;
  json.field("container", std::filesystem::exists(root / ".dockerenv", ignored) ||
                              std::filesystem::exists(root / "run/.containerenv", ignored));
  const auto groups = sorted_entries(root / "sys/kernel/iommu_groups");
  json.field("iommu_groups", groups.size()).end_object();

  json.object("huge_pages");
  if (const auto modes = read_text(root / "sys/kernel/mm/transparent_hugepage/enabled")) {  // "always [madvise] never"
    const auto open = modes->find('['), close = modes->find(']');
    if (open != std::string::npos && close != std::string::npos && open < close)
      json.field("transparent", modes->substr(open + 1, close - open - 1));
  }
  json.array("pools");
  const Path pools = root / "sys/kernel/mm/hugepages";
  for (const std::string& pool : sorted_entries(pools)) {  // "hugepages-2048kB"
    const auto dash = pool.find('-');
    if (dash == std::string::npos) continue;
    std::uint64_t kib = 0;
    std::from_chars(pool.data() + dash + 1, pool.data() + pool.size(), kib);
    json.begin_object().field("page_bytes", kib << 10);
    number_field(json, "pages", pools / pool / "nr_hugepages");
    number_field(json, "free", pools / pool / "free_hugepages");
    json.end_object();
  }
  json.end_array().end_object();
}

void process_facts(JsonWriter& json) {
  json.object("limits");
  json.field("root", geteuid() == 0);  // sees more, and may have other limits than users
  for (const auto& [name, which] : {std::pair{"memlock_bytes", RLIMIT_MEMLOCK},
                                    {"nofile", RLIMIT_NOFILE},
                                    {"nproc", RLIMIT_NPROC},
                                    {"stack_bytes", RLIMIT_STACK}}) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0) continue;
    json.object(name);
    for (const auto& [side, value] : {std::pair{"soft", limit.rlim_cur}, {"hard", limit.rlim_max}}) {
      if (value == RLIM_INFINITY)
        json.field(side, "unlimited");
      else
        json.field(side, std::uint64_t{value});
    }
    json.end_object();
  }
  json.end_object();

  timex clock{};  // modes 0: only reads, any user may
  if (const int state = adjtimex(&clock); state >= 0) {
    json.object("clock").field("synchronised", (clock.status & STA_UNSYNC) == 0);
    json.field("max_error_seconds", static_cast<double>(clock.maxerror) * 1e-6).end_object();
  }

  json.object("programs");  // what a launcher or a later validator would start
  const char* variable = std::getenv("PATH");
  const std::string_view path = variable ? variable : "";
  for (const char* name : {"fio", "ib_write_bw", "ibstat", "kubectl", "mpirun", "nvidia-smi", "srun"}) {
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find(':', at), path.size());
      const Path candidate = Path(path.substr(at, end - at)) / name;
      at = end + 1;
      if (!candidate.is_absolute() || access(candidate.c_str(), X_OK) != 0) continue;
      json.field(name, candidate.string());
      break;
    }
  }
  json.end_object();
}

namespace {

std::string whole_object(const std::string& host, const std::string& time_utc, const Path& root, bool live,
                         JsonStyle style) {
  std::string text;
  JsonWriter json(text, style);
  json.begin_object().field("record", "probe").field("host", host).field("time", time_utc);
  os_facts(json, root);
  cpu_facts(json, root);
  memory_facts(json, root);
  platform_facts(json, root);
  pci_facts(json, root);
  stage("asking NVIDIA's driver");
  gpu_facts(json, root);
  stage("looking at network adapters");
  nic_facts(json, root);
  rdma_facts(json, root);
  drive_facts(json, root);
  stage("looking at mounts");
  mount_facts(json, root);
  if (live) process_facts(json);
  json.end_object();
  return text;
}

}  // namespace

std::string probe_record(const std::string& host, const std::string& time_utc, const Path& root, bool live) {
  return whole_object(host, time_utc, root, live, {});
}
std::string probe_text(const std::string& host, const std::string& time_utc, const Path& root, bool live) {
  return whole_object(host, time_utc, root, live, {.indent = 2});
}

}  // namespace clusterc::probe
