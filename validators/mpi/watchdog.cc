#include "mpi/watchdog.h"

#include <chrono>

namespace clusterc::mpi {

Watchdog::Watchdog(double seconds, std::function<void(const std::string&)> expired)
    : seconds_(seconds), expired_(std::move(expired)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Watchdog::doing(std::string what) {
  const std::lock_guard lock(mutex_);
  doing_ = std::move(what);
  beat();
}

void Watchdog::watch() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  auto last_seen = beats_.load();
  auto since = Clock::now();
  while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stop_; })) {
    if (const auto beats = beats_.load(); beats != last_seen) {
      last_seen = beats;
      since = Clock::now();
    } else if (std::chrono::duration<double>(Clock::now() - since).count() > seconds_) {
      const std::string what = doing_;
      lock.unlock();
      expired_(what);
      return;
    }
  }
}

}  // namespace clusterc::mpi
