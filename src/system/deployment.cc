#include "system/deployment.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
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

// Servers that a group is told of and that lie in none of its networks, where it has no gateway. A name that is none of
// the cluster's lies wherever somebody's name server says: outside.
void check_ways(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  const std::vector<OwnTimeServer> own = own_time_servers(in);
  std::vector<std::string> nameless, clockless;
  std::vector<std::vector<std::string>> mountless(c.storage.size());
  std::vector<const Value<std::string>*> filers(c.storage.size());
  std::vector<std::string> directories, bases;
  NamedHost directory;
  SourceSpan base_at;
  std::string base_host;
  SourceSpan nameless_at, clockless_at;
  struct Outside {
    std::string host;
    SourceSpan at;
    std::vector<std::string> groups;
  };
  std::vector<Outside> outside;  // hosts, each once, and who is told of it and does not reach it
  std::string clock;
  const std::uint32_t own_name = own_name_server(in);
  const bool kea = dhcp_server(c) == DhcpServer::kea;  // it serves no names
  // Packages of plays and installers lie outside where no mirror has them.
  const bool fetches = in.makes("ansible") && !(c.own_site && c.spec.software.mirror && c.spec.software.mirror->server);
  std::vector<std::string> fetching;
  SourceSpan fetching_at;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    const std::vector<const NetworkModel*> networks = networks_of(c, static_cast<int>(g));
    if (group.count == 0 || networks.empty()) continue;
    const bool gateway = std::any_of(networks.begin(), networks.end(),
                                     [](const NetworkModel* n) { return n->spec && n->spec->gateway; });
    if (gateway) continue;
    if (fetches) fetching.push_back(group.name), fetching_at = group.span;
    if (!c.own_site) continue;  // a cloud's networks have routers of their own
    const auto beside = [&](const std::string& server) {
      const auto address = parse_ipv4(server);
      if (!address) return false;
      if (std::any_of(networks.begin(), networks.end(),
                      [&](const NetworkModel* n) { return n->subnet->contains(*address); }))
        return true;
      const auto theirs = std::find_if(c.networks.begin(), c.networks.end(),
                                       [&](const NetworkModel& n) { return n.subnet && n.subnet->contains(*address); });
      return theirs != c.networks.end() &&
             reaches_by_route(in, static_cast<int>(g), static_cast<int>(theirs - c.networks.begin()), *address);
    };
    const auto far = [&](const Value<std::string>& s) {
      auto o = std::find_if(outside.begin(), outside.end(), [&](const Outside& known) { return known.host == *s; });
      if (o == outside.end()) o = outside.insert(o, {*s, s.span, {}});
      if (o->groups.empty() || o->groups.back() != group.name) o->groups.push_back(group.name);
    };
    for (const auto& s : group.software.time_servers) {
      if (!s || beside(*s)) continue;
      const auto mine = std::find_if(own.begin(), own.end(), [&](const OwnTimeServer& o) { return o.server == *s; });
      if (mine == own.end()) {
        far(s);
        continue;
      }
      const Home home = home_of(c, in.plan, mine->group);  // what its plain name means
      if (mine->group == static_cast<int>(g) ||
          std::find(networks.begin(), networks.end(), &c.networks[static_cast<std::size_t>(home.network)]) !=
              networks.end())
        continue;
      if (reaches_by_route(in, static_cast<int>(g), home.network,
                           in.plan.address(home.network, home.end_points, mine->member, 0)))
        continue;
      if (clockless.empty() || clockless.back() != group.name) clockless.push_back(group.name);
      clockless_at = s.span, clock = *s;
    }
    for (const auto& s : group.software.name_servers)
      if (s && !beside(*s)) far(s);
    for (const NamedHost& h : directory_hosts(group.software))
      if (is_outside(c, h.host) && !beside(h.host)) directories.push_back(group.name), directory = h;
    if (const auto& scheduler = c.spec.software.scheduler; slurm_keeps_accounts(c, group) && scheduler->accounting &&
                                                           scheduler->accounting->database &&
                                                           *scheduler->accounting->database != "localhost")
      if (const auto& base = scheduler->accounting->database; is_outside(c, *base) && !beside(*base))
        bases.push_back(group.name), base_at = base.span, base_host = *base;
    for (std::size_t i = 0; i < c.storage.size(); ++i)
      if (const auto filer = mounts_from_outside(c, in.plan, static_cast<int>(i), static_cast<int>(g));
          filer && !beside(**filer))
        mountless[i].push_back(group.name), filers[i] = filer;
    if (group.software.name_servers.empty() && (own_name != 0 || kea) && name_servers(in, group).empty())
      nameless.push_back(group.name), nameless_at = group.span;
  }
  for (std::size_t i = 0; i < outside.size(); ++i) {
    const std::vector<std::string>& groups = outside[i].groups;
    const auto alike = [&](const Outside& o) { return o.groups == groups; };
    if (std::any_of(outside.begin(), outside.begin() + static_cast<std::ptrdiff_t>(i), alike))
      continue;  // said with the first
    std::vector<std::string> hosts;
    for (const Outside& o : outside)
      if (alike(o)) hosts.push_back(one_line(o.host));
    findings
        .note("network-no-way-out", outside[i].at,
              quoted(groups) + (groups.size() == 1 ? " has" : " have") + " no gateway, and " + quoted(hosts) +
                  (hosts.size() == 1 ? " lies" : " lie") + " in no network of theirs")
        .help("`gateway` of a network names its router; else name servers that lie in the cluster's own networks");
  }
  if (!fetching.empty() && outside.empty())
    findings
        .note("network-no-way-out", fetching_at,
              quoted(fetching) + (fetching.size() == 1 ? " has" : " have") +
                  " no gateway: nothing that is compiled leads to " + (c.own_site ? "" : "other networks, or to ") +
                  "the repositories that " + (installs(c) ? "installers and plays" : "the plays") + " read")
        .help("`gateway` of a network names its router" +
              std::string(c.own_site ? "; a site without internet has a `mirror`"
                                     : ", in a cloud's subnet most often its first address"));
  const auto unreached = [&](SourceSpan span, std::vector<std::string> groups, const std::string& what,
                             const std::string& host) {
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    findings
        .note("network-no-way-out", span,
              quoted(groups) + (groups.size() == 1 ? " asks " : " ask ") + what + " '" + one_line(host) + "', and " +
                  (groups.size() == 1 ? "has" : "have") + " no gateway: " +
                  (parse_ipv4(host) ? "it lies in no network of theirs"
                                    : "its name has to mean an address in a network of theirs"))
        .help("`gateway` of a network names its router");
  };
  if (!directories.empty()) unreached(directory.span, directories, "the directory", directory.host);
  if (!bases.empty()) unreached(base_at, bases, "the database", base_host);
  for (std::size_t i = 0; i < c.storage.size(); ++i)
    if (const std::vector<std::string>& groups = mountless[i]; !groups.empty())
      findings
          .note("network-no-way-out", filers[i]->span,
                quoted(groups) + (groups.size() == 1 ? " mounts '" : " mount '") + c.storage[i].name + "' from '" +
                    one_line(**filers[i]) + "', and " + (groups.size() == 1 ? "has" : "have") + " no gateway: " +
                    (parse_ipv4(**filers[i]) ? "it lies in no network of theirs"
                                             : "its name has to mean an address in a network of theirs"))
          .help(
              "`gateway` of a network names its router; a node that does not mount it is drained by the health check");
  if (!clockless.empty())
    findings
        .note("time-server-unreached", clockless_at,
              "the name '" + one_line(clock) + "' means an address in a network that " + quoted(clockless) +
                  (clockless.size() == 1 ? " is" : " are") + " not in")
        .help("name it as it is called in a network that both are in (NODE-NETWORK), or give it a leg in theirs");
  if (!nameless.empty())
    findings
        .note("name-server-unreached", nameless_at,
              quoted(nameless) + (nameless.size() == 1 ? " is" : " are") + " told of no name server" +
                  (own_name != 0 ? ": the cluster's own lies in no network of theirs"
                                 : ": Kea serves no names, and the output dns is not made") +
                  ", and what they know is /etc/hosts")
        .help("`name_servers` of the group's software names one that it reaches");
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
                "'" + c.nodes[s].name + "' calls nodes by their plain names, and those of " + quoted(left) +
                    " mean addresses in a network that it is not in")
          .help(
              "connect it to the first of their networks that carries in-band traffic, or let a group with the role "
              "gateway join the two");
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
        .note("ha-unmade", g.spec->ha.span,
              "nothing that is compiled makes 'ha' of '" + g.name + "': each of its nodes is a machine of its own")
        .help(g.has_role(Role::login)
                  ? "one name for all login nodes is a record in the site's DNS, or a load balancer before them"
                  : "an address that moves between them is made by keepalived or Pacemaker");
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
        (!g.software.identity || g.software.identity->kind.value_or("local") == "local"))
      without.push_back(g.name);
  if (!without.empty())
    findings
        .note("team-users-unmade", user->span,
              "nobody makes users of teams, such as '" + one_line(**user) + "', on " + quoted(without))
        .help(
            "`identity` of the software names a directory; else the image has them, with the same numbers everywhere");
}

void check_password(const Cluster& c, Findings& findings) {
  const auto& scheduler = c.spec.software.scheduler;
  if (!scheduler || !scheduler->accounting || !scheduler->accounting->password ||
      !scheduler->accounting->password->file)
    return;
  const auto& file = scheduler->accounting->password->file;
  if (std::string_view(*file).starts_with("/root/"))
    findings
        .note("slurm-password-unreadable", file.span,
              "slurmdbd runs as the user slurm, and nobody but root reads below /root")
        .help("/etc/slurm/slurmdbd.password.conf, of slurm and with mode 0600");
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
    const auto& identity = group.software.identity;
    if (group.count == 0 || group.has_role(Role::login) || !identity || identity->kind.value_or("local") == "local")
      continue;
    open.push_back(group.name), at = identity->kind.span.valid() ? identity->kind.span : group.span;
  }
  if (!open.empty())
    findings
        .note("login-ungated", at,
              "whoever is in the directory may log in to " + quoted(open) +
                  " by ssh: nothing that is compiled asks for a job or a group first")
        .help(
            "on nodes of jobs pam_slurm_adopt (Debian: libpam-slurm-adopt) with `PrologFlags=Alloc,Contain` as an "
            "extra line; on others AllowGroups of sshd, or access_provider of SSSD");
}

// A provider's own resolver knows names that nobody else does: of its machines, its services, the site's private zones.
void check_provider_names(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  if (c.own_site || own_name_server(in) == 0 || !c.spec.software.domain) return;
  for (const NodeGroupModel& g : c.nodes)
    if (g.count > 0 && std::any_of(g.software.name_servers.begin(), g.software.name_servers.end(),
                                   [](const auto& s) { return static_cast<bool>(s); }))
      return;
  findings
      .note("name-server-provider-unasked", c.spec.software.domain.span,
            "nodes ask the name server that is compiled for '" + one_line(*c.spec.software.domain) +
                "', and it asks the Internet's: names that the provider's own resolver has are not found")
      .help("`name_servers: [" + ipv4_text(own_name_server(in)) +
            ", ADDRESS of the provider's]`: the cluster's then asks that one");
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
