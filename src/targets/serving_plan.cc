// Which split of a copy serves best, and how many copies a rate needs.
#include <algorithm>
#include <cmath>

#include "spec/workload.h"
#include "targets/serving.h"

namespace clusterc {
namespace {

constexpr double kMostGpus = 4096;  // of one copy: beyond what anybody serves from

// Splits of n GPUs that engines have: tensor parallelism inside a unit, stages beyond it, experts spread with
// data-parallel attention.
std::vector<ServingCopy> splits_of(const ServingNeeds& n, const TrainingMachine& m, double gpus) {
  const double inside = std::exp2(std::floor(std::log2(std::max(1.0, m.unit.gpus))));
  std::vector<ServingCopy> out;
  for (double stages = 1; stages <= std::min(gpus, n.model.layers); stages *= 2)
    out.push_back(serving_copy(n, {gpus / stages, stages, 1}, m));
  if (n.model.experts > 1 && gpus > 1 && gpus <= n.model.experts)
    for (double tensor = 1; tensor < std::min(gpus, inside); tensor *= 2)
      out.push_back(serving_copy(n, {tensor, 1, gpus / tensor}, m));
  return out;
}

double per_gpu(const ServingCopy& c) { return c.tokens_per_second / c.split.gpus(); }
bool holds(const ServingCopy& c) { return c.fits && !c.tight; }

// GPUs that the rate needs from copies like this; with prompts apart, the copies for these included.
struct Wanted {
  double copies = 0, prompt_copies = 0, gpus = 0;
};
Wanted wanted(const ServingNeeds& n, const ServingCopy& c) {
  Wanted w;
  if (n.rate <= 0 || c.tokens_per_second <= 0) return w;
  w.copies = std::ceil(n.rate / c.tokens_per_second - 1e-9);
  if (n.apart && c.prompts_per_second > 0)
    w.prompt_copies =
        std::ceil(n.rate / n.load.output / c.prompts_per_second / 0.8 - 1e-9);  // busy for 0.8 of the time
  w.gpus = (w.copies + w.prompt_copies) * c.split.gpus();
  return w;
}

// Stages, which double the latency, and a larger copy must be worth it.
double more_of(const ServingCopy& a, const ServingCopy& b) {
  return a.split.pipeline > b.split.pipeline ? 1.1 : a.split.pipeline < b.split.pipeline ? 0.9 : 1.02;
}

bool better(const ServingNeeds& n, const ServingCopy& a, const ServingCopy& b) {
  if (a.meets != b.meets) return a.meets;
  const double needs_a = wanted(n, a).gpus, needs_b = wanted(n, b).gpus;
  const double much = more_of(a, b);
  if (needs_a > 0 && needs_b > 0 && needs_a != needs_b) return needs_a * (much > 1.05 ? much : 1) < needs_b;
  return per_gpu(a) > per_gpu(b) * much;
}

}  // namespace

std::optional<ServingPlan> plan_serving(const ServingNeeds& needs, const TrainingMachine& m,
                                        const std::optional<ServingSplit>& written) {
  if (m.memory.value <= 0) return std::nullopt;
  ServingPlan plan;
  plan.needs = needs;
  ServingNeeds& n = plan.needs;
  if (n.load.held <= 0) n.load = serving_load(Workload{}, n.model.sequence);
  // Beyond one unit and twice the fewest GPUs copies only become slower.
  double most = std::max(1.0, std::min(m.gpus, std::max(8.0, m.unit.gpus)));
  for (double gpus = 1; gpus <= kMostGpus && (!plan.least || gpus <= most); gpus *= 2) {
    const ServingCopy* first = nullptr;
    const std::vector<ServingCopy> found = splits_of(n, m, gpus);
    for (const ServingCopy& c : found) {
      if (!holds(c)) continue;
      if (!first || per_gpu(c) > per_gpu(*first) * more_of(c, *first)) first = &c;
      if (gpus <= std::max(most, plan.least ? 2 * plan.least->split.gpus() : kMostGpus) &&
          (!plan.best || better(n, c, *plan.best)))
        plan.best = c;
    }
    if (first && !plan.least) plan.least = *first;
  }
  if (written) plan.written = serving_copy(n, *written, m);
  plan.used = plan.written && holds(*plan.written) ? *plan.written
              : plan.best                          ? *plan.best
              : plan.written                       ? *plan.written
                                                   : serving_copy(n, {m.gpus, 1, 1}, m);
  if (!plan.used.fits) return plan;
  const ServingCopy& u = plan.used;
  plan.copies = std::floor(m.gpus / u.split.gpus());
  plan.longest_request = std::floor(u.room / u.split.data);
  const double beside = n.load.longest * n.kv_token / std::max(1.0, std::min(m.gpus, n.latent ? 1 : n.model.kv_heads));
  plan.largest_model = std::max(0.0, (m.memory.value * kUsableMemory - beside) * m.gpus / n.weight_bytes);
  plan.tokens_per_second = plan.copies * u.tokens_per_second;
  if (n.apart && u.prompts_per_second > 0) {
    // The division of the copies that answers most.
    plan.tokens_per_second = 0;
    for (double prompts = 1; prompts < plan.copies; ++prompts) {
      const double rate =
          std::min((plan.copies - prompts) * u.tokens_per_second, prompts * u.prompts_per_second * 0.8 * n.load.output);
      if (rate > plan.tokens_per_second) plan.tokens_per_second = rate, plan.prompt_copies = prompts;
      if (rate < plan.tokens_per_second) break;
    }
  }
  const Wanted w = wanted(n, u);
  plan.copies_wanted = w.copies, plan.prompt_copies_wanted = w.prompt_copies, plan.gpus_wanted = w.gpus;
  plan.curve = serving_curve(n, u, m);
  return plan;
}

}  // namespace clusterc
