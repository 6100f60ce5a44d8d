// Fine-tuning with adapters and quantised weights, and the zero-bubble schedule: by hand, and as published.
#include <gtest/gtest.h>

#include "spec/workload.h"
#include "targets/training.h"
#include "unit/model/examples.h"
#include "unit/targets/training_examples.h"

namespace clusterc {
namespace {

Transformer llama_8b() { return transformer(8.0303e9, 32, 4096, 14336, 32, 8, 128256, 2048); }

LoraAdapters lora(std::int64_t rank, const char* matrices = "all") {
  LoraAdapters out;
  out.rank.value = rank;
  out.matrices.value = matrices;
  return out;
}

Workload fine_tuning(const char* stored) {
  Workload w;
  w.kind.value = "fine-tuning";
  w.model.emplace();
  w.model->parameters.value = 8.0303e9, w.model->layers.value = 32, w.model->hidden.value = 4096,
  w.model->ffn.value = 14336, w.model->heads.value = 32, w.model->kv_heads.value = 8,
  w.model->vocabulary.value = 128256;
  w.lora = lora(16);
  if (stored) w.weight_precision.value = stored;
  return w;
}

// PEFT and Unsloth print 41,943,040 trainable parameters for Llama 3.1 8B with rank 16 on all linear layers; by hand:
// 16 x 32 x (2 x 8,192 + 2 x 5,120 + 3 x 18,432).
TEST(Adapters, ParametersFollowFromTheShape) {
  EXPECT_DOUBLE_EQ(adapters_of(llama_8b(), lora(16)).parameters, 41943040);
  EXPECT_DOUBLE_EQ(adapters_of(llama_8b(), lora(16, "attention")).parameters, 16.0 * 32 * (2 * 8192 + 2 * 5120));
  EXPECT_DOUBLE_EQ(adapters_of(llama_8b(), lora(64)).parameters, 4 * 41943040.0);
}

TEST(Adapters, CountInFineTuningAlone) {
  Workload w = fine_tuning(nullptr);
  EXPECT_DOUBLE_EQ(trained_parameters(w), 41943040);
  w.trained_parameters.value = 1e9;  // what is written stands
  EXPECT_DOUBLE_EQ(trained_parameters(w), 1e9);
  w.kind.value = "training";
  EXPECT_DOUBLE_EQ(trained_parameters(w), 0);
}

TEST(Adapters, RankIsAWholeNumber) {
  LoraAdapters out;
  std::string error;
  EXPECT_TRUE(LoraAdapters::from_text("16", out, error));
  EXPECT_EQ(*out.rank, 16);
  for (const char* wrong : {"0", "1.5", "16%", "all", "70000"})
    EXPECT_FALSE(LoraAdapters::from_text(wrong, out, error));
}

// QLoRA, section 3: 4 bits, 8 / 64 for the scales, 32 / (64 x 256) for the scales of scales: 4.127 bits.
TEST(Adapters, FrozenWeights) {
  EXPECT_NEAR(frozen_bytes(fine_tuning("fp4")) * 8, 4.127, 0.001);
  EXPECT_DOUBLE_EQ(frozen_bytes(fine_tuning("fp8")), 1);
  EXPECT_DOUBLE_EQ(frozen_bytes(fine_tuning(nullptr)), 2);
  Workload all = fine_tuning("fp4");  // nothing is frozen
  all.lora.reset();
  EXPECT_DOUBLE_EQ(frozen_bytes(all), 2);
}

// Llama 3.1 8B on one GPU: 6.980e9 parameters of layers in 4.127 bits and two tables of 128,256 x 4,096 in 16 bit are
// 5.70 GB; adapters of rank 16 have 2 bytes of gradients and 12 of the optimizer for each of 41.9e6.
TEST(Adapters, MemoryOfQuantisedWeights) {
  TrainingJob job{.model = llama_8b(), .batch = 2};
  job.trained = 41943040;
  job.frozen_bytes = frozen_bytes(fine_tuning("fp4"));
  const Layout l{.micro_batch = 2, .sharded = Sharding::none, .recompute = Recompute::full};
  const TrainingMemory m = training_memory(job, l);
  const double tables = 2.0 * 128256 * 4096, layers = 8.0303e9 - tables;
  EXPECT_NEAR(m.weights, layers * 4.127 / 8 + 2 * tables, 0.1e9);
  EXPECT_NEAR(m.gradients, 2 * 41943040.0, 1e3);
  EXPECT_NEAR(m.optimizer, 12 * 41943040.0, 1e3);
  EXPECT_DOUBLE_EQ(m.gathered, 2.0 * 4096 * 14336);  // one matrix at a time is widened
  job.frozen_bytes = 2;
  EXPECT_NEAR(training_memory(job, l).weights, 2 * 8.0303e9, 1e6);
}

// The step reads and writes what it widens, once for each pass: (0.516 + 2) bytes x frozen parameters of the layers.
TEST(Adapters, WideningTakesTime) {
  Resolved e;
  const TrainingMachine m = plain_machine(e, 1);
  TrainingJob job{.model = transformer(6.66e9, 32, 4096, 16384, 32, 32, 0, 2048), .batch = 1};
  job.trained = 40e6;
  const Layout l{.sharded = Sharding::none};
  const double before = step_time(job, l, m).memory;
  job.frozen_bytes = 4.127 / 8;
  const double passes = 1 + 1 + 40e6 / 6.66e9;  // forward, backward for inputs, and for the adapters
  EXPECT_NEAR(step_time(job, l, m).memory - before, (4.127 / 8 + 2) * (6.66e9 - 40e6) * passes / m.bandwidth.value,
              1e-4);
}

// P. Qi et al., arXiv 2401.10241: 1F1B idles for (p-1) (F + B + W), ZB-H1 for (p-1) (F + B - W), where each
// of the three takes the time of a forward pass of matrices alone: a third.
TEST(Training, ZeroBubble) {
  Resolved e;
  TrainingMachine m = plain_machine(e, 4);
  TrainingFit f = m.fit;
  f.layer_passes = f.operand_passes = 0;
  set_fit(m, f);
  const TrainingJob job{.model = transformer(6.66e9, 32, 4096, 16384, 32, 32, 0, 2048), .batch = 8};
  const StepTime plain = step_time(job, {.pipeline = 4}, m),
                 zero = step_time(job, {.pipeline = 4, .schedule = PipelineSchedule::zero_bubble}, m);
  EXPECT_NEAR(plain.pipeline - zero.pipeline, 2.0 * 3 * plain.matrices / 8 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(plain.matrices, zero.matrices);
  // DualPipe (arXiv 2412.19437, table 2): (4/2-1) (F + B + B - 3 W) where only matrices are: (1 + 2 + 2 - 3) thirds of
  // a micro batch, with 112 of 132 multiprocessors.
  TrainingFit g = f;
  g.attention_hopper = 1e9;
  set_fit(m, g);
  const StepTime dual = step_time(job, {.pipeline = 4, .schedule = PipelineSchedule::dualpipe}, m);
  EXPECT_NEAR(dual.matrices, plain.matrices * 132 / 112, 1e-9);
  EXPECT_NEAR(dual.pipeline, dual.matrices / 8 * 2 / 3, 1e-3 * dual.matrices);
  EXPECT_GT(zero.pipeline, 0);  // attention and memory have no gradient of weights
}

// arXiv 2412.19437, table 2: twice the parameters and p + 1 micro batches, where 1F1B has p on its first stage.
TEST(Training, DualPipeMemory) {
  const TrainingJob job{.model = transformer(6.66e9, 32, 4096, 16384, 32, 32, 0, 2048), .batch = 16};
  const TrainingMemory plain = training_memory(job, {.pipeline = 4, .data = 2}),
                       dual = training_memory(job, {.pipeline = 4, .data = 2, .schedule = PipelineSchedule::dualpipe});
  EXPECT_DOUBLE_EQ(dual.weights, 2 * plain.weights);
  EXPECT_DOUBLE_EQ(dual.optimizer, plain.optimizer);
  EXPECT_DOUBLE_EQ(dual.activations, plain.activations * 5 / 4);
}

}  // namespace
}  // namespace clusterc
