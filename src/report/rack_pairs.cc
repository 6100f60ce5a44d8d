#include "report/rack_pairs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plan/fabric/cabling.h"
#include "spec/cabling.h"

namespace clusterc {
namespace {

struct Tail {
  std::int64_t cage = 0;  // of the head
  unsigned place = 0;     // among that cage's cables
  std::uint64_t racks = 0;
  bool operator==(const Tail&) const = default;
};
struct TailHash {
  std::size_t operator()(const Tail& t) const {
    return static_cast<std::size_t>(((static_cast<std::uint64_t>(t.cage) * 8 + t.place) * 0x9e3779b97f4a7c15U) ^
                                    (t.racks * 0xc2b2ae3d27d4eb4fU));
  }
};

}  // namespace

std::vector<RackPair> rack_pairs(const Cluster& cluster, const Plan& plan) {
  std::unordered_map<std::uint64_t, RackPair> pairs;
  std::unordered_set<Tail, TailHash> tails;
  RackPair* last = nullptr;  // links of one pair often follow one another
  std::uint64_t last_racks = 0;
  const auto count = [&](const PluggedLink& l) {
    if (l.near_at.rack < 0 || l.far_at.rack < 0) return true;
    const auto a = static_cast<std::uint64_t>(std::min(l.near_at.rack, l.far_at.rack)),
               b = static_cast<std::uint64_t>(std::max(l.near_at.rack, l.far_at.rack));
    const std::uint64_t racks = a << 32 | b;
    const Cabling::Run run = plan.cabling().run(l);
    // The tails of a splitter may go to several racks: it lies on the way to each of them, once.
    if (run.shared)
      if (const Cabling::Shared cable = Cabling::shared_cable(run, l);
          !tails.insert({cable.cage, cable.place, racks}).second)
        return true;
    if (!last || racks != last_racks) last = &pairs[last_racks = racks];
    if (!run.cable) {
      ++last->unknown;
    } else {
      const Medium m = *run.cable->part->medium;
      (m == Medium::dac || m == Medium::acc || m == Medium::twisted_pair ? last->copper : last->optical) += run.fibres;
    }
    last->longest = std::max(last->longest, Meters(l.length));
    return true;
  };
  const Links links(plan);
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) links.each(static_cast<int>(f), count);
  const std::int64_t most = cluster.spec.cabling->bundle.value_or(24);  // the default of the field
  std::vector<RackPair> out;
  out.reserve(pairs.size());
  for (auto& [key, p] : pairs) {
    p.from = static_cast<std::int64_t>(key >> 32);
    p.to = static_cast<std::int64_t>(key & 0xffffffffU);
    p.bundles = p.from == p.to ? 0 : (p.cables() + most - 1) / most;
    out.push_back(p);
  }
  std::sort(out.begin(), out.end(),
            [](const RackPair& a, const RackPair& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return out;
}

}  // namespace clusterc
