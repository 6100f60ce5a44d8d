// startup.yaml of a switch: all that NVUE is to set. What stands in it, and what it leaves to Cumulus Linux:
//   ports          every cage, used or not: a cage without a cable is down. A split cage has its breakout, and its
//   parts
//                  are ports of their own (swp17s0). Forward error correction is left to the switch (`auto`)
//   MTU            that of the networks on the port, in bytes of the IP packet; else 9216 of Cumulus Linux
//   routing        the decisions are those of src/compile/sonic/frr.cc: unnumbered sessions between switches with the
//                  neighbour's digits of the plan, prefixes of 31 and 32 bits inside the subnet, all links at once.
//                  eth0 is in the VRF mgmt, so that packets of the switch have its loopback as source
//   lossless class the one that `qos roce` has, which sizes the buffers for the chip; no other (is_class_of_nvue)
//   LLDP           on, as Cumulus Linux has it; the times are written so that they do not depend on a release
//   secrets        none
#include <algorithm>
#include <cmath>

#include "base/ip.h"
#include "compile/common.h"
#include "compile/cumulus/cumulus.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostDescription = 255;  // NVUE, interface description
constexpr std::string_view kRoutes = "FABRIC", kBridge = "br_default";

std::string digits(std::int64_t n) { return std::to_string(n); }

// "400G", "100M": as NVUE names rates.
std::string speed(BitsPerSecond rate) {
  const std::int64_t mbps = std::llround(rate.value / 1e6);
  return mbps >= 1000 && mbps % 1000 == 0 ? digits(mbps / 1000) + "G" : digits(mbps) + "M";
}

void empty(YamlWriter& y, std::string_view key) { y.map(key).end_map(); }

void write_system(YamlWriter& y, const ConfiguredSwitch& s) {
  y.map("system").field("hostname", s.host).end_map();
  const SwitchManagement& m = *s.reached;
  y.map("service");
  if (!m.time_servers.empty()) {
    y.map("ntp").map("mgmt").map("server");
    for (const std::string& t : std::set<std::string>(m.time_servers.begin(), m.time_servers.end()))
      y.map(t).field("iburst", "on").end_map();
    y.end_map().end_map().end_map();
  }
  if (!m.name_servers.empty()) {
    y.map("dns").map("mgmt").map("server");
    for (const std::string& n : std::set<std::string>(m.name_servers.begin(), m.name_servers.end())) empty(y, n);
    y.end_map().end_map().end_map();
  }
  y.map("lldp").field("tx-interval", 30).field("tx-hold-multiplier", 4).end_map().end_map();
}

void write_management(YamlWriter& y, const ConfiguredSwitch& s) {
  y.map("eth0").field("type", "eth").map("ip").field("vrf", "mgmt").map("address");
  if (s.management && s.reached->subnet)
    empty(y, ipv4_text(s.management) + "/" + digits(s.reached->subnet->length));
  else
    empty(y, "dhcp");
  y.end_map();
  if (s.management && s.reached->subnet && s.reached->gateway) {
    y.map("gateway");
    empty(y, ipv4_text(s.reached->gateway));
    y.end_map();
  }
  y.end_map().end_map();
}

bool routes_adaptively(const ConfiguredSwitch& s) {
  const auto& spec = s.network->spec;
  return s.routed && spec && (spec->adaptive_routing.value_or(false) || spec->spectrum_x.value_or(false));
}

void write_port(YamlWriter& y, const ConfiguredSwitch& s, const SwitchPort& p, const FlatVlans& vlans) {
  y.map(switch_port_name(SwitchOs::cumulus, p)).field("type", "swp");
  y.field("description", port_description(p, kMostDescription));
  y.map("link").field("speed", speed(p.rate));
  if (p.mtu > 0) y.field("mtu", p.mtu);
  y.map("state");
  empty(y, "up");
  y.end_map().end_map();
  if (p.address) {
    y.map("ip").map("address");
    empty(y, ipv4_text(p.address) + "/31");
    y.end_map().end_map();
  }
  if (routes_adaptively(s) && p.kind == SwitchPort::Far::switch_)
    y.map("router").map("adaptive-routing").field("enable", "on").end_map().end_map();
  if (!s.routed && p.kind != SwitchPort::Far::equipment) {
    const std::int64_t untagged = vlans.untagged(p);
    std::set<std::int64_t> numbers(p.tagged.begin(), p.tagged.end());
    numbers.insert(untagged);
    y.map("bridge").map("domain").map(kBridge).field("untagged", untagged).map("vlan");
    for (const std::int64_t n : numbers) empty(y, digits(n));
    y.end_map().end_map().end_map().end_map();
  }
  y.end_map();
}

void write_down(YamlWriter& y, std::string_view name) {
  y.map(name).field("type", "swp").map("link").map("state");
  empty(y, "down");
  y.end_map().end_map().end_map();
}

void write_interfaces(YamlWriter& y, const ConfiguredSwitch& s, const FlatVlans& vlans) {
  y.map("interface");
  write_management(y, s);
  if (s.routed) {
    y.map("lo").field("type", "loopback").map("ip").map("address");
    empty(y, ipv4_text(s.loopback) + "/32");
    y.end_map().end_map().end_map();
  }
  const std::int64_t in_cage = std::max<std::int64_t>(1, s.part->ports_per_cage.value_or(1));
  std::int64_t cages = (s.part->ports.value_or(0) + in_cage - 1) / in_cage + s.part->uplinks.value_or(0);
  for (const SwitchPort& p : s.ports) cages = std::max(cages, p.cage);
  std::size_t next = 0;
  for (std::int64_t cage = 1; cage <= cages; ++cage) {
    const std::size_t first = next;
    while (next < s.ports.size() && s.ports[next].cage == cage) ++next;
    if (next == first) {
      write_down(y, "swp" + digits(cage));
      continue;
    }
    const std::int64_t ways = s.ports[first].ways;
    if (ways > 1) {
      y.map("swp" + digits(cage)).field("type", "swp").map("link").map("breakout");
      empty(y, digits(ways) + "x");
      y.end_map().end_map().end_map();
    }
    std::size_t at = first;
    for (std::int64_t way = 0; way < ways; ++way)
      if (at < next && s.ports[at].way == way)
        write_port(y, s, s.ports[at++], vlans);
      else
        write_down(y, "swp" + digits(cage) + "s" + digits(way));
  }
  y.end_map();
}

void write_flat(YamlWriter& y, const FlatVlans& vlans) {
  if (vlans.numbers.empty()) return;
  y.map("bridge").map("domain").map(kBridge).map("vlan");
  for (const std::int64_t n : vlans.numbers) empty(y, digits(n));
  y.end_map().end_map().end_map().end_map();
}

void write_router(YamlWriter& y, const ConfiguredSwitch& s) {
  y.map("router");
  if (routes_adaptively(s)) y.map("adaptive-routing").field("enable", "on").end_map();
  y.map("bgp").field("enable", "on").field("autonomous-system", s.asn);
  y.field("router-id", ipv4_text(s.loopback)).end_map();
  y.map("policy").map("prefix-list").map(kRoutes).field("type", "ipv4").map("rule");
  y.map("10").field("action", "permit").map("match").map(s.network->subnet->text());
  y.field("min-prefix-len", 31).field("max-prefix-len", 32).end_map().end_map().end_map();
  if (s.network->spec->gateway) {
    y.map("20").field("action", "permit").map("match");
    empty(y, "0.0.0.0/0");
    y.end_map().end_map();
  }
  y.end_map().end_map().end_map();
  y.map("route-map").map(kRoutes).map("rule").map("10").map("action");
  empty(y, "permit");
  y.end_map().map("match").field("type", "ipv4").field("ip-prefix-list", kRoutes).end_map();
  y.end_map().end_map().end_map().end_map().end_map().end_map();
}

void write_sessions(YamlWriter& y, const ConfiguredSwitch& s) {
  y.map("vrf").map("default").map("router").map("bgp").field("enable", "on");
  y.map("path-selection").map("multipath").field("aspath-ignore", "on").end_map().end_map();
  y.map("address-family").map("ipv4-unicast").field("enable", "on");
  y.map("multipaths").field("ebgp", s.paths).end_map();
  y.map("redistribute").map("connected").field("enable", "on").field("route-map", kRoutes).end_map().end_map();
  y.end_map().end_map();
  y.map("peer-group").map(kRoutes).map("address-family").map("ipv4-unicast").field("enable", "on");
  y.map("policy").map("inbound").field("route-map", kRoutes).end_map();
  y.map("outbound").field("route-map", kRoutes).end_map().end_map();
  y.map("prefix-limits").map("inbound").field("maximum", 2 * s.prefixes).field("reestablish-wait", 1);
  y.end_map().end_map().end_map().end_map().end_map().end_map();
  y.map("neighbor");
  for (const SwitchPort& p : s.ports) {
    if (p.kind != SwitchPort::Far::switch_) continue;
    y.map(switch_port_name(SwitchOs::cumulus, p)).field("type", "unnumbered").field("peer-group", kRoutes);
    y.field("remote-as", p.far_asn).end_map();
  }
  y.end_map().end_map().end_map().end_map().end_map();
}

}  // namespace

bool is_class_of_nvue(const std::vector<SwitchClass>& classes) {
  return classes.size() == 1 && classes[0].priority == 3 && classes[0].pfc && classes[0].ecn &&
         classes[0].dscps == std::vector<std::int64_t>{26};
}

void write_startup(const CompileInput& in, const ConfiguredSwitch& s, const std::vector<SwitchClass>& classes,
                   std::string_view folder, Bundle& bundle) {
  const FlatVlans vlans = s.routed ? FlatVlans{} : flat_vlans(s.ports);
  bundle.open(std::string(folder) + "startup.yaml", "cumulus");
  bundle.text() += made_by(in, {});
  YamlWriter y(bundle.text());
  y.begin_list().begin_map().map("set");
  write_system(y, s);
  write_interfaces(y, s, vlans);
  if (is_class_of_nvue(classes))
    y.map("qos").map("roce").field("enable", "on").field("mode", "lossless").end_map().end_map();
  if (s.routed) {
    write_router(y, s);
    write_sessions(y, s);
  } else {
    write_flat(y, vlans);
  }
  y.end_map().end_map().end_list();
  bundle.close();
}

}  // namespace clusterc
