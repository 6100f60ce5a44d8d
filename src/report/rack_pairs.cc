#include "report/rack_pairs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "report/link_rows.h"

namespace clusterc {
namespace {

struct Tail {
  std::int64_t cage = 0;             // of the head
  std::uint64_t racks = 0;
  bool operator==(const Tail&) const = default;
};
struct TailHash {
  std::size_t operator()(const Tail& t) const { return static_cast<std::size_t>((static_cast<std::uint64_t>(t.cage) * 0x9e3779b97f4a7c15U) ^ (t.racks * 0xc2b2ae3d27d4eb4fU)); }
};

}  // namespace

std::vector<RackPair> rack_pairs(const Cluster& cluster, const Plan& plan) {
  std::unordered_map<std::uint64_t, RackPair> pairs;
  std::unordered_set<Tail, TailHash> tails;
  LinkRows rows(cluster, plan);
  rows.each([&](const LinkRow& r) {
    const PluggedLink& l = *r.link;
    if (l.near_at.rack < 0 || l.far_at.rack < 0) return true;
    const auto a = static_cast<std::uint64_t>(std::min(l.near_at.rack, l.far_at.rack)), b = static_cast<std::uint64_t>(std::max(l.near_at.rack, l.far_at.rack));
    // The tails of a splitter may go to several racks: it lies on the way to each of them, once.
    if (r.run.shared && !tails.insert({r.run.head_is_far ? l.far_cage : l.near_cage, a << 32 | b}).second) return true;
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
