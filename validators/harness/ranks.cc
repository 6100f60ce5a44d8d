#include "harness/ranks.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"

namespace clusterc::harness {

std::vector<GpuChoice> share_gpus(std::span<const std::vector<std::string>> visible) {
  std::vector<std::size_t> order(visible.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return visible[a].size() < visible[b].size(); });
  std::map<std::string, int> taken;
  std::vector<GpuChoice> out(visible.size());
  for (const std::size_t rank : order) {
    const std::vector<std::string>& mine = visible[rank];
    const auto fewest = std::min_element(
        mine.begin(), mine.end(), [&](const std::string& a, const std::string& b) { return taken[a] < taken[b]; });
    out[rank].gpu = static_cast<int>(fewest - mine.begin());
    ++taken[*fewest];
  }
  for (std::size_t rank = 0; rank < out.size(); ++rank)
    out[rank].ranks = taken[visible[rank][static_cast<std::size_t>(out[rank].gpu)]];
  return out;
}

std::string ranks_behind(std::span<const RankPlace> places) {
  if (places.empty()) return {};
  const auto by_beats = [](const RankPlace& a, const RankPlace& b) { return a.beats < b.beats; };
  const auto [least, most] = std::minmax_element(places.begin(), places.end(), by_beats);
  if (least->beats == most->beats) return {};
  constexpr int kFew = 8;
  std::string ranks;
  int count = 0;
  for (const RankPlace& place : places) {
    if (place.beats != least->beats || ++count > kFew) continue;
    ranks += format("{}{}", ranks.empty() ? "" : ", ", place.rank);
  }
  if (count > kFew) ranks += format(" and {} more", count - kFew);
  return format("{} {} {} behind: {}", count == 1 ? "rank" : "ranks", ranks, count == 1 ? "is" : "are", least->doing);
}

}  // namespace clusterc::harness
