#include <algorithm>
#include <cmath>

#include "targets/sends.h"
#include "targets/training.h"

namespace clusterc {
namespace {

constexpr double kAttentionBackward = 2.5;  // five products backward for two forward (FlashAttention-2, section 3.1)
constexpr double kHeldByOptimizer =
    28;  // bytes of a parameter that Adam reads and writes: gradient 2, master and two moments 12 + 12, weight 2

// Of the all-reduces of tensor parallelism half is hidden behind matrices on Hopper and later: 52 % in both runs of
// pytorch/torchtitan (benchmarks/asyncTP_llama3_h100_2025-06: 597.3 to 652.4 tokens/s on 70B, 5,078 to 5,570 on 8B,
// over the time that they take by the formulas here). No such figure is published for older parts.
constexpr double kTensorHidden = 0.5;

// Bytes that materialised scores move for each of their elements (16 bit, softmax and dropout as kernels of their own):
// forward written 2, soft-maxed 4, dropped out 5, read 2; backward twice that and the mask (arXiv 2205.05198, figure
// 3).
constexpr double kScoreForward = 13, kScoreBackward = 27;

// One micro batch on the layers of the mean stage, in seconds.
struct Work {
  double tokens = 0, micro_batches = 1, again = 0, attention_again = 0, passes = 3;
  double matrices = 0, attention = 0, memory = 0, start = 0, tensor = 0, context = 0, experts = 0;
  double head_matrices = 0, head_memory = 0;  // of the output layer, on the last stage
  double layers() const { return matrices + attention + memory + start + tensor + context + experts; }
  double head() const { return head_matrices + head_memory; }
};

double attention_time(const TrainingJob& job, const Layout& l, const TrainingMachine& m, const Work& w) {
  const Transformer& t = job.model;
  const double spread = l.tensor * l.pipeline,
               columns = (t.attention_layers - t.window_layers) * t.sequence +
                         t.window_layers * std::min(2 * t.window, t.sequence),
               forward = 2 * t.query() * w.tokens * columns / spread;
  if (job.attention == AttentionKernel::unfused) {
    const double scores = t.attention_layers * t.heads * t.sequence * w.tokens / spread;
    return 2 * forward * (3 + w.attention_again) / (m.sixteen.value * m.share16) +
           (m.bandwidth.value > 0
                ? scores * (kScoreForward * (1 + w.attention_again) + kScoreBackward) / m.bandwidth.value
                : 0);
  }
  const bool flash2 = job.attention == AttentionKernel::flash2 ||
                      (job.attention == AttentionKernel::by_framework && l.sharded == Sharding::all);
  const double rate = (flash2 && m.attention_flash2.value > 0 ? m.attention_flash2 : m.attention).value;
  return forward / rate * (1 + kAttentionBackward + w.attention_again);
}

// Matrices and what memory moves for them, without the output layer.
void products(const TrainingJob& job, const Layout& l, const TrainingMachine& m, Work& w) {
  const Transformer& t = job.model;
  const TrainingFit& f = m.fit;
  const double spread = l.tensor * l.pipeline, mats = t.gated ? 3 : 2, head = t.head_parameters(),
               of_experts = t.expert_parameters_of_token(),
               rest = std::max(0.0, t.matrix_parameters() - head - of_experts), fullest = std::max(1.0, job.imbalance),
               rate = m.matrices.value * m.share;
  w.matrices = 2 * w.tokens / spread / rate * (rest + of_experts * fullest) * w.passes;
  if (m.bandwidth.value <= 0) return;
  const double rows = w.tokens * t.experts_per_token / l.tensor * fullest,
               expert_layers = t.experts > 0 ? t.expert_layers / l.pipeline : 0;
  // What a layer keeps is written, read, read back, and its gradient written; rows of experts are counted below.
  const double inside_experts = 2 * mats * t.expert_ffn * t.experts_per_token * t.expert_layers,
               mixers = 2 * 14 * t.hidden * t.mixer_layers,
               kept = std::max(0.0, t.kept_per_token() * t.layers - inside_experts - mixers);
  const double moved = 4 * (f.layer_passes * kept + f.mixer_passes * mixers) * (1 + w.again / 3) * w.tokens / spread;
  // Operands: weights once for each micro batch, inputs and results for each token. 8 and 4 bits: operands are written
  // again in 8 bits, in both orders, and so are the gradients.
  const double weights = (rest + (t.experts > 0 ? t.expert_parameters() / std::max(1.0, l.expert) : 0)) / spread,
               passed = w.tokens / spread *
                        ((2 * t.hidden + 2 * t.query() + 2 * t.keys()) * t.attention_layers +
                         (2 * t.hidden + mats * t.ffn) * t.dense_layers +
                         (2 * t.hidden + mats * t.shared_ffn) * (t.experts > 0 ? t.expert_layers : 0));
  const double operands =
      f.operand_passes * ((weights + passed) * 2 * w.passes + (is_narrow(job.precision) ? passed * 8 : 0));
  // Weights in fewer bits than the arithmetic are read and written in 16 bit before each product.
  const double widened = job.widens() ? weights * (1 - job.trained_share()) * (job.frozen_bytes + 2) * w.passes : 0;
  const double adapters = 2 * job.adapters_moved * w.tokens / spread * w.passes;
  const double routed = rows * 2 * (job.fused_experts ? f.expert_fused_passes : f.expert_width_passes) * mats *
                        t.expert_ffn * w.passes * expert_layers;
  // A block with n streams moves n + (n + 1) + (2 n + 1) numbers of each of `hidden` in the place of 3, and does so
  // once more before its backward pass (Z. Xie et al., arXiv 2512.24880, sections 4.3.1 and 4.3.2).
  const double streams = t.streams > 1 ? 2 * t.hidden * 2 * t.half_layers() * w.tokens / spread *
                                             ((4 * t.streams + 2) * (w.passes + 1) - 3 * w.passes)
                                       : 0;
  w.memory = (moved + operands + routed + widened + adapters + streams) / m.bandwidth.value;
  w.start = (f.layer_start * t.half_layers() / l.pipeline +
             f.expert_start * (job.fused_experts ? 1 : t.experts / std::max(1.0, l.expert)) * expert_layers) *
            w.passes;
}

void exchanges(const TrainingJob& job, const Layout& l, const TrainingMachine& m, Work& w) {
  const Transformer& t = job.model;
  const double inside = m.unit.gpus, link = typical_link(m.unit).value, port = typical_port(m.unit).value,
               blocks = t.half_layers() / l.pipeline;
  if (l.tensor > 1) {
    const Bytes message(2 * w.tokens * t.hidden);
    const auto one = l.tensor <= inside ? all_reduce_time_inside(m.unit, l.tensor, message)
                                        : all_reduce_time(m.unit, std::ceil(l.tensor / inside), message);
    w.tensor =
        one ? one->value * blocks * (4 + 2 * w.again) * (m.unit.sm >= 90 && l.tensor <= inside ? 1 - kTensorHidden : 1)
            : 0;
  }
  if (l.context > 1) {
    // Keys and values go round; backward with their gradients. Hidden behind attention where that takes longer.
    const double bytes = 4 * t.keys() * w.tokens / l.tensor * (l.context - 1) * t.attention_layers / l.pipeline,
                 over = l.tensor * l.context <= inside ? link : port;
    w.context = over > 0 ? std::max(0.0, 3 * bytes / over - w.attention) : 0;
  }
  if (l.expert > 1 && t.experts > 0) {
    // A token goes once to each unit that holds one of its experts, and once to each GPU inside.
    const auto others = [&](double places) {
      return (places - 1) * (1 - std::pow(1 - 1 / places, t.experts_per_token));
    };
    const double units = std::max(1.0, std::ceil(l.tensor * l.expert / inside)),
                 bytes = 2 * t.expert_hidden * w.tokens / l.tensor * std::max(1.0, job.imbalance);
    const double beyond = units > 1 && port > 0 ? bytes * others(units) / port : 0,
                 within = link > 0 ? bytes * others(l.expert) / link : 0;
    w.experts = m.fit.expert_exchange * std::max(beyond, within) * t.expert_layers / l.pipeline * (4 + 2 * w.again);
  }
}

Work work_of(const TrainingJob& job, const Layout& l, const TrainingMachine& m) {
  const Transformer& t = job.model;
  Work w;
  w.tokens = l.micro_batch * t.sequence / l.context;
  w.micro_batches = std::max(1.0, std::round(job.batch / (l.data * l.micro_batch)));
  const double stage = t.layers / l.pipeline,
               part = l.recompute_layers > 0 ? std::min(1.0, l.recompute_layers / stage) : 1;
  w.again = l.recompute == Recompute::full ? part : l.recompute == Recompute::alternate ? t.alternate_share() : 0;
  w.attention_again = l.recompute == Recompute::full ? part : l.recompute == Recompute::selective ? 1 : 0;
  const double backward = operations_of_parameter(job.trained_share()) / 2 - 1;
  w.passes = 1 + backward + w.again;
  w.attention = attention_time(job, l, m, w);
  products(job, l, m, w);
  exchanges(job, l, m, w);
  // Logits: written and read in 16 bit, soft-maxed in 32 and back: 16 bytes a token of the vocabulary.
  w.head_matrices = 2 * w.tokens * t.head_parameters() / l.tensor / (m.sixteen.value * m.share16) * (1 + backward);
  w.head_memory = m.bandwidth.value > 0 ? 16 * t.vocabulary * w.tokens / l.tensor / m.bandwidth.value : 0;
  return w;
}

// Seconds of the slowest stage for one micro batch. Layers are whole; the output layer is on the last stage, which may
// have fewer layers for it where they do not divide evenly.
double slowest_stage(const Transformer& t, const Layout& l, const Work& w) {
  if (l.pipeline <= 1) return w.layers() + w.head();
  const double each = t.layers / l.pipeline, one = w.layers() / each;
  if (std::fmod(t.layers, l.pipeline * l.interleave) < 1e-9) return w.layers() + w.head();
  const double balanced = one > 0 ? std::ceil((t.layers + w.head() / one) / l.pipeline - 1e-9) : 0;
  return std::min(balanced * one, std::ceil(each) * one + w.head());
}

// Seconds in which a stage has no micro batch, while the pipeline fills and drains. F, B, W: a micro batch forward,
// backward, and the part of B that is gradients of weights, which nothing waits for (what is frozen has none).
//   1F1B (p-1) (F + B)   ZB-H1 (p-1) (F + B - 2 W)   DualPipe (p/2-1) (F&B + B - 3 W)   (arXiv 2412.19437, table 2)
double idle(const Layout& l, const Work& w, double trained) {
  const double both = w.layers(), of_weights = w.matrices / w.passes * trained;
  if (l.schedule == PipelineSchedule::dualpipe)
    return std::max(0.0, l.pipeline / 2 - 1) * std::max(0.0, both * (2 - 1 / w.passes) - 3 * of_weights);
  const double put_off = l.schedule == PipelineSchedule::zero_bubble ? 2 * of_weights : 0;
  return (l.pipeline - 1) / l.interleave * std::max(0.0, both - put_off);
}

// DualPipe computes one micro batch while another is exchanged. 20 of a Hopper's 132 multiprocessors exchange
// (arXiv 2412.19437, section 3.2.2).
constexpr double kDualPipeComputes = 112.0 / 132;
void hide_exchange(Work& w) {
  for (double* part : {&w.matrices, &w.attention, &w.memory}) *part /= kDualPipeComputes;
  w.experts = std::max(0.0, w.experts - w.matrices - w.attention - w.memory);
}

// All-gather or reduce-scatter of one byte a parameter among copies: seconds of transfer, and of latency (a ring: one
// hop for each rank; NCCL's tuner counts those between nodes apart).
struct Travel {
  double bytes = 0, latency = 0;
};
Travel travel(const TrainingMachine& m, const Layout& l, double bytes, double ranks) {
  const double inside = m.unit.gpus, link = typical_link(m.unit).value, port = typical_port(m.unit).value;
  if (ranks < 2 || bytes <= 0) return {};
  const double share = (ranks - 1) / ranks, hop = (m.unit.nvlink ? kNvlinkHop : kPcieHop).value;
  if (l.tensor * ranks <= inside || m.unit.network.value <= 0)
    return {link > 0 ? bytes * share / link : 0.0, (ranks - 1) * hop};
  // Copies in one unit lie side by side: `groups` of them share its ports.
  const double groups = std::min(l.tensor, inside), units = std::ceil(ranks * groups / inside);
  return {bytes * share * groups / std::min(port * inside, link > 0 && inside > 1 ? link * groups : 1e300),
          units * kNetworkHop.value + std::max(0.0, ranks - units) * hop};
}

}  // namespace

StepTime step_time(const TrainingJob& job, const Layout& l, const TrainingMachine& m) {
  const Transformer& t = job.model;
  Work w = work_of(job, l, m);
  if (l.schedule == PipelineSchedule::dualpipe && l.pipeline > 1) hide_exchange(w);
  const double n = w.micro_batches, inside = m.unit.gpus, trained = job.trained_share(), layers = t.layers / l.pipeline;
  StepTime out;
  out.micro_batches = n;
  out.matrices = n * (w.matrices + w.head_matrices / l.pipeline);
  out.attention = n * w.attention;
  out.memory = n * (w.memory + w.head_memory / l.pipeline);
  out.start = n * w.start;
  out.tensor = n * w.tensor;
  out.context = n * w.context;
  out.experts = n * w.experts;
  if (l.pipeline > 1) {
    // Filling and draining, and what the other stages wait for the slowest.
    out.pipeline = idle(l, w, trained) + n * std::max(0.0, slowest_stage(t, l, w) - w.layers() - w.head() / l.pipeline);
    // Hidden behind other micro batches but for the way in and out, through every chunk.
    out.transfers = 2 * (l.pipeline * l.interleave - 1) *
                    send_time(m.unit, l.copy() <= inside, Bytes(2 * w.tokens * t.hidden * t.streams / l.tensor)).value;
  }

  const double replicas = l.data * l.context, shared = t.expert_parameters(), micro = w.layers() + w.head();
  const double each = (t.parameters - shared) / (l.tensor * l.pipeline),
               of_experts = shared / (l.tensor * l.pipeline * std::max(1.0, l.expert));
  if (replicas > 1) {
    const Travel dense = travel(m, l, each, replicas),
                 routed = travel(m, l, of_experts, replicas / std::max(1.0, l.expert));
    const double one = dense.bytes + routed.bytes, latency = dense.latency + routed.latency;
    if (l.sharded == Sharding::all) {
      // Gathered forward and backward, gradients scattered: for every layer of every micro batch.
      const double sent = 2 * trained + job.frozen_bytes * (1 - trained),
                   each_micro =
                       (sent * one + latency * layers) * 2 + (job.gradient_bytes * one + latency * layers) * trained;
      out.data = n * std::max(0.0, each_micro - micro) + each_micro / layers / 2;
    } else {
      const double once = ((2 + job.gradient_bytes) * one + 2 * latency) * trained;
      out.data = std::max(0.0, once - micro) + once / layers;
    }
  }
  const double held = (each + of_experts) * trained / (l.sharded == Sharding::none ? 1 : replicas),
               updated = held * (kHeldByOptimizer + 2 * (job.optimizer_bytes - 12)), forward = micro / w.passes;
  const BytesPerSecond memory = l.offload_optimizer ? m.host_memory : m.bandwidth;
  if (memory.value > 0) out.optimizer = updated / memory.value;
  // Gradients go to the node behind the backward pass, weights come back; activations go behind the forward pass and
  // come back behind the backward pass.
  const auto way = [&](double bytes) { return m.host_link.value > 0 ? bytes / m.host_link.value : 0; };
  if (l.offload_optimizer)
    out.offload += std::max(0.0, way(held * job.gradient_bytes) - (micro - forward)) + way(2 * held);
  if (l.offload_activations) {
    const double one = way(activations_offloaded(job, l, layers));
    out.offload += n * (std::max(0.0, one - forward) + std::max(0.0, one - (micro - forward)));
  }
  return out;
}

}  // namespace clusterc
