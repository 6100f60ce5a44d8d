// Components: all that there are, and by name.
#include <charconv>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "plan/failures/what_if_impl.h"
#include "spec/site.h"

namespace clusterc {

std::string_view component_word(ComponentKind k) {
  switch (k) {
    case ComponentKind::feed:
      return "feed";
    case ComponentKind::ups:
      return "ups";
    case ComponentKind::panel:
      return "panel";
    case ComponentKind::pdu:
      return "pdu";
    case ComponentKind::shelf:
      return "shelf";
    case ComponentKind::supply:
      return "psu";
    case ComponentKind::cooling:
      return "cooling";
    case ComponentKind::loop:
      return "loop";
    case ComponentKind::cdu:
      return "cdu";
    case ComponentKind::leaf:
      return "leaf";
    case ComponentKind::spine:
      return "spine";
    case ComponentKind::core:
      return "core";
    case ComponentKind::switch_:
      return "switch";
    case ComponentKind::link:
      return "link";
    case ComponentKind::node:
      return "node";
    case ComponentKind::storage:
      return "storage";
    case ComponentKind::transfer:
      return "transfer";
    case ComponentKind::mains:
      return "mains";
    case ComponentKind::generator:
      return "generator";
  }
  return "?";
}

namespace {
ComponentKind kind_of_tier(std::string_view word) {
  return word == "leaf"    ? ComponentKind::leaf
         : word == "spine" ? ComponentKind::spine
         : word == "core"  ? ComponentKind::core
                           : ComponentKind::switch_;
}
}  // namespace

namespace {

// Of a rack, or an assembly: the cords that are its shelves are the last ones, from this one on.
std::size_t first_shelf(const PowerClass& k) {
  if (k.assembly) return 0;
  std::size_t first = k.rack.cords.size();
  while (k.rack.busbar >= 0 && first > 0 && k.rack.cords[first - 1].device == k.rack.busbar) --first;
  return first;
}

// PDUs stand before the shelves.
std::int64_t pdus_of(const PowerRack& rack) {
  return std::ranges::count_if(rack.positions, [](const PowerPosition& p) { return p.pdu >= 0; });
}

}  // namespace

std::vector<WhatIfEngine::Single> WhatIfEngine::singles() const {
  const Impl& m = *impl_;
  const Cluster& c = m.c;
  const auto number = [](std::size_t i) { return static_cast<std::int32_t>(i); };
  std::vector<Single> out;
  for (std::size_t f = 0; f < c.feeds.size(); ++f) out.push_back({{ComponentKind::feed, number(f)}});
  for (std::size_t f = 0; f < c.feeds.size(); ++f)
    if (m.ups[f].modules > 0) out.push_back({{ComponentKind::ups, number(f)}, m.ups[f].modules});
  if (!c.generators.empty()) out.push_back({{ComponentKind::mains}});
  for (std::size_t t = 0; t < c.transfers.size(); ++t)
    if (!c.transfers[t].spec->each_pdu.value_or(false)) out.push_back({{ComponentKind::transfer, number(t)}});
  for (std::size_t p = 0; p < c.panels.size(); ++p) out.push_back({{ComponentKind::panel, number(p)}});
  for (std::size_t r = 0; r < m.plan.racks.size(); ++r)
    if (m.class_of[r] >= 0 && !m.classes[m.class_of[r]].assembly)
      for (std::size_t p = 0; p < static_cast<std::size_t>(pdus_of(m.classes[m.class_of[r]].rack)); ++p)
        out.push_back({{ComponentKind::pdu, -1, static_cast<std::int64_t>(r), number(p)}});
  for (std::size_t r = 0; r < m.plan.racks.size(); ++r) {
    if (m.class_of[r] < 0) continue;
    const PowerClass& k = m.classes[m.class_of[r]];
    for (std::size_t i = 0; i < k.rack.cords.size(); ++i) {
      if (i >= first_shelf(k))
        out.push_back({{ComponentKind::shelf, -1, static_cast<std::int64_t>(r), number(i)}});
      else
        out.push_back(
            {{ComponentKind::supply, k.rack.cords[i].device, static_cast<std::int64_t>(r), k.rack.cords[i].supply}});
    }
  }
  for (std::size_t z = 0; z < c.zones.size(); ++z) {
    if (!c.zones[z].spec) continue;
    const CoolingUnits u = cooling_units(c.zones[z]);
    if (u.units > 0) out.push_back({{u.cdu ? ComponentKind::cdu : ComponentKind::cooling, number(z)}, u.units});
    if (c.zones[z].spec->method.value == CoolingMethod::liquid) out.push_back({{ComponentKind::loop, number(z)}});
  }
  for (std::size_t f = 0; f < m.plan.fabrics.size(); ++f)
    for (const FabricTier& t : m.plan.fabrics[f].tiers)
      for (std::int64_t i = 0; i < t.count; ++i) out.push_back({{kind_of_tier(t.word), number(f), i}});
  // Links: those from one group to one leaf are alike, and so are the uplinks of one switch.
  for (std::size_t f = 0; f < m.plan.fabrics.size(); ++f) {
    const FabricLoss& loss = m.fabric(f);
    const Fabric& fabric = loss.fabric();
    if (fabric.tiers.empty()) continue;
    for (std::int64_t l = 0; l < fabric.tiers[0].count; ++l) {
      std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> kinds;  // block -> first entry, how many
      for (std::int64_t e = loss.first_entry(l); e < loss.first_entry(l) + loss.leaf_ends(l); ++e)
        ++kinds.try_emplace(loss.entry(e).block, e, 0).first->second.second;
      for (const auto& [block, value] : kinds)
        out.push_back({{ComponentKind::link, number(f), value.first, 0}, value.second});
    }
    for (std::size_t t = 0; t + 1 < fabric.tiers.size(); ++t)
      for (std::int64_t i = 0; i < fabric.tiers[t].count; ++i)
        out.push_back({{ComponentKind::link, number(f), i, static_cast<std::int32_t>(t) + 1},
                       t == 0 && !fabric.leaf_groups.empty() ? fabric.leaf_up(i) : fabric.tiers[t].up});
  }
  for (const NodeGroupModel& g : c.nodes)
    if (!g.computes)
      for (std::int64_t i = 0; i < g.count; ++i) out.push_back({{ComponentKind::node, -1, g.first + i}});
  for (std::size_t s = 0; s < c.storage.size(); ++s)
    if (c.storage[s].part && c.storage[s].nodes < 0)
      for (std::int64_t i = 0; i < c.storage[s].count; ++i) out.push_back({{ComponentKind::storage, number(s), i}});
  return out;
}

std::int64_t WhatIfEngine::alike(const Component& link) const {
  const FabricLoss& loss = impl_->fabric(static_cast<std::size_t>(link.of));
  const Fabric& fabric = loss.fabric();
  if (link.part > 0) return fabric.tiers[static_cast<std::size_t>(link.part - 1)].up;
  const std::int64_t leaf = loss.leaf_of_entry(link.index);
  std::int64_t n = 0;
  for (std::int64_t e = loss.first_entry(leaf); e < loss.first_entry(leaf) + loss.leaf_ends(leaf); ++e)
    n += loss.entry(e).block == loss.entry(link.index).block;
  return n;
}

std::string WhatIfEngine::name(const Component& k) const {
  const Impl& m = *impl_;
  const Cluster& c = m.c;
  const std::string word(component_word(k.kind));
  switch (k.kind) {
    case ComponentKind::feed:
    case ComponentKind::ups:
      return word + "/" + c.feeds[k.of].name;
    case ComponentKind::panel:
      return word + "/" + c.panels[k.of].name;
    case ComponentKind::pdu:
      return word + "/" + c.rack_name(k.index) + "/" + static_cast<char>('a' + k.part);
    case ComponentKind::shelf:
      return word + "/" + c.rack_name(k.index) + "/" +
             std::to_string(k.part + 1 - static_cast<std::int32_t>(first_shelf(m.classes[m.class_of[k.index]])));
    case ComponentKind::transfer:
      return word + "/" + c.transfers[k.of].name;
    case ComponentKind::generator:
      return word + "/" + c.generators[k.of].name;
    case ComponentKind::mains:
      return word;
    case ComponentKind::supply: {
      const RackedDevice& d = m.plan.racks[k.index].devices[k.of];
      const std::string object = d.kind == DeviceKind::node ? m.plan.node_object(d.index)
                                 : d.kind == DeviceKind::storage
                                     ? "storage/" + c.storage[d.group].name + "/" + std::to_string(d.index + 1)
                                     : m.plan.switch_name(d.group, m.plan.switch_ref(d.group, d.index));
      return word + "/" + object + "/" + std::to_string(k.part + 1);
    }
    case ComponentKind::cooling:
    case ComponentKind::loop:
    case ComponentKind::cdu:
      return word + "/" + c.zones[k.of].name;
    case ComponentKind::leaf:
      return m.plan.switch_name(k.of, {0, k.index});
    case ComponentKind::spine:
      return m.plan.switch_name(k.of, {1, k.index});
    case ComponentKind::core:
      return m.plan.switch_name(k.of, {2, k.index});
    case ComponentKind::switch_:
      return m.plan.switch_name(k.of, {0, k.index});
    case ComponentKind::link: {
      const Fabric& f = m.plan.fabrics[k.of];
      if (k.part > 0)
        return format("link/{}-{}", f.tiers[k.part].word, m.plan.switch_name(k.of, {k.part - 1, k.index}));
      const FabricLoss& loss = m.fabric(static_cast<std::size_t>(k.of));
      return format("link/{}-{}", m.who(f.blocks[loss.entry(k.index).block]),
                    m.plan.switch_name(k.of, {0, loss.leaf_of_entry(k.index)}));
    }
    case ComponentKind::node:
      return m.plan.node_object(k.index);
    case ComponentKind::storage:
      return word + "/" + c.storage[k.of].name + "/" + std::to_string(k.index + 1);
  }
  return word;
}

std::string WhatIfEngine::unit_range(const Single& s) const {
  const std::string one = name(s.component);
  if (s.component.kind == ComponentKind::link || s.component.kind == ComponentKind::loop) return one;
  const bool units = s.component.kind == ComponentKind::ups || s.component.kind == ComponentKind::cooling ||
                     s.component.kind == ComponentKind::cdu;
  if (!units) return one;
  return s.times == 1 ? one + "/1" : format("{}/[1-{}]", one, s.times);
}

// KIND:NAME, one kind after the other. `error` says why a name is none.
struct WhatIfEngine::Impl::Finder {
  const WhatIfEngine& engine;
  const Impl& m;
  const Cluster& c;
  std::string& error;
  std::string kind, rest;   // before and behind the colon
  std::string front, back;  // of the rest, before and behind its last slash; without one the rest, and nothing
  bool numbered;            // there is one

  Finder(const WhatIfEngine& of, std::string_view word, std::size_t colon, std::string& why)
      : engine(of), m(*of.impl_), c(m.c), error(why), kind(word.substr(0, colon)), rest(word.substr(colon + 1)) {
    const auto slash = rest.rfind('/');
    numbered = slash != std::string::npos;
    front = rest.substr(0, slash);
    back = numbered ? rest.substr(slash + 1) : "";
  }

  std::optional<Component> find() const {
    if (kind == "feed" || kind == "ups") return feed();
    if (kind == "panel") return by_name(c.panels, ComponentKind::panel, "panel");
    if (kind == "transfer") return by_name(c.transfers, ComponentKind::transfer, "transfer switch");
    if (kind == "generator") return by_name(c.generators, ComponentKind::generator, "generator");
    if (kind == "pdu") return pdu();
    if (kind == "shelf") return shelf();
    if (kind == "cooling" || kind == "loop" || kind == "cdu") return zone();
    if (kind == "leaf" || kind == "spine" || kind == "core" || kind == "switch") {
      if (const auto found = find_switch(kind, rest)) return found;
      return no(format("there is no {} '{}'", kind, rest));
    }
    if (kind == "link") return link();
    if (kind == "node") {
      if (const std::int64_t n = node(rest); n >= 0) return Component{ComponentKind::node, -1, n};
      return no(format("there is no node '{}'", rest));
    }
    if (kind == "storage") return storage();
    if (kind == "psu") return supply();
    return no(format(
        "'{}' is not a kind of component: mains, generator, feed, ups, transfer, panel, pdu, shelf, psu, cooling, "
        "loop, cdu, leaf, spine, core, "
        "switch, link, node, storage",
        kind));
  }

 private:
  std::optional<Component> no(std::string text) const {
    error = std::move(text);
    return std::nullopt;
  }
  // From 1; -1 when it is no number.
  static std::int64_t index(std::string_view text) {
    std::int64_t n = -1;
    const auto end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, n);
    return failed == std::errc() && at == end ? n : -1;
  }
  template <class List>
  static std::int32_t index_of(const List& list, std::string_view name) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name) return static_cast<std::int32_t>(i);
    return -1;
  }
  std::int64_t rack(std::string_view name) const {
    for (const RackGroupModel& g : c.racks)
      if (const std::int64_t i = g.names.index_of(name); i >= 0) return g.first + i;
    for (const AssemblyGroupModel& a : c.assemblies)
      if (const std::int64_t i = a.names.index_of(name); i >= 0) return a.first + i;
    return -1;
  }
  std::int64_t node(std::string_view name) const {
    for (const NodeGroupModel& g : c.nodes) {
      if (const std::int64_t i = g.names.index_of(name); i >= 0) return g.first + i;
      if (name.starts_with(g.name + "/"))
        for (std::int64_t i = 0; i < g.count; ++i)
          if (g.names.suffix(i) == name.substr(g.name.size() + 1)) return g.first + i;
    }
    return -1;
  }

  template <class List>
  std::optional<Component> by_name(const List& list, ComponentKind of, std::string_view word) const {
    if (const std::int32_t i = index_of(list, rest); i >= 0) return Component{of, i};
    return no(format("there is no {} '{}'", word, rest));
  }

  std::optional<Component> feed() const {
    const std::int32_t f = index_of(c.feeds, kind == "ups" && numbered && index_of(c.feeds, rest) < 0 ? front : rest);
    if (f < 0) return no(format("there is no feed '{}'", rest));
    if (kind == "feed") return Component{ComponentKind::feed, f};
    if (m.ups[f].modules == 0) return no(format("feed '{}' has no UPS", c.feeds[f].name));
    return Component{ComponentKind::ups, f};
  }

  std::optional<Component> pdu() const {
    const std::int64_t r = rack(front);
    if (r < 0 || m.classes[m.class_of[r]].assembly) return no(format("there is no rack '{}'", front));
    const std::int64_t n = pdus_of(m.classes[m.class_of[r]].rack);
    if (back.size() != 1 || back[0] < 'a' || back[0] >= 'a' + n)
      return no(n > 0
                    ? format("rack '{}' has PDUs a to {}: write pdu:{}/a", front, static_cast<char>('a' + n - 1), front)
                    : format("rack '{}' has no PDUs", front));
    return Component{ComponentKind::pdu, -1, r, back[0] - 'a'};
  }

  std::optional<Component> shelf() const {
    const std::int64_t r = rack(front), n = index(back);
    if (r < 0 || (!m.classes[m.class_of[r]].assembly && m.classes[m.class_of[r]].rack.busbar < 0))
      return no(format("there is no assembly '{}'", front));
    const PowerClass& k = m.classes[m.class_of[r]];
    const auto first = static_cast<std::int64_t>(first_shelf(k)),
               shelves = static_cast<std::int64_t>(k.rack.cords.size()) - first;
    if (n < 1 || n > shelves)
      return no(format("{} '{}' has {} power shelves on feeds: write shelf:{}/1", k.assembly ? "assembly" : "rack",
                       front, shelves, front));
    return Component{ComponentKind::shelf, -1, r, static_cast<std::int32_t>(first + n - 1)};
  }

  std::optional<Component> zone() const {
    const std::int32_t z = index_of(c.zones, index_of(c.zones, rest) < 0 ? front : rest);
    if (z < 0) return no(format("there is no cooling zone '{}'", rest));
    const bool cdu = cooling_units(c.zones[z]).cdu;
    if (kind == "loop") return Component{ComponentKind::loop, z};
    if ((kind == "cdu") != cdu)
      return no(format("cooling zone '{}' has {}: write {}:{}", c.zones[z].name,
                       cdu ? "coolant distribution units" : "cooling units", cdu ? "cdu" : "cooling", c.zones[z].name));
    return Component{cdu ? ComponentKind::cdu : ComponentKind::cooling, z};
  }

  std::optional<Component> find_switch(std::string_view what, std::string_view name) const {
    const std::int64_t n = index(name);
    for (std::size_t f = 0; f < m.plan.fabrics.size(); ++f) {
      const Fabric& fabric = m.plan.fabrics[f];
      for (std::size_t t = 0; t < fabric.tiers.size(); ++t) {
        if (fabric.tiers[t].word != what) continue;
        if (n >= 1) {  // "spine:3": of the first network that has such switches
          if (n > fabric.tiers[t].count) return std::nullopt;
          return Component{kind_of_tier(what), static_cast<std::int32_t>(f), n - 1};
        }
        for (std::int64_t i = 0; i < fabric.tiers[t].count; ++i)
          if (m.plan.switch_name(static_cast<int>(f), {static_cast<int>(t), i}).substr(what.size() + 1) == name)
            return Component{kind_of_tier(what), static_cast<std::int32_t>(f), i};
      }
    }
    return std::nullopt;
  }

  // "gpu-leaf/compute/u1/r3", "spine-leaf/compute/u1/r3": one of those links.
  std::optional<Component> link() const {
    for (auto dash = rest.find('-'); dash != std::string::npos; dash = rest.find('-', dash + 1)) {
      const auto cut = rest.find('/', dash);
      if (cut == std::string::npos) break;
      const auto s =
          find_switch(std::string_view(rest).substr(dash + 1, cut - dash - 1), std::string_view(rest).substr(cut + 1));
      if (!s) continue;
      const Fabric& fabric = m.plan.fabrics[s->of];
      const std::string far = rest.substr(0, dash);
      for (std::size_t t = 0; t + 1 < fabric.tiers.size(); ++t)
        if (fabric.tiers[t].word == component_word(s->kind) && fabric.tiers[t + 1].word == far)
          return Component{ComponentKind::link, s->of, s->index, static_cast<std::int32_t>(t) + 1};
      if (fabric.tiers[0].word != component_word(s->kind)) continue;
      const FabricLoss& loss = m.fabric(static_cast<std::size_t>(s->of));
      for (std::int64_t e = loss.first_entry(s->index); e < loss.first_entry(s->index) + loss.leaf_ends(s->index); ++e)
        if (m.who(fabric.blocks[loss.entry(e).block]) == far) return Component{ComponentKind::link, s->of, e, 0};
    }
    return no(format("there is no link '{}'", rest));
  }

  std::optional<Component> storage() const {
    const std::int32_t s = index_of(c.storage, front);
    const std::int64_t n = !numbered ? 1 : index(back);
    if (s < 0) return no(format("there is no storage '{}'", front));
    if (!c.storage[s].part || c.storage[s].nodes >= 0)
      return no(format("storage '{}' has no systems of its own", front));
    if (n < 1 || n > c.storage[s].count)
      return no(format("storage '{}' has {} systems: write storage:{}/1", front, c.storage[s].count, front));
    return Component{ComponentKind::storage, s, n - 1};
  }

  std::optional<Component> supply_of(const std::string& object, std::int64_t n) const {
    std::int32_t at = -1;
    std::int16_t device = -1;
    const auto rest_of = [&](std::string_view prefix) { return std::string_view(object).substr(prefix.size()); };
    if (const std::int64_t i = node(object.starts_with("node/") ? rest_of("node/") : object); i >= 0) {
      at = m.plan.node_rack[i];
      if (at >= 0) device = m.device_in(at, DeviceKind::node, c.node_group_of(i), i);
    } else if (object.starts_with("storage/")) {
      std::string ignored;
      if (const auto s = engine.find("storage:" + std::string(rest_of("storage/")), ignored))
        std::tie(at, device) = m.storage_place[s->of][s->index];
    } else if (const auto cut = object.find('/'); cut != std::string::npos) {
      if (const auto s = find_switch(object.substr(0, cut), object.substr(cut + 1))) {
        const Fabric& fabric = m.plan.fabrics[s->of];
        std::int64_t number = s->index;
        for (std::size_t t = 0; t < fabric.tiers.size() && fabric.tiers[t].word != object.substr(0, cut); ++t)
          number += fabric.tiers[t].count;
        at = m.plan.switch_rack[fabric.first_switch + number];
        if (at >= 0) device = m.device_in(at, DeviceKind::switch_, s->of, number);
      }
    }
    if (at < 0 || device < 0 || n < 1 || n > m.classes[m.class_of[at]].rack.devices[device].supplies)
      return std::nullopt;
    return Component{ComponentKind::supply, device, at, static_cast<std::int32_t>(n - 1)};
  }
  // "gpu017/3", "node/gpu/017/3", "spine/compute/03/1"; without a number the first.
  std::optional<Component> supply() const {
    if (const std::int64_t n = index(back); n >= 1 && numbered)
      if (const auto found = supply_of(front, n)) return found;
    if (const auto found = supply_of(rest, 1)) return found;
    return no(format("there is no power supply '{}' in a rack: write psu:NODE/1", rest));
  }
};

std::optional<Component> WhatIfEngine::find(std::string_view word, std::string& error) const {
  if (word == "mains") {
    if (!impl_->c.feeds.empty()) return Component{ComponentKind::mains};
    error = "the site has no feeds that the mains supply";
    return std::nullopt;
  }
  const auto colon = word.find(':');
  if (colon == std::string_view::npos || colon + 1 == word.size()) {
    error = format("'{}' is not of the form KIND:NAME, for example feed:A", word);
    return std::nullopt;
  }
  return Impl::Finder(*this, word, colon, error).find();
}

}  // namespace clusterc
