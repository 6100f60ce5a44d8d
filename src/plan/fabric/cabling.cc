// Cables and modules of each link, and whether a fabric needs a closer look at all. The choice is cabling_choice.cc,
// the bill cabling_count.cc.
#include "plan/fabric/cabling.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/text.h"
#include "plan/fabric/cable_picker.h"
#include "plan/fabric/cabling_links.h"
#include "spec/network.h"

namespace clusterc {

int CableChoice::module_of(int group) const { return std::ranges::lower_bound(modules, std::pair(group, 0))->second; }

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
  CablePicker picker{cluster_->cables, groups_};
  std::vector<bool> doubt(plan.fabrics.size(), true);
  for (std::size_t first = 0; first < joined.size(); ++first) {
    CablePicker::Need need;
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
  r.ports_each = groups_[at(c.head_group == far_group ? far_group : near_group)].ports_each;
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
