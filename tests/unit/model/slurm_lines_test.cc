#include "model/slurm_lines.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

std::string shown(std::string_view text) {
  const SlurmLine line = read_slurm_line(text, {});
  std::string out;
  for (const auto& [key, value] : line.pairs) out += key + "=[" + value + "] ";
  return out + (line.rest.empty() ? "" : "| " + line.rest);
}

// What Slurm 22.05 says of the same lines ("Parse error", and from where on) is asked by tests/consumers/slurm.sh.
TEST(SlurmLines, AreReadAsSlurmReadsThem) {
  EXPECT_EQ(shown("PartitionName=p Nodes=n[1-2]"), "partitionname=[p] nodes=[n[1-2]] ");
  EXPECT_EQ(shown("PartitionName = p\tNodes= n1"), "partitionname=[p] nodes=[n1] ");
  EXPECT_EQ(shown("NodeName=a Reason=\"a b\" # why"), "nodename=[a] reason=[a b] ");
  EXPECT_EQ(shown("PartitionName=p Nodes=\"\""), "partitionname=[p] nodes=[] ");
  EXPECT_EQ(shown("SchedulerParameters+=bf_continue,x=1"), "schedulerparameters=[bf_continue,x=1] ");
  EXPECT_EQ(shown("NodeName=a Reason=a\\#b"), "nodename=[a] reason=[a\\#b] ");
  EXPECT_EQ(shown("NodeName=a Reason=\"a#b\""), "nodename=[a] reason=[\"a] ");
  EXPECT_EQ(shown("PartitionName=p Nodes="), "partitionname=[p] | Nodes=");
  EXPECT_EQ(shown("PartitionName=p Nodes=n1, n2"), "partitionname=[p] nodes=[n1,] | n2");
  EXPECT_EQ(shown("NodeName=a Reason=\"a b"), "nodename=[a] reason=[\"a] | b");
  EXPECT_EQ(shown("NodeName=a Reason=\"a b\"c"), "nodename=[a] reason=[\"a] | b\"c");
  EXPECT_EQ(shown("=p"), "| =p");
  EXPECT_EQ(shown(""), "");
  const SlurmLine twice = read_slurm_line("Nodes=n1 nodes=n7", {});
  ASSERT_NE(twice.value("nodes"), nullptr);
  EXPECT_EQ(*twice.value("nodes"), "n7");  // "specified more than once, latest value used"
}

}  // namespace
}  // namespace clusterc
