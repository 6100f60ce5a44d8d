#include "audit/seen_units.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/index.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

constexpr std::size_t kMostLeavesOfHost = 32;

// A switch with few adapters beside the others is no leaf where the other adapters of their hosts are on the others: a
// cable that should be in a leaf is in a core.
void drop_strays(const SeenFabric& seen, const std::vector<std::int64_t>& adapters, std::set<Index>& leaves) {
  std::vector<std::int64_t> counts;
  for (const Index l : leaves) counts.push_back(adapters[at(l)]);
  if (counts.empty()) return;
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  const auto is_small = [&](Index l) { return !leaves.contains(l) || 4 * adapters[at(l)] <= *middle; };
  std::map<Index, std::int64_t> strays;
  for (const SeenHost& h : seen_hosts(seen).named) {
    const std::int64_t large =
        std::count_if(h.ends.begin(), h.ends.end(), [&](const SeenEnd& e) { return !is_small(e.leaf); });
    if (2 * large > static_cast<std::int64_t>(h.ends.size()))
      for (const SeenEnd& e : h.ends)
        if (leaves.contains(e.leaf) && is_small(e.leaf)) ++strays[e.leaf];
  }
  for (const auto& [leaf, count] : strays)
    if (2 * count > adapters[at(leaf)]) leaves.erase(leaf);
}

}  // namespace

std::set<Index> seen_leaves(const SeenFabric& seen) {
  std::vector<std::int64_t> adapters(seen.devices.size(), 0), beside(adapters), links(adapters);
  for (const SeenLink& l : seen.links) {
    const SeenDevice& d = seen.devices[at(l.b)];
    if (seen.devices[at(l.a)].is_switch && !d.is_switch && !d.aggregation) ++adapters[at(l.a)];
  }
  for (const SeenLink& l : seen.links)
    if (seen.devices[at(l.a)].is_switch && seen.devices[at(l.b)].is_switch) {
      ++links[at(l.a)], ++links[at(l.b)];
      beside[at(l.a)] += adapters[at(l.b)], beside[at(l.b)] += adapters[at(l.a)];
    }
  std::set<Index> out;
  for (std::size_t d = 0; d < adapters.size(); ++d)
    if (adapters[d] > 0 && adapters[d] * links[d] >= beside[d]) out.insert(static_cast<Index>(d));
  drop_strays(seen, adapters, out);
  return out;
}

SeenHosts seen_hosts(const SeenFabric& seen) {
  SeenHosts out;
  std::unordered_map<std::string, Index> by_name;
  for (std::size_t l = 0; l < seen.links.size(); ++l) {
    const SeenLink& link = seen.links[l];
    const SeenDevice &sw = seen.devices[at(link.a)], &d = seen.devices[at(link.b)];
    if (!sw.is_switch || d.is_switch || d.aggregation) continue;
    if (d.name.empty()) {
      out.nameless.push_back(static_cast<Index>(l));
      continue;
    }
    const auto [found, fresh] = by_name.try_emplace(d.name, static_cast<Index>(out.named.size()));
    if (fresh) out.named.push_back({d.name, {}});
    out.named[at(found->second)].ends.push_back({d.adapter, link.b_port, static_cast<Index>(l), link.a});
  }
  std::sort(out.named.begin(), out.named.end(),
            [](const SeenHost& a, const SeenHost& b) { return natural_less(a.name, b.name); });
  for (SeenHost& h : out.named)
    std::sort(h.ends.begin(), h.ends.end(), [](const SeenEnd& a, const SeenEnd& b) { return a.key() < b.key(); });
  return out;
}

std::vector<std::vector<Index>> leaf_units(const std::vector<std::set<Index>>& leaves, std::size_t largest) {
  std::map<Index, std::int64_t> degree;
  std::map<std::pair<Index, Index>, std::int64_t> shared;
  for (const std::set<Index>& all : leaves) {
    const std::vector<Index> some(
        all.begin(), std::next(all.begin(), static_cast<std::ptrdiff_t>(std::min(all.size(), kMostLeavesOfHost))));
    for (std::size_t i = 0; i < some.size(); ++i) {
      ++degree[some[i]];
      for (std::size_t k = i + 1; k < some.size(); ++k) ++shared[{some[i], some[k]}];
    }
  }
  std::vector<std::pair<std::int64_t, std::pair<Index, Index>>> pairs;
  for (const auto& [pair, count] : shared)
    if (4 * count >= std::min(degree[pair.first], degree[pair.second])) pairs.emplace_back(-count, pair);
  std::sort(pairs.begin(), pairs.end());
  // Union-find: by leaf the unit that it is in, by unit its leaves.
  std::map<Index, std::size_t> unit_of;
  std::vector<std::vector<Index>> units;
  for (const auto& [leaf, hosts] : degree) {
    unit_of[leaf] = units.size();
    units.push_back({leaf});
  }
  for (const auto& [count, pair] : pairs) {
    std::size_t a = unit_of[pair.first], b = unit_of[pair.second];
    if (a == b || units[a].size() + units[b].size() > largest) continue;
    if (units[a].size() < units[b].size()) std::swap(a, b);
    for (const Index leaf : units[b]) unit_of[leaf] = a, units[a].push_back(leaf);
    units[b].clear();
  }
  std::erase_if(units, [](const std::vector<Index>& u) { return u.empty(); });
  for (std::vector<Index>& u : units) std::sort(u.begin(), u.end());
  return units;
}

std::vector<std::pair<std::int64_t, std::int64_t>> usual_ports(const std::vector<SeenHost>& hosts, std::size_t ports) {
  std::map<std::vector<std::pair<std::int64_t, std::int64_t>>, int> times;
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  int most = 0;
  for (const SeenHost& h : hosts) {
    if (h.ends.size() != ports) continue;
    std::vector<std::pair<std::int64_t, std::int64_t>> keys;
    for (const SeenEnd& e : h.ends) keys.push_back(e.key());
    if (const int n = ++times[keys]; n > most) most = n, out = keys;
  }
  return out;
}

}  // namespace clusterc
