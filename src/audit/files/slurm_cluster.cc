#include "audit/files/slurm_cluster.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostGres = 1 << 16;  // of one entry: more is a mistake, and sums stay exact

// Keys that begin a line whose other keys belong to it.
bool begins_entry(std::string_view key) {
  for (const std::string_view own : {"nodename", "partitionname", "nodeset", "downnodes", "frontendname"})
    if (key == own) return true;
  return false;
}

// "8", "2K"; nullopt: no number.
std::optional<std::int64_t> gres_count(std::string_view word) {
  std::int64_t unit = 1;
  if (!word.empty())
    if (const std::size_t power = std::string_view("kmgtp").find(static_cast<char>(word.back() | 0x20)); power < 5) {
      for (std::size_t i = 0; i <= power; ++i) unit *= 1024;
      word.remove_suffix(1);
    }
  const auto number = parse_uint(word);
  if (!number) return std::nullopt;
  return *number > static_cast<std::uint64_t>(kMostGres / unit) ? kMostGres : static_cast<std::int64_t>(*number) * unit;
}

// A later DEFAULT line changes what it names; the rest of the earlier ones holds on (slurm.conf(5)).
void add_defaults(std::shared_ptr<const SlurmDefaults>& defaults, const SlurmRecord& record) {
  auto next = defaults ? std::make_shared<SlurmDefaults>(*defaults) : std::make_shared<SlurmDefaults>();
  for (std::size_t i = 1; i < record.settings.size(); ++i)
    next->insert_or_assign(record.settings[i].first, record.settings[i].second);
  defaults = std::move(next);
}

}  // namespace

const SlurmSetting* SlurmEntry::find(std::string_view key) const {
  if (const SlurmSetting* own = record->find(key)) return own;
  if (!defaults) return nullptr;
  const auto found = defaults->find(key);
  return found == defaults->end() ? nullptr : &found->second;
}

std::vector<SlurmGres> gpus_of_gres(std::string_view gres) {
  std::vector<SlurmGres> out;
  int depth = 0;
  std::size_t begin = 0;
  const auto entry = [&](std::string_view text) {
    text = trim(text.substr(0, text.find('(')));
    std::vector<std::string_view> parts = split(text, ':');
    if (parts.empty() || to_lower(parts[0]) != "gpu") return;
    SlurmGres g;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (const auto count = gres_count(parts[i]); count && i + 1 == parts.size())
        g.count = *count;
      else if (to_lower(parts[i]) != "no_consume")
        g.type = parts[i];
    }
    out.push_back(std::move(g));
  };
  for (std::size_t i = 0; i <= gres.size(); ++i) {
    if (i == gres.size() || (gres[i] == ',' && depth == 0)) {
      entry(gres.substr(begin, i - begin));
      begin = i + 1;
    } else if (gres[i] == '(') {
      ++depth;
    } else if (gres[i] == ')' && depth > 0) {
      --depth;
    }
  }
  return out;
}

std::vector<std::string_view> host_list_terms(std::string_view list) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      if (const std::string_view term = trim(list.substr(begin, i - begin)); !term.empty()) out.push_back(term);
      begin = i + 1;
    } else if (list[i] == '[') {
      ++depth;
    } else if (list[i] == ']' && depth > 0) {
      --depth;
    }
  }
  return out;
}

std::optional<std::vector<std::string>> host_list_names(std::string_view list, std::int64_t& left) {
  std::vector<std::string> out;
  for (const std::string_view term : host_list_terms(list)) {
    HostPattern::Error error;
    if (left <= 0) return std::nullopt;
    const auto pattern = HostPattern::parse(term, error);
    left -= pattern ? pattern->count() : 1;
    if (!pattern || left < 0) return std::nullopt;
    for (std::int64_t i = 0; i < pattern->count(); ++i) out.push_back(pattern->name(i));
  }
  return out;
}

SlurmCluster slurm_cluster(SlurmText text) {
  SlurmCluster out;
  out.text = std::move(text);
  std::shared_ptr<const SlurmDefaults> of_nodes, of_partitions;
  std::int64_t left = kMostSlurmNames;
  for (const SlurmRecord& record : out.text.records) {
    const auto& [key, first] = record.settings.front();
    if (!begins_entry(key)) {
      for (const auto& [name, setting] : record.settings) out.settings.insert_or_assign(name, setting);
      continue;
    }
    const bool defaults = to_lower(first.value) == "default";
    if (key == "nodename" && defaults) {
      add_defaults(of_nodes, record);
    } else if (key == "partitionname" && defaults) {
      add_defaults(of_partitions, record);
    } else if (key == "nodename") {
      SlurmNodeLine node;
      static_cast<SlurmEntry&>(node) = {&record, of_nodes, first.value};
      if (auto names = host_list_names(first.value, left)) {
        node.each = std::move(*names);
      } else {
        out.text.whole = false;
        if (!out.unread) out.unread = &record;
      }
      out.node_count += node.count();
      if (const SlurmSetting* gres = node.find("gres"))
        for (const SlurmGres& g : gpus_of_gres(gres->value)) out.gpu_count += g.count * node.count();
      out.nodes.push_back(std::move(node));
    } else if (key == "partitionname") {
      out.partitions.push_back({&record, of_partitions, first.value});
    } else if (key == "nodeset") {
      out.node_sets.push_back({&record, nullptr, first.value});
    }
  }
  return out;
}

}  // namespace clusterc
