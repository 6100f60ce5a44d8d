// What the documents say of GPUs that are partitioned by MIG: two nodes of eight H100 cut into seven, two whole ones
// beside them.
#include <gtest/gtest.h>

#include "compile/output.h"
#include "report/collective_report.h"
#include "report/handbook.h"
#include "targets/workload_plan.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

std::string spec(std::string_view mig, std::string_view more = "") {
  return "clusterc: 1\nrules: 2026.11\nname: case\nsite: { kind: cloud, provider: local }\nnodes:\n  whole: { names: "
         "\"w[1-2]\", model: nvidia-dgx-h100 }\n"
         "  cut: { names: \"c[1-2]\", model: nvidia-dgx-h100, software: { mig: " +
         std::string(mig) +
         " } }\n  ctl: { names: ctl1, virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [scheduler, provisioning] }\n"
         "networks:\n  compute: { kind: infiniband, rate: 400 Gb/s, connects: { whole: { ports: compute }, cut: { "
         "ports: compute } } }\n"
         "  lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.1.0.0/24, carries: [inband], connects: { ctl: 1 } }\n"
         "software: { os: ubuntu-24.04, gpu_driver: \"580\", scheduler: { kind: slurm } }\n" +
         std::string(more);
}

// 8 GPUs x 7 instances = 56 of a node; gres.conf(5) has them by their profile.
TEST(MigReport, TheHandbookSaysWhatAGroupIsCutInto) {
  const auto handbook = [](std::string_view mig) {
    Resolved r;
    r.text(spec(mig));
    if (!r.cluster) return r.told();
    const Plan plan = plan_cluster(*r.cluster);
    return render_handbook(deploy(*r.cluster, plan, output_kinds()));
  };
  const std::string seven = handbook("7x1g.10gb"), one = handbook("1g.10gb+me"), off = handbook("off"),
                    odd = handbook("all-1g");
  EXPECT_NE(
      seven.find("\n| cut | 7x1g.10gb | 7 | 56 | --gres=gpu:1g.10gb:1 | /usr/local/sbin/cluster-mig 7 1g.10gb |\n"),
      std::string::npos)
      << seven;
  EXPECT_EQ(seven.find("\n| whole | off"), std::string::npos);
  EXPECT_NE(seven.find("cannot communicate over NVLink or PCIe"), std::string::npos);
  EXPECT_NE(one.find("\n| cut | 1g.10gb\\+me | 1 | 8 | --gres=gpu:1g.10gb\\+me:1 | /usr/local/sbin/cluster-mig 1 "
                     "1g.10gb\\+me |\n"),
            std::string::npos)
      << one;
  EXPECT_EQ(off.find("MIG"), std::string::npos);
  EXPECT_NE(odd.find("\n| cut | all-1g | unknown | unknown | - | - |\n"), std::string::npos) << odd;
}

TEST(MigReport, NoAllReduceOfInstances) {
  Resolved r;
  r.text(spec("7x1g.10gb"));
  ASSERT_TRUE(r.cluster) << r.told();
  const std::string text = render_all_reduce_text(*r.cluster);
  EXPECT_NE(text.find("whole"), std::string::npos) << text;
  EXPECT_EQ(text.find("cut"), std::string::npos) << text;
}

// Nothing is reckoned of an instance: what a workload shows is of whole GPUs, which are at least as fast, and says so.
TEST(MigReport, WorkloadsOnInstancesAreThoseOfWholeGpusAtBest) {
  for (const bool cut : {false, true}) {
    Resolved r;
    r.text(spec("7x1g.10gb",
                "workloads:\n  a: { model: { parameters: 8.03e9, layers: 32, hidden: 4096, ffn: 14336, heads: 32, "
                "kv_heads: 8, vocabulary: 128256, sequence: 8192 }, batch: 1048576 tokens, train: 1e9 tokens, on: { " +
                    std::string(cut ? "cut" : "whole") + ": 2 } }\n"));
    ASSERT_TRUE(r.cluster) << r.told();
    const WorkloadPlan plan = plan_workloads(*r.cluster, plan_cluster(*r.cluster)).front();
    ASSERT_TRUE(plan.run);
    EXPECT_EQ(plan.run->time_known, !cut);
    bool said = false;
    for (const std::string& m : plan.missing)
      said = said || m.find("what instances of the GPUs of 'cut' hold and do (`mig: 7x1g.10gb`)") != m.npos;
    EXPECT_EQ(said, cut);
  }
}

}  // namespace
}  // namespace clusterc
