#include "model/nvlink.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

TEST(Nvlink, AnNvl72IsEighteenTraysOfFour) {
  Resolved r;
  r.example("nvl72");
  const NodeGroupModel& g = r.group("gpu");
  EXPECT_EQ(nvlink_domain_gpus(*r.cluster, g), 72);
  EXPECT_EQ(nvlink_domain_nodes(*r.cluster, g), 18);  // 72 / 4
  EXPECT_EQ(nvlink_block_size(*r.cluster, g), 18);
  EXPECT_EQ(nvlink_domain_nodes(*r.cluster, r.group("head")), 0);
}

TEST(Nvlink, SparesAreSpreadOverTheDomains) {
  Resolved r;
  r.text(R"(
clusterc: 1
name: case
site: cloud
nodes:
  gpu: { names: "g[01-16]", model: nvidia-dgx-h100, spares: 3 }
nvlink:
  pods: { nodes: [gpu], size: 64 }
)");
  EXPECT_EQ(nvlink_domain_nodes(*r.cluster, r.group("gpu")), 8);
  EXPECT_EQ(nvlink_block_size(*r.cluster, r.group("gpu")), 6);  // 8 - 3 / 2 rounded up
}

// Data sheets: H100 SXM eighteen links, A100 SXM twelve, a bridged H100 PCIe twelve (three bridges of four), B200
// eighteen of 50 GB/s.
TEST(Nvlink, LinksOfAGpuAreCounted) {
  const auto links = [](const std::string& server) {
    Resolved r;
    r.text(
        "clusterc: 1\nname: case\nsite: cloud\nnodes:\n  gpu: { names: \"g[1-2]\", server: { like: generic-2u-pcie4, " +
        server + " } }\n");
    if (!r.cluster) return r.told();
    const ServerModel& s = r.group("gpu").server;
    return std::string(has_nvlink_pairs(s) ? "joined " : "apart ") + std::to_string(nvlinks_of_gpu(s).value_or(0));
  };
  EXPECT_EQ(links("gpus: 8 x nvidia-h100-sxm5-80"), "joined 18");
  EXPECT_EQ(links("gpus: 4 x nvidia-a100-sxm4-80"), "joined 12");
  EXPECT_EQ(links("gpus: 8 x nvidia-b200-sxm-180"), "joined 18");
  EXPECT_EQ(links("gpus: 4 x nvidia-h100-pcie-80, nvlink_bridge: 2"), "joined 12");
  EXPECT_EQ(links("gpus: 4 x nvidia-h100-pcie-80"), "apart 12");
  EXPECT_EQ(links("gpus: 1 x nvidia-h100-sxm5-80"), "apart 18");
  EXPECT_EQ(links("gpus: 4 x nvidia-l40s"), "apart 0");
  EXPECT_EQ(links("gpus: 8 x amd-mi300x"), "apart 0");  // its links are no NVLinks
}

}  // namespace
}  // namespace clusterc
