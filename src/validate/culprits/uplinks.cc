#include "validate/culprits/uplinks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/index.h"
#include "validate/culprits/middle.h"

namespace clusterc {
namespace {

constexpr std::size_t kFewestValues = 8, kFewestLeaves = 8;
constexpr double kSigmas = 6, kSigmasOfHalf = 3.5, kLeast = 0.002;

// How far the median of each leaf lies below those of all, in robust standard deviations of theirs; and by how much.
struct Below {
  std::vector<double> sigmas, share, median;  // by leaf; 0: too few values
};

Below below(const std::vector<std::vector<double>>& of_leaf) {
  Below out;
  out.sigmas.assign(of_leaf.size(), 0);
  out.share = out.median = out.sigmas;
  std::vector<double> medians, apart;
  for (std::size_t leaf = 0; leaf < of_leaf.size(); ++leaf)
    if (of_leaf[leaf].size() >= kFewestValues) medians.push_back(out.median[leaf] = middle(of_leaf[leaf]));
  if (medians.size() < kFewestLeaves) return out;
  const double all = middle(medians);
  for (const double m : medians) apart.push_back(std::abs(m - all));
  const double sigma = std::max(1e-6, 1.4826 * middle(apart));
  for (std::size_t leaf = 0; leaf < of_leaf.size(); ++leaf)
    if (out.median[leaf] > 0) {
      out.share[leaf] = 1 - out.median[leaf] / all;
      out.sigmas[leaf] = (all - out.median[leaf]) / sigma;
    }
  return out;
}

}  // namespace

std::vector<Found> slow_uplinks(const PairFabric& f, std::span<const PairValue> values, std::span<const double> ratio,
                                const std::vector<bool>& suspect) {
  std::vector<Found> out;
  if (f.uplinks.empty()) return out;
  std::set<std::int32_t> rounds;
  for (const PairValue& v : values)
    if (f.hops(v.path) > 0) rounds.insert(v.round);
  if (rounds.size() < 2) return out;
  const std::int32_t second_half = *std::next(rounds.begin(), static_cast<std::ptrdiff_t>(rounds.size() / 2));
  std::vector<std::vector<double>> all(f.uplinks.size()), half[2] = {all, all};
  std::vector<std::vector<PairValue>> seen(f.uplinks.size());
  const auto part = [&](std::int32_t node, std::int32_t rail) { return 2 * (at(node) * at(f.rails) + at(rail)); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PairPath& p = values[i].path;
    if (f.hops(p) == 0 || values[i].value <= 0 || suspect[part(p.from, p.rail)] || suspect[part(p.to, p.rail) + 1])
      continue;
    for (const std::int32_t leaf : {f.leaf_of(p.from, p.rail), f.leaf_of(p.to, p.rail)}) {
      if (leaf < 0) continue;
      all[at(leaf)].push_back(ratio[i]);
      half[values[i].round >= second_half][at(leaf)].push_back(ratio[i]);
      if (seen[at(leaf)].size() < 8) seen[at(leaf)].push_back(values[i]);
    }
  }
  const Below whole = below(all), first = below(half[0]), second = below(half[1]);
  for (std::size_t leaf = 0; leaf < all.size(); ++leaf) {
    if (whole.sigmas[leaf] < kSigmas || whole.share[leaf] < kLeast) continue;
    if (first.sigmas[leaf] < kSigmasOfHalf || second.sigmas[leaf] < kSigmasOfHalf) continue;
    Found found;
    found.kind = CulpritKind::uplinks;
    found.leaf = static_cast<std::int32_t>(leaf);
    found.value = 1 - whole.share[leaf];
    found.partners = static_cast<std::int32_t>(all[leaf].size() / 2);
    // One-sided tail of the normal distribution, for every leaf.
    found.confidence = std::clamp(
        1 - static_cast<double>(all.size()) * 0.5 * std::erfc(whole.sigmas[leaf] / std::sqrt(2.0)), 0.0, 0.9999);
    found.evidence = std::move(seen[leaf]);
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace clusterc
