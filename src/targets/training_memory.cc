#include <algorithm>
#include <cmath>

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

TrainingMemory training_memory(const TrainingJob& job, const Layout& l) {
  const Transformer& t = job.model;
  TrainingMemory out;
  const double replicas = l.data * l.context, expert = std::max(1.0, l.expert), shared = t.expert_parameters();
  const auto hold = [&](double parameters, double copies) {
    const ModelState s = model_state(parameters, l.tensor * l.pipeline, copies, l.sharded,
                                     job.trained_share() * parameters, job.optimizer_bytes);
    out.weights += s.weights;
    out.gradients += s.gradients * job.gradient_bytes / 2;
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
  // With 8 and 4 bits the inputs of the products are kept in 8 bits: those after the norms and before the last matrix.
  const double saved = job.precision == "fp8" || job.precision == "fp4" ? 2 * t.hidden + t.through() : 0,
               scores = job.attention == AttentionKernel::unfused && l.recompute == Recompute::none
                            ? 5 * t.heads * t.sequence * t.attention_layers / t.layers
                            : 0;
  const double whole = (t.kept_per_token() - saved + scores) * tokens / l.tensor;
  const bool again = l.recompute == Recompute::full || l.recompute == Recompute::alternate;
  const double done_again = l.recompute_layers > 0 ? std::min(1.0, l.recompute_layers / layers) : 1;
  const double kept = l.recompute == Recompute::full
                          ? 2 * t.hidden * tokens / l.tensor * done_again + whole * (1 - done_again)
                      : l.recompute == Recompute::alternate ? t.kept_alternate() * tokens / l.tensor
                                                            : whole;
  // Logits lie on the last stage, where fewer micro batches are under way: with a pipeline the first stage is the
  // fuller one.
  out.logits = l.pipeline > 1 ? 0
                              : (l.sharded == Sharding::all && !l.fused_loss ? kLossPlain : kLossInPlace) * tokens *
                                    t.vocabulary / l.tensor;
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

}  // namespace clusterc
