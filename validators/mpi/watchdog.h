// Ends this process when nothing moves: a collective that one rank never enters would hold all others for ever.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace clusterc::mpi {

class Watchdog {
 public:
  // `expired` runs on the watchdog's thread, once, `seconds` after the last beat; it makes no MPI call and does not return.
  Watchdog(double seconds, std::function<void(const std::string& doing)> expired);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }
  void doing(std::string what);  // for the message; counts as a beat

 private:
  void watch();

  const double seconds_;
  const std::function<void(const std::string&)> expired_;
  std::atomic<unsigned long> beats_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string doing_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace clusterc::mpi
