#include "report/rack_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "report/link_rows.h"

namespace clusterc {

std::vector<RackPair> rack_pairs(const Cluster& cluster, const Plan& plan) {
  std::unordered_map<std::uint64_t, RackPair> pairs;
  LinkRows rows(cluster, plan);
  rows.each([&](const LinkRow& r) {
    const PluggedLink& l = *r.link;
    if (!r.first_of_cable || l.near_at.rack < 0 || l.far_at.rack < 0) return true;
    const auto a = static_cast<std::uint64_t>(std::min(l.near_at.rack, l.far_at.rack)), b = static_cast<std::uint64_t>(std::max(l.near_at.rack, l.far_at.rack));
    RackPair& p = pairs[a << 32 | b];
    if (!r.run.cable) {
      ++p.unknown;
    } else {
      const Medium m = *r.run.cable->part->medium;
      ++(m == Medium::dac || m == Medium::acc || m == Medium::twisted_pair ? p.copper : p.optical);
    }
    p.longest = std::max(p.longest, Meters(l.length));
    return true;
  });
  const std::int64_t most = cluster.spec.cabling.bundle.value_or(24);   // the default of the field
  std::vector<RackPair> out;
  out.reserve(pairs.size());
  for (auto& [key, p] : pairs) {
    p.from = static_cast<std::int64_t>(key >> 32);
    p.to = static_cast<std::int64_t>(key & 0xffffffffU);
    p.bundles = p.from == p.to ? 0 : (p.cables() + most - 1) / most;
    out.push_back(p);
  }
  std::sort(out.begin(), out.end(), [](const RackPair& a, const RackPair& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return out;
}

}  // namespace clusterc
