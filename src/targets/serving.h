// What serving a model needs: GPUs that hold its weights, keys and values; how many tokens a second the memory's
// bandwidth gives.
#pragma once
#include <optional>

#include "targets/training.h"

namespace clusterc {

struct ServingNeeds {
  Transformer model;
  double weight_bytes = 2;  // of a parameter
  double kv_token = 0;      // bytes of keys and values of one token, all layers
  double tokens_held = 0;   // that one copy holds at once; 0: as many as fit
  double rate = 0;          // tokens a second wanted of all copies together; 0: not said
};

// How one copy lies: each layer on `tensor` GPUs, the layers in `pipeline` stages one after the other.
struct ServingSplit {
  double tensor = 1, pipeline = 1;
  double gpus() const { return tensor * pipeline; }
};

// One copy of the model, each decoding step for every sequence that it holds. Stages work at the same time on as many
// parts of the sequences (one at least); a token goes through all of them, so each reads its weights once for every
// part.
//   stage = max( (weights that are read + keys and values of a part) / bandwidth, 2 x active parameters of a stage x
//   sequences of a part / (tensor x matrix rate) )
//           + 2 all-reduces of hidden x sequences of a part among `tensor` GPUs for each of its layers
//   step  = pipeline x stage + (pipeline - 1) sends of hidden x sequences of a part / tensor
struct ServingCopy {
  ServingSplit split;
  double weights = 0, kv = 0;        // bytes on each GPU
  double filled = 0;                 // of its memory
  bool fits = false;                 // within the memory
  bool tight = false;                // fits, but above kUsableMemory: only for engines that are told to fill more
  double room = 0;                   // tokens whose keys and values find room in what is usable beside the weights
  double tokens = 0, sequences = 0;  // held at once
  double step = 0;                   // seconds
  double tokens_per_second = 0;
  double memory_time = 0, matrix_time = 0, tensor_time = 0, pipeline_time = 0;  // of a step; the last: the sends
};
ServingCopy serving_copy(const ServingNeeds&, const ServingSplit&, const TrainingMachine&);

struct ServingPlan {
  ServingNeeds needs;
  std::optional<ServingCopy> written;  // as `split` says
  std::optional<ServingCopy>
      least;  // the fewest GPUs that hold weights, keys and values in kUsableMemory; a power of two, as engines split
  ServingCopy used;   // what the figures below reckon with: as written where that is not tight, else the fewest
  double copies = 0;  // that the workload's GPUs make
  double tokens_per_second = 0;               // of all of them
  double copies_wanted = 0, gpus_wanted = 0;  // for the rate; 0: no rate
};
std::optional<ServingPlan> plan_serving(const ServingNeeds&, const TrainingMachine&,
                                        const std::optional<ServingSplit>& written);
std::optional<ServingSplit> serving_split(const Workload&);  // as the spec writes it

// As the workload says: bytes of a weight, keys and values of a token (written, or by the formula), what a copy holds,
// the rate.
ServingNeeds serving_needs(const Transformer&, const Workload&);

}  // namespace clusterc
