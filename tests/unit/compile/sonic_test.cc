// The tables of a switch, by hand. SN4700: a cage has eight lanes, Ethernet0 is lanes 0 to 7; half of it Ethernet0 and
// Ethernet4 (sonic-buildimage, device/mellanox/x86_64-mlnx_msn4700-r0/platform.json).
#include "compile/sonic/qos.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

constexpr std::string_view kHead =
    "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\n"
    "nodes:\n  gpu: { names: \"g[1-4]\", model: nvidia-dgx-h100 }\nnetworks:\n"
    "  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: 10.9.0.0/24, gateway: 10.9.0.1, connects: "
    "everything }\n";

std::string flat(std::string_view more, std::string_view model = "nvidia-sn4700") {
  return std::string(kHead) + "  lan: { kind: ethernet, rate: 200 Gb/s, switch: " + std::string(model) +
         ", switch_os: sonic, subnet: 10.2.0.0/24, carries: [storage], connects: { gpu: { ports: storage, count: 1 } "
         "}" +
         std::string(more) + " }\n";
}

std::string config(Compiled& c, const std::string& spec) {
  c.spec(spec, {"sonic"});
  for (const auto& f : c.bundle.files())
    if (f.path.ends_with("/config_db.json")) return std::string(c.bundle.bytes(f));
  return {};
}
std::string readme(const Compiled& c) {
  for (const auto& f : c.bundle.files())
    if (f.path == "sonic/README.md") return std::string(c.bundle.bytes(f));
  return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Sonic, APartOfACageIsAPort) {
  Compiled c;
  const std::string text = config(c, flat(""));
  EXPECT_TRUE(has(
      text,
      R"("Ethernet0": {"alias": "etp1a", "lanes": "0,1,2,3", "index": "1", "speed": "200000", "mtu": "9100", "fec": "rs", "subport": "1", "admin_status": "up")"))
      << text << c.told();
  EXPECT_TRUE(has(text, R"("Ethernet4": {"alias": "etp1b", "lanes": "4,5,6,7")"));
  EXPECT_TRUE(has(text, R"("Ethernet0": {"brkout_mode": "2x200G[100G,50G,40G,25G,10G,1G]"})"));
  // Cages without a cable are there, whole and off.
  EXPECT_TRUE(has(
      text,
      R"("Ethernet248": {"alias": "etp32", "lanes": "248,249,250,251,252,253,254,255", "index": "32", "speed": "400000", "mtu": "9100", "fec": "rs", "admin_status": "down"})"));
  EXPECT_FALSE(has(text, "DSCP_TO_TC_MAP"));
  EXPECT_TRUE(has(text, R"("type": "ToRRouter")"));
  EXPECT_FALSE(has(text, "docker_routing_config_mode"));
}

TEST(Sonic, AFlatNetworkIsOneVlan) {
  Compiled without, with;
  EXPECT_TRUE(has(config(without, flat("")), R"("Vlan2|Ethernet0": {"tagging_mode": "untagged"})"));
  const std::string text = config(with, flat(", vlan: 2, mtu: 9000") +
                                            "  guest: { shares_switches_with: lan, vlan: 3, subnet: 10.3.0.0/24, "
                                            "connects: { gpu: { ports: storage, count: 1 } } }\n");
  EXPECT_TRUE(has(text, R"("Vlan2|Ethernet0": {"tagging_mode": "untagged"})")) << text << with.told();
  EXPECT_TRUE(has(text, R"("Vlan3|Ethernet0": {"tagging_mode": "tagged"})"));
  EXPECT_TRUE(has(text, R"("mtu": "9000")"));
}

TEST(Sonic, WhatSonicCannotDoIsSaid) {
  Compiled unknown, gateway, priority, fits;
  EXPECT_EQ(config(unknown, flat("", "juniper-qfx5130-32cd")), "");
  EXPECT_TRUE(has(unknown.told(), "sonic-ports-unknown")) << unknown.told();
  std::string spec = flat("");
  spec.replace(spec.find(", gateway: 10.9.0.1"), 19, "");
  EXPECT_FALSE(has(config(gateway, spec), "MGMT_INTERFACE"));
  EXPECT_TRUE(has(gateway.told(), "sonic-management-unmade")) << gateway.told();
  config(priority, flat(", rdma: roce, roce: { priority: 5, dscp: 46 }"));
  EXPECT_TRUE(has(priority.told(), "sonic-class-without-buffers")) << priority.told();
  EXPECT_FALSE(has(config(fits, flat(", rdma: roce, roce: {}")), "xyz"));
  EXPECT_FALSE(has(fits.told(), "sonic-")) << fits.told();
}

TEST(Sonic, ExtraTablesAreTextsAndNeverReplaceWhatFollowsFromTheSpec) {
  const auto extra = [](std::string_view line) {
    return flat(", rdma: roce, roce: {}") + "outputs: { sonic: { extra: { config_db.json: [ '" + std::string(line) +
           "' ] } } }\n";
  };
  Compiled good, profile, other, ours, form;
  EXPECT_TRUE(has(config(good, extra("SYSLOG_SERVER: { 10.9.0.5: { port: 514 } }")), "\"port\": \"514\""));
  EXPECT_EQ(good.findings.count(Severity::error), 0) << good.told();
  const std::string text = config(profile, extra("WRED_PROFILE: { ROCE: { ecn: ecn_all, green_min_threshold: 1 } }"));
  EXPECT_TRUE(has(text, "\"green_min_threshold\": \"1\"")) << profile.told();
  EXPECT_FALSE(has(text, "1048576"));
  config(other, extra("WRED_PROFILE: { MINE: { ecn: ecn_all } }"));
  EXPECT_TRUE(has(other.told(), "output-extra-malformed")) << other.told();
  config(ours, extra("PORT: { Ethernet0: { speed: 1 } }"));
  EXPECT_TRUE(has(ours.told(), "output-extra-contradicts-spec")) << ours.told();
  config(form, extra("SYSLOG_SERVER: [ 10.9.0.5 ]"));
  EXPECT_TRUE(has(form.told(), "output-extra-malformed")) << form.told();
}

// caclmgrd sorts priorities and drops what no rule takes, so one rule is enough, and two rows that belong together.
TEST(Sonic, OnlyTheManagementNetworkReachesSsh) {
  Compiled c, without, other;
  const std::string text = config(c, flat(""));
  EXPECT_TRUE(has(text, R"("type": "CTRLPLANE")")) << text;
  EXPECT_TRUE(has(text, R"("services": ["SNMP", "SSH"])")) << text;
  EXPECT_TRUE(
      has(text, R"("MANAGEMENT|RULE_1": {"PRIORITY": "9999", "PACKET_ACTION": "ACCEPT", "SRC_IP": "10.9.0.0/24"})"));
  std::string spec = flat("");
  spec.replace(spec.find(", subnet: 10.9.0.0/24, gateway: 10.9.0.1"), 40, "");
  EXPECT_FALSE(has(config(without, spec), "ACL_TABLE"));
  EXPECT_TRUE(has(without.told(), "no list of who may use SSH")) << without.told();
  const std::string extra =
      config(other, flat("") +
                        "outputs: { sonic: { extra: { config_db.json: [ 'ACL_TABLE: { MINE: { type: CTRLPLANE, "
                        "services: [ SSH ] } }' ] } } }\n");
  EXPECT_TRUE(has(extra, "MINE")) << other.told();
  EXPECT_FALSE(has(extra, "MANAGEMENT"));
  EXPECT_TRUE(has(readme(other), "; SSH as the extra lines of the spec have it\n"));
}

TEST(Sonic, TheReadmeSaysWhatHappensToTheManagementPort) {
  Compiled with, gateway, none;
  config(with, flat(""));
  EXPECT_TRUE(has(readme(with), "; management address of the plan; SSH and SNMP from 10.9.0.0/24 alone\n"));
  std::string spec = flat("");
  spec.replace(spec.find(", gateway: 10.9.0.1"), 19, "");
  config(gateway, spec);
  EXPECT_TRUE(has(readme(gateway),
                  "; NO management address: eth0 asks DHCP, load from the console; SSH and SNMP from "
                  "10.9.0.0/24 alone\n"));
  spec = flat("");
  spec.erase(spec.find("  oob:"), spec.find("  lan:") - spec.find("  oob:"));
  config(none, spec);
  EXPECT_TRUE(
      has(readme(none), "; NO management address: eth0 asks DHCP, load from the console; SSH from everywhere\n"));
  EXPECT_TRUE(has(none.told(), "sonic-management-unmade")) << none.told();
}

TEST(Sonic, TimeServersAreNamesOrAddresses) {
  const auto servers = [](std::string_view times, std::string_view names) {
    return flat("") + "software: { os: debian-12, time_servers: [" + std::string(times) + "]" +
           (names.empty() ? "" : ", name_servers: [" + std::string(names) + "]") + " }\n";
  };
  Compiled named, deaf, apart, extra;
  EXPECT_TRUE(
      has(config(named, servers("ntp1.example.org", "10.9.0.5")), R"("ntp1.example.org": {"association_type")"));
  EXPECT_FALSE(has(named.told(), "sonic-time-unmade")) << named.told();
  EXPECT_FALSE(has(config(deaf, servers("ntp1.example.org", "")), "NTP_SERVER"));
  EXPECT_TRUE(has(deaf.told(), "1 of 1 time servers")) << deaf.told();
  // In another network of the cluster, which the network of management ports does not lead to.
  EXPECT_FALSE(has(config(apart, servers("10.2.0.200", "")), "NTP_SERVER"));
  EXPECT_TRUE(has(apart.told(), "sonic-time-unmade")) << apart.told();
  const std::string given = config(extra, servers("10.2.0.200", "") +
                                              "outputs: { sonic: { extra: { config_db.json: [ 'NTP_SERVER: { "
                                              "192.0.2.1: { iburst: \"on\" } }' ] } } }\n");
  EXPECT_TRUE(has(given, "192.0.2.1")) << extra.told();
}

TEST(Sonic, WhatItsFilesLeaveOutIsSaid) {
  Compiled gateway, set, none, apart;
  config(gateway, flat(", gateway: 10.2.0.1"));
  EXPECT_TRUE(has(gateway.told(), "sonic-gateway-unmade")) << gateway.told();
  config(set, flat(", rdma: roce, adaptive_routing: true, roce: { headroom: 1 MB }"));
  EXPECT_TRUE(has(set.told(), "`adaptive_routing` of network 'lan'")) << set.told();
  EXPECT_TRUE(has(set.told(), "`roce.headroom` of network 'lan'")) << set.told();
  EXPECT_FALSE(has(set.told(), "sonic-gateway-unmade")) << set.told();
  // Two leaves and no BGP number: said also where only this output is asked for.
  config(apart, flat(", topology: fat-tree, spines: 2"));
  EXPECT_TRUE(has(apart.told(), "switches-unmade")) << apart.told();
}

TEST(Sonic, ALosslessClassSharesNoCodePointUnsaid) {
  Compiled zero, six, own;
  const std::string text = config(zero, flat(", rdma: roce, roce: { priority: 0, dscp: 0 }"));
  EXPECT_TRUE(has(zero.told(), "sonic-class-shared")) << zero.told();
  // By hand: group 0 is lossless, so all other classes are in group 1.
  EXPECT_TRUE(has(text, R"("TC_TO_PRIORITY_GROUP_MAP": {
  "ROCE": {"0": "0", "1": "1", "2": "1", "3": "1", "4": "1", "5": "1", "6": "1", "7": "1"})"))
      << text;
  config(six, flat(", rdma: roce, roce: { priority: 6, dscp: 48 }"));
  EXPECT_TRUE(has(six.told(), "sonic-class-shared")) << six.told();
  config(own, flat(", rdma: roce, roce: {}"));
  EXPECT_FALSE(has(own.told(), "sonic-class-shared")) << own.told();
}

TEST(Sonic, ExtraLinesOfFrrTakeNothingAway) {
  const auto extra = [](std::string_view line) {
    return flat("") + "outputs: { sonic: { extra: { frr.conf: [ '" + std::string(line) + "' ] } } }\n";
  };
  for (const std::string_view line :
       {"no router bgp 65001", "  no route-map FABRIC-ROUTES", "router bgp 65000", "rou bgp 65000", "hostname x",
        "ip prefix-list FABRIC-PREFIXES seq 5 permit 0.0.0.0/0 le 32", "ip protocol bgp route-map MINE",
        "route-map FABRIC-ROUTES permit 5", "bgp router-id 10.0.0.1", "frr defaults traditional",
        "neighbor FABRIC remote-as 1"}) {
    Compiled c;
    config(c, extra(line));
    EXPECT_EQ(has(c.told(), "output-extra-contradicts-spec"), !line.starts_with("rou bgp")) << line << c.told();
  }
  for (const std::string_view line :
       {"router bgp", "neighbor FABRIC timers 1 3", "ip prefix-list OFFICE permit 192.0.2.0/24",
        "route-map OFFICE permit 10", "nopass", "log file /var/log/frr.log"}) {
    Compiled c;
    config(c, extra(line));
    EXPECT_EQ(c.findings.count(Severity::error), 0) << line << c.told();
  }
}

// 26 / 8 = 3, as 24 to 31; only 26 is lossless, 48 is that of notifications.
TEST(SonicQos, NoOtherCodePointGetsIntoALosslessClass) {
  const auto of = classes_of_code_points({SwitchClass{3, {26}, true, true}});
  EXPECT_EQ(of[26], 3);
  for (const std::size_t d : {24, 25, 27, 28, 29, 30, 31}) EXPECT_EQ(of[d], 0) << d;
  EXPECT_EQ(of[0], 0);
  EXPECT_EQ(of[46], 5);
  EXPECT_EQ(of[48], 6);
  EXPECT_EQ(of[63], 7);
}

TEST(SonicQos, TheClassMayBeAnyOfEight) {
  const auto zero = classes_of_code_points({SwitchClass{0, {5}, true, true}});
  EXPECT_EQ(zero[5], 0);
  EXPECT_EQ(zero[0], 1);  // ordinary packets are not lossless
  const auto six = classes_of_code_points({SwitchClass{6, {50}, true, true}});
  EXPECT_EQ(six[50], 6);
  EXPECT_EQ(six[48], 7);
  EXPECT_EQ(six[49], 0);
}

}  // namespace
}  // namespace clusterc
