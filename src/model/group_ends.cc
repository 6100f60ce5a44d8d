#include "model/group_ends.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "spec/nodes.h"

namespace clusterc {

const std::vector<GroupEnd>& ends_of_group(const Cluster& c, int group) {
  static const std::vector<GroupEnd> none;
  const auto& all = c.memo.get("ends of groups", [&] {
    std::vector<std::vector<GroupEnd>> ends(c.nodes.size());
    for (std::size_t n = 0; n < c.networks.size(); ++n)
      for (std::size_t e = 0; e < c.networks[n].ends.size(); ++e)
        if (const int g = c.networks[n].ends[e].group; g >= 0)
          ends[static_cast<std::size_t>(g)].push_back({static_cast<int>(n), static_cast<int>(e)});
    return ends;
  });
  return group < 0 ? none : all[static_cast<std::size_t>(group)];
}

const std::vector<GroupEnd>& ends_of_storage(const Cluster& c, int storage) {
  const auto& all = c.memo.get("ends of storage", [&] {
    std::vector<std::vector<GroupEnd>> ends(c.storage.size());
    for (std::size_t n = 0; n < c.networks.size(); ++n)
      for (std::size_t e = 0; e < c.networks[n].ends.size(); ++e)
        if (const int s = c.networks[n].ends[e].storage; s >= 0)
          ends[static_cast<std::size_t>(s)].push_back({static_cast<int>(n), static_cast<int>(e)});
    return ends;
  });
  return all[static_cast<std::size_t>(storage)];
}

const std::vector<int>& groups_with(const Cluster& c, Role role) {
  static const std::vector<int> none;
  const auto& all = c.memo.get("groups with roles", [&] {
    std::map<Role, std::vector<int>> groups;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      for (const Value<Role>& r : c.nodes[g].spec->roles) {
        std::vector<int>& with = groups[r.value.value_or(Role::compute)];
        if (r.value && (with.empty() || with.back() != static_cast<int>(g))) with.push_back(static_cast<int>(g));
      }
    return groups;
  });
  const auto found = all.find(role);
  return found == all.end() ? none : found->second;
}

namespace {

// What all names of a pattern begin with: the text before its first bracket; nothing where it is a list of patterns.
std::string_view common_begin(std::string_view pattern) {
  bool inside = false;
  for (const char c : pattern) {
    if (c == ',' && !inside) return {};
    inside = c == '[' || (inside && c != ']');
  }
  return pattern.substr(0, pattern.find('['));
}

}  // namespace

std::vector<int> groups_of_host(const Cluster& c, std::string_view name) {
  const auto& begins = c.memo.get("groups by the begin of their names", [&] {
    std::unordered_map<std::string_view, std::vector<int>> groups;
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      groups[common_begin(c.nodes[g].names.text())].push_back(static_cast<int>(g));
    return groups;
  });
  std::vector<int> found;
  for (std::size_t length = 0; length <= name.size(); ++length)
    if (const auto at = begins.find(name.substr(0, length)); at != begins.end())
      for (const int g : at->second)
        if (c.nodes[static_cast<std::size_t>(g)].names.index_of(name) >= 0) found.push_back(g);
  std::sort(found.begin(), found.end());
  return found;
}

int group_of_host(const Cluster& c, std::string_view name) {
  const std::vector<int> groups = groups_of_host(c, name);
  return groups.empty() ? -1 : groups.front();
}

}  // namespace clusterc
