// Collectives in teams, on three nodes that are one machine: each of Open MPI's daemons is started in a UTS namespace,
// with a host name of its own.
#include <map>
#include <set>

#include "unit/validators/program_run.h"

namespace clusterc {
namespace {
using namespace program_run;

class TeamsOfNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run({"unshare", "--uts", "true"}).status != 0) GTEST_SKIP() << "no UTS namespaces here";
    agent_ = fs::temp_directory_path() / ("clusterc-rsh-" + std::to_string(getpid()));
    std::ofstream(agent_) << "#!/bin/bash\nhost=$1; shift\nexec unshare --uts bash -c 'hostname \"$0\"; exec bash -c "
                             "\"$1\"' \"$host\" \"$*\"\n";
    fs::permissions(agent_, fs::perms::owner_all);
  }
  void TearDown() override { fs::remove(agent_); }
  Result six_ranks(const std::string& program_path, const char* teams, const char* hosts = "ha:2,hb:2,hc:2") const {
    return run({"mpirun",
                "--oversubscribe",
                "--mca",
                "plm_rsh_agent",
                agent_,
                "--mca",
                "btl",
                "tcp,self",
                "--mca",
                "btl_tcp_if_include",
                "lo",
                "--mca",
                "oob_tcp_if_include",
                "lo",
                "--host",
                hosts,
                "-n",
                "6",
                program_path,
                "--teams",
                teams,
                "--collectives",
                "all_reduce,sendrecv",
                "--size",
                "1KiB",
                "--placements",
                "out-of-place",
                "--iterations",
                "3",
                "--warmup",
                "1",
                "--allow-busy"});
  }
  // Team -> ranks and nodes of its records.
  static std::map<std::string, std::pair<int, int>> teams_of(const Result& result) {
    std::map<std::string, std::pair<int, int>> out;
    for (const json& r : result.records)
      if (r.value("record", "") == "measurement")
        out[r["parameters"].value("team", "")] = {r["parameters"]["ranks"].get<int>(),
                                                  r["parameters"]["nodes"].get<int>()};
    return out;
  }
  using Wanted = std::map<std::string, std::pair<int, int>>;
  fs::path agent_;
};

TEST_F(TeamsOfNodes, EachHasItsOwnFigures) {
  const Result inside = six_ranks(program("nccl"), "1");
  expect_measured(inside, 2 * 3 * 3);  // two collectives, three figures, three teams
  EXPECT_EQ(teams_of(inside), (Wanted{{"ha", {2, 1}}, {"hb", {2, 1}}, {"hc", {2, 1}}}));
  // Bus bandwidth of two ranks: 2 (2-1)/2 = 1 x bytes / time, whatever the number of ranks in the job.
  std::map<std::string, double> seconds, bus;
  for (const json& r : inside.records) {
    if (r.value("metric", "") == "nccl.all_reduce.time") seconds[r["parameters"]["team"]] = r["quantiles"]["p50"];
    if (r.value("metric", "") == "nccl.all_reduce.busbw") bus[r["parameters"]["team"]] = r["quantiles"]["p50"];
  }
  for (const auto& [team, value] : bus) EXPECT_NEAR(value * seconds[team], 1024, 1024 * 0.01) << team;
}

TEST_F(TeamsOfNodes, RailsPairsAndAll) {
  EXPECT_EQ(teams_of(six_ranks(program("nccl"), "rail")), (Wanted{{"rail 0", {3, 3}}, {"rail 1", {3, 3}}}));
  EXPECT_EQ(teams_of(six_ranks(program("nccl"), "2")), (Wanted{{"ha,hb", {4, 2}}, {"hc", {2, 1}}}));
  EXPECT_EQ(teams_of(six_ranks(program("nccl"), "all")), (Wanted{{"", {6, 3}}}));
}

TEST_F(TeamsOfNodes, ATeamOfOneRankIsSaidAndWrongDataIsFoundInEach) {
  const Result alone = six_ranks(program("nccl"), "1", "ha:1,hb:1,hc:4");
  ASSERT_NE(first_end(alone), nullptr) << alone.text;
  EXPECT_EQ((*first_end(alone))["status"], "not applicable") << alone.text;
  expect_wrong_data(six_ranks(kFaulty + "/clusterc-nccl-faulty", "1"), 2 * 3 * 3);
}

TEST(Teams, OtherWordsAreAUsageError) {
  for (const char* word : {"some", "0", "-1", "rails", "2 nodes"})
    EXPECT_EQ(run({program("nccl"), "--teams", word}).status, 2) << word;
}

}  // namespace
}  // namespace clusterc
