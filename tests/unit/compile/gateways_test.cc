// Routes and settings that follow from groups with the role gateway, by hand.
#include "system/gateways.h"

#include "base/text.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

std::string vm(const std::string& name, std::string_view more = "") {
  return "  " + name + ": { names: " + name + "1, virtual_machine: { cpus: 2, memory: 2 GiB }" + std::string(more) +
         " }\n";
}
std::string network(const std::string& name, int number, bool router, const std::string& connects) {
  const std::string base = "10." + std::to_string(number) + ".0.";
  return "  " + name + ": { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: " + base + "0/24, " +
         (router ? "gateway: " + base + "1, " : "") + "carries: [inband], connects: {" + connects + "} }\n";
}
const std::string kSite =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\nsoftware: "
    "{ os: debian-12 }\nnodes:\n";

// Two networks with routers of their own and one without: a way there, and the same back.
const std::string kThree = kSite + vm("near") + vm("far") + vm("out") + vm("both") + vm("gate", ", roles: [gateway]") +
                           "networks:\n" + network("lan", 1, true, "near: 1, both: 1, gate: 1") +
                           network("store", 2, false, "far: 1, both: 1, gate: 1") +
                           network("dmz", 3, true, "out: 1, gate: 1");

// "store over lan; dmz over lan"
std::string routes(const System& system, std::string_view name) {
  const Cluster& c = system.cluster;
  std::string out;
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    if (c.nodes[g].name == name)
      for (const GatewayRoute& r : gateway_routes(system, static_cast<int>(g))) {
        const NetworkModel& over = c.networks[static_cast<std::size_t>(r.over)];
        EXPECT_EQ(c.nodes[static_cast<std::size_t>(over.ends[static_cast<std::size_t>(r.end_points)].group)].name,
                  "gate");
        out += (out.empty() ? "" : "; ") + c.networks[static_cast<std::size_t>(r.to)].name + " over " + over.name;
      }
  return out;
}

TEST(Gateways, WhoHasARouteHasOneBack) {
  Compiled c;
  c.spec(kThree, {"hosts"});
  ASSERT_EQ(c.findings.count(Severity::error), 0) << c.told();
  EXPECT_EQ(routes(*c.system, "near"), "store over lan");  // dmz: the routers know each other
  EXPECT_EQ(routes(*c.system, "out"), "store over dmz");
  EXPECT_EQ(routes(*c.system, "far"), "lan over store; dmz over store");
  EXPECT_EQ(routes(*c.system, "both"), "");  // in lan, whose router leads to dmz
  EXPECT_EQ(routes(*c.system, "gate"), "");
}

// The mirror is called by its name, with the cluster's domain or without; a host of another domain is none of the
// nodes.
TEST(Gateways, TheMirrorIsCalledByItsNameHoweverItIsWritten) {
  for (const auto& [host, called] : {std::pair{"near1", true},
                                     {"near1.two.example", true},
                                     {"near1.Two.Example", true},
                                     {"near1.one.example", false},
                                     {"mirror.two.example", false}}) {
    Resolved r;
    std::string text = kThree;
    text.replace(text.find("software: { os: debian-12 }"), 27,
                 "software: { os: debian-12, domain: two.example, mirror: { server: " + std::string(host) + " } }");
    r.text(text);
    ASSERT_TRUE(r.cluster) << r.told();
    for (std::size_t g = 0; g < r.cluster->nodes.size(); ++g)
      EXPECT_EQ(is_called_by_name(*r.cluster, static_cast<int>(g)), called && r.cluster->nodes[g].name == "near")
          << host;
  }
}

TEST(Gateways, WhoMayAnswerOverAnotherPortTakesWhatComesSo) {
  Compiled c;
  c.spec(kThree, {"ansible"});
  const auto loose = [&](const std::string& group) {
    return c.file("ansible/group_vars/group_" + group + ".yaml").find("rp_filter = 2") != std::string::npos;
  };
  EXPECT_TRUE(loose("both"));
  EXPECT_TRUE(loose("gate"));
  EXPECT_FALSE(loose("near"));
}

TEST(Gateways, ForwardingWithoutAFirewallIsSaid) {
  const auto said = [](const std::string& spec) {
    Compiled c;
    c.spec(spec, {"ansible"});
    return std::pair(c.told().find("gateway-unguarded") != std::string::npos,
                     c.file("ansible/group_vars/group_gate.yaml").find("ip_forward = 1") != std::string::npos);
  };
  EXPECT_EQ(said(kThree), std::pair(true, true));  // nothing is out of band, so that no firewall is asked for
  const std::string guarded =
      kThree +
      "  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: 10.9.0.0/24, connects: everything }\n";
  EXPECT_EQ(said(guarded), std::pair(true, true));  // nor where nobody could come in
  const std::string managed =
      replace_all(guarded, "  near: { names: near1,", "  near: { names: near1, roles: [login],");
  EXPECT_EQ(said(managed), std::pair(false, true));
  EXPECT_EQ(said(managed + "outputs: { nftables: { skip: true } }\n"), std::pair(true, true));
}

TEST(Gateways, OneLegIsNone) {
  Compiled c;
  c.spec(kSite + vm("near") + vm("gate", ", roles: [gateway]") + "networks:\n" +
             network("lan", 1, true, "near: 1, gate: 1") + network("store", 2, false, "near: 1"),
         {"hosts"});
  ASSERT_TRUE(c.cluster);
  EXPECT_FALSE(forwards(*c.system, 1));
  EXPECT_EQ(routes(*c.system, "near"), "");
}

// Packages may come over a gateway: it forwards, behind its firewall, before any other machine asks for some.
TEST(Gateways, ForwardBeforeOthersFetchOverThem) {
  Compiled c;
  c.spec(kThree);
  const std::string site = c.file("ansible/site.yml");
  const std::size_t gate = site.find("  hosts: group_gate\n"), kernel = site.find("role: kernel"),
                    others = site.find("  hosts: all\n", gate);
  ASSERT_NE(gate, std::string::npos) << site;
  EXPECT_LT(site.find("role: base"), gate) << site;
  EXPECT_LT(gate, kernel) << site;
  EXPECT_LT(kernel, others) << site;
  Compiled without;
  without.spec(replace_all(kThree, ", roles: [gateway]", ""));
  EXPECT_EQ(without.file("ansible/site.yml").find("hosts: group_gate\n"), std::string::npos)
      << without.file("ansible/site.yml");
}

}  // namespace
}  // namespace clusterc
