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
