#include "model/power_cap.h"

#include <gtest/gtest.h>

#include "unit/model/examples.h"

namespace clusterc {
namespace {

// A group `gpu` of two servers of eight H100 PCIe (350 W, lowest limit 300 W) whose figures the test gives.
struct Capped : Resolved {
  const NodeGroupModel& with(const std::string& keys) {
    text(R"(clusterc: 1
rules: 2026.11
name: capped
site: { kind: cloud, provider: local }
nodes:
  gpu:
    names: "n[1-2]"
)" + keys + R"(
    server:
      like: generic-4u-pcie8
      power: 5 kW
      power_idle: 900 W
      psus: { count: 4, power: 3 kW, inlet: c20, efficiency: 96 % }
      gpus: 8 x nvidia-h100-pcie-80
)");
    return cluster->nodes.at(0);
  }
};

TEST(PowerCap, LeastPowerIsTheHighestOfWhatIsKnown) {
  Capped c;
  const NodeGroupModel& g = c.with("    power_cap: 4 kW");
  // 8 x 300 W / 0.96 = 2,500 W at the wall, above 900 W of idling.
  const auto least = least_power(g.server);
  ASSERT_TRUE(least);
  EXPECT_NEAR(least->watts.value, 2500, 1e-6);
  EXPECT_FALSE(least->confirmed);                          // the board's lowest limit is not
  EXPECT_EQ(*g.server.power, Watts(4000));
  EXPECT_EQ(*uncapped_power(g.server), Watts(5000));
}

TEST(PowerCap, OnlyACapBelowWhatThePartsTakeSlows) {
  Capped c;
  EXPECT_EQ(slowed_by(c.with("    power_cap: 5 kW")), "");
  // At work 8 x 350 W of GPUs alone are 2,800 W; a node cannot take more than its highest, 5 kW.
  const NodeGroupModel& g = c.with("    power_cap: 2600 W");
  EXPECT_GT(*working_power(g.server), Watts(2800));
  EXPECT_LE(*working_power(g.server), Watts(5000));
  EXPECT_NE(slowed_by(g).find("`power_cap` 2.6 kW, its parts take "), std::string::npos) << slowed_by(g);
}

TEST(PowerCap, ALimitOfTheBoardsSlowsToo) {
  Capped c;
  EXPECT_EQ(slowed_by(c.with("    gpu_power_limit: 350 W")), "");
  EXPECT_EQ(slowed_by(c.with("    gpu_power_limit: 310 W")), "`gpu_power_limit` 310 W, as shipped 'nvidia-h100-pcie-80' takes 350 W");
}

}  // namespace
}  // namespace clusterc
