// What a workload needs: bytes on each GPU, the share of the peak that a run time implies, how much of the time
// interruptions leave.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/availability.h"
#include "model/cluster.h"

namespace clusterc {

std::string number(
    double);  // as people write them: 70e9 parameters, 15e12 tokens, 405.9e9; whole numbers below a million as they are

// What the copies of a model divide among them: nothing, the optimizer's state (ZeRO-1), gradients too (ZeRO-2),
// weights too (ZeRO-3, FSDP).
enum class Sharding { none, optimizer, gradients, all };
Sharding sharding_of(std::string_view word);
std::string_view sharding_word(Sharding);

// What a GPU's memory may be filled with: kernels, buffers of NCCL and what the allocator cannot use take the rest
// (frameworks and serving engines are run with 0.90 to 0.95 of it; vLLM's gpu_memory_utilization is 0.9).
constexpr double kUsableMemory = 0.9;

// Mixed-precision training with Adam: weights and gradients of two bytes, FP32 master weights and two moments of four
// (S. Rajbhandari et al., ZeRO, SC 2020, section 3.1 and table 1). `model_parallel` GPUs share one copy, `data` copies
// there are. `trained` of the parameters have gradients and an optimizer's state (0: all), of which one parameter takes
// `optimizer` bytes; a weight that is not trained takes `frozen` bytes.
struct ModelState {
  double weights = 0, gradients = 0, optimizer = 0;  // bytes on each GPU
  double total() const { return weights + gradients + optimizer; }
};
constexpr double kAdamBytes = 12;
ModelState model_state(double parameters, double model_parallel, double data, Sharding, double trained = 0,
                       double optimizer = kAdamBytes, double frozen = 2);
Bytes training_state(double parameters, double model_parallel, double data, Sharding, double trained = 0,
                     double optimizer = kAdamBytes, double frozen = 2);
// Bytes of a weight that fine-tuning does not change: 2, or as `weight_precision` says. 4 bits are NormalFloat blocks
// of 64 with a scale of 8 bits, and 32 bits more for 256 blocks: 4.127 bits (T. Dettmers et al., QLoRA, arXiv
// 2305.14314, section 3, double quantization).
double frozen_bytes(const Workload&);
double optimizer_bytes(std::string_view word);  // adam, adam-8bit (T. Dettmers et al., arXiv 2110.02861: two moments of
                                                // one byte), sgd (one moment)
// The least that activations take with everything recomputed and one sequence at a time: two bytes of each layer's
// input for each token, on the first stage of the pipeline, where as many sequences are under way as there are stages
// (V. Korthikanti et al., arXiv 2205.05198, table 2 and section 4.2.3).
Bytes least_activations(double layers, double hidden, double sequence, double tensor);
// Keys and values of one token: 2 x layers x kv_heads x head_dim x bytes.
Bytes kv_per_token(double layers, double kv_heads, double head_dim, double bytes);
bool is_narrow(std::string_view precision);             // matrix products in 8 or 4 bits
double bytes_of_precision(std::string_view precision);  // of a weight; 2 where nothing is said
const Value<FlopsPerSecond>& peak_of(const GpuPart&, std::string_view precision);  // dense

// Operations of training for each parameter and token: 2 forward, 2 backward for the gradient of what comes in, 2 for
// that of the parameter itself where it is trained (D. Narayanan et al., arXiv 2104.04473, appendix: 6 of what is
// trained; frozen weights need no gradients of their own, E. Hu et al., LoRA, arXiv 2106.09685, section 4.2).
// `trained`: share of the parameters.
constexpr double operations_of_parameter(double trained) { return 4 + 2 * trained; }
// 0: all; `trained_parameters`, else those of `lora`; they count in fine-tuning alone.
double trained_parameters(const Workload&);
constexpr double trained_share(double trained, double parameters) {
  return trained > 0 && trained < parameters ? trained / parameters : 1;
}
// All of a training on all of its tokens, attention left out; nullopt where parameters or tokens are not written.
std::optional<double> training_operations(const Workload&);
// The share of `peak` that all GPUs must reach to be done in time.
double implied_utilisation(double operations, double gpus, FlopsPerSecond peak, Seconds within);
Seconds run_time(double operations, double gpus, FlopsPerSecond peak, double utilisation);

constexpr Seconds kRestart{
    600};  // from an interruption to the next step, where the spec does not say (`resume_within`): ten minutes
// GPU-hours between interruptions of a workload: faults (`gpu_hours_per_interruption`, or Llama 3's figure), and spot
// instances that the provider takes away. Rates add up: 1/H = 1/H of faults + instances x share a month / GPUs.
double gpu_hours_of_interruptions(const Cluster&, const Workload&);
Seconds best_checkpoint_interval(Seconds checkpoint, Seconds between);  // Young 1974: sqrt(2 d M)
Seconds daly_checkpoint_interval(Seconds checkpoint, Seconds between);  // Daly 2006, higher order; M where d >= 2M
double goodput(Seconds checkpoint, Seconds interval, Seconds restart, Seconds between);  // 1 - d/tau - (tau/2 + R)/M

struct GpuKind {
  std::string gpu;
  std::int64_t count = 0;
};  // catalogue id
// The GPUs that a workload runs on: all of the groups in its `on`; the smallest memory and peak decide, since all wait
// for the slowest.
struct WorkloadGpus {
  std::int64_t gpus = 0, nodes = 0;
  std::vector<GpuKind> kinds;  // each once, in the order of `on`
  std::vector<const NodeGroupModel*> groups;
  const NodeGroupModel* smallest = nullptr;  // group with the least memory
  const NodeGroupModel* slowest = nullptr;   // group with the lowest peak at the workload's precision
  Value<Bytes> memory;                       // of one GPU
  Value<FlopsPerSecond> peak;
  std::int64_t nvlink_domain = 0;  // GPUs that reach each other over NVLink, the fewest of all groups
  std::string missing;             // what a GPU part lacks: "the memory of 'x'", "the peak of 'x' at this precision"
};
std::optional<WorkloadGpus> gpus_of(const Cluster&, const Workload&);  // nullopt: it names no group with GPUs

}  // namespace clusterc
