// nftables/: one ruleset for each kind of machine: node.nft, login.nft (users come in by ssh), fence.nft (servers of
// which one turns the other off by its BMC), manager.nft (may speak with BMCs, switches and PDUs).
//
// What is let in: what extra lines of the spec say, answers, the machine itself, ICMP, and the cluster's own networks.
// The out-of-band networks are cut off: nobody but a manager's root (and its DHCP server and SNMP exporter) sends
// anything there, nothing from there is taken, and nothing is forwarded to or from there, so that neither a job nor a
// user reaches a BMC (the host side of it; the switch keeps the networks apart).
#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/firewall.h"
#include "system/gateways.h"
#include "system/monitoring.h"

namespace clusterc {
namespace {

bool runs_pods(const Cluster& c) {
  return c.spec.software->scheduler && c.spec.software->scheduler->kind &&
         *c.spec.software->scheduler->kind == SchedulerKind::kubernetes;
}
// Where the spec has a management network to cut off, and says by roles who may speak with it or come in from outside:
// a firewall made without that would lock its owner out.
bool wants_nftables(const Cluster& c) {
  const auto network = [&](bool oob) {
    return std::any_of(c.networks.begin(), c.networks.end(),
                       [&](const NetworkModel& n) { return n.subnet && is_out_of_band(n) == oob; });
  };
  return network(true) && network(false) && std::any_of(c.nodes.begin(), c.nodes.end(), [](const NodeGroupModel& g) {
           return g.count > 0 && (manages(g) || lets_users_in(g));
         });
}

void append_set(std::string& out, std::string_view name, const std::vector<Ipv4Prefix>& subnets) {
  out += "  set ", out += name,
      out += " {\n    type ipv4_addr; flags interval; auto-merge\n";  // one subnet may lie in another
  if (!subnets.empty()) {
    out += "    elements = { ";
    for (std::size_t i = 0; i < subnets.size(); ++i) out += i ? ", " : "", out += subnets[i].text();
    out += " }\n";
  }
  out += "  }\n";
}

// Links that lead to containers of this machine or through a tunnel to those of others (ip-link(8), types): a cable
// ends at none of them.
constexpr std::string_view kContainerLinks = R"("bridge", "geneve", "ipip", "veth", "vxlan", "wireguard")";

// A rule that asks for nothing but who is everybody: it would undo all rules behind it.
bool lets_everybody_in(std::string_view rule) {
  if (!rule.ends_with(" accept")) return false;
  bool asks = false;
  std::string_view before;
  for (const std::string_view word : split(rule.substr(0, rule.rfind(' ')), ' ')) {
    if (word.empty()) continue;
    const bool address = before == "saddr" || before == "daddr";
    const bool everybody = address && (word.ends_with("/0") || word == "*");
    const bool plain = word == "counter" || word == "log" || word == "ip" || word == "ip6" || word == "saddr" ||
                       word == "daddr" || word == "meta";
    asks |= !plain && !everybody;
    before = word;
  }
  return !asks;
}

void append_extra(const CompileInput& in, std::string_view file, std::string& out, Findings& findings) {
  const auto* extra = extra_of(in, file);
  if (!extra) return;
  out += "    # outputs.nftables.extra of the spec\n";
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    // One rule of the chain: a sign that ends it, or opens another block, would say something else. Sets in braces are
    // written on one line.
    int depth = 0;
    bool good = !text.empty();
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == ';' || c == '#' || c == '"' || c == '\'' ||
          c == '\\' || c == '$')
        good = false;
      if (c == '{') ++depth;
      if (c == '}' && --depth < 0) good = false;
    }
    const std::string_view verdict = text.substr(text.rfind(' ') + 1);
    good = good && depth == 0 &&
           (verdict == "accept" || verdict == "drop" || verdict == "reject" || verdict == "counter") &&
           text.find(' ') != std::string_view::npos;
    if (good && lets_everybody_in(text))
      findings
          .error("output-extra-contradicts-spec", wish.span,
                 "'" + std::string(text.substr(0, 60)) +
                     "' accepts everything from everybody: the rules after it have no effect")
          .help(
              "name a port or a network, for example tcp dport 8443 accept; write `skip: true` to compile no firewall");
    else if (good)
      out += "    ", out += text, out += '\n';
    else
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid rule of the input chain")
          .help("write one rule in each line; it ends with accept, drop or reject, for example tcp dport 8443 accept");
  }
}

// Those of the nodes that watch the cluster: the exporter that reads switches and PDUs runs there, under a user of its
// own. Managers share a file; the others have none of these.
std::string addresses_of_monitors(const CompileInput& in) {
  std::string out;
  for (const AddressPlan& a : in.plan.addresses) {
    const std::vector<EndPoints>& ends = in.cluster.networks[static_cast<std::size_t>(a.network)].ends;
    for (std::size_t e = 0; e < ends.size(); ++e) {
      if (ends[e].group < 0 || a.first[e] == 0 ||
          !in.cluster.nodes[static_cast<std::size_t>(ends[e].group)].has_role(Role::monitoring) ||
          is_management_port(in.cluster, in.cluster.networks[static_cast<std::size_t>(a.network)], ends[e]))
        continue;
      if (!a.given.empty()) {  // of a cluster that stands: they need not follow one another
        for (std::int64_t m = 0; m < ends[e].members; ++m)
          for (std::int64_t p = 0; p < a.stride[e]; ++p)
            out += (out.empty() ? "" : ", ") + ipv4_text(in.plan.address(a.network, static_cast<int>(e), m, p));
        continue;
      }
      const std::uint32_t last = a.first[e] + a.step * (static_cast<std::uint32_t>(ends[e].members) * a.stride[e] - 1);
      out += (out.empty() ? "" : ", ") + ipv4_text(a.first[e]) + (last > a.first[e] ? "-" + ipv4_text(last) : "");
    }
  }
  return out;
}

void write(const CompileInput& in, std::string_view file, std::string_view who, const std::vector<Ipv4Prefix>& inside,
           const std::vector<Ipv4Prefix>& oob, bool login, bool manager, bool forwards, Bundle& bundle,
           Findings& findings) {
  const bool fence = file == "fence.nft";
  bundle.open("nftables/" + std::string(file), "nftables", 0600);
  std::string& out = bundle.text();
  out += "#!/usr/sbin/nft -f\n";
  out += made_by(in, "nftables");
  out += "# for ", out += who, out += '\n';
  out += "table inet cluster\ndelete table inet cluster\ntable inet cluster {\n";
  append_set(out, "inside", inside);
  append_set(out, "bmc", oob);
  // A TFTP server answers from a port of its own (RFC 1350, 4): to whoever has just asked.
  if (!oob.empty() && manager)
    out += "  set tftp {\n    type ipv4_addr . inet_service; flags dynamic,timeout; timeout 1m; size 65536\n  }\n";
  out +=
      "  chain input {\n    type filter hook input priority filter; policy drop;\n    ct state established,related "
      "accept\n    ct state invalid drop\n    iif \"lo\" accept\n";
  append_extra(in, file, out, findings);  // before what drops: the first verdict counts
  if (!oob.empty() && manager)
    out +=
        "    ip saddr @bmc meta l4proto icmp accept\n    ip saddr @bmc udp dport 69 update @tftp { ip saddr . udp "
        "sport } accept\n    ip saddr @bmc udp dport { 67, 123, 162, 514 } accept\n";
  if (!oob.empty()) out += "    ip saddr @bmc drop\n";
  out += "    meta l4proto { icmp, ipv6-icmp } accept\n    ip saddr @inside accept\n";
  if (in.cluster.own_site || login || manager)
    out += "    udp dport 68 accept\n";  // DHCP answers come before there is an address
  if (manager) out += "    udp sport 68 udp dport 67 accept\n";
  if (login) out += "    tcp dport 22 accept\n";
  // Pods of this node, and of others through a tunnel; their addresses are the network plugin's.
  if (runs_pods(in.cluster)) out += "    meta iifkind { ", out += kContainerLinks, out += " } accept\n";
  out +=
      "  }\n  chain forward {\n    type filter hook forward priority filter; policy accept;\n";  // containers bring
                                                                                                 // rules of their own
  // What they publish comes through here with another destination than it was sent to, not through the input chain: it
  // is for the cluster, as other ports are. A rule that asks for the kind of a device ends at one that has none, as
  // network adapters have (nft_meta.c: NFT_BREAK): so containers are let through first, and what drops does not ask.
  if (!oob.empty()) out += "    ip daddr @bmc drop\n    ip saddr @bmc drop\n";
  out += "    meta iifkind { ", out += kContainerLinks, out += " } accept\n";
  out +=
      "    ct status dnat ct state new ip saddr != @inside drop\n    ct status dnat ct state new meta nfproto ipv6 "
      "drop\n";
  // A gateway is one between the cluster's networks: strangers get answers through it, and begin nothing.
  if (forwards) out += "    ct state new ip saddr != @inside drop\n";
  out += "  }\n  chain output {\n    type filter hook output priority filter; policy accept;\n";
  if (!oob.empty() && fence)  // fence_redfish of Pacemaker, which runs as root: Redfish is HTTPS (DSP0266, section 6)
    out += "    ip daddr @bmc meta skuid 0 tcp dport 443 accept\n";
  if (!oob.empty())
    out += manager ? "    ip daddr @bmc ct state established,related accept\n    ip daddr @bmc udp sport 67 udp dport "
                     "68 accept\n    ip daddr . udp dport @tftp accept\n"
                   : "    ip daddr @bmc drop\n";
  if (!oob.empty() && manager) {
    // Two that run under users of their own: who gives addresses out (above), and the exporter that reads switches and
    // PDUs.
    if (exporters_of(in.cluster).snmp)
      if (const std::string monitors = addresses_of_monitors(in); !monitors.empty())
        out += "    ip saddr { " + monitors + " } ip daddr @bmc udp dport 161 accept\n";
    out += "    ip daddr @bmc meta skuid != 0 drop\n";
  }
  out += "  }\n}\n";
  bundle.close();
}

void report_logins(const Cluster& c, Findings& findings) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i)
    if (const NodeGroupModel& g = c.nodes[i];
        g.count > 0 && lets_users_in(g) && firewall_file(c, static_cast<int>(i)) == "fence.nft")
      findings
          .warning("nftables-login-closed", g.span,
                   "'" + g.name +
                       "' has the role login, but nobody can log in from outside: its servers can turn each other off "
                       "by their "
                       "BMCs, so the firewall lets no SSH in")
          .help("give the role login to other nodes");
}

void emit_nftables(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  std::vector<Ipv4Prefix> inside, oob;
  for (const NetworkModel& n : c.networks)
    if (n.subnet) (is_out_of_band(n) ? oob : inside).push_back(*n.subnet);
  std::string nodes, logins, fences, managers;
  const auto add = [](std::string& to, const NodeGroupModel& g) { to += to.empty() ? "" : ", ", to += g.names.text(); };
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeGroupModel& g = c.nodes[i];
    const std::string_view file = firewall_file(c, static_cast<int>(i));
    if (g.count > 0)
      add(file == "manager.nft" ? managers : file == "fence.nft" ? fences : file == "login.nft" ? logins : nodes, g);
  }
  const auto forwarding = [&](std::string_view file) {
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      if (firewall_file(c, static_cast<int>(g)) == file && forwards(in.system, static_cast<int>(g))) return true;
    return false;
  };
  std::vector<std::string_view> files;
  if (!nodes.empty())
    files.push_back("node.nft"),
        write(in, "node.nft", nodes, inside, oob, false, false, forwarding("node.nft"), bundle, findings);
  if (!logins.empty())
    files.push_back("login.nft"),
        write(in, "login.nft", logins, inside, oob, true, false, forwarding("login.nft"), bundle, findings);
  // Servers of a pair are no way in, unless there is no other one.
  if (!fences.empty())
    files.push_back("fence.nft"), write(in, "fence.nft", fences, inside, oob, logins.empty() && managers.empty(), false,
                                        forwarding("fence.nft"), bundle, findings);
  if (!logins.empty() || !managers.empty()) report_logins(c, findings);
  // A group may do both; and where no group lets users in, ssh to the managers is the only way that there is.
  bool both = logins.empty();
  for (const NodeGroupModel& g : c.nodes) both |= g.count > 0 && manages(g) && lets_users_in(g);
  if (!managers.empty() && !oob.empty() && exporters_of(c).snmp && addresses_of_monitors(in).empty())
    findings
        .note("snmp-closed",
              c.spec.software->monitoring.empty() ? SourceSpan{} : c.spec.software->monitoring.front().kind.span,
              "an SNMP exporter is named, but no node with the role monitoring has an address: the firewall lets only "
              "root query switches and PDUs, from '" +
                  managers + "'")
        .help("give the role monitoring to the nodes on which it runs");
  if (!managers.empty())
    files.push_back("manager.nft"),
        write(in, "manager.nft", managers, inside, oob, both, true, forwarding("manager.nft"), bundle, findings);
  check_extra_files(in, "nftables", files, findings);
}

}  // namespace

extern const Output kNftablesOutput;  // registry.cc names it
const Output kNftablesOutput{
    .id = "nftables",
    .summary =
        "firewall for compute, login and management nodes and for servers that fail over, which also isolates the BMCs",
    .consumers = "nftables 1.0 and newer",
    .wanted = wants_nftables,
    .emit = emit_nftables,
};

}  // namespace clusterc
