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

}  // namespace
}  // namespace clusterc
