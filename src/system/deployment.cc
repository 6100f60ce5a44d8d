#include "system/deployment.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "model/storage_path.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/team.h"
#include "system/dhcp.h"
#include "system/each_address.h"
#include "system/file_systems.h"
#include "system/gateways.h"
#include "system/group_network.h"
#include "system/install.h"
#include "system/interfaces.h"
#include "system/name_servers.h"
#include "system/node_settings.h"
#include "system/slurm.h"
#include "system/time_servers.h"

namespace clusterc {
namespace {

// The networks that the operating system of a group is in.
std::vector<const NetworkModel*> networks_of(const Cluster& c, int group) {
  std::vector<const NetworkModel*> out;
  for (const GroupEnd& at : ends_of_group(c, group)) {
    const NetworkModel& n = c.networks[static_cast<std::size_t>(at.network)];
    if (n.subnet && !is_management_port(c, n, n.ends[static_cast<std::size_t>(at.end)]) &&
        (out.empty() || out.back() != &n))
      out.push_back(&n);
  }
  return out;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "'" : ", '") + n + "'";
  return out;
}

// Over the cluster's own gateways, or a way to this very host.
bool reaches_by_route(const System& in, int group, int network, std::uint32_t address) {
  const std::vector<GatewayRoute> routes = gateway_routes(in, group);
  if (std::any_of(routes.begin(), routes.end(), [&](const GatewayRoute& r) { return r.to == network; })) return true;
  const std::vector<HostRoute> hosts = host_routes(in, group);
  return std::any_of(hosts.begin(), hosts.end(), [&](const HostRoute& r) { return r.to == address; });
}

// None of the cluster's machines, by its name or one of its aliases (NODE-NETWORK).
bool is_outside(const Cluster& c, std::string_view host) {
  const std::string_view name = without_domain(c, host);
  if (group_of_host(c, name) >= 0) return false;
  for (std::size_t at = name.rfind('-'); at != name.npos && at > 0; at = name.rfind('-', at - 1))
    if (group_of_host(c, name.substr(0, at)) >= 0) return false;
  return true;
}

// A server that groups ask and do not reach.
struct Unreached {
  std::vector<std::string> groups;
  std::string host;
  SourceSpan at;  // where the last of the groups names it
  void add(const std::string& group, SourceSpan span, std::string name) {
    if (groups.empty() || groups.back() != group) groups.push_back(group);
    at = span, host = std::move(name);
  }
};

std::string agreed(const std::vector<std::string>& groups, const char* one, const char* many) {
  return groups.size() == 1 ? one : many;
}

const char* why_unreached(const std::string& host) {
  return parse_ipv4(host) ? "this address is in none of their networks"
                          : "this name must resolve to an address in one of their networks";
}

// Servers that a group is told of and that lie in none of its networks, where it has no gateway. A name that is none of
// the cluster's lies wherever somebody's name server says: outside.
class ServerReach {
 public:
  explicit ServerReach(const System& in);
  void look_at(int group);
  void report(Findings& findings) const;

 private:
  struct Asker {  // a group without a gateway
    int index;
    const NodeGroupModel& group;
    std::vector<const NetworkModel*> networks;
  };

  bool reaches(const Asker& asker, const std::string& server) const;
  bool reaches_by_name(const Asker& asker, const OwnTimeServer& server) const;
  void add_outside(const Asker& asker, const Value<std::string>& server);
  void look_at_time_servers(const Asker& asker);
  void look_at_name_servers(const Asker& asker);
  void look_at_directory(const Asker& asker);
  void look_at_database(const Asker& asker);
  void look_at_mounts(const Asker& asker);

  void report_outside(Findings& findings) const;
  void report_repositories(Findings& findings) const;
  void report_server(Findings& findings, const Unreached& server, const std::string& what) const;
  void report_mounts(Findings& findings) const;
  void report_clocks(Findings& findings) const;
  void report_names(Findings& findings) const;

  const System& in_;
  const Cluster& c_;
  std::vector<OwnTimeServer> own_time_servers_;
  std::uint32_t own_name_server_;
  bool fetches_;                    // packages of plays and installers, which lie outside where no mirror has them
  std::vector<Unreached> outside_;  // hosts, each once, where the first group names it
  std::vector<Unreached> mounts_;   // of each storage system
  Unreached clock_, directory_, database_;
  Unreached nameless_, fetching_;  // without a host
};

ServerReach::ServerReach(const System& in)
    : in_(in),
      c_(in.cluster),
      own_time_servers_(own_time_servers(in)),
      own_name_server_(own_name_server(in)),
      fetches_(in.makes("ansible") && !(c_.own_site && c_.spec.software->mirror && c_.spec.software->mirror->server)),
      mounts_(c_.storage.size()) {}

bool ServerReach::reaches(const Asker& asker, const std::string& server) const {
  const auto address = parse_ipv4(server);
  if (!address) return false;
  if (std::any_of(asker.networks.begin(), asker.networks.end(),
                  [&](const NetworkModel* n) { return n->subnet->contains(*address); }))
    return true;
  const auto theirs = std::find_if(c_.networks.begin(), c_.networks.end(),
                                   [&](const NetworkModel& n) { return n.subnet && n.subnet->contains(*address); });
  return theirs != c_.networks.end() &&
         reaches_by_route(in_, asker.index, static_cast<int>(theirs - c_.networks.begin()), *address);
}

// One of the cluster's own, by its plain name: an address in the home network of its group.
bool ServerReach::reaches_by_name(const Asker& asker, const OwnTimeServer& server) const {
  const Home home = home_of(c_, in_.plan, server.group);
  return server.group == asker.index ||
         std::find(asker.networks.begin(), asker.networks.end(),
                   &c_.networks[static_cast<std::size_t>(home.network)]) != asker.networks.end() ||
         reaches_by_route(in_, asker.index, home.network,
                          in_.plan.address(home.network, home.end_points, server.member, 0));
}

void ServerReach::add_outside(const Asker& asker, const Value<std::string>& server) {
  auto known = std::find_if(outside_.begin(), outside_.end(), [&](const Unreached& o) { return o.host == *server; });
  if (known == outside_.end()) known = outside_.insert(known, {{}, *server, server.span});
  known->add(asker.group.name, known->at, known->host);
}

void ServerReach::look_at_time_servers(const Asker& asker) {
  for (const auto& s : asker.group.software->time_servers) {
    if (!s || reaches(asker, *s)) continue;
    const auto own = std::find_if(own_time_servers_.begin(), own_time_servers_.end(),
                                  [&](const OwnTimeServer& o) { return o.server == *s; });
    if (own == own_time_servers_.end())
      add_outside(asker, s);
    else if (!reaches_by_name(asker, *own))
      clock_.add(asker.group.name, s.span, *s);
  }
}

void ServerReach::look_at_name_servers(const Asker& asker) {
  for (const auto& s : asker.group.software->name_servers)
    if (s && !reaches(asker, *s)) add_outside(asker, s);
  const bool kea = dhcp_server(c_) == DhcpServer::kea;  // it serves no names
  if (asker.group.software->name_servers.empty() && (own_name_server_ != 0 || kea) &&
      name_servers(in_, asker.group).empty())
    nameless_.add(asker.group.name, asker.group.span, {});
}

void ServerReach::look_at_directory(const Asker& asker) {
  for (const NamedHost& h : directory_hosts(asker.group.software))
    if (is_outside(c_, h.host) && !reaches(asker, h.host)) directory_.add(asker.group.name, h.span, h.host);
}

void ServerReach::look_at_database(const Asker& asker) {
  const auto& scheduler = c_.spec.software->scheduler;
  if (!slurm_keeps_accounts(c_, asker.group) || !scheduler->accounting || !scheduler->accounting->database) return;
  const auto& base = scheduler->accounting->database;
  if (*base != "localhost" && is_outside(c_, *base) && !reaches(asker, *base))
    database_.add(asker.group.name, base.span, *base);
}

void ServerReach::look_at_mounts(const Asker& asker) {
  for (const int i : storage_of_group(c_, asker.index))
    if (const auto* filer = mounts_from_outside(c_, in_.plan, i, asker.index); filer && !reaches(asker, **filer))
      mounts_[static_cast<std::size_t>(i)].add(asker.group.name, filer->span, **filer);
}

void ServerReach::look_at(int group) {
  const Asker asker{group, c_.nodes[static_cast<std::size_t>(group)], networks_of(c_, group)};
  if (asker.group.count == 0 || asker.networks.empty()) return;
  if (std::any_of(asker.networks.begin(), asker.networks.end(),
                  [](const NetworkModel* n) { return n->spec && n->spec->gateway; }))
    return;
  if (fetches_) fetching_.add(asker.group.name, asker.group.span, {});
  if (!c_.own_site) return;  // a cloud's networks have routers of their own
  look_at_time_servers(asker);
  look_at_name_servers(asker);
  look_at_directory(asker);
  look_at_database(asker);
  look_at_mounts(asker);
}

// One finding for all hosts that the same groups do not reach.
void ServerReach::report_outside(Findings& findings) const {
  for (std::size_t i = 0; i < outside_.size(); ++i) {
    const std::vector<std::string>& groups = outside_[i].groups;
    const auto alike = [&](const Unreached& o) { return o.groups == groups; };
    if (std::any_of(outside_.begin(), outside_.begin() + static_cast<std::ptrdiff_t>(i), alike))
      continue;  // said with the first
    std::vector<std::string> hosts;
    for (const Unreached& o : outside_)
      if (alike(o)) hosts.push_back(one_line(o.host));
    findings
        .note("network-no-way-out", outside_[i].at,
              "nodes of " + quoted(groups) + " have no gateway, but " + agreed(hosts, "server ", "servers ") +
                  quoted(hosts) + agreed(hosts, " is", " are") + " in none of their networks")
        .help("set `gateway` of a network to its router, or use servers inside the cluster's own networks");
  }
}

void ServerReach::report_repositories(Findings& findings) const {
  if (fetching_.groups.empty() || !outside_.empty()) return;
  findings
      .note("network-no-way-out", fetching_.at,
            "nodes of " + quoted(fetching_.groups) + " have no gateway: they have no route to " +
                (c_.own_site ? "" : "other networks or to ") + "the package repositories that " +
                (installs(c_) ? "installers and plays" : "the plays") + " use")
      .help("set `gateway` of a network to its router" +
            std::string(c_.own_site ? "; a site without internet access uses a `mirror`"
                                    : ", in a cloud usually the first address of the subnet"));
}

void ServerReach::report_server(Findings& findings, const Unreached& server, const std::string& what) const {
  if (server.groups.empty()) return;
  findings
      .note("network-no-way-out", server.at,
            "nodes of " + quoted(server.groups) + " have no gateway, but use " + what + " '" + one_line(server.host) +
                "': " + why_unreached(server.host))
      .help("set `gateway` of a network to its router");
}

void ServerReach::report_mounts(Findings& findings) const {
  for (std::size_t i = 0; i < mounts_.size(); ++i) {
    const Unreached& filer = mounts_[i];
    if (filer.groups.empty()) continue;
    findings
        .note("network-no-way-out", filer.at,
              "nodes of " + quoted(filer.groups) + " have no gateway, but mount '" + c_.storage[i].name + "' from '" +
                  one_line(filer.host) + "': " + why_unreached(filer.host))
        .help(
            "set `gateway` of a network to its router; the health check drains a node that cannot mount this file "
            "system");
  }
}

void ServerReach::report_clocks(Findings& findings) const {
  if (clock_.groups.empty()) return;
  findings
      .note("time-server-unreached", clock_.at,
            "time server '" + one_line(clock_.host) + "' resolves to an address in a network that nodes of " +
                quoted(clock_.groups) + " are not in")
      .help("use its name in a network that both are in (NODE-NETWORK), or connect it to one of their networks");
}

void ServerReach::report_names(Findings& findings) const {
  if (nameless_.groups.empty()) return;
  findings
      .note("name-server-unreached", nameless_.at,
            "nodes of " + quoted(nameless_.groups) + " have no name server" +
                (own_name_server_ != 0 ? ": the cluster's own name server is in none of their networks"
                                       : ": Kea serves no names, and the output dns is not compiled") +
                ", so that they resolve only names in /etc/hosts")
      .help("set `name_servers` in the software of the group to a name server that its nodes can reach");
}

void ServerReach::report(Findings& findings) const {
  report_outside(findings);
  report_repositories(findings);
  report_server(findings, directory_, "the directory");
  report_server(findings, database_, "the database");
  report_mounts(findings);
  report_clocks(findings);
  report_names(findings);
}

void check_ways(const System& in, Findings& findings) {
  ServerReach reach(in);
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) reach.look_at(static_cast<int>(g));
  reach.report(findings);
}

// Schedulers and monitors call nodes by their plain names.
void check_names(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  for (std::size_t s = 0; s < c.nodes.size() && c.own_site; ++s) {
    const int server = static_cast<int>(s);
    if (!is_called_by_name(c, server)) continue;
    const std::vector<const NetworkModel*> networks = networks_of(c, server);
    const bool routed = std::any_of(networks.begin(), networks.end(),
                                    [](const NetworkModel* n) { return n->spec && n->spec->gateway; });
    std::vector<std::string> left;
    for (std::size_t g = 0; g < c.nodes.size() && !networks.empty(); ++g) {
      const Home home =
          c.nodes[g].count > 0 && c.nodes[g].computes && g != s ? home_of(c, in.plan, static_cast<int>(g)) : Home{};
      if (home.network < 0) continue;
      const NetworkModel& n = c.networks[static_cast<std::size_t>(home.network)];
      if (end_points_of(c, home.network, server) >= 0 || (routed && n.spec && n.spec->gateway) ||
          reaches_by_route(in, server, home.network, 0))
        continue;
      left.push_back(c.nodes[g].name);
    }
    if (!left.empty())
      findings
          .note("name-unreached", c.nodes[s].span,
                "'" + c.nodes[s].name + "' connects to nodes by their plain names, but the names of " + quoted(left) +
                    " resolve to addresses in a network that '" + c.nodes[s].name + "' is not in")
          .help(
              "connect it to the first of their networks that carries in-band traffic, or connect the two networks "
              "by a group with the role gateway");
  }
}

// A service survives where something compiled makes it: Slurm's controllers and its accounting, subnet managers; of NFS
// check_file_systems speaks.
void check_ha(const Cluster& c, Findings& findings) {
  for (const NodeGroupModel& g : c.nodes) {
    if (!g.spec || !g.spec->ha || g.count == 0) continue;
    if (g.has_role(Role::scheduler) || g.has_role(Role::fabric_manager) || g.has_role(Role::storage) ||
        g.has_role(Role::control_plane) || g.has_role(Role::etcd))
      continue;
    findings
        .note("ha-unmade", g.spec->ha.span, "no output implements `ha` of '" + g.name + "': its nodes do not fail over")
        .help(g.has_role(Role::login)
                  ? "for one name of all login nodes, use a record in the site's DNS or a load balancer"
                  : "for an address that moves between the nodes, use keepalived or Pacemaker");
  }
}

void check_users(const Cluster& c, Findings& findings) {
  const Value<std::string>* user = nullptr;
  for (const auto& team : c.spec.teams)
    for (const auto& u : team.value.users)
      if (u && !user) user = &u;
  if (!user) return;
  std::vector<std::string> without;
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && (g.computes || g.has_role(Role::login)) &&
        (!g.software->identity || g.software->identity->kind.value_or("local") == "local"))
      without.push_back(g.name);
  if (!without.empty())
    findings
        .note("team-users-unmade", user->span,
              "no output creates the users of teams, such as '" + one_line(**user) + "', on " + quoted(without))
        .help(
            "set `identity` of the software to a directory service, or put the users into the image, with the same "
            "user ids on "
            "all nodes");
}

void check_password(const Cluster& c, Findings& findings) {
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || !scheduler->accounting || !scheduler->accounting->password ||
      !scheduler->accounting->password->file)
    return;
  const auto& file = scheduler->accounting->password->file;
  if (std::string_view(*file).starts_with("/root/"))
    findings
        .note("slurm-password-unreadable", file.span,
              "slurmdbd runs as the user slurm, but only root can read files below /root")
        .help("use /etc/slurm/slurmdbd.password.conf, owned by slurm, with mode 0600");
}

// A directory lets everybody in who is in it: on nodes of jobs past the scheduler, and on those that manage the
// cluster.
void check_doors(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (!in.makes("ansible")) return;
  std::vector<std::string> open;
  SourceSpan at;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    const auto& identity = group.software->identity;
    if (group.count == 0 || group.has_role(Role::login) || !identity || identity->kind.value_or("local") == "local" ||
        node_settings(in)[g].logins_closed)
      continue;
    open.push_back(group.name), at = identity->kind.span.valid() ? identity->kind.span : group.span;
  }
  if (open.empty()) return;
  // Without a scheduler users have to log in to the nodes on which they work.
  const bool scheduled = c.spec.software->scheduler && c.spec.software->scheduler->kind;
  const std::string said = "every user of the directory service can log in to " + quoted(open) + " by ssh: " +
                           (scheduled ? "no group of the cluster has the role login"
                                      : "the cluster has no scheduler, and `identity` names no `administrators`");
  (scheduled ? findings.warning("login-ungated", at, said) : findings.note("login-ungated", at, said))
      .help(scheduled
                ? "give the nodes on which users shall work `roles: [login]`: on all others SSSD then lets in only "
                  "the groups of `identity: { administrators: […] }`"
                : "write `administrators: [GROUP]` in `identity`: only they may then log in to nodes without the "
                  "role login");
}

// A provider's own resolver knows names that nobody else does: of its machines, its services, the site's private zones.
void check_provider_names(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (c.own_site || own_name_server(in) == 0 || !c.spec.software->domain) return;
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && std::any_of(g.software->name_servers.begin(), g.software->name_servers.end(),
                                   [](const auto& s) { return static_cast<bool>(s); }))
      return;
  findings
      .note("name-server-provider-unasked", c.spec.software->domain.span,
            "nodes use the compiled name server of '" + one_line(*c.spec.software->domain) +
                "', which resolves other names on the internet: names that only the provider's resolver has are not "
                "found")
      .help("write `name_servers: [" + ipv4_text(own_name_server(in)) +
            ", ADDRESS]`, with the address of the provider's resolver: the cluster's name server then forwards to it");
}

}  // namespace

void check_deployment(const System& in, Findings& findings) {
  check_ways(in, findings);
  check_names(in, findings);
  check_ha(in.cluster, findings);
  check_users(in.cluster, findings);
  check_password(in.cluster, findings);
  check_provider_names(in, findings);
  check_doors(in, findings);
}

}  // namespace clusterc
