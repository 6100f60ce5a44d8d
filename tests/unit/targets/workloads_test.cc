// Formulas of workloads, held against published tables; each expectation names its source.
#include "targets/workloads.h"

#include <gtest/gtest.h>

#include "targets/checkpoint.h"
#include "targets/paths.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

// ZeRO, SC 2020, table 1: 7.5e9 parameters, Adam with K = 12, GB a GPU; printed with one to three digits.
TEST(Workloads, ModelStatesByZeroStage) {
  const struct {
    double data, none, optimizer, gradients, all;
  } rows[] = {{1, 120, 120, 120, 120},     {4, 120, 52.5, 41.3, 30},     {16, 120, 35.6, 21.6, 7.5},
              {64, 120, 31.4, 16.6, 1.88}, {256, 120, 30.4, 15.4, 0.47}, {1024, 120, 30.1, 15.1, 0.12}};
  for (const auto& r : rows) {
    EXPECT_NEAR(training_state(7.5e9, 1, r.data, Sharding::none).value / 1e9, r.none, 0.05);
    EXPECT_NEAR(training_state(7.5e9, 1, r.data, Sharding::optimizer).value / 1e9, r.optimizer, 0.06);
    EXPECT_NEAR(training_state(7.5e9, 1, r.data, Sharding::gradients).value / 1e9, r.gradients, 0.06);
    EXPECT_NEAR(training_state(7.5e9, 1, r.data, Sharding::all).value / 1e9, r.all, 0.006);
  }
  // Sixteen bytes a parameter are divided by the GPUs that share one copy: 70e9 x 16 / 16 = 70 GB.
  EXPECT_DOUBLE_EQ(training_state(70e9, 16, 4, Sharding::none).value, 70e9);
}

// Hugging Face, Llama 3.1: 8B, FP16: 128 KiB a token; 70B (80 layers, 8 heads of 128): 2 x 80 x 8 x 128 x 2 B = 320
// KiB.
TEST(Workloads, KeysAndValuesOfAToken) {
  EXPECT_DOUBLE_EQ(kv_per_token(32, 8, 128, 2).value, 128 * 1024);
  EXPECT_DOUBLE_EQ(kv_per_token(80, 8, 128, 2).value, 320 * 1024);
}

// One sequence of 8,192 tokens, 80 layers of 8,192: 2 x 8192 x 8192 x 80 = 10.74 GB; by hand.
TEST(Workloads, ActivationsAtLeast) {
  EXPECT_DOUBLE_EQ(least_activations(80, 8192, 8192, 1).value, 10'737'418'240.0);
  EXPECT_DOUBLE_EQ(least_activations(80, 8192, 8192, 8).value, 1'342'177'280.0);
}

// Llama 3 on 16,384 GPUs: 54 x 24 h / 419 = 3.09 h between interruptions; 60 s saves and 10 min restarts give 84.2 %,
// 10 s and 3 min 94.1 %.
TEST(Workloads, Goodput) {
  const Seconds between = time_between_interruptions(16384);
  EXPECT_NEAR(between.value / 3600, 3.09, 0.01);
  EXPECT_NEAR(best_checkpoint_interval(Seconds(10), between).value, 472, 1);
  EXPECT_NEAR(goodput(Seconds(60), best_checkpoint_interval(Seconds(60), between), Seconds(600), between), 0.842,
              0.001);
  EXPECT_NEAR(goodput(Seconds(10), best_checkpoint_interval(Seconds(10), between), Seconds(180), between), 0.941,
              0.001);
  // 1,024 GPUs: 49.5 h.
  EXPECT_NEAR(time_between_interruptions(1024).value / 3600, 49.5, 0.05);
}

// 70e9 parameters, 15e12 tokens, 1,024 H100 at 989 TFLOP/s: 6.3e24 / (1,024 x 989e12) = 6.22e6 s at the peak: 72 days;
// 20 days imply 360 %, at 0.40 it takes 180 days.
TEST(Workloads, RunTime) {
  const FlopsPerSecond peak(989e12);
  EXPECT_NEAR(implied_utilisation(6 * 70e9 * 15e12, 1024, peak, Seconds(20 * 86400)), 3.60, 0.005);
  EXPECT_NEAR(run_time(6 * 70e9 * 15e12, 1024, peak, 0.40).value / 86400, 180, 0.2);
}

// PCIe: 12.8, 25.9 ... are below 14.6, 29.2 and 58.5 GB/s for x16; 400 Gb/s: 49 GB/s; all-to-all of 16 and 128
// ranks: 91.9 and 51.9 GB/s.
TEST(Paths, Ceilings) {
  EXPECT_NEAR(pcie_copy_ceiling(3, 16).value / 1e9, 14.6, 0.05);
  EXPECT_NEAR(pcie_copy_ceiling(4, 16).value / 1e9, 29.2, 0.05);
  EXPECT_NEAR(pcie_copy_ceiling(5, 16).value / 1e9, 58.45, 0.01);
  EXPECT_DOUBLE_EQ(rdma_ceiling(BitsPerSecond(400e9)).value, 49e9);
  EXPECT_NEAR(all_to_all_ceiling(BytesPerSecond(49e9), 16, 8).value / 1e9, 91.9, 0.05);
  EXPECT_NEAR(all_to_all_ceiling(BytesPerSecond(49e9), 128, 8).value / 1e9, 51.9, 0.05);
}

// The slowest and the smallest GPU decide: 81,559 MiB of an H100 beside 180 of a B200.
TEST(Workloads, GpusOfAWorkload) {
  Resolved e;
  e.text(R"(clusterc: 1
rules: 2026.11
name: mixed
site: { kind: cloud, provider: local }
nodes:
  h: { names: "h[1-4]", model: nvidia-dgx-h100 }
  b: { names: "b[1-4]", model: nvidia-dgx-b200 }
workloads:
  train: { on: { h: 2, b: 3 } }
)");
  ASSERT_TRUE(e.cluster);
  const auto w = gpus_of(*e.cluster, e.cluster->spec.workloads.find("train")->value);
  ASSERT_TRUE(w);
  EXPECT_EQ(w->gpus, 40);
  EXPECT_EQ(w->nodes, 5);
  ASSERT_EQ(w->kinds.size(), 2u);
  EXPECT_EQ(w->kinds[0].gpu, "nvidia-h100-sxm5-80");
  EXPECT_EQ(w->kinds[0].count, 16);
  EXPECT_EQ(w->kinds[1].count, 24);
  EXPECT_EQ(w->nvlink_domain, 8);
  EXPECT_DOUBLE_EQ(w->memory->value, 81559.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(w->peak->value, 989.4e12);
  EXPECT_EQ(w->smallest->name, "h");
}

// Weights of 2 bytes, and 12, 6 and 8 of the optimizer.
TEST(Workloads, BytesOfACheckpointFollowTheOptimizer) {
  Workload w;
  EXPECT_EQ(checkpoint_bytes_per_parameter(w), 14);
  w.optimizer.value = "adam-8bit";
  EXPECT_EQ(checkpoint_bytes_per_parameter(w), 8);
  w.optimizer.value = "sgd";
  EXPECT_EQ(checkpoint_bytes_per_parameter(w), 10);
}

}  // namespace
}  // namespace clusterc
