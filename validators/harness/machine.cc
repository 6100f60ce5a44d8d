#include "harness/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/format.h"

namespace clusterc::harness {
namespace fs = std::filesystem;

std::optional<std::string> read_bytes(const fs::path& path) {
  // sysfs files report a size of 4096 whatever they hold, so read until the end. Non-blocking: a stray FIFO must not
  // stop us.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  constexpr std::size_t kMost = 4u << 20;  // nothing that we read is near this; a device file would never end
  while (text.size() < kMost && (got = ::read(file, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(file);
  if (got < 0)
    return std::nullopt;  // sysfs attributes without a value answer with an error (speed of a link that is down)
  return text;
}

std::optional<std::string> read_text(const fs::path& path) {
  auto text = read_bytes(path);
  while (text && !text->empty() && (text->back() == '\n' || text->back() == ' ' || text->back() == '\0'))
    text->pop_back();
  return text;
}

std::optional<std::int64_t> read_number(const fs::path& path) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

std::set<int> parse_cpu_list(std::string_view text) {
  std::set<int> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int first = 0;
    auto step = std::from_chars(at, end, first);
    if (step.ec != std::errc()) return out;
    int last = first;
    at = step.ptr;
    if (at != end && *at == '-') {
      step = std::from_chars(at + 1, end, last);
      if (step.ec != std::errc()) return out;
      at = step.ptr;
    }
    for (int cpu = first; cpu <= last && last - first < 1 << 16; ++cpu) out.insert(cpu);
    if (at != end && *at == ',')
      ++at;
    else
      return out;
  }
  return out;
}

std::set<int> allowed_cpus() {
  std::set<int> out;
  // The kernel refuses a mask smaller than its own; 8192 is the most that any distribution configures (CONFIG_NR_CPUS).
  constexpr int kMostCpus = 8192;
  cpu_set_t* mask = CPU_ALLOC(kMostCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  CPU_ZERO_S(bytes, mask);
  if (sched_getaffinity(0, bytes, mask) == 0) {
    for (int cpu = 0; cpu < kMostCpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask)) out.insert(cpu);
    }
  }
  CPU_FREE(mask);
  return out;
}

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

std::string cpu_model(const fs::path& root) {
  const auto text = read_text(root / "proc/cpuinfo");
  if (!text) return {};
  // "model name" on x86; ARM kernels print no name, only implementer and part numbers.
  const auto at = text->find("model name");
  if (at == std::string::npos) return {};
  const auto colon = text->find(": ", at);
  const auto line_end = text->find('\n', at);
  if (colon == std::string::npos || (line_end != std::string::npos && colon > line_end)) return {};
  return text->substr(colon + 2, line_end == std::string::npos ? std::string::npos : line_end - colon - 2);
}

namespace {

std::uint64_t cache_bytes(std::string_view text) {  // "32768K"
  std::uint64_t number = 0;
  const auto step = std::from_chars(text.data(), text.data() + text.size(), number);
  if (step.ec != std::errc()) return 0;
  const char unit = step.ptr == text.data() + text.size() ? 'B' : *step.ptr;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : unit == 'G' ? number << 30 : number;
}

// The largest-level cache of `cpu` and the processors that share it.
void add_last_level(const fs::path& root, int cpu, std::map<std::string, std::uint64_t>& caches) {
  const fs::path folder = root / format("sys/devices/system/cpu/cpu{}/cache", cpu);
  std::int64_t best_level = 0;
  std::string shared;
  std::uint64_t bytes = 0;
  for (int index = 0; index < 16; ++index) {
    const fs::path entry = folder / format("index{}", index);
    const auto level = read_number(entry / "level");
    if (!level) break;
    if (*level <= best_level || read_text(entry / "type").value_or("") == "Instruction") continue;
    best_level = *level;
    shared = read_text(entry / "shared_cpu_list").value_or(format("cpu{}", cpu));
    bytes = cache_bytes(read_text(entry / "size").value_or(""));
  }
  if (best_level > 0) caches[shared] = bytes;
}

}  // namespace

std::vector<NumaNode> numa_nodes(const std::set<int>& allowed, const fs::path& root) {
  std::vector<std::pair<int, std::set<int>>> found;
  for (const int id : parse_cpu_list(read_text(root / "sys/devices/system/node/online").value_or(""))) {
    found.emplace_back(
        id, parse_cpu_list(read_text(root / format("sys/devices/system/node/node{}/cpulist", id)).value_or("")));
  }
  if (found.empty()) found.emplace_back(0, allowed);

  std::vector<NumaNode> out;
  for (const auto& [id, cpus] : found) {
    NumaNode node{.id = id};
    std::map<std::string, std::uint64_t> caches;  // by the processors that share one
    std::set<std::string> cores;
    for (const int cpu : cpus) {
      add_last_level(root, cpu, caches);
      if (!allowed.contains(cpu)) continue;
      const auto siblings = read_text(root / format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
      if (cores.insert(siblings.value_or(format("cpu{}", cpu))).second) node.cpus.push_back(cpu);
    }
    for (const auto& [shared, bytes] : caches) node.llc_bytes += bytes;
    if (const auto text = read_text(root / format("sys/devices/system/node/node{}/meminfo", id))) {
      if (const auto at = text->find("MemTotal:"); at != std::string::npos) {
        std::uint64_t kib = 0;
        const char* digits = text->data() + text->find_first_of("0123456789", at);
        std::from_chars(digits, text->data() + text->size(), kib);
        node.memory_bytes = kib << 10;
      }
    }
    if (!node.cpus.empty()) out.push_back(std::move(node));
  }
  return out;
}

std::uint64_t available_memory(const fs::path& root) {
  const auto text = read_text(root / "proc/meminfo");
  if (!text) return 0;
  const auto at = text->find("MemAvailable:");
  if (at == std::string::npos) return 0;
  std::uint64_t kib = 0;
  const auto digits = text->find_first_of("0123456789", at);
  if (digits != std::string::npos) std::from_chars(text->data() + digits, text->data() + text->size(), kib);
  return kib << 10;
}

}  // namespace clusterc::harness
