#include "model/nvlink.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

TEST(Nvlink, AnNvl72IsEighteenTraysOfFour) {
  Resolved r;
  r.example("nvl72");
  const NodeGroupModel& g = r.group("gpu");
  EXPECT_EQ(nvlink_domain_gpus(*r.cluster, g), 72);
  EXPECT_EQ(nvlink_domain_nodes(*r.cluster, g), 18);       // 72 / 4
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
  EXPECT_EQ(nvlink_block_size(*r.cluster, r.group("gpu")), 6);   // 8 - 3 / 2 rounded up
}

}  // namespace
}  // namespace clusterc
