// What BMCs said against the plan, without a network: agreement needs an answer.
#include <gtest/gtest.h>

#include "audit/hardware_audit.h"
#include "unit/plan/sample.h"

namespace clusterc {
namespace {
using test::known;

// Nodes n1 and n2: two processors, 256 GiB, two H100 as PCIe cards. The BMCs say so, until a test changes it.
struct Hardware {
  test::Sample s;
  CpuPart cpu;
  GpuPart gpu;
  std::vector<AuditedNode> nodes;
  std::vector<BmcAnswer> answers{2};
  Findings findings;

  Hardware() {
    s.racks("main", "r1", s.na60, {});
    NodeGroupModel& g = s.nodes("n", "n[1-2]", 0, 1, 1000, 10);
    cpu.name = known<std::string>("Intel Xeon Platinum 8462Y+");
    gpu.name = known<std::string>("NVIDIA H100 PCIe 80GB");
    gpu.form = known(GpuForm::pcie);
    g.server.cpu = &cpu;
    g.server.cpu_model = "xeon-8462y";
    g.server.cpu_count = 2;
    g.server.memory = known(Bytes(256.0 * 1024 * 1024 * 1024));
    g.server.gpu = &gpu;
    g.server.gpu_model = "nvidia-h100-pcie-80";
    g.server.gpu_count = 2;
    for (int m = 0; m < 2; ++m) {
      nodes.push_back({0, m, "10.0.0." + std::to_string(m + 1), {}, {}});
      HardwareSeen& seen = answers[static_cast<std::size_t>(m)].seen;
      seen.systems = seen.hosts = 1;
      seen.serial = "S" + std::to_string(m + 1);
      seen.bios = seen.bmc_firmware = "1";
      seen.cpu_count = 2;
      seen.memory_gib = 256;
      seen.cpus = {true, true, {{"Intel(R) Xeon(R) Platinum 8462Y+", -1, 2}}};
      seen.gpus = {true, true, {{"NVIDIA H100 PCIe", -1, 2}}};
    }
  }
  HardwareSeen& seen(int node) { return answers[static_cast<std::size_t>(node - 1)].seen; }
  HardwareCounts report() {
    const Plan plan = plan_cluster(*s.cluster);
    return report_hardware(plan, nodes, answers, findings);
  }
  // "rule: message" of the only finding.
  std::string only() const {
    return findings.all().size() == 1 ? findings.all().front().rule + ": " + findings.all().front().message
                                      : std::to_string(findings.all().size()) + " findings";
  }
};

TEST(HardwareAudit, AsPlanned) {
  Hardware h;
  const HardwareCounts counts = h.report();
  EXPECT_EQ(counts.as_planned, 2);
  EXPECT_EQ(counts.read(), 2);
  EXPECT_TRUE(h.findings.empty());
}

TEST(HardwareAudit, ABmcThatSaysNothingIsUnread) {
  Hardware h;
  h.seen(1) = {};
  EXPECT_EQ(h.report().as_planned, 1);
  EXPECT_EQ(h.only(), "audit-bmc-unread: the BMC of 'n1' was not read: it lists no system");
  EXPECT_NE(h.findings.all().front().helps.front().message.find("the other nodes were compared"), std::string::npos);

  Hardware off;
  off.seen(1) = {};
  off.seen(1).systems = 1;
  EXPECT_EQ(off.report().unread, 1);
  EXPECT_NE(off.only().find("'n1' was not read: it lists no processors and no memory"), std::string::npos)
      << off.only();
}

TEST(HardwareAudit, NoOtherNodeWasComparedWhereNoneWas) {
  Hardware h;
  h.seen(1) = h.seen(2) = {};
  EXPECT_EQ(h.report().unread, 2);
  EXPECT_EQ(h.findings.all().front().helps.front().message.find("the other nodes"), std::string::npos);
}

TEST(HardwareAudit, GpusThatNoBmcOfTheGroupListsAreNotCompared) {
  Hardware h;
  h.seen(1).gpus = h.seen(2).gpus = {};
  const HardwareCounts counts = h.report();
  EXPECT_EQ(counts.as_planned, 0);
  EXPECT_EQ(counts.in_part, 2);
  EXPECT_EQ(h.only(), "audit-bmc-unread: the BMC of 2 nodes 'n[1-2]' lists no GPUs, planned 2: GPUs were not compared");
}

TEST(HardwareAudit, GpusThatTheBmcOfOneNodeListsAreMissingInTheOther) {
  Hardware h;
  h.seen(2).gpus = {};
  EXPECT_EQ(h.report().as_planned, 1);
  EXPECT_EQ(h.only(), "audit-hardware-differs: 'n2' has 0 GPUs, planned 2");
}

TEST(HardwareAudit, GpusWithoutAPlan) {
  Hardware h;
  h.s.cluster->nodes[0].server.gpu_count = 0;
  h.s.cluster->nodes[0].server.gpu = nullptr;
  h.seen(2).gpus = {};
  EXPECT_EQ(h.report().differing, 1);
  EXPECT_EQ(h.only(), "audit-hardware-differs: 'n1' has 2 GPUs 'NVIDIA H100 PCIe', planned none");
}

TEST(HardwareAudit, OneBmcForTwoNodes) {
  Hardware address;
  address.nodes[0].address = "BMC-1.lan.:443";
  address.nodes[1].address = "bmc-1.lan";
  const HardwareCounts counts = address.report();
  EXPECT_EQ(counts.unread, 2);
  EXPECT_EQ(address.only(), "audit-bmc-unread: one BMC answers for 'n1' and 'n2': both have the address 'bmc-1.lan'");
  EXPECT_EQ(address.findings.all().front().objects.size(), 2U);

  Hardware serial;
  serial.seen(2).serial = "S1";
  EXPECT_EQ(serial.report().unread, 2);
  EXPECT_EQ(serial.only(), "audit-bmc-unread: one BMC answers for 'n1' and 'n2': both have the serial number 'S1'");
}

TEST(HardwareAudit, PlainAddress) {
  EXPECT_EQ(plain_address("[FD00::443]:443"), "[fd00::443]");
  EXPECT_EQ(plain_address("10.0.0.7:8443"), "10.0.0.7:8443");
}

TEST(HardwareAudit, ANodeThatDiffersFromItsGroupIsNotAsPlanned) {
  Hardware h;
  h.seen(2).bios = "2";
  const HardwareCounts counts = h.report();
  EXPECT_EQ(counts.as_planned, 1);
  EXPECT_EQ(counts.differing, 1);
}

TEST(HardwareAudit, ANodeWithAnIllPartOrAnUnreadFactIsNotAsPlanned) {
  Hardware h;
  h.seen(1).ill.push_back({"Systems/1", "reports the power state 'Off'", false});
  h.seen(2).gpus.kinds[0].model = "NVIDIA H100";
  const HardwareCounts counts = h.report();
  EXPECT_EQ(counts.differing, 1);
  EXPECT_EQ(counts.in_part, 1);
  EXPECT_EQ(counts.as_planned, 0);
  EXPECT_EQ(h.findings.all().back().message,
            "the BMC of 'n2' does not say more of the model of the GPUs than 'NVIDIA H100': it was not compared");
}

}  // namespace
}  // namespace clusterc
