#include "harness/deadline.h"

#include <unistd.h>

#include "base/format.h"
#include "base/stacks.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/team.h"

namespace clusterc::harness {
std::string stopped_children() {
  std::string waits;
  for (const long process : descendants_of(::getpid())) {
    const std::string stat = read_text(format("/proc/{}/stat", process)).value_or("");
    const auto name = stat.find('('), behind = stat.rfind(") ");  // the name may hold blanks and brackets
    if (name == stat.npos || behind == stat.npos || behind + 2 >= stat.size()) continue;
    const std::string who = format("'{}' (process {})", stat.substr(name + 1, behind - name - 1), process);
    const char state = stat[behind + 2];
    if (state == 'T' || state == 't') return who + " is stopped";
    if (state == 'D') waits = who + " waits for a device or a server";
  }
  return waits;
}

Deadline::Deadline(const Pulse& pulse, double seconds, Reporter& report, std::function<std::string()> suspect)
    : pulse_(pulse),
      seconds_(seconds),
      report_(report),
      suspect_(std::move(suspect)),
      thread_(start_thread([this] { watch(); }, "the thread that watches over the run")) {}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Deadline::watch() {
  std::unique_lock lock(mutex_);
  std::uint64_t beats = pulse_.beats();
  double since = now_seconds(), signalled = 0;
  while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [&] { return stop_; })) {
    if (const std::uint64_t now = pulse_.beats(); now != beats) {
      beats = now;
      since = now_seconds();
    }
    const double still = now_seconds() - since;
    if (interrupted() && signalled == 0) signalled = now_seconds();
    if (signalled > 0 && now_seconds() - signalled >= kEndsWithin && still >= kEndsWithin)
      leave(Cause::interrupted, format("{}: nothing ended within {:.3g} s of the signal", pulse_.doing(), kEndsWithin));
    if (still < seconds_) continue;
    std::string detail = format("{}: nothing moved for {:.3g} s", pulse_.doing(), seconds_);
    std::string why = suspect_ ? suspect_() : "";
    if (why.empty()) why = stopped_children();
    if (!why.empty()) detail += ": " + why;
    std::vector<long> processes = {::getpid()};
    for (const long child : descendants_of(::getpid())) processes.push_back(child);
    leave(Cause::timeout, detail, stacks_of(processes));
  }
}

void Deadline::leave(Cause cause, const std::string& detail, const std::vector<std::string>& stacks) {
  try {
    report_.error(cause, detail, stacks);
  } catch (const std::exception&) {
  }  // standard output is gone: the status says it
  ::_exit(static_cast<int>(Exit::could_not_run));
}

}  // namespace clusterc::harness
