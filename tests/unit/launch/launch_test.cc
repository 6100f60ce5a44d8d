// The launchers against programs of a made-up PATH: what they print is what srun and sinfo print.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launch/launcher.h"

namespace clusterc {
namespace {

class Programs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("clusterc-launch-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    old_path = std::getenv("PATH");
    ::setenv("PATH", (folder.string() + ":" + old_path).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", old_path.c_str(), 1);
    std::filesystem::remove_all(folder);
  }
  void program(const char* name, const std::string& body) {
    std::ofstream(folder / name) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  std::filesystem::path folder;
  std::string old_path;
};

TEST_F(Programs, SlurmStatesCarryTheReason) {
  program("sinfo", "printf 'n1|idle|none\\nn2|drained|fan (left)\\nn3|idle*|none\\nn1|idle|none\\n'");
  const std::vector<std::string> nodes{"n1", "n2", "n3", "n9"};
  const auto states = make_slurm_launcher()->states(nodes);
  EXPECT_TRUE(states[0].usable);
  EXPECT_EQ(states[0].why, "");
  EXPECT_FALSE(states[1].usable);
  EXPECT_EQ(states[1].why, "drained (fan (left))");
  EXPECT_FALSE(states[2].usable);  // '*': it does not answer
  EXPECT_EQ(states[3].why, "unknown to Slurm");
}

TEST_F(Programs, SlurmPutsCutLinesTogetherAndTasksOnTheirNodes) {
  // Task 0 is on n2: Slurm's order is not ours. A line of 2,500 bytes comes in pieces of 1,024, with another task's
  // line between.
  program("srun", R"sh(echo '1: node n1'; echo '0: node n2'
x() { head -c $1 /dev/zero | tr '\0' $2; }
echo "0: $(x 1024 a)"; echo '1: short'; echo "0: $(x 1024 b)"; echo "0: $(x 452 c)"; echo '0: last'
echo '2: node n3'; echo '2: sh: 1: exec: /no/program: not found' >&2; echo "$@" > )sh" +
                      (folder / "arguments").string() + "\n");
  Launch launch{.argv = {"/v/x", "--a"}, .nodes = {"n1", "n2", "n3"}, .gpus_per_node = 8};
  const LaunchResult r = make_slurm_launcher()->run(launch);
  ASSERT_EQ(r.tasks.size(), 3u);
  EXPECT_EQ(r.tasks[0].node, "n1");
  EXPECT_EQ(r.tasks[0].lines, std::vector<std::string>{"short"});
  EXPECT_EQ(r.tasks[1].node, "n2");
  EXPECT_EQ(r.tasks[1].lines, (std::vector<std::string>{
                                  std::string(1024, 'a') + std::string(1024, 'b') + std::string(452, 'c'), "last"}));
  EXPECT_EQ(r.tasks[2].lines, std::vector<std::string>{"sh: 1: exec: /no/program: not found"});
  std::string arguments;
  std::ifstream in(folder / "arguments");
  std::getline(in, arguments);
  for (const char* wanted : {"--nodelist=n[1-3]", "--nodes=3", "--gres=gpu:8", "--mpi=none", "/v/x --a"})
    EXPECT_NE(arguments.find(wanted), std::string::npos) << arguments;
}

TEST_F(Programs, SlurmThatStartsNothingSaysWhy) {
  program("srun", "echo 'srun: error: Unable to allocate resources: Requested nodes are busy' >&2; exit 1");
  const LaunchResult r = make_slurm_launcher()->run({.argv = {"/v/x"}, .nodes = {"n1"}});
  EXPECT_FALSE(r.started);
  EXPECT_TRUE(r.tasks.empty());
  EXPECT_NE(r.error.find("Requested nodes are busy"), std::string::npos) << r.error;
}

TEST_F(Programs, LocalReachesThisMachineOnly) {
  const std::vector<std::string> nodes{"here", "there"};
  const auto local = make_local_launcher("here");
  const auto states = local->states(nodes);
  EXPECT_TRUE(states[0].usable);
  EXPECT_FALSE(states[1].usable);
  EXPECT_EQ(states[1].why, "not this machine, whose host name is 'here': the local launcher reaches no other");
  program("x", "echo one; echo two");
  EXPECT_EQ(local->run({.argv = {(folder / "x").string()}, .nodes = {"here"}}).tasks.at(0).lines,
            (std::vector<std::string>{"one", "two"}));
  program("silent", "echo 'a library is missing' >&2; exit 127");
  EXPECT_EQ(local->run({.argv = {(folder / "silent").string()}, .nodes = {"here"}}).tasks.at(0).lines,
            std::vector<std::string>{"a library is missing"});
  program("slow", "sleep 30");
  const LaunchResult late =
      local->run({.argv = {(folder / "slow").string()}, .nodes = {"here"}, .timeout = std::chrono::milliseconds(200)});
  EXPECT_NE(late.error.find("was ended after 200 ms"), std::string::npos) << late.error;
}

}  // namespace
}  // namespace clusterc
