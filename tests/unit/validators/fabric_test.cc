// clusterc-fabric on trees as the kernel writes them. The texts of link_layer, state, phys_state, rate, lid, gids and
// gid_attrs are those of drivers/infiniband/core/sysfs.c (link_layer_show, state_show, phys_state_show, rate_show,
// lid_show, print_gid_cb, _show_port_gid_attr); the layout is Documentation/ABI/stable/sysfs-class-infiniband's.
#include "fabric/perftest.h"
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
    for (const char* name : {"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
                             "port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors", "port_xmit_discards",
                             "port_xmit_constraint_errors", "port_rcv_constraint_errors", "local_link_integrity_errors",
                             "excessive_buffer_overrun_errors", "VL15_dropped"})
      put(at + "counters/" + name, "0");
    put(at + "counters/port_xmit_data", "1000");
    put(at + "hw_counters/out_of_sequence", "0");
  }
  void infiniband(const std::string& device, const std::string& rate = "400 Gb/sec (4X NDR)",
                  const std::string& state = "4: ACTIVE", const std::string& physical = "5: LinkUp") const {
    const std::string at = port_of(device);
    put(at + "link_layer", "InfiniBand"), put(at + "state", state), put(at + "phys_state", physical),
        put(at + "rate", rate), put(at + "lid", "0x1f");
    put(at + "gids/0", "fe80:0000:0000:0000:a088:c203:0012:3456"),
        put(at + "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
    counters(at);
  }
  // As mlx5 fills it where the interface has the address 10.1.0.7: v1 and v2 of the link-local and of the IPv4 address;
  // then empty entries, whose type the kernel refuses to read.
  void roce(const std::string& device, const std::string& interface,
            const std::string& rate = "200 Gb/sec (4X HDR)") const {
    const std::string at = port_of(device);
    put(at + "link_layer", "Ethernet"), put(at + "state", "4: ACTIVE"), put(at + "phys_state", "5: LinkUp"),
        put(at + "rate", rate), put(at + "lid", "0x0");
    const char* gids[] = {"fe80:0000:0000:0000:0e42:a1ff:fe12:3456", "fe80:0000:0000:0000:0e42:a1ff:fe12:3456",
                          "0000:0000:0000:0000:0000:ffff:0a01:0007", "0000:0000:0000:0000:0000:ffff:0a01:0007"};
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
      if (m.value("record", "") == "measurement" &&
          (port.empty() ? m["metric"] == "fabric.links" : m["parameters"].value("port", "") == port))
        return m["parameters"].value("slow", "");
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

// Printed by ib_write_bw and ib_write_lat: the formats of perftest_parameters.h and .c (RESULT_FMT_G, REPORT_FMT,
// RESULT_FMT_LAT, REPORT_FMT_LAT) as they stand in Debian 12's programs, filled with figures made up.
constexpr const char* kBandwidthTable = R"( 
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Number of qps   : 1		Transport type : IB
 Mtu             : 4096[B]
 Link type       : IB
---------------------------------------------------------------------------------------
 local address: LID 0x1f QPN 0x012a PSN 0x6f2d4 RKey 0x1fcdef VAddr 0x007f0d3c400000
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      377000           0.00               392.00 		   0.747681
---------------------------------------------------------------------------------------
)";
constexpr const char* kLatencyTable = R"( Mtu             : 4096[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] 
 2       10000          0.98           5.11         1.02     	       1.03        	0.04   		1.10    		1.60   
)";

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

// In perftest's place, with its ways: without a host it waits for one on --port, with one it connects and says
// "Couldn't connect to HOST:PORT" where nobody listens. $FAULT makes one of its sides go wrong for one device; the
// bytes that it "sends" are counted in the tree as an adapter counts them, in units of four.
constexpr const char* kStandIn = R"PY(#!/usr/bin/env python3
import os, socket, sys, time
tree, fault = os.environ["TREE"], os.environ.get("FAULT", "")
options = dict(a[2:].split("=", 1) if "=" in a else (a[2:], "") for a in sys.argv[1:] if a.startswith("--"))
hosts = [a for a in sys.argv[1:] if not a.startswith("--")]
device, port = options["ib-dev"], int(options["port"])
open(tree + "/pids", "a").write("%d\n" % os.getpid())
if fault.endswith(device):
    what = fault.split()[0]
    if what == "hang" and hosts: time.sleep(600)
    if what == "stubborn" and hosts:
        import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: time.sleep(600)
    if what == "server" and not hosts: sys.exit(" Unable to find the Infiniband/RoCE device")
    if what == "completion" and hosts:
        print(" Completion with error at client"); print(" Failed status 12: wr_id 0 syndrom 0x81"); sys.exit(1)
if not hosts:
    ear = socket.socket(); ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); ear.bind(("", port)); ear.listen(1)
    ear.accept()[0].recv(1); sys.exit(0)
try: line = socket.create_connection((hosts[0], port), 5)
except OSError: sys.stderr.write("Couldn't connect to %s:%d\n" % (hosts[0], port)); sys.exit(1)
if "ib_write_bw" in sys.argv[0]:
    at = "%s/sys/class/infiniband/%s/ports/1/counters/port_xmit_data" % (tree, device)
    if fault != "lost " + device: words = int(open(at).read()) + 377000 * 65536 // 4; open(at, "w").write("%d\n" % words)
    print(open(tree + "/bandwidth").read())
else:
    print(open(tree + "/latency").read())
line.send(b"x")
)PY";

class FabricPairFault : public Fabric {
 protected:
  void SetUp() override {
    Fabric::SetUp();
    sound();
    fs::create_directories(root / "bin");
    for (const char* name : {"ib_write_bw", "ib_write_lat"}) {
      std::ofstream(root / "bin" / name) << kStandIn;
      chmod((root / "bin" / name).c_str(), 0755);
    }
    std::ofstream(root / "bandwidth") << kBandwidthTable;
    std::ofstream(root / "latency") << kLatencyTable;
    tcp_port = 20000 + getpid() % 300 * 100 % 20000;
  }
  std::vector<std::string> command(const char* as, const std::string& fault, std::vector<std::string> more = {}) const {
    std::vector<std::string> line = {"env",
                                     "PATH=" + (root / "bin").string() + ":/usr/local/bin:/usr/bin:/bin",
                                     "TREE=" + root.string(),
                                     "FAULT=" + fault,
                                     program("fabric"),
                                     "--sysfs",
                                     root,
                                     "--ports",
                                     kAll,
                                     "--hosts",
                                     "localhost,127.0.0.1",
                                     "--as",
                                     as,
                                     "--tcp-port",
                                     std::to_string(tcp_port),
                                     "--iterations",
                                     "2",
                                     "--allow-busy",
                                     "--timeout",
                                     "5"};
    line.insert(line.end(), more.begin(), more.end());
    return line;
  }
  std::pair<Result, Result> both(const std::string& fault, const std::vector<std::string>& more = {}) const {
    const std::string output = output_file(), second = output_file();
    const pid_t a = start(command("localhost", fault, more), output),
                b = start(command("127.0.0.1", fault, more), second);
    Result first = finish(a, output);
    return {std::move(first), finish(b, second)};
  }
  void expect_nobody_left() const {
    std::ifstream pids(root / "pids");
    for (std::string pid; std::getline(pids, pid);) {
      for (int turns = 0; turns < 200 && fs::exists("/proc/" + pid); ++turns)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_FALSE(fs::exists("/proc/" + pid)) << pid;
    }
  }
  static const json* record(const Result& r, const char* metric, const char* port) {
    for (const json& m : r.records)
      if (m.value("metric", "") == metric && m["parameters"].value("port", "") == port) return &m;
    return nullptr;
  }
  unsigned tcp_port = 0;
};

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
