#include "plan/fabric/cable_picker.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/index.h"

namespace clusterc {
namespace {

// The medium is the cost, the reach comes next; parts are in the order of their ids.
bool cheaper(const CableChoice& a, const CableChoice& b, const std::vector<CableModel>& parts) {
  const auto medium = [&](const CableChoice& c) {
    return *parts[at(c.form == CableChoice::Form::cable ? c.part : c.fibres.front())].part->medium;
  };
  const Medium ma = medium(a), mb = medium(b);
  if (ma != mb) return ma < mb;
  if (a.reach.value != b.reach.value) return a.reach.value < b.reach.value;
  return a.form < b.form;
}

std::vector<CableChoice> for_groups(std::vector<CableChoice> options, const std::vector<int>& from,
                                    const std::vector<int>& to) {
  for (CableChoice& o : options) {
    if (o.head_group >= 0) o.head_group = to[at(std::ranges::find(from, o.head_group) - from.begin())];
    for (std::size_t i = 0; i < o.modules.size(); ++i) o.modules[i].first = to[i];
  }
  return options;
}

}  // namespace

bool same_rate(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

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

bool CablePicker::carries(const CablePart& p, const Need& n) {
  if (!p.medium || !((n.media >> static_cast<unsigned>(*p.medium)) & 1U)) return false;
  return p.links.empty() ||
         std::any_of(p.links.begin(), p.links.end(), [&](const auto& l) { return l && *l == n.kind; });
}

void CablePicker::cables(const Need& n, std::vector<CableChoice>& out) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const CablePart& p = *parts_[i].part;
    if (p.module.value_or(false) || !p.rate || !carries(p, n) || !p.connector || !p.reach) continue;
    const std::int64_t ends = p.ends.value_or(1);
    const std::string& far = p.far_connector.value_or(*p.connector);
    const CageGroup& head = groups_[at(n.head)];
    CableChoice c{.form = CableChoice::Form::cable, .part = static_cast<int>(i), .reach = *p.reach};
    if (ends == 1 && n.pair) {
      // All links of one cage to all of another; both are as wide as the cable.
      const CageGroup& a = groups_[at(n.groups.front())];
      const CageGroup& b = groups_[at(n.groups.back())];
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
        return g == n.head || (groups_[at(g)].links == 1 && cage_takes(groups_[at(g)].connector, far));
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

CablePicker::Fit CablePicker::fit(const CablePart& m, const CageGroup& g, double rate) {
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

int CablePicker::module_for(const Need& n, const CageGroup& group, const std::string& optic, double reach,
                            Fit& how) const {
  int best = -1;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const CablePart& m = *parts_[i].part;
    if (!m.module.value_or(false) || !m.rate || !m.optic || *m.optic != optic || !m.reach ||
        m.reach->value + 1e-6 < reach || !m.connector || !m.fibre || !carries(m, n))
      continue;
    if (!cage_takes(group.connector, *m.connector)) continue;
    const Fit f = fit(m, group, n.rate);
    if (f.split == 0 || (best >= 0 && parts_[at(best)].part->reach->value <= m.reach->value)) continue;
    best = static_cast<int>(i);
    how = f;
  }
  return best;
}

bool CablePicker::with_modules(const Need& n, const std::string& optic, double reach, CableChoice& c) const {
  std::int64_t split = 1, joined = 0, full = 1;
  std::size_t alike = 0;  // kinds of cage whose ports are split as those of the first
  std::int64_t first_split = 0;
  int heads = 0;
  std::string fibre,
      head_fibre;  // of modules whose port is one link's, and of those whose port is split: MPO there, LC here
  Medium medium{};
  for (int g : n.groups) {
    const CageGroup& group = groups_[at(g)];
    Fit how;
    const int best = module_for(n, group, optic, reach, how);
    std::string& plug = how.split > 1 || how.split < 0 ? head_fibre : fibre;
    if (best < 0 || (joined && how.joined != joined) || (!plug.empty() && plug != *parts_[at(best)].part->fibre))
      return false;
    joined = how.joined;
    plug = *parts_[at(best)].part->fibre;
    medium = *parts_[at(best)].part->medium;
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
  if (joined == 0) return false;
  // Both ends of a pair of cages are split alike: straight fibre from port to port carries what would be its
  // legs. Else split fibre has one head.
  if (n.pair && split > 1 && alike == n.groups.size())
    split = 1, c.head_group = -1;
  else if (heads > 1)
    return false;
  if (head_fibre.empty()) head_fibre = fibre;
  if (fibre.empty()) fibre = head_fibre;
  c.fibres_per_link = joined;
  c.links_per_fibre = full;
  for (const bool to_length : {false, true})
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const CablePart& f = *parts_[i].part;
      if (f.module.value_or(false) || f.rate || !f.medium || *f.medium != medium ||
          f.connector.value_or("") != head_fibre || f.far_connector.value_or(f.connector.value_or("")) != fibre ||
          f.ends.value_or(1) != split || f.lengths.empty() != to_length)
        continue;
      c.fibres.push_back(static_cast<int>(i));
    }
  return !c.fibres.empty();
}

void CablePicker::modules(const Need& n, std::vector<CableChoice>& out) const {
  std::map<std::string, std::vector<double>> optics;  // reaches on offer
  for (const CableModel& m : parts_)
    if (m.part->module.value_or(false) && m.part->rate && m.part->optic && m.part->reach && m.part->connector &&
        m.part->fibre && carries(*m.part, n))
      optics[*m.part->optic].push_back(m.part->reach->value);
  for (auto& [optic, reaches] : optics) {
    std::sort(reaches.begin(), reaches.end());
    reaches.erase(std::unique(reaches.begin(), reaches.end()), reaches.end());
    for (double reach : reaches) {
      CableChoice c{.form = CableChoice::Form::modules, .reach = Meters(reach)};
      if (with_modules(n, optic, reach, c)) out.push_back(std::move(c));
    }
  }
}

CablePicker::Need CablePicker::by_kind(const Need& n) {
  Need out = n;
  const auto kind = [&](int g) {
    const CageGroup& group = groups_[at(g)];
    return kinds_.try_emplace({group.connector, group.links}, static_cast<int>(kinds_.size())).first->second;
  };
  std::ranges::transform(n.groups, out.groups.begin(), kind);
  out.head = static_cast<int>(std::ranges::find(n.groups, n.head) - n.groups.begin());
  return out;
}

const std::vector<CableChoice>& CablePicker::options(const Need& n) {
  const auto [found, fresh] = known_.try_emplace(n);
  if (fresh && n.rate != kMixed) {
    const auto [like, first] = of_kinds_.try_emplace(by_kind(n), &*found);
    if (!first) return found->second = for_groups(like->second->second, like->second->first.groups, n.groups);
    cables(n, found->second);
    modules(n, found->second);
    std::stable_sort(found->second.begin(), found->second.end(),
                     [&](const CableChoice& a, const CableChoice& b) { return cheaper(a, b, parts_); });
  }
  return found->second;
}

std::string CablePicker::why_not(const Need& n, const std::vector<CableChoice>& options, double length) const {
  if (parts_.empty()) return "no cable is in the catalogue";
  if (n.rate == kMixed) return "ports of one cage run at different rates";
  for (int g : n.groups)
    if (groups_[at(g)].connector.empty())
      return format("the connector of '{}' is not stated",
                    groups_[at(g)].part.empty() ? groups_[at(g)].who : groups_[at(g)].part);
  if (!options.empty()) {
    const auto longest = std::max_element(options.begin(), options.end(),
                                          [](const auto& a, const auto& b) { return a.reach.value < b.reach.value; });
    return format("the path is {} long, the longest part that fits reaches {}",
                  to_text(Meters(std::round(length * 10) / 10)), to_text(longest->reach));
  }
  std::string cages;
  for (int g : n.groups) {
    const CageGroup& group = groups_[at(g)];
    if (!cages.empty()) cages += " to ";
    cages += group.links > 1 ? format("{} ({} links)", group.connector, group.links) : group.connector;
  }
  if (n.groups.size() == 1) cages += " to the same connector";
  return format("no part in the catalogue connects {} at {}", cages, to_text(BitsPerSecond(n.rate)));
}

}  // namespace clusterc
