// clusterc-fabric on trees as the kernel writes them. The texts of link_layer, state, phys_state, rate, lid, gids and gid_attrs are those of drivers/infiniband/core/sysfs.c (link_layer_show,
// state_show, phys_state_show, rate_show, lid_show, print_gid_cb, _show_port_gid_attr); the layout is Documentation/ABI/stable/sysfs-class-infiniband's.
#include "fabric/ports.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using namespace clusterc::fabric;

class Fabric : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "clusterc-fabric-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }
  void put(const fs::path& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  static std::string port_of(const std::string& device) { return "sys/class/infiniband/" + device + "/ports/1/"; }
  void counters(const std::string& at) const {
    for (const char* name : {"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors", "port_xmit_discards",
                             "port_xmit_constraint_errors", "port_rcv_constraint_errors", "local_link_integrity_errors", "excessive_buffer_overrun_errors", "VL15_dropped"})
      put(at + "counters/" + name, "0");
    put(at + "counters/port_xmit_data", "1000");
    put(at + "hw_counters/out_of_sequence", "0");
  }
  void infiniband(const std::string& device, const std::string& rate = "400 Gb/sec (4X NDR)", const std::string& state = "4: ACTIVE", const std::string& physical = "5: LinkUp") const {
    const std::string at = port_of(device);
    put(at + "link_layer", "InfiniBand"), put(at + "state", state), put(at + "phys_state", physical), put(at + "rate", rate), put(at + "lid", "0x1f");
    put(at + "gids/0", "fe80:0000:0000:0000:a088:c203:0012:3456"), put(at + "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
    counters(at);
  }
  // As mlx5 fills it where the interface has the address 10.1.0.7: v1 and v2 of the link-local and of the IPv4 address; then empty entries, whose type the kernel refuses to read.
  void roce(const std::string& device, const std::string& interface, const std::string& rate = "200 Gb/sec (4X HDR)") const {
    const std::string at = port_of(device);
    put(at + "link_layer", "Ethernet"), put(at + "state", "4: ACTIVE"), put(at + "phys_state", "5: LinkUp"), put(at + "rate", rate), put(at + "lid", "0x0");
    const char* gids[] = {"fe80:0000:0000:0000:0e42:a1ff:fe12:3456", "fe80:0000:0000:0000:0e42:a1ff:fe12:3456", "0000:0000:0000:0000:0000:ffff:0a01:0007", "0000:0000:0000:0000:0000:ffff:0a01:0007"};
    for (unsigned i = 0; i < 4; ++i) {
      put(at + "gids/" + std::to_string(i), gids[i]);
      put(at + "gid_attrs/types/" + std::to_string(i), i % 2 == 0 ? "IB/RoCE v1" : "RoCE v2");
      put(at + "gid_attrs/ndevs/" + std::to_string(i), interface);
    }
    put(at + "gids/4", "0000:0000:0000:0000:0000:0000:0000:0000");
    put("sys/class/net/" + interface + "/mtu", "9000");
    counters(at);
  }
  // Two of 400 Gb/s InfiniBand, one of 200 Gb/s RoCE, and a port without a cable, as ConnectX shows it.
  void sound() const {
    infiniband("mlx5_0"), infiniband("mlx5_10"), roce("mlx5_2", "ens3f0np0");
    infiniband("mlx5_3", "10 Gb/sec (4X SDR)", "1: DOWN", "2: Polling");
  }
  static constexpr const char* kAll = "infiniband:2x400Gb/s,ethernet:1x200Gb/s:9000";
  Result look(std::vector<std::string> more = {"--ports", kAll}, const std::string& build = program("fabric")) const {
    std::vector<std::string> line = {build, "--sysfs", root};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
  static std::string slow(const Result& r, const std::string& port) {
    for (const json& m : r.records)
      if (m.value("record", "") == "measurement" && (port.empty() ? m["metric"] == "fabric.links" : m["parameters"].value("port", "") == port)) return m["parameters"].value("slow", "");
    return "no record";
  }
  fs::path root;
};

TEST_F(Fabric, SoundPortsHaveNoTrouble) {
  sound();
  for (const bool demanded : {true, false}) {
    const Result r = look(demanded ? std::vector<std::string>{"--ports", kAll} : std::vector<std::string>{});
    expect_measured(r, 4);
    const char* ports[] = {"mlx5_0/1", "mlx5_2/1", "mlx5_10/1"};
    const double rates[] = {50e9, 25e9, 50e9};                     // 400 Gb/s / 8, 200 Gb/s / 8
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(r.records[i + 1]["parameters"]["port"], ports[i]);
      EXPECT_DOUBLE_EQ(r.records[i + 1]["value"], rates[i]);
      EXPECT_EQ(slow(r, ports[i]), "");
    }
    EXPECT_DOUBLE_EQ(r.records[4]["value"], 125e9);
    EXPECT_EQ(slow(r, ""), "");
    EXPECT_EQ(r.records[4]["parameters"]["not_active"], "mlx5_3/1 DOWN (Polling)");
    EXPECT_EQ(r.records[1]["parameters"]["lid"], 31);
    EXPECT_EQ(r.records[1]["parameters"]["speed"], "NDR");
    EXPECT_EQ(r.records[2]["parameters"]["gid_index"], 3);          // RoCE v2 of the IPv4 address
    EXPECT_EQ(r.records[2]["parameters"]["mtu"], 9000);
    EXPECT_EQ(r.records[2]["parameters"]["gids"], 4);
  }
}

// From outside: the trees of machines on which one thing is wrong.
TEST_F(Fabric, ASlowPortIsNamed) {
  sound();
  put(port_of("mlx5_10") + "rate", "100 Gb/sec (1X NDR)");          // three of four lanes lost
  const Result r = look();
  expect_measured(r, 4);
  EXPECT_EQ(slow(r, "mlx5_10/1"), "mlx5_10/1 runs at 100 Gb/s (1X NDR), not 400 Gb/s");
  EXPECT_EQ(slow(r, "mlx5_0/1"), "");
  EXPECT_DOUBLE_EQ(r.records[4]["value"], 87.5e9);                  // (400 + 100 + 200) / 8
}

TEST_F(Fabric, APortThatIsDownOrNotBroughtUpIsNamed) {
  sound();
  put(port_of("mlx5_0") + "state", "1: DOWN"), put(port_of("mlx5_0") + "phys_state", "3: Disabled");
  put(port_of("mlx5_10") + "state", "2: INIT"), put(port_of("mlx5_10") + "lid", "0x0");
  const Result r = look();
  expect_measured(r, 2);
  EXPECT_EQ(slow(r, ""), "mlx5_0/1 is DOWN (Disabled); mlx5_10/1 is INIT (LinkUp)");
  EXPECT_DOUBLE_EQ(r.records[2]["value"], 25e9);
  // Without a list a port that is off is none of our business; one that waits for a subnet manager is.
  EXPECT_EQ(slow(look({}), ""), "mlx5_10/1 is INIT (LinkUp)");
}

TEST_F(Fabric, AnAdapterThatIsNotThereIsMissed) {
  sound();
  fs::remove_all(root / "sys/class/infiniband/mlx5_10"), fs::remove_all(root / "sys/class/infiniband/mlx5_3");
  const Result r = look();
  expect_measured(r, 3);
  EXPECT_EQ(slow(r, ""), "1 of 2 InfiniBand ports of 400 Gb/s are not there");
  EXPECT_DOUBLE_EQ(r.records[3]["value"], 75e9);
}

TEST_F(Fabric, MtuAndGidsOfRoceAreHeldAgainstTheList) {
  sound();
  put("sys/class/net/ens3f0np0/mtu", "1500");
  EXPECT_EQ(slow(look(), "mlx5_2/1"), "mlx5_2/1 has MTU 1500 on ens3f0np0, not 9000");
  put("sys/class/net/ens3f0np0/mtu", "9000");
  for (const char* i : {"2", "3"}) put(port_of("mlx5_2") + "gids/" + i, "0000:0000:0000:0000:0000:0000:0000:0000");   // the address is gone
  EXPECT_EQ(slow(look(), "mlx5_2/1"), "mlx5_2/1 has only a link-local RoCE v2 GID: ens3f0np0 has no IP address");
  put(port_of("mlx5_2") + "gid_attrs/types/1", "IB/RoCE v1");
  EXPECT_EQ(slow(look(), "mlx5_2/1"), "mlx5_2/1 has no RoCE v2 GID: its interface has no address, or RoCE is off");
}

TEST_F(Fabric, ErrorsThatAreCountedMeanwhileAreNamed) {
  sound();
  put(port_of("mlx5_0") + "counters/symbol_error", "40");           // of long ago: told, not held against it
  EXPECT_EQ(slow(look(), "mlx5_0/1"), "");
  const std::string output = output_file();
  const pid_t child = start({program("fabric"), "--sysfs", root, "--ports", kAll, "--seconds", "1.5"}, output);
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  put(port_of("mlx5_0") + "counters/symbol_error", "43"), put(port_of("mlx5_2") + "hw_counters/out_of_sequence", "7");
  const Result r = finish(child, output);
  expect_measured(r, 4);
  EXPECT_EQ(slow(r, "mlx5_0/1"), "mlx5_0/1 symbol_error rose by 3");
  EXPECT_EQ(slow(r, "mlx5_2/1"), "mlx5_2/1 out_of_sequence rose by 7");
  EXPECT_EQ(slow(r, "mlx5_10/1"), "");
}

TEST_F(Fabric, WhatCannotBeJudgedIsSaid) {
  Result r = look({});
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.records.back()["status"], "not applicable");
  r = look();                                                       // demanded, and no driver
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "device error");
  infiniband("mlx5_0", "10 Gb/sec (4X SDR)", "1: DOWN", "2: Polling");
  EXPECT_EQ(look({}).status, 3);
  r = look();
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["detail"], "no port is active: 1 of 2 InfiniBand ports of 400 Gb/s are not there; 1 of 1 Ethernet ports of 200 Gb/s are not there; mlx5_0/1 is DOWN (Polling)");
  r = look({"--ports", "infiniband:8x400"});
  EXPECT_EQ(r.status, 2);
  put(port_of("efa_0") + "link_layer", "Unspecified");              // Amazon's adapters: another network
  put(port_of("mlx5_0") + "state", std::string(100000, 'x')), put(port_of("mlx5_0") + "rate", "1e999 Gb/sec (4X");
  EXPECT_EQ(look().status, 2);
}

TEST_F(Fabric, ALinkThatChangesBetweenTwoLooksIsFound) {
  sound();
  const Result r = look({"--ports", kAll}, kFaulty + "/clusterc-fabric-faulty");
  EXPECT_EQ(r.status, 1);
  for (std::size_t i = 1; i < 4; ++i) { EXPECT_EQ(r.records[i]["wrong"], 1); }
}

TEST(FabricDemands, AreReadWholeOrNotAtAll) {
  std::string why;
  const auto demands = parse_demands("infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000", why);
  ASSERT_TRUE(demands) << why;
  ASSERT_EQ(demands->size(), 2u);
  EXPECT_EQ((*demands)[0].count, 8u);
  EXPECT_DOUBLE_EQ((*demands)[0].rate, 400e9);
  EXPECT_EQ((*demands)[1].mtu, 9000);
  for (const char* bad : {"", "infiniband", "infiniband:8", "infiniband:0x400Gb/s", "infiniband:-1x400Gb/s", "infiniband:8x400GB/s", "ethernet:1x1Gb/s:0", "ethernet:1x1Gb/s:", "ethernet:1x1Gb/s:9000x", "efa:1x1Gb/s",
                          "infiniband:8xnanGb/s", "infiniband:99999999999999999999x1Gb/s", "infiniband:1x1Gb/s,"})
    EXPECT_FALSE(parse_demands(bad, why)) << bad;
}

// Two classes of one layer: the fastest ports answer the fastest demand, a port of 200 Gb/s cannot hide behind the other class.
TEST(FabricDemands, TheFastestPortsAnswerTheFastestDemand) {
  std::vector<Port> ports;
  for (const double rate : {200e9, 400e9, 400e9})
    ports.push_back({.device = "mlx5_" + std::to_string(ports.size()), .number = 1, .state = "ACTIVE", .physical = "LinkUp", .rate = rate});
  std::string why;
  const auto demands = *parse_demands("infiniband:1x200Gb/s,infiniband:2x400Gb/s", why);
  const Choice choice = choose(ports, demands);
  ASSERT_EQ(choice.ports.size(), 3u);
  EXPECT_EQ(choice.ports[0].demand, 0u);
  EXPECT_EQ(choice.ports[1].demand, 1u);
  EXPECT_EQ(choice.ports[2].demand, 1u);
  EXPECT_TRUE(choice.absent.empty());
}

}  // namespace
