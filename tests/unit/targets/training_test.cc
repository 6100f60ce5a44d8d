// Step time, memory and serving, by hand and from the publications that each line names.
#include "targets/training.h"

#include <gtest/gtest.h>

#include "spec/workload.h"
#include "targets/workload_plan.h"
#include "unit/model/examples.h"
#include "unit/targets/training_examples.h"

namespace clusterc {
namespace {

// Llama 3.1 at 8,192 tokens, causal: 51.472, 449.23 and 2,524 GFLOP a token (NVIDIA's tables of throughput give the
// same ratio of tokens to TFLOP/s within 0.5 %).
TEST(Training, OperationsOfAToken) {
  const Transformer small = transformer(8.0303e9, 32, 4096, 14336, 32, 8, 128256, 8192);
  EXPECT_TRUE(small.gated);
  EXPECT_FALSE(small.tied);
  EXPECT_NEAR((TrainingJob{.model = small}.flops_per_token()) / 1e9, 51.472, 0.01);
  EXPECT_NEAR(
      (TrainingJob{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192)}.flops_per_token()) / 1e9,
      449.23, 0.05);
  EXPECT_NEAR(
      (TrainingJob{.model = transformer(405.85e9, 126, 16384, 53248, 128, 8, 128256, 8192)}.flops_per_token()) / 1e9,
      2524, 1);
  // GPT-3: two matrices, one table of tokens.
  const Transformer gpt = transformer(174.6e9, 96, 12288, 49152, 96, 96, 51200, 2048);
  EXPECT_FALSE(gpt.gated);
  EXPECT_TRUE(gpt.tied);
  // What Llama keeps: 2 x (4 + 2 + 2/4 + 3 x 3.5) hidden = 34 hidden bytes.
  EXPECT_DOUBLE_EQ(small.kept_per_token(), 34 * 4096);
}

// Mixture of experts: all 256 hold 256 x (671 - 37) / (256 - 8) = 654.5e9 of 671e9 parameters.
TEST(Training, ParametersOfExperts) {
  ModelShape m;
  m.parameters.value = 671e9, m.active_parameters.value = 37e9, m.layers.value = 61, m.hidden.value = 7168,
  m.sequence.value = 4096, m.experts.value = 256;
  std::string_view missing;
  EXPECT_FALSE(read_transformer(m, missing));
  EXPECT_EQ(missing, "experts_per_token");
  m.experts_per_token.value = 8;
  EXPECT_NEAR(read_transformer(m, missing)->expert_parameters() / 1e9, 654.45, 0.01);
}

// D. Narayanan et al., section 2.2: the bubble is (p-1)/m of the ideal time, interleaved (p-1)/(v m). Four stages,
// eight micro batches: 3/8, with two chunks 3/16.
TEST(Training, Bubble) {
  Resolved e;
  const TrainingMachine m = plain_machine(e, 4);
  const TrainingJob job{.model = transformer(6.66e9, 32, 4096, 16384, 32, 32, 0, 2048), .batch = 8};
  const auto share = [&](double chunks) {
    const StepTime t = step_time(job, {.pipeline = 4, .interleave = chunks}, m);
    return t.pipeline / (t.matrices + t.attention + t.memory + t.start + t.tensor);
  };
  EXPECT_NEAR(share(1), 3.0 / 8, 1e-9);
  EXPECT_NEAR(share(2), 3.0 / 16, 1e-9);
}

// V. Korthikanti et al., arXiv 2205.05198: 22B (48 layers of 6,144, tensor 8, four sequences of 2,048) keeps 34 s b h L
// / t = 9.56 GiB with dropout's masks, of which 2 of 34 bytes are the masks that nobody uses any more: 32/34 x 9.56
// = 9.0 GiB.
TEST(Training, ActivationsOfThe22B) {
  const TrainingJob job{.model = transformer(22e9, 48, 6144, 24576, 64, 64, 51200, 2048), .batch = 4};
  EXPECT_NEAR(training_memory(job, {.tensor = 8, .micro_batch = 4, .recompute = Recompute::selective}).activations /
                  (1024.0 * 1024 * 1024),
              9.562 * 32 / 34, 0.01);
  // With 35 stages and three chunks the first stage holds 1 + 34/(35 x 3) times as much (section 4.2.3).
  const TrainingJob large{.model = transformer(529.6e9, 105, 20480, 81920, 128, 128, 51200, 2048), .batch = 280};
  const double plain = training_memory(large, {.tensor = 8, .pipeline = 35}).activations,
               chunks = training_memory(large, {.tensor = 8, .pipeline = 35, .interleave = 3}).activations;
  EXPECT_NEAR(plain / (1024.0 * 1024 * 1024), 17.43 * 32 / 34, 0.02);
  EXPECT_NEAR(chunks / plain, 1 + 34.0 / 105, 1e-9);
}

// Llama 3.1 8B in PyTorch (FSDP over 8 GPUs, two sequences of 8,192 = 16,384 tokens), by hand:
//   alternate keeps of a layer: input 4,096 + queries 4,096 + values 1,024 + attention 4,096 + gate 14,336 + down 4,096
//   = 31,744 numbers = 63,488 bytes a token loss 12 bytes x 16,384 x 128,256 = 25.216 GB; the tables gathered 2 x 2 x
//   128,256 x 4,096 = 2.1014 GB; two layers of (8.03e9 - 2 x 525.3e6) / 32 parameters, 2 bytes each one layer in full
//   is 2 x (4 x 4,096 + 2 x 4,096 + 2 x 1,024 + 3 x 14,336) = 139,264 bytes a token: 2.28 GB, less than the loss that
//   is gone by then
TEST(Training, MemoryOfFsdpByHand) {
  const TrainingJob job{.model = transformer(8.03e9, 32, 4096, 14336, 32, 8, 128256, 8192), .batch = 16};
  const Layout layout{.data = 8, .micro_batch = 2, .sharded = Sharding::all, .recompute = Recompute::alternate};
  const TrainingMemory m = training_memory(job, layout);
  const double activations = 63488.0 * 16384 * 32, logits = 12.0 * 16384 * 128256, tables = 4.0 * 128256 * 4096;
  EXPECT_NEAR(m.activations, activations, 1);
  EXPECT_NEAR(m.logits, logits, 1);
  EXPECT_NEAR(m.gathered, tables + 2 * 2 * (8.03e9 - tables / 2) / 32, 1e3);
  EXPECT_NEAR(m.weights + m.optimizer, 14 * 8.03e9 / 8, 1);
  // One micro batch: gradients (2 GB) come when the loss is gone.
  EXPECT_NEAR(m.total(), 14 * 8.03e9 / 8 + m.gathered + activations + logits, 1e3);
  EXPECT_NEAR(m.reserved(), m.total() / 0.85, 1);
  // Two micro batches a step: the gradients of the first lie beside the second.
  TrainingJob twice = job;
  twice.batch = 32;
  EXPECT_NEAR(training_memory(twice, layout).total() - m.total(), 2 * 8.03e9 / 8, 1);
  // Summed in 32 bit they take twice that.
  twice.gradient_bytes = 4;
  EXPECT_NEAR(training_memory(twice, layout).total() - m.total(), 4 * 8.03e9 / 8, 1);
  // 8 bits: the inputs of products after both norms and before `down` are kept in one byte.
  TrainingJob eight = job;
  eight.precision = "fp8";
  Layout none = layout;
  none.recompute = Recompute::none;
  EXPECT_NEAR(training_memory(job, none).activations - training_memory(eight, none).activations,
              (2.0 * 4096 + 14336) * 16384 * 32, 1);
  // Half of the layers again: the mean of both, and one layer while it is recomputed.
  Layout half = none;
  half.recompute = Recompute::full, half.recompute_layers = 16;
  EXPECT_NEAR(training_memory(job, half).activations, (139264.0 + 8192) / 2 * 16384 * 32, 1);
  // Everything again: 32 inputs of 8,192 bytes a token.
  Layout full = layout;
  full.recompute = Recompute::full;
  EXPECT_NEAR(training_memory(job, full).activations, 2.0 * 4096 * 16384 * 32, 1);
  // Megatron's loss is in place.
  Layout megatron = layout;
  megatron.sharded = Sharding::optimizer;
  EXPECT_NEAR(training_memory(job, megatron).logits, logits / 2, 1);
  EXPECT_EQ(training_memory(job, megatron).gathered, 0);
}

// Llama 3.1 405B on 512 GPUs, tensor 8, eight stages, sharded over 8: 405e9 / 64 = 6.33e9 parameters of a stage stay
// gathered (2 bytes) with their gradients' sum (4 bytes). Eight micro batches of 32,768 tokens are under way: 2 x
// 16,384 / 8 x 32,768 x 16 x 8 bytes of inputs (126 layers in eight stages: 16 on the first), and one layer in full.
TEST(Training, MemoryOfFsdpWithAPipelineByHand) {
  const TrainingJob job{.model = transformer(405.85e9, 126, 16384, 53248, 128, 8, 128256, 8192), .batch = 256};
  const TrainingMemory m = training_memory(job, {.tensor = 8,
                                                 .pipeline = 8,
                                                 .data = 8,
                                                 .micro_batch = 4,
                                                 .sharded = Sharding::all,
                                                 .recompute = Recompute::full});
  const double table = 128256.0 * 16384, stage = ((405.85e9 - 2 * table) * 16 / 126 + table) / 8;
  EXPECT_NEAR(m.gathered, 6 * stage, 1e4);
  const double layer = 2 * (4.0 * 16384 + 2 * 16384 + 2 * 1024 + 3 * 53248) * 32768 / 8;
  EXPECT_NEAR(m.activations, 2.0 * 16384 / 8 * 32768 * 16 * 8 + layer, 1e3);
  EXPECT_EQ(m.logits, 0);
  EXPECT_FALSE(m.gradients_replace);
}

// Llama 3.1 8B on eight stages of four layers, one sequence of 131,072 tokens at a time, two in a step. The last stage
// has the output layer and its logits, 6 bytes x 131,072 x 128,256 = 100.9 GB, and one micro batch of 4 x 34 x 4,096
// bytes a token (73.0 GB); the first has the table of tokens and two micro batches (146.0 GB) and no logits. Of 8.03e9
// parameters 4 / 32 of those outside the tables and one table lie on each: 16 bytes of each.
TEST(Training, TheLastStageHasTheLogits) {
  const TrainingJob job{.model = transformer(8.03e9, 32, 4096, 14336, 32, 8, 128256, 131072), .batch = 2};
  const double table = 128256.0 * 4096, states = 16 * ((8.03e9 - 2 * table) / 8 + table),
               micro = 4 * 34.0 * 4096 * 131072;
  const TrainingMemory last = training_memory(job, {.pipeline = 8});
  EXPECT_NEAR(last.logits, 100.9e9, 0.05e9);
  EXPECT_TRUE(last.last_stage);
  EXPECT_NEAR(last.total(), states + micro + 6.0 * 131072 * 128256, 1e4);
  // Eight in a step: eight micro batches on the first stage are more than one and the logits.
  TrainingJob many = job;
  many.batch = 8;
  const TrainingMemory first = training_memory(many, {.pipeline = 8});
  EXPECT_FALSE(first.last_stage);
  EXPECT_NEAR(first.total(), states + 8 * micro, 1e4);
  // With two chunks the last stage has (8 - 7/2) micro batches under way, the first 8 + 7/2.
  EXPECT_NEAR(training_memory(many, {.pipeline = 8, .interleave = 2}).activations, 11.5 * micro, 1e4);
}

// 126 layers do not divide over 16 stages: the search tries those all the same, and no split of powers of two that is
// written is faster than what it finds.
TEST(Training, StagesThatDoNotDivideTheLayers) {
  Resolved e;
  TrainingMachine m = machine(e, 128);
  m.memory = Bytes(180e9);
  const TrainingJob job{.model = transformer(405.85e9, 126, 16384, 53248, 128, 8, 128256, 8192), .batch = 128};
  const LayoutSearch free = search_layouts(job, m, nullptr);
  ASSERT_TRUE(free.best);
  ModelSplit split;
  split.tensor.value = 8, split.sharded.value = "optimizer";
  for (const int stages : {4, 8, 16}) {
    split.pipeline.value = stages;
    const LayoutSearch written = search_layouts(job, m, &split);
    ASSERT_TRUE(written.best) << stages;
    EXPECT_LE(free.best->time.total(), written.best->time.total() * 1.0000001) << stages;
  }
  EXPECT_NE(std::fmod(126, free.best->layout.pipeline), 0);
  // What is shown beside it is divided differently.
  for (std::size_t i = 1; i < free.fastest.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Layout &a = free.fastest[k].layout, &b = free.fastest[i].layout;
      EXPECT_TRUE(a.tensor != b.tensor || a.pipeline != b.pipeline || a.expert != b.expert ||
                  a.recompute != b.recompute)
          << k << " and " << i;
    }
}

// Done again with `alternate`: products 2, 4 and 6 of keys, output and up: (1,024 + 4,096 + 14,336) of (2 x 4,096 + 2 x
// 1,024 + 3 x 14,336) columns.
TEST(Training, AlternateRecomputation) {
  const Transformer t = transformer(8.03e9, 32, 4096, 14336, 32, 8, 128256, 8192);
  EXPECT_NEAR(t.alternate_share(), 19456.0 / 53248, 1e-12);
  EXPECT_NEAR(t.kept_alternate(), 63488, 1e-9);
}

// Fine-tuning of adapters: the weights alone are 2 bytes a parameter, 0.1e9 trained ones take 14 bytes more.
TEST(Training, AdaptersHaveTheirOwnState) {
  TrainingJob job{.model = transformer(8e9, 32, 4096, 14336, 32, 8, 128256, 2048), .batch = 1, .trained = 0.1e9};
  const TrainingMemory m = training_memory(job, {.sharded = Sharding::none});
  EXPECT_DOUBLE_EQ(m.weights, 16e9);
  EXPECT_NEAR(m.gradients + m.optimizer, 1.4e9, 1);
  job.optimizer_bytes = optimizer_bytes("adam-8bit");
  EXPECT_NEAR(training_memory(job, {.sharded = Sharding::none}).optimizer, 0.6e9, 1);
}

// 128,256 x 8,192 = 1.05e9 of a table do not go into 1e9 parameters: no figures then. One table of 0.55 of all
// parameters goes in, two do not: it is one.
TEST(Training, ATableLargerThanTheModel) {
  ModelShape m;
  m.parameters.value = 1e9, m.layers.value = 80, m.hidden.value = 8192, m.heads.value = 64, m.sequence.value = 4096,
  m.vocabulary.value = 128256;
  std::string_view missing = "something";
  EXPECT_FALSE(read_transformer(m, missing));
  EXPECT_EQ(missing, "");
  ASSERT_EQ(contradictions(m).size(), 1u);
  EXPECT_EQ(contradictions(m).front().sum, "128256 x 8192 `hidden`");
  const Transformer small = transformer(100e6, 1, 1000, 0, 10, 10, 55000, 1024);
  EXPECT_TRUE(small.tied);
  EXPECT_GE(small.matrix_parameters() - small.head_parameters(), 0);
}

// Frozen weights have no gradients of their own: 4 operations a parameter, 6 of those that are trained. 7.3e9 that
// multiply a token, one in a hundred trained: (4 + 0.02) x 7.3e9 and 6 x 32 layers x 4,096 x 2,048 of attention; the
// step's matrices take 4.02 / 6 of those of full training.
TEST(Training, OperationsOfAdapters) {
  const Transformer t = transformer(8.0303e9, 32, 4096, 14336, 32, 8, 128256, 2048);
  const TrainingJob full{.model = t, .batch = 8}, adapters{.model = t, .batch = 8, .trained = t.parameters / 100};
  EXPECT_NEAR(adapters.flops_per_token(), 4.02 * (8.0303e9 - 128256.0 * 4096) + 6.0 * 32 * 4096 * 2048, 1e3);
  EXPECT_NEAR(full.flops_per_token() - adapters.flops_per_token(), 1.98 * (8.0303e9 - 128256.0 * 4096), 1e3);
  Resolved e;
  const TrainingMachine m = machine(e, 8);
  const double matrices = step_time(adapters, {.data = 8}, m).matrices;
  EXPECT_NEAR(matrices / step_time(full, {.data = 8}, m).matrices, 4.02 / 6, 1e-9);
  // Those operations in that time are the rate that is reckoned with: the utilisation never passes it.
  EXPECT_NEAR((adapters.flops_per_token() - 6.0 * 32 * 4096 * 2048) * 8 * 2048 / (matrices * 8),
              m.matrices.value * m.share, 1e6);
  // What a run is said to need of the peak counts the same operations.
  Workload w;
  w.kind.value = "fine-tuning", w.trained_parameters.value = 0.2e9;
  w.model.emplace().parameters.value = 70e9;
  w.train.emplace().tokens.value = 1'000'000'000;
  EXPECT_NEAR(*training_operations(w), (4 * 70e9 + 2 * 0.2e9) * 1e9, 1e12);
}

// All splits that are returned fit, use no more GPUs than there are, and nothing slower is preferred to what the spec
// could have written.
TEST(Training, TheFastestOfAllIsNoSlowerThanAnyWritten) {
  Resolved e;
  const TrainingMachine m = machine(e, 64);
  const TrainingJob job{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192), .batch = 128};
  const LayoutSearch free = search_layouts(job, m, nullptr);
  ASSERT_TRUE(free.best);
  EXPECT_LE(free.best->layout.gpus(), 64);
  EXPECT_LE(free.best->memory.total(), 0.9 * m.memory.value);
  EXPECT_LT(free.tried, 100000);
  for (const auto& [tensor, pipeline] : {std::pair{8, 4}, std::pair{4, 4}, std::pair{8, 8}}) {
    ModelSplit split;
    split.tensor.value = tensor, split.pipeline.value = pipeline, split.sharded.value = "optimizer";
    const LayoutSearch written = search_layouts(job, m, &split);
    if (written.best) {
      EXPECT_LE(free.best->time.total(), written.best->time.total() * 1.0000001) << tensor << " x " << pipeline;
    }
  }
  // NVIDIA/dgxc-benchmarking, README_70b.md: tensor 4, pipeline 4, context 2, five chunks, 64 GPUs: 14.72 s.
  ModelSplit split;
  split.tensor.value = 4, split.pipeline.value = 4, split.context.value = 2, split.interleave.value = 5,
  split.micro_batch.value = 1, split.sharded.value = "optimizer", split.recompute.value = "none";
  ASSERT_TRUE(search_layouts(job, m, &split).best);
  EXPECT_NEAR(search_layouts(job, m, &split).best->time.total(), 14.72, 0.15 * 14.72);
}

// NVIDIA's 405B on 256 GB200 of 186 GB (tensor 4, pipeline 16, 8 chunks) does not fit without recomputation. Where it
// is left out, the fewest layers are recomputed that make the rest fit, and that is faster than all of them.
TEST(Training, RecomputesNoMoreThanItMust) {
  Resolved e;
  TrainingMachine m = machine(e, 64);
  m.memory = Bytes(60e9);
  const TrainingJob job{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192), .batch = 128};
  ModelSplit split;
  split.tensor.value = 4, split.pipeline.value = 4, split.interleave.value = 5, split.micro_batch.value = 1,
  split.sharded.value = "optimizer";
  const LayoutSearch found = search_layouts(job, m, &split);
  ASSERT_TRUE(found.best);
  EXPECT_LE(found.best->memory.total(), 0.9 * 60e9);
  split.recompute.value = "full";
  const LayoutSearch full = search_layouts(job, m, &split);
  ASSERT_TRUE(full.best);
  EXPECT_LT(found.best->time.total(), full.best->time.total());
  split.recompute.value = "none";
  EXPECT_FALSE(search_layouts(job, m, &split).best);
  // The five fastest are in order, and the first is the fastest.
  const LayoutSearch free = search_layouts(job, m, nullptr);
  ASSERT_EQ(free.fastest.size(), 5u);
  EXPECT_EQ(free.fastest.front().time.total(), free.best->time.total());
  for (std::size_t i = 1; i < 5; ++i) EXPECT_LE(free.fastest[i - 1].time.total(), free.fastest[i].time.total());
}

// Layers and batches that nothing divides, more stages than layers, more GPUs than sequences: an answer or none, but an
// answer.
TEST(Training, OddShapes) {
  Resolved e;
  const TrainingMachine m = machine(e, 61);
  EXPECT_TRUE(search_layouts({.model = transformer(1e9, 7, 1000, 0, 0, 0, 0, 777), .batch = 13}, m, nullptr).best);
  ModelSplit split;
  split.tensor.value = 3, split.pipeline.value = 19, split.interleave.value = 100;
  const LayoutSearch odd = search_layouts({.model = transformer(1e9, 7, 1000, 0, 0, 0, 0, 777), .batch = 1}, m, &split);
  ASSERT_TRUE(odd.smallest);
  EXPECT_GT(odd.smallest->time.total(), 0);
  split.pipeline.value = 100;
  EXPECT_FALSE(search_layouts({.model = transformer(1e9, 7, 1000, 0, 0, 0, 0, 777), .batch = 1}, m, &split).smallest);
}

// Llama 3.1 70B, 16 bit: 141.1 GB of weights; 100,000 tokens x 320 KiB = 32.8 GB of keys and values. Two H100 of 85.5
// GB: 86.9 GB each; four: 43.5 GB each, a step reads them in 43.5 GB / 2,970 GB/s = 14.6 ms for floor(100,000 / 8,192)
// = 12 sequences of 4,096 tokens of prompt and 4,096 of answer: a step reads keys and values of 12 x 6,144 tokens.
TEST(Serving, SeventyBillionOnH100) {
  Resolved e;
  const TrainingMachine m = machine(e, 16);
  ServingNeeds needs{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192),
                     .weight_bytes = 2,
                     .kv_token = 320 * 1024,
                     .tokens_held = 100000};
  EXPECT_FALSE(serving_copy(needs, {2, 1, 1}, m).fits);
  const auto plan = plan_serving(needs, m, std::nullopt);
  ASSERT_TRUE(plan && plan->least);
  EXPECT_EQ(plan->least->split.gpus(), 4);
  EXPECT_EQ(plan->least->sequences, 12);
  EXPECT_NEAR(plan->least->step.weights, (141.108e9 - 2 * 128256 * 8192) / 4 / 2970e9, 1e-5);
  EXPECT_NEAR(plan->least->step.cache, 12.0 * 6144 * 320 * 1024 / 4.0 / 2970e9, 1e-5);
  EXPECT_EQ(plan_serving(needs, m, ServingSplit{4, 1, 1})->copies, 4);
  needs.rate = 10 * plan->least->tokens_per_second - 1;
  EXPECT_EQ(plan_serving(needs, m, plan->least->split)->gpus_wanted, 40);
  needs.rate = 0;
  // Hugging Face: 405B in 16 bit does not fit eight H100, in 8 bit it does; 16 hold it.
  const Transformer large = transformer(405.85e9, 126, 16384, 53248, 128, 8, 128256, 8192);
  EXPECT_FALSE(
      serving_copy({.model = large, .weight_bytes = 2, .kv_token = 516096, .tokens_held = 8192}, {8, 1, 1}, m).fits);
  EXPECT_TRUE(
      serving_copy({.model = large, .weight_bytes = 1, .kv_token = 516096, .tokens_held = 8192}, {8, 1, 1}, m).fits);
  EXPECT_TRUE(
      serving_copy({.model = large, .weight_bytes = 2, .kv_token = 516096, .tokens_held = 8192}, {16, 1, 1}, m).fits);
}

// The same on two by two: a quarter of weights, keys and values on each GPU as on four; each stage reads its weights
// for six sequences, then for the other six: 2 x (35.277 GB + 8.192 GB / 2) / 2,970 GB/s = 26.5 ms. All-reduces are
// those of two GPUs with 2 x 8,192 x 6 B, two for each of 80 layers. The same in 8 bit with 2,500,000 tokens held:
// 819.2 GB of keys and values, of which 8 GPUs hold 102.4 GB each and 64 as much, since there are 8 key-value heads.
// Two stages halve it: 51.2 + 70.554 / 16 = 55.6 GB of 85.5 GB.
TEST(Serving, StagesDivideWhatHeadsDoNot) {
  Resolved e;
  TrainingMachine m = machine(e, 64);
  m.unit.gpus = 72;  // a rack that NVLink joins: nothing ends at eight
  const ServingNeeds needs{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192),
                           .weight_bytes = 1,
                           .kv_token = 320 * 1024,
                           .tokens_held = 2500000};
  EXPECT_FALSE(serving_copy(needs, {64, 1, 1}, m).fits);
  const auto plan = plan_serving(needs, m, std::nullopt);
  ASSERT_TRUE(plan && plan->least);
  EXPECT_EQ(plan->least->split.tensor, 8);
  EXPECT_EQ(plan->least->split.pipeline, 2);
  EXPECT_NEAR(plan->least->weights + plan->least->kv, 51.2e9 + 4.41e9, 0.01e9);
}

TEST(Serving, StagesPassOnActivations) {
  Resolved e;
  const TrainingMachine m = machine(e, 16);
  const ServingNeeds needs{.model = transformer(70.554e9, 80, 8192, 28672, 64, 8, 128256, 8192),
                           .weight_bytes = 2,
                           .kv_token = 320 * 1024,
                           .tokens_held = 100000};
  const ServingCopy four = serving_copy(needs, {4, 1, 1}, m), two = serving_copy(needs, {2, 2, 1}, m);
  EXPECT_DOUBLE_EQ(two.weights, four.weights);
  EXPECT_DOUBLE_EQ(two.kv, four.kv);
  EXPECT_NEAR(two.step.weights, 2 * (141.108e9 - 2 * 128256 * 8192) / 4 / 2970e9, 1e-5);
  // 6 sequences and what they bring of prompts: 4,096 tokens for each 4,096 of an answer.
  EXPECT_NEAR(two.step.communication, 160 * all_reduce_time_inside(m.unit, 2, Bytes(2 * 8192 * 12))->value, 1e-12);
  EXPECT_NEAR(two.step.sends, 0.6e-6 + 2 * 8192 * 12 / 2 / 360e9,
              1e-12);  // one send over NVLink: a hop, half of the activations at 0.80 of 450 GB/s
}

// Two nodes with a bridged pair of H100 NVL each and one port of 100 Gb/s: tensor 2 x pipeline 2 crosses the network
// once a token, 80 layers of tensor 4 cross it 160 times. One send: 5 us + 2 x 8,192 x 12 / 2 B / (12.25 GB/s / 2 x
// 0.892) = 23.0 us; an all-reduce over both nodes takes more than 100 us.
TEST(Serving, TensorStaysInsideTheBridge) {
  Resolved e;
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
      "\"n[1-2]\", nvlink_bridge: 2, server: { like: generic-2u-pcie4, gpus: 2 x nvidia-h100-nvl-94, nics: { compute: "
      "1 x cx6-vpi-200 } } }\n"
      "networks:\n  compute: { kind: ethernet, rdma: roce, rate: 100 Gb/s, connects: { gpu: { ports: compute, count: 1 "
      "} } }\n"
      "workloads:\n  a: { kind: inference, model: { parameters: 70.554e9, layers: 80, hidden: 8192, heads: 64, "
      "kv_heads: 8, sequence: 8192 }, precision: fp8, batch: 100000 tokens, on: { gpu: 2 }, split: { tensor: 2, "
      "pipeline: 2 } }\n");
  ASSERT_TRUE(e.cluster) << e.told();
  const std::vector<WorkloadPlan> plans = plan_workloads(*e.cluster, plan_cluster(*e.cluster));
  ASSERT_TRUE(plans.front().serving && plans.front().serving->written);
  const ServingCopy& two = *plans.front().serving->written;
  const ServingCopy four = serving_copy(plans.front().serving->needs, {4, 1, 1}, plans.front().machine);
  EXPECT_NEAR(two.step.sends, 23.0e-6, 0.1e-6);
  EXPECT_LT(two.step.communication, 160 * 50e-6);
  EXPECT_GT(four.step.communication, 160 * 100e-6);
  EXPECT_LT(four.step.communication, 160 * 500e-6);
  EXPECT_LT(two.step.total(), four.step.total());
}

// 8.03e9 x 2 B = 16.06 GB and 496,000 tokens x 128 KiB = 65.01 GB are 0.948 of an H100's 85.52 GB: engines fill 0.9
// unless they are told more (vLLM's gpu_memory_utilization), so what is needed is reckoned with two GPUs; 460,000
// tokens (76.35 GB, 0.893) fit one.
TEST(Serving, WhatFillsTheMemoryIsNoBasis) {
  Resolved e;
  const TrainingMachine m = machine(e, 16);
  ServingNeeds needs{.model = transformer(8.03e9, 32, 4096, 14336, 32, 8, 128256, 8192),
                     .weight_bytes = 2,
                     .kv_token = 128 * 1024,
                     .tokens_held = 496000};
  const auto full = plan_serving(needs, m, ServingSplit{1, 1, 1});
  ASSERT_TRUE(full && full->written && full->least);
  EXPECT_TRUE(full->written->fits && full->written->tight);
  EXPECT_NEAR(full->written->filled, 0.948, 0.001);
  EXPECT_EQ(full->least->split.gpus(), 2);
  EXPECT_GE(full->used.split.gpus(), 2);
  needs.tokens_held = 460000;
  EXPECT_EQ(plan_serving(needs, m, ServingSplit{1, 1, 1})->used.split.gpus(), 1);
}

// A100 and L40S in one job: the lower peak (312) and matrix rate (0.98 x 271.2 TFLOP/s) are the A100's; memory and its
// bandwidth (0.87 x 864 GB/s) the L40S's, and so are the unit of two cards over PCIe, and its network: 25 GB/s x 0.98
// for two GPUs, where the A100 has eight times that for eight.
TEST(WorkloadPlans, DifferentGpusWaitForTheSlowestOfEachRate) {
  Resolved e;
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  a: { names: \"a[1-2]\", "
      "model: nvidia-dgx-a100-640 }\n"
      "  l: { names: \"l[1-3]\", server: { like: generic-2u-pcie4, gpus: 2 x nvidia-l40s, nics: { compute: 1 x "
      "cx6-vpi-200 } } }\n"
      "networks:\n  compute: { kind: infiniband, rate: 200 Gb/s, connects: { a: { ports: compute }, l: { ports: "
      "compute, count: 1 } } }\n"
      "workloads:\n  w: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
      "vocabulary: 128256, sequence: 2048 }, batch: 1048576 tokens, on: { a: 2, l: 3 } }\n");
  ASSERT_TRUE(e.cluster) << e.told();
  const std::vector<WorkloadPlan> plans = plan_workloads(*e.cluster, plan_cluster(*e.cluster));
  const WorkloadPlan& p = plans.front();
  EXPECT_EQ(p.gpus, 22);
  EXPECT_EQ(p.gpu, "nvidia-a100-sxm4-80");
  ASSERT_EQ(p.kinds.size(), 2u);
  EXPECT_EQ(p.kinds[1].gpu, "nvidia-l40s");
  EXPECT_EQ(p.kinds[1].count, 6);
  EXPECT_DOUBLE_EQ(p.machine.peak.value, 312e12);
  EXPECT_DOUBLE_EQ(p.machine.matrices.value, 0.98 * 271.2e12);
  EXPECT_DOUBLE_EQ(p.machine.bandwidth.value, 0.87 * 864e9);
  EXPECT_DOUBLE_EQ(p.machine.memory.value, e.group("l").server.gpu->memory->value);
  EXPECT_EQ(p.machine.unit.gpus, 2);
  EXPECT_FALSE(p.machine.unit.nvlink);
  EXPECT_DOUBLE_EQ(p.machine.unit.network.value, 24.5e9);
  ASSERT_EQ(p.missing.size(), 1u);
  EXPECT_NE(p.missing.front().find("a step waits for the slowest"), std::string::npos);
}

// Held to 3 kW the GPUs are slower, nobody knows how much: the time is that of full power, so it and the energy made of
// it are lower bounds; the power is the cap.
TEST(WorkloadPlans, UnderAPowerCapTimeAndEnergyAreLowerBounds) {
  for (const std::string cap : {"", ", power_cap: 3 kW"}) {
    Resolved e;
    e.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes:\n  "
        "gpu: { names: n1, model: nvidia-dgx-h100" +
        cap +
        " }\n"
        "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
        "vocabulary: 128256, sequence: 8192 }, batch: 1048576 tokens, train: 1e9 tokens, on: { gpu: 1 } }\n");
    ASSERT_TRUE(e.cluster) << e.told();
    const std::vector<WorkloadPlan> plans = plan_workloads(*e.cluster, plan_cluster(*e.cluster));
    ASSERT_TRUE(plans.front().run);
    EXPECT_TRUE(plans.front().run->power_known);
    EXPECT_EQ(plans.front().run->time_known, cap.empty());
  }
}

// 128,256 x 8,192 = 1.05e9 of 1e9 parameters: not one figure of it, be it trained or served.
TEST(WorkloadPlans, NoFiguresOfAModelThatContradictsItself) {
  Resolved e;
  const std::string model =
      "model: { parameters: 1e9, layers: 80, hidden: 8192, heads: 64, vocabulary: 128256, sequence: 8192 }, batch: "
      "1048576 tokens, on: { gpu: 1 }";
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: n1, "
      "model: nvidia-dgx-h100 }\nworkloads:\n  a: { train: 1e12 tokens, " +
      model + " }\n  b: { kind: inference, " + model + " }\n");
  ASSERT_TRUE(e.cluster) << e.told();
  for (const WorkloadPlan& p : plan_workloads(*e.cluster, plan_cluster(*e.cluster))) {
    EXPECT_FALSE(p.job || p.used || p.run || p.checkpoint || p.serving) << p.name;
    ASSERT_EQ(p.missing.size(), 1u);
    EXPECT_NE(p.missing.front().find("has 1e9 parameters, but its embedding table has 1.051e9"), std::string::npos)
        << p.missing.front();
  }
}

// 1e12 tokens of 8B at 380 g/kWh and a PUE of 1.2: energy = power x time x 1.2, 0.38 kg for each 3.6 MJ. A spec without
// workloads has no plans.
TEST(WorkloadPlans, EnergyAndCarbon) {
  Resolved e;
  e.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V }, pue: 1.2, "
      "carbon: 380 g/kWh }\nnodes:\n  gpu: { names: \"n[1-8]\", model: nvidia-dgx-h100 }\n"
      "networks:\n  compute: { kind: infiniband, rate: 400 Gb/s, connects: { gpu: { ports: compute } } }\n"
      "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
      "vocabulary: 128256, sequence: 8192 }, batch: 1048576 tokens, train: 1e12 tokens, on: { gpu: 8 }, "
      "checkpoint_within: 10 s }\n");
  ASSERT_TRUE(e.cluster) << e.told();
  const Plan plan = plan_cluster(*e.cluster);
  const std::vector<WorkloadPlan> plans = plan_workloads(*e.cluster, plan);
  ASSERT_EQ(plans.size(), 1u);
  const WorkloadPlan& p = plans.front();
  ASSERT_TRUE(p.run && p.run->carbon && p.checkpoint && p.checkpoint->goodput);
  EXPECT_EQ(p.gpus, 64);
  EXPECT_NEAR(p.run->time.value, 1e12 / p.tokens_per_second / *p.checkpoint->goodput, 1);
  EXPECT_NEAR(p.run->energy.value, p.run->power.value * p.run->time.value * 1.2, 1e6);
  EXPECT_NEAR(p.run->carbon->value, p.run->energy.value / 3.6e6 * 0.38, 1);
  // The parts of a DGX H100 at rated power: TOP500 of November 2024 has 7.6 to 8.4 kW a node under LINPACK, the
  // maker 10.2 kW at most.
  EXPECT_NEAR(power_at_load(e.cluster->nodes.front().server).value, 8100, 500);
  EXPECT_NEAR(p.checkpoint->size.value, 14 * 8.03e9, 1);
  // 50,677 GPU-hours / 64 = 792 h; sqrt(2 x 10 s x 792 h) = 7,551 s.
  EXPECT_NEAR(p.checkpoint->young->value, 7551, 2);
  // Alone it is the same, without what it would do on fewer GPUs.
  const WorkloadPlan alone = plan_workload(*e.cluster, e.cluster->spec.workloads.entries.front());
  ASSERT_TRUE(alone.run);
  EXPECT_EQ(alone.run->time.value, p.run->time.value);
  EXPECT_EQ(p.scaling.back().gpus, 64);
  EXPECT_TRUE(alone.scaling.empty());
  Resolved none;
  none.example("lab");
  EXPECT_TRUE(plan_workloads(*none.cluster, plan_cluster(*none.cluster)).empty());
}

// J. Daly, 2006: sqrt(2 d M) x (1 + sqrt(d/2M)/3 + (d/2M)/9) - d: 465 s for saves of 10 s on 16,384 GPUs; M itself
// where a save takes twice as long.
TEST(WorkloadPlans, DalysInterval) {
  EXPECT_NEAR(daly_checkpoint_interval(Seconds(10), time_between_interruptions(16384)).value, 465, 1);
  EXPECT_DOUBLE_EQ(daly_checkpoint_interval(Seconds(200), Seconds(100)).value, 100);
}

// 14 B x 8.03e9 = 112.42 GB; at 10 GB/s 11.242 s. `checkpoint_within` is what that is held against: it is the time only
// where no storage states a rate.
TEST(WorkloadPlans, ACheckpointTakesWhatItsStorageNeeds) {
  const std::string head =
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
      "\"n[1-8]\", model: nvidia-dgx-h100 }\n";
  const std::string storage =
      "storage:\n  scratch: { kind: lustre, servers: { external: s.example.org }, mount: /scratch, demand: { write: 10 "
      "GB/s } }\n";
  const std::string work =
      "workloads:\n  a: { model: { parameters: 8.03e9 }, on: { gpu: 8 }, checkpoint_within: 60 s }\n";
  Resolved with, without;
  with.text(head + storage + work);
  ASSERT_TRUE(with.cluster) << with.told();
  const std::vector<WorkloadPlan> timed = plan_workloads(*with.cluster, plan_cluster(*with.cluster));
  ASSERT_TRUE(timed.front().checkpoint && timed.front().checkpoint->save);
  EXPECT_NEAR(timed.front().checkpoint->save->value, 11.242, 1e-6);
  EXPECT_FALSE(timed.front().checkpoint->save_is_limit);
  without.text(head + work);
  ASSERT_TRUE(without.cluster) << without.told();
  const std::vector<WorkloadPlan> bounded = plan_workloads(*without.cluster, plan_cluster(*without.cluster));
  ASSERT_TRUE(bounded.front().checkpoint && bounded.front().checkpoint->save);
  EXPECT_EQ(bounded.front().checkpoint->save->value, 60);
  EXPECT_TRUE(bounded.front().checkpoint->save_is_limit);
}

}  // namespace
}  // namespace clusterc
