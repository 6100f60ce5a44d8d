// The bill of the cabling: how many of each cable, module and fibre, and which links nothing makes.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/index.h"
#include "plan/fabric/cabling_links.h"

namespace clusterc {

class Cabling::Counter {
 public:
  Counter(Cabling& cabling, const Plan& plan, const Links& links)
      : cabling_(cabling),
        plan_(plan),
        links_(links),
        cable_seen_(cabling.choice_of_cage_.size() / 64 + 1, 0),
        modules_(cabling.groups_.size()) {}

  void fabric(std::size_t f, const std::vector<Slim>& links) {
    classes_.clear();
    class_of_.clear();
    equipped_.clear();
    to_name_.clear();
    current_ = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const Slim& l = links[i];
      Class& k = class_of(f, l);
      if (l.length <= 0) {
        ++k.unmeasured;
        continue;
      }
      const CableChoice& c = cabling_.choices_[at(cabling_.choice_of_cage_[at(l.far_cage)])];
      if (c.form == CableChoice::Form::none)
        unbuilt(f, i, l, c, k);
      else if (new_cable(c, l))
        add(c, l, k);
    }
    name_unbuilt(f);
    add_lots(f);
  }

  void finish() {
    for (const auto& [k, n] : lots_) cabling_.lots_.push_back({k.part, Meters(k.length), k.what, n});
  }

 private:
  struct Key {
    int fabric, order, part;
    double length;
    std::string what;
    auto key() const { return std::tie(fabric, order, what, part, length); }
    bool operator<(const Key& o) const { return key() < o.key(); }
  };
  struct Class {  // links of one fabric from one group of cages to another
    int near = -1, far = -1;
    std::string what;
    std::vector<std::pair<std::pair<const CableModel*, double>, std::int64_t>> fibres;
    std::vector<std::size_t> unbuilt;
    std::int64_t unmeasured = 0;
    BitsPerSecond rate{0};
    std::size_t line = 0; /* of fibres: the last link's */
  };

  Class& class_of(std::size_t f, const Slim& l) {
    if (classes_.empty() || classes_[current_].near != l.near_group || classes_[current_].far != l.far_group) {
      const auto both = static_cast<std::uint64_t>(static_cast<std::uint32_t>(l.near_group)) << 32 |
                        static_cast<std::uint32_t>(l.far_group);
      const auto [known, fresh] = class_of_.try_emplace(both, classes_.size());
      current_ = known->second;
      if (fresh)
        classes_.push_back({.near = l.near_group,
                            .far = l.far_group,
                            .what = plan_.fabrics[f].name + ": " + cabling_.between(l.near_group, l.far_group),
                            .rate = cabling_.groups_[at(l.near_group)].rate});
    }
    return classes_[current_];
  }

  void unbuilt(std::size_t f, std::size_t link, const Slim& l, const CableChoice& c, Class& k) {
    std::vector<Unbuilt>& all = cabling_.unbuilt_;
    std::size_t u = all.size();
    for (std::size_t known : k.unbuilt)
      if (all[known].why == c.why) u = known;
    if (u == all.size()) {
      k.unbuilt.push_back(u);
      all.push_back({.fabric = static_cast<int>(f), .what = k.what, .why = c.why, .reach = c.offered});
      to_name_.emplace_back(link, u);
    }
    ++all[u].count;
    all[u].longest = std::max(all[u].longest, Meters(l.length));
  }

  // Is the cable, or what is plugged in, of this cage counted for the first time?
  bool once(std::int64_t cage) {
    const std::uint64_t bit = 1ULL << (static_cast<std::uint64_t>(cage) % 64);
    std::uint64_t& word = cable_seen_[at(cage / 64)];
    const bool fresh = !(word & bit);
    word |= bit;
    return fresh;
  }

  // False: its cable, or its split fibre, was counted with another link. Counts the modules of both ends.
  bool new_cable(const CableChoice& c, const Slim& l) {
    if (c.form == CableChoice::Form::cable)
      return !c.shared || once(c.head_group == l.far_group ? l.far_cage : l.near_cage);
    // A module for each cage, named by what the cage belongs to.
    for (const bool far : {false, true}) {
      const std::int32_t cage = far ? l.far_cage : l.near_cage;
      const std::size_t group = at(far ? l.far_group : l.near_group);
      if (!once(cage)) continue;
      if (modules_[group].empty()) {
        modules_[group].assign(cabling_.cluster_->cables.size(), 0);
        equipped_.push_back(static_cast<int>(group));
      }
      ++modules_[group][at(c.module_of(static_cast<int>(group)))];
    }
    if (c.links_per_fibre <= 1) return true;
    const bool far = c.head_group == l.far_group;
    if (fibre_seen_.empty()) fibre_seen_.assign(cabling_.choice_of_cage_.size(), 0);
    std::uint8_t& seen = fibre_seen_[at(far ? l.far_cage : l.near_cage)];
    const std::int64_t ports = c.links_per_fibre * cabling_.groups_[at(far ? l.far_group : l.near_group)].ports_each;
    const auto bit = static_cast<std::uint8_t>(1U << place_of(ports, far ? l.far_port : l.near_port));
    const bool fresh = !(seen & bit);
    seen |= bit;
    return fresh;
  }

  void add(const CableChoice& c, const Slim& l, Class& k) {
    const Run r = cabling_.run(c, l.near_group, l.far_group, l.length);
    const std::pair<const CableModel*, double> sold{r.cable, r.length.value};
    if (k.line >= k.fibres.size() || k.fibres[k.line].first != sold) {
      k.line = at(std::find_if(k.fibres.begin(), k.fibres.end(), [&](const auto& x) { return x.first == sold; }) -
                  k.fibres.begin());
      if (k.line == k.fibres.size()) k.fibres.push_back({sold, 0});
    }
    k.fibres[k.line].second += c.form == CableChoice::Form::modules ? c.fibres_per_link : 1;
  }

  void name_unbuilt(std::size_t f) {
    if (to_name_.empty()) return;
    std::size_t i = 0, next = 0;
    links_.each(static_cast<int>(f), [&](const PluggedLink& l) {
      if (cabling_.groups_[at(l.near_group)].nothing_plugged) return true;
      if (i++ != to_name_[next].first) return true;
      Unbuilt& u = cabling_.unbuilt_[to_name_[next].second];
      links_.near_end(l, u.near);
      links_.far_end(l, u.far);
      return ++next < to_name_.size();
    });
  }

  void add_lots(std::size_t f) {
    const CableModel* first_part = cabling_.cluster_->cables.data();
    const auto fabric = static_cast<int>(f);
    for (const int g : equipped_) {
      for (std::size_t part = 0; part < cabling_.cluster_->cables.size(); ++part)
        if (const std::int64_t n = modules_[at(g)][part])
          lots_[{fabric, 0, static_cast<int>(part), 0, plan_.fabrics[f].name + ": " + cabling_.groups_[at(g)].who}] +=
              n;
      modules_[at(g)] = {};
    }
    for (const Class& k : classes_) {
      for (const auto& [sold, n] : k.fibres)
        lots_[{fabric, 1, static_cast<int>(sold.first - first_part), sold.second, k.what}] += n;
      if (k.unmeasured) cabling_.unmeasured_.push_back({k.what, k.rate, k.unmeasured});
    }
  }

  Cabling& cabling_;
  const Plan& plan_;
  const Links& links_;
  std::map<Key, std::int64_t> lots_;
  std::vector<std::uint64_t> cable_seen_;  // one bit a cage
  std::vector<std::uint8_t> fibre_seen_;   // one bit a split fibre in each cage, where there are any
  // Of the fabric at hand:
  std::vector<Class> classes_;
  std::size_t current_ = 0;                                  // the class of the last link
  std::unordered_map<std::uint64_t, std::size_t> class_of_;  // by both groups
  std::vector<std::vector<std::int64_t>> modules_;           // by group and part
  std::vector<int> equipped_;                                // groups with modules
  std::vector<std::pair<std::size_t, std::size_t>>
      to_name_;  // the first link of a kind that cannot be built, and its line
};

void Cabling::count(const Plan& plan, const Links& links, const std::vector<std::vector<Slim>>& by_fabric) {
  Counter counter(*this, plan, links);
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) counter.fabric(f, by_fabric[f]);
  counter.finish();
}

}  // namespace clusterc
