// One step of training a decoder: what each GPU computes, moves and holds when the model is divided in one way, term by
// term.
//
// Time of one micro batch on one stage, forward (backward is 2 x, 1 x of what is not trained, attention 2.5 x; what is
// recomputed is a forward pass more):
//   matrices    2 x parameters that multiply a token x tokens / rate;  rate = published rate of large matrices x share
//   that layers reach of it attention   2 x layers x heads x head size x sequence x tokens / rate        (causal: half
//   of the square) memory      4 x what is kept for the backward pass / memory bandwidth, a third of it forward
//   (written, read, read back, its gradient written) tensor      2 all-reduces of hidden x tokens a layer, half of it
//   hidden on Hopper and later experts     4 all-to-alls of hidden x tokens a layer over forward and backward, once for
//   each place that one of a token's experts lies on
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
#include "targets/workloads.h"

namespace clusterc {

struct ModelShape;
struct ModelSplit;

struct Transformer {
  double parameters = 0, active = 0;  // all, and those that one token goes through
  double layers = 0, hidden = 0, sequence = 0, heads = 0, kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0,
         experts = 0, experts_per_token = 0;
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

// selective: attention alone (Korthikanti, section 5). alternate: what is no matrix product, and every second one of
// these (PyTorch's selective checkpointing by operator, as pytorch/torchtitan has it: of the products for queries,
// keys, values, output, gate, up and down the second, fourth and sixth).
enum class Recompute { none, selective, alternate, full };
std::string_view recompute_word(Recompute);

struct Layout {
  double tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1, interleave = 1, micro_batch = 1;
  Sharding sharded = Sharding::optimizer;
  Recompute recompute = Recompute::none;
  double copy() const { return tensor * pipeline * context; }  // GPUs of one copy
  double gpus() const { return copy() * data; }
};

struct TrainingJob {
  Transformer model;
  double batch = 1;  // sequences of one step
  std::string precision = "bf16";
  double optimizer_bytes = 12;  // a parameter
  double trained = 0;           // parameters that are trained; 0: all
  double trained_share() const { return clusterc::trained_share(trained, model.parameters); }
  double flops_per_token() const;  // forward and backward, nothing twice: 6 (4 of what is not trained) x matrix
                                   // parameters + 6 x layers x heads x head size x sequence (causal)
};

struct TrainingMachine {
  double gpus = 1;
  Bytes memory{0};             // of one GPU
  FlopsPerSecond peak{0};      // dense, at the precision
  FlopsPerSecond matrices{0};  // published rate of large matrices at the precision
  FlopsPerSecond sixteen{0};   // the same with 16 bit: output layer
  FlopsPerSecond attention{0};
  double share = 1;             // of `matrices` that the layers of a model reach
  BytesPerSecond bandwidth{0};  // of a GPU's memory, typical
  FlopsPerSecond vector{0};     // FP32, outside the tensor cores; serving
  CollectiveUnit unit;
  std::string matrices_from, share_from, bandwidth_from;
};
// Share of the published matrix rate that layers reach in training: medians over published runs (docs/predictions.md
// says which, and what is left when a run is judged without its own publication).
double layer_share(std::string_view precision, bool experts);
TrainingMachine training_machine(const Cluster&, const WorkloadGpus&, const Workload&, bool experts);

struct StepTime {
  double matrices = 0, attention = 0, memory = 0, optimizer = 0;  // seconds of computing
  double tensor = 0, experts = 0, context = 0, pipeline = 0 /* bubble */, transfers = 0,
         data = 0;  // seconds of waiting
  double micro_batches = 0;
  double total() const {
    return matrices + attention + memory + optimizer + tensor + experts + context + pipeline + transfers + data;
  }
  double communication() const { return tensor + experts + context + transfers + data; }
};
StepTime step_time(const TrainingJob&, const Layout&, const TrainingMachine&);

struct TrainingMemory {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, gathered = 0,
         logits = 0;  // bytes on the fullest GPU
  bool gradients_replace =
      false;              // gradients come while activations go: sharded with the weights, and one micro batch a step
  double total() const {  // of what is alive, at the fullest moment
    const double passing = activations + logits;
    return weights + optimizer + gathered +
           (gradients_replace ? (gradients > passing ? gradients : passing) : gradients + passing);
  }
  double reserved() const;  // what the framework's allocator then holds, and tools show
};
TrainingMemory training_memory(const TrainingJob&, const Layout&);

// The fastest layout that fits, of all that divide layers, heads and batch evenly. With `given` what the spec writes is
// kept (tensor, pipeline, sharded, context and expert have the language's defaults then) and only the rest is sought.
// Bounded: powers of two of tensor within the unit, divisors of the layers up to 128 stages, context up to 16, experts
// over 64 GPUs or a unit, micro batches up to 8.
struct LayoutChoice {
  Layout layout;
  StepTime time;
  TrainingMemory memory;
};
struct LayoutSearch {
  std::optional<LayoutChoice> best;      // fits, and no other that fits is faster
  std::optional<LayoutChoice> smallest;  // the one that needs the least memory, whether it fits or not
  std::int64_t tried = 0, fitting = 0;
};
LayoutSearch search_layouts(const TrainingJob&, const TrainingMachine&, const ModelSplit* given);

}  // namespace clusterc
