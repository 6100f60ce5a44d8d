// Expected figures worked out by hand from the parts' data sheets and the published results.
#include "targets/targets.h"

#include <gtest/gtest.h>

#include "plan/plan.h"
#include "targets/published.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

struct Expected : Resolved {
  ExpectedFigures of_example(const std::string& name) {
    example(name);
    return expect_figures(*cluster, plan_cluster(*cluster));
  }
  ExpectedFigures of_text(const std::string& yaml) {
    text(yaml);
    return expect_figures(*cluster, plan_cluster(*cluster));
  }
};

const ExpectedFigure* scoped(const ExpectedFigures& all, std::string_view test, std::string_view scope) {
  for (const ExpectedFigure& f : all.figures)
    if (f.test == test && f.scope == scope) return &f;
  return nullptr;
}

// NVIDIA's data sheet of the H200 (SXM): FP8 1,979 TFLOP/s dense; the A100's has none. Nobody publishes a healthy
// figure of FP8 at this order: it is measured and not judged.
TEST(Targets, Fp8WhereTheGpuHasIt) {
  const auto figure = [](std::string_view model) {
    Expected e;
    const ExpectedFigures all = e.of_text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: { "
        "gpu: { names: \"g[1-2]\", model: " +
        std::string(model) + " } }\n");
    const ExpectedFigure* const f = all.find("gemm.fp8", "gpu");
    return f ? std::optional(*f) : std::nullopt;
  };
  const auto h200 = figure("nvidia-dgx-h200");
  ASSERT_TRUE(h200);
  EXPECT_DOUBLE_EQ(h200->ceiling.value.value_or(0), 1979e12);
  EXPECT_FALSE(h200->floor.value);
  EXPECT_FALSE(figure("nvidia-dgx-a100"));
}

// Of GPUs that MIG cuts nothing is known of one instance, and nothing runs between them; the links and the network are
// as ever, and so is the group of whole ones beside them. 400 Gb/s / 8 x 0.98 = 49 GB/s of a port, eight of them 392;
// the floor of a whole H100's triad is 2,970 x 0.97 = 2,881 GB/s.
TEST(Targets, GpusThatMigCutsHaveNoFiguresOfWholeOnes) {
  const auto figures = [](const std::string& mig, bool unnamed) {
    Expected e;
    e.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes:\n  "
        "whole: { names: \"w[1-2]\", model: nvidia-dgx-h100 }\n"
        "  cut: { names: \"c[1-2]\", model: nvidia-dgx-h100, software: { mig: " +
        mig +
        " } }\nnetworks:\n"
        "  compute: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, connects: { whole: { ports: compute }, "
        "cut: { ports: compute } } }\ntargets: { gemm: { floor: 100 TFLOP/s } }\n");
    return e.cluster ? expect_figures(*e.cluster, plan_cluster(*e.cluster), unnamed) : ExpectedFigures();
  };
  for (const bool unnamed : {false, true}) {
    const ExpectedFigures whole = figures("off", unnamed), all = figures("7x1g.10gb", unnamed);
    ASSERT_FALSE(all.figures.empty());
    ASSERT_EQ(whole.figures.size(), all.figures.size());  // each is said, none left out
    for (const ExpectedFigure& f : all.figures) {
      if (f.group != "cut") continue;
      const bool between = f.test.starts_with("nccl.") || f.test.starts_with("nvlink.") || f.test.starts_with("hpl.");
      if (f.test == "rdma.write") {
        EXPECT_DOUBLE_EQ(f.ceiling.value.value_or(0), 49e9);
      } else if (f.test == "fabric.links" || f.test == "pcie.link.gpu") {
        EXPECT_TRUE(f.floor.value && f.missing.empty()) << f.test;
      } else {
        EXPECT_FALSE(f.ceiling.value || f.typical.value || f.best.value) << f.test;
        EXPECT_EQ(f.floor.value.has_value(), f.test == "gemm.bf16") << f.test;  // the spec's own floor stands
        EXPECT_NE(f.missing.find("`mig: 7x1g.10gb` divides the GPUs"), std::string::npos)
            << f.test << ": " << f.missing;
        EXPECT_EQ(f.missing.find("neither over NVLink nor over PCIe") != std::string::npos, between)
            << f.test << ": " << f.missing;
      }
    }
    EXPECT_NEAR(all.find("memory.triad", "whole")->floor.value.value_or(0), 2881e9, 0.5e9);
    EXPECT_NEAR(whole.find("memory.triad", "cut")->floor.value.value_or(0), 2881e9, 0.5e9);
    EXPECT_DOUBLE_EQ(all.find("mpi.allreduce.busbw", "")->ceiling.value.value_or(0),
                     392e9);  // a rank a node, in its memory
  }
}

TEST(Targets, SuperpodAllReduceIsHierarchical) {
  Expected e;
  const ExpectedFigures all = e.of_example("superpod");
  const ExpectedFigure* whole = scoped(all, "nccl.all_reduce.busbw", "whole");
  ASSERT_NE(whole, nullptr);
  // 8 x 400 Gb/s / 8 x 0.98 = 392 GB/s a node; 127 nodes of 8: n = 1016: 392/8 x 1015/126 = 394.7 GB/s, above the
  // ring's 392.
  ASSERT_TRUE(whole->ceiling.value);
  EXPECT_NEAR(*whole->ceiling.value, 392e9 / 8 * 1015 / 126, 1e6);
  EXPECT_NEAR(*whole->ceiling.value, 394.7e9, 0.05e9);
  EXPECT_EQ(whole->algorithm, "hierarchical");
  // Lowest healthy 0.844 of the ring ceiling, guard 0.97: 0.844 x 392 x 0.97 = 320.9 GB/s; typical 0.893 x 392 = 350.1.
  EXPECT_NEAR(*whole->floor.value, 320.9e9, 0.1e9);
  EXPECT_NEAR(*whole->typical.value, 350.1e9, 0.1e9);
  // One GPU's memory: 3,350 GB/s on the data sheet, 2,970 GB/s the one published healthy triad: 2,970 x 0.97 = 2,881.
  const ExpectedFigure* triad = all.find("memory.triad", "gpu");
  ASSERT_NE(triad, nullptr);
  ASSERT_TRUE(triad->ceiling.value && triad->floor.value);
  EXPECT_NEAR(*triad->ceiling.value, 3350e9, 5e9);
  EXPECT_NEAR(*triad->floor.value, 2881e9, 0.5e9);
  // LINPACK: 1,016 GPUs x 41.4 TFLOP/s (lowest of three systems of the TOP500) x 0.97 = 40.8 PFLOP/s.
  const ExpectedFigure* hpl = all.find("hpl.score", "gpu");
  ASSERT_NE(hpl, nullptr);
  ASSERT_TRUE(hpl->floor.value && hpl->ceiling.value);
  EXPECT_NEAR(hpl->floor_by_user ? hpl->derived_floor.value.value_or(0) : *hpl->floor.value, 1016 * 41.4e12 * 0.97,
              1e12);
  EXPECT_LT(1016 * 60e12, *hpl->ceiling.value);
  EXPECT_GT(1016 * 70e12, *hpl->ceiling.value);
  // HPL-MxP is shown where all that can be said is asked for: 1,016 x 989.4 TFLOP/s of FP16 (data sheet) at most, 317.1
  // of each published of NVIDIA's program; no floor.
  EXPECT_EQ(all.find("hpl.mxp", "gpu"), nullptr);
  const ExpectedFigures more = expect_figures(*e.cluster, plan_cluster(*e.cluster), true);
  const ExpectedFigure* mxp = more.find("hpl.mxp", "gpu");
  ASSERT_NE(mxp, nullptr);
  ASSERT_TRUE(mxp->ceiling.value && mxp->typical.value);
  EXPECT_NEAR(*mxp->ceiling.value, 1016 * 989.4e12, 1e14);
  EXPECT_NEAR(*mxp->typical.value, 1016 * 317.1e12, 1e12);
  EXPECT_FALSE(mxp->floor.value);
  EXPECT_NE(mxp->missing.find("the suite does not start it"), std::string::npos);
}

constexpr const char* kHost = R"(clusterc: 1
rules: 2026.11
name: hosts
site: { kind: cloud, provider: local }
nodes:
  cpu:
    names: "c[1-2]"
    server: { sockets: 2, cpus: 2 x xeon-8480p, memory: 16 x 32 GiB }
software: { os: debian-12, scheduler: { kind: none } }
)";

TEST(Targets, HostMemoryIsChannelsTimesRate) {
  Expected e;
  const ExpectedFigures all = e.of_text(kHost);
  const ExpectedFigure* triad = all.find("memory.triad", "cpu");
  ASSERT_NE(triad, nullptr);
  ASSERT_TRUE(triad->ceiling.value) << triad->missing;
  EXPECT_DOUBLE_EQ(*triad->ceiling.value, 16 * 4800e6 * 8);  // 614.4 GB/s
  ASSERT_TRUE(triad->floor.value);
  EXPECT_NEAR(*triad->floor.value, 486.7e9 * 0.97, 1e6);  // 472.1 GB/s: aigatech/vpbenchmarking
}

// 2 nodes x 2 sockets x 56 cores x 3.0 GHz (all cores) x 32 FLOP a cycle (two AVX-512 units) = 21.5 TFLOP/s, twice the
// ceiling of gemm.
TEST(Targets, LinpackOfHostsHasACeilingAndNoFloor) {
  Expected e;
  const ExpectedFigures all = e.of_text(kHost);
  const ExpectedFigure *hpl = all.find("hpl.score", "cpu"), *gemm = all.find("gemm.fp64", "cpu");
  ASSERT_TRUE(hpl && gemm);
  ASSERT_TRUE(hpl->ceiling.value && gemm->ceiling.value) << gemm->missing;
  EXPECT_DOUBLE_EQ(*hpl->ceiling.value, 2 * 112 * 3.0e9 * 32);
  EXPECT_DOUBLE_EQ(*hpl->ceiling.value, 2 * *gemm->ceiling.value);
  EXPECT_FALSE(hpl->floor.value);
  EXPECT_NE(hpl->missing.find("targets.hpl.floor"), std::string::npos) << hpl->missing;
  const ExpectedFigures wished = e.of_text(std::string(kHost) + "targets: { hpl: { floor: 9 TFLOPS } }\n");
  const ExpectedFigure* floor = wished.find("hpl.score", "cpu");
  ASSERT_TRUE(floor && floor->floor.value);
  EXPECT_DOUBLE_EQ(*floor->floor.value, 9e12);
  EXPECT_TRUE(floor->floor_by_user && floor->demanded);
}

TEST(Targets, VirtualMachineSaysWhatItDoesNotTell) {
  Expected e;
  const ExpectedFigures all = e.of_example("four-virtual");
  for (const char* metric : {"memory.triad", "gemm.fp64"}) {
    const ExpectedFigure* f = all.find(metric, "cpu");
    ASSERT_NE(f, nullptr);
    EXPECT_FALSE(f->ceiling.value);
    EXPECT_NE(f->missing.find("virtual machine"), std::string::npos) << f->missing;
  }
  // 10 Gb/s / 8 x 0.98 = 1.225 GB/s in one direction of the slowest node's port.
  const ExpectedFigure* mpi = all.find("mpi.allreduce.busbw", "");
  ASSERT_NE(mpi, nullptr);
  EXPECT_DOUBLE_EQ(*mpi->ceiling.value, 1.225e9);
}

TEST(Targets, FloorIsTheGuardedLowestOrTheHigherGate) {
  EXPECT_DOUBLE_EQ(*floor_of({"t", "h", 110, 100, 90, "measured", ""}, 0.97), 97);
  EXPECT_DOUBLE_EQ(*floor_of({"t", "h", 110, 100, 98, "measured", ""}, 0.97), 98);  // a gate is not discounted again
  EXPECT_DOUBLE_EQ(*floor_of({"t", "h", std::nullopt, std::nullopt, 98, "gate", ""}, 0.97), 98);
  EXPECT_FALSE(floor_of({"t", "h", 110, std::nullopt, std::nullopt, "single", ""}, 0.97));
  // NVIDIA/nccl-tests issue 290 and Azure's guide: 476 GB/s x 0.97 = 461.7, above the gate of 460.
  EXPECT_NEAR(*floor_of(*find_published("nccl.all_reduce.busbw", "node:nvidia-h100-sxm5-80"), 0.97), 461.72e9, 1e6);
}

}  // namespace
}  // namespace clusterc
