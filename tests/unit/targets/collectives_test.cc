// Ceilings and healthy rates of all-reduce, by hand from line rates and from the published results that each line
// names.
#include "targets/collectives.h"

#include <gtest/gtest.h>

#include "targets/targets.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

constexpr double kMi = 1024.0 * 1024;

CollectiveUnit unit(Resolved& e, const std::string& group, const std::string& network, const std::string& more = "") {
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
      "\"n[1-127]\", " +
      group + " }\nnetworks:\n  compute: { kind: infiniband, " + network +
      ", connects: { gpu: { ports: compute } } }\n" + more);
  EXPECT_TRUE(e.cluster) << e.told();
  return collective_unit(*e.cluster, e.cluster->nodes.front());
}

double ceiling(const std::vector<Algorithm>& all, std::string_view name) {
  for (const Algorithm& a : all)
    if (a.name == name) return a.ceiling / 1e9;
  return 0;
}

// Eight H100 with eight ports of 400 Gb/s: W = 450 GB/s, B = 8 x 50 x 0.98 = 392 GB/s.
TEST(Collectives, CeilingsOfEightH100) {
  Resolved e;
  const CollectiveUnit u = unit(e, "model: nvidia-dgx-h100", "rate: 400 Gb/s");
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 1), "NVLink SHARP"), 2 * 450 * 7.0 / 8 * 8 / 9, 0.01);  // 700
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 2), "hierarchical"), 735, 0.01);                        // 49 x 15/1
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 4), "hierarchical"), 506.33, 0.01);                     // 49 x 31/3
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 4), "tree"), 379.75, 0.01);                             // 392 x 31/32
  EXPECT_EQ(ceiling(all_reduce_algorithms(u, 2), "tree"), 0);  // on two nodes it is the hierarchical one
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 127), "ring"), 392, 0.01);
  EXPECT_EQ(all_reduce_algorithms(u, 127).front().name, "hierarchical");
  EXPECT_EQ(ceiling(all_reduce_algorithms(u, 127), "in-network reduction"), 0);  // only where the spec declares it
}

// Twelve nodes, 96 ranks: 392 x 2 x 95/96 = 775.8 GB/s; healthy with a chain inside the node: 0.868 x 450 x 95/96 =
// 386.5 (coreweave/nccl-tests: 386.6).
TEST(Collectives, InNetworkReduction) {
  Resolved e;
  const CollectiveUnit u = unit(e, "model: nvidia-dgx-h100", "rate: 400 Gb/s, sharp: true");
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 12), "in-network reduction"), 775.83, 0.01);
  EXPECT_NEAR(healthy_all_reduce(u, 12)->typical / 1e9, 386.5, 0.1);
  EXPECT_NEAR(*healthy_all_reduce(u, 12)->lowest / 1e9, 386.5, 0.1);
  EXPECT_EQ(healthy_all_reduce(u, 12)->basis, "single");
}

// Two nodes: NVLink limits with 400 Gb/s (0.987 x 477.4 = 471.2 GB/s, oracle-quickstart/oci-hpc), the ports with 200
// (0.925 x 367.5 = 339.9, NVIDIA/aicr: 340).
TEST(Collectives, TwoNodes) {
  Resolved a, b;
  EXPECT_NEAR(healthy_all_reduce(unit(a, "model: nvidia-dgx-h100", "rate: 400 Gb/s"), 2)->typical / 1e9, 471.2, 0.1);
  EXPECT_NEAR(healthy_all_reduce(unit(b, "model: nvidia-dgx-h100", "rate: 200 Gb/s"), 2)->typical / 1e9, 339.9, 0.1);
}

// NVL72: one rack 2 x 900 x 71/72 x 72/73 = 1,750.7 GB/s; two racks of 72: N = 2 x 900 x 143/144 x 72/73 = 1,763.0,
// above it what the ports would carry.
TEST(Collectives, DomainsOfSeveralNodes) {
  Resolved e;
  const CollectiveUnit u = unit(
      e,
      "server: { like: generic-2u, gpus: { count: 4, model: nvidia-gb200-gpu }, nics: { compute: 4 x cx7-ndr-osfp } }",
      "rate: 400 Gb/s", "nvlink: { rack: { nodes: [gpu], size: 72 } }\n");
  EXPECT_EQ(u.gpus, 72);
  EXPECT_EQ(u.nodes, 18);
  EXPECT_NEAR(all_reduce_algorithms(u, 1).front().ceiling / 1e9, 1750.7, 0.1);
  EXPECT_NEAR(ceiling(all_reduce_algorithms(u, 2), "hierarchical"), 1763.0, 0.1);
  EXPECT_NEAR(healthy_all_reduce(u, 1)->typical / 1e9, 840.7, 0.01);  // coreweave/nccl-tests, one rack
}

// What was measured on boards of eight NVIDIA GPUs is no measurement of others: four superchips wired to each other
// have no switch that adds up (W x (n-1)/n x g/(g-1) is W at n = g), and eight MI300X with the same ports are judged by
// transferred shares.
TEST(Collectives, OtherHardwareIsNotTakenForMeasured) {
  Resolved a, b, c;
  const CollectiveUnit superchips = unit(
      a,
      "server: { like: generic-2u, gpus: { count: 4, model: nvidia-gb200-gpu }, nics: { compute: 4 x cx7-ndr-osfp } }",
      "rate: 400 Gb/s");
  EXPECT_EQ(ceiling(all_reduce_algorithms(superchips, 1), "NVLink SHARP"), 0);
  EXPECT_FALSE(superchips.sharp);
  const CollectiveUnit instinct =
      unit(b, "model: supermicro-8125gs-tnmr2, nics: { compute: 8 x cx7-ndr-osfp }", "rate: 400 Gb/s");
  ASSERT_TRUE(healthy_all_reduce(instinct, 16));
  EXPECT_EQ(healthy_all_reduce(instinct, 16)->basis, "transferred");
  EXPECT_EQ(healthy_all_reduce(unit(c, "model: nvidia-dgx-h100", "rate: 400 Gb/s"), 16)->basis, "measured");
}

// Eight cards, bridged in pairs: a ring of all of them passes over PCIe 5 x16, 63.0 x 256/276 = 58.45 GB/s; no
// published figure, so nothing to judge by.
TEST(Collectives, BridgedCardsAreNotAllJoined) {
  Resolved e;
  const CollectiveUnit u = unit(e,
                                "server: { like: generic-2u, gpus: { count: 8, model: nvidia-h100-pcie-80 }, "
                                "nvlink_bridge: 2, nics: { compute: 8 x cx7-ndr-osfp } }",
                                "rate: 400 Gb/s");
  EXPECT_FALSE(u.nvlink);
  EXPECT_FALSE(u.joined_all);
  EXPECT_EQ(all_reduce_algorithms(u, 1).front().name, "ring");
  EXPECT_NEAR(all_reduce_algorithms(u, 1).front().ceiling / 1e9, 58.45, 0.01);
  for (const ExpectedFigure& f : expect_figures(*e.cluster, plan_cluster(*e.cluster)).figures)
    if (f.test == "nccl.all_reduce.busbw" && f.scope == "node") {
      EXPECT_FALSE(f.floor.value || f.typical.value);
    }
}

// 8 x H100: what Azure/AI-benchmarking-guide has at each size comes out again, but for the plateau (477.4 GB/s of two
// publications, 478.9 in that one).
TEST(Collectives, BySize) {
  Resolved e;
  const CollectiveUnit u = unit(e, "model: nvidia-dgx-h100", "rate: 400 Gb/s");
  const auto again = [](double published, double own, double plateau) {
    return 1 / (1 / published - 1 / own + 1 / plateau);
  };  // the same latency over another plateau
  EXPECT_NEAR(all_reduce_rate(u, 1, Bytes(kMi))->value / 1e9, again(43.7, 478.9, 477.4), 0.001);
  EXPECT_NEAR(all_reduce_rate(u, 1, Bytes(kMi))->value / 1e9, 43.7, 0.02);
  EXPECT_NEAR(all_reduce_rate(u, 1, Bytes(128 * kMi))->value / 1e9, 401, 1.2);
  EXPECT_DOUBLE_EQ(*share_of_plateau(u, 1, Bytes(8192 * kMi)), 1);
  // Below the curve latency alone: 1.75 x 32 KiB x (1/1.71 - 1/478.9) = 33.4 us, whatever the size.
  EXPECT_NEAR(all_reduce_time(u, 1, Bytes(1024))->value, 33.4e-6, 0.1e-6);
  // Four nodes of B200 at 1 GiB: 362 of 382 (stas00/ml-engineering); the median of three publications is 0.893 of the
  // ring.
  EXPECT_NEAR(all_reduce_rate(u, 4, Bytes(1024 * kMi))->value / 1e9, again(362, 382, 0.893 * 392), 0.01);
  EXPECT_NEAR(*share_of_plateau(u, 4, Bytes(1024 * kMi)), again(362, 382, 0.893 * 392) / (0.893 * 392), 1e-6);
  // 64 nodes: four doublings more, 8 hops of 5 us.
  const double four = all_reduce_time(u, 4, Bytes(kMi))->value - 2 * kMi * 31 / 32 / 0.893 / 392e9,
               sixty_four = all_reduce_time(u, 64, Bytes(kMi))->value - 2 * kMi * 511 / 512 / 0.893 / 392e9;
  EXPECT_NEAR(sixty_four - four, 8 * 5e-6, 1e-9);
}

// Latency is no share of bandwidth. 1 MiB on the curve's four nodes: 2 x 31/32 x 1 MiB x (1/5.4 - 1/382 GB/s) = 370.9
// us. Two nodes of one GPU have fewer hops in NCCL's tuner, 6.8 + 2 x 5 = 16.8 us of 6.8 + 2 x (7 x 0.6 + 2 x 5)
// = 35.2: 177.0 us; the wire takes 1 MiB / (0.925 x 12.25 GB/s) = 92.5 us at 100 Gb/s, 23.1 us at 400. Two nodes of one
// H100 with four ports of 400 Gb/s need 93 to 113 us for 2 MiB (NVIDIA/nccl-tests issue 232), so the latency is no
// lower bound.
TEST(Collectives, LatencyDoesNotGrowAsBandwidthShrinks) {
  const auto two = [](const std::string& rate) {
    Resolved e;
    return *all_reduce_time(
        unit(e, "server: { like: generic-2u-pcie4, gpus: 1 x nvidia-l40s, nics: { compute: 1 x cx7-ndr-osfp } }",
             "rate: " + rate),
        2, Bytes(kMi));
  };
  EXPECT_NEAR(two("100 Gb/s").value, 177.0e-6 + 92.5e-6, 0.2e-6);
  EXPECT_NEAR(two("400 Gb/s").value, 177.0e-6 + 23.1e-6, 0.2e-6);
}

// Two cards over PCIe 4 x16: eight A100 lose 1.75 x 1 MiB x (1/36.2 - 1/231.6 GB/s) = 42.8 us at 1 MiB; of their 6.8 +
// 2 x 7 x 0.6 = 15.2 us two cards have 6.8 + 2 x 1.0 = 8.8: 24.8 us; 1 MiB / (0.8 x 29.22 GB/s) = 44.9 us beside it.
TEST(Collectives, LatencyOverPcie) {
  Resolved e;
  const CollectiveUnit u =
      unit(e, "server: { like: generic-2u-pcie4, gpus: 2 x nvidia-l40s, nics: { compute: 1 x cx7-ndr-osfp } }",
           "rate: 400 Gb/s");
  EXPECT_NEAR(all_reduce_time(u, 1, Bytes(kMi))->value, 24.8e-6 + 44.9e-6, 0.2e-6);
  EXPECT_NEAR(all_reduce_time_inside(u, 2, Bytes(kMi))->value, 24.8e-6 + 44.9e-6, 0.2e-6);
}

// Twelve nodes of H100, in-network: 365.9 GB/s at 1 GiB where 8 GiB have 386.6 (coreweave/nccl-tests): 2 x 95/96 x 1
// GiB x (1/365.9 - 1/386.6) = 311 us of latency; here 301 of the curve's four nodes and 2 x log2(3) hops of 5 us.
TEST(Collectives, LatencyOfTwelveNodesAsPublished) {
  Resolved e;
  const CollectiveUnit u = unit(e, "model: nvidia-dgx-h100", "rate: 400 Gb/s, sharp: true");
  const double bytes = 1024 * kMi, published = 2 * bytes * 95 / 96 * (1 / 365.9e9 - 1 / 386.6e9);
  EXPECT_NEAR(published, 311e-6, 1e-6);
  EXPECT_NEAR(all_reduce_time(u, 12, Bytes(bytes))->value - 2 * bytes * 95 / 96 / healthy_all_reduce(u, 12)->typical,
              published, 0.03 * published);
}

}  // namespace
}  // namespace clusterc
