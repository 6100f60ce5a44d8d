#include "targets/training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "spec/workload.h"
#include "targets/published.h"
#include "targets/sends.h"

namespace clusterc {
namespace {

// Share of the dense 16-bit peak that fused attention reaches over forward and backward with a causal mask: 350 of 989
// (H100) to 190 of 312 TFLOP/s (A100) in T. Dao, FlashAttention-2, arXiv 2307.08691, figures 4 to 7, 400 to 550 of 989
// in J. Shah et al., FlashAttention-3, arXiv 2407.08608, figures 5 and 6.
constexpr double kAttentionShare = 0.5;
constexpr double kAttentionBackward = 2.5;  // five products backward for two forward (FlashAttention-2, section 3.1)
constexpr double kHeldByOptimizer =
    28;  // bytes of a parameter that Adam reads and writes: gradient 2, master and two moments 12 + 12, weight 2

// Of the all-reduces of tensor parallelism half is hidden behind matrices on Hopper and later: 52 % in both runs of
// pytorch/torchtitan (benchmarks/asyncTP_llama3_h100_2025-06: 597.3 to 652.4 tokens/s on 70B, 5,078 to 5,570 on 8B,
// over the time that they take by the formulas here). No such figure is published for older parts.
constexpr double kTensorHidden = 0.5;

// Where no rate of the part is published: the median share of the peak that others show (16 bit: A100 0.85, H100 0.79,
// B200 0.76; 8 bit: H100 0.69, H200 0.72, B200 0.75, GB200 0.71), and of the memory's data sheet (A100 0.83, H100 0.89,
// H200 0.86, GB200 0.92).
constexpr double kMatrixShare16 = 0.79, kMatrixShare8 = 0.71, kTriadShare = 0.87;

// Bytes of the loss for each token and word of the vocabulary. Megatron (core/tensor_parallel/cross_entropy.py): logits
// in 16 bit, their 32-bit copy, soft-maxed and turned into the gradient in place. PyTorch's cross_entropy on 32-bit
// logits: logarithm of the softmax, its gradient, and the gradient of the likelihood, 4 each; with FSDP that is what is
// used unless the loss is compiled or fused.
constexpr double kLossInPlace = 6, kLossPlain = 12;

// Share of what PyTorch's caching allocator holds that is in pieces nobody can use: 15 % on average over eight models,
// up to 33 % (C. Guo et al., GMLake, ASPLOS 2024, arXiv 2401.08156, abstract).
constexpr double kFragmented = 0.15;

bool narrow(std::string_view precision) { return precision == "fp8" || precision == "fp4"; }

FlopsPerSecond matrix_rate(const GpuPart& gpu, std::string_view id, std::string_view precision, std::string& from) {
  const Value<FlopsPerSecond>& peak = peak_of(gpu, precision);
  if (!peak) return {};
  if (const PublishedRow* row =
          find_published(precision == "fp16" ? "matrices.bf16" : "matrices." + std::string(precision), id)) {
    from = row->source;
    return FlopsPerSecond(*row->typical);
  }
  const double share = narrow(precision) ? kMatrixShare8 : kMatrixShare16;
  from = format("{} x {}, the share that parts with a published rate show", share, to_text(*peak));
  return *peak * share;
}

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

}  // namespace

double Transformer::kept_per_token() const {
  // Inputs of both norms, what they give, queries, keys and values, what attention gives; and in the feed-forward layer
  // what goes through its nonlinearity.
  const double through = (gated ? 3 : 2) * ffn * std::max(1.0, experts_per_token);
  return 2 * (4 * hidden + 2 * query() + 2 * keys() + through);
}

double Transformer::kept_alternate() const {
  // The layer's input, products 1, 3, 5, 7 (queries, values, gate, down; without a gate there is no seventh), what
  // attention gives.
  return 2 * (hidden + query() + keys() + ffn * std::max(1.0, experts_per_token) + (gated ? hidden : 0) + query());
}

double Transformer::alternate_share() const {
  const double through = ffn * std::max(1.0, experts_per_token),
               all = 2 * query() + 2 * keys() + (gated ? 3 : 2) * through;
  return all > 0 ? (keys() + query() + through) / all : 0;
}

double TrainingMemory::reserved() const { return total() / (1 - kFragmented); }

double TrainingJob::flops_per_token() const {
  return operations_of_parameter(trained_share()) * model.matrix_parameters() +
         6 * model.layers * model.query() * model.sequence;
}

std::vector<ModelContradiction> contradictions(const ModelShape& m) {
  const auto more = [](double a, double b) { return a > b * (1 + 1e-9); };
  const auto whole = [](const Value<std::int64_t>& v) { return v ? static_cast<double>(*v) : 0.0; };
  const double all = m.parameters.value_or(0), active = m.active_parameters.value_or(all), experts = whole(m.experts),
               chosen = whole(m.experts_per_token);
  std::vector<ModelContradiction> out;
  if (chosen > experts && experts > 0)
    out.push_back({m.experts_per_token.span,
                   m.experts.span,
                   format("sends each token to {} experts, but it has {}", chosen, experts),
                   {}});
  if (all <= 0) return out;
  if (more(active, all))
    out.push_back({m.active_parameters.span,
                   m.parameters.span,
                   format("has {} active parameters, but only {} in total", number(active), number(all)),
                   {}});
  const bool some = active < all && experts > 0 && chosen > 0 && chosen <= experts;  // experts are chosen
  if (some && more(all * chosen / experts, active)) {
    out.push_back({m.active_parameters.span, m.experts_per_token.span,
                   format("has {} active parameters, but with {} of its {} experts it has at least {}", number(active),
                          chosen, experts, number(all * chosen / experts)),
                   format("{} x {} / {}, were all of it experts", number(all), chosen, experts)});
    return out;
  }
  // What is no expert's holds the vocabulary's table.
  const double outside =
                   some ? std::max(0.0, all - experts * (all - active) / (experts - chosen)) : std::min(active, all),
               table = whole(m.vocabulary) * whole(m.hidden);
  if (table > 0 && more(table, outside))
    out.push_back({m.vocabulary.span, m.parameters.span,
                   format("has {} parameters{}, but its embedding table has {}", number(outside),
                          some ? " outside its experts" : "", number(table)),
                   format("{} x {} `hidden`", *m.vocabulary, *m.hidden)});
  return out;
}

std::optional<Transformer> read_transformer(const ModelShape& m, std::string_view& missing) {
  const auto whole = [](const Value<std::int64_t>& v) { return v ? static_cast<double>(*v) : 0.0; };
  Transformer t;
  t.parameters = m.parameters.value_or(0);
  t.layers = whole(m.layers);
  t.hidden = whole(m.hidden);
  t.sequence = whole(m.sequence);
  missing = t.parameters <= 0 ? "parameters"
            : t.layers <= 0   ? "layers"
            : t.hidden <= 0   ? "hidden"
            : t.sequence <= 0 ? "sequence"
                              : "";
  if (!missing.empty() || !contradictions(m).empty()) return std::nullopt;
  t.active = std::min(t.parameters, m.active_parameters.value_or(t.parameters));
  t.experts = whole(m.experts);
  t.experts_per_token = whole(m.experts_per_token);
  if (t.active < t.parameters && (t.experts < 2 || t.experts_per_token < 1)) {
    missing = t.experts < 2 ? "experts" : "experts_per_token";
    return std::nullopt;
  }
  if (t.active >= t.parameters) t.experts = t.experts_per_token = 0;
  t.head_size = m.head_size ? whole(m.head_size) : m.heads ? t.hidden / whole(m.heads) : 128;
  t.heads_assumed = !m.heads;
  t.heads = m.heads ? whole(m.heads) : std::max(1.0, std::round(t.hidden / t.head_size));
  t.kv_heads = m.kv_heads ? whole(m.kv_heads) : t.heads;
  t.vocabulary_assumed = !m.vocabulary;
  t.vocabulary = whole(m.vocabulary);
  const double attention = t.hidden * (2 * t.query() + 2 * t.keys());
  const auto tables_fit = [&](bool tied) { return tied || 2 * t.head_parameters() <= t.active; };
  if (t.experts > 0) {
    // Experts are gated in all published models; what a token goes through beside attention is shared out over its
    // experts.
    t.gated = true;
    t.tied = !tables_fit(false);
    const double tables = (t.tied ? 1 : 2) * t.head_parameters(),
                 through = std::max(0.0, (t.active - tables) / t.layers - attention) / (3 * t.hidden);
    t.ffn = m.ffn ? whole(m.ffn) : through / t.experts_per_token;
    t.ffn_assumed = !m.ffn;
    if (m.ffn) t.of_shape = t.layers * (attention + t.experts * 3 * t.hidden * t.ffn) + tables;
    return t;
  }
  t.ffn_assumed = !m.ffn;
  t.ffn = m.ffn ? whole(m.ffn) : 4 * t.hidden;
  // Two matrices or three, one table or two: what comes nearest to the parameters that are written.
  double nearest = 1e300;
  for (const bool gated : {false, true})
    for (const bool tied : {true, false}) {
      if ((!m.ffn && gated) || !tables_fit(tied)) continue;
      const double sum =
          t.layers * (attention + (gated ? 3 : 2) * t.hidden * t.ffn) + (tied ? 1 : 2) * t.vocabulary * t.hidden;
      if (const double off = std::abs(sum - t.parameters); off < nearest)
        nearest = off, t.gated = gated, t.tied = tied, t.of_shape = sum;
    }
  return t;
}

std::string_view recompute_word(Recompute r) {
  return r == Recompute::full        ? "full"
         : r == Recompute::alternate ? "alternate"
         : r == Recompute::selective ? "selective"
                                     : "none";
}

double layer_share(std::string_view precision, bool experts) {
  if (experts) return 0.46;
  return narrow(precision) ? 0.62 : 0.73;
}

namespace {

// Rates of the GPUs of one group.
TrainingMachine rates_of(const Cluster& c, const NodeGroupModel& group, const std::string& precision) {
  TrainingMachine m;
  const GpuPart& gpu = *group.server.gpu;
  std::string other;
  m.matrices = matrix_rate(gpu, group.server.gpu_model, precision, m.matrices_from);
  m.sixteen = narrow(precision) ? matrix_rate(gpu, group.server.gpu_model, "bf16", other) : m.matrices;
  if (m.sixteen.value <= 0) m.sixteen = m.matrices;
  const Value<FlopsPerSecond>& sixteen = peak_of(gpu, "bf16");
  m.attention = (sixteen ? sixteen : peak_of(gpu, precision)).value_or(FlopsPerSecond(0)) * kAttentionShare;
  if (const PublishedRow* row = find_published("memory.triad", group.server.gpu_model);
      row && (row->typical || row->lowest)) {
    m.bandwidth = BytesPerSecond(row->typical ? *row->typical : *row->lowest);
    m.bandwidth_from = row->source;
  } else if (gpu.memory_bandwidth) {
    m.bandwidth = *gpu.memory_bandwidth * kTriadShare;
    m.bandwidth_from = format("{} x {}, the share that parts with a published triad show", kTriadShare,
                              to_text(*gpu.memory_bandwidth));
  }
  m.unit = collective_unit(c, group);
  return m;
}

template <class Q>
bool slower(Q a, Q b) {
  return a.value > 0 && (b.value <= 0 || a < b);
}  // 0: not known

// Units of two groups in one collective, which waits for the slower: the smaller unit, the slower link, the fewer bytes
// a second that its ports have for each GPU.
CollectiveUnit slower_unit(const CollectiveUnit& a, const CollectiveUnit& b) {
  CollectiveUnit u = b.gpus < a.gpus ? b : a;
  const BytesPerSecond one = a.network / a.gpus, other = b.network / b.gpus;
  u.network = (slower(other, one) ? other : one) * u.gpus;
  u.link = slower(b.link, a.link) ? b.link : a.link;
  u.nvlink = a.nvlink && b.nvlink;
  u.nvidia = a.nvidia && b.nvidia;
  u.sharp = a.sharp && b.sharp;
  u.joined_all = a.joined_all && b.joined_all;
  u.adds_in_network = a.adds_in_network && b.adds_in_network;
  u.sm = std::min(a.sm, b.sm);
  return u;
}

}  // namespace

TrainingMachine training_machine(const Cluster& c, const WorkloadGpus& g, const Workload& w, bool experts) {
  const std::string precision = w.precision.value_or("bf16");
  TrainingMachine m = rates_of(c, *g.slowest, precision);
  for (const NodeGroupModel* group : g.groups) {
    if (group == g.slowest) continue;
    const TrainingMachine other = rates_of(c, *group, precision);
    if (slower(other.matrices, m.matrices)) m.matrices = other.matrices, m.matrices_from = other.matrices_from;
    if (slower(other.sixteen, m.sixteen)) m.sixteen = other.sixteen;
    if (slower(other.attention, m.attention)) m.attention = other.attention;
    if (slower(other.bandwidth, m.bandwidth)) m.bandwidth = other.bandwidth, m.bandwidth_from = other.bandwidth_from;
    m.unit = slower_unit(m.unit, other.unit);
  }
  m.gpus = static_cast<double>(g.gpus);
  if (g.memory) m.memory = *g.memory;
  if (g.peak) m.peak = *g.peak;
  m.share = w.efficiency.value_or(layer_share(precision, experts));
  m.share_from = w.efficiency ? "the spec" : "median of published runs";
  return m;
}

StepTime step_time(const TrainingJob& job, const Layout& l, const TrainingMachine& m) {
  const Transformer& t = job.model;
  StepTime out;
  const double tokens = l.micro_batch * t.sequence / l.context, layers = t.layers / l.pipeline,
               n = std::max(1.0, std::round(job.batch / (l.data * l.micro_batch)));
  const double head = t.head_parameters(), body = t.matrix_parameters() - head;
  const double again = l.recompute == Recompute::full        ? 1
                       : l.recompute == Recompute::alternate ? t.alternate_share()
                                                             : 0;
  const double trained = job.trained_share(),
               backward = operations_of_parameter(trained) / 2 -
                          1;  // passes forward; frozen weights have no gradients of their own
  out.micro_batches = n;

  const double rate = m.matrices.value * m.share, sixteen = m.sixteen.value * m.share;
  const double matrices =
      2 * tokens / l.tensor / l.pipeline * (body / rate * (1 + backward + again) + head / sixteen * (1 + backward));
  const double one_attention = 2 * layers * t.query() * t.sequence * tokens / l.tensor / m.attention.value;
  const double attention =
      one_attention *
      (1 + kAttentionBackward + (l.recompute == Recompute::selective || l.recompute == Recompute::full ? 1 : 0));
  // Logits: written and read in 16 bit, soft-maxed in 32 and back: 16 bytes a token of the vocabulary, on one stage of
  // the pipeline.
  const double moved = 4 * t.kept_per_token() * layers * (1 + again / 3) + 16 * t.vocabulary / l.pipeline;
  const double memory = m.bandwidth.value > 0 ? moved * tokens / l.tensor / m.bandwidth.value : 0;

  const double inside = m.unit.gpus, link = typical_link(m.unit).value, port = typical_port(m.unit).value;
  double tensor = 0;
  if (l.tensor > 1) {
    const Bytes message(2 * tokens * t.hidden);
    const auto one = l.tensor <= inside ? all_reduce_time_inside(m.unit, l.tensor, message)
                                        : all_reduce_time(m.unit, std::ceil(l.tensor / inside), message);
    tensor =
        one ? one->value * layers * (4 + 2 * again) * (m.unit.sm >= 90 && l.tensor <= inside ? 1 - kTensorHidden : 1)
            : 0;
  }
  double context = 0;
  if (l.context > 1) {
    // Keys and values go round; backward with their gradients. Hidden behind attention where that takes longer.
    const double bytes = 4 * t.keys() * tokens / l.tensor * (l.context - 1) * layers,
                 over = l.tensor * l.context <= inside ? link : port;
    context = over > 0 ? std::max(0.0, 3 * bytes / over - attention) : 0;
  }
  double experts = 0;
  if (l.expert > 1 && t.experts > 0) {
    // Balanced routing. A token goes once to each unit that holds one of its experts, and once to each GPU inside.
    const auto others = [&](double places) {
      return (places - 1) * (1 - std::pow(1 - 1 / places, t.experts_per_token));
    };
    const double units = std::max(1.0, std::ceil(l.tensor * l.expert / inside)),
                 bytes = 2 * t.hidden * tokens / l.tensor;
    const double beyond = units > 1 && port > 0 ? bytes * others(units) / port : 0,
                 within = link > 0 ? bytes * others(l.expert) / link : 0;
    experts = std::max(beyond, within) * layers * (4 + 2 * again);
  }
  const double micro = matrices + attention + memory + tensor + context + experts;
  out.matrices = n * matrices;
  out.attention = n * attention;
  out.memory = n * memory;
  out.tensor = n * tensor;
  out.context = n * context;
  out.experts = n * experts;
  out.pipeline = (l.pipeline - 1) / l.interleave * micro;
  if (l.pipeline > 1) {
    // Hidden behind other micro batches but for the way in and out.
    out.transfers =
        2 * (l.pipeline - 1) * send_time(m.unit, l.copy() <= inside, Bytes(2 * tokens * t.hidden / l.tensor)).value;
  }

  const double replicas = l.data * l.context, shared = t.expert_parameters();
  const double each = (t.parameters - shared) / (l.tensor * l.pipeline),
               of_experts = shared / (l.tensor * l.pipeline * std::max(1.0, l.expert));
  if (replicas > 1) {
    // All-gather or reduce-scatter of one byte a parameter among the copies. Those of one unit lie side by side:
    // `groups` of them share its ports.
    const auto travel = [&](double bytes, double ranks) {
      if (ranks < 2 || bytes <= 0) return 0.0;
      const double share = (ranks - 1) / ranks;
      if (l.tensor * ranks <= inside || m.unit.network.value <= 0) return link > 0 ? bytes * share / link : 0.0;
      const double groups = std::min(l.tensor, inside);
      return bytes * share * groups / std::min(port * inside, link > 0 && inside > 1 ? link * groups : 1e300);
    };
    const double one = travel(each, replicas) + travel(of_experts, replicas / std::max(1.0, l.expert));
    if (l.sharded == Sharding::all) {
      const double each_micro = 2 * one * (2 + trained);  // gathered forward and backward, gradients scattered
      out.data = n * std::max(0.0, each_micro - micro) + each_micro / layers / 2;
    } else {
      const double once = 2 * 2 * one * trained;
      out.data = std::max(0.0, once - micro) + once / layers;
    }
  }
  const double held = (each + of_experts) * trained / (l.sharded == Sharding::none ? 1 : replicas);
  if (m.bandwidth.value > 0)
    out.optimizer = held * (kHeldByOptimizer + 2 * (job.optimizer_bytes - 12)) / m.bandwidth.value;
  return out;
}

TrainingMemory training_memory(const TrainingJob& job, const Layout& l) {
  const Transformer& t = job.model;
  TrainingMemory out;
  const double replicas = l.data * l.context, expert = std::max(1.0, l.expert), shared = t.expert_parameters();
  const auto hold = [&](double parameters, double copies) {
    const ModelState s = model_state(parameters, l.tensor * l.pipeline, copies, l.sharded,
                                     job.trained_share() * parameters, job.optimizer_bytes);
    out.weights += s.weights;
    out.gradients += s.gradients;
    out.optimizer += s.optimizer;
  };
  hold(t.parameters - shared, replicas);
  hold(shared / expert, std::max(1.0, replicas / expert));
  const double tokens = l.micro_batch * t.sequence / l.context,
               n = std::max(1.0, std::round(job.batch / (l.data * l.micro_batch)));
  const double layers = t.layers / l.pipeline,
               under_way =
                   std::min(n, l.pipeline) *
                   (l.pipeline > 1 && l.interleave > 1 ? 1 + (l.pipeline - 1) / (l.pipeline * l.interleave) : 1);
  const double whole = t.kept_per_token() * tokens / l.tensor;
  const bool again = l.recompute == Recompute::full || l.recompute == Recompute::alternate;
  const double kept = l.recompute == Recompute::full        ? 2 * t.hidden * tokens / l.tensor
                      : l.recompute == Recompute::alternate ? t.kept_alternate() * tokens / l.tensor
                                                            : whole;
  // Logits lie on the last stage, where fewer micro batches are under way: with a pipeline the first stage is the
  // fuller one.
  out.logits =
      l.pipeline > 1 ? 0 : (l.sharded == Sharding::all ? kLossPlain : kLossInPlace) * tokens * t.vocabulary / l.tensor;
  // A layer is recomputed when the loss is done with: of the two only the larger counts.
  out.activations = kept * layers * under_way + (again ? std::max(0.0, whole - out.logits) : 0);
  if (l.sharded == Sharding::all && replicas > 1) {
    const double tables = (t.tied ? 1 : 2) * t.vocabulary * t.hidden,
                 body = (std::max(0.0, t.parameters - tables - shared) + shared / expert) / l.tensor;
    if (l.pipeline > 1) {
      // A stage's weights stay gathered from its first micro batch to its last, and its gradients are summed in 32 bit
      // before they are scattered (FSDP2 with pipelines: reshard_after_forward false, reduce type 32 bit;
      // pytorch/torchtitan, parallelize_llama.py).
      out.gathered = (body / l.pipeline + (t.tied ? 1 : 0.5) * tables / l.tensor) * (n > 1 ? 2 + 4 : 2);
    } else {
      out.gathered = 2 * (2 * body / t.layers +
                          tables / l.tensor);  // two layers at a time; the tables are the root's, gathered all the time
    }
  }
  out.gradients_replace = l.sharded == Sharding::all && replicas > 1 && n <= 1;
  return out;
}

LayoutSearch search_layouts(const TrainingJob& job, const TrainingMachine& m, const ModelSplit* given) {
  const Transformer& t = job.model;
  LayoutSearch out;
  const auto whole = [](const Value<std::int64_t>& v, std::int64_t other = 1) {
    return static_cast<double>(v.value_or(other));
  };
  const auto only = [](double n) { return std::vector<double>{n}; };
  const double inside = round_down_power(m.unit.gpus), limit = m.memory.value * kUsableMemory;
  std::vector<Sharding> shardings{Sharding::optimizer, Sharding::all};
  std::vector<Recompute> recomputes{Recompute::none, Recompute::full};
  if (given) shardings = {sharding_of(given->sharded.value_or("none"))};
  if (given && given->recompute)
    recomputes = {*given->recompute == "full"        ? Recompute::full
                  : *given->recompute == "selective" ? Recompute::selective
                  : *given->recompute == "alternate" ? Recompute::alternate
                                                     : Recompute::none};
  const std::vector<double> batch_divisors = divisors(job.batch, m.gpus);
  const auto tensors = given ? only(whole(given->tensor)) : powers(std::min(inside, t.heads));
  for (const double tensor : tensors)
    for (const double pipeline :
         given ? only(whole(given->pipeline)) : divisors(t.layers, std::min(128.0, m.gpus / tensor)))
      for (const double context : given ? only(whole(given->context))
                                        : powers(std::min(t.sequence >= 8192 ? 16.0 : 1.0, m.gpus / tensor / pipeline)))
        for (const double micro :
             given && given->micro_batch ? only(whole(given->micro_batch)) : powers(std::min(8.0, job.batch))) {
          Layout l{.tensor = tensor, .pipeline = pipeline, .context = context, .micro_batch = micro};
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
          const auto experts = given           ? only(whole(given->expert))
                               : t.experts > 0 ? powers(std::min({t.experts, replicas, std::max(64.0, inside)}))
                                               : only(1);
          const bool chunks = pipeline > 1 && n >= pipeline &&
                              std::fmod(n, pipeline) == 0;  // interleaving needs whole rounds of micro batches
          const auto interleaves = given && given->interleave ? only(whole(given->interleave))
                                   : chunks
                                       ? std::vector<double>{1, divisors(std::ceil(t.layers / pipeline), 32).back()}
                                       : only(1);
          for (const double expert : experts)
            for (const double interleave : interleaves)
              for (const Sharding sharded : shardings) {
                // Weights that are gathered for each micro batch of a pipeline travel too often: nobody runs both.
                if (!given && sharded == Sharding::all && pipeline > 1) continue;
                for (const Recompute recompute : recomputes) {
                  l.expert = expert;
                  l.interleave = interleave;
                  l.sharded = sharded;
                  l.recompute = recompute;
                  ++out.tried;
                  const TrainingMemory memory = training_memory(job, l);
                  if (!out.smallest || memory.total() < out.smallest->memory.total())
                    out.smallest = LayoutChoice{l, {}, memory};
                  if (memory.total() > limit) continue;
                  ++out.fitting;
                  const StepTime time = step_time(job, l, m);
                  if (!out.best || time.total() < out.best->time.total()) out.best = LayoutChoice{l, time, memory};
                }
              }
        }
  if (out.smallest) out.smallest->time = step_time(job, out.smallest->layout, m);
  return out;
}

}  // namespace clusterc
