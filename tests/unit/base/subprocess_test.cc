#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/text.h"

namespace clusterc {
namespace {

using Outcome = SubprocessResult::Outcome;
using std::chrono::milliseconds;

Subprocess shell(std::string script) {
  Subprocess what;
  what.argv = {"/bin/sh", "-c", std::move(script)};
  return what;
}

bool alive(const std::string& pid) {
  // A zombie that nobody reaped still answers kill(0): its state in /proc says what it is.
  for (int i = 0; i < 100; ++i) {
    const auto state =
        run({.argv = {"/bin/sh", "-c", "sed -n 's/^State:.\\(.\\).*/\\1/p' /proc/" + pid + "/status 2>/dev/null"}}).out;
    if (state.empty() || state[0] == 'Z' || state[0] == 'X') return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

TEST(Subprocess, OutputAndStatus) {
  const auto result = run(shell("printf out; printf err >&2; exit 3"));
  EXPECT_EQ(result.outcome, Outcome::exited);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "out");
  EXPECT_EQ(result.err, "err");
  EXPECT_EQ(result.reason, "'/bin/sh' ended with exit status 3");
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(run(shell("true")).ok());
}

TEST(Subprocess, ArgumentsAreNotInterpreted) {
  EXPECT_EQ(run({.argv = {"printf", "%s|%s", "$HOME `id`", "a b"}}).out, "$HOME `id`|a b");
}

TEST(Subprocess, LongInputBothWays) {
  auto what = shell("cat");
  what.input = std::string(3 << 20, 'x');
  EXPECT_EQ(run(what).out, what.input);
  what.argv = {"true"};  // does not read it
  EXPECT_TRUE(run(what).ok());
  EXPECT_EQ(run(shell("wc -c")).out.find('0') != std::string::npos, true);
}

TEST(Subprocess, EnvironmentAndDirectory) {
  auto what = shell("printf %s \"$A-$HOME\"; pwd");
  what.environment = std::vector<std::string>{"A=b c"};
  what.directory = "/";
  EXPECT_EQ(run(what).out, "b c-/\n");
}

TEST(Subprocess, LinesAsTheyCome) {
  std::vector<std::string> lines;
  auto what = shell("printf 'a\\nb'; sleep 0.05; printf 'c\\n\\nlast'");
  what.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_TRUE(run(what).ok());
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc", "", "last"}));
}

TEST(Subprocess, KeepsOnlyTheLimit) {
  auto what = shell("head -c 100000 /dev/zero");
  what.max_out = 1000;
  const auto result = run(what);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.size(), 1000u);
  EXPECT_TRUE(result.truncated);
}

TEST(Subprocess, WhatIsNotThere) {
  const auto result = run({.argv = {"no-such-program-anywhere"}});
  EXPECT_EQ(result.outcome, Outcome::not_started);
  EXPECT_EQ(result.reason, "'no-such-program-anywhere' could not be started: No such file or directory");
  EXPECT_EQ(run({}).outcome, Outcome::not_started);
}

TEST(Subprocess, TimeoutEndsTheWholeGroup) {
  auto what = shell("sleep 60 & echo $!; sleep 60");
  what.timeout = milliseconds(150);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run(what);
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_EQ(result.reason, "'/bin/sh' was ended after 150 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_FALSE(alive(std::string(trim(result.out))));
}

TEST(Subprocess, WhoIgnoresTermIsKilled) {
  auto what = shell("trap '' TERM; while :; do sleep 0.05; done");
  what.timeout = milliseconds(100);
  what.grace = milliseconds(100);
  const auto result = run(what);
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_EQ(result.status, SIGKILL);
}

// A program that hands SIGINT on gets it first, and time; who ignores it gets the other signals.
TEST(Subprocess, InterruptsFirstWhereItIsTold) {
  auto what = shell("trap 'echo int; exit 0' INT; trap 'echo term; exit 0' TERM; while :; do sleep 0.05; done");
  what.timeout = milliseconds(100);
  what.after_interrupt = std::chrono::seconds(10);
  EXPECT_EQ(run(what).out, "int\n");
  what = shell("trap '' INT; trap 'echo term; exit 0' TERM; while :; do sleep 0.05; done");
  what.timeout = milliseconds(100);
  what.after_interrupt = milliseconds(200);
  const auto result = run(what);
  EXPECT_EQ(result.outcome, Outcome::timed_out);
  EXPECT_EQ(result.out, "term\n");
}

TEST(Subprocess, GrandchildrenDoNotHoldUsUp) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run(shell("sleep 60 & echo $!"));  // keeps the pipe open
  EXPECT_TRUE(result.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_FALSE(alive(std::string(trim(result.out))));
}

TEST(Subprocess, Interrupted) {
  std::atomic<bool> stop = false;
  auto what = shell("sleep 60");
  what.interrupted = &stop;
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop = true;
  });
  const auto result = run(what);
  later.join();
  EXPECT_EQ(result.outcome, Outcome::interrupted);
}

TEST(Subprocess, Signalled) {
  const auto result = run(shell("kill -9 $$"));
  EXPECT_EQ(result.outcome, Outcome::signalled);
  EXPECT_EQ(result.status, 9);
}

TEST(Subprocess, FindsPrograms) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  ASSERT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_FALSE(find_program("/etc"));
}

}  // namespace
}  // namespace clusterc
