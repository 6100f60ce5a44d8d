#include <algorithm>
#include <cmath>
#include <utility>

#include "targets/training.h"

namespace clusterc {
namespace {

// Bytes of the loss for each token and word of the vocabulary. Megatron (core/tensor_parallel/cross_entropy.py): logits
// in 16 bit, their 32-bit copy, soft-maxed and turned into the gradient in place. PyTorch's cross_entropy on 32-bit
// logits: logarithm of the softmax, its gradient, and the gradient of the likelihood, 4 each; with FSDP that is what is
// used unless the loss is compiled or fused.
constexpr double kLossInPlace = 6, kLossPlain = 12;

// Share of what PyTorch's caching allocator holds that is in pieces nobody can use: 15 % on average over eight models,
// up to 33 % (C. Guo et al., GMLake, ASPLOS 2024, arXiv 2401.08156, abstract).
constexpr double kFragmented = 0.15;

}  // namespace

double TrainingMemory::reserved() const { return total() / (1 - kFragmented); }

namespace {

// One stage of a pipeline. Stage i of p has as many micro batches under way as there are stages from it to the end,
// with v chunks 2(p-i-1)/v + p - (p-1)/v (D. Narayanan et al., arXiv 2104.04473, section 2.2): the first has the most
// activations, the last the output layer and the logits. Those between have less than the first.
struct Stage {
  double layers = 1, under_way = 1;
  bool first = true, last = true;
};

// Bytes that a layer keeps of a micro batch, and all that it has while it is computed.
struct Kept {
  double kept = 0, whole = 0;
};
Kept kept_of_a_layer(const TrainingJob& job, const Layout& l, double layers) {
  const Transformer& t = job.model;
  const double tokens = l.micro_batch * t.sequence / l.context;
  // With 8 and 4 bits the inputs of the products are kept in 8 bits: those after the norms and before the last matrix.
  const double saved = is_narrow(job.precision) ? 2 * t.hidden + t.through() : 0,
               scores = job.attention == AttentionKernel::unfused && l.recompute == Recompute::none
                            ? 5 * t.heads * t.sequence * t.attention_layers / t.layers
                            : 0;
  const double whole = (t.kept_per_token() - saved + scores) * tokens / l.tensor,
               done_again = l.recompute_layers > 0 ? std::min(1.0, l.recompute_layers / layers) : 1;
  if (l.recompute == Recompute::full)
    return {2 * t.hidden * tokens / l.tensor * done_again + whole * (1 - done_again), whole};
  return {l.recompute == Recompute::alternate ? t.kept_alternate() * tokens / l.tensor : whole, whole};
}

// Layers whose activations stay on the GPU: one that is computed, and one that is on its way.
constexpr double kAtHand = 2;

TrainingMemory stage_memory(const TrainingJob& job, const Layout& l, const Stage& stage) {
  const Transformer& t = job.model;
  TrainingMemory out;
  const double replicas = l.data * l.context, expert = std::max(1.0, l.expert), shared = t.expert_parameters();
  // Tables of the vocabulary are not quantised (bitsandbytes and torchao quantise linear layers, without the last).
  const auto hold = [&](double parameters, double copies, double tables) {
    const double trained = job.trained_share();
    const auto state = [&](double of, double frozen) {
      return model_state(of, l.tensor, copies, l.sharded, trained * of, job.optimizer_bytes, frozen);
    };
    ModelState s = state(parameters, job.frozen_bytes);
    if (job.frozen_bytes != 2) s.weights += state(tables, 2).weights - state(tables, job.frozen_bytes).weights;
    out.weights += s.weights;
    out.gradients += s.gradients * job.gradient_bytes / 2;
    out.optimizer += s.optimizer;
  };
  // The table of tokens lies on the first stage and that of the output layer on the last, also where they are tied.
  const double table = t.vocabulary * t.hidden, part = stage.layers / t.layers,
               tables = stage.first && stage.last ? (t.tied ? 1 : 2) * table : table,
               layers_of_all = std::max(0.0, t.parameters - shared - (t.tied ? 1 : 2) * table);
  hold(stage.first && stage.last ? t.parameters - shared : part * layers_of_all + tables, replicas, tables);
  hold(part * shared / expert, std::max(1.0, replicas / expert), 0);
  // A matrix at a time is widened.
  if (job.widens()) out.gathered += 2 * t.hidden * std::max(t.ffn, t.query()) / l.tensor;
  const double tokens = l.micro_batch * t.sequence / l.context,
               n = std::max(1.0, std::round(job.batch / (l.data * l.micro_batch)));
  const Kept layer = kept_of_a_layer(job, l, stage.layers);
  const bool again = l.recompute == Recompute::full || l.recompute == Recompute::alternate;
  if (stage.last)
    out.logits =
        (l.sharded == Sharding::all && !l.fused_loss ? kLossPlain : kLossInPlace) * tokens * t.vocabulary / l.tensor;
  // A layer is recomputed when the loss is done with: of the two only the larger counts.
  out.activations = layer.kept * stage.layers * stage.under_way + (again ? std::max(0.0, layer.whole - out.logits) : 0);
  if (l.offload_activations) {
    const double away = std::min(1.0, kAtHand / stage.layers), all = layer.kept * stage.layers * stage.under_way;
    out.host += all - layer.kept * stage.layers * away;
    out.activations -= all - layer.kept * stage.layers * away;
  }
  if (t.streams > 1) {
    // All n streams are kept before each Lr = sqrt(n L / (n + 2)) of the L blocks, and while Lr blocks are mixed again
    // n + 2 numbers for each of `hidden` and block (Z. Xie et al., arXiv 2512.24880, section 4.3.2).
    const double blocks = 2 * t.half_layers() / t.layers * stage.layers,
                 together = std::max(1.0, std::round(std::sqrt(t.streams * blocks / (t.streams + 2))));
    out.activations += 2 * t.hidden * tokens / l.tensor *
                       (t.streams * std::ceil(blocks / together) * stage.under_way + (t.streams + 2) * together);
  }
  if (l.sharded == Sharding::all && replicas > 1) {
    const double body = (layers_of_all + shared / expert) / l.tensor;
    if (l.pipeline > 1) {
      // A stage's weights stay gathered from its first micro batch to its last, and its gradients are summed in 32 bit
      // before they are scattered (FSDP2 with pipelines: reshard_after_forward false, reduce type 32 bit;
      // pytorch/torchtitan, parallelize_llama.py).
      out.gathered += (part * body + tables / l.tensor) * (n > 1 ? 2 + 4 : 2);
    } else {
      // Two layers at a time, as they are stored; the tables are the root's, gathered all the time.
      const double sent = 2 * job.trained_share() + job.frozen_bytes * (1 - job.trained_share());
      out.gathered += 2 * sent * body / t.layers + 2 * tables / l.tensor;
    }
  }
  out.gradients_replace = l.sharded == Sharding::all && replicas > 1 && n <= 1;
  if (l.offload_optimizer) out.host += std::exchange(out.optimizer, 0);
  return out;
}

}  // namespace

double activations_offloaded(const TrainingJob& job, const Layout& l, double layers) {
  return kept_of_a_layer(job, l, layers).kept * std::max(0.0, layers - kAtHand);
}

TrainingMemory training_memory(const TrainingJob& job, const Layout& l) {
  const double layers = job.model.layers, p = l.pipeline,
               n = std::max(1.0, std::round(job.batch / (l.data * l.micro_batch)));
  if (p <= 1) return stage_memory(job, l, {.layers = layers});
  if (l.schedule == PipelineSchedule::dualpipe) {
    // A GPU of an end has the first and the last stage, and p + 1 micro batches under way (arXiv 2412.19437, table 2).
    // Both copies of a parameter divide its optimizer state.
    const double each = std::min(n, (p + 1) / 2), whole = std::ceil(layers / p);
    TrainingMemory out = stage_memory(job, l, {.layers = whole, .under_way = each, .first = true, .last = false});
    const TrainingMemory last =
        stage_memory(job, l, {.layers = whole, .under_way = each, .first = false, .last = true});
    out.weights += last.weights, out.gradients += last.gradients, out.activations += last.activations;
    out.optimizer = (out.optimizer + last.optimizer) / 2;
    out.host += last.host;
    out.gathered += last.gathered, out.logits += last.logits;
    return out;
  }
  // Layers are whole. With chunks the interleaved schedule starts more micro batches.
  const double more = l.interleave > 1 ? (p - 1) / l.interleave : 0;
  TrainingMemory first = stage_memory(job, l,
                                      {.layers = std::ceil(layers / p),
                                       .under_way = std::min(n, p) * (1 + more / p),
                                       .first = true,
                                       .last = false}),
                 last = stage_memory(job, l,
                                     {.layers = std::max(1.0, std::floor(layers / p)),
                                      .under_way = l.interleave > 1 ? std::min(n, p - more) : 1,
                                      .first = false,
                                      .last = true});
  last.last_stage = true;
  return last.total() > first.total() ? last : first;
}

}  // namespace clusterc
