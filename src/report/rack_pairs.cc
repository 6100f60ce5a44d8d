#include "report/rack_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "spec/cabling.h"

namespace clusterc {
namespace {

// The same for both directions; racks that are not planned are a rack of their own.
std::uint64_t racks_of(const PluggedLink& l) {
  const auto a = static_cast<std::uint32_t>(l.near_at.rack), b = static_cast<std::uint32_t>(l.far_at.rack);
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

}  // namespace

std::int64_t CablesOnce::add(const Cabling::Run& run, const PluggedLink& l) {
  if (run.shared)
    if (const Cabling::Shared cable = Cabling::shared_cable(run, l);
        !seen_.insert({cable.cage, cable.place, racks_of(l)}).second)
      return 0;
  return run.cable ? run.fibres : 1;
}

std::vector<RackPair> rack_pairs(const Cluster& cluster, const Plan& plan) {
  std::unordered_map<std::uint64_t, RackPair> pairs;
  CablesOnce once;
  RackPair* last = nullptr;  // links of one pair often follow one another
  std::uint64_t last_racks = 0;
  const auto count = [&](const PluggedLink& l) {
    if (l.near_at.rack < 0 || l.far_at.rack < 0) return true;
    const std::uint64_t racks = racks_of(l);
    const Cabling::Run run = plan.cabling().run(l);
    // The tails of a splitter may go to several racks: it lies on the way to each of them, once.
    const std::int64_t cables = once.add(run, l);
    if (cables == 0) return true;
    if (!last || racks != last_racks) last = &pairs[last_racks = racks];
    if (!run.cable) {
      last->unknown += cables;
    } else {
      const Medium m = *run.cable->part->medium;
      (m == Medium::dac || m == Medium::acc || m == Medium::twisted_pair ? last->copper : last->optical) += cables;
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
