#include "validate/peers.h"

#include <cmath>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/statistics.h"
#include "targets/metrics.h"

namespace clusterc {
namespace {

bool is_peer(const Judged& j) {
  return j.value && *j.value > 0 && j.data_verified && !j.busy && !j.page_cache && j.device != kAllTogether &&
         j.verdict != Verdict::error && j.verdict != Verdict::skipped;
}

// Behind a comma stands how a figure was measured ("in place"), which is not the same for all.
std::string_view placement(std::string_view device) {
  const auto comma = device.find(", ");
  return comma == std::string_view::npos ? std::string_view() : device.substr(comma);
}

struct Candidate {
  std::size_t index;  // of the verdict
  AmongPeers among;
};

// How far each is on its worse side. In logarithms: a rate half as large is as far off as a time twice as long.
void add_candidates(const std::vector<Judged>& all, const std::vector<std::size_t>& peers,
                    std::vector<Candidate>& out) {
  if (peers.size() < kFewestPeers) return;
  std::vector<double> logs;
  logs.reserve(peers.size());
  for (const std::size_t i : peers) logs.push_back(std::log(*all[i].value));
  const RobustCentre centre = robust_centre(logs);
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const double worse = all[peers[k]].lower_is_better ? logs[k] - centre.median : centre.median - logs[k];
    double probability = 0.5;
    if (worse > 0) probability = centre.sigma > 0 ? robust_tail(worse / centre.sigma, peers.size()) : 0;
    out.push_back({peers[k], {peers.size() - 1, std::exp(centre.median), probability}});
  }
}

void name(Judged& judged, const AmongPeers& among) {
  const double off = judged.lower_is_better ? *judged.value / among.median - 1 : 1 - *judged.value / among.median;
  if (off <= kPeerGap) return;
  judged.among_peers = among;
  if (judged.verdict != Verdict::pass && judged.verdict != Verdict::unjudged) return;
  judged.verdict = Verdict::degraded;
  judged.reason = format(
      "measured {}, {:.1f} % {} the median {} of its {} peers", to_text(*judged.value, judged.dimension), off * 100,
      judged.lower_is_better ? "above" : "below", to_text(among.median, judged.dimension), among.peers);
}

}  // namespace

void judge_among_peers(std::vector<Judged>& verdicts, const HardwareOf& hardware_of) {
  using Key = std::tuple<int, std::string_view, std::string_view, std::int64_t, std::string_view>;
  std::map<Key, std::vector<std::size_t>> populations;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Judged& j = verdicts[i];
    const Metric* metric = find_metric(j.metric);
    const bool speed = metric && metric->judged == JudgedBy::target;
    if (speed && is_peer(j))
      populations[{hardware_of ? hardware_of(j) : 0, j.test, j.metric, j.size, placement(j.device)}].push_back(i);
  }
  std::vector<Candidate> candidates;
  for (const auto& [key, peers] : populations) add_candidates(verdicts, peers, candidates);
  std::vector<double> probabilities;
  probabilities.reserve(candidates.size());
  for (const Candidate& c : candidates) probabilities.push_back(c.among.probability);
  const std::vector<bool> named = rejected_at(probabilities, kFalseDiscoveries);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (named[i]) name(verdicts[candidates[i].index], candidates[i].among);
}

}  // namespace clusterc
