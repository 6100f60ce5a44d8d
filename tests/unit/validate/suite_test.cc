// What the suite runs on the nodes of a spec, with which arguments, and how what they look at is judged.
#include "validate/suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "spec/software.h"
#include "unit/model/examples.h"
#include "validate/judge.h"

namespace clusterc {
namespace {

TEST(GemmSuite, ProductsOfTheGpusOwnPrecisions) {
  const auto products = [](std::string_view model) {
    Resolved r;
    r.text(
        "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: { "
        "gpu: { names: \"g[1-2]\", model: " +
        std::string(model) + " } }\n");
    std::string out;
    for (const SuiteTest& t : plan_suite(*r.cluster, expect_figures(*r.cluster, plan_cluster(*r.cluster))))
      if (t.validator == "gemm")
        for (const auto& m : t.metrics) out += std::string(m) + " ";
    return out;
  };
  EXPECT_EQ(products("nvidia-dgx-h200"), "gemm.fp64 gemm.fp32 gemm.tf32 gemm.bf16 gemm.fp16 gemm.fp8 ");
  EXPECT_EQ(products("nvidia-dgx-a100"), "gemm.fp64 gemm.fp32 gemm.tf32 gemm.bf16 gemm.fp16 ");
}

// An H100 has PCIe 5.0 x16: 32e9 x 16 x 128/130 / 8 = 63.015 GB/s. Half the lanes, or a port of generation 4, is not
// what was bought; a link is held against its own two ends where the spec does not say what it should be.
TEST(LinkSuite, LinksAreHeldAgainstTheSpecAndTheirEnds) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  const ExpectedFigure* gpu = expected.find("pcie.link.gpu", "gpu");
  ASSERT_NE(gpu, nullptr);
  EXPECT_NEAR(gpu->ceiling.value.value_or(0), 63.015e9, 1e6);
  const auto verdict = [](const char* metric, double value, const char* slow, const ExpectedFigure* figure) {
    return judge({.metric = metric, .unit = "B/s", .value = value, .checked = 1, .data_verified = true, .slow = slow},
                 figure)
        .verdict;
  };
  EXPECT_EQ(verdict("pcie.link.gpu", 63.015e9, "", gpu), Verdict::pass);
  EXPECT_EQ(verdict("pcie.link.gpu", 31.508e9, "", gpu), Verdict::fail);  // a port of generation 4
  EXPECT_EQ(verdict("pcie.link.gpu", 31.508e9, "runs at x8", gpu), Verdict::fail);
  EXPECT_EQ(verdict("pcie.link.gpu", 63.015e9, "had 2 uncorrected errors", gpu), Verdict::degraded);
  EXPECT_EQ(verdict("pcie.link.gpu", 118e9, "", gpu), Verdict::error);  // generation 6: not this machine
  EXPECT_EQ(verdict("pcie.link.nic", 31.508e9, "", nullptr), Verdict::pass);
  EXPECT_EQ(verdict("pcie.link.nic", 15.754e9, "runs at 8 GT/s x16", nullptr), Verdict::degraded);

  // Copies: 63.015 x 256/276 = 58.45 GB/s at most; the lowest published healthy figure of generation 5 on bare metal
  // is 55.1, times 0.97 53.4. On the host they say nothing.
  const ExpectedFigure* copy = expected.find("pcie.copy", "gpu");
  ASSERT_NE(copy, nullptr);
  EXPECT_NEAR(copy->ceiling.value.value_or(0), 58.45e9, 0.01e9);
  const auto copied = [&](double value, const char* backend) {
    return judge({.metric = "pcie.copy",
                  .unit = "B/s",
                  .backend = backend,
                  .value = value,
                  .checked = 1,
                  .data_verified = true},
                 copy)
        .verdict;
  };
  EXPECT_EQ(copied(55.3e9, "cuda"), Verdict::pass);
  EXPECT_EQ(copied(26e9, "cuda"), Verdict::fail);  // what generation 4 reaches
  EXPECT_EQ(copied(70e9, "cuda"), Verdict::error);
  EXPECT_EQ(copied(55.3e9, "host"), Verdict::unjudged);
  const std::vector<SuiteTest> suite = plan_suite(*r.cluster, expected);
  const auto test =
      std::find_if(suite.begin(), suite.end(), [](const SuiteTest& t) { return t.id == "node/gpu/pcie-gpu"; });
  ASSERT_NE(test, suite.end());
  EXPECT_EQ(test->arguments, (std::vector<std::string>{"--device", "cuda"}));
  EXPECT_EQ(test->metrics.front(), "pcie.copy");
}

// Eight GPUs cut into seven: Slurm counts 56 and is asked for 56. What needs all GPUs, or would pass for one instance
// of 56, is not run and says why; what is measured of an instance is judged by nothing.
TEST(MigSuite, WhatNeedsWholeGpusIsNotRunOnInstances) {
  Resolved r;
  r.text(
      "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes:\n  "
      "whole: { names: \"w[1-2]\", model: nvidia-dgx-h100 }\n"
      "  cut: { names: \"c[1-2]\", model: nvidia-dgx-h100, software: { mig: 7x1g.10gb, gpudirect_rdma: true } "
      "}\nnetworks:\n"
      "  compute: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, connects: { whole: { ports: compute }, "
      "cut: { ports: compute } } }\n");
  ASSERT_TRUE(r.cluster) << r.told();
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  std::string skipped;
  for (const SuiteTest& t : plan_suite(*r.cluster, expected, {.memtest = true, .burn = true})) {
    if (t.group == "whole") {
      EXPECT_EQ(t.gpu_instances, 1) << t.id;
      EXPECT_EQ(t.skip, "") << t.id;
    }
    if (t.group != "cut") continue;
    EXPECT_EQ(t.gpu_instances, 7) << t.id;
    if (t.gpus_per_node > 0) {
      EXPECT_EQ(t.gpus_per_node * t.gpu_instances, 56) << t.id;
    }
    if (t.skip.empty()) continue;
    skipped += (skipped.empty() ? "" : " ") + t.id;
    EXPECT_NE(t.skip.find("`mig: 7x1g.10gb` divides the GPUs"), std::string::npos) << t.skip;
  }
  EXPECT_EQ(skipped,
            "node/cut/nvlink node/cut/nccl pair/cut/gpudirect-1 group/cut/nccl group/cut/hpl soak/cut/memtest-gpu "
            "soak/cut/burn-gpu");
  const Judged triad = judge(
      {.metric = "memory.triad", .unit = "B/s", .backend = "cuda", .value = 400e9, .checked = 1, .data_verified = true},
      expected.find("memory.triad", "cut"));
  EXPECT_EQ(triad.verdict, Verdict::unjudged);
  EXPECT_NE(triad.reason.find("the known figures of 'nvidia-h100-sxm5-80' are for whole GPUs"), std::string::npos)
      << triad.reason;
}

// An H100 has eighteen NVLinks of 25 GB/s each way: 450. One that is down leaves 425, and is a fail. Copies: the
// published 396.4 GB/s, times 0.97 384.5.
TEST(NvlinkSuite, LinksAndCopiesBetweenGpusAreHeldAgainstTheSpec) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  const ExpectedFigure *links = expected.find("nvlink.links", "gpu"), *copy = expected.find("nvlink.copy", "gpu");
  ASSERT_NE(links, nullptr);
  ASSERT_NE(copy, nullptr);
  EXPECT_DOUBLE_EQ(links->ceiling.value.value_or(0), 450e9);
  EXPECT_EQ(links->ceiling.derivation, "18 NVLinks of 25 GB/s");
  const auto judged = [](const char* metric, double value, const char* slow, const ExpectedFigure* figure,
                         const char* backend = "cuda") {
    return judge({.metric = metric,
                  .unit = "B/s",
                  .backend = backend,
                  .value = value,
                  .checked = 1,
                  .data_verified = true,
                  .slow = slow},
                 figure);
  };
  EXPECT_EQ(judged("nvlink.links", 450e9, "", links).verdict, Verdict::pass);
  EXPECT_EQ(judged("nvlink.links", 450e9, "gpu3: link 2 counted 7 replays", links).verdict, Verdict::degraded);
  const Judged down = judged("nvlink.links", 425e9, "gpu3 has 17 of 18 NVLinks up (down: 2)", links);
  EXPECT_EQ(down.verdict, Verdict::fail);
  EXPECT_NE(down.reason.find("gpu3 has 17 of 18 NVLinks up (down: 2)"), std::string::npos) << down.reason;
  EXPECT_EQ(judged("nvlink.links", 900e9, "", links).verdict, Verdict::error);  // another GPU than the spec has
  EXPECT_EQ(judged("nvlink.copy", 396.4e9, "", copy).verdict, Verdict::pass);
  EXPECT_EQ(judged("nvlink.copy", 374e9, "", copy).verdict, Verdict::fail);  // 17 of 18 links
  EXPECT_EQ(judged("nvlink.copy", 460e9, "", copy).verdict, Verdict::error);
  EXPECT_EQ(judged("nvlink.copy", 396.4e9, "", copy, "host").verdict, Verdict::unjudged);

  const auto nvlink_tests = [&](const SuiteOptions& options) {
    std::vector<SuiteTest> suite =
        plan_suite(*r.cluster, expect_figures(*r.cluster, plan_cluster(*r.cluster)), options);
    std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "nvlink"; });
    return suite;
  };
  std::vector<SuiteTest> suite = nvlink_tests({.seconds = 70, .allow_busy = true});
  ASSERT_EQ(suite.size(), 1u);
  EXPECT_EQ(suite[0].id, "node/gpu/nvlink");
  EXPECT_EQ(suite[0].arguments, (std::vector<std::string>{"--device", "cuda", "--links", "18", "--seconds", "10",
                                                          "--allow-busy"}));  // each of eight is in seven pairs
  EXPECT_EQ(suite[0].gpus_per_node, 8);
  EXPECT_EQ(suite[0].metrics, (std::vector<std::string>{"nvlink.copy", "nvlink.links"}));
  // 28 pairs x 5 figures x 10 s = 1,400 s.
  EXPECT_GE(suite[0].timeout, std::chrono::seconds(600 + 1400));
}

// Trays of an NVL72 have four GPUs with eighteen links of 50 GB/s; a group without GPUs, and GPUs without links, have
// no such test.
TEST(NvlinkSuite, OnlyGroupsWhoseGpusAreJoinedRunIt) {
  const auto arguments = [](const char* example, const std::string& group) {
    Resolved r;
    r.example(example);
    if (!r.cluster) return std::string("unresolved");
    for (const SuiteTest& t : plan_suite(*r.cluster, expect_figures(*r.cluster, plan_cluster(*r.cluster))))
      if (t.id == "node/" + group + "/nvlink") return join(t.arguments, " ");
    return std::string("none");
  };
  EXPECT_EQ(arguments("superpod", "gpu"), "--device cuda --links 18");
  EXPECT_EQ(arguments("nvl72", "gpu"), "--device cuda --links 18");
  EXPECT_EQ(arguments("lab", "gpu"), "none");
  EXPECT_EQ(arguments("four-virtual", "cpu"), "none");
}

// Eight GPUs a node: a rank for each, on them.
TEST(GpuSuite, LinpackAndBurnRunOnTheGpus) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  const std::vector<SuiteTest> suite = plan_suite(*r.cluster, expected, {.seconds = 30, .burn = true});
  int seen = 0;
  for (const SuiteTest& t : suite) {
    if (t.validator != "hpl" && t.validator != "burn") continue;
    ++seen;
    EXPECT_EQ(t.arguments[1], "cuda") << t.id;
    EXPECT_EQ(t.gpus_per_node, 8) << t.id;
    EXPECT_EQ(t.ranks_per_node, t.validator == "hpl" ? 8 : 1) << t.id;
  }
  EXPECT_EQ(seen, 2);
}

// What the spec does not want measured is not, though a part of the same program has no figure that could be skipped.
TEST(GpuSuite, AFigureThatIsSkippedTakesItsCompanionsAlong) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  for (ExpectedFigure& f : expected.figures)
    if (f.test == "pcie.copy") f.skip = "risers are known bad";
  int seen = 0;
  for (const SuiteTest& t : plan_suite(*r.cluster, expected))
    if (t.validator == "pcie" && std::find(t.metrics.begin(), t.metrics.end(), "pcie.copy") != t.metrics.end()) {
      EXPECT_EQ(t.skip, "risers are known bad") << t.id;
      ++seen;
    } else {
      EXPECT_EQ(t.skip, "") << t.id;
    }
  EXPECT_EQ(seen, 1);
}

// The lab has Podman on its nodes; Enroot beside Docker as the superpod has them, and CRI-O, which starts nothing by
// hand.
TEST(ContainerSuite, EachRuntimeOfTheSpecIsATestOfItsOwn) {
  Resolved r;
  r.example("superpod");
  ASSERT_TRUE(r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  for (NodeGroupModel& group : r.cluster->nodes) {
    if (!group.computes) continue;
    NamedVersion crio;
    crio.kind = Value<std::string>("CRI-O", {}, Origin::spec);
    group.software->containers.push_back(crio);
    group.software->containers.push_back(crio);  // named twice: once is enough
  }
  std::vector<SuiteTest> suite = plan_suite(*r.cluster, expected, {.allow_busy = true, .image = "cuda.sqsh"});
  std::erase_if(suite, [](const SuiteTest& t) { return t.validator != "container"; });
  ASSERT_EQ(suite.size(), 3u);
  EXPECT_EQ(suite[0].id, "node/gpu/container-enroot");
  EXPECT_EQ(suite[0].arguments, (std::vector<std::string>{"--device", "cuda", "--runtimes", "enroot", "--image",
                                                          "cuda.sqsh", "--allow-busy"}));
  EXPECT_EQ(suite[0].gpus_per_node, 8);
  EXPECT_EQ(suite[0].skip, "");
  EXPECT_EQ(suite[1].id, "node/gpu/container-docker");
  EXPECT_EQ(suite[2].skip, "no program starts a container of 'cri-o' by hand");

  const auto verdict = [](MeasurementRecord m) {
    m.metric = "container.start", m.unit = "s", m.lower_is_better = true, m.value = 0.4, m.checked = 14;
    const Judged j = judge(m, nullptr);
    return std::string(verdict_name(j.verdict)) + " " + j.reason;
  };
  EXPECT_EQ(verdict({.data_verified = true}), "pass ");
  EXPECT_EQ(verdict({.wrong = 1, .data_verified = false, .slow = "nvidia3 is not in the container"}),
            "fail nvidia3 is not in the container");
  EXPECT_EQ(verdict({.wrong = 1, .data_verified = false}), "fail the data is wrong: 1 of 14 values checked");
}

// Asked for in the spec, each GPU is measured with the adapter next to it, and the switches between them are looked at.
TEST(FabricSuite, GpusAreMeasuredWithTheirAdaptersWhereTheSpecAsksForIt) {
  const auto suite_of = [](const std::string& software, const std::string& server) {
    Resolved r;
    r.text("clusterc: 1\nname: case\nsite: cloud\nnodes:\n  n: { names: \"n[1-3]\", " + server + " }\n" + software +
           "networks:\n  ib: { kind: infiniband, rate: 400 Gb/s, carries: [compute], connects: { n: { ports: compute } "
           "} }\n");
    EXPECT_TRUE(r.cluster) << r.told();
    std::map<std::string, std::vector<std::string>> out;
    if (!r.cluster) return out;
    const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
    const ExpectedFigure* figure = expected.find("rdma.gpu_write", "n");
    // 400 Gb/s / 8 x 0.98 of payload, and Azure's gate of 380 Gb/s.
    if (figure) {
      EXPECT_DOUBLE_EQ(figure->ceiling.value.value_or(0), 49e9);
      EXPECT_DOUBLE_EQ(figure->floor.value.value_or(0), 47.5e9);
    }
    EXPECT_EQ(figure != nullptr, software.find("gpudirect_rdma") != software.npos);
    for (const SuiteTest& t : plan_suite(*r.cluster, expected)) out[t.id] = t.arguments;
    return out;
  };
  const std::string h100 = "model: nvidia-dgx-h100";
  auto suite = suite_of("software: { gpudirect_rdma: true }\n", h100);
  EXPECT_EQ(join(suite["pair/n/gpudirect-1"], " "), "--ports infiniband:8x400Gb/s --gpudirect cuda --hosts n1,n2");
  EXPECT_EQ(join(suite["pair/n/gpudirect-2"], " "), "--ports infiniband:8x400Gb/s --gpudirect cuda --hosts n1,n3");
  EXPECT_EQ(join(suite["node/n/pcie"], " "), "--device host --acs off");
  suite = suite_of("", h100);
  EXPECT_FALSE(suite.contains("pair/n/gpudirect-1"));
  EXPECT_EQ(join(suite["node/n/pcie"], " "), "--device host");
  suite = suite_of("software: { gpudirect_rdma: true, acs: true }\n", h100);
  EXPECT_EQ(join(suite["node/n/pcie"], " "), "--device host");
}

// By hand: (2 x 400 Gb/s + 1 x 200 Gb/s) / 8 = 125 GB/s a node. A port less is a fail that names it; a port with errors
// is degraded.
TEST(FabricSuite, PortsAreHeldAgainstTheNetworksOfTheSpec) {
  Resolved r;
  r.text(R"(
clusterc: 1
name: case
site: cloud
nodes:
  n: { names: "n[1-3]", server: { like: generic-2u, nics: { compute: 2 x cx7-ndr-osfp, data: cx6-vpi-200 } } }
networks:
  ib: { kind: infiniband, rate: 400 Gb/s, carries: [compute], connects: { n: { ports: compute } } }
  lan: { kind: ethernet, rdma: roce, mtu: 9000, rate: 200 Gb/s, carries: [storage], connects: { n: { ports: data, count: 1 } } }
)");
  ASSERT_TRUE(r.cluster);
  const ExpectedFigures expected = expect_figures(*r.cluster, plan_cluster(*r.cluster));
  const ExpectedFigure* all = expected.find("fabric.links", "n");
  ASSERT_NE(all, nullptr);
  EXPECT_DOUBLE_EQ(all->ceiling.value.value_or(0), 125e9);
  const std::vector<SuiteTest> suite = plan_suite(*r.cluster, expected);
  const auto test =
      std::find_if(suite.begin(), suite.end(), [](const SuiteTest& t) { return t.validator == "fabric"; });
  ASSERT_NE(test, suite.end());
  EXPECT_EQ(test->id, "node/n/fabric");
  EXPECT_EQ(test->arguments, (std::vector<std::string>{"--ports", "infiniband:2x400Gb/s,ethernet:1x200Gb/s:9000"}));
  // Partners write to each other through the ports that carry compute; of three nodes one rests in each round.
  std::vector<std::string> pairs;
  for (const SuiteTest& t : suite)
    if (t.stage == SuiteStage::pair) {
      EXPECT_EQ(t.arguments[1], "infiniband:2x400Gb/s") << t.id;
      EXPECT_EQ(join(t.nodes, ","), t.arguments.back());
      EXPECT_EQ(t.team_nodes, 2);
      pairs.push_back(t.id + " " + t.arguments.back());
    }
  EXPECT_EQ(pairs,
            (std::vector<std::string>{"pair/n/fabric-1 n2,n3", "pair/n/fabric-2 n1,n3", "pair/n/fabric-3 n1,n2"}));
  const auto judged = [&](const char* metric, double value, const char* slow, const ExpectedFigure* figure) {
    return judge({.metric = metric, .unit = "B/s", .value = value, .checked = 1, .data_verified = true, .slow = slow},
                 figure);
  };
  const double whole = 125e9;
  EXPECT_EQ(judged("fabric.links", whole, "", all).verdict, Verdict::pass);
  const Judged less = judged("fabric.links", whole - 50e9, "mlx5_3/1 is DOWN (Polling)", all);
  EXPECT_EQ(less.verdict, Verdict::fail);
  EXPECT_NE(less.reason.find("mlx5_3/1 is DOWN (Polling)"), std::string::npos) << less.reason;
  EXPECT_EQ(judged("fabric.links", whole, "mlx5_3/1 symbol_error rose by 3", all).verdict, Verdict::degraded);
  EXPECT_EQ(judged("fabric.links", whole * 2, "", all).verdict,
            Verdict::error);  // faster than the spec's: another machine
  EXPECT_EQ(judged("fabric.link", 50e9, "", nullptr).verdict, Verdict::pass);
  EXPECT_EQ(judged("fabric.link", 25e9, "mlx5_3/1 runs at 200 Gb/s", nullptr).verdict, Verdict::degraded);
}

}  // namespace
}  // namespace clusterc
