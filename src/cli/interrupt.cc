#include <atomic>
#include <csignal>

#include "base/format.h"
#include "cli/command.h"
#include "diag/render.h"

namespace clusterc::cli {
namespace {

std::atomic<bool> flag{false};
volatile std::sig_atomic_t by = 0;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");

extern "C" void note_interrupt(int number) {
  by = number;
  flag.store(true);
}

}  // namespace

const std::atomic<bool>* catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(number, &action, nullptr);  // nohup stays nohup
  }
  return &flag;
}

void end_if_interrupted(const std::string& folder) {
  if (!flag.load()) return;
  put_error(format("interrupted: {} is as it was\n", printable(folder)));
  const int number = by;
  std::signal(number, SIG_DFL);
  std::raise(number);  // the shell sees what ended it
}

}  // namespace clusterc::cli
