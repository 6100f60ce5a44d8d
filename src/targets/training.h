// One step of training a decoder: what each GPU computes, moves and holds when the model is divided in one way, term by
// term.
//
// Time of one micro batch on one stage, forward (backward is 2 x, 1 x of what is not trained, attention 2.5 x; what is
// recomputed is a forward pass more). F: constants of training_fit.h, each a share or a number of passes over memory.
//   matrices    2 x parameters that multiply a token x tokens / (published rate of large matrices x F.sustained)
//   attention   2 x layers x heads x head size x sequence x tokens / (16-bit peak x F.attention)   (causal: half of the
//   square; a window: its width)
//   memory      F x what a layer keeps, F x operands of the products (weights once for each micro batch; with 8 and 4
//   bits also their quantisation), F x rows of experts, what several streams move, / memory bandwidth
//   start       F for each layer and each expert: kernels that start and end
//   tensor      2 all-reduces of hidden x tokens a layer, half of it hidden on Hopper and later
//   experts     4 all-to-alls of hidden x tokens a layer over forward and backward, once for each place that one of a
//   token's experts lies on
// A pipeline is as fast as its slowest stage: whole layers, and on the last the output layer.
// Memory of the fullest GPU, at its fullest moment: states, what the micro batches under way keep, and what is alive
// only then: the loss over the vocabulary, or (after recomputing) all of one layer. docs/workloads.md has the terms. A
// step: micro batches x that x (1 + (p-1)/(v m)), and what of the gradients' and weights' travel is not hidden behind
// it. Sources: D. Narayanan et al., arXiv 2104.04473, sections 2.2 to 3.2 (bubble, traffic); V. Korthikanti et al.,
// arXiv 2205.05198, table 2 and section 4.2.3 (what is kept); S. Rajbhandari et al., ZeRO, SC 2020, sections 5 and 7
// (states, traffic).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/collectives.h"
#include "targets/training_fit.h"
#include "targets/workloads.h"

namespace clusterc {

struct LoraAdapters;
struct ModelShape;
struct ModelSplit;

struct Transformer {
  double parameters = 0, active = 0;  // all, and those that one token goes through
  double layers = 0, hidden = 0, sequence = 0, heads = 0, kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0,
         experts = 0, experts_per_token = 0;
  double expert_ffn = 0, expert_hidden = 0,
         shared_ffn = 0;  // widths of one expert, and of all that every token goes to
  double attention_layers = 0, dense_layers = 0, expert_layers = 0, mixer_layers = 0;  // blocks; mixers: state spaces
  double window = 0, window_layers = 0;
  double streams = 1;  // of the hidden state (hyper-connections)
  double of_shape =
      0;  // parameters that layers, hidden, heads, ffn and vocabulary give; 0: those of the experts are not written
  bool gated = false, tied = true;  // three matrices in each feed-forward layer; one table for input and output
  bool ffn_assumed = false, heads_assumed = false, vocabulary_assumed = false;
  double head_parameters() const { return vocabulary * hidden; }  // of the output layer
  double matrix_parameters() const {
    return active - (tied ? 0 : vocabulary * hidden);
  }  // that multiply a token, output layer included
  double expert_parameters() const {
    return experts > experts_per_token && experts_per_token > 0
               ? experts * (parameters - active) / (experts - experts_per_token)
               : 0;
  }
  double expert_parameters_of_token() const {
    return experts > 0 ? expert_parameters() * experts_per_token / experts : 0;
  }
  double through() const {  // width of what goes through a nonlinearity, of the mean layer
    return (ffn * dense_layers + (expert_ffn * experts_per_token + shared_ffn) * expert_layers) / layers;
  }
  double half_layers() const { return (attention_layers + mixer_layers + dense_layers + expert_layers) / 2; }
  double query() const { return heads * head_size; }
  double keys() const { return kv_heads * head_size; }
  double kept_per_token() const;   // bytes of one layer that the backward pass needs, 16 bit
  double kept_alternate() const;   // those of them that stay with Recompute::alternate
  double alternate_share() const;  // of a layer's matrix work that is then done again
};
// Figures of a model that cannot all be right: a token goes to more experts than there are, through more parameters
// than there are or fewer than its experts alone have, or the table of the vocabulary is larger than all that is no
// expert's. `says`: "has 50e9 active parameters of 46.7e9".
struct ModelContradiction {
  SourceSpan at, against;
  std::string says, sum;
};
std::vector<ModelContradiction> contradictions(const ModelShape&);
// nullopt with the missing key of `model`, or with none where its figures contradict one another.
std::optional<Transformer> read_transformer(const ModelShape&, std::string_view& missing);

// Low-rank adapters beside the matrices of a model: rank x (rows + columns) parameters each (E. Hu et al., arXiv
// 2106.09685, section 4.1). `moved`: numbers that a token's way through all of them moves forward: the input read once
// more, the result written, and added to that of the matrix (two read, one written).
struct Adapters {
  double parameters = 0, moved = 0;
};
Adapters adapters_of(const Transformer&, const LoraAdapters&);

// selective: attention alone (Korthikanti, section 5). alternate: what is no matrix product, and every second one of
// these (PyTorch's selective checkpointing by operator, as pytorch/torchtitan has it: of the products for queries,
// keys, values, output, gate, up and down the second, fourth and sixth).
enum class Recompute { none, selective, alternate, full };
std::string_view recompute_word(Recompute);

// zero_bubble: ZB-H1, P. Qi et al., arXiv 2401.10241. dualpipe: DeepSeek-V3, arXiv 2412.19437, section 3.2.
enum class PipelineSchedule { one_f_one_b, zero_bubble, dualpipe };
PipelineSchedule schedule_of(std::string_view word);
std::string_view schedule_word(PipelineSchedule);

struct Layout {
  double tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1, interleave = 1, micro_batch = 1;
  Sharding sharded = Sharding::optimizer;
  Recompute recompute = Recompute::none;
  double recompute_layers = 0;  // of each stage, that `full` is done for; 0: all of them
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  bool offload_optimizer = false, offload_activations = false;  // they lie in the memory of the node
  bool fused_loss = false;  // the loss keeps no copies of the logits in 32 bit (FSDP; Megatron's never does)
  double copy() const { return tensor * pipeline * context; }  // GPUs of one copy
  double gpus() const { return copy() * data; }
};

std::string_view offload_word(const Layout&);  // as `split.offload` takes it; none: "none"

// unfused: the scores of every head are written to memory (before FlashAttention). flash2: kernels made for A100
// (FlashAttention-2; PyTorch's own). native: kernels made for the GPU (FlashAttention-3, cuDNN). by_framework: flash2
// with FSDP (`sharded: all`, which is PyTorch's), else native.
enum class AttentionKernel { by_framework, unfused, flash2, native };

struct TrainingJob {
  Transformer model;
  double batch = 1;  // sequences of one step
  std::string precision = "bf16";
  double optimizer_bytes = 12;  // a parameter
  double trained = 0;           // parameters that are trained; 0: all
  AttentionKernel attention = AttentionKernel::by_framework;
  std::optional<bool> fused_loss;  // left out: where the plain loss does not fit
  double gradient_bytes = 2;       // a parameter, in which gradients are summed and sent
  bool fused_experts = false;      // one kernel for all experts of a layer, with what follows the product inside
  double imbalance = 1;            // tokens of the fullest GPU's experts over the mean
  double frozen_bytes = 2;         // of a weight that is not trained
  double adapters_moved = 0;       // Adapters::moved
  double trained_share() const { return clusterc::trained_share(trained, model.parameters); }
  // Matrices are stored in fewer bits than the arithmetic has, and widened for each product.
  bool widens() const { return frozen_bytes < bytes_of_precision(precision); }
  double flops_per_token() const;  // forward and backward, nothing twice: 6 (4 of what is not trained) x matrix
                                   // parameters + 6 x layers x heads x head size x sequence (causal)
};

struct TrainingMachine {
  double gpus = 1;
  Bytes memory{0};             // of one GPU
  FlopsPerSecond peak{0};      // dense, at the precision
  FlopsPerSecond matrices{0};  // published rate of large matrices at the precision
  FlopsPerSecond sixteen{0};   // the same with 16 bit: output layer
  FlopsPerSecond peak16{0};    // dense, 16 bit
  FlopsPerSecond attention{0}, attention_flash2{0};
  double share = 1;    // of `matrices` that lasts under load
  double share16 = 1;  // of `sixteen`
  double watts = 0;    // power limit of one GPU; 0: not known
  bool four_bit = false;
  TrainingFit fit = training_fit();
  BytesPerSecond bandwidth{0};    // of a GPU's memory, typical
  BytesPerSecond host_link{0};    // between a GPU and its node, one way; 0: not known
  BytesPerSecond host_memory{0};  // of the node's memory, for each GPU; 0: not known
  FlopsPerSecond vector{0};       // FP32, outside the tensor cores; serving
  CollectiveUnit unit;
  std::string matrices_from, share_from, bandwidth_from;
};
// Puts in what follows from the fitted constants: share, share16 and the rates of attention.
void set_fit(TrainingMachine&, const TrainingFit&);
TrainingMachine training_machine(const Cluster&, const WorkloadGpus&, const Workload&);

struct StepTime {
  double matrices = 0, attention = 0, memory = 0, start = 0, optimizer = 0;  // seconds of computing
  double tensor = 0, experts = 0, context = 0, pipeline = 0 /* bubble */, transfers = 0, data = 0,
         offload = 0;  // seconds of waiting
  double micro_batches = 0;
  double total() const {
    return matrices + attention + memory + start + optimizer + tensor + experts + context + pipeline + transfers +
           data + offload;
  }
  double communication() const { return tensor + experts + context + transfers + data; }
};
StepTime step_time(const TrainingJob&, const Layout&, const TrainingMachine&);

struct TrainingMemory {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, gathered = 0,
         logits = 0;        // bytes on the fullest GPU
  double host = 0;          // bytes of it that lie in the memory of the node (`offload`)
  bool last_stage = false;  // that is on the last stage of a pipeline, which has the output layer
  bool gradients_replace =
      false;              // gradients come while activations go: sharded with the weights, and one micro batch a step
  double total() const {  // of what is alive, at the fullest moment
    const double passing = activations + logits;
    return weights + optimizer + gathered +
           (gradients_replace ? (gradients > passing ? gradients : passing) : gradients + passing);
  }
  double reserved() const;  // what the framework's allocator then holds, and tools show
};
double activations_offloaded(const TrainingJob&, const Layout&, double layers);  // bytes of a micro batch
TrainingMemory training_memory(const TrainingJob&, const Layout&);  // of the fuller of the first and the last stage

// The fastest layout that fits, of all that divide layers, heads and batch evenly. With `given` what the spec writes is
// kept (tensor, pipeline, sharded, context and expert have the language's defaults then) and only the rest is sought.
// Bounded: powers of two of tensor within the unit, divisors of the layers up to 128 stages and powers of two up to 64,
// context up to 16, experts over 64 GPUs or a unit, micro batches up to 8.
struct LayoutChoice {
  Layout layout;
  StepTime time;
  TrainingMemory memory;
};
struct LayoutSearch {
  std::optional<LayoutChoice> best;      // fits, and no other that fits is faster
  std::optional<LayoutChoice> smallest;  // the one that needs the least memory, whether it fits or not
  std::vector<LayoutChoice> fastest;     // the five fastest that fit, of different splits
  std::int64_t tried = 0, fitting = 0;
};
LayoutSearch search_layouts(const TrainingJob&, const TrainingMachine&, const ModelSplit* given);

}  // namespace clusterc
