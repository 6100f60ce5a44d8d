#include "spec/network.h"
#include "spec/software.h"
#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

class EveryExample : public testing::TestWithParam<const char*> {};
TEST_P(EveryExample, ResolvesWithoutAFinding) {
  Resolved r;
  r.example(GetParam());
  EXPECT_EQ(r.told(), "");
  for (const NetworkModel& n : r.cluster->networks) {
    EXPECT_GT(n.rate.value, 0) << n.name;
    EXPECT_FALSE(n.carries.empty()) << n.name;
    EXPECT_TRUE(n.everything || !n.ends.empty()) << n.name;
    for (const EndPoints& e : n.ends) {
      EXPECT_GT(e.members, 0) << n.name;
      EXPECT_GT(e.ports_each, 0) << n.name;
      EXPECT_GT(e.rate.value, 0) << n.name;
      EXPECT_GE(e.built_for, e.members) << n.name;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Examples, EveryExample,
                         testing::Values("campus", "cloud", "four-virtual", "lab", "nvl72", "roce-16384", "superpod"),
                         [](const auto& example) {
                           std::string s = example.param;
                           for (char& c : s)
                             if (c == '-') c = '_';
                           return s;
                         });

TEST(Resolve, SuperpodIsWhatItsFileSays) {
  Resolved r;
  r.example("superpod");
  const Cluster& c = *r.cluster;
  EXPECT_TRUE(c.own_site);
  EXPECT_EQ(c.continuous_factor, 0.80);
  EXPECT_EQ(c.node_count, 127 + 2 + 2 + 4);
  EXPECT_EQ(c.rack_count, 32 + 6);
  EXPECT_EQ(c.node_name(0), "gpu001");
  EXPECT_EQ(c.node_name(126), "gpu127");
  EXPECT_EQ(c.node_name(127), "head1");
  EXPECT_EQ(c.rack_name(32), "m1");
  EXPECT_EQ(c.rack_group_of(31), 0);
  EXPECT_EQ(c.rack_group_of(32), 1);
  EXPECT_EQ(c.rack_group_of(38), -1);
  ASSERT_EQ(c.feeds.size(), 3u);
  EXPECT_EQ(c.feeds[0].capacity->value, 1.6e6);
  EXPECT_NE(c.feeds[0].ups, nullptr);
  EXPECT_EQ(c.feeds[2].ups, nullptr);
  // (15 - 2 spare) x 160 kW
  EXPECT_DOUBLE_EQ(c.zones[0].heat->value, 13 * 160e3);
  EXPECT_NEAR(c.zones[0].airflow->value / kCubicMetersPerSecondPerCfm, 13 * 24000.0, 1e-6);
  ASSERT_EQ(c.racks[0].pdus.size(), 3u);
  EXPECT_EQ(c.racks[0].pdus[2].feed, 2);

  const NodeGroupModel& gpu = r.group("gpu");
  EXPECT_TRUE(gpu.computes);
  EXPECT_FALSE(r.group("head").computes);
  EXPECT_EQ(gpu.server.gpu_count, 8);
  EXPECT_EQ(gpu.server.cores, 2 * 56);        // Xeon 8480: 56 cores
  EXPECT_EQ(gpu.server.power->value, 10200);  // DGX H100: 10.2 kW
  EXPECT_EQ(gpu.server.power.origin, Origin::catalog);
  EXPECT_DOUBLE_EQ(gpu.server.memory->value, 32.0 * 64 * 1024 * 1024 * 1024);

  const NetworkModel& compute = r.network("compute");
  ASSERT_EQ(compute.ends.size(), 2u);
  EXPECT_EQ(compute.ends[0].ports_each, 8);
  EXPECT_EQ(compute.ends[0].built_for, 128);
  EXPECT_EQ(compute.ends[1].ports_each, 1);
  EXPECT_EQ(compute.spec->rails.value, 8);  // filled in: compute ports of one node
  EXPECT_EQ(compute.spec->rails.origin, Origin::derived);
  EXPECT_TRUE(compute.carries_traffic(Traffic::compute));
  EXPECT_EQ(compute.spec->carries.at(0).origin, Origin::derived);
  const NetworkModel& storage = r.network("storage");
  ASSERT_EQ(storage.ends.size(), 2u);
  EXPECT_EQ(storage.ends[0].ports_each, 2);  // port 1 of two adapters
  EXPECT_EQ(storage.ends[1].storage, 0);
  EXPECT_EQ(storage.ends[1].members, 8);
  EXPECT_EQ(storage.ends[1].ports_each, 8);  // DDN AI400X2: 8 x 200 Gb/s
  EXPECT_EQ(storage.ends[1].rate.value, 200e9);
  EXPECT_TRUE(r.network("oob").everything);
  EXPECT_EQ(c.first_network_carrying(Traffic::oob), c.find_network("oob"));
  EXPECT_EQ(r.network("inband").ends[3].ports_each, 1);  // fm: data is 1 x cx6-vpi-200 with one port
  EXPECT_EQ(c.spec.software->scheduler->controllers.value, "head[1-2]");
  ASSERT_EQ(c.spec.software->scheduler->schedules.size(), 1u);
  EXPECT_EQ(c.spec.software->scheduler->schedules[0].value, "gpu");
  EXPECT_EQ(c.spec.software->scheduler->topology.value, TopologyPlugin::tree);
}

TEST(Resolve, LabFeedsComeFromTheirBreakers) {
  Resolved r;
  r.example("lab");
  // Three phases, IEC: sqrt(3) x 400 V x 32 A x 1.00 = 22,170.25 VA
  EXPECT_NEAR(r.cluster->feeds[0].capacity->value, 22170.25, 0.01);
  EXPECT_EQ(r.cluster->feeds[0].capacity.origin, Origin::derived);
  EXPECT_TRUE(r.cluster->zones[0].airflow.unknown);
  EXPECT_EQ(r.cluster->zones[0].airflow.source, "the room has no flow meter");
  const ServerModel& s = r.group("gpu").server;
  EXPECT_EQ(s.id, "generic-2u-pcie4");
  EXPECT_EQ(s.part.drives.size(), 2u);
  EXPECT_EQ(*s.part.drives.find("scratch")->value.count, 1);
  EXPECT_EQ(r.cluster->spec.software->scheduler->controllers.origin, Origin::spec);
}

// generic-2u-pcie4 is 2,795 W with 4 x 350 W of L40S, 2 x 280 W of EPYC 9354, 24 modules and 2 drives.
TEST(Resolve, PowerFollowsThePartsThatAGroupIsFittedWith) {
  Resolved r;
  const std::string fit =
      "like: generic-2u-pcie4, cpus: 2 x epyc-9575f, gpus: 4 x nvidia-h100-nvl-94, memory: 24 x 32 GiB, drives: { "
      "scratch: 1 x 7.68 TB nvme }";
  r.text("clusterc: 1\nname: c\nsite: { kind: cloud, provider: local }\nnodes:\n  a: { names: a1, server: { " + fit +
         " } }\n  b: { names: b1, server: { " + fit +
         ", power: 3247 W } }\n"
         "  c: { names: c1, model: generic-2u-pcie4, gpus: 2 x nvidia-l40s }\n  d: { names: d1, server: { like: "
         "generic-2u-pcie4 } }\n");
  // 4 x (400 - 350) + 2 x (400 - 280) + 1 x 20 = 460 W; x 1.12 / 0.94 = 548.09 W; 2,795 + 548.09
  EXPECT_NEAR(r.group("a").server.power->value, 3343.085, 0.001) << r.told();
  EXPECT_EQ(r.group("b").server.power->value, 3247);  // what is written wins
  EXPECT_EQ(r.group("b").server.power.origin, Origin::spec);
  EXPECT_NEAR(r.group("c").server.power->value, 1960.957, 0.001);  // 2,795 - 2 x 350 x 1.12 / 0.94
  EXPECT_EQ(r.group("d").server.power->value, 2795);
  EXPECT_EQ(r.group("d").server.power.origin, Origin::catalog);
}

TEST(Resolve, CampusFeedsAndGroupSoftware) {
  Resolved r;
  r.example("campus");
  // sqrt(3) x 400 V x 315 A = 218,238.40 VA, IEC: no factor
  EXPECT_NEAR(r.cluster->feeds[0].capacity->value, 218238.40, 0.01);
  EXPECT_EQ(r.group("v100").software->cuda->text(), "12.9");
  EXPECT_EQ(r.group("v100").software->kernel_modules.value, KernelModules::proprietary);
  EXPECT_EQ(r.group("v100").software->os.value, "rocky-9");
  EXPECT_FALSE(r.group("cpu").software->cuda);
  EXPECT_EQ(r.group("cpu").software->scheduler->version->text(), "1.33");
  EXPECT_EQ(r.group("cpu").software->arch.value, Arch::x86_64);
  EXPECT_EQ(r.group("cpu").server.cores, 2 * 96);     // 2 x EPYC 9654
  EXPECT_EQ(r.group("h100").server.nics.size(), 2u);  // the part's compute adapters replaced, data added
  EXPECT_EQ(r.group("h100").server.nics[0].model, "cx7-400-qsfp112");
  EXPECT_EQ(r.group("v100").server.gpu_model, "nvidia-v100-pcie-32");
  EXPECT_EQ(r.cluster->spec.software->scheduler->controllers.value, "k[1-3]");
  EXPECT_EQ(r.network("campus").ends[4].ports_each, 2);  // nfs: 2
  EXPECT_EQ(r.cluster->storage[0].nodes, r.cluster->find_node_group("nfs"));
  EXPECT_EQ(r.cluster->storage[0].count, 2);
  EXPECT_DOUBLE_EQ(r.cluster->zones[0].heat->value, 8 * 50e3);
}

// Whatever it is called: nobody lays rails for anything but GPUs. An Ethernet without rails and without a name of its
// own is the in-band network.
TEST(Resolve, RailsCarryCompute) {
  Resolved r;
  r.text(
      "clusterc: 1\nname: case\nsite: cloud\nnodes:\n  gpu: { names: \"n[1-2]\", model: nvidia-dgx-h100 }\nnetworks:\n"
      "  fast: { kind: ethernet, rdma: roce, rate: 400 Gb/s, topology: rail-optimised, connects: { gpu: { ports: "
      "compute } } }\n"
      "  lan: { kind: ethernet, rate: 100 Gb/s, connects: { gpu: 1 } }\n");
  ASSERT_TRUE(r.cluster);
  EXPECT_TRUE(r.network("fast").carries_traffic(Traffic::compute));
  EXPECT_FALSE(r.network("fast").carries_traffic(Traffic::inband));
  EXPECT_TRUE(r.network("lan").carries_traffic(Traffic::inband));
}

TEST(Resolve, AssembliesContinueTheRackNumbers) {
  Resolved r;
  r.example("nvl72");
  const Cluster& c = *r.cluster;
  EXPECT_EQ(c.rack_count, 4 + 8);
  EXPECT_EQ(c.rack_name(3), "m4");
  EXPECT_EQ(c.rack_name(4), "nvl1");
  EXPECT_EQ(c.rack_group_of(4), -1);
  EXPECT_EQ(c.assemblies[0].shelves, (std::vector<std::pair<int, std::int64_t>>{{0, 4}, {1, 4}}));
  EXPECT_EQ(r.group("gpu").assembly, 0);
  EXPECT_EQ(r.group("gpu").server.gpu_count, 4);
  EXPECT_EQ(r.group("gpu").software->arch.value, Arch::aarch64);
  const int loop = c.assemblies[0].liquid;
  ASSERT_GE(loop, 0);
  EXPECT_DOUBLE_EQ(c.zones[loop].heat->value, 1e6);  // (2 - 1 spare) x 1 MW
  EXPECT_FALSE(c.zones[loop].airflow);
  EXPECT_EQ(r.network("inband").ends[1].rate.value, 200e9);  // head: two adapters of 200 Gb/s
}

TEST(Resolve, CloudNodesMayHaveNoAdapterForTheProvidersNetwork) {
  Resolved r;
  r.example("cloud");
  EXPECT_FALSE(r.cluster->own_site);
  const NetworkModel& vpc = r.network("vpc");
  ASSERT_EQ(vpc.ends.size(), 2u);
  for (const EndPoints& e : vpc.ends) {
    EXPECT_EQ(e.ports, -1);
    EXPECT_EQ(e.ports_each, 1);
    EXPECT_EQ(e.rate.value, 10e9);
  }
  EXPECT_EQ(r.network("compute").ends[0].ports_each, 32);  // p5: 32 EFA devices of 100 Gb/s
  EXPECT_TRUE(r.group("gpu").server.instance);
  EXPECT_TRUE(r.group("head").server.virtual_machine);
  EXPECT_EQ(r.group("head").server.cores, 8);
}

}  // namespace
}  // namespace clusterc
