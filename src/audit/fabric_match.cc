#include "audit/fabric_match.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "audit/port_numbers.h"
#include "audit/seen_units.h"
#include "audit/union_find.h"
#include "audit/upper_tiers.h"
#include "base/index.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

// How often a seen device was found where a planned one should be.
using Votes = std::map<std::pair<Index, Index>, std::int64_t>;  // planned, seen

struct Unit {  // leaves that have hosts in common
  std::vector<Index> leaves;
  std::int64_t hosts = 0;
  std::string name;
  Index pod = -1;
};

struct Host : SeenHost {
  Index planned = -1;
  bool named = false;  // as the plan calls it
};

class Matcher {
 public:
  Matcher(const SeenFabric& seen, const PlannedFabric& plan)
      : seen_(seen), plan_(plan), planned_sets_(plan.devices.size()) {
    out_.planned.assign(seen.devices.size(), -1);
    out_.port.assign(seen.links.size(), -1);
    out_.guessed.assign(seen.devices.size(), false);
    taken_.assign(plan.devices.size(), -1);
    claimed_.assign(plan.cables.size(), false);
    read_plan();
    read_hosts();
  }

  FabricMatch match() {
    by_name();
    number_ports();
    leaves_of_known_hosts();
    leaves_by_unit();
    hosts_by_leaf();
    leaves_of_known_hosts();
    ports_of_hosts();
    nameless_adapters();
    match_upper_tiers(seen_, plan_, leaves_, tiers_, out_.planned, taken_);
    tell_names();
    return std::move(out_);
  }

 private:
  void read_plan() {
    ports_.resize(plan_.devices.size());
    for (std::size_t c = 0; c < plan_.cables.size(); ++c) {
      const PlannedCable& cable = plan_.cables[c];
      if (plan_.devices[at(cable.near)].tier < 0) {
        auto& ports = ports_[at(cable.near)];
        ports.push_back(static_cast<Index>(c));
        planned_sets_.join(plan_.cables[at(ports.front())].far, cable.far);
        of_leaf_[cable.far].push_back(static_cast<Index>(c));
      }
      tiers_ = std::max(tiers_, plan_.devices[at(cable.far)].tier + 1);
    }
    for (const auto& ports : ports_)
      if (!ports.empty()) ++sizes_[ports.size()];
    int most = 0;
    for (const auto& [size, count] : sizes_)
      if (count >= most) most = count, usual_ = size;
  }

  void read_hosts() {
    leaves_ = seen_leaves(seen_);
    SeenHosts all = seen_hosts(seen_);
    for (SeenHost& h : all.named) hosts_.push_back({std::move(h), -1, false});
    nameless_ = std::move(all.nameless);
  }

  // Those of a planned group, and all that are not called as planned.
  HostKind kind_of(const Host& h) const {
    if (h.named) {
      const std::string& object = plan_.devices[at(h.planned)].object;
      return {object.substr(0, object.rfind('/')), ports_[at(h.planned)].size()};
    }
    if (h.planned >= 0) return {{}, ports_[at(h.planned)].size()};
    return {{}, sizes_.contains(h.ends.size()) ? h.ends.size() : usual_};
  }
  void number_ports() {
    std::vector<HostToNumber> hosts;
    for (const Host& h : hosts_) {
      HostToNumber one{&h, kind_of(h), {}};
      if (h.planned >= 0)
        for (const Index cable : ports_[at(h.planned)]) one.leaves.push_back(taken_[at(plan_.cables[at(cable)].far)]);
      hosts.push_back(std::move(one));
    }
    numbers_ = PortNumbers(hosts);
    out_.numbered_otherwise = numbers_.numbered_otherwise();
  }
  Index rank(const Host& h, std::size_t end) const { return numbers_.rank(kind_of(h), h, end); }

  bool bind(Index seen, Index planned) {
    if (out_.planned[at(seen)] >= 0 || taken_[at(planned)] >= 0) return false;
    out_.planned[at(seen)] = planned;
    taken_[at(planned)] = seen;
    return true;
  }

  void by_name() {
    std::unordered_map<std::string, Index> names;
    for (std::size_t d = 0; d < plan_.devices.size(); ++d) {
      names.try_emplace(to_lower(plan_.devices[d].host), static_cast<Index>(d));
      names.try_emplace(to_lower(plan_.devices[d].object), static_cast<Index>(d));
    }
    const auto named = [&](const std::string& name, bool is_switch) -> Index {
      auto found = names.find(to_lower(name));
      if (found == names.end()) found = names.find(to_lower(name.substr(0, name.find('.'))));  // with its domain
      if (found == names.end() || (plan_.devices[at(found->second)].tier >= 0) != is_switch) return -1;
      return found->second;
    };
    for (std::size_t d = 0; d < seen_.devices.size(); ++d)
      if (seen_.devices[d].is_switch)
        if (const Index p = named(seen_.devices[d].name, true); p >= 0 && bind(static_cast<Index>(d), p))
          named_.insert(static_cast<Index>(d));
    for (Host& h : hosts_)
      if (const Index p = named(h.name, false); p >= 0 && host_of_.try_emplace(p, true).second)
        h.planned = p, h.named = true;
  }

  // The heaviest votes first; a device is bound once.
  void assign(const Votes& votes) {
    std::vector<std::tuple<std::int64_t, Index, Index>> order;
    for (const auto& [pair, weight] : votes) order.emplace_back(-weight, pair.first, pair.second);
    std::sort(order.begin(), order.end());
    for (const auto& [weight, planned, seen] : order) bind(seen, planned);
  }

  void leaves_of_known_hosts() {
    Votes votes;
    for (const Host& h : hosts_) {
      if (h.planned < 0) continue;
      for (std::size_t e = 0; e < h.ends.size(); ++e)
        if (const Index r = rank(h, e); r >= 0)
          ++votes[{plan_.cables[at(ports_[at(h.planned)][at(r)])].far, h.ends[e].leaf}];
    }
    assign(votes);
  }

  // Leaves that have hosts in common are of one unit: those first that share most, as long as no unit has more leaves
  // than planned ones have. The largest units of both sides are taken for each other.
  void leaves_by_unit() {
    std::map<Index, std::int64_t> degree;
    std::vector<std::set<Index>> leaves_of_hosts;
    for (const Host& h : hosts_) {
      if (h.planned >= 0) continue;
      std::set<Index> there;
      for (const SeenEnd& e : h.ends)
        if (leaves_.contains(e.leaf)) there.insert(e.leaf);
      for (const Index l : there) ++degree[l];
      leaves_of_hosts.push_back(std::move(there));
    }
    std::map<Index, std::size_t> planned_size;
    std::size_t largest = 1;
    for (const auto& [leaf, cables] : of_leaf_) largest = std::max(largest, ++planned_size[planned_sets_.root(leaf)]);
    std::map<Index, Index> root_of;
    for (const std::vector<Index>& leaves : leaf_units(leaves_of_hosts, largest))
      for (const Index l : leaves) root_of[l] = leaves.front();
    std::map<Index, Unit> seen_units, planned_units;
    for (const Index l : leaves_)
      if (out_.planned[at(l)] < 0 && degree.contains(l)) {
        Unit& u = seen_units[root_of[l]];
        u.leaves.push_back(l);
        if (u.name.empty() || natural_less(seen_.devices[at(l)].name, u.name)) u.name = seen_.devices[at(l)].name;
        u.hosts = std::max(u.hosts, degree[l]);
      }
    for (const auto& [leaf, cables] : of_leaf_)
      if (taken_[at(leaf)] < 0) {
        Unit& u = planned_units[planned_sets_.root(leaf)];
        u.leaves.push_back(leaf);
        u.hosts = std::max(u.hosts, static_cast<std::int64_t>(cables.size()));
      }
    if (tiers_ > 2) {
      const std::map<Index, Index> seen_pods = pods_of_leaves();
      for (auto& [root, u] : seen_units)
        if (const auto pod = seen_pods.find(u.leaves.front()); pod != seen_pods.end()) u.pod = pod->second;
      std::map<Index, Index> pod_above;
      for (const PlannedCable& c : plan_.cables)
        if (plan_.devices[at(c.far)].tier == 1) pod_above.try_emplace(c.near, plan_.devices[at(c.far)].pod);
      for (auto& [root, u] : planned_units)
        if (const auto pod = pod_above.find(u.leaves.front()); pod != pod_above.end()) u.pod = pod->second;
    }
    const std::vector<Unit> theirs = in_order(std::move(seen_units)), ours = in_order(std::move(planned_units));
    std::map<Index, std::size_t> unit_of;
    for (std::size_t u = 0; u < theirs.size(); ++u)
      for (const Index l : theirs[u].leaves) unit_of[l] = u;
    Votes votes;
    std::vector<std::vector<Index>> leaf_of_rank(ours.size());
    for (std::size_t u = 0; u < ours.size(); ++u) leaf_of_rank[u] = ranks_of(ours[u].leaves);
    for (const Host& h : hosts_)
      for (std::size_t e = 0; h.planned < 0 && e < h.ends.size(); ++e) {
        const auto unit = unit_of.find(h.ends[e].leaf);
        const Index r = rank(h, e);
        if (unit == unit_of.end() || unit->second >= ours.size() || r < 0) continue;
        if (const auto& leaves = leaf_of_rank[unit->second]; at(r) < leaves.size() && leaves[at(r)] >= 0)
          ++votes[{leaves[at(r)], h.ends[e].leaf}];
      }
    assign(votes);
  }

  // Pod by pod, those with the most units first: then by size, then by name.
  static std::vector<Unit> in_order(std::map<Index, Unit> units) {
    std::map<Index, std::tuple<std::int64_t, std::int64_t, std::string>> pods;  // -units, -hosts, first name
    for (const auto& [root, u] : units) {
      auto& [count, hosts, name] = pods[u.pod];
      --count, hosts -= u.hosts;
      if (name.empty() || natural_less(u.name, name)) name = u.name;
    }
    std::vector<Unit> out;
    for (auto& [root, u] : units) out.push_back(std::move(u));
    std::stable_sort(out.begin(), out.end(), [&](const Unit& a, const Unit& b) {
      if (a.pod != b.pod) {
        const auto& [count_a, hosts_a, name_a] = pods.at(a.pod);
        const auto& [count_b, hosts_b, name_b] = pods.at(b.pod);
        if (std::tie(count_a, hosts_a) != std::tie(count_b, hosts_b))
          return std::tie(count_a, hosts_a) < std::tie(count_b, hosts_b);
        return name_a == name_b ? a.pod < b.pod : natural_less(name_a, name_b);
      }
      if (a.leaves.size() != b.leaves.size()) return a.leaves.size() > b.leaves.size();
      return a.hosts != b.hosts ? a.hosts > b.hosts : natural_less(a.name, b.name);
    });
    return out;
  }

  // By seen leaf: leaves that are plugged into the same spines are of one pod.
  std::map<Index, Index> pods_of_leaves() const {
    std::map<Index, std::set<Index>> spines;
    for (const SeenLink& l : seen_.links)
      for (const auto& [low, high] : {std::pair(l.a, l.b), std::pair(l.b, l.a)})
        if (leaves_.contains(low) && seen_.devices[at(high)].is_switch && !leaves_.contains(high))
          spines[low].insert(high);
    std::map<Index, std::size_t> planned;
    std::size_t largest = 1;
    for (const PlannedDevice& d : plan_.devices)
      if (d.tier == 1) largest = std::max(largest, ++planned[d.pod]);
    std::vector<std::set<Index>> sets;
    for (const auto& [leaf, all] : spines) sets.push_back(all);
    std::map<Index, Index> pod_of_spine, out;
    const std::vector<std::vector<Index>> pods = leaf_units(sets, largest);
    for (std::size_t p = 0; p < pods.size(); ++p)
      for (const Index spine : pods[p]) pod_of_spine[spine] = static_cast<Index>(p);
    for (const auto& [leaf, all] : spines) {
      std::map<Index, std::int64_t> votes;
      for (const Index spine : all)
        if (const auto pod = pod_of_spine.find(spine); pod != pod_of_spine.end()) ++votes[pod->second];
      if (!votes.empty()) out[leaf] = most_common(votes);
    }
    return out;
  }

  // By port of a member: the planned leaf, of the member with the most ports on these leaves.
  std::vector<Index> ranks_of(const std::vector<Index>& leaves) const {
    std::vector<Index> out;
    for (const Index leaf : leaves)
      for (const Index c : of_leaf_.at(leaf)) {
        const auto& ports = ports_[at(plan_.cables[at(c)].near)];
        if (ports.size() <= out.size()) continue;
        out.clear();
        for (const Index port : ports) out.push_back(plan_.cables[at(port)].far);
      }
    return out;
  }

  // A host that is not called as planned is a member of the unit where most of its adapters are on the leaf of their
  // rail, then of the one whose leaves most of them are on: those with most adapters there first, as long as the unit
  // has room. Within a unit they keep the order of their names.
  void hosts_by_leaf() {
    std::map<Index, std::map<std::size_t, std::deque<Index>>> members;  // by unit and number of ports
    std::map<Index, std::int64_t> room;
    for (std::size_t d = 0; d < ports_.size(); ++d)
      if (!ports_[d].empty() && !host_of_.contains(static_cast<Index>(d))) {
        const Index unit = planned_sets_.root(plan_.cables[at(ports_[d].front())].far);
        members[unit][ports_[d].size()].push_back(static_cast<Index>(d));
        ++room[unit];
      }
    std::map<Index, std::vector<Index>> leaves_of_unit, leaf_of_rank;
    for (const auto& [leaf, cables] : of_leaf_) leaves_of_unit[planned_sets_.root(leaf)].push_back(leaf);
    for (const auto& [unit, leaves] : leaves_of_unit) leaf_of_rank[unit] = ranks_of(leaves);
    std::vector<std::tuple<std::int64_t, std::int64_t, Index, Index>> order;  // -right rail, -adapters, host, unit
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i].planned >= 0) continue;
      std::map<Index, std::pair<std::int64_t, std::int64_t>> count;
      for (std::size_t e = 0; e < hosts_[i].ends.size(); ++e) {
        const Index leaf = out_.planned[at(hosts_[i].ends[e].leaf)];
        if (leaf < 0) continue;
        const Index unit = planned_sets_.root(leaf), r = rank(hosts_[i], e);
        const std::vector<Index>& of_rank = leaf_of_rank[unit];
        ++count[unit].second;
        if (r >= 0 && at(r) < of_rank.size() && of_rank[at(r)] == leaf) ++count[unit].first;
      }
      for (const auto& [unit, n] : count) order.emplace_back(-n.first, -n.second, static_cast<Index>(i), unit);
    }
    std::sort(order.begin(), order.end());
    std::vector<bool> placed(hosts_.size(), false);
    std::map<Index, std::set<Index>> by_unit;
    for (const auto& [right, count, host, unit] : order)
      if (!placed[at(host)] && room[unit] > 0) placed[at(host)] = true, --room[unit], by_unit[unit].insert(host);
    for (const auto& [unit, hosts] : by_unit)
      for (const Index i : hosts) {
        Host& h = hosts_[at(i)];
        auto& free = members[unit];
        const auto found = free.lower_bound(h.ends.size());  // as many ports, or more: an adapter may be missing
        if (found == free.end()) continue;
        h.planned = found->second.front();
        if (is_stranger(h)) {
          h.planned = -1;
          continue;
        }
        host_of_.emplace(h.planned, true);
        found->second.pop_front();
        if (found->second.empty()) free.erase(found);
      }
  }

  // Fewer adapters than the planned member has, and none of them where it should be: a host of another kind, as a
  // server of the subnet manager.
  bool is_stranger(const Host& h) const {
    const auto& ports = ports_[at(h.planned)];
    if (h.ends.size() >= ports.size()) return false;
    for (std::size_t e = 0; e < h.ends.size(); ++e)
      if (const Index r = rank(h, e); r >= 0 && out_.planned[at(h.ends[e].leaf)] == plan_.cables[at(ports[at(r)])].far)
        return false;
    return true;
  }

  void ports_of_hosts() {
    for (const Host& h : hosts_) {
      if (h.planned < 0) continue;
      for (std::size_t e = 0; e < h.ends.size(); ++e) {
        const Index r = rank(h, e);
        if (r < 0 || claimed_[at(ports_[at(h.planned)][at(r)])]) continue;
        claim(h.ends[e].link, ports_[at(h.planned)][at(r)]);
        const SeenLink& link = seen_.links[at(h.ends[e].link)];
        out_.planned[at(link.b)] = h.planned;
        beside_[{planned_unit(link.a), link.a_port}][h.planned]++;
      }
    }
  }
  void claim(Index link, Index cable) {
    out_.port[at(link)] = cable;
    claimed_[at(cable)] = true;
  }
  Index planned_unit(Index seen_leaf) {
    const Index leaf = out_.planned[at(seen_leaf)];
    return leaf < 0 ? -1 : planned_sets_.root(leaf);
  }

  // An adapter that names no host is one of the ports that are left on its leaf: of the host whose other adapters are
  // in the same place of the other leaves, else of the first one. Where its leaf has none left, it is one of its unit:
  // its cable is in the wrong leaf.
  void nameless_adapters() {
    std::vector<Index> left;
    for (const Index l : nameless_) {
      const Index leaf = out_.planned[at(seen_.links[at(l)].a)];
      if (leaf < 0 || !of_leaf_.contains(leaf)) continue;
      if (!take_port(l, of_leaf_.at(leaf))) left.push_back(l);
    }
    if (left.empty()) return;
    std::map<Index, std::vector<Index>> of_unit;
    for (const auto& [leaf, cables] : of_leaf_)
      for (const Index c : cables)
        if (!claimed_[at(c)] && host_of_.contains(plan_.cables[at(c)].near))
          of_unit[planned_sets_.root(leaf)].push_back(c);
    for (const Index l : left) take_port(l, of_unit[planned_unit(seen_.links[at(l)].a)]);
  }

  // False: all of the cables have their adapters.
  bool take_port(Index l, const std::vector<Index>& cables) {
    const SeenLink& link = seen_.links[at(l)];
    auto& beside = beside_[{planned_unit(link.a), link.a_port}];
    Index best = -1;
    int weight = -1;
    for (const Index c : cables) {
      if (claimed_[at(c)]) continue;
      const auto found = beside.find(plan_.cables[at(c)].near);
      if (const int here = found == beside.end() ? 0 : found->second; here > weight) weight = here, best = c;
    }
    if (best < 0) return false;
    claim(l, best);
    const Index member = plan_.cables[at(best)].near;
    out_.planned[at(link.b)] = member;
    out_.guessed[at(link.b)] = true;
    host_of_.emplace(member, true);
    beside[member]++;
    return true;
  }

  void tell_names() {
    for (const Host& h : hosts_)
      if (h.named)
        ++out_.by_name;
      else if (h.planned >= 0)
        out_.by_cables.push_back({h.planned, h.name});
    for (std::size_t p = 0; p < taken_.size(); ++p) {
      if (taken_[p] < 0) continue;
      const SeenDevice& s = seen_.devices[at(taken_[p])];
      if (named_.contains(taken_[p]))
        ++out_.by_name;
      else
        out_.by_cables.push_back({static_cast<Index>(p), s.name.empty() ? "0x" + s.id : s.name});
    }
  }

  const SeenFabric& seen_;
  const PlannedFabric& plan_;
  FabricMatch out_;
  std::vector<Index> taken_;                     // by planned switch: the seen one
  std::vector<bool> claimed_;                    // by planned cable
  std::vector<std::vector<Index>> ports_;        // by planned member: its cables, port by port
  std::map<Index, std::vector<Index>> of_leaf_;  // by planned switch: the cables of its members
  Sets planned_sets_;                            // leaves that share members
  int tiers_ = 1;
  std::size_t usual_ = 0;             // ports of most members
  std::map<std::size_t, int> sizes_;  // members by number of ports
  PortNumbers numbers_;
  std::vector<Host> hosts_;
  std::vector<Index> nameless_;              // links
  std::set<Index> leaves_;                   // seen ones
  std::set<Index> named_;                    // seen switches that are called as planned
  std::unordered_map<Index, bool> host_of_;  // planned members that a host is
  std::map<std::pair<Index, std::int64_t>, std::map<Index, int>> beside_;
};

}  // namespace

FabricMatch match_fabric(const SeenFabric& seen, const PlannedFabric& plan) { return Matcher(seen, plan).match(); }

}  // namespace clusterc
