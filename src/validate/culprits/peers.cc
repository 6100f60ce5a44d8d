#include "validate/culprits/peers.h"

#include <algorithm>
#include <cmath>

#include "validate/culprits/middle.h"

namespace clusterc {
namespace {

constexpr std::size_t kFewestPeers = 4;

}  // namespace

std::vector<PeerOutlier> slow_among_peers(std::span<const NodeValue> values, const DecodeOptions& options) {
  std::vector<double> answered, apart;
  for (const NodeValue& v : values)
    if (v.value > 0) answered.push_back(v.value);
  if (answered.size() < kFewestPeers) return {};
  const double median = middle(answered);
  for (const double v : answered) apart.push_back(std::abs(std::log(v / median)));
  const double band =
      std::min(options.at_most, std::max(options.band, options.sigmas * 1.4826 * middle(std::move(apart))));
  std::vector<PeerOutlier> out;
  for (const NodeValue& v : values)
    if (v.value < median * (1 - band)) out.push_back({v.node, v.value, median});
  return out;
}

void blame_nodes(std::vector<Found>& culprits, std::span<const PeerOutlier> outliers) {
  for (const PeerOutlier& o : outliers) {
    std::erase_if(culprits, [&](const Found& c) { return c.kind == CulpritKind::port && c.node == o.node; });
    const auto known =
        std::ranges::find_if(culprits, [&](const Found& c) { return c.kind == CulpritKind::node && c.node == o.node; });
    if (known != culprits.end()) continue;
    Found found;
    found.kind = CulpritKind::node;
    found.node = o.node;
    found.value = o.value;
    found.peers = o.peers;
    found.dead = o.value <= 0;
    culprits.push_back(std::move(found));
  }
}

}  // namespace clusterc
