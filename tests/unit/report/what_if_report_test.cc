#include "report/what_if_report.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {
using Names = std::vector<std::string>;

TEST(FoldObjects, WhatIsBehindAndWhatIsBefore) {
  EXPECT_EQ(fold_objects({"pdu/r01/a", "pdu/r01/b", "pdu/r02/a", "pdu/r02/b"}), Names{"pdu/r[01-02]/{a,b}"});
  EXPECT_EQ(fold_objects({"leaf/compute/u1/r1", "leaf/compute/u1/r2", "leaf/compute/u2/r1", "leaf/compute/u2/r2",
                          "leaf/oob/01"}),
            (Names{"leaf/compute/u[1-2]/r[1-2]", "leaf/oob/01"}));
  EXPECT_EQ(fold_objects({"leaf/a/01", "leaf/a/02", "leaf/b/01"}), (Names{"leaf/a/[01-02]", "leaf/b/01"}));
  EXPECT_EQ(fold_objects({"feed/A", "feed/B"}), Names{"feed/{A,B}"});
  EXPECT_EQ(fold_objects({"psu/node/gpu/01/1", "psu/node/gpu/01/2"}), Names{"psu/node/gpu/01/[1-2]"});
  EXPECT_EQ(fold_objects({"rack1", "rack2"}), Names{"rack[1-2]"});
}

}  // namespace
}  // namespace clusterc
