// What a workload needs: bytes on each GPU, the share of the peak that a run time implies, how much of the time interruptions leave.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/cluster.h"

namespace clusterc {

// What the copies of a model divide among them: nothing, the optimizer's state (ZeRO-1), gradients too (ZeRO-2), weights too (ZeRO-3, FSDP).
enum class Sharding { none, optimizer, gradients, all };
Sharding sharding_of(std::string_view word);

// Mixed-precision training with Adam: weights and gradients of two bytes, FP32 master weights and two moments of four
// (S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 and table 1). `model_parallel` GPUs share one copy, `data` copies there are.
Bytes training_state(double parameters, double model_parallel, double data, Sharding);
// The least that activations take with everything recomputed and one sequence at a time: two bytes of each layer's input for each token, on
// the first stage of the pipeline, where as many sequences are under way as there are stages (V. Korthikanti et al., arXiv 2205.05198, table 2
// and section 4.2.3).
Bytes least_activations(double layers, double hidden, double sequence, double tensor);
// Keys and values of one token: 2 x layers x kv_heads x head_dim x bytes.
Bytes kv_per_token(double layers, double kv_heads, double head_dim, double bytes);
double bytes_of_precision(std::string_view precision);        // of a weight; 2 where nothing is said
const Value<FlopsPerSecond>& peak_of(const GpuPart&, std::string_view precision);   // dense

// The share of `peak` that all GPUs must reach to be done in time: 6 operations a parameter and token (D. Narayanan et al., arXiv 2104.04473, eq. 4).
double implied_utilisation(double parameters, double tokens, double gpus, FlopsPerSecond peak, Seconds within);
Seconds run_time(double parameters, double tokens, double gpus, FlopsPerSecond peak, double utilisation);

// Llama 3 on 16,384 GPUs: 419 unexpected interruptions in 54 days (arXiv 2407.21783, section 3.3.4): 50,700 GPU-hours each.
constexpr double kGpuHoursPerInterruption = 50'700;
constexpr Seconds time_between_interruptions(double gpus) { return Seconds(kGpuHoursPerInterruption * 3600 / gpus); }
Seconds best_checkpoint_interval(Seconds checkpoint, Seconds between);                        // Young 1974: sqrt(2 d M)
double goodput(Seconds checkpoint, Seconds interval, Seconds restart, Seconds between);       // 1 - d/tau - (tau/2 + R)/M

// The GPUs that a workload runs on: all of the groups in its `on`; the smallest memory and peak decide, since all wait for the slowest.
struct WorkloadGpus {
  std::int64_t gpus = 0, nodes = 0;
  const NodeGroupModel* smallest = nullptr;      // group with the least memory
  const NodeGroupModel* slowest = nullptr;       // group with the lowest peak at the workload's precision
  Value<Bytes> memory;                           // of one GPU
  Value<FlopsPerSecond> peak;
  std::int64_t nvlink_domain = 0;                // GPUs that reach each other over NVLink, the fewest of all groups
  std::string_view missing;                      // key that a GPU part lacks: memory or a peak
};
std::optional<WorkloadGpus> gpus_of(const Cluster&, const Workload&);   // nullopt: it names no group with GPUs
std::int64_t gpus_joined_by_nvlink(const Cluster&, const NodeGroupModel&);

}  // namespace clusterc
