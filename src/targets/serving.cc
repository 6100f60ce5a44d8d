#include "targets/serving.h"

#include <algorithm>
#include <cmath>

namespace clusterc {

double kv_bytes_of_token(const Transformer& t, const Workload& w) {
  if (w.model && w.model->kv_per_token) return w.model->kv_per_token->value;
  return kv_per_token(t.layers, t.kv_heads, t.head_size, bytes_of_precision(w.kv_precision.value_or("bf16"))).value;
}

ServingCopy serving_copy(const ServingNeeds& needs, double gpus, const TrainingMachine& m) {
  const Transformer& t = needs.model;
  ServingCopy c;
  c.gpus = gpus;
  c.weights = t.parameters * needs.weight_bytes / gpus;
  // Heads are not divided: beyond one for each GPU they are copied.
  const double share = std::min(gpus, t.kv_heads), kv_each = needs.kv_token / share, have = m.memory.value;
  c.room = kv_each > 0 ? std::max(0.0, std::floor((have * kUsableMemory - c.weights) / kv_each)) : 0;
  c.tokens = needs.tokens_held > 0 ? needs.tokens_held : c.room;
  c.kv = c.tokens * kv_each;
  c.filled = have > 0 ? (c.weights + c.kv) / have : 0;
  c.fits = c.filled <= 1 && (needs.tokens_held > 0 || c.room >= t.sequence);
  c.tight = c.fits && c.filled > kUsableMemory + 1e-9;
  c.sequences = std::floor(c.tokens / t.sequence);
  if (!c.fits || c.sequences < 1 || m.bandwidth.value <= 0) return c;
  // Of the experts only those are read that some sequence's token goes to.
  const double shared = t.expert_parameters(), asked = t.experts > 0 ? 1 - std::pow(1 - t.experts_per_token / t.experts, c.sequences) : 1;
  const double read = (t.parameters - shared + shared * asked) * needs.weight_bytes / gpus;
  c.memory_time = (read + c.kv) / m.bandwidth.value;
  c.matrix_time = m.matrices.value > 0 ? 2 * t.active * c.sequences / (gpus * m.matrices.value) : 0;
  if (gpus > 1) {
    const Bytes message(2 * t.hidden * c.sequences);
    const auto one = gpus <= m.unit.gpus ? all_reduce_time_inside(m.unit, gpus, message) : all_reduce_time(m.unit, std::ceil(gpus / m.unit.gpus), message);
    c.tensor_time = one ? 2 * t.layers * one->value : 0;
  }
  c.step = std::max(c.memory_time, c.matrix_time) + c.tensor_time;
  c.tokens_per_second = c.sequences / c.step;
  return c;
}

std::optional<ServingPlan> plan_serving(const ServingNeeds& needs, const TrainingMachine& m, double split_gpus) {
  if (m.memory.value <= 0) return std::nullopt;
  ServingPlan plan;
  plan.needs = needs;
  constexpr double kMostGpus = 4096;             // of one copy: beyond what anybody serves from
  for (double n = 1; n <= kMostGpus; n *= 2) {
    const ServingCopy c = serving_copy(needs, n, m);
    if (!c.fits) continue;
    plan.least = c;
    break;
  }
  if (split_gpus > 0) plan.written = serving_copy(needs, split_gpus, m);
  plan.used = plan.written && plan.written->fits ? *plan.written : plan.least ? *plan.least : plan.written ? *plan.written : serving_copy(needs, m.gpus, m);
  if (!plan.used.fits) return plan;
  plan.copies = std::floor(m.gpus / plan.used.gpus);
  plan.tokens_per_second = plan.copies * plan.used.tokens_per_second;
  if (needs.rate > 0 && plan.used.tokens_per_second > 0) {
    plan.copies_wanted = std::ceil(needs.rate / plan.used.tokens_per_second);
    plan.gpus_wanted = plan.copies_wanted * plan.used.gpus;
  }
  return plan;
}

}  // namespace clusterc
