// What /proc says of processes that are stopped, spin or sleep.
#include "base/stacks.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

// A child that does what it is told until it is killed.
class Child {
 public:
  explicit Child(void (*does)()) : id_(::fork()) {
    if (id_ != 0) return;
    does();
    ::_exit(0);
  }
  ~Child() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  long id() const { return id_; }
  // Its lines, once its first line says `state`, at most 10 s later.
  std::string stacks_when(const std::string& state) const {
    const std::vector<long> of = {id_};
    for (int turn = 0;; ++turn) {
      const std::vector<std::string> lines = stacks_of(of);
      if (turn == 1000 || (!lines.empty() && lines[0].find(state) != std::string::npos)) return join(lines, "\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  pid_t id_;
};

void spin() {
  for (std::atomic<unsigned> n{0};; ++n) {
  }
}
void wait_for_a_signal() { ::pause(); }

TEST(Stacks, AProcessThatIsStoppedOneThatSpinsAndOneThatSleeps) {
  const Child stopped([] { ::raise(SIGSTOP); }), spins(spin), sleeps(wait_for_a_signal);
  EXPECT_NE(stopped.stacks_when(": T (").find(format("process {} '", stopped.id())), std::string::npos);
  EXPECT_NE(spins.stacks_when(": R (").find(format("\n  thread {} '", spins.id())), std::string::npos);
  EXPECT_NE(sleeps.stacks_when(": S (").find(": S (sleeping)"), std::string::npos);
  // Those that are gone, and numbers that are nobody's, say nothing.
  EXPECT_TRUE(stacks_of(std::vector<long>{-1, 0}).empty());
  const std::vector<long> ours = descendants_of(::getpid());
  for (const Child* child : {&stopped, &spins, &sleeps})
    EXPECT_NE(std::find(ours.begin(), ours.end(), child->id()), ours.end());
}

TEST(Stacks, TheirNumberAndLengthHaveAnEnd) {
  std::vector<std::thread> threads;
  std::atomic<bool> end{false};
  for (int i = 0; i < 40; ++i) threads.emplace_back([&] { end.wait(false); });
  const std::vector<long> nine(9, ::getpid());
  const std::vector<std::string> lines = stacks_of(nine);
  end = true;
  end.notify_all();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(lines.size(), kMostStackLines);
  for (const std::string& line : lines) EXPECT_LE(line.size(), kLongestStackLine);
  EXPECT_NE(join(lines, "\n").find("\n  and "), std::string::npos);
}

}  // namespace
}  // namespace clusterc
