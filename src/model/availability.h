// How often GPUs interrupt a job, how many nodes are in repair at any time, and how many spares that takes.
#pragma once
#include <cmath>
#include <cstdint>

#include "base/quantity.h"

namespace clusterc {

// GPU-hours between unexpected interruptions of all causes: 419 in 54 days on 16,384 GPUs (Llama Team, The Llama 3 herd
// of models, 2024, section 3.3.4).
constexpr double kGpuHoursPerInterruption = 16384.0 * 54 * 24 / 419;
// The range that others report: 6.50 and 2.34 failures in 1,000 days of a node with eight A100, 16,000 and 8,000 GPUs
// over 11 months (A. Kokolis et al., Revisiting Reliability in Large-Scale Machine Learning Research Clusters, HPCA
// 2025, arXiv 2410.21680).
constexpr double kFewestGpuHours = 1000.0 * 24 * 8 / 6.50, kMostGpuHours = 1000.0 * 24 * 8 / 2.34;
constexpr Seconds time_between_interruptions(double gpus, double gpu_hours = kGpuHoursPerInterruption) {
  return Seconds(gpu_hours * 3600 / gpus);
}

// Of one GPU in a year. Not every interruption takes a repair, so what follows from it is on the safe side.
constexpr double kInterruptionsPerGpuYear = 365 * 24 / kGpuHoursPerInterruption;
constexpr double kRepairDays =
    3;  // from the fault to the node's return (planning default: next-day service and a burn-in)

constexpr double nodes_in_repair(std::int64_t gpus) {
  return static_cast<double>(gpus) * kInterruptionsPerGpuYear * kRepairDays / 365;
}

// Enough in 95 of 100 moments: the mean of a Poisson process and 1.64 of its standard deviations (normal
// approximation).
inline std::int64_t spares_wanted(std::int64_t gpus) {
  const double mean = nodes_in_repair(gpus);
  return static_cast<std::int64_t>(std::ceil(mean + 1.64 * std::sqrt(mean) - 1e-9));
}

}  // namespace clusterc
