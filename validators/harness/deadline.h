// Watches over a run from a thread of its own: what waits for a device, a server or another program cannot watch
// itself. When nothing moved for the deadline it prints the end record (timeout) with what was being done and which of
// our programs is stopped, with the stacks of the process and of its children, and ends the process. So it does
// (interrupted) when a signal came and no repetition has ended since, which would have seen it.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/pulse.h"
#include "harness/report.h"

namespace clusterc::harness {

// How long a repetition may last beyond the signal that ends the run.
inline constexpr double kEndsWithin = 10;

class Deadline {
 public:
  // `suspect` may add who is to blame ("thread 3 on processor 5"); it runs on the watching thread.
  Deadline(const Pulse&, double seconds, Reporter&, std::function<std::string()> suspect = {});
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  void watch();
  void leave(Cause, const std::string& detail,
             const std::vector<std::string>& stacks = {});  // prints the end record; does not return

  const Pulse& pulse_;
  const double seconds_;
  Reporter& report_;
  const std::function<std::string()> suspect_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

// "fio (process 4711) is stopped": of this process's children and theirs; empty where none is stopped or waits for a
// device.
std::string stopped_children();

}  // namespace clusterc::harness
