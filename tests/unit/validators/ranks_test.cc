// What the ranks of a node know of each other: which GPU each takes, and who is behind.
#include "harness/ranks.h"

#include <gtest/gtest.h>

#include "skipping.h"
#include "unit/validators/program_run.h"

namespace clusterc::harness {
namespace {
using Visible = std::vector<std::vector<std::string>>;

std::vector<int> gpus_of(const Visible& visible) {
  std::vector<int> out;
  for (const GpuChoice& choice : share_gpus(visible)) out.push_back(choice.gpu);
  return out;
}
std::vector<int> ranks_of(const Visible& visible) {
  std::vector<int> out;
  for (const GpuChoice& choice : share_gpus(visible)) out.push_back(choice.ranks);
  return out;
}

// srun --gpus-per-task=1: each rank calls its GPU 0, and they are two.
TEST(SharesOfGpus, RanksThatSeeOneGpuEachShareNone) {
  EXPECT_EQ(gpus_of({{"GPU-a"}, {"GPU-b"}}), (std::vector<int>{0, 0}));
  EXPECT_EQ(ranks_of({{"GPU-a"}, {"GPU-b"}}), (std::vector<int>{1, 1}));
}

TEST(SharesOfGpus, RanksThatSeeAllTakeThemInTurn) {
  const std::vector<std::string> all = {"GPU-a", "GPU-b", "GPU-c"};
  EXPECT_EQ(gpus_of({all, all, all}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ranks_of({all, all, all}), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(gpus_of({all, all, all, all}), (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(ranks_of({all, all, all, all}), (std::vector<int>{2, 1, 1, 2}));
}

TEST(SharesOfGpus, OneGpuForAllIsShared) { EXPECT_EQ(ranks_of({{"GPU-a"}, {"GPU-a"}}), (std::vector<int>{2, 2})); }

// Ranks 0 and 2 see one half of the node, 1 and 3 the other. A rank with no choice goes before one that has it.
TEST(SharesOfGpus, HalvesOfANodeAreDividedAmongThoseThatSeeThem) {
  const std::vector<std::string> left = {"GPU-a", "GPU-b"}, right = {"GPU-c", "GPU-d"};
  EXPECT_EQ(gpus_of({left, right, left, right}), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(gpus_of({{"GPU-a", "GPU-b"}, {"GPU-a"}}), (std::vector<int>{1, 0}));
  EXPECT_EQ(ranks_of({{"GPU-a", "GPU-b"}, {"GPU-a"}}), (std::vector<int>{1, 1}));
}

TEST(Behind, RanksWithFewerBeatsAreNamed) {
  const auto behind = [](const std::vector<RankPlace>& places) { return ranks_behind(places); };
  EXPECT_EQ(behind({}), "");
  EXPECT_EQ(behind({{0, 7, "a"}, {1, 7, "a"}}), "");
  EXPECT_EQ(behind({{0, 8, "the next one"}, {1, 7, "all_reduce of 8 B"}, {2, 8, "the next one"}}),
            "rank 1 is behind: all_reduce of 8 B");
  EXPECT_EQ(behind({{4, 3, "here"}, {5, 9, "there"}, {6, 3, "here"}}), "ranks 4, 6 are behind: here");
}

}  // namespace
}  // namespace clusterc::harness

namespace clusterc {
namespace {
using namespace program_run;

// A rank that lives, is not stopped, and never comes to the barrier: an MPI_Barrier of its own that waits for ever.
TEST(RanksFault, ARankThatDoesNotComeIsNamed) {
  if (!fs::exists(program("nccl"))) CLUSTERC_MISSING("clusterc-nccl is not built: no MPI was found");
  for (const char* rank : {"0", "2"}) {
    setenv("FAKE_MPI_STALLS", rank, 1);
    const Result result = run({"mpirun", "--oversubscribe", "-x", std::string("LD_PRELOAD=") + CLUSTERC_FAKE_MPI, "-n",
                               "3", program("nccl"), "--size", "1KiB", "--collectives", "all_reduce", "--iterations",
                               "50", "--timeout", "3", "--allow-busy"});
    unsetenv("FAKE_MPI_STALLS");
    EXPECT_EQ(result.status, 2);
    const json* end = first_end(result);
    ASSERT_NE(end, nullptr) << result.text;
    EXPECT_EQ((*end)["reason"], "timeout");
    const std::string detail = (*end)["detail"];
    EXPECT_NE(detail.find(std::string(" rank ") + rank + " is behind: all_reduce of 1 KiB"), std::string::npos)
        << detail;
  }
}

}  // namespace
}  // namespace clusterc
