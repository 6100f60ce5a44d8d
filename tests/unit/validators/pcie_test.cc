// clusterc-pcie on trees laid out as the kernel documents them: who is narrower or slower than both ends can do is
// named, and nobody else.
#include "pcie/acs.h"
#include "pcie/copies.h"
#include "pcie/links.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using clusterc::pcie::bytes_per_second;
using clusterc::pcie::Link;

class Pcie : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "clusterc-pcie-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    fs::create_directories(root / "sys/bus/pci/devices");
  }
  void TearDown() override { fs::remove_all(root); }
  void put(const fs::path& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  struct Ends {
    const char *speed, *width, *most_speed, *most_width;
  };
  // A device below a port below the root bus, with its link in /sys/bus/pci/devices.
  void device(const std::string& port, const std::string& address, const char* pci_class, const char* vendor, Ends d,
              Ends p) const {
    const std::string above = "sys/devices/pci0000:00/" + port, at = above + "/" + address;
    const auto files = [&](const std::string& folder, const char* of_class, const char* of, const Ends& e) {
      put(folder + "/class", of_class), put(folder + "/vendor", of), put(folder + "/device", "0x2330");
      put(folder + "/current_link_speed", e.speed), put(folder + "/current_link_width", e.width);
      put(folder + "/max_link_speed", e.most_speed), put(folder + "/max_link_width", e.most_width);
    };
    files(above, "0x060400", "0x8086", p);
    files(at, pci_class, vendor, d);
    for (const auto& [name, folder] : {std::pair{port, above}, {address, at}}) {
      std::error_code exists;
      fs::create_directory_symlink("../../../../" + folder, root / "sys/bus/pci/devices" / name, exists);
    }
  }
  // One of each, sound: the GPU is asleep at 2.5 GT/s; the adapter is generation 5 in a port of generation 4.
  void sound() const {
    device("0000:00:01.0", "0000:17:00.0", "0x030200", "0x10de", {"2.5 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"},
           {"2.5 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"});
    device("0000:00:02.0", "0000:18:00.0", "0x020700", "0x15b3", {"16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"},
           {"16.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16"});
    device("0000:00:03.0", "0000:19:00.0", "0x010802", "0x144d", {"16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"},
           {"16.0 GT/s PCIe", "4", "32.0 GT/s PCIe", "4"});
    device("0000:00:04.0", "0000:1a:00.0", "0x030000", "0x1a03", {"2.5 GT/s PCIe", "1", "5.0 GT/s PCIe", "1"},
           {"2.5 GT/s PCIe", "1", "5.0 GT/s PCIe", "1"});  // a BMC's display
    device("0000:00:05.0", "0000:1b:00.0", "0x020000", "0x1af4", {"Unknown", "0", "Unknown", "255"},
           {"Unknown", "0", "Unknown", "255"});  // virtio
    device("0000:00:06.0", "0000:1c:00.1", "0x020000", "0x15b3", {"2.5 GT/s PCIe", "1", "32.0 GT/s PCIe", "16"},
           {"32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"});
    put("sys/devices/pci0000:00/0000:00:06.0/0000:1c:00.1/physfn/vendor", "0x15b3");  // a virtual function
  }
  Result look(const std::string& build = program("pcie")) const { return run({build, "--sysfs", root}); }
  fs::path root;
};

// As a server has it: a GPU and two adapters below one switch, and one adapter on a port of its own. `bits`: of the ACS
// control register of the switch's port above the GPU; Linux sets 1d: source validation, request and completion
// redirect, upstream forwarding.
class PcieAcs : public Pcie {
 protected:
  static std::string configuration(unsigned bits, std::size_t size = 4096) {
    std::string out(size, '\0');
    if (size < 4096) return out;
    const auto head = [&](std::size_t at, unsigned number, unsigned version, std::size_t next) {
      out[at] = static_cast<char>(number & 0xff), out[at + 1] = static_cast<char>(number >> 8);
      out[at + 2] = static_cast<char>(version | (next & 0xf) << 4), out[at + 3] = static_cast<char>(next >> 4);
    };
    head(0x100, 0x0001, 2, 0x148);  // error reporting
    head(0x148, 0x000d, 1, 0);
    out[0x148 + 4] = 0x5f, out[0x148 + 6] = static_cast<char>(bits);  // what it can, what is on
    return out;
  }
  void config(const std::string& address, const std::string& bytes) const {
    std::ofstream(root / "sys/bus/pci/devices" / address / "config", std::ios::binary) << bytes;
  }
  void switched() const {
    const std::string top = "sys/devices/pci0000:15/0000:15:01.0", upper = top + "/0000:16:00.0";
    const auto bridge = [&](const std::string& at) {
      put(at + "/class", "0x060400"), put(at + "/vendor", "0x1000");
      put(at + "/max_link_speed", "32.0 GT/s PCIe"), put(at + "/max_link_width", "16");
    };
    const auto end = [&](const std::string& at, const char* of_class, const char* vendor) {
      put(at + "/class", of_class), put(at + "/vendor", vendor), put(at + "/device", "0x2330");
      for (const char* which : {"current", "max"}) {
        put(at + "/" + which + "_link_speed", "32.0 GT/s PCIe");
        put(at + "/" + which + "_link_width", "16");
      }
    };
    std::vector<std::string> all = {top, upper};
    bridge(top), bridge(upper);
    for (const auto& [port, device, of_class, vendor] :
         {std::tuple("0000:17:00.0", "0000:18:00.0", "0x030200", "0x10de"),
          std::tuple("0000:17:01.0", "0000:19:00.0", "0x020700", "0x15b3"),
          std::tuple("0000:17:02.0", "0000:1a:00.0", "0x020700", "0x15b3")}) {
      const std::string above = upper + "/" + port;
      bridge(above), end(above + "/" + device, of_class, vendor);
      all.insert(all.end(), {above, above + "/" + device});
    }
    const std::string other = "sys/devices/pci0000:48/0000:48:01.0";
    bridge(other), end(other + "/0000:49:00.0", "0x020700", "0x15b3");
    all.insert(all.end(), {other, other + "/0000:49:00.0"});
    for (const std::string& folder : all) {
      fs::create_directory_symlink("../../../../" + folder, root / "sys/bus/pci/devices" / fs::path(folder).filename());
      config(fs::path(folder).filename(), configuration(0));
    }
  }
  // The record of the GPU.
  json gpu(const char* acs) const {
    const Result r = run({program("pcie"), "--sysfs", root, "--acs", acs});
    expect_measured(r, 4);
    for (const json& m : r.records)
      if (m.value("metric", "") == "pcie.link.gpu") return m["parameters"];
    return {};
  }
};

TEST_F(PcieAcs, APathThatIsRedirectedIsNamedWhereItShallBeDirect) {
  switched();
  EXPECT_EQ(gpu("off")["acs"], "to 0000:19:00.0 direct, to 0000:1a:00.0 direct");
  EXPECT_FALSE(gpu("off").contains("slow"));
  // Of the root port and the switch's upper port: above the place where the ways part.
  config("0000:15:01.0", configuration(0x1d)), config("0000:16:00.0", configuration(0x1d));
  config("0000:48:01.0", configuration(0x1d));
  EXPECT_FALSE(gpu("off").contains("slow"));
  config("0000:17:01.0", configuration(0x01));  // source validation alone redirects nothing
  EXPECT_FALSE(gpu("off").contains("slow"));
  config("0000:17:01.0", configuration(0x1d));
  EXPECT_EQ(gpu("off")["acs"], "to 0000:19:00.0 redirected at 0000:17:01.0, to 0000:1a:00.0 direct");
  EXPECT_EQ(gpu("off")["slow"],
            "ACS of 0000:17:01.0 sends what 0000:18:00.0 and adapter 0000:19:00.0 exchange up to the processor: switch "
            "ACS off in the firmware, or boot with `pci=disable_acs_redir=0000:17:01.0`");
  EXPECT_FALSE(gpu("any").contains("slow"));
  // Each of the three bits that redirect.
  config("0000:17:01.0", configuration(0));
  for (const unsigned bits : {0x04u, 0x08u, 0x20u}) {
    config("0000:17:00.0", configuration(bits));
    EXPECT_NE(gpu("off").value("slow", "").find("adapter 0000:19:00.0, 0000:1a:00.0"), std::string::npos) << bits;
  }
}

TEST_F(PcieAcs, WhatCannotBeReadIsNotTakenForDirect) {
  switched();
  config("0000:17:02.0", configuration(0, 64));  // what everybody but root sees
  EXPECT_EQ(gpu("off")["acs"], "to 0000:19:00.0 direct, to 0000:1a:00.0 not known");
  EXPECT_EQ(gpu("off")["slow"],
            "whether ACS of 0000:17:02.0 redirects what 0000:18:00.0 and adapter 0000:1a:00.0 exchange is not known: "
            "root alone can read it");
  fs::remove(root / "sys/bus/pci/devices/0000:17:02.0/config");
  EXPECT_NE(gpu("off").value("slow", ""), "");
}

TEST(PcieAcsControl, ConfigurationsThatAreBrokenEnd) {
  using clusterc::pcie::read_acs;
  EXPECT_FALSE(read_acs("").known);
  EXPECT_FALSE(read_acs(std::string(4096, '\xff')).known);  // the device has gone
  EXPECT_TRUE(read_acs(std::string(4096, '\0')).known);
  EXPECT_FALSE(read_acs(std::string(4096, '\0')).bits);
  std::string circle(4096, '\0');
  circle[0x100] = 1, circle[0x103] = 0x10;  // the next one is the same one
  EXPECT_FALSE(read_acs(circle).bits);
  circle[0x103] = '\xff', circle[0x102] = '\xf0';  // at the very end
  EXPECT_FALSE(read_acs(circle).bits);
}

// By hand: generation 3 x16 is 8e9 x 16 x 128/130 / 8 = 15.754 GB/s, 5 x16 63.015, 1 x1 0.25, 6 x16 64e9 x 16 x
// 0.921875 / 8 = 118.
TEST_F(Pcie, RatesCountTheCoding) {
  EXPECT_NEAR(bytes_per_second({8e9, 16}), 15.754e9, 1e6);
  EXPECT_NEAR(bytes_per_second({32e9, 16}), 63.015e9, 1e6);
  EXPECT_DOUBLE_EQ(bytes_per_second({2.5e9, 1}), 0.25e9);
  EXPECT_DOUBLE_EQ(bytes_per_second({64e9, 16}), 118e9);
}

TEST_F(Pcie, SoundLinksHaveNoTrouble) {
  sound();
  const Result r = look();
  expect_measured(r, 3);
  const char* metrics[] = {"pcie.link.gpu", "pcie.link.nic", "pcie.link.nvme"};
  const double rates[] = {63.015e9, 31.508e9, 7.877e9};  // 5 x16 asleep, 4 x16, 4 x4
  for (std::size_t i = 0; i < 3; ++i) {
    const json& m = r.records[i + 1];
    EXPECT_EQ(m["metric"], metrics[i]);
    EXPECT_NEAR(m["value"].get<double>(), rates[i], 1e6);
    EXPECT_FALSE(m["parameters"].contains("slow")) << m;
  }
  EXPECT_EQ(r.records[1]["parameters"]["negotiated"], "2.5 GT/s x16");
  EXPECT_EQ(r.records[2]["parameters"]["port"], "0000:00:02.0");
}

// From outside: the tree of a machine whose GPU lost half of its lanes, whose adapter trained down, and whose drive had
// errors.
TEST_F(Pcie, NarrowSlowAndFaultyLinksAreNamed) {
  sound();
  put("sys/devices/pci0000:00/0000:00:01.0/0000:17:00.0/current_link_width", "8");
  put("sys/devices/pci0000:00/0000:00:02.0/0000:18:00.0/current_link_speed", "8.0 GT/s PCIe");
  put("sys/devices/pci0000:00/0000:00:03.0/0000:19:00.0/aer_dev_nonfatal",
      "Undefined 0\nDLP 0\nTLP 2\nTOTAL_ERR_NONFATAL 2");
  put("sys/devices/pci0000:00/0000:00:03.0/0000:19:00.0/aer_dev_correctable", "RxErr 7\nTOTAL_ERR_COR 7");
  const Result r = look();
  expect_measured(r, 3);
  EXPECT_EQ(r.records[1]["parameters"]["slow"], "0000:17:00.0 runs at 2.5 GT/s x8, both ends can do 32 GT/s x16");
  EXPECT_EQ(r.records[2]["parameters"]["slow"], "0000:18:00.0 runs at 8 GT/s x16, both ends can do 16 GT/s x16");
  EXPECT_EQ(r.records[3]["parameters"]["slow"], "0000:19:00.0 had 2 uncorrected errors since the machine started");
  EXPECT_EQ(r.records[3]["parameters"]["errors_corrected"], 7);
}

TEST_F(Pcie, ADeviceWithoutALinkIsAnErrorAndNoDeviceIsNone) {
  Result r = look();
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.records.back()["status"], "not applicable");
  sound();
  put("sys/devices/pci0000:00/0000:00:03.0/0000:19:00.0/current_link_width", "0");
  r = look();
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "device error");
  EXPECT_EQ(r.records.back()["detail"], "0000:19:00.0 has no link");
}

TEST_F(Pcie, ALinkThatChangesBetweenTwoLooksIsFound) {
  sound();
  expect_wrong_data(look(kFaulty + "/clusterc-pcie-faulty"), 3);
}

// Which copies there are, on machines as the kernel describes them: every GPU from its own node and from the one that
// is farthest from it.
std::string paths_text(const std::vector<int>& devices, const std::vector<clusterc::pcie::MemoryNode>& nodes) {
  std::string out;
  for (const clusterc::pcie::CopyPath& p : clusterc::pcie::plan_paths(devices, nodes))
    out += (out.empty() ? "" : " ") + std::to_string(p.device) + (p.own ? "<" : "<<") + std::to_string(p.memory_node);
  return out;
}

TEST(PcieCopies, EveryDeviceHasItsOwnNodeAndTheFarthest) {
  EXPECT_EQ(paths_text({0, 0, 1}, {{0, {10, 21}}, {1, {21, 10}}}), "0<0 0<<1 1<0 1<<1 2<1 2<<0");
  // Two sockets of two nodes each (sub-NUMA clustering): the other socket, not the neighbour.
  EXPECT_EQ(
      paths_text({1}, {{0, {10, 12, 21, 22}}, {1, {12, 10, 22, 21}}, {2, {21, 22, 10, 12}}, {3, {22, 21, 12, 10}}}),
      "0<1 0<<2");
  EXPECT_EQ(paths_text({0, 0}, {{0, {10}}}), "0<-1 1<-1");              // nothing to choose
  EXPECT_EQ(paths_text({-1}, {{0, {10, 21}}, {1, {21, 10}}}), "0<-1");  // the firmware does not say where the device is
  EXPECT_EQ(paths_text({4}, {{0, {}}, {4, {}}}), "0<4 0<<0");           // distances that cannot be read
  EXPECT_EQ(paths_text({}, {{0, {10}}}), "");
}

TEST_F(Pcie, NodesWithMemoryAndTheirDistancesAreRead) {
  put("sys/devices/system/node/has_memory", "0,2");
  put("sys/devices/system/node/node0/distance", "10 21"), put("sys/devices/system/node/node2/distance", "21 10");
  const auto nodes = clusterc::pcie::memory_nodes(root);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].id, 2);
  EXPECT_EQ(nodes[1].distances, (std::vector<int>{21, 10}));
  EXPECT_TRUE(clusterc::pcie::memory_nodes(root / "nowhere").empty());
  // A row has a figure for each node that is online, with memory or without: node 1 here has none.
  put("sys/devices/system/node/online", "0-3"), put("sys/devices/system/node/has_memory", "0,2-3"),
      put("sys/devices/system/node/has_cpu", "0-2");
  put("sys/devices/system/node/node0/distance", "10 12 32 80"),
      put("sys/devices/system/node/node2/distance", "32 34 10 80");
  const auto two = clusterc::pcie::memory_nodes(root);
  ASSERT_EQ(two.size(), 2u);  // node 3 has memory and no processor: a GPU's
  EXPECT_EQ(two[0].distances, (std::vector<int>{10, 32}));
  EXPECT_EQ(two[1].distances, (std::vector<int>{32, 10}));
  put("proc/self/status", "Name:\tx\nMems_allowed:\t1\nMems_allowed_list:\t2\nvoluntary_ctxt_switches:\t1");
  ASSERT_EQ(clusterc::pcie::memory_nodes(root).size(), 1u);  // of a container with its memory on one node
  EXPECT_EQ(clusterc::pcie::memory_nodes(root)[0].id, 2);
}

TEST(PcieCopies, FiguresAreNamedByPlaceAndWay) {
  using clusterc::pcie::metric_of, clusterc::pcie::Way;
  EXPECT_EQ(metric_of({}, Way::to_device), "pcie.copy");
  EXPECT_EQ(metric_of({}, Way::to_host), "pcie.copy.to_host");
  EXPECT_EQ(metric_of({}, Way::both), "pcie.copy.both");
  EXPECT_EQ(metric_of({.own = false}, Way::to_device), "pcie.copy.far");
  EXPECT_EQ(metric_of({.own = false}, Way::both), "pcie.copy.far_both");
}

// The host in a GPU's place: the same paths, loops and checks.
TEST(PcieCopies, TheHostBackEndCopiesEachWayAndChecksEveryWord) {
  const Result r = run({program("pcie"), "--copies", "--size", "4MiB", "--iterations", "3", "--allow-busy"});
  ASSERT_TRUE(r.ended()) << r.text;
  ASSERT_EQ(r.records.size() % 3, 2u) << r.text;  // three ways a path
  expect_measured(r, r.records.size() - 2);
  for (std::size_t i = 1; i + 1 < r.records.size(); ++i) {
    const json& m = r.records[i];
    const bool both = m["metric"].get<std::string>().ends_with("both");
    EXPECT_EQ(m["checked"], (both ? 2 : 1) * 4194304 / 8);
    EXPECT_EQ(m["size"], 4194304);
    EXPECT_EQ(m["device"]["backend"], "host");
  }
  EXPECT_EQ(r.records[1]["metric"], "pcie.copy");
  EXPECT_EQ(run({program("pcie"), "--copies", "--size", "4097B", "--allow-busy"}).status, 2);
}

TEST(PcieCopies, AFlippedBitIsFoundInEachWay) {
  const Result r =
      run({kFaulty + "/clusterc-pcie-faulty", "--copies", "--size", "1MiB", "--iterations", "3", "--allow-busy"});
  expect_wrong_data(r, r.records.size() - 2);
}

}  // namespace
