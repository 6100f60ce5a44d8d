#include "audit/machine.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using simdjson::dom::element;

std::string text(const element& e, const char* key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? std::string(v) : std::string();
}
std::int64_t integer(const element& e, const char* key) {
  std::int64_t v = 0;
  return e[key].get(v) == simdjson::SUCCESS ? v : 0;
}
bool truth(const element& e, const char* key) {
  bool v = false;
  return e[key].get(v) == simdjson::SUCCESS && v;
}
template <class F>
void each(const element& e, const char* key, F use) {
  simdjson::dom::array items;
  if (e[key].get(items) == simdjson::SUCCESS)
    for (const element item : items) use(item);
}

// Words of a product name that tell parts apart: "AMD EPYC 9654 96-Core Processor" -> epyc, 9654, 96-core …
std::set<std::string> words(std::string_view name) {
  std::set<std::string> out;
  std::string word;
  for (const char c : to_lower(name) + " ")
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else if (!word.empty())
      out.insert(std::exchange(word, {}));
  return out;
}

// The catalogue part whose id is wholly contained in the product name: "epyc-9654" in "AMD EPYC 9654 …". Two that fit
// are no answer, unless one contains the other's words.
std::string part_named(Catalog& catalog, PartKind kind, std::string_view product,
                       const std::set<std::string>& ignored) {
  const std::set<std::string> have = words(product);
  std::string best;
  std::size_t most = 0;
  bool tie = false;
  for (const PartInfo& part : catalog.list()) {
    if (part.kind != kind) continue;
    std::set<std::string> need = words(part.id);
    for (const std::string& word : ignored) need.erase(word);
    if (need.empty() || !std::includes(have.begin(), have.end(), need.begin(), need.end())) continue;
    if (need.size() == most) tie = true;
    if (need.size() > most) {
      most = need.size();
      best = part.id;
      tie = false;
    }
  }
  return tie ? std::string() : best;
}

// GPUs: NVML's names ("NVIDIA H100 80GB HBM3") do not always spell the form factor: model word and memory size decide,
// then, where several parts are left, whether the name says PCIe (or NVL, which is a PCIe card). Only one part may be
// left.
std::string gpu_part(Catalog& catalog, const MachineFacts::Gpu& gpu) {
  const std::set<std::string> have = words(gpu.name);
  const bool card = have.contains("pcie") || have.contains("nvl");
  std::vector<std::string> fits, of_form;
  for (const PartInfo& info : catalog.list()) {
    if (info.kind != PartKind::gpu) continue;
    const GpuPart* part = catalog.gpu(info.id);
    if (!part || !part->memory) continue;
    const auto id = split(info.id, '-');
    if (id.size() < 2 || !have.contains(std::string(id[1]))) continue;
    // The driver shows up to 6 % less than the name: ECC and firmware keep some; "80 GB" of data sheets are often GiB.
    const double ratio = static_cast<double>(gpu.memory_bytes) / part->memory->value;
    if (ratio < 0.90 || ratio > 1.08) continue;
    fits.emplace_back(info.id);
    if (part->form && (*part->form == GpuForm::pcie) == card) of_form.emplace_back(info.id);
  }
  const std::vector<std::string>& left = fits.size() > 1 ? of_form : fits;
  return left.size() == 1 ? left.front() : std::string();
}

std::string os_name(const MachineFacts& m) {
  std::string id = m.os_id == "rhel" ? "rhel" : m.os_id;
  std::string version = m.os_version;
  if (id == "rocky" || id == "rhel" || id == "almalinux") version = version.substr(0, version.find('.'));
  return id.empty() ? std::string() : version.empty() ? id : id + "-" + version;
}

std::string gib(std::int64_t bytes) {
  // Whole GiB, rounded down: what the machine has, not a rounded promise.
  return std::to_string(std::max<std::int64_t>(1, bytes >> 30)) + " GiB";
}

constexpr std::string_view kNoMemory = "the probe saw no /proc/meminfo";

void unknown(YamlWriter& yaml, std::string_view key, std::string_view why) {
  yaml.map(key).field("unknown", why).end_map();
}

// The host's name as the name of a cluster.
std::string cluster_name(std::string_view host) {
  std::string name;
  for (const char c : to_lower(host)) name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
  while (!name.empty() && name.front() == '-') name.erase(0, 1);
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "machine" : name;
}

void write_virtual_machine(YamlWriter& yaml, const MachineFacts& m) {
  const std::string model = m.cpu_model.empty() ? "processor" : m.cpu_model;
  if (m.cores > 0)
    yaml.comment(format("{}: {} processors seen ({} cores with {} threads each)", model, m.threads, m.cores,
                        m.threads_per_core));
  else
    yaml.comment(format("{}: the probe did not see which threads share a core", model));
  yaml.map("virtual_machine");
  if (m.threads > 0)
    yaml.field("cpus", m.threads);
  else
    unknown(yaml, "cpus", "the probe saw no processors below /sys/devices/system/cpu");
  if (m.memory_bytes > 0)
    yaml.field("memory", gib(m.memory_bytes));
  else
    unknown(yaml, "memory", kNoMemory);
  yaml.end_map();
  yaml.comment(
      "A virtual machine does not show its memory channels or clock: for judged figures set targets.memory.floor and "
      "targets.gemm.floor.");
}

void write_gpus(YamlWriter& yaml, const MachineFacts& m, Catalog& catalog) {
  if (m.gpus.empty()) return;
  const std::string gpu = gpu_part(catalog, m.gpus.front());
  const bool alike =
      std::all_of(m.gpus.begin(), m.gpus.end(), [&](const auto& g) { return g.name == m.gpus.front().name; });
  if (!gpu.empty() && alike)
    yaml.field("gpus", format("{} x {}", m.gpus.size(), gpu));
  else
    yaml.comment(format("gpus: {} x '{}' {}", m.gpus.size(), m.gpus.front().name,
                        alike ? "is not in the catalogue" : "and others: describe them as separate groups"));
}

// `cpu`: the catalogue's part, empty where there is none.
void write_server(YamlWriter& yaml, const MachineFacts& m, const std::string& cpu, Catalog& catalog) {
  yaml.map("server");
  if (!m.arch.empty()) yaml.field("arch", m.arch == "arm64" ? "aarch64" : m.arch);
  if (m.sockets > 0)
    yaml.field("sockets", m.sockets);
  else
    unknown(yaml, "sockets", "the probe saw no processors below /sys/devices/system/cpu");
  if (!cpu.empty() && m.sockets == 0)
    yaml.comment(format("cpus: '{}', whose number the probe did not see; write for example 2 x {}", m.cpu_model, cpu));
  else if (!cpu.empty())
    yaml.field("cpus", format("{} x {}", m.sockets, cpu));
  else
    yaml.comment(format(
        "cpus: {} x '{}' is not in the catalogue; write a part for it under parts:, so that its figures can be judged",
        m.sockets > 0 ? std::to_string(m.sockets) : "unknown number", m.cpu_model.empty() ? "unknown" : m.cpu_model));
  yaml.comment(
      format("memory: {} in total; write the modules, for example 16 x 32 GiB, so that its bandwidth can be judged",
             m.memory_bytes > 0 ? gib(m.memory_bytes) : "unknown amount"));
  write_gpus(yaml, m, catalog);
  yaml.end_map();
}

// What the spec has no place for without knowing more of it.
void write_adapters_and_drives(YamlWriter& yaml, const MachineFacts& m) {
  for (const auto& nic : m.nics)
    yaml.comment(format(
        "network adapter {} ({}){}", nic.name, nic.driver,
        nic.bits_per_second > 0 ? ", " + to_text(static_cast<double>(nic.bits_per_second), Dimension::bit_rate) : ""));
  for (const auto& drive : m.drives)
    yaml.comment(format("drive {}: {}{}", drive.name, to_text(static_cast<double>(drive.bytes), Dimension::bytes),
                        drive.nvme ? " nvme" : ""));
}

void write_software(YamlWriter& yaml, const MachineFacts& m, const std::string& cpu, Catalog& catalog) {
  yaml.map("software");
  if (const std::string os = os_name(m); !os.empty()) yaml.field("os", os);
  if (!m.arch.empty()) yaml.field("arch", m.arch == "arm64" ? "aarch64" : m.arch);
  if (!m.kernel.empty()) yaml.field("kernel", m.kernel);
  // Fewer threads than the processor has are switched off, by the kernel where its arguments say so.
  const CpuPart* part = cpu.empty() || m.virtual_machine ? nullptr : catalog.cpu(cpu);
  if (m.virtual_machine && m.threads_per_core == 2)
    yaml.field("smt", true);
  else if (part && m.threads_per_core == 1 && part->threads_per_core.value_or(1) > 1)
    m.nosmt ? yaml.field("smt", "nosmt") : yaml.field("smt", false);
  if (!m.driver.empty()) yaml.field("gpu_driver", m.driver);
  const auto has = [&](std::string_view program) {
    return std::find(m.programs.begin(), m.programs.end(), program) != m.programs.end();
  };
  if (has("mpirun")) yaml.field("mpi", "openmpi");
  yaml.map("scheduler").field("kind", "none").end_map();
  yaml.end_map();
}

}  // namespace

std::optional<MachineFacts> read_probe(std::string_view json, std::string& error) {
  simdjson::dom::parser parser;
  element e;
  if (parser.parse(json.data(), json.size()).get(e) != simdjson::SUCCESS || text(e, "record") != "probe") {
    error = "this is not a record of the node probe";
    return std::nullopt;
  }
  MachineFacts m;
  m.host = text(e, "host");
  element part;
  if (e["os"].get(part) == simdjson::SUCCESS) {
    m.os_id = text(part, "id");
    m.os_version = text(part, "version");
  }
  if (e["kernel"].get(part) == simdjson::SUCCESS) {
    m.kernel = text(part, "release");
    const std::string arguments = " " + text(part, "arguments") + " ";
    m.nosmt = arguments.find(" nosmt ") != arguments.npos || arguments.find(" nosmt=") != arguments.npos;
  }
  if (e["cpu"].get(part) == simdjson::SUCCESS) {
    m.arch = text(part, "arch");
    m.cpu_model = text(part, "model");
    m.sockets = integer(part, "sockets");
    m.cores = integer(part, "cores");
    m.threads_per_core = std::max<std::int64_t>(1, integer(part, "threads_per_core"));
    m.threads = m.cores > 0 ? m.cores * m.threads_per_core : integer(part, "threads");
  }
  if (e["memory"].get(part) == simdjson::SUCCESS) m.memory_bytes = integer(part, "total_bytes");
  if (e["platform"].get(part) == simdjson::SUCCESS) m.virtual_machine = truth(part, "virtual_machine");
  if (e["nvidia"].get(part) == simdjson::SUCCESS) m.driver = text(part, "driver");
  each(e, "gpus", [&](const element& g) {
    std::int64_t memory = integer(g, "memory_bytes");
    m.gpus.push_back({text(g, "name"), memory});
  });
  each(e, "nics", [&](const element& n) {
    if (truth(n, "physical")) m.nics.push_back({text(n, "name"), text(n, "driver"), integer(n, "bits_per_second")});
  });
  each(e, "drives", [&](const element& d) {
    m.drives.push_back({text(d, "name"), integer(d, "bytes"), truth(d, "nvme"), truth(d, "rotational")});
  });
  simdjson::dom::object programs;
  if (e["programs"].get(programs) == simdjson::SUCCESS)
    for (const auto field : programs) m.programs.emplace_back(field.key);
  return m;
}

std::string spec_of_machine(const MachineFacts& m, Catalog& catalog) {
  std::string out;
  YamlWriter yaml(out);
  yaml.comment("The machine '" + m.host +
               "' as the node probe found it. Complete it: the probe could not see what is in comments.");
  yaml.begin_map();
  yaml.field("clusterc", 1).field("rules", "2026.11");
  yaml.field("name", cluster_name(m.host));

  yaml.comment(
      "The room is not described, so that power, cooling and racks are not checked. For a room of your own, write "
      "region, altitude, supply, feeds and cooling.");
  yaml.map("site").field("kind", "cloud").field("provider", "local").end_map();

  yaml.map("nodes").map("machine");
  const std::string host = m.host.empty() ? "localhost" : std::string(split(m.host, '.').front());
  yaml.field("names", host);
  const std::string cpu = part_named(catalog, PartKind::cpu, m.cpu_model, {"xeon", "p", "nvidia"});
  if (m.virtual_machine)
    write_virtual_machine(yaml, m);
  else
    write_server(yaml, m, cpu, catalog);
  yaml.end_map().end_map();
  write_adapters_and_drives(yaml, m);

  write_software(yaml, m, cpu, catalog);
  yaml.end_map();
  if (out.empty() || out.back() != '\n') out += '\n';
  return out;
}

}  // namespace clusterc
