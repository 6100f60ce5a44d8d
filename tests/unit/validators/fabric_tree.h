// Trees of RDMA adapters as the kernel writes them, and a stand-in for perftest, for the tests of clusterc-fabric. The
// texts of link_layer, state, phys_state, rate, lid, gids and gid_attrs are those of drivers/infiniband/core/sysfs.c
// (link_layer_show, state_show, phys_state_show, rate_show, lid_show, print_gid_cb, _show_port_gid_attr); the layout is
// Documentation/ABI/stable/sysfs-class-infiniband's.
#pragma once
#include "unit/validators/program_run.h"

namespace clusterc::fabric_tree {
using namespace clusterc::program_run;

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

// Printed by ib_write_bw and ib_write_lat: the formats of perftest_parameters.h and .c (RESULT_FMT_G, REPORT_FMT,
// RESULT_FMT_LAT, REPORT_FMT_LAT) as they stand in Debian 12's programs, filled with figures made up.
inline constexpr const char* kBandwidthTable = R"( 
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
inline constexpr const char* kLatencyTable = R"( Mtu             : 4096[B]
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] 
 2       10000          0.98           5.11         1.02     	       1.03        	0.04   		1.10    		1.60   
)";

// In perftest's place, with its ways: without a host it waits for one on --port, with one it connects and says
// "Couldn't connect to HOST:PORT" where nobody listens. $FAULT makes one of its sides go wrong for one device; the
// bytes that it "sends" are counted in the tree as an adapter counts them, in units of four.
inline constexpr const char* kStandIn = R"PY(#!/usr/bin/env python3
import os, socket, sys, time
tree, fault = os.environ["TREE"], os.environ.get("FAULT", "")
options = dict(a[2:].split("=", 1) if "=" in a else (a[2:], "") for a in sys.argv[1:] if a.startswith("--"))
hosts = [a for a in sys.argv[1:] if not a.startswith("--")]
if "help" in options:
    print("      --ib-dev=<dev>\n" + os.environ.get("HELP", "")); sys.exit(0)
unknown = [o for o in options if o.startswith("use_") and "--" + o not in os.environ.get("HELP", "")]
if unknown: sys.exit("unrecognized option '--%s'" % unknown[0])
def note(): open(tree + "/lines", "a").write(" ".join(sys.argv[1:]) + "\n")
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
    note()
    ear = socket.socket(); ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); ear.bind(("", port)); ear.listen(1)
    ear.accept()[0].recv(1); sys.exit(0)
try: line = socket.create_connection((hosts[0], port), 5)
except OSError: sys.stderr.write("Couldn't connect to %s:%d\n" % (hosts[0], port)); sys.exit(1)
note()
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
    tcp_port = 20000 + getpid() % 125 * 100;  // below 32768, where Linux takes the ports of outgoing connections
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

}  // namespace clusterc::fabric_tree
