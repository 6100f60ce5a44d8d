#include "audit/upper_tiers.h"

#include <numeric>
#include <tuple>

#include "audit/seen_units.h"
#include "base/index.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

class UpperTiers {
 public:
  UpperTiers(const SeenFabric& seen, const PlannedFabric& plan, const std::set<Index>& leaves,
             std::vector<Index>& planned, std::vector<Index>& taken)
      : seen_(seen), plan_(plan), leaves_(leaves), planned_(planned), taken_(taken) {}

  // Switches of an upper tier: those of a pod in the order of their names, where they are not called as planned.
  void spines() {
    constexpr int tier = 1;
    std::map<Index, std::vector<Index>> planned_of;  // by pod
    for (std::size_t d = 0; d < plan_.devices.size(); ++d)
      if (plan_.devices[d].tier == tier && taken_[d] < 0)
        planned_of[plan_.devices[d].pod].push_back(static_cast<Index>(d));
    std::map<Index, std::map<Index, std::int64_t>> pods;  // seen switch -> pod -> links
    std::map<Index, Index> pod_above;                     // planned switch -> the pod of what it is plugged into
    for (const PlannedCable& c : plan_.cables)
      if (plan_.devices[at(c.far)].tier == tier) pod_above.try_emplace(c.near, plan_.devices[at(c.far)].pod);
    for (const SeenLink& l : seen_.links)
      for (const auto& [low, high] : {std::pair(l.a, l.b), std::pair(l.b, l.a)}) {
        const Index planned = planned_[at(low)];
        if (planned < 0 || plan_.devices[at(planned)].tier != tier - 1 || !seen_.devices[at(high)].is_switch ||
            planned_[at(high)] >= 0 || leaves_.contains(high))
          continue;
        if (const auto above = pod_above.find(planned); above != pod_above.end()) ++pods[high][above->second];
      }
    std::map<Index, std::vector<Index>> seen_of;
    for (const auto& [sw, count] : pods)
      seen_of[std::max_element(count.begin(), count.end(), [](auto& a, auto& b) { return a.second < b.second; })->first]
          .push_back(sw);
    for (auto& [pod, switches] : seen_of) {
      std::stable_sort(switches.begin(), switches.end(), [&](Index a, Index b) {
        return natural_less(seen_.devices[at(a)].name, seen_.devices[at(b)].name);
      });
      const auto& free = planned_of[pod];
      for (std::size_t i = 0; i < switches.size() && i < free.size(); ++i) bind(switches[i], free[i]);
    }
  }

  // Cores that have spines in common are a group, with one spine or several of each pod. Groups are taken for each
  // other by what is called as planned, else in the order of their names; within a group, cores are alike.
  void spines_and_cores() {
    std::map<Index, std::map<Index, std::int64_t>> pods;          // seen spine -> pod -> links to its leaves
    std::map<Index, std::pair<std::int64_t, std::int64_t>> down;  // seen switch -> links to leaves, of all
    std::map<Index, Index> pod_above;
    for (const PlannedCable& c : plan_.cables)
      if (plan_.devices[at(c.far)].tier == 1) pod_above.try_emplace(c.near, plan_.devices[at(c.far)].pod);
    for (const SeenLink& l : seen_.links)
      for (const auto& [low, high] : {std::pair(l.a, l.b), std::pair(l.b, l.a)}) {
        if (!seen_.devices[at(high)].is_switch || !seen_.devices[at(low)].is_switch || leaves_.contains(high)) continue;
        ++down[high].second;
        if (!leaves_.contains(low)) continue;
        ++down[high].first;
        const Index leaf = planned_[at(low)];
        if (const auto above = pod_above.find(leaf); above != pod_above.end()) ++pods[high][above->second];
      }
    // A core that one leaf is plugged into by mistake is no spine.
    std::set<Index> spines;
    for (const auto& [sw, links] : down)
      if (3 * links.first >= links.second && (links.first > 1 || links.second == 1)) spines.insert(sw);
    std::map<Index, std::set<Index>> cores_of;  // seen spine -> cores
    std::set<Index> cores;
    for (const SeenLink& l : seen_.links)
      for (const auto& [low, high] : {std::pair(l.a, l.b), std::pair(l.b, l.a)})
        if (spines.contains(low) && seen_.devices[at(high)].is_switch && !spines.contains(high) &&
            !leaves_.contains(high))
          cores_of[low].insert(high), cores.insert(high);
    std::map<Index, std::vector<Index>> planned_cores;  // by group
    std::map<Index, Index> group_above;                 // planned spine -> its group
    for (std::size_t d = 0; d < plan_.devices.size(); ++d)
      if (plan_.devices[d].tier == 2) planned_cores[plan_.devices[d].pod].push_back(static_cast<Index>(d));
    for (const PlannedCable& c : plan_.cables)
      if (plan_.devices[at(c.far)].tier == 2) group_above.try_emplace(c.near, plan_.devices[at(c.far)].pod);
    std::size_t largest = 1;
    for (const auto& [group, all] : planned_cores) largest = std::max(largest, all.size());
    std::vector<std::set<Index>> sets;
    for (const auto& [spine, all] : cores_of) sets.push_back(all);
    const std::vector<std::vector<Index>> groups = leaf_units(sets, largest);
    std::map<Index, std::size_t> group_of;  // seen core
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const Index core : groups[g]) group_of[core] = g;
    std::map<Index, std::size_t> spine_group;  // seen spine: that of most of its links
    {
      std::map<Index, std::map<std::size_t, std::int64_t>> votes;
      for (const SeenLink& l : seen_.links)
        for (const auto& [low, high] : {std::pair(l.a, l.b), std::pair(l.b, l.a)})
          if (spines.contains(low) && group_of.contains(high)) ++votes[low][group_of[high]];
      for (const auto& [spine, of] : votes)
        spine_group[spine] =
            std::max_element(of.begin(), of.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
    }
    // Planned group -> seen one.
    std::vector<std::tuple<std::int64_t, Index, std::size_t>> order;
    std::map<std::pair<Index, std::size_t>, std::int64_t> votes;
    for (const auto& [core, g] : group_of)
      if (const Index p = planned_[at(core)]; p >= 0 && plan_.devices[at(p)].tier == 2)
        ++votes[{plan_.devices[at(p)].pod, g}];
    for (const auto& [spine, g] : spine_group)
      if (const auto above = group_above.find(planned_[at(spine)]); above != group_above.end())
        ++votes[{above->second, g}];
    for (const auto& [pair, n] : votes) order.emplace_back(-n, pair.first, pair.second);
    std::vector<std::size_t> by_name(groups.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    const auto first = [&](std::size_t g) {
      std::string out;
      for (const Index core : groups[g])
        if (const std::string& name = seen_.devices[at(core)].name; out.empty() || natural_less(name, out)) out = name;
      return out;
    };
    std::stable_sort(by_name.begin(), by_name.end(), [&](std::size_t a, std::size_t b) {
      return groups[a].size() != groups[b].size() ? groups[a].size() > groups[b].size()
                                                  : natural_less(first(a), first(b));
    });
    std::sort(order.begin(), order.end());
    std::map<Index, std::size_t> taken;
    std::set<std::size_t> used;
    for (const auto& [n, planned, g] : order)
      if (!used.contains(g) && taken.try_emplace(planned, g).second) used.insert(g);
    std::vector<std::size_t> left;
    for (const std::size_t g : by_name)
      if (!used.contains(g)) left.push_back(g);
    std::size_t next = 0;
    for (const auto& [group, all] : planned_cores)
      if (!taken.contains(group) && next < left.size()) taken[group] = left[next++];
    for (const auto& [group, g] : taken) {
      bind_in_order(groups[g], planned_cores[group]);
      std::map<Index, std::vector<Index>> seen_spines, planned_spines;  // by pod
      for (const auto& [spine, of] : spine_group)
        if (of == g && pods.contains(spine)) seen_spines[most_common(pods[spine])].push_back(spine);
      for (const auto& [spine, above] : group_above)
        if (above == group) planned_spines[plan_.devices[at(spine)].pod].push_back(spine);
      for (auto& [pod, switches] : seen_spines) bind_in_order(switches, planned_spines[pod]);
    }
    // What is left over: a spine without cores, a core without spines.
    std::map<Index, std::vector<Index>> seen_spines, planned_spines;
    for (const auto& [spine, of] : pods)
      if (spines.contains(spine)) seen_spines[most_common(of)].push_back(spine);
    for (std::size_t d = 0; d < plan_.devices.size(); ++d)
      if (plan_.devices[d].tier == 1) planned_spines[plan_.devices[d].pod].push_back(static_cast<Index>(d));
    for (auto& [pod, switches] : seen_spines) bind_in_order(switches, planned_spines[pod]);
  }

 private:
  bool bind(Index seen, Index planned) {
    if (planned_[at(seen)] >= 0 || taken_[at(planned)] >= 0) return false;
    planned_[at(seen)] = planned;
    taken_[at(planned)] = seen;
    return true;
  }
  void bind_in_order(std::vector<Index> seen, const std::vector<Index>& planned) {
    std::erase_if(seen, [&](Index s) { return planned_[at(s)] >= 0; });
    std::stable_sort(seen.begin(), seen.end(), [&](Index a, Index b) {
      return natural_less(seen_.devices[at(a)].name, seen_.devices[at(b)].name);
    });
    std::size_t next = 0;
    for (const Index p : planned)
      if (taken_[at(p)] < 0 && next < seen.size()) bind(seen[next++], p);
  }

  const SeenFabric& seen_;
  const PlannedFabric& plan_;
  const std::set<Index>& leaves_;  // seen ones
  std::vector<Index>&planned_, &taken_;
};

}  // namespace

void match_upper_tiers(const SeenFabric& seen, const PlannedFabric& plan, const std::set<Index>& leaves, int tiers,
                       std::vector<Index>& planned, std::vector<Index>& taken) {
  UpperTiers upper(seen, plan, leaves, planned, taken);
  if (tiers > 2)
    upper.spines_and_cores();
  else if (tiers > 1)
    upper.spines();
}

}  // namespace clusterc
