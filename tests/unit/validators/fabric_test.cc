// clusterc-fabric on trees as the kernel writes them.
#include "fabric/perftest.h"
#include "fabric/ports.h"
#include "unit/validators/fabric_tree.h"

namespace {
using namespace clusterc::fabric_tree;
using namespace clusterc::fabric;

TEST_F(Fabric, SoundPortsHaveNoTrouble) {
  sound();
  for (const bool demanded : {true, false}) {
    const Result r = look(demanded ? std::vector<std::string>{"--ports", kAll} : std::vector<std::string>{});
    expect_measured(r, 4);
    const char* ports[] = {"mlx5_0/1", "mlx5_2/1", "mlx5_10/1"};
    const double rates[] = {50e9, 25e9, 50e9};  // 400 Gb/s / 8, 200 Gb/s / 8
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
    EXPECT_EQ(r.records[2]["parameters"]["gid_index"], 3);  // RoCE v2 of the IPv4 address
    EXPECT_EQ(r.records[2]["parameters"]["mtu"], 9000);
    EXPECT_EQ(r.records[2]["parameters"]["gids"], 4);
  }
}

// From outside: the trees of machines on which one thing is wrong.
TEST_F(Fabric, ASlowPortIsNamed) {
  sound();
  put(port_of("mlx5_10") + "rate", "100 Gb/sec (1X NDR)");  // three of four lanes lost
  const Result r = look();
  expect_measured(r, 4);
  EXPECT_EQ(slow(r, "mlx5_10/1"), "mlx5_10/1 runs at 100 Gb/s (1X NDR), not 400 Gb/s");
  EXPECT_EQ(slow(r, "mlx5_0/1"), "");
  EXPECT_DOUBLE_EQ(r.records[4]["value"], 87.5e9);  // (400 + 100 + 200) / 8
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
  for (const char* i : {"2", "3"})
    put(port_of("mlx5_2") + "gids/" + i, "0000:0000:0000:0000:0000:0000:0000:0000");  // the address is gone
  EXPECT_EQ(slow(look(), "mlx5_2/1"), "mlx5_2/1 has only a link-local RoCE v2 GID: ens3f0np0 has no IP address");
  put(port_of("mlx5_2") + "gid_attrs/types/1", "IB/RoCE v1");
  EXPECT_EQ(slow(look(), "mlx5_2/1"), "mlx5_2/1 has no RoCE v2 GID: its interface has no address, or RoCE is off");
}

class FabricFault : public Fabric {};
TEST_F(FabricFault, ErrorsThatAreCountedMeanwhileAreNamed) {
  sound();
  put(port_of("mlx5_0") + "counters/symbol_error", "40");  // of long ago: told, not held against it
  EXPECT_EQ(slow(look(), "mlx5_0/1"), "");
  const std::string output = output_file();
  const pid_t child = start({program("fabric"), "--sysfs", root, "--ports", kAll, "--seconds", "3"}, output);
  wait_for_a_record(output);
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
  r = look();  // demanded, and no driver
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "device error");
  infiniband("mlx5_0", "10 Gb/sec (4X SDR)", "1: DOWN", "2: Polling");
  EXPECT_EQ(look({}).status, 3);
  r = look();
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["detail"],
            "no port is active: 1 of 2 InfiniBand ports of 400 Gb/s are not there; 1 of 1 Ethernet ports of 200 Gb/s "
            "are not there; mlx5_0/1 is DOWN (Polling)");
  r = look({"--ports", "infiniband:8x400"});
  EXPECT_EQ(r.status, 2);
  put(port_of("efa_0") + "link_layer", "Unspecified");  // Amazon's adapters: another network
  put(port_of("mlx5_0") + "state", std::string(100000, 'x')), put(port_of("mlx5_0") + "rate", "1e999 Gb/sec (4X");
  EXPECT_EQ(look().status, 2);
}

TEST_F(Fabric, ALinkThatChangesBetweenTwoLooksIsFound) {
  sound();
  const Result r = look({"--ports", kAll}, kFaulty + "/clusterc-fabric-faulty");
  EXPECT_EQ(r.status, 1);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(r.records[i]["wrong"], 1);
  }
}

TEST(FabricDemands, AreReadWholeOrNotAtAll) {
  std::string why;
  const auto demands = parse_demands("infiniband:8x400Gb/s,ethernet:2x200Gb/s:9000", why);
  ASSERT_TRUE(demands) << why;
  ASSERT_EQ(demands->size(), 2u);
  EXPECT_EQ((*demands)[0].count, 8u);
  EXPECT_DOUBLE_EQ((*demands)[0].rate, 400e9);
  EXPECT_EQ((*demands)[1].mtu, 9000);
  for (const char* bad :
       {"", "infiniband", "infiniband:8", "infiniband:0x400Gb/s", "infiniband:-1x400Gb/s", "infiniband:8x400GB/s",
        "ethernet:1x1Gb/s:0", "ethernet:1x1Gb/s:", "ethernet:1x1Gb/s:9000x", "efa:1x1Gb/s", "infiniband:8xnanGb/s",
        "infiniband:99999999999999999999x1Gb/s", "infiniband:1x1Gb/s,"})
    EXPECT_FALSE(parse_demands(bad, why)) << bad;
}

// Two classes of one layer: the fastest ports answer the fastest demand, a port of 200 Gb/s cannot hide behind the
// other class.
TEST(FabricDemands, TheFastestPortsAnswerTheFastestDemand) {
  std::vector<Port> ports;
  for (const double rate : {200e9, 400e9, 400e9})
    ports.push_back({.device = "mlx5_" + std::to_string(ports.size()),
                     .number = 1,
                     .state = "ACTIVE",
                     .physical = "LinkUp",
                     .rate = rate});
  std::string why;
  const auto demands = *parse_demands("infiniband:1x200Gb/s,infiniband:2x400Gb/s", why);
  const Choice choice = choose(ports, demands);
  ASSERT_EQ(choice.ports.size(), 3u);
  EXPECT_EQ(choice.ports[0].demand, 0u);
  EXPECT_EQ(choice.ports[1].demand, 1u);
  EXPECT_EQ(choice.ports[2].demand, 1u);
  EXPECT_TRUE(choice.absent.empty());
}

TEST(FabricPerftest, ItsTablesAreRead) {
  const auto bandwidth = parse_perftest(kBandwidthTable, Perftest::bandwidth);
  ASSERT_TRUE(bandwidth);
  EXPECT_DOUBLE_EQ(bandwidth->value, 49e9);  // 392 Gb/s / 8
  EXPECT_EQ(bandwidth->iterations, 377000u);
  EXPECT_EQ(bandwidth->size, 65536u);
  EXPECT_EQ(bandwidth->mtu, 4096u);
  const auto latency = parse_perftest(kLatencyTable, Perftest::latency);
  ASSERT_TRUE(latency);
  EXPECT_DOUBLE_EQ(latency->value, 1.02e-6);
  EXPECT_DOUBLE_EQ(latency->tail, 1.10e-6);
  // Without --report_gbits: perftest's megabytes have 2^20 bytes.
  const auto megabytes = parse_perftest(
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536      5000             "
      "100.00             100.00  0.0016\n",
      Perftest::bandwidth);
  ASSERT_TRUE(megabytes);
  EXPECT_DOUBLE_EQ(megabytes->value, 104857600);
  const std::string table = kBandwidthTable;
  EXPECT_FALSE(parse_perftest(table.substr(0, table.find(" 65536 ")), Perftest::bandwidth));  // cut off
  EXPECT_FALSE(parse_perftest(kLatencyTable, Perftest::bandwidth));
  EXPECT_FALSE(parse_perftest(kBandwidthTable, Perftest::latency));
  EXPECT_FALSE(parse_perftest(
      " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536 5000 0.00 inf nan\n",
      Perftest::bandwidth));
  EXPECT_FALSE(parse_perftest(
      " #bytes     #iterations    BW peak[furlongs]    BW average[furlongs]   MsgRate[Mpps]\n 65536 5000 1 1 1\n",
      Perftest::bandwidth));
}

TEST_F(FabricPairFault, EachWritesToTheOtherThroughEveryPort) {
  const auto [a, b] = both("");
  for (const Result& r : {a, b}) {
    expect_measured(r, 3 * 2 + 4);  // three ports, bandwidth and latency; the links
    for (const char* port : {"mlx5_0/1", "mlx5_2/1", "mlx5_10/1"}) {
      const json* const bandwidth = record(r, "rdma.write", port);
      const json* const latency = record(r, "rdma.write_latency", port);
      ASSERT_TRUE(bandwidth && latency) << r.text;
      EXPECT_DOUBLE_EQ((*bandwidth)["value"], 49e9);
      EXPECT_EQ((*bandwidth)["checked"], 2 * 377000);
      EXPECT_EQ((*bandwidth)["parameters"]["path_mtu"], 4096);
      EXPECT_DOUBLE_EQ((*latency)["value"], 1.02e-6);
      EXPECT_EQ((*latency)["better"], "lower");
    }
    EXPECT_EQ((*record(r, "rdma.write", "mlx5_2/1"))["parameters"]["gid_index"], 3);
    EXPECT_FALSE((*record(r, "rdma.write", "mlx5_0/1"))["parameters"].contains("gid_index"));
  }
  EXPECT_EQ((*record(a, "rdma.write", "mlx5_0/1"))["parameters"]["peer"], "127.0.0.1");
  expect_nobody_left();
}

// From outside: one port of the pair goes wrong; the others are measured all the same, and the ports are reported.
TEST_F(FabricPairFault, APortThatFailsIsNamedAndTheOthersAreMeasured) {
  for (const auto& [fault, words] :
       {std::pair{"completion mlx5_2", "mlx5_2/1 to '127.0.0.1', ib_write_bw: Failed status 12: wr_id 0 syndrom 0x81"},
        {"hang mlx5_2", "mlx5_2/1 to '127.0.0.1', ib_write_bw: did not end within 6 s"},
        {"stubborn mlx5_2", "did not end within 6 s"}}) {
    fs::remove(root / "pids");
    const auto begin = std::chrono::steady_clock::now();
    const auto [a, b] = both(fault);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(100));
    for (const Result& r : {a, b}) {
      EXPECT_EQ(r.status, 2) << r.text;
      ASSERT_TRUE(r.ended()) << r.text;
      EXPECT_EQ(r.records.back()["reason"], "communication error");
      EXPECT_TRUE(record(r, "rdma.write", "mlx5_0/1") && record(r, "rdma.write", "mlx5_10/1") &&
                  record(r, "fabric.link", "mlx5_2/1"))
          << r.text;
      EXPECT_FALSE(record(r, "rdma.write", "mlx5_2/1"));
    }
    EXPECT_NE(a.records.back()["detail"].get<std::string>().find(words), std::string::npos) << a.text;
    expect_nobody_left();
  }
}

TEST_F(FabricPairFault, AServerThatDoesNotStartIsQuoted) {
  const auto [a, b] = both("server mlx5_2");
  for (const Result& r : {a, b}) {
    EXPECT_EQ(r.status, 2) << r.text;
    EXPECT_NE(r.records.back()["detail"].get<std::string>().find("; there: Unable to find the Infiniband/RoCE device"),
              std::string::npos)
        << r.text;
  }
  expect_nobody_left();
}

// The counters of the port say that the bytes did not leave through it: wrong data, whatever the speed.
TEST_F(FabricPairFault, BytesThatDidNotLeaveThroughThePortAreWrong) {
  const auto [a, b] = both("lost mlx5_10");
  for (const Result& r : {a, b}) {
    EXPECT_EQ(r.status, 1) << r.text;
    const json* const m = record(r, "rdma.write", "mlx5_10/1");
    ASSERT_TRUE(m);
    EXPECT_EQ((*m)["wrong"], 2);
    EXPECT_EQ((*m)["data_verified"], false);
    EXPECT_EQ((*record(r, "rdma.write", "mlx5_0/1"))["data_verified"], true);
  }
}

TEST_F(FabricPairFault, AnAbsentOrDyingPartnerAndAMissingPerftestAreSaid) {
  std::vector<std::string> alone = command("localhost", "");
  alone.insert(alone.end(), {"--timeout", "1"});
  Result r = run(alone);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "timeout") << r.text;
  EXPECT_TRUE(record(r, "fabric.link", "mlx5_0/1"));
  // Killed in the middle of a run.
  const std::string output = output_file(), second = output_file();
  const pid_t a = start(command("localhost", "hang mlx5_0"), output),
              b = start(command("127.0.0.1", "hang mlx5_0"), second);
  for (int turns = 0; turns < 500 && !fs::exists(root / "pids"); ++turns)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(b, SIGKILL);
  r = finish(a, output);
  finish(b, second);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "communication error") << r.text;
  EXPECT_EQ(r.records.back()["detail"], "'127.0.0.1' has gone");
  expect_nobody_left();
  for (const char* name : {"ib_write_bw", "ib_write_lat"}) fs::remove(root / "bin" / name);
  std::vector<std::string> first_line = command("localhost", ""), second_line = command("127.0.0.1", "");
  first_line[1] = second_line[1] = "PATH=" + (root / "bin").string();  // without the real one, where it is installed
  const pid_t first = start(first_line, output), other = start(second_line, second);
  const Result c = finish(first, output), d = finish(other, second);
  for (const Result& missing : {c, d}) {
    EXPECT_EQ(missing.records.back()["reason"], "program missing") << missing.text;
  }
}

TEST_F(FabricPairFault, WhoIsNoneOfTheHostsOrHasNoPartnerIsSaid) {
  std::vector<std::string> line = command("n9", "");
  EXPECT_EQ(run(line).status, 2);
  *std::find(line.begin(), line.end(), "localhost,127.0.0.1") = "n[7-9]";
  const Result r = run(line);
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.records.back()["status"], "not applicable");
}

}  // namespace
