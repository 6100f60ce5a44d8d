#include "harness/deadline.h"

#include <unistd.h>

#include <charconv>
#include <vector>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/team.h"

namespace clusterc::harness {
namespace {

constexpr unsigned kMostProcesses = 4096;  // of one run; bounds the walk

std::vector<long> numbers(std::string_view text) {
  std::vector<long> out;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    long number = 0;
    const auto [next, failed] = std::from_chars(at, end, number);
    if (failed == std::errc()) out.push_back(number);
    at = next == end ? end : next + 1;
  }
  return out;
}

// Children of every thread of `process`: proc_pid_task_tid_children(5).
std::vector<long> children_of(long process) {
  std::vector<long> out;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(format("/proc/{}/task", process), failed), end; !failed && at != end;
       at.increment(failed)) {
    for (const long child : numbers(read_text(at->path() / "children").value_or(""))) out.push_back(child);
  }
  return out;
}

}  // namespace

std::string stopped_children() {
  std::vector<long> all = children_of(::getpid());
  std::string waits;
  for (std::size_t i = 0; i < all.size() && i < kMostProcesses; ++i) {
    const std::string stat = read_text(format("/proc/{}/stat", all[i])).value_or("");
    const auto name = stat.find('('), behind = stat.rfind(") ");  // the name may hold blanks and brackets
    if (name == stat.npos || behind == stat.npos || behind + 2 >= stat.size()) continue;
    const std::string who = format("'{}' (process {})", stat.substr(name + 1, behind - name - 1), all[i]);
    const char state = stat[behind + 2];
    if (state == 'T' || state == 't') return who + " is stopped";
    if (state == 'D') waits = who + " waits for a device or a server";
    for (const long child : children_of(all[i])) all.push_back(child);
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
    leave(Cause::timeout, detail);
  }
}

void Deadline::leave(Cause cause, const std::string& detail) {
  try {
    report_.error(cause, detail);
  } catch (const std::exception&) {
  }  // standard output is gone: the status says it
  ::_exit(static_cast<int>(Exit::could_not_run));
}

}  // namespace clusterc::harness
