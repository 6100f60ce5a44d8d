#include "targets/checkpoint.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

// 405e9 x (2 + 3 x 4) B = 5.67 TB
TEST(Checkpoint, FourHundredBillionParametersAreSixTerabytes) {
  EXPECT_DOUBLE_EQ(checkpoint_bytes(405e9).value, 5.67e12);
}

}  // namespace
}  // namespace clusterc
