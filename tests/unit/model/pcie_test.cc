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
  for (const char* bad : {"", "gpu[0]", "gpus[]", "gpus[x]", "gpus[-1]", "nics", "nics.", "fans.a", "gpus[0", "]"})
    EXPECT_FALSE(parse_device_name(bad, d)) << bad;
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
  EXPECT_EQ(tree.sockets[0].lanes, 80);  // Xeon Platinum 8480+: 80 lanes of PCIe 5.0 (Intel ARK)
  const auto pairs = pair_gpus_with_nics(s, tree, 0);
  ASSERT_EQ(pairs.size(), 8u);
  for (const GpuNicPair& p : pairs) {
    EXPECT_EQ(p.nic, p.gpu);
    EXPECT_EQ(p.road.relation, PcieRelation::same_switch);
    EXPECT_NEAR(p.road.rate.value, 63.02e9, 1e7);  // Gen5 x16
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
  EXPECT_NEAR(pairs[3].road.rate.value, 31.51e9, 1e7);  // both cards are Gen4 x16
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
  ASSERT_EQ(tree.misfits.size(), 2u);  // gpus[1] does not exist, nor does switch b
  EXPECT_EQ(tree.misfits[0].what, PcieMisfit::What::device);
  EXPECT_EQ(tree.misfits[1].what, PcieMisfit::What::slot_below_none);
  const PcieRoad road = pcie_road(tree, *tree.gpu(0), *tree.nic(0, 0));
  EXPECT_EQ(road.relation, PcieRelation::same_socket);
  EXPECT_TRUE(road.crosses_uplink);
  EXPECT_NEAR(road.rate.value, 8 * 1.9692e9, 1e6);  // Gen4 (the processor's) x8 (slot and uplink)
}

// A tree with a switch below a switch, NUMA nodes, and a slot that four drives share.
struct Nested {
  ServerModel s = bare(3, 2);
  GpuPart gpu;
  NicPart nic;
  CpuPart cpu;
  Nested() {
    gpu.pcie_generation = Value<std::int64_t>(5, {}, Origin::catalog);
    gpu.pcie_lanes = Value<std::int64_t>(16, {}, Origin::catalog);
    nic.pcie_generation = gpu.pcie_generation;
    nic.pcie_lanes = gpu.pcie_lanes;
    cpu.pcie_generation = gpu.pcie_generation;
    s.gpu = &gpu;
    s.nics[0].part = &nic;
    s.cpu = &cpu;
    Drives drives;
    drives.count = Value<std::int64_t>(4, {}, Origin::spec);
    s.part.drives.entries.push_back({"data", {}, drives});
    PcieSocket socket;
    PcieSwitch top, below;
    top.numa = Value<std::int64_t>(1, {}, Origin::spec);
    below.through = Value<std::string>("top", {}, Origin::spec);
    below.uplink_lanes = Value<std::int64_t>(8, {}, Origin::spec);
    socket.switches.entries.push_back({"below", {}, below});  // named before the one above it
    socket.switches.entries.push_back({"top", {}, top});
    socket.slots.entries.push_back({"g0", {}, slot("gpus[0]", 16, "top")});
    socket.slots.entries.push_back({"n0", {}, slot("nics.compute[0]", 16, "below")});
    socket.slots.entries.push_back({"g1", {}, slot("gpus[1]", 16, "below")});
    PcieSlot root = slot("gpus[2]", 16);
    root.numa = top.numa;
    socket.slots.entries.push_back({"g2", {}, root});
    socket.slots.entries.push_back({"n1", {}, slot("nics.compute[1]", 16)});
    PcieSlot split;
    split.lanes = Value<std::int64_t>(16, {}, Origin::spec);
    for (const char* d : {"drives.data[0]", "drives.data[1]", "drives.data[2]"})
      split.devices.emplace_back(d, SourceSpan{}, Origin::spec);
    socket.slots.entries.push_back({"m2", {}, split});
    s.part.pcie.entries.push_back({"socket0", {}, socket});
  }
};

TEST(Pcie, LanesAreSummedAtEveryLevel) {
  const Nested n;
  const PcieTree tree = pcie_tree(n.s);
  EXPECT_TRUE(tree.misfits.empty());
  EXPECT_EQ(tree.switches[0].lanes_used, 8 + 16 + 16);       // uplink, adapter, GPU
  EXPECT_EQ(tree.switches[1].lanes_used, 16 + 16 + 8);       // uplink, GPU, the switch below
  EXPECT_EQ(tree.sockets[0].lanes_used, 16 + 16 + 16 + 16);  // switch, GPU, adapter, the slot that is split
  EXPECT_EQ(tree.drive(0, 2)->lanes, 4);                     // three drives take four parts
  EXPECT_EQ(tree.drive(0, 2)->parts, 4);
  EXPECT_EQ(tree.drive(0, 3), nullptr);
  EXPECT_EQ(needed_split(*tree.drive(0, 0)->slot, 3), "4x4");
  EXPECT_EQ(needed_split(*tree.drive(0, 0)->slot, 1), "");
}

TEST(Pcie, TheNarrowestLinkBetweenTwoDevices) {
  const Nested n;
  const PcieTree tree = pcie_tree(n.s);
  // Below one switch, one level apart: through the x8 uplink between them, and no farther.
  const PcieRoad apart = pcie_road(tree, *tree.gpu(0), *tree.nic(0, 0));
  EXPECT_EQ(apart.relation, PcieRelation::same_switch);
  EXPECT_EQ(apart.uplinks, std::vector<int>{0});
  EXPECT_EQ(apart.narrowest, 0);
  EXPECT_NEAR(apart.rate.value, 8 * 3.9385e9, 1e6);
  // In the lower switch nothing is shared; with access control both uplinks are.
  EXPECT_FALSE(pcie_road(tree, *tree.gpu(1), *tree.nic(0, 0)).crosses_uplink);
  const PcieRoad redirected = pcie_road(tree, *tree.gpu(1), *tree.nic(0, 0), PcieAcs::on);
  EXPECT_EQ(redirected.uplinks, (std::vector<int>{0, 1}));
  EXPECT_NEAR(redirected.rate.value, 8 * 3.9385e9, 1e6);
  // The drive's four lanes are narrower than any uplink: generation 5 of the socket, 4 x 3.938 GB/s.
  const PcieRoad drive = pcie_road(tree, *tree.gpu(0), *tree.drive(0, 0));
  EXPECT_EQ(drive.narrowest, -1);
  EXPECT_NEAR(drive.rate.value, 4 * 3.9385e9, 1e6);
}

TEST(Pcie, NumaNodesAreNearerThanSockets) {
  const Nested n;
  const PcieTree tree = pcie_tree(n.s);
  EXPECT_EQ(tree.gpu(1)->numa, 1);  // from the switch two levels up
  EXPECT_EQ(pcie_road(tree, *tree.gpu(0), *tree.gpu(2)).relation, PcieRelation::same_numa);
  EXPECT_EQ(pcie_road(tree, *tree.gpu(0), *tree.nic(0, 1)).relation,
            PcieRelation::same_socket);  // the adapter's node is not said
}

TEST(Pcie, ACircleOfSwitchesIsAMisfit) {
  ServerModel s = bare(0, 1);
  PcieSocket socket;
  PcieSwitch a, b;
  a.through = Value<std::string>("b", {}, Origin::spec);
  b.through = Value<std::string>("a", {}, Origin::spec);
  socket.switches.entries.push_back({"a", {}, a});
  socket.switches.entries.push_back({"b", {}, b});
  socket.slots.entries.push_back({"n", {}, slot("nics.compute[0]", 16, "a")});
  s.part.pcie.entries.push_back({"socket0", {}, socket});
  const PcieTree tree = pcie_tree(s);
  ASSERT_EQ(tree.misfits.size(), 1u);
  EXPECT_EQ(tree.misfits[0].what, PcieMisfit::What::circle);
  EXPECT_EQ(tree.misfits[0].name, "b");  // the one that closes it
  EXPECT_LE(switches_above(tree, *tree.nic(0, 0)).size(), 2u);
}

TEST(Pcie, TwoEpycSocketsKeepLanesForEachOther) {
  ServerModel s;
  CpuPart cpu;
  s.cpu = &cpu;
  s.cpu_count = 2;
  EXPECT_EQ(lane_budget(s).usable, 0);  // nobody says how many
  cpu.pcie_lanes = Value<std::int64_t>(128, {}, Origin::catalog);
  cpu.vendor = Value<Vendor>(Vendor::amd, {}, Origin::catalog);
  EXPECT_EQ(lane_budget(s).usable, 80);  // 128 - 3 x 16: 160 of two sockets (AMD, EPYC 9004 architecture overview)
  EXPECT_EQ(lane_budget(s).between, 48);
  s.part.pcie_lanes = Value<std::int64_t>(128, {}, Origin::spec);
  EXPECT_EQ(lane_budget(s).usable, 64);  // four links: 128 of two sockets
  EXPECT_EQ(lane_budget(s).between, 64);
  s.part.pcie_lanes = Value<std::int64_t>(8, {}, Origin::spec);
  EXPECT_EQ(lane_budget(s).usable, 4);    // 8 / 2 sockets
  EXPECT_EQ(lane_budget(s).between, 64);  // 4 x 16 at most; the other 60 are idle, not links
  s.part.pcie_lanes = Value<std::int64_t>(256, {}, Origin::spec);
  EXPECT_EQ(lane_budget(s).usable, 80);  // more than there is is not believed
  s.cpu_count = 1;
  s.part.pcie_lanes = {};
  EXPECT_EQ(lane_budget(s).usable, 128);
  cpu.vendor = Value<Vendor>(Vendor::intel, {}, Origin::catalog);
  cpu.pcie_lanes = Value<std::int64_t>(80, {}, Origin::catalog);
  s.cpu_count = 2;
  EXPECT_EQ(lane_budget(s).usable, 80);
  EXPECT_EQ(lane_budget(s).between, 0);
}

TEST(Pcie, WhatTheNetworksAskOfAnAdapter) {
  Resolved r;
  r.example("superpod");
  const Cluster& c = *r.cluster;
  const int gpu = c.find_node_group("gpu");
  const ServerModel& s = c.nodes[static_cast<std::size_t>(gpu)].server;
  for (std::size_t set = 0; set < s.nics.size(); ++set) {
    const NicDemand d = nic_demand(c, gpu, static_cast<int>(set));
    // compute: 400 Gb/s on its one port; slot cards: 400 Gb/s of storage and 100 Gb/s in band, each on one of the two
    // ports
    EXPECT_DOUBLE_EQ(d.all.value, s.nics[set].name == "compute" ? 400e9 : 500e9);
    EXPECT_DOUBLE_EQ(d.fastest.value, 400e9);
  }
}

}  // namespace
}  // namespace clusterc
