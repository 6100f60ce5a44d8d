#include "audit/port_numbers.h"

#include <algorithm>
#include <tuple>

namespace clusterc {

PortNumbers::Ports PortNumbers::ports_of(const SeenHost& h) {
  Ports out;
  for (const SeenEnd& e : h.ends) out.push_back(e.key());
  return out;
}

PortNumbers::PortNumbers(const std::vector<HostToNumber>& all) {
  std::map<HostKind, std::vector<const HostToNumber*>> hosts;
  for (const HostToNumber& h : all) hosts[h.kind].push_back(&h);
  std::vector<HostKind> lacking;
  for (const auto& [kind, of_kind] : hosts) {
    bool none = false;
    number_whole(of_kind, kind.second, numbering_[kind], none);
    if (none) lacking.push_back(kind);
  }
  for (const HostKind& kind : lacking) {
    const std::vector<const HostToNumber*>& of_kind = hosts.at(kind);
    const Ports* whole = whole_ports(of_kind, kind.second);
    numbering_[kind].usual = whole ? *whole : ports_by_leaf(of_kind, kind.second);
  }
}

// By the hosts that have all of their ports. `none`: there is no such host.
void PortNumbers::number_whole(const std::vector<const HostToNumber*>& hosts, std::size_t count, Numbering& out,
                               bool& none) {
  std::map<Ports, std::int64_t> times;
  std::int64_t full = 0, most = 0;
  for (const HostToNumber* h : hosts)
    if (h->host->ends.size() == count) ++times[ports_of(*h->host)], ++full;
  bool tie = false;
  for (const auto& [ports, n] : times) {
    tie = n == most;
    if (n > most) most = n, out.usual = ports, tie = false;
  }
  for (const auto& [ports, n] : times)
    if (n >= 3 && 4 * n >= full) out.trusted.insert(ports);
  Ports first = out.usual;
  // As many hosts say so as otherwise: each is taken at its word.
  if (tie || (most == 1 && full > 1)) {
    for (const auto& [ports, n] : times) out.trusted.insert(ports);
    out.usual.clear();
  }
  for (const HostToNumber* h : hosts)
    if (const Ports ports = ports_of(*h->host); ports != first && out.trusted.contains(ports))
      otherwise_.push_back(h->host->name);
  none = full == 0;
}

// The numbers of another kind of hosts with as many ports, which have all that these hosts have; null: there is none.
const PortNumbers::Ports* PortNumbers::whole_ports(const std::vector<const HostToNumber*>& hosts,
                                                   std::size_t count) const {
  std::set<std::pair<std::int64_t, std::int64_t>> have;
  for (const HostToNumber* h : hosts)
    for (const SeenEnd& e : h->host->ends) have.insert(e.key());
  for (const auto& [kind, n] : numbering_)
    if (kind.second == count && n.usual.size() == count && std::all_of(have.begin(), have.end(), [&](const auto& key) {
          return std::find(n.usual.begin(), n.usual.end(), key) != n.usual.end();
        }))
      return &n.usual;
  return nullptr;
}

// No host has all of its ports: each adapter is the port whose planned leaf it is plugged into most often, as far as
// leaves are known, and the others are what is left, in order.
PortNumbers::Ports PortNumbers::ports_by_leaf(const std::vector<const HostToNumber*>& hosts, std::size_t count) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::size_t, std::int64_t>> votes;
  for (const HostToNumber* h : hosts)
    for (const SeenEnd& e : h->host->ends) {
      auto& of_key = votes[e.key()];
      for (std::size_t r = 0; r < h->leaves.size() && r < count; ++r)
        if (h->leaves[r] == e.leaf) ++of_key[r];
    }
  std::vector<std::tuple<std::int64_t, std::size_t, std::pair<std::int64_t, std::int64_t>>> order;
  for (const auto& [key, ranks] : votes)
    for (const auto& [r, n] : ranks) order.emplace_back(-n, r, key);
  std::sort(order.begin(), order.end());
  constexpr std::pair<std::int64_t, std::int64_t> kFree{-1, -1};
  Ports out(count, kFree);
  std::set<std::pair<std::int64_t, std::int64_t>> placed;
  for (const auto& [n, r, key] : order)
    if (out[r] == kFree && !placed.contains(key)) out[r] = key, placed.insert(key);
  for (const auto& [key, ranks] : votes)
    if (const auto free = std::find(out.begin(), out.end(), kFree); free != out.end() && !placed.contains(key))
      *free = key;
  return out;
}

std::int32_t PortNumbers::rank(const HostKind& kind, const SeenHost& h, std::size_t end) const {
  const auto numbering = numbering_.find(kind);
  if (numbering == numbering_.end()) return h.ends.size() == kind.second ? static_cast<std::int32_t>(end) : -1;
  const Numbering& n = numbering->second;
  if (h.ends.size() == kind.second && n.trusted.contains(ports_of(h))) return static_cast<std::int32_t>(end);
  const auto found = std::find(n.usual.begin(), n.usual.end(), h.ends[end].key());
  return found == n.usual.end() ? -1 : static_cast<std::int32_t>(found - n.usual.begin());
}

}  // namespace clusterc
