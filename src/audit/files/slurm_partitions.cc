#include "audit/files/slurm_partitions.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "audit/files/slurm_values.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestSetting = 4096;
constexpr std::uint64_t kMostPriority = 65533;

// A value that a setting in `extra` can have: one word.
bool is_word(std::string_view text) {
  return text.size() <= kLongestSetting &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127 && c != '"' && c != '\'' && c != '#'; });
}

bool read_nodes(const SlurmGroups& all, const SlurmPartitionNodes& p, SlurmPartitionSpec& out) {
  std::int64_t have = 0;
  for (const SlurmGroup& g : all.groups)
    if (std::ranges::find(g.in_partitions, p.number) != g.in_partitions.end()) {
      out.groups.push_back(g.name);
      have += static_cast<std::int64_t>(g.names.size());
    }
  if (have > 0 && have == p.size) return true;
  out.groups.clear();
  const SlurmSetting* list = p.entry->find("nodes");
  std::int64_t left = kMostSlurmNames;
  const auto names = list ? host_list_names(list->value, left) : std::nullopt;
  if (!names || names->empty()) return false;
  std::unordered_set<std::string_view> known;
  for (const SlurmGroup& g : all.groups) known.insert(g.names.begin(), g.names.end());
  if (!std::ranges::all_of(*names, [&](const std::string& n) { return known.contains(n); })) return false;
  out.nodes = fold_names(*names);
  return out.nodes.size() <= kLongestSetting;
}

// Whether the entry holds the setting.
bool take(SlurmPartitionSpec& out, std::string_view key, const std::string& value, const std::string& written) {
  const std::string low = to_lower(value);
  const auto number = [&](std::optional<std::int64_t>& into) {
    const auto n = parse_uint(value);
    if (!n || *n > kMostPriority) return false;
    into = static_cast<std::int64_t>(*n);
    return true;
  };
  const auto time = [&](std::optional<std::int64_t>& into) {
    into = slurm_minutes(value);
    if (into && *into > 0) return true;
    into.reset();
    return low == "infinite" || low == "unlimited";
  };
  if (key == "default") {
    out.standard = low == "yes";
    return true;
  }
  if (key == "state" && low == "up") return true;
  if (key == "maxtime") return time(out.minutes);
  out.says_more = true;
  if (key == "defaulttime") return time(out.default_minutes);
  if (key == "prioritytier") return number(out.tier);
  if (key == "priorityjobfactor") return number(out.priority);
  if (key == "oversubscribe" && low == "exclusive") return out.exclusive = true;
  // clusterc writes the topologies, which follow from networks and NVLink domains, under names of its own.
  if (key == "topology") return false;
  if (key == "tresbillingweights" || !is_word(value) || !is_word(written)) return false;
  if (key == "qos")
    out.qos = value;
  else
    out.extra.push_back(written);
  return true;
}

}  // namespace

std::optional<SlurmPartitionSpec> slurm_partition_spec(const SlurmGroups& all, const SlurmPartitionNodes& p,
                                                       const SlurmAsWritten& as_written) {
  SlurmPartitionSpec out;
  out.name = p.entry->names;
  if (!can_name_in_spec(out.name) || to_lower(out.name) == "default" || !read_nodes(all, p, out)) return std::nullopt;
  std::map<std::string_view, const SlurmSetting*> settings;
  if (p.entry->defaults)
    for (const auto& [key, setting] : *p.entry->defaults) settings[key] = &setting;
  for (const auto& [key, setting] : p.entry->record->settings) settings[key] = &setting;  // of two the last
  for (const auto& [key, setting] : settings) {
    if (key == "partitionname" || key == "nodes") continue;
    const std::string written = as_written(*setting, key);
    if (!take(out, key, setting->value, written)) out.lost.push_back(written);
  }
  return out;
}

void write_slurm_partitions(YamlWriter& yaml, const std::vector<SlurmPartitionSpec>& partitions) {
  if (partitions.empty()) return;
  yaml.map("partitions");
  for (const SlurmPartitionSpec& p : partitions) {
    yaml.map(p.name);
    if (p.nodes.empty()) {
      yaml.list("groups");
      for (const std::string& group : p.groups) yaml.value(group);
      yaml.end_list();
    } else {
      yaml.field("nodes", p.nodes);
    }
    if (p.standard) yaml.field("default", true);
    if (p.minutes) yaml.field("time", format("{} min", *p.minutes));
    if (p.default_minutes) yaml.field("default_time", format("{} min", *p.default_minutes));
    if (p.priority) yaml.field("priority", *p.priority);
    if (p.tier) yaml.field("tier", *p.tier);
    if (!p.qos.empty()) yaml.field("qos", p.qos);
    if (p.exclusive) yaml.field("exclusive", true);
    if (!p.extra.empty()) {
      yaml.list("extra");
      for (const std::string& setting : p.extra) yaml.value(setting);
      yaml.end_list();
    }
    yaml.end_map();
  }
  yaml.end_map();
}

}  // namespace clusterc
