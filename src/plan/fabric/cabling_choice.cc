// What is plugged into each cage. Cages that hang together over their links are a set; each set asks CablePicker once
// for its kind, and takes the first option that is long enough.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/index.h"
#include "plan/fabric/cable_picker.h"
#include "plan/fabric/cabling_links.h"

namespace clusterc {

class Cabling::Chooser {
 public:
  Chooser(const std::vector<CageGroup>& groups, std::size_t cages) : groups_(groups), cage_(cages) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::int64_t i = groups[g].first; i < groups[g].first + groups[g].count(); ++i) {
        cage_[at(i)].parent = cage_[at(i)].next = static_cast<std::int32_t>(i);
        cage_[at(i)].group = static_cast<std::int32_t>(g);
      }
  }

  void join(std::size_t fabric, const Slim& l) {
    if (l.length <= 0) return;
    if (const double near = groups_[at(l.near_group)].rate.value, far = groups_[at(l.far_group)].rate.value;
        near != far) {
      Slowed& s = slowed_[near > far ? l.near_cage : l.far_cage];
      if (s.links == 0 || s.rate == std::min(near, far)) ++s.links, s.rate = std::min(near, far);
    }
    for (const std::int32_t end : {l.near_cage, l.far_cage}) {
      Cage& c = cage_[at(end)];
      ++c.links;
      c.longest = std::max(c.longest, l.length);
      c.fabric = static_cast<std::uint16_t>(fabric);
    }
    const std::int32_t a = root_of(l.near_cage), b = root_of(l.far_cage);
    if (a == b) return;
    cage_[at(std::max(a, b))].parent = std::min(a, b);
    std::swap(cage_[at(a)].next, cage_[at(b)].next);
  }

  // The first cage of a set that has links.
  bool is_root(std::size_t i) const { return cage_[i].links && cage_[i].parent == static_cast<std::int32_t>(i); }
  template <class Take>
  void each(std::size_t root, Take&& take) const {
    for (auto i = static_cast<std::int32_t>(root);;) {
      take(i);
      i = cage_[at(i)].next;
      if (i == static_cast<std::int32_t>(root)) break;
    }
  }

  struct Set {
    float longest = 0;       // m, of its links
    std::size_t fabric = 0;  // of its newest cage
  };
  // Sets all of `need` but media and kind of link.
  Set read(std::size_t root, CablePicker::Need& need) const {
    Set set;
    std::int32_t head = -1, newest = -1, links = 0, members = 0;
    need.groups.clear();
    need.rate = 0;
    double fastest = 0;
    const auto width = [&](std::int32_t k) {
      return std::tuple(cage_[at(k)].links, groups_[at(cage_[at(k)].group)].links, -k);
    };
    each(root, [&](std::int32_t i) {
      const Cage& c = cage_[at(i)];
      const CageGroup& g = groups_[at(c.group)];
      set.longest = std::max(set.longest, c.longest);
      links += c.links;  // every link is counted at both ends
      ++members;
      newest = std::max(newest, i);
      need.rate = need.rate > 0 ? std::min(need.rate, g.rate.value) : g.rate.value;
      fastest = std::max(fastest, g.rate.value);
      if (head < 0 || width(i) > width(head)) head = i;
      if (std::find(need.groups.begin(), need.groups.end(), c.group) == need.groups.end())
        need.groups.push_back(c.group);
    });
    if (fastest > need.rate && mixed(root, need.rate)) need.rate = CablePicker::kMixed;
    std::sort(need.groups.begin(), need.groups.end());
    need.pair = members == 2;
    need.star = !need.pair && links == 2 * (members - 1) && 2 * cage_[at(head)].links == links;
    need.head = need.pair || need.star ? cage_[at(head)].group : need.groups.front();
    set.fabric = cage_[at(newest)].fabric;
    return set;
  }

  // The number of the choice for a set, in `choices`; it is added where it is new.
  std::int32_t choice(const CablePicker& picker, const CablePicker::Need& need, const std::vector<CableChoice>& options,
                      Meters length, std::vector<CableChoice>& choices) {
    for (const CableChoice& o : options) {
      if (o.reach.value + 1e-6 < length.value) continue;
      double sold = 0;
      if (o.form == CableChoice::Form::cable) {
        sold = sold_length(*picker.part(o.part), length).value;
        if (sold <= 0) continue;
      } else {
        for (int f : o.fibres)
          if (sold <= 0) sold = sold_length(*picker.part(f), length).value;
        if (sold <= 0) continue;
        if (o.links_per_fibre == 1) sold = 0;  // each link its own
      }
      std::int32_t& number = chosen_[{&o, sold}];
      if (!number) {
        number = static_cast<std::int32_t>(choices.size());
        choices.push_back(o);
        choices.back().length = Meters(sold);
      }
      return number;
    }
    std::int32_t& number = refused_[need];
    if (!number) {
      number = static_cast<std::int32_t>(choices.size());
      choices.push_back({});
      for (const CableChoice& o : options) choices.back().offered = std::max(choices.back().offered, o.reach);
    }
    if (choices[at(number)].reach < length) {
      choices[at(number)].why = picker.why_not(need, options, length.value);
      choices[at(number)].reach = length;
    }
    return number;
  }

 private:
  // Cages that hang together are a tree whose root is the first of them, and a ring, to walk them; with the longest
  // link of each.
  struct Cage {
    std::int32_t parent = 0, next = 0;
    float longest = 0;
    std::uint16_t links = 0, fabric = 0;
    std::int32_t group = 0;
  };
  // Of cages that are faster than the other end of a link: how many of their links that slows down, and to what.
  struct Slowed {
    std::uint16_t links = 0;
    double rate = 0;
  };

  std::int32_t root_of(std::int32_t i) {
    while (cage_[at(i)].parent != i) i = cage_[at(i)].parent = cage_[at(cage_[at(i)].parent)].parent;
    return i;
  }

  // What is plugged into a cage runs all its ports at one rate. Ends of one link at two rates run at the lower one: the
  // switch slows its port down. A module for it is looked for at that rate.
  bool mixed(std::size_t root, double rate) const {
    bool mixed = false;
    each(root, [&](std::int32_t i) {
      if (const Cage& c = cage_[at(i)]; groups_[at(c.group)].rate.value > rate) {
        const auto found = slowed_.find(i);
        mixed = mixed || found == slowed_.end() || found->second.links != c.links || found->second.rate != rate;
      }
    });
    return mixed;
  }

  const std::vector<CageGroup>& groups_;
  std::vector<Cage> cage_;
  std::unordered_map<std::int32_t, Slowed> slowed_;
  std::map<std::pair<const CableChoice*, double>, std::int32_t> chosen_;  // cables by length as sold, modules by choice
  std::map<CablePicker::Need, std::int32_t> refused_;
};

void Cabling::choose(const Plan& plan, const std::vector<std::vector<Slim>>& all) {
  std::size_t cages = 0;
  for (const CageGroup& g : groups_) cages += at(g.count());
  choice_of_cage_.assign(cages, 0);
  if (cages == 0) return;
  Chooser chooser(groups_, cages);
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const Slim& l : all[f]) chooser.join(f, l);

  const std::vector<unsigned> media = media_of(plan);
  CablePicker picker(cluster_->cables, groups_);
  CablePicker::Need need, last;
  const std::vector<CableChoice>* options = nullptr;
  // Sets are looked at in the order of their first cage; those of one kind follow one another.
  for (std::size_t root = 0; root < cages; ++root) {
    if (!chooser.is_root(root)) continue;
    const auto [longest, fabric] = chooser.read(root, need);
    need.media = media[fabric];
    need.kind = cluster_->networks[at(plan.fabrics[fabric].network)].kind;
    if (!options || need.key() != last.key()) {
      options = &picker.options(need);
      last = need;
    }
    const std::int32_t found = chooser.choice(picker, need, *options, Meters(longest), choices_);
    chooser.each(root, [&](std::int32_t i) { choice_of_cage_[at(i)] = found; });
  }
}

}  // namespace clusterc
