// What is said of workloads.
#include "report/workload_report.h"

#include <gtest/gtest.h>

#include "targets/workload_plan.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

// Held to 3 kW the GPUs are slower, nobody knows how much: time and energy are at least those of full power, and the
// power is the cap.
TEST(WorkloadReport, TimeAndEnergyUnderAPowerCapAreLowerBounds) {
  const auto said = [](const std::string& cap) {
    Resolved e;
    e.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes:\n  "
        "gpu: { names: n1, model: nvidia-dgx-h100" +
        cap +
        " }\n"
        "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
        "vocabulary: 128256, sequence: 8192 }, batch: 1048576 tokens, train: 1e9 tokens, on: { gpu: 1 } }\n");
    return e.cluster ? render_workloads_text(plan_workloads(*e.cluster, plan_cluster(*e.cluster))) : e.told();
  };
  const std::string full = said(""), held = said(", power_cap: 3 kW");
  EXPECT_EQ(full.find("at least"), std::string::npos) << full;
  EXPECT_NE(held.find("training    at least "), std::string::npos) << held;
  EXPECT_NE(held.find("energy      at least "), std::string::npos) << held;
  EXPECT_NE(held.find("(3 kW of the nodes"), std::string::npos) << held;
}

// Four nodes: without a network nobody knows how long gradients travel between them, and no split is called the fastest
// without saying so. With one, or on one node, nothing is left out.
TEST(WorkloadReport, WithoutANetworkTheExchangeBetweenNodesIsUnknown) {
  const auto said = [](const std::string& networks, int nodes) {
    Resolved e;
    e.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
        "\"n[1-4]\", model: nvidia-dgx-h100 }\n" +
        networks +
        "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
        "vocabulary: 128256, sequence: 8192 }, batch: 1048576 tokens, train: 1e9 tokens, "
        "on: { gpu: " +
        std::to_string(nodes) + " } }\n");
    return e.cluster ? render_workloads_text(plan_workloads(*e.cluster, plan_cluster(*e.cluster))) : e.told();
  };
  const std::string network =
      "networks: { compute: { kind: infiniband, rate: 400 Gb/s, connects: { gpu: { ports: compute } } } }\n";
  const std::string none = said("", 4), some = said(network, 4), one = said("", 1);
  EXPECT_NE(
      none.find("unknown     how long the exchange between nodes takes: no network connects the nodes of 'gpu', so "
                "the exchange is not in the step time"),
      std::string::npos)
      << none;
  EXPECT_NE(none.find("a step, without the exchange between nodes, which no network carries"), std::string::npos);
  EXPECT_NE(none.find("training    at least "), std::string::npos);
  for (const std::string& with : {some, one}) EXPECT_EQ(with.find("exchange between nodes"), std::string::npos) << with;
}

// 592 GPUs are in time: these are the fewest at most, not the next power of two (1,024). 74 nodes and powers of two of
// one: 512 GPUs would need 29.0 d x 592 / 512 = 33.5 d at the same rate of each.
TEST(WorkloadReport, TheFewestForADeadlineAreAtMostThoseInTime) {
  const auto said = [](const std::string& within) {
    Resolved e;
    e.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { kind: cloud, provider: local }\nnodes:\n  gpu: { names: "
        "\"n[001-074]\", model: nvidia-dgx-h100 }\n"
        "networks: { compute: { kind: infiniband, rate: 400 Gb/s, connects: { gpu: { ports: compute } } } }\n"
        "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, kv_heads: 8, "
        "vocabulary: 128256, sequence: 8192 }, batch: 4849664 tokens, train: 15e12 tokens, within: " +
        within + ", on: { gpu: 74 } }\n");
    return e.cluster ? render_workloads_text(plan_workloads(*e.cluster, plan_cluster(*e.cluster))) : e.told();
  };
  const std::string in_time = said("30 d");
  EXPECT_NE(
      in_time.find("deadline    592 GPUs of this kind are the fewest in time of the counts that were tried (these, "
                   "and powers of two of a node)"),
      std::string::npos)
      << in_time;
  const std::string late = said("20 d");
  EXPECT_NE(late.find("counts that were tried (powers of two of a node)"), std::string::npos) << late;
}

}  // namespace
}  // namespace clusterc
