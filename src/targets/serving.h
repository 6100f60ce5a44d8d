// What serving a model needs: GPUs that hold its weights, keys and values; what one step of the engine takes, how many
// tokens a second that gives, how long a request waits for its first token and for each further one.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/training.h"

namespace clusterc {

// Fitted to the 98 published rates of tests/serving_rates.yaml; docs/predictions-serving.md has what each becomes when
// one model is left out, and the errors then.
constexpr double kServingMatrixShare = 0.66;   // of the dense peak that matrix products reach
constexpr double kServingExpertShare = 0.352;  // of that, in the products of experts
constexpr double kVectorOperations = 117;      // of the FP32 rate, for each number that kernels between products move
constexpr double kServingHost = 1.18e-3;       // seconds of a step on the CPU for the square root of its sequences
// Seconds of a step for each layer, whatever its sequences: kernels that start and end. Not from full load, where it is
// lost among other terms, but from published times between the tokens of one to eight users
// (tests/serving_latencies.yaml).
constexpr double kServingLayerStart = 52e-6;
// What published rates are of the figure for the same case, from the tenth to the ninetieth of a hundred.
constexpr double kServingLow = 0.76, kServingHigh = 1.23;

// Lengths of the requests: means over what is asked, and what a sequence is on average while it is under way.
struct ServingLoad {
  double input = 0, output = 0;  // tokens, means
  double held = 0;               // tokens of a sequence at its end, weighted by how long it is under way
  double read = 0;               // tokens whose keys and values a step reads for it
  double squares = 0;            // mean of input squared: attention within prompts
  double longest = 0;            // prompt and answer of the longest kind
  double cached = 0;             // share of prompts that the prefix cache holds
  bool assumed = false;          // no lengths in the spec: half of `sequence` each
};
ServingLoad serving_load(const Workload&, double sequence);

constexpr double kPrefillChunk = 8192, kEngineSequences = 1024;  // the language's defaults

struct ServingNeeds {
  Transformer model;
  double weight_bytes = 2;                    // of a parameter
  double kv_token = 0;                        // bytes of keys and values of one token, all layers
  double tokens_held = 0;                     // that one copy holds at once; 0: as many as fit
  double rate = 0;                            // tokens a second wanted of all copies together; 0: not said
  double first_within = 0, token_within = 0;  // seconds; 0: no limit
  ServingLoad load;
  double chunk = kPrefillChunk, sequences = kEngineSequences;
  double drafted = 0, accepted = 0, draft_parameters = 0;  // speculative decoding
  bool apart = false;                                      // prefill on copies of its own
  bool latent = false;  // keys and values are one for all heads: tensor parallelism does not divide them
  // Tokens of an answer that one step brings: (1 - a^(n+1)) / (1 - a), Y. Leviathan et al., arXiv 2211.17192, eq. 1.
  double answered() const;
};

// How one copy lies: each layer on `tensor` GPUs, the layers in `pipeline` stages one after the other; `data` groups of
// such GPUs have the attention of sequences of their own, and the experts are spread over all of a stage's.
struct ServingSplit {
  double tensor = 1, pipeline = 1, data = 1;
  double gpus() const { return tensor * pipeline * data; }
};

// One step of the engine: each stage works on its part of the sequences, a token each (and what is drafted), and on a
// share of the prompts that are waiting.
//   stage = sqrt( (products / rate)^2 + (weights that are read / bandwidth)^2 ) + vector + cache + attention
//           + communication + start
//   step = sqrt( (pipeline x stage + sends)^2 + (pipeline x host)^2 )
// The CPU prepares a step and answers the one before while the GPU computes (TensorRT-LLM's overlap scheduler, on
// unless it is switched off; SGLang's; vLLM's asynchronous scheduling): its work shows only where it takes as long as
// that of the GPU.
struct ServingStep {
  double dense = 0, experts = 0, weights = 0;  // seconds: products at their rate; reading weights
  double vector = 0, cache = 0, attention = 0, communication = 0, sends = 0, draft = 0, start = 0, host = 0;
  double tokens = 0;  // that go through the layers, in all stages
  double on_gpu() const;
  double total() const;
  std::string_view most() const;  // the resource that takes most of it
};

struct ServingPoint {
  double sequences = 0, tokens_per_second = 0;  // of a copy
  double per_token = 0, first_token = 0;        // seconds
};

struct ServingCopy {
  ServingSplit split;
  double weights = 0, kv = 0;        // bytes on each GPU
  double filled = 0;                 // of its memory
  bool fits = false;                 // within the memory
  bool tight = false;                // fits, but above kUsableMemory: only for engines that are told to fill more
  double room = 0;                   // tokens whose keys and values find room in what is usable beside the weights
  double tokens = 0, sequences = 0;  // held at once
  std::string_view limited_by;       // what keeps the sequences from being more
  bool meets = true;                 // the limits of first token and further tokens, with one sequence at least
  ServingStep step;
  double tokens_per_second = 0, per_token = 0, first_token = 0;
  double prompts_per_second = 0;  // of a copy that only computes prompts (`apart`)
  double prompt_time = 0;         // seconds of one prompt there
};
ServingCopy serving_copy(const ServingNeeds&, const ServingSplit&, const TrainingMachine&);
ServingPoint serving_point(const ServingNeeds&, const ServingSplit&, const TrainingMachine&, double sequences);
// 1, 2, 4, … sequences up to what the copy holds.
std::vector<ServingPoint> serving_curve(const ServingNeeds&, const ServingCopy&, const TrainingMachine&);

struct ServingPlan {
  ServingNeeds needs;
  std::optional<ServingCopy> written;  // as `split` says
  std::optional<ServingCopy>
      least;  // the fewest GPUs that hold weights, keys and values in kUsableMemory; a power of two, as engines split
  std::optional<ServingCopy> best;  // fewest GPUs for the rate; without a rate: most tokens a second of each GPU
  ServingCopy used;          // what the figures below reckon with: as written where that is not tight, else the best
  double copies = 0;         // that the workload's GPUs make
  double prompt_copies = 0;  // of them, those that compute prompts (`apart`)
  double tokens_per_second = 0;                                         // of all of them
  double copies_wanted = 0, prompt_copies_wanted = 0, gpus_wanted = 0;  // for the rate; 0: no rate
  double longest_request = 0;       // tokens of a prompt with its answer that one copy holds
  double largest_model = 0;         // parameters that all GPUs hold as one copy, beside keys and values of one request
  std::vector<ServingPoint> curve;  // of one copy
};
std::optional<ServingPlan> plan_serving(const ServingNeeds&, const TrainingMachine&,
                                        const std::optional<ServingSplit>& written);
std::optional<ServingSplit> serving_split(const Workload&);  // as the spec writes it

// As the workload says: bytes of a weight, keys and values of a token (written, or by the formula), what a copy holds,
// the rate.
ServingNeeds serving_needs(const Transformer&, const Workload&);
// NVFP4 has a scale of 8 bits for 16 numbers (4.5 bits a weight).
double stored_bytes(std::string_view precision);
// The precision that the GPUs of a serving workload compute in: as written, or the next wider one that they have.
std::string serving_arithmetic(const Cluster&, const Workload&);

}  // namespace clusterc
