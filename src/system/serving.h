// The inference workloads as Kubernetes serves them: copies of the model as the plan divides it, each one pod on a node
// or a group of pods on several nodes. Decided here once; the output kubernetes writes the objects.
#pragma once
#include <cstdint>
#include <string>

namespace clusterc {

struct Workload;

struct ServedModel {
  std::string name;  // of the workload
  const Workload* workload = nullptr;
  int group = -1;
  std::string team, image, weights;
  std::int64_t tensor = 1, pipeline = 1, data = 1;  // data: groups of a copy that have attention of their own
  std::int64_t sequences = 1, chunk = 8192;         // that one such group works on at once; most tokens of its step
  std::int64_t gpus = 1;                            // of a pod
  std::int64_t pods = 1;                            // of a copy, each on a node of its own where there are several
  std::int64_t least = 1, most = 1;       // copies: what `tokens_per_second` needs, what the GPUs of the workload make
  std::int64_t sequence = 1;              // tokens of the longest request with its answer
  double filled = 0.9;                    // of the GPU's memory that the engine may take
  bool experts = false;                   // spread over the GPUs of a copy
  std::string kv_precision;               // bf16, fp16, fp8, fp4
  std::int64_t cpus = 1, memory_mib = 0;  // of a pod
};

}  // namespace clusterc
