#include "model/availability.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Availability, AThousandGpusHaveOneAndAHalfNodesInRepair) {
  // 419 / 16,384 / 54 x 365 = 0.17286 a year; 1,024 x 0.17286 x 3 / 365 = 1.4549; + 1.64 x 1.2062 = 3.433
  EXPECT_NEAR(kInterruptionsPerGpuYear, 0.17286, 1e-5);
  EXPECT_NEAR(nodes_in_repair(1024), 1.4549, 1e-4);
  EXPECT_EQ(spares_wanted(1024), 4);
}

TEST(Availability, NoGpusWantNoSpares) { EXPECT_EQ(spares_wanted(0), 0); }

}  // namespace
}  // namespace clusterc
