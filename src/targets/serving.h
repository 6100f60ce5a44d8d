// What serving a model needs: GPUs that hold its weights, keys and values; how many tokens a second the memory's bandwidth gives.
#pragma once
#include <optional>

#include "targets/training.h"

namespace clusterc {

struct ServingNeeds {
  Transformer model;
  double weight_bytes = 2;           // of a parameter
  double kv_token = 0;               // bytes of keys and values of one token, all layers
  double tokens_held = 0;            // that one copy holds at once; 0: as many as fit
  double rate = 0;                   // tokens a second wanted of all copies together; 0: not said
};

// One copy of the model over `gpus`, each decoding step for every sequence that it holds.
//   step = max( (weights that are read + keys and values) / (gpus x bandwidth), 2 x active parameters x sequences / (gpus x matrix rate) )
//          + 2 all-reduces of hidden x sequences a layer
struct ServingCopy {
  double gpus = 1;
  double weights = 0, kv = 0;        // bytes on each GPU
  double filled = 0;                 // of its memory
  bool fits = false, tight = false;  // tight: within the memory, above kUsableMemory
  double room = 0;                   // tokens whose keys and values find room in what is usable beside the weights
  double tokens = 0, sequences = 0;  // held at once
  double step = 0;                   // seconds
  double tokens_per_second = 0;
  double memory_time = 0, matrix_time = 0, tensor_time = 0;
};
ServingCopy serving_copy(const ServingNeeds&, double gpus, const TrainingMachine&);

struct ServingPlan {
  ServingNeeds needs;
  std::optional<ServingCopy> written;            // as `split` says
  std::optional<ServingCopy> least;              // the fewest GPUs that hold weights, keys and values; a power of two, as engines split
  ServingCopy used;
  double copies = 0;                             // that the workload's GPUs make
  double tokens_per_second = 0;                  // of all of them
  double copies_wanted = 0, gpus_wanted = 0;     // for the rate; 0: no rate
};
std::optional<ServingPlan> plan_serving(const ServingNeeds&, const TrainingMachine&, double split_gpus /* 0: not written */);

// Keys and values of one token, as the spec or the formula has it.
double kv_bytes_of_token(const Transformer&, const Workload&);

}  // namespace clusterc
