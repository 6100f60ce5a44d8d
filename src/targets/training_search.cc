#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "spec/workload.h"
#include "targets/training.h"

namespace clusterc {
namespace {

double round_down_power(double n) { return std::exp2(std::floor(std::log2(std::max(1.0, n)))); }

std::vector<double> powers(double most) {
  std::vector<double> out;
  for (double n = 1; n <= most; n *= 2) out.push_back(n);
  return out;
}

std::vector<double> divisors(double of, double most) {
  std::vector<double> low, high;
  if (of != std::floor(of)) return low;
  const auto whole = static_cast<std::uint64_t>(of);
  for (std::uint64_t n = 1; static_cast<double>(n) <= most && n * n <= whole; ++n)
    if (whole % n == 0) {
      low.push_back(static_cast<double>(n));
      if (const std::uint64_t other = whole / n; other != n && static_cast<double>(other) <= most)
        high.push_back(static_cast<double>(other));
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

// Stages of a pipeline: as many as divide the layers, and powers of two, whose last stages may have a layer less.
std::vector<double> stages(double layers, double most) {
  std::vector<double> out = divisors(layers, std::min(128.0, most));
  for (const double n : powers(std::min({64.0, layers, most}))) out.push_back(n);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Recompute recompute_of(std::string_view word) {
  return word == "full"        ? Recompute::full
         : word == "selective" ? Recompute::selective
         : word == "alternate" ? Recompute::alternate
                               : Recompute::none;
}

// The fewest layers of a stage that must be recomputed so that the rest fits, where it does with all of them; 0: all.
double fewest_layers(const TrainingJob& job, Layout l, double limit) {
  const double stage = job.model.layers / l.pipeline;
  l.recompute = Recompute::full;
  l.recompute_layers = 0;
  if (stage < 2) return 0;
  double low = 0, high = std::ceil(stage);  // low does not fit
  while (high - low > 1) {
    l.recompute_layers = std::floor((low + high) / 2);
    (training_memory(job, l).total() <= limit ? high : low) = l.recompute_layers;
  }
  return high < stage ? high : 0;
}

struct Search {
  const TrainingJob& job;
  const TrainingMachine& m;
  const ModelSplit* given;
  double limit;
  LayoutSearch out;

  void take(const LayoutChoice& c) {
    if (!out.best || c.time.total() < out.best->time.total()) out.best = c;
    // The five fastest, kept sorted, each the fastest of its tensor, pipeline, expert and recomputation.
    const auto alike = std::find_if(out.fastest.begin(), out.fastest.end(), [&](const LayoutChoice& other) {
      const Layout &a = other.layout, &b = c.layout;
      return a.tensor == b.tensor && a.pipeline == b.pipeline && a.expert == b.expert && a.recompute == b.recompute;
    });
    if (alike != out.fastest.end()) {
      if (alike->time.total() <= c.time.total()) return;
      out.fastest.erase(alike);
    }
    const auto at = std::upper_bound(out.fastest.begin(), out.fastest.end(), c,
                                     [](const auto& a, const auto& b) { return a.time.total() < b.time.total(); });
    if (at == out.fastest.end() && out.fastest.size() >= 5) return;
    out.fastest.insert(at, c);
    if (out.fastest.size() > 5) out.fastest.pop_back();
  }
  // False: does not fit.
  bool attempt(const Layout& l) {
    ++out.tried;
    const TrainingMemory memory = training_memory(job, l);
    if (!out.smallest || memory.total() < out.smallest->memory.total()) out.smallest = LayoutChoice{l, {}, memory};
    if (memory.total() > limit) return false;
    ++out.fitting;
    take({l, step_time(job, l, m), memory});
    return true;
  }
  // True: one of them fits.
  bool recomputations(Layout l) {
    if (given && given->recompute) {
      l.recompute = recompute_of(*given->recompute);
      l.recompute_layers = given->recompute_layers ? static_cast<double>(*given->recompute_layers) : 0;
      return attempt(l);
    }
    l.recompute = Recompute::none;
    if (attempt(l)) return true;  // nothing done again is faster
    // All layers done again take the least where a stage has two or more: if that does not fit, nothing does.
    l.recompute = Recompute::full;
    if (const TrainingMemory least = training_memory(job, l);
        job.model.layers / l.pipeline >= 2 && least.total() > limit) {
      out.tried += 2;
      if (least.total() < out.smallest->memory.total()) out.smallest = LayoutChoice{l, {}, least};
      return false;
    }
    l.recompute = Recompute::alternate;
    const bool alternate = attempt(l);
    l.recompute = Recompute::full;
    l.recompute_layers = fewest_layers(job, l, limit);
    return attempt(l) || alternate;
  }
  // PyTorch's plain loss where it fits; else one that is compiled or fused.
  void losses(Layout l) {
    const bool pytorch = l.sharded == Sharding::all && job.model.vocabulary > 0;
    l.fused_loss = pytorch && job.fused_loss.value_or(false);
    if (recomputations(l) || !pytorch || job.fused_loss) return;
    l.fused_loss = true;
    recomputations(l);
  }
};

}  // namespace

LayoutSearch search_layouts(const TrainingJob& job, const TrainingMachine& m, const ModelSplit* given) {
  const Transformer& t = job.model;
  const auto whole = [](const Value<std::int64_t>& v, std::int64_t other = 1) {
    return static_cast<double>(v.value_or(other));
  };
  const auto only = [](double n) { return std::vector<double>{n}; };
  const double inside = round_down_power(m.unit.gpus), limit = m.memory.value * kUsableMemory;
  Search search{job, m, given, limit, {}};
  std::vector<Sharding> shardings{Sharding::optimizer, Sharding::all};
  if (given) shardings = {sharding_of(given->sharded.value_or("none"))};
  const std::vector<double> batch_divisors = divisors(job.batch, m.gpus);
  const auto tensors = given ? only(whole(given->tensor)) : powers(std::min(inside, t.heads));
  for (const double tensor : tensors)
    for (const double pipeline : given ? only(whole(given->pipeline)) : stages(t.layers, m.gpus / tensor))
      for (const double context : given ? only(whole(given->context))
                                        : powers(std::min(t.sequence >= 8192 ? 16.0 : 1.0, m.gpus / tensor / pipeline)))
        for (const double micro :
             given && given->micro_batch ? only(whole(given->micro_batch)) : powers(std::min(8.0, job.batch))) {
          const auto schedule =
              given && given->schedule ? schedule_of(*given->schedule) : PipelineSchedule::one_f_one_b;
          Layout l{
              .tensor = tensor, .pipeline = pipeline, .context = context, .micro_batch = micro, .schedule = schedule};
          const std::string_view offload = given ? std::string_view(given->offload.value_or("")) : "";
          l.offload_optimizer = offload == "optimizer" || offload == "all";
          l.offload_activations = offload == "activations" || offload == "all";
          if (l.copy() > m.gpus || micro > job.batch) continue;
          // Copies that divide the batch evenly, as many as the GPUs give; what the spec writes stands.
          const double most = std::floor(m.gpus / l.copy());
          if (given && given->data) {
            l.data = whole(given->data);
            if (l.data > most) continue;
          } else {
            const auto fits_batch = [&](double d) { return d <= most && std::fmod(job.batch, d * micro) == 0; };
            const auto d = std::find_if(batch_divisors.rbegin(), batch_divisors.rend(), fits_batch);
            if (d == batch_divisors.rend()) continue;
            l.data = *d;
          }
          const double n = std::max(1.0, std::round(job.batch / (l.data * micro))), replicas = l.data * l.context;
          const auto experts = given && (given->expert || t.experts <= 0) ? only(whole(given->expert))
                               : t.experts > 0 ? powers(std::min({t.experts, replicas, std::max(64.0, inside)}))
                                               : only(1);
          const bool chunks = pipeline > 1 && n >= pipeline &&
                              std::fmod(n, pipeline) == 0;  // interleaving needs whole rounds of micro batches
          const auto interleaves = given && given->interleave ? only(whole(given->interleave))
                                   : chunks && schedule == PipelineSchedule::one_f_one_b
                                       ? std::vector<double>{1, divisors(std::ceil(t.layers / pipeline), 32).back()}
                                       : only(1);
          for (const double expert : experts)
            for (const double interleave : interleaves)
              for (const Sharding sharded : shardings) {
                // Weights that are gathered for each micro batch of a pipeline travel too often: nobody runs both.
                if (!given && sharded == Sharding::all && pipeline > 1) continue;
                l.expert = expert;
                l.interleave = interleave;
                l.sharded = sharded;
                search.losses(l);
              }
        }
  LayoutSearch& out = search.out;
  if (out.smallest) out.smallest->time = step_time(job, out.smallest->layout, m);
  return std::move(out);
}

}  // namespace clusterc
