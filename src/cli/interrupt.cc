#include "cli/interrupt.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include "base/format.h"
#include "cli/command.h"
#include "diag/render.h"

namespace clusterc::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

// What the thread that waits for signals shares with the others.
struct Shared {
  std::atomic<bool> flag{false};
  std::atomic<int> by{0};
  std::mutex mutex;
  std::function<bool()> abandon;
};
Shared& shared() {
  static Shared* const all = new Shared;  // the thread outlives main()'s objects
  return *all;
}

[[noreturn]] void end(const std::string& folder) {
  put_error(format("interrupted: {} is as it was\n", printable(folder)));
  const int number = shared().by;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  std::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::kill(::getpid(), number);
  for (;;) ::pause();
}

void wait_for_signals(const sigset_t signals, const std::string& folder) {
  Shared& all = shared();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  all.by = number;
  all.flag.store(true);
  std::this_thread::sleep_for(kPatience);
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.abandon && all.abandon()) end(folder);
}

}  // namespace

Interrupts::Interrupts(std::string folder) : folder_(std::move(folder)) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaddset(&signals, number);  // nohup stays nohup
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  std::thread(wait_for_signals, signals, folder_).detach();
}

Interrupts::~Interrupts() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

const std::atomic<bool>* Interrupts::flag() const { return &shared().flag; }

void Interrupts::end_if_interrupted() const {
  if (shared().flag.load()) end(folder_);
}

Interrupts::Guard::Guard(std::function<bool()> abandon) {
  const std::lock_guard<std::mutex> lock(shared().mutex);
  shared().abandon = std::move(abandon);
}
Interrupts::Guard::~Guard() {
  const std::lock_guard<std::mutex> lock(shared().mutex);  // not while it is called
  shared().abandon = nullptr;
}

}  // namespace clusterc::cli
