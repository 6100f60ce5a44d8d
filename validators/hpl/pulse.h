// Where this rank is, written by the thread that works and read by the one that watches over it: a few stores, no lock.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "base/format.h"
#include "mpi/pulse.h"

namespace clusterc::hpl {

enum class Phase : std::uint8_t {
  start,
  fill,
  panel,
  panel_broadcast,
  row_exchange,
  update,
  back_substitution,
  residual,
  dgemm,
  idle
};

constexpr std::string_view phase_text(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "waiting for all ranks";
    case Phase::fill:
      return "filling the matrix";
    case Phase::panel:
      return "factoring a panel";
    case Phase::panel_broadcast:
      return "waiting for a panel";
    case Phase::row_exchange:
      return "exchanging rows";
    case Phase::update:
      return "updating the rest";
    case Phase::back_substitution:
      return "back substitution";
    case Phase::residual:
      return "checking the residual";
    case Phase::dgemm:
      return "measuring the DGEMM rate";
    case Phase::idle:
      return "waiting for the ranks that work";
  }
  return "?";
}

class Pulse final : public mpi::Pulse {
 public:
  // Counts as a beat. `peer`: the rank of the job that is waited for, -1: none in particular.
  void at(Phase phase, std::int64_t step = -1, int peer = -1) {
    phase_.store(phase, std::memory_order_relaxed);
    step_.store(step, std::memory_order_relaxed);
    peer_.store(peer, std::memory_order_relaxed);
    beat();
  }
  int peer() const { return peer_.load(std::memory_order_relaxed); }

  std::string doing() const override {
    std::string text(phase_text(phase_.load(std::memory_order_relaxed)));
    if (const std::int64_t step = step_.load(std::memory_order_relaxed); step >= 0) text += format(", step {}", step);
    if (const int whom = peer(); whom >= 0) text += format(", from rank {}", whom);
    return text;
  }

 private:
  std::atomic<Phase> phase_{Phase::start};
  std::atomic<std::int64_t> step_{-1};
  std::atomic<int> peer_{-1};
};

}  // namespace clusterc::hpl
