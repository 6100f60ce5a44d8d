// The probe on a tree made by hand: a server with two sockets, a GPU below a PCIe switch, a NIC, an NVMe drive, DIMMs.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "probe/facts.h"

namespace clusterc::probe {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;

class Tree : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/clusterc-probe-XXXXXX";
    root_ = mkdtemp(pattern);
  }
  void TearDown() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) {
    fs::create_directories((root_ / path).parent_path());
    fs::create_symlink(root_ / target, root_ / path);
  }
  // A PCI function below `parent` (a path under sys/devices), with its entry on the bus.
  std::string pci(const std::string& parent, const std::string& address, const std::string& kind,
                  const std::string& vendor, int numa) {
    const std::string path = parent + "/" + address;
    file(path + "/class", kind + "\n");
    file(path + "/vendor", vendor + "\n");
    file(path + "/device", "0x2330\n");
    file(path + "/numa_node", std::to_string(numa) + "\n");
    link("sys/bus/pci/devices/" + address, path);
    return path;
  }
  json probe() { return json::parse(probe_record("node", "2026-11-21T00:00:00Z", root_, false)); }

  fs::path root_;
};

TEST_F(Tree, AnEmptyMachineGivesAnObjectWithoutFacts) {
  const json facts = probe();
  EXPECT_EQ(facts["record"], "probe");
  EXPECT_EQ(facts["host"], "node");
  EXPECT_FALSE(facts["cpu"].contains("cores"));
  EXPECT_FALSE(facts["memory"].contains("total_bytes"));
  EXPECT_TRUE(facts["pci"].empty());
  EXPECT_TRUE(facts["gpus"].empty());
}

TEST_F(Tree, TwoSocketsWithHyperThreads) {
  // CPUs 0-3: cores {0,2} and {1,3}, one core a socket and a node.
  file("proc/cpuinfo",
       "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Example 8480+\nflags\t\t: fpu sse2 avx2 avx512f fma "
       "amx_tile hypervisor_not\n");
  file("sys/devices/system/cpu/online", "0-3\n");
  file("sys/devices/system/node/online", "0-1\n");
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string base = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
    file(base + "/topology/thread_siblings_list", cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    file(base + "/topology/physical_package_id", std::to_string(cpu % 2) + "\n");
    file(base + "/cache/index0/level", "1\n");
    file(base + "/cache/index0/type", "Data\n");
    file(base + "/cache/index0/size", "48K\n");
    file(base + "/cache/index1/level", "3\n");
    file(base + "/cache/index1/type", "Unified\n");
    file(base + "/cache/index1/size", "107520K\n");
    file(base + "/cache/index1/shared_cpu_list", cpu % 2 == 0 ? "0,2\n" : "1,3\n");
  }
  file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3800000\n");
  file("sys/devices/system/node/node0/cpulist", "0,2\n");
  file("sys/devices/system/node/node1/cpulist", "1,3\n");
  file("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       1024 kB\nNode 1 MemFree: 3 kB\n");
  const json cpu = probe()["cpu"];
  EXPECT_EQ(cpu["model"], "Example 8480+");
  EXPECT_EQ(cpu["threads"], 4);
  EXPECT_EQ(cpu["cores"], 2);
  EXPECT_EQ(cpu["threads_per_core"], 2);
  EXPECT_EQ(cpu["sockets"], 2);
  EXPECT_EQ(cpu["max_hz"], 3800000000);  // 3,800,000 kHz
  EXPECT_EQ(cpu["flags"], json({"sse2", "avx2", "fma", "avx512f", "amx_tile"}));
  ASSERT_EQ(cpu["numa_nodes"].size(), 2u);
  EXPECT_EQ(cpu["numa_nodes"][1]["cores"], 1);
  EXPECT_EQ(cpu["numa_nodes"][1]["memory_bytes"], 1048576);  // 1024 KiB
  EXPECT_EQ(cpu["numa_nodes"][1]["last_level_cache_bytes"],
            110100480);  // 107,520 * 1024, shared by both threads, counted once
  EXPECT_FALSE(probe()["platform"]["virtual_machine"]);
}

TEST_F(Tree, AGpuAndANicBelowASwitch) {
  const std::string port = pci("sys/devices/pci0000:16", "0000:16:01.0", "0x060400", "0x8086", 0);
  const std::string up = pci(port, "0000:17:00.0", "0x060400", "0x11f8", 0);
  const std::string gpu = pci(up, "0000:18:00.0", "0x030200", "0x10de", 0);
  file(gpu + "/current_link_speed", "32.0 GT/s PCIe\n");
  file(gpu + "/current_link_width", "8\n");
  file(gpu + "/max_link_speed", "32.0 GT/s PCIe\n");
  file(gpu + "/max_link_width", "16\n");
  const std::string nic = pci(up, "0000:19:00.0", "0x020000", "0x15b3", 0);
  file(nic + "/net/eth0/address", "00:00:5e:00:53:01\n");
  file(nic + "/net/eth0/speed", "400000\n");
  link(nic + "/net/eth0/device", nic);
  link("sys/class/net/eth0", nic + "/net/eth0");

  const json facts = probe();
  ASSERT_EQ(facts["pci"].size(), 4u);
  EXPECT_EQ(facts["pci"][0]["parent"], "pci0000:16");
  EXPECT_EQ(facts["pci"][2]["address"], "0000:18:00.0");
  EXPECT_EQ(facts["pci"][2]["parent"], "0000:17:00.0");
  EXPECT_EQ(facts["pci"][2]["link_lanes"], 8);
  EXPECT_EQ(facts["pci"][2]["max_link_lanes"], 16);
  EXPECT_EQ(facts["pci"][2]["link_transfers_per_second"], 32e9);
  ASSERT_EQ(facts["gpus"].size(), 1u);
  EXPECT_EQ(facts["gpus"][0]["source"], "pci");
  EXPECT_EQ(facts["gpus"][0]["pci_address"], "0000:18:00.0");
  ASSERT_EQ(facts["nics"].size(), 1u);
  EXPECT_EQ(facts["nics"][0]["pci_address"], "0000:19:00.0");
  EXPECT_EQ(facts["nics"][0]["numa_node"], 0);
  EXPECT_EQ(facts["nics"][0]["bits_per_second"], 400'000'000'000);  // sysfs counts Mb/s
}

TEST_F(Tree, TheControlRegisterOfAcsIsReadWhereTheWholeSpaceIs) {
  std::string space(4096, '\0');  // an ACS capability, version 1, at 0x100: its control register says 0x001d
  space[0x100] = 0x0d, space[0x102] = 0x01, space[0x106] = 0x1d;
  const std::string root = pci("sys/devices/pci0000:16", "0000:16:01.0", "0x060400", "0x8086", 0);
  file(root + "/config", space);
  const std::string port = pci(root, "0000:17:00.0", "0x060400", "0x11f8", 0);
  file(port + "/config", space.substr(0, 64));  // what ordinary users read
  file(pci(port, "0000:18:00.0", "0x030200", "0x10de", 0) + "/config", space);
  const json devices = probe()["pci"];
  EXPECT_EQ(devices[0]["acs_control"], 0x1d);
  EXPECT_FALSE(devices[1].contains("acs_control"));
  EXPECT_FALSE(devices[2].contains("acs_control"));  // no bridge
}

TEST_F(Tree, ModulesAndTheToolkitHaveTheirVersions) {
  file("sys/module/mlx5_core/version", "24.10-1.1.4\n");
  file("sys/module/ib_core/refcnt", "3\n");
  file(
      "usr/local/cuda/version.json",
      "{\n \"cuda\" : {\n  \"name\" : \"CUDA SDK\",\n  \"version\" : \"12.8.1\"\n },\n \"x\": {\"version\": \"1\"}}\n");
  const json facts = probe();
  EXPECT_EQ(facts["kernel"]["modules"], json({{"ib_core", ""}, {"mlx5_core", "24.10-1.1.4"}}));
  EXPECT_EQ(facts["nvidia"]["cuda_toolkit"], "12.8.1");
}

TEST_F(Tree, ADriveIsPlacedAtItsFunctionAndPartitionsAreLeftOut) {
  const std::string controller = pci("sys/devices/pci0000:00", "0000:01:00.0", "0x010802", "0x144d", 1);
  const std::string drive = controller + "/nvme/nvme0/nvme0n1";
  file(controller + "/nvme/nvme0/model", "Example Drive  \n");
  file(drive + "/size", "7501476528\n");
  file(drive + "/queue/rotational", "0\n");
  link(drive + "/device", controller + "/nvme/nvme0");
  link("sys/class/block/nvme0n1", drive);
  file(drive + "/nvme0n1p1/partition", "1\n");
  file(drive + "/nvme0n1p1/size", "100\n");
  link("sys/class/block/nvme0n1p1", drive + "/nvme0n1p1");
  const json drives = probe()["drives"];
  ASSERT_EQ(drives.size(), 1u);
  EXPECT_EQ(drives[0]["bytes"], 3840755982336);  // 7,501,476,528 * 512
  EXPECT_EQ(drives[0]["model"], "Example Drive");
  EXPECT_EQ(drives[0]["nvme"], true);
  EXPECT_EQ(drives[0]["rotational"], false);
  EXPECT_EQ(drives[0]["pci_address"], "0000:01:00.0");
  EXPECT_EQ(drives[0]["numa_node"], 1);
}

TEST_F(Tree, MountsOfTheKernelsOwnAreLeftOutAndEscapesAreRead) {
  file("proc/self/mounts",
       "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n/dev/vda1 / ext4 rw 0 0\n"
       "server:/export /mnt/with\\040blank nfs4 rw 0 0\n10.0.0.1@o2ib:/scratch /scratch lustre rw,flock 0 0\n");
  const json mounts = probe()["mounts"];
  ASSERT_EQ(mounts.size(), 3u);
  EXPECT_EQ(mounts[1]["target"], "/mnt/with blank");
  EXPECT_EQ(mounts[2]["type"], "lustre");
  EXPECT_FALSE(mounts[1].contains("bytes"));
}

// Two structures of type 17 written by hand after DSP0134, 7.18: a 64 GiB module (extended size 65,536 MiB at offset
// 1Ch, speed 4800 at 15h, strings "A1", "Maker", "PN-1") and an empty slot (size 0).
TEST_F(Tree, DimmsFromTheFirmwareTable) {
  std::string module(0x22, '\0');
  module[0] = 17;
  module[1] = 0x22;
  module[0x0C] = '\xff';
  module[0x0D] = '\x7f';
  module[0x10] = 1;
  module[0x15] = '\xc0';
  module[0x16] = '\x12';  // 0x12C0 = 4800
  module[0x17] = 2;
  module[0x1A] = 3;
  module[0x1E] = 1;  // 0x00010000 MiB
  module[0x20] = '\x30';
  module[0x21] = '\x11';  // 0x1130 = 4400
  std::string empty(0x22, '\0');
  empty[0] = 17;
  empty[1] = 0x22;
  const std::string texts("A1\0Maker\0PN-1\0\0", 15);
  file("sys/firmware/dmi/tables/DMI", module + texts + empty + std::string(2, '\0') + module + texts);
  const json dimms = probe()["memory"]["dimms"];
  ASSERT_EQ(dimms.size(), 2u);
  EXPECT_EQ(dimms[0]["slot"], "A1");
  EXPECT_EQ(dimms[0]["bytes"], 68719476736);  // 64 * 2^30
  EXPECT_EQ(dimms[0]["transfers_per_second"], 4800000000);
  EXPECT_EQ(dimms[0]["configured_transfers_per_second"], 4400000000);
  EXPECT_EQ(dimms[0]["part_number"], "PN-1");
}

TEST_F(Tree, ACutOffFirmwareTableIsNoCrash) {
  std::string module(0x22, '\1');
  module[0] = 17;
  module[1] = 0x22;
  for (std::size_t length = 0; length <= module.size(); ++length) {
    file("sys/firmware/dmi/tables/DMI", module.substr(0, length));
    EXPECT_EQ(probe()["record"], "probe");
  }
}

TEST(Probe, AddressesOfFunctions) {
  EXPECT_TRUE(is_pci_address("0000:17:00.0"));
  EXPECT_TRUE(is_pci_address("10000:e1:00.0"));
  EXPECT_FALSE(is_pci_address("pci0000:17"));
  EXPECT_FALSE(is_pci_address("virtio0"));
}

TEST(Probe, ThisMachineTellsWhatEveryLinuxTells) {
  const json facts = json::parse(probe_record("node", "2026-11-21T00:00:00Z", "/", true));
  EXPECT_GE(facts["cpu"]["threads"].get<int>(), 1);
  EXPECT_GT(facts["memory"]["total_bytes"].get<std::uint64_t>(), 0u);
  EXPECT_TRUE(facts["limits"].contains("nofile"));
}

}  // namespace
}  // namespace clusterc::probe
