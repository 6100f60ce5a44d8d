// Where a run is, written by the thread that works and read by the one that watches over it (deadline.h, mpi/guard.h).
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace clusterc::harness {

class Pulse {
 public:
  virtual ~Pulse() = default;
  void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }
  virtual std::string doing() const = 0;  // for the message when nothing moves

 private:
  std::atomic<std::uint64_t> beats_{0};
};

// What is done in words; for work whose steps last longer than the making of a string.
class TextPulse final : public Pulse {
 public:
  void doing(std::string what) {  // counts as a beat
    const std::lock_guard lock(mutex_);
    doing_ = std::move(what);
    beat();
  }
  std::string doing() const override {
    const std::lock_guard lock(mutex_);
    return doing_;
  }

 private:
  mutable std::mutex mutex_;
  std::string doing_ = "beginning";
};

}  // namespace clusterc::harness
