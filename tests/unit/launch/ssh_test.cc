// The launcher over ssh, against a made-up ssh and mpirun: what they are given, and what comes of what they print.
#include "launch/ssh.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/subprocess.h"
#include "launch/slurm_jobs.h"

namespace clusterc {
namespace {

class Ssh : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("clusterc-ssh-test-" + std::to_string(::getpid()));
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
  static std::unique_ptr<Launcher> launcher() {
    return make_mpirun_launcher({{{"n1", "10.0.0.1"}, {"n2", "10.0.0.2"}, {"n3", "n3.example.org"}}, "", nullptr});
  }
  std::filesystem::path folder;
  std::string old_path;
};

TEST(SshConfigText, NamesAddressesAndKeysOfTheSpecComeBeforeTheUsersOwn) {
  const std::string text = ssh_config_text({{"n1", "10.0.0.1"}}, "", "/home/u");
  EXPECT_EQ(text.find("Host n1\n  HostName 10.0.0.1\n  HostKeyAlias n1\n"), 0u);
  for (const char* line : {"  BatchMode yes\n", "  StrictHostKeyChecking yes\n"})
    EXPECT_LT(text.find(line), text.find("Include \"/home/u/.ssh/config\""));
}

// Through a shell the words arrive as they were, whatever they contain.
TEST(RemoteCommand, QuotesEveryWord) {
  const std::vector<std::string> words = {"/bin/echo", "a b", "$(touch /tmp/x)", "it's", "`id`", "*", ";", "\"", "\\"};
  const SubprocessResult ended = run({.argv = {"/bin/sh", "-c", remote_command("n1", words)},
                                      .hold_input = true,
                                      .timeout = std::chrono::seconds(20)});
  EXPECT_EQ(ended.out, "a b $(touch /tmp/x) it's `id` * ; \" \\\n") << ended.err;
  const SubprocessResult failed = run({.argv = {"/bin/sh", "-c", remote_command("n1", {"/bin/sh", "-c", "exit 7"})},
                                       .hold_input = true,
                                       .timeout = std::chrono::seconds(20)});
  EXPECT_EQ(failed.status, 7);
}

// The connection is gone: its standard input has ended.
TEST(RemoteCommand, EndsTheProgramWithTheConnection) {
  const SubprocessResult ended =
      run({.argv = {"/bin/sh", "-c", remote_command("n1", {"/bin/sleep", "60"})}, .timeout = std::chrono::seconds(30)});
  EXPECT_EQ(ended.outcome, SubprocessResult::Outcome::exited);
  EXPECT_EQ(ended.status, 128 + 15);  // SIGTERM
}

TEST_F(Ssh, EachNodeHasItsResultAndWhatIsNotReachedSaysWhy) {
  // ssh -F CONFIG -T -- NODE COMMAND
  program("ssh", R"sh([ "$5" = n2 ] && { echo 'Host key verification failed.' >&2; exit 255; }
exec /bin/sh -c "$6"
)sh");
  const auto over_ssh = launcher();
  const std::vector<std::string> nodes{"n1", "n2", "n9"};
  const auto states = over_ssh->states(nodes);
  EXPECT_TRUE(states[0].usable);
  EXPECT_EQ(states[1].why, "not reached by ssh: Host key verification failed.");
  EXPECT_EQ(states[2].why, "not named by --hosts");
  const LaunchResult r =
      over_ssh->run({.argv = {"/bin/sh", "-c", "echo $CLUSTERC_NODE \"$0\"", "a  b"}, .nodes = {"n1", "n3", "n2"}});
  ASSERT_EQ(r.tasks.size(), 3u);
  EXPECT_EQ(r.tasks[0].lines, std::vector<std::string>{"n1 a  b"});
  EXPECT_EQ(r.tasks[1].lines, std::vector<std::string>{"n3 a  b"});
  EXPECT_EQ(r.tasks[2].lines, std::vector<std::string>{"Host key verification failed."});
}

// One that prints without end, and one that hangs: each is ended, and the third stays what it is.
TEST_F(Ssh, HostileOutputAndHangingEndOneTaskAndNoOther) {
  program("ssh", R"sh([ "$5" = n1 ] && exec yes a
[ "$5" = n2 ] && exec sleep 60
exec /bin/sh -c "$6"
)sh");
  const LaunchResult r =
      launcher()->run({.argv = {"/bin/echo", "well"}, .nodes = {"n1", "n2", "n3"}, .timeout = std::chrono::seconds(3)});
  ASSERT_EQ(r.tasks.size(), 3u);
  EXPECT_EQ(r.tasks[0].broken, "it printed more than 65536 lines, the limit of a task");
  EXPECT_TRUE(r.tasks[0].lines.empty());
  EXPECT_EQ(r.tasks[1].broken, "'ssh' was ended after 3 s");
  EXPECT_EQ(r.tasks[2].lines, std::vector<std::string>{"well"});
  EXPECT_EQ(r.error, "");
}

TEST_F(Ssh, WorldsGetAListOfHostsInTheOrderOfTheNodes) {
  program("mpirun", "cat \"$2\"; shift 2; printf '%s ' \"$@\"\n");
  const LaunchResult r = launcher()->run({.argv = {"/v/x"}, .nodes = {"n3", "n1"}, .ranks_per_node = 2, .mpi = true});
  ASSERT_EQ(r.tasks.size(), 1u);
  ASSERT_EQ(r.tasks[0].lines.size(), 3u);
  EXPECT_EQ(r.tasks[0].lines[0], "n3 slots=2");
  EXPECT_EQ(r.tasks[0].lines[1], "n1 slots=2");
  EXPECT_EQ(r.tasks[0].lines[2].find("-n 4 --map-by ppr:2:node"), 0u) << r.tasks[0].lines[2];
}

TEST(Hosts, AFileNamesNodesAndAddresses) {
  const std::vector<Host> known{{"n1", "10.0.0.1"}, {"n2", "10.0.0.2"}};
  std::string error;
  const auto hosts = hosts_of_file("# mine\nn1\nn2  n2.example.org # moved\n\nn7\n", known, error);
  ASSERT_TRUE(hosts) << error;
  std::string out;
  for (const Host& host : *hosts) out += host.name + "=" + host.address + " ";
  EXPECT_EQ(out, "n1=10.0.0.1 n2=n2.example.org n7=n7 ");
  for (const auto& [text, why] : {std::pair{"n1 a b\n", "line 1: NAME [ADDRESS] was expected"},
                                  {"n1\nn1\n", "line 2: 'n1' is named twice"},
                                  {"-oProxyCommand=x\n", "line 1: NAME [ADDRESS] was expected"},
                                  {"n1 \"\n", "line 1: NAME [ADDRESS] was expected"},
                                  {"# nothing\n", "it names no host"}}) {
    EXPECT_FALSE(hosts_of_file(text, known, error)) << text;
    EXPECT_EQ(error, why);
  }
}

TEST(SlurmJobs, InsideAJobStepsUseItsNodesAndOutsideJobsTakeTheirs) {
  const Launch launch{.argv = {"/v/x"}, .nodes = {"n1", "n2"}};
  const SlurmOptions options{.partition = "gpu", .account = "a", .reservation = "r"};
  HostPattern::Error error;
  const auto line = [](const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += word + " ";
    return out;
  };
  const std::string outside = line(srun_command(launch, options, std::nullopt));
  for (const char* word : {"--exclusive ", "--partition=gpu ", "--account=a ", "--reservation=r ", "--time=10 "})
    EXPECT_NE(outside.find(word), std::string::npos) << word;
  const std::string inside = line(srun_command(launch, options, Allocation{"7", *HostPattern::parse("n[1-2]", error)}));
  EXPECT_NE(inside.find("--overlap "), std::string::npos);
  for (const char* word : {"--exclusive", "--partition", "--time", "--immediate"})
    EXPECT_EQ(inside.find(word), std::string::npos) << word;
  Launch each = launch;
  each.together = false;
  const std::string array = line(sbatch_command(each, options, "/s/job"));
  EXPECT_NE(array.find("--hold --nodes=1 --array=0-1 /s/job.sh"), std::string::npos) << array;
  EXPECT_NE(line(sbatch_command(launch, options, "/s/job")).find("--nodelist=n[1-2] /s/job.sh"), std::string::npos);
}

}  // namespace
}  // namespace clusterc
