#include "model/pcie.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

TEST(Pcie, RatesAreThoseAfterCoding) {
  // 2.5 GT/s x 8/10 / 8; 8, 16, 32 GT/s x 128/130 / 8; 64 GT/s x 236/256 / 8
  EXPECT_DOUBLE_EQ(pcie_lane_rate(1).value, 0.25e9);
  EXPECT_DOUBLE_EQ(pcie_lane_rate(2).value, 0.5e9);
  EXPECT_NEAR(pcie_lane_rate(3).value, 0.9846e9, 1e5);
  EXPECT_NEAR(pcie_lane_rate(4).value, 1.9692e9, 1e5);
  EXPECT_NEAR(pcie_lane_rate(5).value, 3.9385e9, 1e5);
  EXPECT_DOUBLE_EQ(pcie_lane_rate(6).value, 7.375e9);
  EXPECT_NEAR(pcie_link_rate(5, 16).value, 63.02e9, 1e7);
  EXPECT_EQ(pcie_lane_rate(0).value, 0);
}

TEST(Pcie, DeviceNames) {
  DeviceName d;
  ASSERT_TRUE(parse_device_name("gpus[7]", d));
  EXPECT_EQ(d.kind, PcieDeviceKind::gpu);
  EXPECT_EQ(d.index, 7);
  ASSERT_TRUE(parse_device_name("nics.data", d));
  EXPECT_EQ(d.set, "data");
  EXPECT_EQ(d.index, 0);
  ASSERT_TRUE(parse_device_name("drives.scratch[1]", d));
  EXPECT_EQ(d.kind, PcieDeviceKind::drive);
  for (const char* bad : {"", "gpu[0]", "gpus[]", "gpus[x]", "gpus[-1]", "nics", "nics.", "fans.a", "gpus[0", "]"}) EXPECT_FALSE(parse_device_name(bad, d)) << bad;
}

TEST(Pcie, DgxH100PairsEachGpuWithTheAdapterOfItsSwitch) {
  Resolved r;
  r.example("superpod");
  const ServerModel& s = r.group("gpu").server;
  const PcieTree tree = pcie_tree(s);
  EXPECT_TRUE(tree.misfits.empty());
  ASSERT_EQ(tree.sockets.size(), 2u);
  // five switches with an x16 uplink each; everything else hangs below them
  EXPECT_EQ(tree.sockets[0].lanes_used, 5 * 16);
  EXPECT_EQ(tree.sockets[0].lanes, 80);                       // Xeon Platinum 8480+: 80 lanes of PCIe 5.0 (Intel ARK)
  const auto pairs = pair_gpus_with_nics(s, tree, 0);
  ASSERT_EQ(pairs.size(), 8u);
  for (const GpuNicPair& p : pairs) {
    EXPECT_EQ(p.nic, p.gpu);
    EXPECT_EQ(p.road.relation, PcieRelation::same_switch);
    EXPECT_NEAR(p.road.rate.value, 63.02e9, 1e7);             // Gen5 x16
    EXPECT_FALSE(p.road.crosses_uplink);
  }
  const PcieRoad far = pcie_road(tree, *tree.gpu(0), *tree.nic(0, 7));
  EXPECT_EQ(far.relation, PcieRelation::across_sockets);
  EXPECT_TRUE(far.crosses_uplink);
  EXPECT_EQ(pcie_road(tree, *tree.gpu(0), *tree.nic(0, 1)).relation, PcieRelation::same_socket);
  EXPECT_EQ(socket_of_gpu(tree, 4), 1);
}

TEST(Pcie, LabServerSharesOneAdapterOverTwoSockets) {
  Resolved r;
  r.example("lab");
  const ServerModel& s = r.group("gpu").server;
  const PcieTree tree = pcie_tree(s);
  ASSERT_EQ(tree.sockets.size(), 2u);
  EXPECT_EQ(tree.sockets[0].lanes_used, 2 * 16);
  EXPECT_EQ(tree.sockets[1].lanes_used, 3 * 16);
  const auto pairs = pair_gpus_with_nics(s, tree, 0);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].nic, 0);
  EXPECT_EQ(pairs[0].road.relation, PcieRelation::across_sockets);
  EXPECT_EQ(pairs[3].road.relation, PcieRelation::same_socket);
  EXPECT_NEAR(pairs[3].road.rate.value, 31.51e9, 1e7);        // both cards are Gen4 x16
}

ServerModel bare(std::int64_t gpus, std::int64_t nics) {
  ServerModel s;
  s.gpu_count = gpus;
  s.nics.push_back({"compute", {}, nullptr, "nic", nics});
  return s;
}

TEST(Pcie, WithoutATreePairsGoInOrder) {
  const ServerModel s = bare(8, 4);
  const auto pairs = pair_gpus_with_nics(s, pcie_tree(s), 0);
  ASSERT_EQ(pairs.size(), 8u);
  EXPECT_EQ(pairs[1].nic, 0);
  EXPECT_EQ(pairs[2].nic, 1);
  EXPECT_EQ(pairs[7].nic, 3);
  EXPECT_EQ(pairs[7].road.relation, PcieRelation::unknown);
  EXPECT_TRUE(pair_gpus_with_nics(s, pcie_tree(s), 3).empty());
}

PcieSlot slot(const char* device, std::int64_t lanes, const char* through = nullptr) {
  PcieSlot p;
  p.device = Value<std::string>(device, {}, Origin::spec);
  p.lanes = Value<std::int64_t>(lanes, {}, Origin::spec);
  if (through) p.through = Value<std::string>(through, {}, Origin::spec);
  return p;
}

TEST(Pcie, NarrowSlotsUplinksAndOlderProcessorsSlowTheRoad) {
  ServerModel s = bare(1, 1);
  GpuPart gpu;
  gpu.pcie_generation = Value<std::int64_t>(5, {}, Origin::catalog);
  gpu.pcie_lanes = Value<std::int64_t>(16, {}, Origin::catalog);
  NicPart nic;
  nic.pcie_generation = gpu.pcie_generation;
  nic.pcie_lanes = gpu.pcie_lanes;
  CpuPart cpu;
  cpu.pcie_generation = Value<std::int64_t>(4, {}, Origin::catalog);
  s.gpu = &gpu;
  s.nics[0].part = &nic;
  s.cpu = &cpu;
  PcieSocket socket;
  PcieSwitch sw;
  sw.uplink_lanes = Value<std::int64_t>(8, {}, Origin::spec);
  socket.switches.entries.push_back({"a", {}, sw});
  socket.slots.entries.push_back({"s1", {}, slot("gpus[0]", 16, "a")});
  socket.slots.entries.push_back({"s2", {}, slot("nics.compute[0]", 8)});
  socket.slots.entries.push_back({"s3", {}, slot("gpus[1]", 16)});
  socket.slots.entries.push_back({"s4", {}, slot("nics.compute[0]", 16, "b")});
  s.part.pcie.entries.push_back({"socket0", {}, socket});
  const PcieTree tree = pcie_tree(s);
  ASSERT_EQ(tree.misfits.size(), 2u);                         // gpus[1] does not exist, nor does switch b
  EXPECT_FALSE(tree.misfits[0].switch_missing);
  EXPECT_TRUE(tree.misfits[1].switch_missing);
  const PcieRoad road = pcie_road(tree, *tree.gpu(0), *tree.nic(0, 0));
  EXPECT_EQ(road.relation, PcieRelation::same_socket);
  EXPECT_TRUE(road.crosses_uplink);
  EXPECT_NEAR(road.rate.value, 8 * 1.9692e9, 1e6);            // Gen4 (the processor's) x8 (slot and uplink)
}

}  // namespace
}  // namespace clusterc
