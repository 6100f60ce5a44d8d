#include "system/host_names.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/group_ends.h"
#include "plan/equipment.h"
#include "system/interfaces.h"

namespace clusterc {
namespace {

constexpr std::string_view kReserved[] = {"localhost", "ip6-localhost", "ip6-loopback"};

std::string_view equipment_word(FabricBlock::What what) {
  return what == FabricBlock::What::switches ? "a switch" : what == FabricBlock::What::pdus ? "a PDU" : "a shelf";
}

// Whether some name of the pattern may hold '-': one that stands outside of brackets.
bool has_hyphen(std::string_view pattern) {
  bool inside = false;
  for (const char c : pattern) {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c == '-' && !inside) return true;
  }
  return false;
}

}  // namespace

HostNames::HostNames(const System& in) : in_(in) {
  const Cluster& c = in.cluster;
  for (const NodeGroupModel& g : c.nodes) kinds_.push_back({"node group '" + g.name + "'", g.span, {}});
  for (const AddressPlan& a : in.plan.addresses)  // whoever has only its BMC in a network has no plain name
    for (const EndPoints& e : c.networks[a.network].ends)
      if (e.group >= 0 && !is_management_port(c, c.networks[a.network], e) &&
          kinds_[static_cast<std::size_t>(e.group)].suffixes.empty())
        kinds_[static_cast<std::size_t>(e.group)].suffixes.emplace_back();
  const auto first_storage = static_cast<int>(kinds_.size());
  for (const StorageModel& s : c.storage) kinds_.push_back({"storage '" + s.name + "'", s.span, {}});
  const auto add = [&](int kind, const std::string& network, std::int64_t addresses) {
    std::vector<std::string>& to = kinds_[static_cast<std::size_t>(kind)].suffixes;
    to.push_back("-" + network);
    for (std::int64_t i = 1; addresses > 1 && i <= addresses; ++i) append_int(to.emplace_back("-" + network + "-"), i);
  };
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = c.networks[a.network];
    std::vector<std::int64_t> of_group(c.nodes.size(), 0), of_storage(c.storage.size(), 0);
    for (std::size_t e = 0; e < net.ends.size(); ++e) {
      if (net.ends[e].group >= 0)
        of_group[static_cast<std::size_t>(net.ends[e].group)] += a.stride[e];
      else if (net.ends[e].storage >= 0)
        of_storage[static_cast<std::size_t>(net.ends[e].storage)] += a.stride[e];
    }
    for (std::size_t g = 0; g < of_group.size(); ++g)
      if (of_group[g]) add(static_cast<int>(g), net.name, of_group[g]);
    for (std::size_t s = 0; s < of_storage.size(); ++s)
      if (of_storage[s]) add(first_storage + static_cast<int>(s), net.name, of_storage[s]);
  }
  const auto take = [&](std::string name, int kind) {
    const auto [at, fresh] = single_.emplace(std::move(name), kind);
    if (!fresh) same_.push_back({at->first, at->second, kind});
  };
  for (std::size_t s = 0; s < c.storage.size(); ++s)
    for (std::int64_t i = 1; i <= c.storage[s].count; ++i)
      take(c.storage[s].name + "-" + std::to_string(i), first_storage + static_cast<int>(s));
  std::vector<std::pair<std::pair<FabricBlock::What, int>, int>>
      known;  // one kind for the same equipment in several networks
  for (const AddressPlan& a : in.plan.addresses)
    for (const EquipmentAddresses& e : a.equipment) {
      const std::pair what{e.what, e.of};
      auto at = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == what; });
      if (at == known.end()) {
        const int kind = static_cast<int>(kinds_.size());
        std::string text(equipment_word(e.what));
        if (e.what == FabricBlock::What::switches) text += " of network '" + c.networks[e.of].name + "'";
        if (e.what == FabricBlock::What::shelves) text += " of '" + c.assemblies[e.of].name + "'";
        kinds_.push_back(
            {text, e.what == FabricBlock::What::switches ? c.networks[e.of].span : c.networks[a.network].span, {""}});
        at = known.insert(known.end(), {what, kind});
        for (std::int64_t i = 0; i < e.count; ++i) take(equipment_host_name(in.plan, e.what, e.of, i), kind);
      }
      add(at->second, c.networks[a.network].name, 1);
    }
}

int HostNames::kind_of(std::string_view base) const {
  if (const int g = group_of_host(in_.cluster, base); g >= 0) return g;
  const auto at = single_.find(base);
  return at == single_.end() ? -1 : at->second;
}

// The machine `name` of this kind against those whose plain name is the beginning of its own.
bool HostNames::clash(std::string_view name, int kind, std::string& shared, int& other) const {
  for (std::size_t cut = name.find('-'); cut != std::string_view::npos; cut = name.find('-', cut + 1)) {
    other = cut == 0 ? -1 : kind_of(name.substr(0, cut));
    if (other < 0) continue;
    for (const std::string& mine : kinds_[static_cast<std::size_t>(kind)].suffixes) {
      const std::string rest = std::string(name.substr(cut)) + mine;
      const auto& theirs = kinds_[static_cast<std::size_t>(other)].suffixes;
      if (std::find(theirs.begin(), theirs.end(), rest) == theirs.end()) continue;
      shared = std::string(name) + mine;
      return true;
    }
  }
  return false;
}

bool HostNames::is_reserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

std::string HostNames::owner_of(std::string_view name) const {
  if (is_reserved(name)) return "every machine itself";
  for (std::size_t end = name.size(); end != 0 && end != std::string_view::npos; end = name.rfind('-', end - 1)) {
    const int kind = kind_of(name.substr(0, end));
    if (kind < 0) continue;
    const Kind& k = kinds_[static_cast<std::size_t>(kind)];
    if (std::find(k.suffixes.begin(), k.suffixes.end(), name.substr(end)) != k.suffixes.end()) return k.text;
  }
  return {};
}

// To DNS `N1` and `n1` are one name (RFC 1035, 2.3.3). Names are made only where somebody writes capitals.
void HostNames::same_but_for_case(const Tell& tell) const {
  const auto capital = [](std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  };
  const auto& groups = in_.cluster.nodes;
  if (std::none_of(groups.begin(), groups.end(), [&](const NodeGroupModel& g) { return capital(g.names.text()); }) &&
      std::none_of(single_.begin(), single_.end(), [&](const auto& s) { return capital(s.first); }))
    return;
  std::map<std::string, std::pair<std::string, int>, std::less<>>
      seen;  // as DNS sees it -> as it is written, and whose
  const auto see = [&](const std::string& name, int kind) {
    const auto [at, fresh] = seen.try_emplace(to_lower(name), name, kind);
    if (!fresh && at->second.first != name) tell(to_lower(name), at->second.second, kind);
  };
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::int64_t i = 0; i < groups[g].count; ++i) see(groups[g].names.name(i), static_cast<int>(g));
  for (const auto& [name, kind] : single_) see(name, kind);
}

void HostNames::check(Findings& findings) const {
  std::set<std::pair<int, int>> told;
  const auto tell = [&](const std::string& name, int first, int second) {
    if (!told.insert(std::minmax(first, second)).second) return;
    const Kind &a = kinds_[static_cast<std::size_t>(first)], &b = kinds_[static_cast<std::size_t>(second)];
    Finding& f = findings.error(
        "hosts-name-twice", b.span,
        "two machines have the name '" + name + "' in the compiled file hosts: " + a.text + " and " + b.text);
    if (first != second) f.note(a.span, "the other machine with this name");
    f.help("rename one of them, or the network that is part of the name");
  };
  for (const Same& s : same_) tell(s.name, s.first, s.second);
  std::string shared;
  int other = -1;
  for (const auto& [name, kind] : single_) {
    for (const int g : groups_of_host(in_.cluster, name)) {
      const auto &mine = kinds_[static_cast<std::size_t>(kind)].suffixes,
                 &theirs = kinds_[static_cast<std::size_t>(g)].suffixes;
      const auto both = std::find_first_of(mine.begin(), mine.end(), theirs.begin(), theirs.end());
      if (both != mine.end()) tell(name + *both, g, kind);
    }
    if (clash(name, kind, shared, other)) tell(shared, other, kind);
  }
  same_but_for_case(tell);
  std::string name;
  for (std::size_t g = 0; g < in_.cluster.nodes.size(); ++g) {
    const NodeGroupModel& group = in_.cluster.nodes[g];
    for (const std::string_view reserved : kReserved)
      if (group.names.index_of(reserved) >= 0)
        findings
            .error("hosts-name-twice", group.span,
                   "a node of '" + group.name + "' has the name '" + std::string(reserved) +
                       "', which every machine uses for itself")
            .help("rename it");
    if (!has_hyphen(group.names.text())) continue;
    for (std::int64_t i = 0; i < group.count; ++i) {
      name.clear();
      group.names.append_name(i, name);
      if (clash(name, static_cast<int>(g), shared, other)) {
        tell(shared, other, static_cast<int>(g));
        break;
      }
    }
  }
}

}  // namespace clusterc
