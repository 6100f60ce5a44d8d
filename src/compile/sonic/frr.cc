// frr.conf of a switch: one BGP session on each link to another switch, and routes to the loopbacks of all switches and
// to the pairs of addresses on the links of members (RFC 7938).
//
// What it does, and what it leaves out:
//   sessions       unnumbered: on the interface, with its IPv6 link-local address, and IPv4 routes with such next hops
//                  (RFC 8950; FRR, BGP, "neighbor PEER interface"). The number of the neighbour is that of the plan,
//                  so that a cable into a wrong tier or pod brings no session up
//   announced      connected networks inside the subnet of the network: the loopback, and a leaf's pairs
//   taken          from a neighbour only prefixes inside that subnet, of 31 and 32 bits, and no more than twice as many
//                  as the fabric has at the size built for: a session with more is a mistake, and is closed for a
//                  minute
//   members        no session: their ports are in no peer group, and nothing is taken from them
//   multipath      over all links that the plan has; multipath-relax, because the paths through several leaves or pods
//                  differ in their numbers
//   timers         FRR's datacenter defaults: 3 s and 9 s. A broken link ends its session at once, because the
//                  interface goes down. BFD would find only a neighbour that is alive and forwards nothing: left out
//   restart        no graceful restart: there are other paths to everything, and routes that are kept through a
//                  restarting neighbour lead to a switch that does not forward yet (RFC 4724, 4.2). FRR helps
//                  neighbours that ask for it
//   next hops      in each route, not as objects of the kernel: with objects, zebra takes a group for installed from
//                  which the kernel has removed the links that were down for a moment (FRRouting/frr, issues 12239 and
//                  14160; seen with 8.4). SONiC has a switch for it, too (sonic-buildimage, zebra.conf.j2,
//                  `zebra_nexthop`)
//   source         packets that the switch itself sends have its loopback as source. Ports between switches have no
//                  IPv4 address, so the kernel would take that of the management port, which nodes do not answer (FRR,
//                  Zebra, "ip protocol PROTOCOL route-map ROUTEMAP"; SONiC's own zebra.set_src.conf.j2)
//   passwords      none: a session is with the other end of a cable, from a link-local address, one hop away
//
// SONiC sets the addresses of ports and loopback itself (config_db.json), so that none stands here; and where it leaves
// this file alone (`docker_routing_config_mode`: split-unified) it adds the lines of its forwarding plane
// (sonic-buildimage, dockers/docker-fpm-frr/docker_init.sh).
#include <algorithm>
#include <vector>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/sonic/sonic.h"

namespace clusterc {
namespace {

constexpr std::string_view kGroup = "FABRIC", kList = "FABRIC-PREFIXES", kMap = "FABRIC-ROUTES",
                           kSource = "FABRIC-SOURCE";

bool is_line(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  });
}

// Rest of a line that FRR takes as it is: no line end, nothing but one blank between words.
void append_text(std::string& out, std::string_view text) { out += one_line(text); }

void append_line(std::string& out, std::initializer_list<std::string_view> words) {
  for (const std::string_view w : words) out += w;
  out += '\n';
}

// What of a line takes away or changes what is compiled; empty: nothing. Commands may be shortened.
std::string contradiction(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto is = [&](std::size_t i, std::string_view whole, std::size_t least) {
    return i < words.size() && words[i].size() >= least && whole.starts_with(words[i]);
  };
  const auto named = [&](std::size_t i, std::string_view name) { return i < words.size() && words[i] == name; };
  if (is(0, "no", 2)) return "takes something away that may be compiled";
  if (is(0, "hostname", 2) || (is(0, "frr", 2) && is(1, "defaults", 1)) || (is(0, "bgp", 2) && is(1, "router-id", 2)))
    return "sets '" + one_line(std::string(words[0]) + (is(0, "hostname", 2) ? "" : " " + std::string(words[1]))) +
           "', which is already set from the spec";
  if (is(0, "router", 4) && is(1, "bgp", 2) && words.size() == 3)
    return "names a BGP number, and each switch has its own";
  if (is(0, "ip", 2) && is(1, "prefix-list", 2) && named(2, kList))
    return "changes the prefix-list " + std::string(kList) + ", which is already set from the spec";
  if (is(0, "route-map", 6) && (named(1, kMap) || named(1, kSource)))
    return "changes the route-map " + one_line(words[1]) + ", which is already set from the spec";
  if (is(0, "ip", 2) && is(1, "protocol", 4) && is(2, "bgp", 2))
    return "gives packets of the switch another source than its loopback";
  const bool ours = is(2, "peer-group", 1) || is(2, "remote-as", 3) || is(2, "activate", 2) || is(2, "route-map", 6) ||
                    is(2, "maximum-prefix", 1);
  if (is(0, "neighbor", 2) && named(1, kGroup) && ours)
    return "changes the peer-group " + std::string(kGroup) + ", which is already set from the spec";
  return {};
}

}  // namespace

std::string frr_extra(const CompileInput& in, Findings& findings) {
  std::string out;
  const auto* extra = extra_of(in, kFrrFile);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    if (!is_line(text))
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a line of frr.conf")
          .help("write one command of FRR's configuration in each line");
    else if (const std::string why = contradiction(text); !why.empty())
      findings.error("output-extra-contradicts-spec", wish.span, "an extra line " + why)
          .help("change the spec instead; `router bgp` without a number is that of the switch");
    else
      out += text, out += '\n';
  }
  return out;
}

void write_frr(const CompileInput& in, const ConfiguredFabric& fabric, const ConfiguredSwitch& s,
               std::string_view folder, std::string_view extra, Bundle& bundle) {
  bundle.open(std::string(folder) + std::string(kFrrFile), "sonic");
  std::string& out = bundle.text();
  out += made_by(in, "sonic", "! ");
  const std::string subnet = s.network->subnet->text(), id = ipv4_text(s.loopback);
  append_line(out, {"frr defaults datacenter"});
  append_line(out, {"hostname ", s.host});
  append_line(out, {"log syslog informational"});
  append_line(out, {"service integrated-vtysh-config"});
  append_line(out, {"no zebra nexthop kernel enable"});
  for (const SwitchPort& p : s.ports) {
    append_line(out, {"!\ninterface ", switch_port_name(fabric.os, p)});
    out += " description ";
    append_text(out, p.far_host + ' ' + p.far_port);
    out += "\nexit\n";
  }
  append_line(out, {"!\nip prefix-list ", kList, " seq 10 permit ", subnet, " ge 31"});
  if (s.network->spec->gateway) append_line(out, {"ip prefix-list ", kList, " seq 20 permit 0.0.0.0/0"});
  append_line(out, {"!\nroute-map ", kMap, " permit 10\n match ip address prefix-list ", kList, "\nexit"});
  append_line(out, {"!\nroute-map ", kSource, " permit 10\n set src ", id, "\nexit"});
  append_line(out, {"!\nip protocol bgp route-map ", kSource});
  append_line(out, {"!\nrouter bgp ", std::to_string(s.asn)});
  append_line(out, {" bgp router-id ", id});
  append_line(out, {" bgp log-neighbor-changes"});
  append_line(out, {" bgp bestpath as-path multipath-relax"});
  append_line(out, {" neighbor ", kGroup, " peer-group"});
  for (const SwitchPort& p : s.ports) {
    if (p.kind != SwitchPort::Far::switch_) continue;
    const std::string name = switch_port_name(fabric.os, p);
    append_line(out, {" neighbor ", name, " interface peer-group ", kGroup});
    append_line(out, {" neighbor ", name, " remote-as ", std::to_string(p.far_asn)});
    out += " neighbor ", out += name, out += " description ";
    append_text(out, p.far_host + ' ' + p.far_port);
    out += '\n';
  }
  append_line(out, {" !\n address-family ipv4 unicast"});
  append_line(out, {"  redistribute connected route-map ", kMap});
  append_line(out, {"  neighbor ", kGroup, " activate"});
  append_line(out, {"  neighbor ", kGroup, " route-map ", kMap, " in"});
  append_line(out, {"  neighbor ", kGroup, " route-map ", kMap, " out"});
  append_line(out, {"  neighbor ", kGroup, " maximum-prefix ", std::to_string(2 * s.prefixes), " restart 1"});
  append_line(out, {"  maximum-paths ", std::to_string(s.paths)});
  append_line(out, {" exit-address-family\nexit\n!"});
  if (!extra.empty()) append_line(out, {"! outputs.sonic.extra of the spec\n", extra.substr(0, extra.size() - 1)});
  bundle.close();
}

}  // namespace clusterc
