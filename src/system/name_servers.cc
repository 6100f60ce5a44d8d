#include "system/name_servers.h"

#include <algorithm>
#include <optional>

#include "base/ip.h"
#include "base/text.h"
#include "model/named_hosts.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/gateways.h"
#include "system/host_names.h"
#include "system/install.h"
#include "system/interfaces.h"

namespace clusterc {

namespace {

// The group whose first node answers on port 53; -1: none does.
int answering_group(const System& in) {
  const Cluster& c = in.cluster;
  if (in.makes("dns")) return name_server_group(c, in.plan);
  if (!in.makes("dnsmasq")) return -1;
  return first_provisioner(c);
}

// Of the first node of a group in a network; 0: it is not there.
std::uint32_t address_of(const System& in, int group, int network) {
  const int e = end_points_of(in.cluster, network, group);
  return e < 0 ? 0 : in.plan.address(network, e, 0, 0);
}

}  // namespace

int name_server_group(const Cluster& c, const Plan& plan) {
  const auto named = [&](std::size_t g) {
    return c.nodes[g].count > 0 && home_of(c, plan, static_cast<int>(g)).network >= 0;
  };
  for (const Role role : {Role::provisioning, Role::scheduler, Role::monitoring})
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (c.nodes[g].has_role(role) && named(g)) return static_cast<int>(g);
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (named(g)) return static_cast<int>(g);
  return -1;
}

namespace {

// An extra line of the hosts file, which every node has, names it.
bool in_hosts(const System& in, std::string_view host) {
  const auto* lines = extra_lines_of(in.cluster, "hosts", "hosts");
  if (!lines) return false;
  for (const auto& line : *lines)
    if (line)
      for (const std::string_view word : split(replace_all(*line, "\t", " "), ' '))
        if (to_lower(word) == host) return true;
  return false;
}

}  // namespace

void check_hidden_hosts(const System& in, const std::function<bool(std::string_view)>& known,
                        const std::function<std::string(std::string_view)>& extra, Findings& findings) {
  const Cluster& c = in.cluster;
  // Who asks others alone is not told so.
  const auto& asked = c.spec.software->name_servers;
  const std::uint32_t own = own_name_server(in);
  if (!c.spec.software->domain || own == 0 ||
      (!asked.empty() &&
       std::none_of(asked.begin(), asked.end(), [&](const auto& s) { return s && *s == ipv4_text(own); })))
    return;
  std::optional<HostNames> names;
  std::vector<std::string> told;
  for (const NamedHost& h : named_hosts(c)) {
    const std::string name = to_lower(without_domain(c, h.host));
    if (name.size() == h.host.size() || !h.asked) continue;
    if (std::find(told.begin(), told.end(), name) != told.end() || known(name)) continue;
    if (in_hosts(in, to_lower(h.host))) continue;
    if (!names) names.emplace(in);
    if (!names->owner_of(name).empty()) continue;
    told.push_back(name);
    findings
        .error("dns-hides-host", h.span,
               "'" + one_line(h.host) + "' is in the cluster's domain '" + *c.spec.software->domain +
                   "', but the compiled name server has no record of '" + name +
                   "': no node of the cluster can resolve it")
        .help("give the cluster a domain of its own, such as gpu." + *c.spec.software->domain +
              ", or add the address as an extra line: `" + extra(name) + "`");
  }
}

std::uint32_t own_name_server(const System& in) {
  const int group = answering_group(in);
  if (group < 0) return 0;
  const Home home = home_of(in.cluster, in.plan, group);
  return home.network < 0 ? 0 : in.plan.address(home.network, home.end_points, 0, 0);
}

std::vector<std::string> name_servers(const System& in, const NodeGroupModel& g) {
  std::vector<std::string> out;
  for (const auto& s : g.software->name_servers)
    if (s) out.push_back(*s);
  const std::uint32_t own = out.empty() ? own_name_server(in) : 0;
  if (own == 0) return out;
  const Cluster& c = in.cluster;
  const auto group = static_cast<int>(&g - c.nodes.data());
  const int by = answering_group(in), home = home_of(c, in.plan, by).network, primary = primary_network(c, group);
  const auto address_in = [&](int network) {
    return network >= 0 && end_points_of(c, network, group) >= 0 ? address_of(in, by, network) : 0;
  };
  std::uint32_t address = address_in(home);
  if (address == 0) address = address_in(primary);
  // Over the cluster's own gateways. dnsmasq, as Debian starts it, answers who is beside it alone (--local-service).
  if (address == 0 && in.makes("dns")) {
    const std::vector<GatewayRoute> routes = gateway_routes(in, group);
    if (std::any_of(routes.begin(), routes.end(), [&](const GatewayRoute& r) { return r.to == home; })) address = own;
  }
  if (address != 0) out.push_back(ipv4_text(address));
  return out;
}

std::vector<std::string> dhcp_name_servers(const System& in, const DhcpNetwork& n) {
  std::vector<std::string> out;
  for (const auto& s : in.cluster.spec.software->name_servers)
    if (s && reaches_from(in, n, *s)) out.push_back(*s);
  std::uint32_t own =
      in.cluster.spec.software->name_servers.empty() && !is_out_of_band(n.network) ? own_name_server(in) : 0;
  if (const std::uint32_t beside = own != 0 ? address_of(in, answering_group(in), n.index) : 0; beside != 0)
    own = beside;
  else if (n.gateway == 0 && !in.makes("dns"))
    own = 0;  // as above
  if (own != 0 && reaches_from(in, n, ipv4_text(own))) out.push_back(ipv4_text(own));
  return out;
}

}  // namespace clusterc
