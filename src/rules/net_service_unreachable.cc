#include "model/named_hosts.h"
#include "model/storage_path.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "spec/ha.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"

namespace clusterc {
namespace {

using Joined = std::vector<char>;  // by network
constexpr std::string_view kAlone = "is in no network: it cannot be reached";

// Which networks a member of the cluster is in with ports of its own: management ports carry no service.
class Reach {
 public:
  // `tcp`: what speaks TCP/IP needs addresses, which InfiniBand has none of without a subnet (IPoIB). Where no network
  // says one, nothing is known of them.
  explicit Reach(const Cluster& c, bool tcp = false)
      : c_(c),
        groups_(c.nodes.size(), Joined(c.networks.size(), 0)),
        storage_(c.storage.size(), Joined(c.networks.size(), 0)) {
    const bool addressed = tcp && std::any_of(c.networks.begin(), c.networks.end(),
                                              [](const NetworkModel& n) { return carries(n) && n.spec->subnet; });
    for (std::size_t n = 0; n < c.networks.size(); ++n) {
      const NetworkModel& net = c.networks[n];
      if (!carries(net) ||
          (addressed && net.kind == LinkKind::infiniband && !net.spec->subnet && !net.spec->subnet.unknown))
        continue;
      for (const EndPoints& e : c.networks[n].ends) {
        if (e.members == 0) continue;
        if (e.group >= 0)
          groups_[static_cast<std::size_t>(e.group)][n] = 1;
        else if (e.storage >= 0)
          storage_[static_cast<std::size_t>(e.storage)][n] = 1;
      }
    }
  }
  const Joined& group(int g) const { return groups_[static_cast<std::size_t>(g)]; }
  const Joined& storage(int s) const { return storage_[static_cast<std::size_t>(s)]; }
  static bool any(const Joined& j) { return std::find(j.begin(), j.end(), 1) != j.end(); }

  // In one network; or each in one that has a gateway, since what lies behind a router is not planned here; or over a
  // group of gateways that is in both.
  bool meet(const Joined& a, const Joined& b, bool over_gateways) const {
    if (share(a, b) || (routed(a) && routed(b))) return true;
    for (std::size_t g = 0; over_gateways && g < groups_.size(); ++g)
      if (c_.nodes[g].has_role(Role::gateway) && share(groups_[g], a) && share(groups_[g], b)) return true;
    return false;
  }

 private:
  static bool carries(const NetworkModel& n) {
    return !n.everything && (n.carries.empty() || std::any_of(n.carries.begin(), n.carries.end(),
                                                              [](Traffic t) { return t != Traffic::oob; }));
  }
  static bool share(const Joined& a, const Joined& b) {
    for (std::size_t n = 0; n < a.size(); ++n)
      if (a[n] && b[n]) return true;
    return false;
  }
  bool routed(const Joined& a) const {
    for (std::size_t n = 0; n < a.size(); ++n)
      if (a[n] && c_.networks[n].spec->gateway) return true;
    return false;
  }
  const Cluster& c_;
  std::vector<Joined> groups_, storage_;
};

struct Service {
  Role role;
  std::string_view what;
};
constexpr Service kServices[] = {{Role::scheduler, "schedules"},
                                 {Role::control_plane, "is the control plane of"},
                                 {Role::etcd, "stores the state of"},
                                 {Role::login, "provides the login to"}};

// What a group does for the others; empty: nothing that they must reach.
std::string_view service_of(const Cluster& c, const NodeGroupModel& g) {
  for (const Service& s : kServices)
    if (g.has_role(s.role)) return s.what;
  if (const auto& mirror = c.spec.software->mirror;
      mirror && mirror->server && g.names.index_of(without_domain(c, *mirror->server)) >= 0)
    return "serves the packages and images of";
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || !scheduler->controllers) return "";
  HostPattern::Error error;
  const auto names = HostPattern::parse(*scheduler->controllers, error);
  for (std::int64_t i = 0; names && i < names->count() && i < 64; ++i)
    if (g.names.index_of(names->name(i)) >= 0) return kServices[0].what;
  return "";
}

void net_service_unreachable(const Rule& rule, const RuleInput& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const Reach reach(c), tcp(c, true);
  // Nodes that work and are in a network; without any the spec says nothing of networks yet.
  std::vector<int> working;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].computes && c.nodes[g].count > 0 && Reach::any(reach.group(static_cast<int>(g))))
      working.push_back(static_cast<int>(g));
  if (working.empty()) return;

  const auto left = [&](const Reach& by, const Joined& from, const std::vector<int>& clients, bool over_gateways,
                        auto wants) {
    std::vector<std::string> names;
    for (const int g : clients)
      if (wants(g) && !by.meet(from, by.group(g), over_gateways))
        names.push_back(c.nodes[static_cast<std::size_t>(g)].name);
    return names;
  };
  // `what`: "storage 'scratch' is mounted by 'gpu'", "group 'head' schedules 'gpu'".
  const auto say = [&](SourceSpan at, const std::string& who, std::string_view what,
                       const std::vector<std::string>& names, const Reach& by, std::string_view alone, bool in_any,
                       Traffic of, std::string object) {
    const auto count = static_cast<std::int64_t>(names.size());
    const std::vector<std::string> first(names.begin(), names.begin() + std::min<std::ptrdiff_t>(count, 3));
    Finding& f = findings.add(in_any ? Severity::warning : rule.severity, rule.id, at,
                              format("{} {} {} but {}", who, what, name_list(first, count),
                                     in_any ? "shares no network with these nodes" : alone));
    // The first of the client's networks that carries such traffic; else its first.
    const Joined& joined = by.group(c.find_node_group(names.front()));
    const NetworkModel* where = nullptr;
    for (std::size_t i = 0; i < c.networks.size(); ++i)
      if (joined[i] && (!where || (!where->carries_traffic(of) && c.networks[i].carries_traffic(of))))
        where = &c.networks[i];
    if (where) {
      f.note(where->span, format("'{}' is in this network", names.front()));
      f.help(
          format("add {} to `connects` of '{}', with a port of the kind and rate of that network; if a router connects "
                 "the networks, write `gateway` in each of them",
                 who, where->name));
    }
    f.object(std::move(object));
  };

  std::vector<char> told(c.nodes.size(), 0);
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (s.spec->kind.value == StorageKind::local || (!s.part && s.nodes < 0))
      continue;  // outside: how it is reached is not planned here
    const Joined& from = s.nodes >= 0 ? reach.group(s.nodes) : reach.storage(static_cast<int>(i));
    // Without `on` those that work mount it, and of the others those that can; who is named has to.
    std::vector<int> clients = working;
    if (!s.spec->on.empty()) {
      clients = groups_named_by(c, *s.spec);
      std::erase_if(clients, [&](int g) {
        return c.nodes[static_cast<std::size_t>(g)].count == 0 || !Reach::any(reach.group(g));
      });
      std::ranges::stable_partition(clients, [&](int g) { return c.nodes[static_cast<std::size_t>(g)].computes; });
    }
    const auto names = left(reach, from, clients, false, [&](int g) { return g != s.nodes; });
    if (names.empty()) continue;
    if (s.nodes >= 0) told[static_cast<std::size_t>(s.nodes)] = 1;
    say(s.span, format("storage '{}'", s.name), "is mounted by", names, reach, kAlone, Reach::any(from),
        Traffic::storage, "storage." + s.name);
  }
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& n = c.nodes[g];
    const std::string_view what = service_of(c, n);
    if (what.empty() || n.count == 0 || told[g]) continue;
    const auto names = left(tcp, tcp.group(static_cast<int>(g)), working, true,
                            [&](int other) { return other != static_cast<int>(g); });
    if (names.empty()) continue;
    say(n.span, format("group '{}'", n.name), what, names, tcp,
        Reach::any(reach.group(static_cast<int>(g))) ? "is in no network with addresses: it cannot be reached" : kAlone,
        Reach::any(tcp.group(static_cast<int>(g))), Traffic::inband, "nodes." + n.name);
  }
}

}  // namespace

extern const Rule kNetServiceUnreachable;  // registry.cc names it
const Rule kNetServiceUnreachable = {
    .id = "net-service-unreachable",
    .code = "NET-020",
    .severity = Severity::error,
    .physics = false,
    .summary = "a service or storage shares no network with the nodes that need it",
    .explanation = R"(## What it checks

Groups that serve the others and storage that is mounted share a network with the compute nodes; storage also with other
groups that its `on` names. Such groups have the roles `scheduler`, `control-plane`, `etcd` or `login`, or are the nodes
that `controllers` names or the `server` of `mirror`.

- Management ports do not count. For groups, InfiniBand without a `subnet` does not count either where some network has
  one: schedulers, databases and logins use TCP/IP, which InfiniBand carries only as IPoIB.
- A service in another network is a warning, since a router outside this plan may connect them.
- Two networks with a `gateway` count as connected. For services, so do two networks that share a group with the role
  `gateway`.
- Mounts need a common network, because neither mounts nor exports are compiled over gateways.

## Why it matters

Everything is installed, powered and configured, but no packet reaches the service: no job starts, no file is read.

## Formula

```
networks of the service, less out-of-band ones, meet those of each group that works
```

Unit: none. Sets of networks are compared.

Source: arithmetic over `connects`.

## Example

`head: { names: "head[1-2]", roles: [scheduler, login] }` that is in no network but the out-of-band one.

## How to fix

Add the group or the storage to `connects` of a network that the nodes are in, or of one with a `gateway`.

## When to accept

Where a network that is not in the spec connects the two.
)",
    .check = net_service_unreachable,
};

}  // namespace clusterc
