#include "targets/serving.h"

#include <algorithm>
#include <cmath>

#include "spec/workload.h"
#include "targets/sends.h"

namespace clusterc {

ServingNeeds serving_needs(const Transformer& t, const Workload& w) {
  ServingNeeds needs{.model = t, .weight_bytes = bytes_of_precision(w.precision.value_or("bf16"))};
  needs.kv_token =
      w.model && w.model->kv_per_token
          ? w.model->kv_per_token->value
          : kv_per_token(t.layers, t.kv_heads, t.head_size, bytes_of_precision(w.kv_precision.value_or("bf16"))).value;
  if (w.batch && w.batch->tokens) needs.tokens_held = static_cast<double>(*w.batch->tokens);
  needs.rate = w.tokens_per_second.value_or(0);
  return needs;
}

ServingCopy serving_copy(const ServingNeeds& needs, const ServingSplit& split, const TrainingMachine& m) {
  const Transformer& t = needs.model;
  ServingCopy c;
  c.split = split;
  const double gpus = split.gpus();
  c.weights = t.parameters * needs.weight_bytes / gpus;
  // Heads are not divided: beyond one for each GPU they are copied. A stage has those of its layers.
  const double share = std::min(split.tensor, t.kv_heads) * split.pipeline, kv_each = needs.kv_token / share,
               have = m.memory.value;
  c.room = kv_each > 0 ? std::max(0.0, std::floor((have * kUsableMemory - c.weights) / kv_each)) : 0;
  c.tokens = needs.tokens_held > 0 ? needs.tokens_held : c.room;
  c.kv = c.tokens * kv_each;
  c.filled = have > 0 ? (c.weights + c.kv) / have : 0;
  c.fits = c.filled <= 1 && (needs.tokens_held > 0 || c.room >= t.sequence);
  c.tight = c.fits && c.filled > kUsableMemory + 1e-9;
  c.sequences = std::floor(c.tokens / t.sequence);
  if (!c.fits || c.sequences < 1 || m.bandwidth.value <= 0) return c;
  // Of the experts only those are read that some sequence's token goes to.
  const double part = std::max(1.0, c.sequences / split.pipeline);
  const double shared = t.expert_parameters(),
               asked = t.experts > 0 ? 1 - std::pow(1 - t.experts_per_token / t.experts, part) : 1;
  const double read = (t.parameters - shared + shared * asked) * needs.weight_bytes / gpus;
  c.memory_time = split.pipeline * (read + c.kv * part / c.sequences) / m.bandwidth.value;
  c.matrix_time = m.matrices.value > 0 ? 2 * t.active * part / (split.tensor * m.matrices.value) : 0;
  if (split.tensor > 1) {
    const Bytes message(2 * t.hidden * part);
    const auto one = split.tensor <= m.unit.gpus
                         ? all_reduce_time_inside(m.unit, split.tensor, message)
                         : all_reduce_time(m.unit, std::ceil(split.tensor / m.unit.gpus), message);
    c.tensor_time = one ? 2 * t.layers * one->value : 0;
  }
  if (split.pipeline > 1)
    c.pipeline_time =
        (split.pipeline - 1) * send_time(m.unit, gpus <= m.unit.gpus, Bytes(2 * t.hidden * part / split.tensor)).value;
  c.step = std::max(c.memory_time, c.matrix_time) + c.tensor_time + c.pipeline_time;
  c.tokens_per_second = c.sequences / c.step;
  return c;
}

std::optional<ServingSplit> serving_split(const Workload& w) {
  if (!w.split) return std::nullopt;
  return ServingSplit{static_cast<double>(w.split->tensor.value_or(1)),
                      static_cast<double>(w.split->pipeline.value_or(1))};
}

std::optional<ServingPlan> plan_serving(const ServingNeeds& needs, const TrainingMachine& m,
                                        const std::optional<ServingSplit>& written) {
  if (m.memory.value <= 0) return std::nullopt;
  ServingPlan plan;
  plan.needs = needs;
  constexpr double kMostGpus = 4096;  // of one copy: beyond what anybody serves from
  const double inside = std::exp2(std::floor(std::log2(std::max(1.0, m.unit.gpus))));
  for (double n = 1; n <= kMostGpus; n *= 2) {
    ServingCopy c = serving_copy(needs, {n, 1}, m);
    if (n > inside &&
        n / inside <=
            needs.model.layers)  // beyond one unit stages may be faster than layers that are shared over the network
      if (const ServingCopy stages = serving_copy(needs, {inside, n / inside}, m);
          !c.fits || c.tight || stages.tokens_per_second > c.tokens_per_second)
        c = stages;
    // Keys and values are not divided further by GPUs beyond the key-value heads; by stages they are.
    for (double stages = 2; (!c.fits || c.tight) && stages <= std::min(n, needs.model.layers); stages *= 2)
      if (const ServingCopy s = serving_copy(needs, {n / stages, stages}, m); s.fits && !s.tight) c = s;
    if (!c.fits || c.tight) continue;
    plan.least = c;
    break;
  }
  if (written) plan.written = serving_copy(needs, *written, m);
  plan.used = plan.written && plan.written->fits && !plan.written->tight ? *plan.written
              : plan.least                                               ? *plan.least
              : plan.written                                             ? *plan.written
                                                                         : serving_copy(needs, {m.gpus, 1}, m);
  if (!plan.used.fits) return plan;
  plan.copies = std::floor(m.gpus / plan.used.split.gpus());
  plan.tokens_per_second = plan.copies * plan.used.tokens_per_second;
  if (needs.rate > 0 && plan.used.tokens_per_second > 0) {
    plan.copies_wanted = std::ceil(needs.rate / plan.used.tokens_per_second);
    plan.gpus_wanted = plan.copies_wanted * plan.used.split.gpus();
  }
  return plan;
}

}  // namespace clusterc
