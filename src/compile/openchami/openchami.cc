// openchami/nodes.yaml: what `ochami discover static -f yaml` reads (ochami-discover(1), DATA STRUCTURE). SMD knows
// nodes by MAC, so that those without one in the inventory are left out.

#include <map>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "system/node_list.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using ChamiKind = NetworkDevice::Kind;

bool wants_openchami(const Cluster& c) { return lists_nodes(c, "openchami"); }

// x1c0s12b0n0: rack, chassis, lowest rack unit, BMC, node. Several nodes at one place (two in a chassis) have a BMC
// each. Nodes outside of racks are numbered in cabinet 0.
class Places {
 public:
  explicit Places(const Plan& plan) : plan_(plan) {}
  std::string name(std::int64_t node) {
    const std::int64_t rack = plan_.node_rack[static_cast<std::size_t>(node)],
                       unit = rack < 0 ? node : plan_.node_unit[static_cast<std::size_t>(node)];
    const std::int64_t bmc = taken_[{rack, unit}]++;
    return "x" + std::to_string(rack + 1) + "c0s" + std::to_string(unit) + "b" + std::to_string(bmc) + "n0";
  }

 private:
  const Plan& plan_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> taken_;
};

void emit_openchami(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "openchami", {}, findings);
  std::string nodes, example;
  YamlWriter y(nodes);
  Places places(in.plan);
  std::int64_t left_out = 0;
  y.begin_map().list("nodes");
  each_listed(
      in.system, findings, [](const ListedGroup&) {},
      [&](const ListedGroup& g, std::int64_t member, const std::string& name) {
        const std::int64_t number = g.group().first + member;
        const std::string place = places.name(number);  // those left out keep theirs
        const auto bmc_mac = g.mac(member, name, "bmc");
        struct Port {
          const NetworkDevice* device;
          const NetworkDevice* addresses;
          std::uint64_t mac;
        };
        std::vector<Port> ports;
        bool boots = false;
        for (const NetworkDevice& d : g.network().devices()) {
          if (d.kind != ChamiKind::port) continue;
          const auto mac = g.mac(member, name, d.name);
          if (!mac) continue;
          const NetworkDevice* carrier = &d;  // a bond's addresses stand at the first of its ports that is known
          if (!d.bond.empty()) {
            for (const NetworkDevice& b : g.network().devices())
              if (b.name == d.bond) carrier = &b;
            for (const Port& p : ports)
              if (p.addresses == carrier) carrier = nullptr;
          }
          for (const std::string& port : g.boot_ports()) boots |= port == d.name;
          ports.push_back({&d, carrier, *mac});
        }
        const std::uint32_t bmc = g.bmc_address(member);
        if (!bmc_mac || bmc == 0 || !boots) {
          if (left_out++ == 0)
            example = name + (boots || g.boot_ports().empty() ? ",bmc,MAC" : "," + g.boot_ports().front() + ",MAC");
          return;
        }
        y.begin_map()
            .field("name", name)
            .field("nid", number + 1)
            .field("xname", place)
            .field("bmc_mac", mac_text(*bmc_mac))
            .field("bmc_ip", ipv4_text(bmc))
            .field("group", g.group().name);
        y.list("interfaces");
        for (const Port& p : ports) {
          if (!p.addresses || p.addresses->addresses.empty()) continue;
          y.begin_map().field("mac_addr", mac_text(p.mac)).list("ip_addrs");
          for (const NetworkAddress& a : p.addresses->addresses)
            y.begin_map()
                .field("name", in.cluster.networks[static_cast<std::size_t>(a.network)].name)
                .field("ip_addr", ipv4_text(g.address(a, member)))
                .end_map();
          y.end_list().end_map();
        }
        y.end_list().end_map();
      });
  y.end_list().end_map();
  warn_of_left_out(in.system, "openchami", "OpenCHAMI", left_out,
                   "the address and MAC of the BMC and the MAC of the port that a node starts from", example, findings);
  bundle.open("openchami/nodes.yaml", "openchami");
  bundle.text() += made_by(in, "") + unknown_macs(left_out, "nodes, which are left out", example);
  bundle.text() += nodes;
  bundle.close();
}

}  // namespace

extern const Output kOpenChamiOutput;  // registry.cc names it
const Output kOpenChamiOutput{
    .id = "openchami",
    .summary =
        "nodes for OpenCHAMI's SMD, if `outputs` of the spec names it: xname, NID, addresses and MACs of ports and "
        "BMC",
    .consumers = "ochami discover static of OpenCHAMI",
    .wanted = wants_openchami,
    .emit = emit_openchami,
};

}  // namespace clusterc
