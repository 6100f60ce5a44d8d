// xcat/nodes.stanza: networks and nodes as `mkdef -z` reads them (xcatstanzafile(5); their attributes: network(7),
// node(7)). BMCs are asked with the account of the row `ipmi` of xCAT's own table passwd.

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "spec/network.h"
#include "system/node_list.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Kind = NetworkDevice::Kind;

bool wants_xcat(const Cluster& c) { return lists_nodes(c, "xcat"); }

// An object: its header, and an attribute a line. Names and values here hold no blanks, which xCAT ignores wherever
// they stand.
class Stanza {
 public:
  Stanza(std::string& out, std::string_view name, std::string_view type) : out_(out) {
    (out_ += '\n') += name, out_ += ":\n", put("objtype", type);
  }
  Stanza& put(std::string_view key, std::string_view value) {
    (((out_ += "    ") += key) += '=') += value;
    out_ += '\n';
    return *this;
  }

 private:
  std::string& out_;
};

// As xCAT's own makenetworks calls them: 10_1_0_0-255_255_255_0. An object has its name alone, and a network of the
// spec may be called as a node is.
std::string network_name(const NetworkModel& n) {
  return replace_all(ipv4_text(n.subnet->base) + "-" + ipv4_text(n.subnet->mask()), ".", "_");
}

constexpr std::string_view kXcatFile = "nodes.stanza";
// Attributes that are written here: an extra line may not repeat them. With a device behind a point: those of nics.
constexpr std::string_view kKeys[] = {"objtype",    "groups", "arch",       "mgt",        "bmc",
                                      "ip",         "mac",    "installnic", "primarynic", "nictypes",
                                      "nicdevices", "nicips", "nicnetworks"};

// Attributes of every node: a stanza of defaults (xcatstanzafile(5)).
std::string defaults(const CompileInput& in, Findings& findings) {
  std::string out;
  const auto* extra = extra_of(in, kXcatFile);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish), key = text.substr(0, text.find('='));
    const auto plain = [](char c) {
      return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f && c != '#';
    };  // blanks are ignored wherever they stand
    const auto of_name = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
             c == '_';
    };
    if (key.empty() || key.size() + 1 >= text.size() || !std::all_of(text.begin(), text.end(), plain) ||
        !std::all_of(key.begin(), key.end(), of_name) || text.ends_with(':'))
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid line of " + std::string(kXcatFile))
          .help(
              "write one attribute of every node in each line, without blanks: "
              "provmethod=rocky9-x86_64-netboot-compute");
    else if (std::find(std::begin(kKeys), std::end(kKeys), key.substr(0, key.find('.'))) != std::end(kKeys))
      findings
          .error("output-extra-contradicts-spec", wish.span,
                 "an extra line sets '" + std::string(key) + "', which is already set from the spec")
          .help("change the spec instead");
    else
      out += "    ", out += text, out += '\n';
  }
  return out.empty() ? out : "\ndefault-node:\n" + out;
}

void emit_xcat(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "xcat", {kXcatFile}, findings);
  std::string out, example;
  std::int64_t missing = 0;
  for (const AddressPlan& a : in.plan.addresses) {
    const NetworkModel& net = in.cluster.networks[static_cast<std::size_t>(a.network)];
    Stanza s(out, network_name(net), "network");
    s.put("net", ipv4_text(a.subnet.base)).put("mask", ipv4_text(a.subnet.mask()));
    if (net.spec && net.spec->gateway) s.put("gateway", ipv4_text(a.gateway));
    if (net.spec && net.spec->mtu) s.put("mtu", std::to_string(*net.spec->mtu));
    if (net.spec && net.shares >= 0 && net.spec->vlan) s.put("vlanid", std::to_string(*net.spec->vlan));
  }
  out += defaults(in, findings);
  each_listed(
      in.system, findings, [&](const ListedGroup& g) { warn_of_routes(g, "xcat", "xCAT's tables", findings); },
      [&](const ListedGroup& g, std::int64_t member, const std::string& name) {
        Stanza s(out, name, "node");
        s.put("groups", "all," + g.group().name).put("arch", g.architecture());
        if (const std::uint32_t bmc = g.bmc_address(member)) s.put("mgt", "ipmi").put("bmc", ipv4_text(bmc));
        if (const std::uint32_t ip = g.home_address(member)) s.put("ip", ipv4_text(ip));
        std::optional<std::uint64_t> mac;
        for (const std::string& port : g.boot_ports())
          if (!mac) mac = g.mac(member, name, port);
        if (mac)
          s.put("mac", mac_text(*mac)).put("installnic", "mac").put("primarynic", "mac");
        else if (missing++ == 0)
          example = name + "," + (g.boot_ports().empty() ? "PORT" : g.boot_ports().front()) + ",MAC";
        for (const NetworkDevice& d : g.network().devices()) {
          if (!d.bond.empty()) continue;  // a port of a bond stands at the bond
          s.put("nictypes." + d.name, d.kind == Kind::bond   ? "bond"
                                      : d.kind == Kind::vlan ? "vlan"
                                      : d.infiniband         ? "infiniband"
                                                             : "ethernet");
          if (d.kind == Kind::bond) s.put("nicdevices." + d.name, join(d.members, "|"));
          if (d.kind == Kind::vlan) s.put("nicdevices." + d.name, d.below);
          std::string ips, networks;
          for (const NetworkAddress& a : d.addresses) {
            if (a.routed()) continue;  // with the mask of its network, which is not that of the link
            if (!ips.empty()) ips += '|', networks += '|';
            append_ipv4(g.address(a, member), ips),
                networks += network_name(in.cluster.networks[static_cast<std::size_t>(a.network)]);
          }
          if (!ips.empty()) s.put("nicips." + d.name, ips).put("nicnetworks." + d.name, networks);
        }
      });
  bundle.open("xcat/" + std::string(kXcatFile), "xcat");
  bundle.text() += made_by(in, "xcat") + unknown_macs(missing, "ports that nodes start from", example);
  bundle.text() += out;
  bundle.close();
}

}  // namespace

extern const Output kXcatOutput;  // registry.cc names it
const Output kXcatOutput{
    .id = "xcat",
    .summary = "networks and nodes for xCAT, if `outputs` of the spec names it: addresses, MACs, bonds, VLANs, BMC",
    .consumers = "mkdef -z of xCAT 2.14 and newer",
    .wanted = wants_xcat,
    .emit = emit_xcat,
};

}  // namespace clusterc
