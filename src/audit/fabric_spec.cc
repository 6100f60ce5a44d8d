#include "audit/fabric_spec.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "audit/seen_units.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/printable.h"
#include "base/text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Index = std::int32_t;

constexpr std::size_t kMostNamed = 8;  // hosts that a comment names

template <class Key>
Key most_common(const std::map<Key, std::int64_t>& times, Key none) {
  std::int64_t most = 0;
  for (const auto& [key, n] : times)
    if (n >= most)
      most = n, none = key;  // of two as common ones the greater: a cable is missing sooner than one too many
  return none;
}

// Hosts that are plugged into the same leaves.
struct Unit {
  std::vector<Index> leaves;
  std::vector<Index> of_rank;  // by rank of a port in its host: the leaf of most of them
  std::vector<std::string> hosts;
  std::int64_t unnamed = 0;  // hosts that adapters without a name belong to
};

class Describer {
 public:
  Describer(const SeenFabric& seen, Catalog& catalog)
      : seen_(seen), catalog_(catalog), leaves_(seen_leaves(seen)), hosts_(seen_hosts(seen)) {}

  bool read(std::string& error) {
    std::map<std::size_t, std::int64_t> sizes;
    for (const SeenHost& h : hosts_.named) ++sizes[h.ends.size()];
    ports_ = most_common(sizes, std::size_t{0});
    if (ports_ == 0) {
      error = "no adapter names its host: start rdma-ndd on the hosts, and take the dump again";
      return false;
    }
    keys_ = usual_ports(hosts_.named, ports_);
    find_units();
    place_hosts();
    count_unnamed();
    return read_tiers(error);
  }

  std::string write(std::string_view dump) const;

 private:
  Index rank(const SeenHost& h, std::size_t end) const {
    if (h.ends.size() == ports_) return static_cast<Index>(end);
    const auto found = std::find(keys_.begin(), keys_.end(), h.ends[end].key());
    return found == keys_.end() ? -1 : static_cast<Index>(found - keys_.begin());
  }

  void find_units() {
    std::vector<std::set<Index>> leaves_of_hosts;
    for (const SeenHost& h : hosts_.named) {
      std::set<Index> there;
      for (const SeenEnd& e : h.ends)
        if (leaves_.contains(e.leaf)) there.insert(e.leaf);
      leaves_of_hosts.push_back(std::move(there));
    }
    for (std::vector<Index>& leaves : leaf_units(leaves_of_hosts, ports_)) {
      for (const Index l : leaves) unit_of_[l] = static_cast<Index>(units_.size());
      units_.push_back({std::move(leaves), {}, {}, 0});
    }
    std::vector<std::vector<std::map<Index, std::int64_t>>> votes(units_.size(),
                                                                  std::vector<std::map<Index, std::int64_t>>(ports_));
    for (const SeenHost& h : hosts_.named)
      for (std::size_t e = 0; e < h.ends.size(); ++e)
        if (const Index r = rank(h, e); r >= 0 && unit_of_.contains(h.ends[e].leaf))
          ++votes[at(unit_of_[h.ends[e].leaf])][at(r)][h.ends[e].leaf];
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const auto& times : votes[u]) units_[u].of_rank.push_back(most_common(times, Index{-1}));
  }

  // A host belongs to the unit of most of its ports. One with fewer ports than the others, none of them on the leaf of
  // its rank, is of another kind: a fabric manager, a storage server.
  void place_hosts() {
    for (const SeenHost& h : hosts_.named) {
      std::map<Index, std::int64_t> times;
      bool ranked = h.ends.size() >= ports_;
      for (std::size_t e = 0; e < h.ends.size(); ++e) {
        const auto unit = unit_of_.find(h.ends[e].leaf);
        if (unit == unit_of_.end()) continue;
        ++times[unit->second];
        const Index r = rank(h, e);
        ranked |= r >= 0 && units_[at(unit->second)].of_rank[at(r)] == h.ends[e].leaf;
      }
      const Index unit = most_common(times, Index{-1});
      HostPattern::Error bad;
      const bool fits = unit >= 0 && ranked && h.ends.size() <= ports_ && HostPattern::parse(h.name, bad) &&
                        h.name.find_first_of("[],") == std::string::npos;
      if (!fits) {
        others_.push_back(h.name);
        continue;
      }
      units_[at(unit)].hosts.push_back(h.name);
      for (const SeenEnd& e : h.ends) ++on_leaf_[e.leaf];
    }
  }

  // Each host has one port on a leaf, or all of them on a single one.
  void count_unnamed() {
    for (const Index l : hosts_.nameless) ++on_leaf_[seen_.links[at(l)].a];
    for (Unit& u : units_) {
      const std::int64_t each = u.leaves.size() > 1 ? 1 : static_cast<std::int64_t>(ports_);
      std::int64_t most = 0;
      for (const Index l : u.leaves) most = std::max(most, (on_leaf_[l] + each - 1) / each);
      u.unnamed = std::max<std::int64_t>(0, most - static_cast<std::int64_t>(u.hosts.size()));
    }
    std::erase_if(units_, [](const Unit& u) { return u.hosts.empty() && u.unnamed == 0; });
    std::stable_sort(units_.begin(), units_.end(),
                     [&](const Unit& a, const Unit& b) { return natural_less(first_name(a), first_name(b)); });
  }
  static std::int64_t size_of(const Unit& u) { return static_cast<std::int64_t>(u.hosts.size()) + u.unnamed; }
  std::string first_name(const Unit& u) const { return u.hosts.empty() ? std::string() : u.hosts.front(); }

  bool read_tiers(std::string& error) {
    std::map<std::pair<Index, Index>, std::int64_t> pairs;
    std::set<Index> above;
    std::int64_t between = 0, above_leaves = 0;
    for (const SeenLink& l : seen_.links) {
      if (!seen_.devices[at(l.a)].is_switch || !seen_.devices[at(l.b)].is_switch) {
        if (!seen_.devices[at(l.b)].aggregation) ++rates_[l.rate.value];
        continue;
      }
      const bool a = leaves_.contains(l.a), b = leaves_.contains(l.b);
      ++between;
      if (!a && !b) {
        ++above_leaves;
        continue;
      }
      if (a && b) continue;
      ++pairs[{a ? l.a : l.b, a ? l.b : l.a}];
      above.insert(a ? l.b : l.a);
    }
    // One or two can be cables in the wrong switch.
    if (above_leaves > 2 && 10 * above_leaves > between) {
      error =
          "the fabric has a third tier of switches, which is not read from a dump yet: write the spec by hand "
          "(clusterc init --example superpod) and compare it with clusterc audit";
      return false;
    }
    std::map<std::int64_t, std::int64_t> times;
    for (const auto& [pair, n] : pairs) ++times[n];
    spines_ = static_cast<std::int64_t>(above.size());
    links_per_spine_ = most_common(times, std::int64_t{0});
    for (const SeenDevice& d : seen_.devices)
      if (d.is_switch && !d.model.empty()) ++models_[d.model];
    return true;
  }

  BitsPerSecond rate() const { return BitsPerSecond(most_common(rates_, 0.0)); }

  // The switch of the catalogue that is called so, else one whose name differs in the last digit: a variant of it.
  std::string switch_part(const std::string& model) const {
    std::string best;
    for (const PartInfo& info : catalog_.list()) {
      if (info.kind != PartKind::switch_) continue;
      const SwitchPart* part = catalog_.switch_(info.id);
      if (!part || !part->link || *part->link != LinkKind::infiniband) continue;
      const std::string name = to_lower(model);
      const std::string id(info.id.substr(info.id.find('-') + 1));
      if (name == id || name == "m" + id) return std::string(info.id);
      if (best.empty() && name.size() > 4 && ("m" + id).substr(0, name.size() - 1) == name.substr(0, name.size() - 1))
        best = info.id;
    }
    return best;
  }
  // Without a name, the first one with as many ports of this rate as a switch of the dump uses.
  std::string switch_of_rate() const {
    std::map<Index, std::int64_t> used;
    std::int64_t most = 0;
    for (const SeenLink& l : seen_.links)
      for (const Index d : {l.a, l.b})
        if (!seen_.devices[at(l.b)].aggregation) most = std::max(most, ++used[d]);
    for (const PartInfo& info : catalog_.list()) {
      if (info.kind != PartKind::switch_) continue;
      const SwitchPart* part = catalog_.switch_(info.id);
      if (part && part->link && *part->link == LinkKind::infiniband && part->port_rate && part->ports &&
          part->port_rate->value >= rate().value && *part->ports >= most)
        return std::string(info.id);
    }
    return {};
  }
  // One port of this rate, and nothing beside it.
  std::string adapter_part() const {
    std::string best;
    for (const PartInfo& info : catalog_.list()) {
      if (info.kind != PartKind::nic) continue;
      const NicPart* part = catalog_.nic(info.id);
      if (!part || !part->port_rate || part->port_rate->value != rate().value || !part->ports || *part->ports != 1)
        continue;
      const bool speaks = std::any_of(part->links.begin(), part->links.end(),
                                      [](const Value<LinkKind>& k) { return k && *k == LinkKind::infiniband; });
      // A ConnectX, and not a data processing unit.
      if (speaks && (best.empty() || (info.id.starts_with("cx") && !best.starts_with("cx")))) best = info.id;
    }
    return best;
  }

  const SeenFabric& seen_;
  Catalog& catalog_;
  std::set<Index> leaves_;
  SeenHosts hosts_;
  std::size_t ports_ = 0;  // of most hosts
  std::vector<std::pair<std::int64_t, std::int64_t>> keys_;
  std::map<Index, Index> unit_of_;  // by leaf
  std::vector<Unit> units_;
  std::vector<std::string> others_;  // hosts of another kind
  std::map<Index, std::int64_t> on_leaf_;
  std::int64_t spines_ = 0, links_per_spine_ = 0;
  std::map<double, std::int64_t> rates_;
  std::map<std::string, std::int64_t> models_;
};

std::string Describer::write(std::string_view dump) const {
  std::string out;
  YamlWriter yaml(out);
  yaml.comment(format(
      "The InfiniBand fabric of '{}', as its cables describe it. Complete it: what a dump cannot show is in comments.\n"
      "clusterc audit SPEC --fabric {} compares the two.",
      dump, dump));
  yaml.begin_map();
  yaml.field("clusterc", 1).field("rules", "2026.11").field("name", "fabric");
  yaml.comment(
      "The room is not known, so power, cooling and racks are not checked. Write region, altitude, supply, racks, "
      "feeds "
      "and cooling.");
  const auto unknown = [&](std::string_view key) {
    yaml.map(key).field("unknown", "a dump does not show it").end_map();
  };
  yaml.map("site");
  unknown("region");
  yaml.map("supply");
  unknown("phases");
  unknown("voltage");
  yaml.end_map().end_map();

  const std::string nic = adapter_part();
  std::int64_t largest = 0;
  for (const Unit& u : units_) largest = std::max(largest, size_of(u));
  const bool rails = std::any_of(units_.begin(), units_.end(), [](const Unit& u) { return u.leaves.size() > 1; });
  yaml.comment(
      format("The servers are not known: name a `model` of the catalogue, or write cpus, memory and gpus into "
             "`server`.\nThe adapters are taken for '{}': the dump shows their rate, not their model.",
             nic.empty() ? "unknown" : nic));
  if (!others_.empty()) {
    std::vector<std::string> some(others_.begin(),
                                  others_.begin() + static_cast<std::ptrdiff_t>(std::min(others_.size(), kMostNamed)));
    yaml.comment(
        format("Not described, since they are cabled otherwise than the others (fabric managers, storage): "
               "{}{}",
               join(some, ", "), others_.size() > some.size() ? ", …" : ""));
  }
  yaml.map("nodes");
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& u = units_[i];
    std::vector<std::string> names = u.hosts;
    for (std::int64_t k = 0; k < u.unnamed; ++k) names.push_back(format("unnamed-u{}-{}", i + 1, k + 1));
    if (u.unnamed > 0)
      yaml.comment(format("{} of its hosts {} not named by the adapters: put {} in the place of `unnamed-…`", u.unnamed,
                          u.unnamed == 1 ? "is" : "are", u.unnamed == 1 ? "its name" : "their names"));
    yaml.map(format("u{}", i + 1)).field("names", fold_names(names));
    yaml.map("server").end_map();
    if (!nic.empty()) yaml.map("nics").field("compute", format("{} x {}", ports_, nic)).end_map();
    if (rails) yaml.field("scalable_unit", largest);
    yaml.end_map();
  }
  yaml.end_map();

  const std::string model = most_common(models_, std::string());
  std::string part = model.empty() ? std::string() : switch_part(model);
  yaml.map("networks").map("compute");
  yaml.field("kind", "infiniband").field("rate", to_text(rate()));
  if (part.empty()) {
    part = switch_of_rate();
    yaml.comment(format("The switches {}: '{}' has enough ports of this rate.",
                        model.empty() ? "do not say their model" : format("call themselves '{}'", model), part));
  } else if (part.find(to_lower(model).substr(1)) == std::string::npos) {
    yaml.comment(format("The switches call themselves '{}'.", model));
  }
  yaml.field("switch", part);
  if (rails) yaml.field("topology", "rail-optimised");
  if (!rails && units_.size() > 1)
    yaml.comment(
        format("The fabric has {} leaves with up to {} hosts each. The plan fills each leaf before the next one, so it "
               "can have "
               "fewer: clusterc audit says which cables differ.",
               units_.size(), largest));
  if (spines_ > 0) yaml.field("spines", spines_).field("links_per_spine", links_per_spine_);
  // A unit with fewer hosts than the others keeps their places, so that the next one begins with a unit of its own.
  if (rails && std::any_of(units_.begin(), units_.end(), [&](const Unit& u) { return size_of(u) < largest; })) {
    yaml.map("built_for");
    for (std::size_t i = 0; i < units_.size(); ++i) yaml.field(format("u{}", i + 1), largest);
    yaml.end_map();
  }
  yaml.map("connects");
  for (std::size_t i = 0; i < units_.size(); ++i) yaml.map(format("u{}", i + 1)).field("ports", "compute").end_map();
  yaml.end_map().end_map().end_map();
  yaml.comment("The software is not known: a dump shows nothing of it.");
  yaml.map("software").map("scheduler").field("kind", "none").end_map().end_map();
  yaml.end_map();
  if (out.empty() || out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

std::string spec_of_fabric(const SeenFabric& seen, std::string_view dump, Catalog& catalog, std::string& error) {
  Describer describer(seen, catalog);
  return describer.read(error) ? describer.write(printable(dump)) : std::string();
}

}  // namespace clusterc
