#include "targets/workloads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "model/availability.h"
#include "model/nvlink.h"
#include "spec/nodes.h"
#include "spec/workload.h"
#include "targets/training.h"

namespace clusterc {

std::string number(double n) {
  for (const auto& [unit, power] : {std::pair{1e12, "e12"}, std::pair{1e9, "e9"}, std::pair{1e6, "e6"}})
    if (n >= unit) return format("{:.4g}{}", n / unit, power);
  return format("{:.6g}", n);
}

Sharding sharding_of(std::string_view word) {
  if (word == "optimizer") return Sharding::optimizer;
  if (word == "gradients") return Sharding::gradients;
  return word == "all" ? Sharding::all : Sharding::none;
}

std::string_view sharding_word(Sharding s) {
  switch (s) {
    case Sharding::none:
      return "none";
    case Sharding::optimizer:
      return "optimizer";
    case Sharding::gradients:
      return "gradients";
    case Sharding::all:
      break;
  }
  return "all";
}

ModelState model_state(double parameters, double model_parallel, double data, Sharding sharded, double trained,
                       double optimizer, double frozen) {
  const double each = parameters / model_parallel,
               moving = trained > 0 ? std::min(trained, parameters) / model_parallel : each;
  const bool weights = sharded == Sharding::all, gradients = weights || sharded == Sharding::gradients,
             states = gradients || sharded == Sharding::optimizer;
  return {(2 * moving + frozen * (each - moving)) / (weights ? data : 1), 2 * moving / (gradients ? data : 1),
          optimizer * moving / (states ? data : 1)};
}

Bytes training_state(double parameters, double model_parallel, double data, Sharding sharded, double trained,
                     double optimizer, double frozen) {
  return Bytes(model_state(parameters, model_parallel, data, sharded, trained, optimizer, frozen).total());
}

double optimizer_bytes(std::string_view word) {
  return word == "adam-8bit" ? 4 + 1 + 1 : word == "sgd" ? 4 + 4 : kAdamBytes;
}

Bytes least_activations(double layers, double hidden, double sequence, double tensor) {
  return Bytes(2 * sequence * hidden * layers / tensor);
}

Bytes kv_per_token(double layers, double kv_heads, double head_dim, double bytes) {
  return Bytes(2 * layers * kv_heads * head_dim * bytes);
}

bool is_narrow(std::string_view precision) { return precision == "fp8" || precision == "fp4"; }

double bytes_of_precision(std::string_view precision) {
  if (precision == "fp64") return 8;
  if (precision == "fp32") return 4;
  if (precision == "fp8") return 1;
  return precision == "fp4" ? 0.5 : 2;
}

const Value<FlopsPerSecond>& peak_of(const GpuPart& gpu, std::string_view precision) {
  if (precision == "fp64") return gpu.fp64_tensor.or_else(gpu.fp64);
  if (precision == "fp32")
    return gpu.tf32.or_else(gpu.fp32);  // matrix products in FP32 run as TF32 where the GPU has it
  if (precision == "fp8") return gpu.fp8;
  return precision == "fp4" ? gpu.fp4 : gpu.bf16;  // FP16 has the peak of BF16
}

double trained_parameters(const Workload& w) {
  if (w.kind.value_or("training") != "fine-tuning") return 0;
  if (w.trained_parameters || !w.lora || !w.lora->rank || !w.model) return w.trained_parameters.value_or(0);
  ModelShape shape = *w.model;
  if (!shape.sequence) shape.sequence.value = 1;  // adapters do not depend on it
  std::string_view missing;
  const auto model = read_transformer(shape, missing);
  return model ? adapters_of(*model, *w.lora).parameters : 0;
}

double frozen_bytes(const Workload& w) {
  const std::string stored = w.weight_precision.value_or("bf16");
  return trained_parameters(w) <= 0 ? 2
         : stored == "fp4"          ? (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8
                                    : bytes_of_precision(stored);
}

std::optional<double> training_operations(const Workload& w) {
  if (!w.train || !w.train->tokens || !w.model) return std::nullopt;
  const Value<double>& each = w.model->active_parameters.or_else(w.model->parameters);
  if (!each) return std::nullopt;
  return operations_of_parameter(trained_share(trained_parameters(w), w.model->parameters.value_or(*each))) * *each *
         static_cast<double>(*w.train->tokens);
}

double implied_utilisation(double operations, double gpus, FlopsPerSecond peak, Seconds within) {
  return operations / (gpus * peak.value * within.value);
}

Seconds run_time(double operations, double gpus, FlopsPerSecond peak, double utilisation) {
  return Seconds(operations / (gpus * peak.value * utilisation));
}

double gpu_hours_of_interruptions(const Cluster& c, const Workload& w) {
  constexpr double kHoursOfMonth = 365.25 * 24 / 12;
  const double faults = w.gpu_hours_per_interruption.value_or(kGpuHoursPerInterruption);
  double gpus = 0, taken = 0;  // instances an hour
  for (const auto& on : w.on) {
    const int at = c.find_node_group(on.name);
    if (at < 0 || !on.value) continue;
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(at)];
    if (!g.server.gpu || g.server.gpu_count == 0) continue;
    gpus += static_cast<double>(*on.value * g.server.gpu_count);
    if (g.spec && g.spec->spot)
      taken += static_cast<double>(*on.value) * g.spec->spot->interrupted.value_or(0) / kHoursOfMonth;
  }
  return gpus > 0 && taken > 0 ? 1 / (1 / faults + taken / gpus) : faults;
}

Seconds best_checkpoint_interval(Seconds checkpoint, Seconds between) {
  return Seconds(std::sqrt(2 * checkpoint.value * between.value));
}

Seconds daly_checkpoint_interval(Seconds checkpoint, Seconds between) {
  const double x = checkpoint / (2 * between);
  return x >= 1 ? between
                : Seconds(best_checkpoint_interval(checkpoint, between).value * (1 + std::sqrt(x) / 3 + x / 9) -
                          checkpoint.value);
}

double goodput(Seconds checkpoint, Seconds interval, Seconds restart, Seconds between) {
  return 1 - checkpoint / interval - (interval.value / 2 + restart.value) / between.value;
}

std::optional<WorkloadGpus> gpus_of(const Cluster& c, const Workload& w) {
  WorkloadGpus out;
  for (const auto& on : w.on) {
    const int at = c.find_node_group(on.name);
    if (at < 0 || !on.value) continue;
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(at)];
    if (!g.server.gpu || g.server.gpu_count == 0) continue;
    out.nodes += *on.value;
    out.gpus += *on.value * g.server.gpu_count;
    const auto same =
        std::find_if(out.kinds.begin(), out.kinds.end(), [&](const GpuKind& k) { return k.gpu == g.server.gpu_model; });
    (same == out.kinds.end() ? out.kinds.emplace_back(GpuKind{g.server.gpu_model, 0}) : *same).count +=
        *on.value * g.server.gpu_count;
    const GpuPart& gpu = *g.server.gpu;
    out.groups.push_back(&g);
    if (!gpu.memory)
      out.missing = format("the memory of '{}'", g.server.gpu_model);
    else if (!out.memory || *gpu.memory < *out.memory)
      out.memory = gpu.memory, out.smallest = &g;
    const Value<FlopsPerSecond>& peak = peak_of(gpu, w.precision.value_or("bf16"));
    if (!peak && out.missing.empty()) out.missing = format("the peak of '{}' at this precision", g.server.gpu_model);
    if (peak && (!out.peak || *peak < *out.peak)) out.peak = peak, out.slowest = &g;
    const std::int64_t joined = gpus_joined_by_nvlink(c, g);
    out.nvlink_domain = out.nvlink_domain == 0 ? joined : std::min(out.nvlink_domain, joined);
  }
  if (out.gpus == 0) return std::nullopt;
  return out;
}

}  // namespace clusterc
