#include "audit/files/slurm_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostPartitions = 1000;
constexpr std::int64_t kMostOfOne = 1 << 20;  // of a number in a node line
constexpr std::int64_t kMostWeight = 4294967294;
constexpr std::size_t kMostFeatures = 64, kLongestFeature = 64;

std::int64_t number(const SlurmNodeLine& line, std::string_view key, std::int64_t most = kMostOfOne) {
  const SlurmSetting* setting = line.find(key);
  const auto value = setting ? parse_uint(setting->value) : std::nullopt;
  return value && *value <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(*value) : 0;
}

// slurm.conf(5): what is left out of CPUs, Sockets, CoresPerSocket and ThreadsPerCore follows from the others.
SlurmHardware hardware_of(const SlurmNodeLine& line) {
  SlurmHardware h;
  h.cpus = number(line, line.find("cpus") ? "cpus" : "procs");
  h.sockets = number(line, "sockets");
  if (h.sockets == 0) h.sockets = number(line, "socketsperboard") * std::max<std::int64_t>(1, number(line, "boards"));
  h.cores_per_socket = number(line, "corespersocket");
  h.threads = std::max<std::int64_t>(1, number(line, "threadspercore"));
  if (h.cores_per_socket > 0 && h.sockets == 0)
    h.sockets = std::max<std::int64_t>(1, h.cpus / (h.cores_per_socket * h.threads));
  if (h.cores_per_socket == 0 && h.cpus > 0) {
    h.sockets = std::max<std::int64_t>(1, h.sockets);
    h.cores_per_socket = h.cpus / (h.sockets * h.threads);
  }
  if (h.sockets > 16 || h.cores_per_socket > 4096 || h.threads > 8 || h.cores_per_socket == 0)
    h.sockets = h.cores_per_socket = 0, h.threads = 1;
  h.memory = number(line, "realmemory", std::int64_t{1} << 40);
  if (const SlurmSetting* gres = line.find("gres")) {
    h.gpus = gpus_of_gres(gres->value);
    for (const std::string_view item : split(gres->value, ','))
      if (to_lower(item).starts_with("shard:"))
        h.shards = static_cast<std::int64_t>(parse_uint(item.substr(item.rfind(':') + 1)).value_or(0));
  }
  return h;
}

// Words that Slurm takes for features (slurm.conf(5), Feature); others are left out and named.
std::vector<std::string> features_of(const SlurmNodeLine& line, std::vector<std::string>* left_out) {
  std::vector<std::string> out;
  const SlurmSetting* setting = line.find("feature");
  if (!setting) setting = line.find("features");
  if (!setting) return out;
  for (std::string_view word : split(setting->value, ',')) {
    word = trim(word);
    const bool good = !word.empty() && word.size() <= kLongestFeature && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("_-.:+").find(c) != std::string_view::npos;
    });
    if (!good) {
      if (left_out && left_out->size() < kMostFeatures)
        left_out->push_back(format("feature={}", one_line(word.substr(0, 60))));
    } else if (out.size() < kMostFeatures && std::ranges::find(out, word) == out.end()) {
      out.emplace_back(word);
    }
  }
  return out;
}

// "host(address)", "a,b"
void add_hosts(const std::string& value, std::vector<std::string>& out, std::vector<std::string>& addresses) {
  for (std::string_view host : split(value, ',')) {
    if (host.find('(') != host.npos && addresses.size() < 16) addresses.emplace_back(trim(host).substr(0, 100));
    host = trim(host.substr(0, host.find('(')));
    HostPattern::Error error;
    const auto name = HostPattern::parse(host, error);
    if (name && name->count() == 1 && std::ranges::find(out, host) == out.end() && out.size() < 16)
      out.emplace_back(host);
  }
}

class Grouper {
 public:
  explicit Grouper(const SlurmCluster& c) : c_(c) {}

  SlurmGroups group() {
    read_partitions();
    if (!collect()) return std::move(out_);
    name_groups();
    read_controllers();
    return std::move(out_);
  }

 private:
  // Which lines are in which partitions, by the first name of each line.
  void read_partitions() {
    std::unordered_map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < c_.nodes.size(); ++i)
      if (!c_.nodes[i].each.empty()) first.emplace(c_.nodes[i].each.front(), i);
    partitions_of_.resize(c_.nodes.size());
    sizes_.resize(c_.partitions.size());
    std::map<std::string, std::string, std::less<>> sets;
    for (const SlurmEntry& s : c_.node_sets)
      if (const SlurmSetting* nodes = s.find("nodes")) sets[s.names] = nodes->value;
    std::int64_t left = 4 * kMostSlurmNames;
    for (std::size_t p = 0; p < std::min(c_.partitions.size(), kMostPartitions); ++p) {
      const SlurmSetting* nodes = c_.partitions[p].find("nodes");
      if (!nodes) continue;
      const auto set = sets.find(nodes->value);
      const std::string& list = set == sets.end() ? nodes->value : set->second;
      if (to_lower(list) == "all") {
        sizes_[p] = c_.node_count;
        for (auto& of : partitions_of_) of.push_back(p);
        continue;
      }
      const auto names = host_list_names(list, left);
      if (!names) continue;
      sizes_[p] = static_cast<std::int64_t>(names->size());
      for (const std::string& name : *names)
        if (const auto line = first.find(name); line != first.end())
          if (auto& of = partitions_of_[line->second]; of.empty() || of.back() != p) of.push_back(p);
    }
  }

  bool collect() {
    std::map<std::string, std::size_t> known;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < c_.nodes.size(); ++i) {
      const SlurmNodeLine& line = c_.nodes[i];
      if (line.each.empty()) continue;
      const SlurmSetting* state = line.find("state");
      const bool cloud = state && to_lower(state->value).starts_with("cloud");
      SlurmHardware h = hardware_of(line);
      std::string key = format("{} {} {} {} {} {}", h.cpus, h.sockets, h.cores_per_socket, h.threads, h.memory, cloud);
      for (const SlurmGres& g : h.gpus) key += format(" {}:{}", to_lower(g.type), g.count);
      const std::int64_t weight = number(line, "weight", kMostWeight);
      key += format(" {} {} {} in", h.shards, weight, join(features_of(line, nullptr), ","));
      for (const std::size_t p : partitions_of_[i]) key += format(" {}", p);
      const auto [at, fresh] = known.try_emplace(std::move(key), out_.groups.size());
      if (fresh) {
        if (out_.groups.size() == kMostSlurmGroups) {
          out_.error = format("its nodes are of more than {} kinds", grouped(kMostSlurmGroups));
          out_.groups.clear();
          return false;
        }
        out_.groups.push_back({.name = {},
                               .names = {},
                               .line = &line,
                               .in_partitions = partitions_of_[i],
                               .left_out = {},
                               .features = {},
                               .weight = weight,
                               .hardware = std::move(h),
                               .cloud = cloud});
        SlurmGroup& made = out_.groups.back();
        made.features = features_of(line, &made.left_out);
      }
      SlurmGroup& group = out_.groups[at->second];
      for (const std::string& name : line.each)
        if (seen.insert(name).second) group.names.push_back(name);
    }
    std::erase_if(out_.groups, [](const SlurmGroup& g) { return g.names.empty(); });
    if (out_.groups.empty()) out_.error = "no NodeName line names nodes";
    return !out_.groups.empty();
  }

  void name_groups() {
    std::set<std::string> taken = {"default", "all", "controllers"};
    for (const SlurmEntry& p : c_.partitions) taken.insert(to_lower(p.names));
    std::set<const SlurmEntry*> used;
    for (SlurmGroup& g : out_.groups)
      for (const std::size_t p : g.in_partitions)
        if (const SlurmEntry& entry = c_.partitions[p]; !g.partition && can_name_in_spec(entry.names) &&
                                                        sizes_[p] == static_cast<std::int64_t>(g.names.size()) &&
                                                        used.insert(&entry).second) {
          g.partition = &entry;
          g.name = entry.names;
        }
    for (SlurmGroup& g : out_.groups) {
      if (g.partition) continue;
      const std::string& first = g.names.front();
      std::string stem = first.substr(0, first.find_first_of("0123456789."));
      while (!stem.empty() && (stem.back() == '-' || stem.back() == '_')) stem.pop_back();
      if (!can_name_in_spec(stem)) stem = "nodes";
      g.name = stem;
      for (std::size_t n = 2; !taken.insert(to_lower(g.name)).second; ++n) g.name = format("{}-{}", stem, n);
    }
    const auto is_default = [](const SlurmGroup& g) {
      const SlurmSetting* s = g.partition ? g.partition->find("default") : nullptr;
      return s && to_lower(s->value) == "yes";
    };
    std::ranges::stable_partition(out_.groups, is_default);  // the first group is the default partition
    for (std::size_t p = 0; p < c_.partitions.size(); ++p) {
      if (p < kMostPartitions) out_.partitions.push_back({&c_.partitions[p], p, sizes_[p]});
      if (!used.contains(&c_.partitions[p])) out_.other_partitions.push_back(&c_.partitions[p]);
    }
  }

  void read_controllers() {
    for (const std::string_view key : {"slurmctldhost", "controlmachine", "backupcontroller"})
      for (const SlurmRecord& r : c_.text.records)
        if (r.settings.front().first == key)
          add_hosts(r.settings.front().second.value, out_.controllers, out_.addresses);
    std::unordered_set<std::string_view> nodes;
    for (const SlurmGroup& g : out_.groups) nodes.insert(g.names.begin(), g.names.end());
    for (const std::string& host : out_.controllers)
      if (!nodes.contains(host)) out_.outside.push_back(host);
  }

  const SlurmCluster& c_;
  std::vector<std::vector<std::size_t>> partitions_of_;  // by line
  std::vector<std::int64_t> sizes_;                      // nodes of each partition
  SlurmGroups out_;
};

}  // namespace

bool can_name_in_spec(std::string_view name) {
  if (name.empty() || name.size() > 40) return false;
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
      return false;
  return name.front() != '-' && name.front() != '_';
}

bool slurm_group_reads(std::string_view key) {
  for (const std::string_view read :
       {"nodename", "cpus", "procs", "boards", "sockets", "socketsperboard", "corespersocket", "threadspercore", "gres",
        "state", "realmemory", "weight", "feature", "features"})
    if (key == read) return true;
  return false;
}

SlurmGroups slurm_groups(const SlurmCluster& c) { return Grouper(c).group(); }

}  // namespace clusterc
