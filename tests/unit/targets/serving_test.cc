// The step of a serving engine: lengths, batches and limits, worked out by hand.
#include "targets/serving.h"

#include <gtest/gtest.h>

#include <cmath>

#include "spec/workload.h"

namespace clusterc {
namespace {

Transformer seventy() {
  Transformer t;
  t.parameters = t.active = 70.554e9;
  t.layers = 80, t.hidden = 8192, t.sequence = 8192, t.heads = 64, t.kv_heads = 8, t.head_size = 128, t.ffn = 28672,
  t.vocabulary = 128256;
  t.gated = true, t.tied = false;
  return t;
}

TrainingMachine hopper() {
  TrainingMachine m;
  m.gpus = 8;
  m.memory = Bytes(85.5e9);
  m.peak = FlopsPerSecond(1979e12), m.attention = FlopsPerSecond(494.7e12), m.vector = FlopsPerSecond(67e12);
  m.bandwidth = BytesPerSecond(2970e9);
  m.unit.gpus = 8, m.unit.link = BytesPerSecond(450e9), m.unit.nvlink = true, m.unit.sm = 90;
  return m;
}

ServingNeeds eight_bit(double input, double output) {
  ServingNeeds n{.model = seventy(), .weight_bytes = 1, .kv_token = 160 * 1024};
  Workload w;
  w.requests.emplace();
  w.requests->input.value = static_cast<std::int64_t>(input);
  w.requests->output.value = static_cast<std::int64_t>(output);
  n.load = serving_load(w, 8192);
  return n;
}

// Four of five requests ask 500 and get 300 tokens, one asks 6,000 and gets 400: 1,600 and 320 on average. A sequence
// is under way as long as its answer: 0.75 of those under way are of the first kind, 0.25 of the second.
TEST(ServingLoad, MixIsWeightedByTheTimeUnderWay) {
  Workload w;
  w.requests.emplace();
  const auto kind = [&](const char* name, std::int64_t input, std::int64_t output, double share) {
    RequestKind k;
    k.input.value = input, k.output.value = output, k.share.value = share;
    w.requests->mix.entries.push_back({name, {}, k});
  };
  kind("chat", 500, 300, 8), kind("documents", 6000, 400, 2);
  const ServingLoad l = serving_load(w, 1);
  EXPECT_DOUBLE_EQ(l.input, 1600);
  EXPECT_DOUBLE_EQ(l.output, 320);
  EXPECT_DOUBLE_EQ(l.held, 0.75 * 800 + 0.25 * 6400);
  EXPECT_DOUBLE_EQ(l.read, 0.75 * 650 + 0.25 * 6200);
  EXPECT_DOUBLE_EQ(l.longest, 6400);
  EXPECT_FALSE(l.assumed);
  EXPECT_TRUE(serving_load(Workload{}, 8192).assumed);
  EXPECT_DOUBLE_EQ(serving_load(Workload{}, 8192).input, 4096);
}

// NVIDIA/TensorRT-LLM, performance overview of release 1.0: 762 tokens/s of two H100, prompts of 2,048, answers of 128.
TEST(Serving, PromptsTakeMostOfTheTimeWhereAnswersAreShort) {
  const ServingCopy c = serving_copy(eight_bit(2048, 128), {2, 1, 1}, hopper());
  EXPECT_NEAR(c.tokens_per_second, 762, 0.1 * 762);
  EXPECT_EQ(c.step.most(), "matrix products");
  EXPECT_EQ(c.limited_by, "memory");
  EXPECT_EQ(serving_copy(eight_bit(128, 4096), {2, 1, 1}, hopper()).step.most(), "memory bandwidth (weights)");
}

TEST(Serving, LimitsMakeTheBatchSmaller) {
  ServingNeeds n = eight_bit(2000, 500);
  const ServingCopy full = serving_copy(n, {4, 1, 1}, hopper());
  n.token_within = 0.04;
  const ServingCopy fast = serving_copy(n, {4, 1, 1}, hopper());
  EXPECT_TRUE(fast.meets);
  EXPECT_LE(fast.per_token, 0.04 * 1.0001);
  EXPECT_LT(fast.sequences, full.sequences);
  EXPECT_EQ(fast.limited_by, "`requests.token_within`");
  // One more sequence would be too slow.
  EXPECT_GT(serving_point(n, fast.split, hopper(), fast.sequences + 1).per_token, 0.04);
  n.token_within = 0.004;  // below the 5.9 ms in which weights are read
  EXPECT_FALSE(serving_copy(n, {4, 1, 1}, hopper()).meets);
}

TEST(Serving, CachedPromptsAreNotComputedAgain) {
  ServingNeeds n = eight_bit(4000, 100);
  const ServingCopy none = serving_copy(n, {4, 1, 1}, hopper());
  n.load.cached = 0.8;
  const ServingCopy most = serving_copy(n, {4, 1, 1}, hopper());
  EXPECT_GT(most.tokens_per_second, 2.5 * none.tokens_per_second);
  EXPECT_EQ(most.kv, none.kv);
}

// (1 - 0.7^4) / (1 - 0.7) = 2.533 tokens a step; with few sequences, weights are read for all of them at once.
TEST(Serving, SpeculationAnswersMoreInAStep) {
  ServingNeeds n = eight_bit(1000, 1000);
  const ServingPoint plain = serving_point(n, {4, 1, 1}, hopper(), 4);
  n.drafted = 3, n.accepted = 0.7;
  EXPECT_NEAR(n.answered(), 2.533, 1e-3);
  EXPECT_LT(serving_point(n, {4, 1, 1}, hopper(), 4).per_token, plain.per_token / 2);
}

// DeepSeek-V3 in 8 bit over 32 GPUs: 256 x (671 - 37) / 248 = 654.5e9 parameters of experts, 20.5 GB on each, and the
// other 16.5 GB. Latent keys and values are not divided by tensor parallelism, but by data-parallel attention.
TEST(Serving, ExpertsOverManyGpus) {
  ServingNeeds n{.weight_bytes = 1, .kv_token = 70272, .latent = true};
  n.model = seventy();
  n.model.parameters = 671e9, n.model.active = 37e9, n.model.experts = 256, n.model.experts_per_token = 8;
  n.model.layers = 61, n.model.hidden = 7168, n.model.heads = n.model.kv_heads = 128, n.model.head_size = 192,
  n.model.vocabulary = 129280;
  TrainingMachine m = hopper();
  m.memory = Bytes(141e9), m.unit.network = BytesPerSecond(400e9);
  const ServingCopy spread = serving_copy(n, {1, 1, 32}, m);
  EXPECT_NEAR(spread.weights, 20.45e9 + 16.55e9, 0.1e9);
  EXPECT_NEAR(spread.room, 32 * std::floor((0.9 * 141e9 - spread.weights) / 70272), 64);
  const ServingCopy eight = serving_copy(n, {8, 1, 1}, m), sixteen = serving_copy(n, {16, 1, 1}, m);
  EXPECT_NEAR(eight.room, std::floor((0.9 * 141e9 - 671e9 / 8) / 70272), 1);
  EXPECT_LT(sixteen.room, 2 * eight.room);  // more room beside the weights, but each GPU holds all keys and values
}

// Prompts apart: answers wait for none of them, and prompts have copies of their own.
TEST(Serving, PromptsApart) {
  ServingNeeds n = eight_bit(4000, 400);
  n.rate = 2000;
  const auto mixed = plan_serving(n, hopper(), ServingSplit{2, 1, 1});
  n.apart = true;
  const auto apart = plan_serving(n, hopper(), ServingSplit{2, 1, 1});
  ASSERT_TRUE(mixed && apart);
  EXPECT_LT(apart->used.per_token, mixed->used.per_token);
  EXPECT_GT(apart->prompt_copies_wanted, 0);
  EXPECT_EQ(apart->gpus_wanted, 2 * (apart->copies_wanted + apart->prompt_copies_wanted));
}

TEST(Serving, FourBitsHaveScales) { EXPECT_DOUBLE_EQ(stored_bytes("fp4"), 4.5 / 8); }

}  // namespace
}  // namespace clusterc
