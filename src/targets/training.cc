#include "targets/training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "spec/workload.h"
#include "targets/paths.h"
#include "targets/published.h"
#include "targets/sends.h"

namespace clusterc {
namespace {

// Where no rate of the part is published: the median share of the peak that others show (16 bit: A100 0.85, H100 0.79,
// B200 0.76; 8 bit: H100 0.69, H200 0.72, B200 0.75, GB200 0.71), and of the memory's data sheet (A100 0.83, H100 0.89,
// H200 0.86, GB200 0.92).
constexpr double kMatrixShare16 = 0.79, kMatrixShare8 = 0.71, kTriadShare = 0.87;

FlopsPerSecond matrix_rate(const GpuPart& gpu, std::string_view id, std::string_view precision, std::string& from) {
  const Value<FlopsPerSecond>& peak = peak_of(gpu, precision);
  if (!peak) return {};
  if (const PublishedRow* row =
          find_published(precision == "fp16" ? "matrices.bf16" : "matrices." + std::string(precision), id)) {
    from = row->source;
    return FlopsPerSecond(*row->typical);
  }
  const double share = is_narrow(precision) ? kMatrixShare8 : kMatrixShare16;
  from = format("{} x {}, the share that parts with a published rate show", share, to_text(*peak));
  return *peak * share;
}

}  // namespace

double Transformer::kept_per_token() const {
  // Inputs of both norms, what they give, queries, keys and values, what attention gives; and in the feed-forward layer
  // what goes through its nonlinearity.
  // A state-space layer keeps its two inputs and about six copies of its inner state, twice as wide as `hidden`.
  const double attention = 2 * hidden + 2 * query() + 2 * keys(), mixer = (2 + 6 * 2) * hidden;
  return 2 *
         ((attention * attention_layers + mixer * mixer_layers + 2 * hidden * (dense_layers + expert_layers)) / layers +
          (gated ? 3 : 2) * through());
}

double Transformer::kept_alternate() const {
  // The layer's input, products 1, 3, 5, 7 (queries, values, gate, down; without a gate there is no seventh), what
  // attention gives.
  return 2 * (hidden + query() + keys() + through() + (gated ? hidden : 0) + query());
}

double Transformer::alternate_share() const {
  const double all = 2 * query() + 2 * keys() + (gated ? 3 : 2) * through();
  return all > 0 ? (keys() + query() + through()) / all : 0;
}

double TrainingJob::flops_per_token() const {
  return operations_of_parameter(trained_share()) * model.matrix_parameters() +
         6 * model.query() *
             ((model.attention_layers - model.window_layers) * model.sequence +
              model.window_layers * std::min(2 * model.window, model.sequence));
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

namespace {

// Which layers have experts and how wide these are. Where `expert_ffn` is not written, the parameters say it: those of
// one expert are (all - active) / (experts - experts of a token) / layers that have them.
void read_attention_layers(const ModelShape& m, Transformer& t) {
  const auto whole = [](const Value<std::int64_t>& v) { return v ? static_cast<double>(*v) : 0.0; };
  if (m.attention_layers) t.attention_layers = std::min(t.layers, whole(m.attention_layers));
  // Blocks that follow one another (Nemotron-H: attention, experts or a state space) add up to `layers`; else each
  // layer has a mixer (attention or a state space) and a feed-forward part.
  const double others = t.dense_layers + t.expert_layers;
  t.mixer_layers =
      t.attention_layers + others <= t.layers ? t.layers - t.attention_layers - others : t.layers - t.attention_layers;
  t.window = whole(m.window);
  t.window_layers =
      m.window ? std::min(t.attention_layers, m.window_layers ? whole(m.window_layers) : t.attention_layers) : 0;
}

void read_expert_layers(const ModelShape& m, Transformer& t) {
  const auto whole = [](const Value<std::int64_t>& v) { return v ? static_cast<double>(*v) : 0.0; };
  t.attention_layers = t.layers;
  t.dense_layers = std::min(t.layers - 1, whole(m.dense_layers));
  t.expert_layers =
      m.expert_layers ? std::min(t.layers, std::max(1.0, whole(m.expert_layers))) : t.layers - t.dense_layers;
  t.streams = m.residual_streams ? whole(m.residual_streams) : 1;
  t.expert_hidden = m.expert_hidden ? whole(m.expert_hidden) : t.hidden;
  const double one = t.expert_parameters() / std::max(1.0, t.experts) / t.expert_layers;  // of one expert of a layer
  t.expert_ffn = m.expert_ffn                   ? whole(m.expert_ffn)
                 : m.ffn && t.dense_layers <= 0 ? t.ffn
                 : one > 0                      ? one / (3 * t.expert_hidden)
                                                : t.ffn;
  if (m.expert_ffn && one > 0)
    t.gated =
        std::abs(one / (t.expert_hidden * t.expert_ffn) - 3) <= std::abs(one / (t.expert_hidden * t.expert_ffn) - 2);
  t.shared_ffn = whole(m.shared_experts) * t.expert_ffn;
  if (m.shared_ffn) t.shared_ffn = whole(m.shared_ffn);
  read_attention_layers(m, t);
}

}  // namespace

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
    read_expert_layers(m, t);
    if (m.ffn && !m.expert_ffn) t.of_shape = t.layers * (attention + t.experts * 3 * t.hidden * t.ffn) + tables;
    return t;
  }
  t.dense_layers = t.attention_layers = t.layers;
  read_attention_layers(m, t);
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

Adapters adapters_of(const Transformer& t, const LoraAdapters& lora) {
  Adapters out;
  const auto rank = static_cast<double>(lora.rank.value_or(0));
  // `passed`: matrices of this shape that a token goes through; all that there are have adapters.
  const auto matrix = [&](double rows, double columns, double all, double passed) {
    out.parameters += rank * (rows + columns) * all;
    out.moved += (rows + 3 * columns) * passed;
  };
  const double attention = t.attention_layers;
  matrix(t.hidden, t.query(), attention, attention);
  matrix(t.hidden, t.keys(), 2 * attention, 2 * attention);
  matrix(t.query(), t.hidden, attention, attention);
  if (lora.matrices.value_or("all") == "attention") return out;
  const auto feed_forward = [&](double hidden, double ffn, double all, double passed) {
    const double up = t.gated ? 2 : 1;
    if (ffn <= 0) return;
    matrix(hidden, ffn, up * all, up * passed);
    matrix(ffn, hidden, all, passed);
  };
  feed_forward(t.hidden, t.ffn, t.dense_layers, t.dense_layers);
  if (t.experts > 0) {
    feed_forward(t.expert_hidden, t.expert_ffn, t.experts * t.expert_layers, t.experts_per_token * t.expert_layers);
    feed_forward(t.hidden, t.shared_ffn, t.expert_layers, t.expert_layers);
  }
  return out;
}

std::string_view recompute_word(Recompute r) {
  return r == Recompute::full        ? "full"
         : r == Recompute::alternate ? "alternate"
         : r == Recompute::selective ? "selective"
                                     : "none";
}

PipelineSchedule schedule_of(std::string_view word) {
  return word == "zero-bubble" ? PipelineSchedule::zero_bubble
         : word == "dualpipe"  ? PipelineSchedule::dualpipe
                               : PipelineSchedule::one_f_one_b;
}

std::string_view schedule_word(PipelineSchedule s) {
  return s == PipelineSchedule::zero_bubble ? "zero-bubble" : s == PipelineSchedule::dualpipe ? "dualpipe" : "1f1b";
}

std::string_view offload_word(const Layout& l) {
  return l.offload_optimizer && l.offload_activations ? "all"
         : l.offload_optimizer                        ? "optimizer"
         : l.offload_activations                      ? "activations"
                                                      : "none";
}

namespace {

// Sustained products are limited by power: an H100 of 500 W is slower than one of 700 W, a GB300 of 1,400 W faster than
// a B200 of 1,000 W with the same peak. The reference is the limit of the parts that `sustained` was fitted to.
// Power goes with frequency x voltage^2: between the first power of the frequency (voltage at its floor) and the third
// (voltage in proportion), so rates go with power^1 to power^(1/3); reckoned with is the square root.
constexpr double kPowerExponent = 0.5;
double power_factor(const TrainingMachine& m) {
  const std::int64_t sm = m.unit.sm;
  const double reference = sm >= 100 ? 1000 : sm >= 90 ? 700 : 400;
  return m.watts > 0 && (sm == 80 || sm >= 90) ? std::pow(m.watts / reference, kPowerExponent) : 1;
}

}  // namespace

void set_fit(TrainingMachine& m, const TrainingFit& fit) {
  const std::int64_t sm = m.unit.sm;
  const bool blackwell = sm >= 100, ampere = sm > 0 && sm < 90;
  const double power = power_factor(m), lasting = blackwell ? fit.sustained_blackwell
                                                  : ampere  ? fit.sustained_ampere
                                                            : fit.sustained_hopper;
  m.fit = fit;
  m.share16 = std::min(1.0, lasting * power);
  m.share = m.share16 * (m.four_bit ? fit.four_bit : 1);
  m.attention = m.peak16 * (power * (blackwell ? fit.attention_blackwell
                                     : ampere  ? fit.attention_ampere
                                               : fit.attention_hopper));
  m.attention_flash2 = blackwell || ampere ? m.attention : m.peak16 * (power * fit.attention_hopper_flash2);
}

namespace {

// Rates of the GPUs of one group.
TrainingMachine rates_of(const Cluster& c, const NodeGroupModel& group, const std::string& precision) {
  TrainingMachine m;
  const GpuPart& gpu = *group.server.gpu;
  std::string other;
  m.matrices = matrix_rate(gpu, group.server.gpu_model, precision, m.matrices_from);
  m.sixteen = is_narrow(precision) ? matrix_rate(gpu, group.server.gpu_model, "bf16", other) : m.matrices;
  if (m.sixteen.value <= 0) m.sixteen = m.matrices;
  const Value<FlopsPerSecond>& sixteen = peak_of(gpu, "bf16");
  m.unit = collective_unit(c, group);
  m.peak16 = (sixteen ? sixteen : peak_of(gpu, precision)).value_or(FlopsPerSecond(0));
  m.four_bit = precision == "fp4";
  if (gpu.tdp) m.watts = std::min(gpu.tdp->value, group.server.gpu_limit.value_or(*gpu.tdp).value);
  if (const PublishedRow* row = find_published("memory.triad", group.server.gpu_model);
      row && (row->typical || row->lowest)) {
    m.bandwidth = BytesPerSecond(row->typical ? *row->typical : *row->lowest);
    m.bandwidth_from = row->source;
  } else if (gpu.memory_bandwidth) {
    m.bandwidth = *gpu.memory_bandwidth * kTriadShare;
    m.bandwidth_from = format("{} x {}, the share that parts with a published triad show", kTriadShare,
                              to_text(*gpu.memory_bandwidth));
  }
  if (const auto generation = gpu_link_generation(group.server))
    m.host_link = pcie_copy_ceiling(*generation, *gpu.pcie_lanes);
  if (const auto channels = host_channels(group.server);
      channels && *channels->rate && group.server.gpu_count > 0 && !group.server.virtual_machine)
    m.host_memory = BytesPerSecond(kHostStreamShare * static_cast<double>(channels->populated) * 8 *
                                   (*channels->rate)->value / static_cast<double>(group.server.gpu_count));
  set_fit(m, training_fit());
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

TrainingMachine training_machine(const Cluster& c, const WorkloadGpus& g, const Workload& w) {
  const std::string precision = w.precision.value_or("bf16");
  TrainingMachine m = rates_of(c, *g.slowest, precision);
  for (const NodeGroupModel* group : g.groups) {
    if (group == g.slowest) continue;
    const TrainingMachine other = rates_of(c, *group, precision);
    if (slower(other.matrices, m.matrices)) m.matrices = other.matrices, m.matrices_from = other.matrices_from;
    if (slower(other.sixteen, m.sixteen)) m.sixteen = other.sixteen;
    if (slower(other.attention, m.attention)) m.attention = other.attention;
    if (slower(other.attention_flash2, m.attention_flash2)) m.attention_flash2 = other.attention_flash2;
    if (other.share < m.share && other.matrices.value <= m.matrices.value)
      m.share = other.share, m.share16 = other.share16;
    if (slower(other.bandwidth, m.bandwidth)) m.bandwidth = other.bandwidth, m.bandwidth_from = other.bandwidth_from;
    if (slower(other.host_link, m.host_link)) m.host_link = other.host_link;
    if (slower(other.host_memory, m.host_memory)) m.host_memory = other.host_memory;
    m.unit = slower_unit(m.unit, other.unit);
  }
  m.gpus = static_cast<double>(g.gpus);
  if (g.memory) m.memory = *g.memory;
  if (g.peak) m.peak = *g.peak;
  if (w.efficiency) m.share = m.share16 = *w.efficiency;
  m.share_from = w.efficiency ? "the spec" : "fitted to published runs";
  return m;
}

}  // namespace clusterc
