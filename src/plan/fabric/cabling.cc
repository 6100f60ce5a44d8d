#include "plan/fabric/cabling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "spec/network.h"

namespace clusterc {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
bool same_rate(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

constexpr unsigned kAnyMedium = ~0U;

}  // namespace

int CableChoice::module_of(int group) const { return std::ranges::lower_bound(modules, std::pair(group, 0))->second; }

bool cage_takes(std::string_view cage, std::string_view plug) {
  if (cage == plug) return true;
  constexpr std::string_view kQsfp[] = {"qsfp28", "qsfp56", "qsfp112"};
  const auto generation = [&](std::string_view s) {
    return std::find(std::begin(kQsfp), std::end(kQsfp), s) - std::begin(kQsfp);
  };
  // QSFP-DD: a second row of contacts behind that of QSFP, so plugs of up to four lanes of 50 Gb/s go in, too.
  if (cage == "qsfp-dd") return plug == "qsfp28" || plug == "qsfp56";
  const auto c = generation(cage), g = generation(plug);
  return c < 3 && g < c;
}

Meters sold_length(const CablePart& part, Meters needed) {
  if (part.reach && needed.value > part.reach->value + 1e-6) return Meters(0);
  if (part.lengths.empty()) {
    const double step = needed.value <= 10 ? 1 : needed.value <= 100 ? 5 : 10;
    const double sold = std::max(1.0, std::ceil(needed.value / step - 1e-6) * step);
    return Meters(part.reach ? std::min(sold, part.reach->value) : sold);
  }
  double best = 0;
  for (const auto& l : part.lengths)
    if (l && l->value + 1e-6 >= needed.value && (best == 0 || l->value < best)) best = l->value;
  return Meters(best);
}

// What fits a set of cages, from the cheapest; asked again for every set of one kind, so answers are kept.
struct Cabling::Picker {
  struct Need {
    bool pair = false, star = false;
    int head = -1;            // group with the head of a star; of a pair, the one with the larger cage
    std::vector<int> groups;  // all of them, sorted
    double rate = 0;
    unsigned media = kAnyMedium;
    LinkKind kind = LinkKind::ethernet;
    auto key() const { return std::tie(pair, star, head, groups, rate, media, kind); }
    bool operator<(const Need& o) const { return key() < o.key(); }
  };

  const std::vector<CableModel>& parts;
  const std::vector<CageGroup>& groups;
  std::map<Need, std::vector<CableChoice>> known{};
  std::map<Need, const std::pair<const Need, std::vector<CableChoice>>*> of_kinds{};  // needs with kinds for groups
  std::map<std::pair<std::string_view, std::int64_t>, int> kinds{};

  static bool carries(const CablePart& p, const Need& n) {
    if (!p.medium || !((n.media >> static_cast<unsigned>(*p.medium)) & 1U)) return false;
    return p.links.empty() ||
           std::any_of(p.links.begin(), p.links.end(), [&](const auto& l) { return l && *l == n.kind; });
  }

  // The medium is the cost, the reach comes next; parts are in the order of their ids.
  static bool cheaper(const CableChoice& a, const CableChoice& b, const std::vector<CableModel>& parts) {
    const auto medium = [&](const CableChoice& c) {
      return *parts[at(c.form == CableChoice::Form::cable ? c.part : c.fibres.front())].part->medium;
    };
    const Medium ma = medium(a), mb = medium(b);
    if (ma != mb) return ma < mb;
    if (a.reach.value != b.reach.value) return a.reach.value < b.reach.value;
    return a.form < b.form;
  }

  void cables(const Need& n, std::vector<CableChoice>& out) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const CablePart& p = *parts[i].part;
      if (p.module.value_or(false) || !p.rate || !carries(p, n) || !p.connector || !p.reach) continue;
      const std::int64_t ends = p.ends.value_or(1);
      const std::string& far = p.far_connector.value_or(*p.connector);
      const CageGroup& head = groups[at(n.head)];
      CableChoice c{.form = CableChoice::Form::cable, .part = static_cast<int>(i), .reach = *p.reach};
      if (ends == 1 && n.pair) {
        // All links of one cage to all of another; both are as wide as the cable.
        const CageGroup& a = groups[at(n.groups.front())];
        const CageGroup& b = groups[at(n.groups.back())];
        if (a.links != b.links || !same_rate(p.rate->value, n.rate * static_cast<double>(a.links))) continue;
        if (!(cage_takes(a.connector, *p.connector) && cage_takes(b.connector, far)) &&
            !(cage_takes(b.connector, *p.connector) && cage_takes(a.connector, far)))
          continue;
        c.shared = a.links > 1;
      } else if (ends > 1 && (n.star || n.pair)) {
        if (head.links != ends || !same_rate(p.rate->value, n.rate * static_cast<double>(ends)) ||
            !cage_takes(head.connector, *p.connector))
          continue;
        const bool tails = std::all_of(n.groups.begin(), n.groups.end(), [&](int g) {
          return g == n.head || (groups[at(g)].links == 1 && cage_takes(groups[at(g)].connector, far));
        });
        if (!tails || n.groups.size() < 2) continue;
        c.head_group = n.head;
        c.shared = true;
      } else {
        continue;
      }
      out.push_back(std::move(c));
    }
  }

  // A module for cages of a group: how its ports stand to the links. `split`: links of one port; `joined`: ports of one
  // link.
  struct Fit {
    std::int64_t split = 0, joined = 0;
  };
  static Fit fit(const CablePart& m, const CageGroup& g, double rate) {
    const std::int64_t ports = m.ports.value_or(1);
    const double each = m.rate->value / static_cast<double>(ports);
    if (same_rate(each, rate)) return ports == g.links ? Fit{1, 1} : Fit{};
    if (each < rate) {  // 800 Gb/s through both ports of a twin-port module
      const auto joined = static_cast<std::int64_t>(std::llround(rate / each));
      return same_rate(each * static_cast<double>(joined), rate) && ports == g.links * joined ? Fit{1, joined} : Fit{};
    }
    if (std::none_of(m.slower.begin(), m.slower.end(), [&](const auto& s) { return s && same_rate(s->value, rate); }))
      return {};
    const auto split = static_cast<std::int64_t>(std::llround(each / rate));
    if (ports * split == g.links) return {split, 1};   // every leg in use
    return ports == g.links ? Fit{-split, 1} : Fit{};  // one leg of each
  }

  void modules(const Need& n, std::vector<CableChoice>& out) const {
    std::map<std::string, std::vector<double>> optics;  // reaches on offer
    for (const CableModel& m : parts)
      if (m.part->module.value_or(false) && m.part->rate && m.part->optic && m.part->reach && m.part->connector &&
          m.part->fibre && carries(*m.part, n))
        optics[*m.part->optic].push_back(m.part->reach->value);
    for (auto& [optic, reaches] : optics) {
      std::sort(reaches.begin(), reaches.end());
      reaches.erase(std::unique(reaches.begin(), reaches.end()), reaches.end());
      for (double reach : reaches) {
        CableChoice c{.form = CableChoice::Form::modules, .reach = Meters(reach)};
        std::int64_t split = 1, joined = 0, full = 1;
        std::size_t alike = 0;  // kinds of cage whose ports are split as those of the first
        std::int64_t first_split = 0;
        int heads = 0;
        bool fits = true;
        std::string fibre,
            head_fibre;  // of modules whose port is one link's, and of those whose port is split: MPO there, LC here
        Medium medium{};
        for (int g : n.groups) {
          const CageGroup& group = groups[at(g)];
          int best = -1;
          Fit how;
          for (std::size_t i = 0; i < parts.size(); ++i) {
            const CablePart& m = *parts[i].part;
            if (!m.module.value_or(false) || !m.rate || !m.optic || *m.optic != optic || !m.reach ||
                m.reach->value + 1e-6 < reach || !m.connector || !m.fibre || !carries(m, n))
              continue;
            if (!cage_takes(group.connector, *m.connector)) continue;
            const Fit f = fit(m, group, n.rate);
            if (f.split == 0 || (best >= 0 && parts[at(best)].part->reach->value <= m.reach->value)) continue;
            best = static_cast<int>(i);
            how = f;
          }
          std::string& plug = how.split > 1 || how.split < 0 ? head_fibre : fibre;
          if (best < 0 || (joined && how.joined != joined) || (!plug.empty() && plug != *parts[at(best)].part->fibre)) {
            fits = false;
            break;
          }
          joined = how.joined;
          plug = *parts[at(best)].part->fibre;
          medium = *parts[at(best)].part->medium;
          c.modules.emplace_back(g, best);
          if (alike == 0) first_split = how.split;
          alike += how.split == first_split;
          split = std::max(split, std::abs(how.split));
          if (how.split > 1) {
            ++heads;
            full = how.split;
            c.head_group = g;
          }
        }
        if (!fits || joined == 0) continue;
        // Both ends of a pair of cages are split alike: straight fibre from port to port carries what would be its
        // legs. Else split fibre has one head.
        if (n.pair && split > 1 && alike == n.groups.size())
          split = 1, c.head_group = -1;
        else if (heads > 1)
          continue;
        if (head_fibre.empty()) head_fibre = fibre;
        if (fibre.empty()) fibre = head_fibre;
        c.fibres_per_link = joined;
        c.links_per_fibre = full;
        for (const bool to_length : {false, true})
          for (std::size_t i = 0; i < parts.size(); ++i) {
            const CablePart& f = *parts[i].part;
            if (f.module.value_or(false) || f.rate || !f.medium || *f.medium != medium ||
                f.connector.value_or("") != head_fibre || f.far_connector.value_or(f.connector.value_or("")) != fibre ||
                f.ends.value_or(1) != split || f.lengths.empty() != to_length)
              continue;
            c.fibres.push_back(static_cast<int>(i));
          }
        if (!c.fibres.empty()) out.push_back(std::move(c));
      }
    }
  }

  // All that is asked of a group of cages is their connector and the links of each, so groups of one kind take the same
  // parts.
  Need by_kind(const Need& n) {
    Need out = n;
    const auto kind = [&](int g) {
      const CageGroup& group = groups[at(g)];
      return kinds.try_emplace({group.connector, group.links}, static_cast<int>(kinds.size())).first->second;
    };
    std::ranges::transform(n.groups, out.groups.begin(), kind);
    out.head = static_cast<int>(std::ranges::find(n.groups, n.head) - n.groups.begin());
    return out;
  }
  static std::vector<CableChoice> for_groups(std::vector<CableChoice> options, const std::vector<int>& from,
                                             const std::vector<int>& to) {
    for (CableChoice& o : options) {
      if (o.head_group >= 0) o.head_group = to[at(std::ranges::find(from, o.head_group) - from.begin())];
      for (std::size_t i = 0; i < o.modules.size(); ++i) o.modules[i].first = to[i];
    }
    return options;
  }

  static constexpr double kMixed = -1;  // a rate: the links run at several, which no part does
  const std::vector<CableChoice>& options(const Need& n) {
    const auto [found, fresh] = known.try_emplace(n);
    if (fresh && n.rate != kMixed) {
      const auto [like, first] = of_kinds.try_emplace(by_kind(n), &*found);
      if (!first) return found->second = for_groups(like->second->second, like->second->first.groups, n.groups);
      cables(n, found->second);
      modules(n, found->second);
      std::stable_sort(found->second.begin(), found->second.end(),
                       [&](const CableChoice& a, const CableChoice& b) { return cheaper(a, b, parts); });
    }
    return found->second;
  }

  std::string why_not(const Need& n, const std::vector<CableChoice>& options, double length) const {
    if (parts.empty()) return "no cable is in the catalogue";
    if (n.rate == kMixed) return "ports of one cage run at different rates";
    for (int g : n.groups)
      if (groups[at(g)].connector.empty())
        return format("the connector of '{}' is not stated",
                      groups[at(g)].part.empty() ? groups[at(g)].who : groups[at(g)].part);
    if (!options.empty()) {
      const auto longest = std::max_element(options.begin(), options.end(),
                                            [](const auto& a, const auto& b) { return a.reach.value < b.reach.value; });
      return format("the path is {} long, the longest part that fits reaches {}",
                    to_text(Meters(std::round(length * 10) / 10)), to_text(longest->reach));
    }
    std::string cages;
    for (int g : n.groups) {
      const CageGroup& group = groups[at(g)];
      if (!cages.empty()) cages += " to ";
      cages += group.links > 1 ? format("{} ({} links)", group.connector, group.links) : group.connector;
    }
    if (n.groups.size() == 1) cages += " to the same connector";
    return format("no part in the catalogue connects {} at {}", cages, to_text(BitsPerSecond(n.rate)));
  }
};

// What is kept of a link while cables are chosen and counted: links are worked out once.
struct Cabling::Slim {
  std::int32_t near_cage = 0, far_cage = 0;
  float length = 0;  // 0: not known
  std::int32_t near_group = 0, far_group = 0;
  std::int32_t near_port = 0, far_port = 0;  // near: of a member its link, from 1
};

Cabling::Cabling(const Plan& plan, Of of) : cluster_(plan.cluster) {
  const Links links(plan);
  groups_ = links.cage_groups();
  choices_.emplace_back();
  std::vector<std::vector<Slim>> all(plan.fabrics.size());
  const std::vector<bool> wanted = of == Of::all ? std::vector<bool>(plan.fabrics.size(), true) : in_doubt(plan, links);
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    if (!wanted[f]) continue;
    all[f].reserve(at(links.most(static_cast<int>(f))));
    links.each(static_cast<int>(f), [&](const PluggedLink& l) {
      if (!groups_[at(l.near_group)].nothing_plugged)
        all[f].push_back({static_cast<std::int32_t>(l.near_cage), static_cast<std::int32_t>(l.far_cage), l.length,
                          l.near_group, l.far_group, static_cast<std::int32_t>(l.block < 0 ? l.near_port : l.port + 1),
                          static_cast<std::int32_t>(l.far_port)});
      return true;
    });
  }
  choose(plan, all);
  count(plan, links, all);
}

namespace {

// What each network allows, a bit for each Medium.
std::vector<unsigned> media_of(const Plan& plan) {
  std::vector<unsigned> media(plan.fabrics.size(), kAnyMedium);
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const NetworkModel& n = plan.cluster->networks[at(plan.fabrics[f].network)];
    if (!n.spec || n.spec->media.empty()) continue;
    media[f] = 0;
    for (const auto& m : n.spec->media)
      if (m) media[f] |= 1U << static_cast<unsigned>(*m);
  }
  return media;
}

}  // namespace

// A fabric, with those that its uplinks join it to, is beyond doubt when one kind of module fits every cage that it
// has, whichever hang together, and fibre for it is sold in the longest way that the floor allows. (A set of fewer
// kinds of cage has the same modules and more besides.)
std::vector<bool> Cabling::in_doubt(const Plan& plan, const Links& links) const {
  const std::vector<unsigned> media = media_of(plan);
  std::vector<std::size_t> joined(plan.fabrics.size());
  for (std::size_t f = 0; f < joined.size(); ++f) joined[f] = f;
  for (std::size_t f = 0; f < joined.size(); ++f)
    if (plan.fabrics[f].uplink_cables > 0)
      for (std::size_t& j : joined)
        if (const std::size_t from = joined[f], to = joined[at(plan.fabrics[f].uplinks_to)]; j == from || j == to)
          j = std::min(from, to);
  const Meters longest = links.longest_way();
  Picker picker{cluster_->cables, groups_};
  std::vector<bool> doubt(plan.fabrics.size(), true);
  for (std::size_t first = 0; first < joined.size(); ++first) {
    Picker::Need need;
    bool alike = true;
    for (std::size_t f = 0; f < joined.size(); ++f) {
      if (joined[f] != first) continue;
      const LinkKind kind = cluster_->networks[at(plan.fabrics[f].network)].kind;
      if (f == first) need.media = media[f], need.kind = kind;
      alike = alike && media[f] == need.media && kind == need.kind;
      for (const int g : links.groups_of(static_cast<int>(f))) {
        if (need.groups.empty()) need.rate = groups_[at(g)].rate.value;
        alike = alike && same_rate(need.rate, groups_[at(g)].rate.value);
        need.groups.push_back(g);
      }
    }
    if (!alike || need.groups.empty()) continue;
    std::sort(need.groups.begin(), need.groups.end());
    need.groups.erase(std::unique(need.groups.begin(), need.groups.end()), need.groups.end());
    need.head = need.groups.front();
    const std::vector<CableChoice>& options = picker.options(need);
    const bool built = std::any_of(options.begin(), options.end(), [&](const CableChoice& o) {
      return o.form == CableChoice::Form::modules && o.links_per_fibre == 1 && o.reach >= longest &&
             std::any_of(o.fibres.begin(), o.fibres.end(), [&](int i) {
               return cluster_->cables[at(i)].part->ends.value_or(1) == 1 &&
                      sold_length(*cluster_->cables[at(i)].part, longest).value > 0;
             });
    });
    for (std::size_t f = 0; f < joined.size(); ++f)
      if (joined[f] == first) doubt[f] = !built;
  }
  return doubt;
}

void Cabling::choose(const Plan& plan, const std::vector<std::vector<Slim>>& all) {
  const std::vector<CageGroup>& groups = groups_;
  std::size_t cages = 0;
  for (const CageGroup& g : groups) cages += at(g.count());
  choice_of_cage_.assign(cages, 0);
  if (cages == 0) return;

  // Cages that hang together are a tree whose root is the first of them, and a ring, to walk them; with the longest
  // link of each.
  struct Cage {
    std::int32_t parent = 0, next = 0;
    float longest = 0;
    std::uint16_t links = 0, fabric = 0;
    std::int32_t group = 0;
  };
  std::vector<Cage> cage(cages);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::int64_t i = groups[g].first; i < groups[g].first + groups[g].count(); ++i) {
      cage[at(i)].parent = cage[at(i)].next = static_cast<std::int32_t>(i);
      cage[at(i)].group = static_cast<std::int32_t>(g);
    }
  const auto find = [&](std::int32_t i) {
    while (cage[at(i)].parent != i) i = cage[at(i)].parent = cage[at(cage[at(i)].parent)].parent;
    return i;
  };
  // Of cages that are faster than the other end of a link: how many of their links that slows down, and to what.
  struct Slowed {
    std::uint16_t links = 0;
    double rate = 0;
  };
  std::unordered_map<std::int32_t, Slowed> slowed;
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const Slim& l : all[f]) {
      if (l.length <= 0) continue;
      if (const double near = groups[at(l.near_group)].rate.value, far = groups[at(l.far_group)].rate.value;
          near != far) {
        Slowed& s = slowed[near > far ? l.near_cage : l.far_cage];
        if (s.links == 0 || s.rate == std::min(near, far)) ++s.links, s.rate = std::min(near, far);
      }
      for (const std::int32_t end : {l.near_cage, l.far_cage}) {
        Cage& c = cage[at(end)];
        ++c.links;
        c.longest = std::max(c.longest, l.length);
        c.fabric = static_cast<std::uint16_t>(f);
      }
      const std::int32_t a = find(l.near_cage), b = find(l.far_cage);
      if (a == b) continue;
      cage[at(std::max(a, b))].parent = std::min(a, b);
      std::swap(cage[at(a)].next, cage[at(b)].next);
    }

  const std::vector<unsigned> media = media_of(plan);
  Picker picker{cluster_->cables, groups};
  std::map<std::pair<const CableChoice*, double>, std::int32_t> chosen;  // cables by length as sold, modules by choice
  std::map<Picker::Need, std::int32_t> refused;
  Picker::Need need, last;
  const std::vector<CableChoice>* options = nullptr;
  // Sets are looked at in the order of their first cage; those of one kind follow one another.
  for (std::size_t root = 0; root < cages; ++root) {
    if (!cage[root].links || cage[root].parent != static_cast<std::int32_t>(root)) continue;
    std::int32_t head = -1, newest = -1, links = 0, members = 0;
    float longest = 0;
    need.groups.clear();
    need.rate = 0;
    double fastest = 0;
    for (auto i = static_cast<std::int32_t>(root);;) {
      const Cage& c = cage[at(i)];
      const CageGroup& g = groups[at(c.group)];
      longest = std::max(longest, c.longest);
      links += c.links;  // every link is counted at both ends
      ++members;
      newest = std::max(newest, i);
      need.rate = need.rate > 0 ? std::min(need.rate, g.rate.value) : g.rate.value;
      fastest = std::max(fastest, g.rate.value);
      const auto width = [&](std::int32_t k) {
        return std::tuple(cage[at(k)].links, groups[at(cage[at(k)].group)].links, -k);
      };
      if (head < 0 || width(i) > width(head)) head = i;
      if (std::find(need.groups.begin(), need.groups.end(), c.group) == need.groups.end())
        need.groups.push_back(c.group);
      i = c.next;
      if (i == static_cast<std::int32_t>(root)) break;
    }
    // What is plugged into a cage runs all its ports at one rate.
    bool mixed = false;
    if (fastest > need.rate)
      for (auto i = static_cast<std::int32_t>(root);;) {
        if (const Cage& c = cage[at(i)]; groups[at(c.group)].rate.value > need.rate) {
          const auto found = slowed.find(i);
          mixed = mixed || found == slowed.end() || found->second.links != c.links || found->second.rate != need.rate;
        }
        i = cage[at(i)].next;
        if (i == static_cast<std::int32_t>(root)) break;
      }
    if (mixed) need.rate = Picker::kMixed;
    std::sort(need.groups.begin(), need.groups.end());
    need.pair = members == 2;
    need.star = !need.pair && links == 2 * (members - 1) && 2 * cage[at(head)].links == links;
    need.head = need.pair || need.star ? cage[at(head)].group : need.groups.front();
    const std::size_t fabric = cage[at(newest)].fabric;
    need.media = media[fabric];
    need.kind = cluster_->networks[at(plan.fabrics[fabric].network)].kind;
    if (!options || need.key() != last.key()) {
      options = &picker.options(need);
      last = need;
    }
    // Ends of one link at two rates run at the lower one: the switch slows its port down. A module for it is looked for
    // at that rate.
    const Meters length(longest);
    std::int32_t found = 0;
    for (const CableChoice& o : *options) {
      if (o.reach.value + 1e-6 < length.value) continue;
      double sold = 0;
      if (o.form == CableChoice::Form::cable) {
        sold = sold_length(*picker.parts[at(o.part)].part, length).value;
        if (sold <= 0) continue;
      } else {
        for (int f : o.fibres)
          if (sold <= 0) sold = sold_length(*picker.parts[at(f)].part, length).value;
        if (sold <= 0) continue;
        if (o.links_per_fibre == 1) sold = 0;  // each link its own
      }
      std::int32_t& number = chosen[{&o, sold}];
      if (!number) {
        number = static_cast<std::int32_t>(choices_.size());
        choices_.push_back(o);
        choices_.back().length = Meters(sold);
      }
      found = number;
      break;
    }
    if (!found) {
      std::int32_t& number = refused[need];
      if (!number) {
        number = static_cast<std::int32_t>(choices_.size());
        choices_.push_back({});
        for (const CableChoice& o : *options) choices_.back().offered = std::max(choices_.back().offered, o.reach);
      }
      if (choices_[at(number)].reach < length) {
        choices_[at(number)].why = picker.why_not(need, *options, length.value);
        choices_[at(number)].reach = length;
      }
      found = number;
    }
    for (auto i = static_cast<std::int32_t>(root);;) {
      choice_of_cage_[at(i)] = found;
      i = cage[at(i)].next;
      if (i == static_cast<std::int32_t>(root)) break;
    }
  }
}

std::string Cabling::between(int near_group, int far_group) const {
  return groups_[at(near_group)].who + " to " + groups_[at(far_group)].who;
}

Cabling::Run Cabling::run(const PluggedLink& l) const {
  return l.length > 0 ? run(choices_[at(choice_of_cage_[at(l.far_cage)])], l.near_group, l.far_group, l.length) : Run{};
}

Cabling::Run Cabling::run(const CableChoice& c, int near_group, int far_group, double length) const {
  const auto& parts = cluster_->cables;
  Run r;
  if (c.form == CableChoice::Form::none) return r;
  r.shared = c.shared;
  if (c.form == CableChoice::Form::cable) {
    r.cable = &parts[at(c.part)];
    r.length = c.length;
    r.head_is_far = c.head_group >= 0 && c.head_group == far_group;
    r.straight = c.shared && c.head_group < 0;
    return r;
  }
  r.fibres = c.fibres_per_link;
  if (c.links_per_fibre > 1) {
    r.shared = true;
    r.head_is_far = c.head_group == far_group;
    r.straight = c.head_group < 0;
    r.links_each = c.links_per_fibre;
  }
  r.near_module = &parts[at(c.module_of(near_group))];
  r.far_module = &parts[at(c.module_of(far_group))];
  const Meters needed = c.length.value > 0 ? c.length : Meters(length);
  for (int f : c.fibres) {
    r.length = sold_length(*parts[at(f)].part, needed);
    if (r.length.value <= 0) continue;
    r.cable = &parts[at(f)];
    break;
  }
  return r;
}

void Cabling::count(const Plan& plan, const Links& links, const std::vector<std::vector<Slim>>& links_of) {
  const auto& groups = groups_;
  struct Key {
    int fabric, order, part;
    double length;
    std::string what;
    auto key() const { return std::tie(fabric, order, what, part, length); }
    bool operator<(const Key& o) const { return key() < o.key(); }
  };
  std::map<Key, std::int64_t> lots;
  struct Class {
    int near = -1, far = -1;
    std::string what;
    std::vector<std::pair<std::pair<const CableModel*, double>, std::int64_t>> fibres;
    std::vector<std::size_t> unbuilt;
    std::int64_t unmeasured = 0;
    BitsPerSecond rate{0};
    std::size_t line = 0; /* of fibres: the last link's */
  };
  const CableModel* first_part = cluster_->cables.data();
  std::vector<std::uint64_t> cable_seen;  // one bit a cage: the cable in it is counted
  cable_seen.assign(choice_of_cage_.size() / 64 + 1, 0);
  std::vector<std::uint8_t> fibre_seen;  // one bit a split fibre in each cage, where there are any
  const auto once = [&](std::int64_t cage) {
    const std::uint64_t bit = 1ULL << (static_cast<std::uint64_t>(cage) % 64);
    std::uint64_t& word = cable_seen[at(cage / 64)];
    const bool fresh = !(word & bit);
    word |= bit;
    return fresh;
  };
  std::vector<std::vector<std::int64_t>> modules(groups.size());  // of one fabric, by group and part
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    std::vector<Class> all;
    std::size_t current = 0;
    std::unordered_map<std::uint64_t, std::size_t> class_of;  // by both groups
    std::vector<int> equipped;                                // groups with modules
    std::vector<std::pair<std::size_t, std::size_t>>
        to_name;  // the first link of a kind that cannot be built, and its line
    for (std::size_t i = 0; i < links_of[f].size(); ++i) {
      const Slim& l = links_of[f][i];
      if (all.empty() || all[current].near != l.near_group || all[current].far != l.far_group) {
        const auto both = static_cast<std::uint64_t>(static_cast<std::uint32_t>(l.near_group)) << 32 |
                          static_cast<std::uint32_t>(l.far_group);
        const auto [known, fresh] = class_of.try_emplace(both, all.size());
        current = known->second;
        if (fresh)
          all.push_back({.near = l.near_group,
                         .far = l.far_group,
                         .what = plan.fabrics[f].name + ": " + between(l.near_group, l.far_group),
                         .rate = groups[l.near_group].rate});
      }
      Class& k = all[current];
      if (l.length <= 0) {
        ++k.unmeasured;
        continue;
      }
      const CableChoice& c = choices_[at(choice_of_cage_[at(l.far_cage)])];
      if (c.form == CableChoice::Form::none) {
        std::size_t u = unbuilt_.size();
        for (std::size_t known : k.unbuilt)
          if (unbuilt_[known].why == c.why) u = known;
        if (u == unbuilt_.size()) {
          k.unbuilt.push_back(u);
          unbuilt_.push_back({.fabric = static_cast<int>(f), .what = k.what, .why = c.why, .reach = c.offered});
          to_name.emplace_back(i, u);
        }
        ++unbuilt_[u].count;
        unbuilt_[u].longest = std::max(unbuilt_[u].longest, Meters(l.length));
        continue;
      }
      bool counts = true;
      if (c.form == CableChoice::Form::cable && c.shared)
        counts = once(c.head_group == l.far_group ? l.far_cage : l.near_cage);
      if (c.form == CableChoice::Form::modules) {
        // A module for each cage, named by what the cage belongs to.
        for (const bool far : {false, true}) {
          const std::int32_t cage = far ? l.far_cage : l.near_cage;
          const std::size_t group = at(far ? l.far_group : l.near_group);
          if (!once(cage)) continue;
          if (modules[group].empty()) {
            modules[group].assign(cluster_->cables.size(), 0);
            equipped.push_back(static_cast<int>(group));
          }
          ++modules[group][at(c.module_of(static_cast<int>(group)))];
        }
        if (c.links_per_fibre > 1) {
          const bool far = c.head_group == l.far_group;
          if (fibre_seen.empty()) fibre_seen.assign(choice_of_cage_.size(), 0);
          std::uint8_t& seen = fibre_seen[at(far ? l.far_cage : l.near_cage)];
          const auto bit = static_cast<std::uint8_t>(1U << place_of(c.links_per_fibre, far ? l.far_port : l.near_port));
          counts = !(seen & bit);
          seen |= bit;
        }
      }
      if (!counts) continue;
      const Run r = run(c, l.near_group, l.far_group, l.length);
      const std::pair<const CableModel*, double> sold{r.cable, r.length.value};
      if (k.line >= k.fibres.size() || k.fibres[k.line].first != sold) {
        k.line = at(std::find_if(k.fibres.begin(), k.fibres.end(), [&](const auto& x) { return x.first == sold; }) -
                    k.fibres.begin());
        if (k.line == k.fibres.size()) k.fibres.push_back({sold, 0});
      }
      k.fibres[k.line].second += c.form == CableChoice::Form::modules ? c.fibres_per_link : 1;
    }
    if (!to_name.empty()) {
      std::size_t i = 0, next = 0;
      links.each(static_cast<int>(f), [&](const PluggedLink& l) {
        if (groups[at(l.near_group)].nothing_plugged) return true;
        if (i++ != to_name[next].first) return true;
        Unbuilt& u = unbuilt_[to_name[next].second];
        links.near_end(l, u.near);
        links.far_end(l, u.far);
        return ++next < to_name.size();
      });
    }
    for (const int g : equipped) {
      for (std::size_t part = 0; part < cluster_->cables.size(); ++part)
        if (const std::int64_t n = modules[at(g)][part])
          lots[{static_cast<int>(f), 0, static_cast<int>(part), 0, plan.fabrics[f].name + ": " + groups[at(g)].who}] +=
              n;
      modules[at(g)] = {};
    }
    for (const Class& k : all) {
      for (const auto& [sold, n] : k.fibres)
        lots[{static_cast<int>(f), 1, static_cast<int>(sold.first - first_part), sold.second, k.what}] += n;
      if (k.unmeasured) unmeasured_.push_back({k.what, k.rate, k.unmeasured});
    }
  }
  for (const auto& [k, n] : lots) lots_.push_back({k.part, Meters(k.length), k.what, n});
}

void Cabling::name_cable(const Run& run, const PluggedLink& l, const CableEnd& near, const CableEnd& far,
                         std::string& out) const {
  const bool far_head = run.shared && run.head_is_far;
  out = "cable/";
  out += far_head ? far.object : near.object;
  out += '/';
  if (!run.shared) {
    out += near.port;
    return;
  }
  // A shared cable is named by the first port of its head; a server's cage by its number, fibre of a split port by
  // that.
  if (far_head || l.block < 0) {
    append_int(out, first_port(run, far_head ? l.far_group : l.near_group, far_head ? l.far_port : l.near_port));
  } else if (run.links_each > 0) {
    out.append(near.port, 0, near.port.find("/plane"));
  } else {
    const CageGroup& g = groups_[static_cast<std::size_t>(l.near_group)];
    out += "cage";
    append_int(out, (l.near_cage - g.first) % g.per_device + 1);
  }
}

}  // namespace clusterc
