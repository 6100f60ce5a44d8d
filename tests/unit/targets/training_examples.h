// Models, and a machine of H100, for tests of training and serving.
#pragma once
#include <string_view>

#include "spec/workload.h"
#include "targets/training.h"
#include "targets/workloads.h"
#include "unit/model/examples.h"

namespace clusterc {

inline Transformer transformer(double parameters, double layers, double hidden, double ffn, double heads,
                               double kv_heads, double vocabulary, double sequence) {
  ModelShape m;
  const auto set = [](Value<std::int64_t>& v, double n) {
    if (n > 0) v.value = static_cast<std::int64_t>(n);
  };
  m.parameters.value = parameters;
  set(m.layers, layers), set(m.hidden, hidden), set(m.ffn, ffn), set(m.heads, heads), set(m.kv_heads, kv_heads),
      set(m.vocabulary, vocabulary), set(m.sequence, sequence);
  std::string_view missing;
  return *read_transformer(m, missing);
}

inline TrainingMachine machine(Resolved& e, double gpus) {
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
      "\"n[1-64]\", model: nvidia-dgx-h100 }\n"
      "networks:\n  compute: { kind: infiniband, rate: 400 Gb/s, connects: { gpu: { ports: compute } } }\nworkloads: { "
      "w: { on: { gpu: 1 } } }\n");
  const Workload& w = e.cluster->spec.workloads.find("w")->value;
  TrainingMachine m = training_machine(*e.cluster, *gpus_of(*e.cluster, w), w);
  m.gpus = gpus;
  return m;
}

// Constants that are easy to multiply by, so that what is expected can be worked out.
inline TrainingMachine plain_machine(Resolved& e, double gpus) {
  TrainingMachine m = machine(e, gpus);
  TrainingFit f{};
  f.sustained_ampere = f.sustained_hopper = f.sustained_blackwell = 0.8;
  f.attention_ampere = f.attention_hopper = f.attention_blackwell = 0.5;
  f.attention_hopper_flash2 = 0.25;
  f.layer_passes = f.operand_passes = 1;
  f.four_bit = 0.5;
  set_fit(m, f);
  return m;
}

}  // namespace clusterc
