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
  // A line of 2,500 bytes comes in pieces of 1,024, with another task's line between.
  program("srun", R"sh(echo '1: node n2'; echo '0: node n1'
x() { head -c $1 /dev/zero | tr '\0' $2; }
echo "0: $(x 1024 a)"; echo '1: short'; echo "0: $(x 1024 b)"; echo "0: $(x 452 c)"; echo '0: last'
echo '2: node n3'; echo '2: sh: 1: exec: /no/program: not found' >&2; echo "$@" > )sh" +
                      (folder / "arguments").string() + "\n");
  Launch launch{.argv = {"/v/x", "--a"}, .nodes = {"n2", "n1", "n3"}, .gpus_per_node = 8};
  const LaunchResult r = make_slurm_launcher()->run(launch);
  ASSERT_EQ(r.tasks.size(), 3u);
  EXPECT_EQ(r.tasks[0].node, "n1");
  EXPECT_EQ(r.tasks[0].lines, (std::vector<std::string>{
                                  std::string(1024, 'a') + std::string(1024, 'b') + std::string(452, 'c'), "last"}));
  EXPECT_EQ(r.tasks[1].node, "n2");
  EXPECT_EQ(r.tasks[1].lines, std::vector<std::string>{"short"});
  EXPECT_EQ(r.tasks[2].lines, std::vector<std::string>{"sh: 1: exec: /no/program: not found"});
  for (const TaskOutput& task : r.tasks) EXPECT_EQ(task.claims, task.node);
  std::string arguments;
  std::ifstream in(folder / "arguments");
  std::getline(in, arguments);
  for (const char* wanted :
       {"--nodelist=n[1-3]", "--ntasks=3", "--gres=gpu:8", "--mpi=none", "--distribution=arbitrary", "/v/x --a"})
    EXPECT_NE(arguments.find(wanted), std::string::npos) << arguments;
  EXPECT_EQ(arguments.find("--nodes"), std::string::npos);  // 24.11: incompatible with --distribution=arbitrary
}

// Task i is on the i-th host of the list that srun got, whatever the task says; a task that nobody started is kept, so
// that somebody hears of it.
TEST_F(Programs, SlurmsTasksAreWhereTheyWereStarted) {
  program("srun",
          "echo '0: node n2'; echo '0: mine'; echo '1: node n2'; echo '1: yours'; echo '7: node n1'; echo '7: x'\n");
  const LaunchResult r = make_slurm_launcher()->run({.argv = {"/v/x"}, .nodes = {"n1", "n2"}});
  ASSERT_EQ(r.tasks.size(), 3u);
  EXPECT_EQ(r.tasks[0].node, "n1");
  EXPECT_EQ(r.tasks[0].claims, "n2");
  EXPECT_EQ(r.tasks[0].lines, std::vector<std::string>{"mine"});
  EXPECT_EQ(r.tasks[1].node, "n2");
  EXPECT_EQ(r.tasks[1].lines, std::vector<std::string>{"yours"});
  EXPECT_EQ(r.tasks[2].node, "");
  EXPECT_EQ(r.tasks[2].claims, "n1");
  EXPECT_NE(r.tasks[2].broken, "");
  // One rank on a node that was not asked for speaks for its world.
  const LaunchResult world = make_slurm_launcher()->run({.argv = {"/v/x"}, .nodes = {"n1", "n3"}, .mpi = true});
  ASSERT_EQ(world.tasks.size(), 1u);
  EXPECT_EQ(world.tasks[0].claims, "n2");
}

// One task prints without end: nothing of it is kept, the others end, and then srun is ended.
TEST_F(Programs, SlurmsTaskThatPrintsWithoutEndIsEndedBehindTheOthers) {
  program("srun", R"sh(trap 'exit 143' TERM
echo '0: node n1'; echo '1: node n2'
yes '0: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' | head -n 400000
echo '1: {"record":"end"}'
while :; do echo '0: b'; done
)sh");
  const LaunchResult r =
      make_slurm_launcher()->run({.argv = {"/v/x"}, .nodes = {"n1", "n2"}, .timeout = std::chrono::seconds(60)});
  ASSERT_EQ(r.tasks.size(), 2u);
  EXPECT_EQ(r.tasks[0].broken, "it printed more than 65536 lines, the limit of a task");
  EXPECT_TRUE(r.tasks[0].lines.empty());
  EXPECT_EQ(r.tasks[1].lines, std::vector<std::string>{R"({"record":"end"})"});
  EXPECT_EQ(r.error, "");
}

// Endless lines, a line without an end, endless standard error: each ends the program, and what is kept stays small.
TEST_F(Programs, LocalEndsWhatPrintsWithoutEnd) {
  const auto broken = [&](const char* body) {
    program("endless", body);
    const LaunchResult r = make_local_launcher("here")->run(
        {.argv = {(folder / "endless").string()}, .nodes = {"here"}, .timeout = std::chrono::seconds(60)});
    EXPECT_EQ(r.tasks.size(), 1u);
    EXPECT_TRUE(r.tasks.at(0).lines.empty());
    EXPECT_EQ(r.error, "");
    EXPECT_LE(r.messages.size(), std::size_t{1} << 20);
    return r.tasks.at(0).broken;
  };
  EXPECT_EQ(broken("exec yes a\n"), "it printed more than 65536 lines, the limit of a task");
  EXPECT_EQ(broken("x=$(head -c 100000 /dev/zero | tr '\\0' x); while :; do echo $x; done\n"),
            "it printed more than 16 MiB, the limit of a task");
  EXPECT_EQ(broken("exec tr '\\0' x < /dev/zero\n"), "it printed a line of 4 MiB or more, the limit of a line");
  EXPECT_EQ(broken("exec yes a >&2\n"), "it printed more than 64 MiB on standard error");
}

// A reason is text that somebody wrote: it reaches no terminal as a command, and forges no line of another node.
TEST_F(Programs, SlurmsReasonsAreText) {
  program("sinfo",
          R"sh(printf 'n1|drained|fan \033]0;PWNED\007\033[2J\342\200\256 a|b\nn2|drained|x\nn2|idle|none\n')sh");
  const std::vector<std::string> nodes{"n1", "n2"};
  const auto states = make_slurm_launcher()->states(nodes);
  EXPECT_EQ(states[0].why, "drained (fan \xef\xbf\xbd]0;PWNED\xef\xbf\xbd\xef\xbf\xbd[2J\xef\xbf\xbd a|b)");
  EXPECT_FALSE(states[1].usable);
}

TEST_F(Programs, SlurmThatStartsNothingSaysWhy) {
  program("srun", "echo 'srun: error: Unable to allocate resources: Requested nodes are busy' >&2; exit 1");
  const LaunchResult r = make_slurm_launcher()->run({.argv = {"/v/x"}, .nodes = {"n1"}});
  EXPECT_FALSE(r.started);
  EXPECT_TRUE(r.tasks.empty());
  EXPECT_NE(r.error.find("Requested nodes are busy"), std::string::npos) << r.error;
}

// mpirun frames its words with lines of dashes: the last of them is no reason.
TEST(LastLines, RulesAreNoWords) {
  EXPECT_EQ(last_lines("-----\nmpirun noticed that rank 1 exited\n  --------  \n\n"),
            std::vector<std::string>{"mpirun noticed that rank 1 exited"});
  EXPECT_EQ(last_lines("- a\n*** b ***\n"), (std::vector<std::string>{"- a", "*** b ***"}));
}

TEST_F(Programs, LocalReachesThisMachineOnly) {
  const std::vector<std::string> nodes{"here", "there"};
  const auto local = make_local_launcher("here");
  const auto states = local->states(nodes);
  EXPECT_TRUE(states[0].usable);
  EXPECT_FALSE(states[1].usable);
  EXPECT_EQ(states[1].why, "not this machine, whose host name is 'here': the local launcher reaches only this machine");
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

// What is there when the time is over: one that spins, and below it one that is stopped.
TEST_F(Programs, WhatHungHereIsLookedAtBeforeItIsEnded) {
  program("hangs", "sh -c 'kill -STOP $$' &\nwhile :; do :; done\n");
  const auto local = make_local_launcher("here");
  const LaunchResult late =
      local->run({.argv = {(folder / "hangs").string()}, .nodes = {"here"}, .timeout = std::chrono::seconds(3)});
  EXPECT_NE(late.error.find("was ended after 3 s"), std::string::npos) << late.error;
  ASSERT_EQ(late.tasks.size(), 1u);
  std::string all;
  for (const std::string& line : late.tasks[0].stacks) all += line + "\n";
  EXPECT_NE(all.find("'hangs': R (running)"), std::string::npos) << all;
  EXPECT_NE(all.find("'sh': T (stopped)"), std::string::npos) << all;
  program("ends", "sleep 1");
  const LaunchResult well =
      local->run({.argv = {(folder / "ends").string()}, .nodes = {"here"}, .timeout = std::chrono::seconds(20)});
  EXPECT_TRUE(well.tasks.at(0).stacks.empty());
}

}  // namespace
}  // namespace clusterc
