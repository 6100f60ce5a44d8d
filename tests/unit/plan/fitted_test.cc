// What is put into servers, on the bill and in the cost. Counts are by hand from the specs here and from the catalogue:
// a generic-2u-pcie4 comes with no GPU and one cx6-vpi-200, an nvidia-dgx-h100 with its eight H100, an nvidia-dgx-b200
// with eight adapters for compute.
#include "plan/cost/fitted.h"

#include <gtest/gtest.h>

#include "plan/cost/cost.h"
#include "plan/diff.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

std::string spec(const std::string& nodes, const std::string& more = "",
                 const std::string& site = "{ region: iec, supply: { phases: 3, voltage: 400 V } }") {
  return "clusterc: 1\nrules: 2026.11\nname: f\nsite: " + site + "\nnodes:\n" + nodes + more;
}
struct Planned {
  Resolved e;
  Plan plan;
  explicit Planned(const std::string& text) {
    e.text(text);
    plan = plan_cluster(*e.cluster);
  }
  std::int64_t count(std::string_view part, std::string_view kind) const {
    std::int64_t n = 0;
    for (const BillRow& r : bill_rows(plan))
      if (r.part == part && r.kind == kind) n += r.count;
    return n;
  }
};

const char* const kTwoFits =
    "  gpu: { names: \"g[1-4]\", server: { like: generic-2u-pcie4, gpus: 4 x nvidia-h100-pcie-80, nics: { data: "
    "intel-e810-cqda2 }, nvlink_bridge: 2 } }\n"
    "  gpu2: { names: \"h[1-2]\", server: { like: generic-2u-pcie4, gpus: 4 x nvidia-l40s, nics: { data: "
    "cx7-400-qsfp112 } } }\n";

TEST(Fitted, ALineForEachFitWithItsParts) {
  Planned p(spec(kTwoFits));
  EXPECT_EQ(p.count("generic-2u-pcie4", "server"), 6) << p.e.told();
  EXPECT_EQ(p.count("nvidia-h100-pcie-80", "gpu"), 16);  // 4 x 4
  EXPECT_EQ(p.count("nvidia-l40s", "gpu"), 8);           // 2 x 4
  EXPECT_EQ(p.count("intel-e810-cqda2", "nic"), 4);
  EXPECT_EQ(p.count("cx7-400-qsfp112", "nic"), 2);
  EXPECT_EQ(p.count("nvlink-bridge-2-nvidia-h100-pcie-80", "nvlink-bridge"), 8);  // two pairs in each of four
  std::vector<std::string> servers;
  for (const BillRow& r : bill_rows(p.plan))
    if (r.kind == "server") servers.push_back(r.what);
  ASSERT_EQ(servers.size(), 2u);
  EXPECT_TRUE(servers[0].starts_with("server, fitted for 'gpu'")) << servers[0];
  EXPECT_TRUE(servers[1].starts_with("server, fitted for 'gpu2'")) << servers[1];
}

TEST(Fitted, WhatAServerComesWithIsNoLineOfItsOwn) {
  Planned p(
      spec("  gpu: { names: \"g[1-2]\", server: { like: nvidia-dgx-h100, gpus: 8 x nvidia-h100-sxm5-80 } }\n  plain: { "
           "names: \"p[1-3]\", model: nvidia-dgx-h100 }\n"));
  EXPECT_EQ(p.count("nvidia-dgx-h100", "server"), 5);
  EXPECT_EQ(bill_rows(p.plan).size(), 1u) << "one line: the fit that is written is the one that it comes with";
}

TEST(Fitted, AdaptersInPlaceOfOthers) {
  Planned p(spec("  gpu: { names: \"g[1-20]\", server: { like: nvidia-dgx-b200, nics: { compute: 8 x cx8-800 } } }\n"));
  EXPECT_EQ(p.count("cx8-800", "nic"), 160);
  const BillRow server = bill_rows(p.plan).front();
  EXPECT_EQ(server.part, "nvidia-dgx-b200");
  EXPECT_NE(server.what.find("without 8 x "), std::string::npos) << server.what;
}

TEST(Fitted, TwoGroupsOfOneFitAreOneLine) {
  const std::string one = "server: { like: generic-2u-pcie4, gpus: 2 x nvidia-l40s }";
  Planned p(spec("  a: { names: \"a[1-4]\", " + one + " }\n  b: { names: \"b[1-3]\", " + one + " }\n"));
  std::int64_t servers = 0;
  for (const BillRow& r : bill_rows(p.plan)) servers += r.kind == "server";
  EXPECT_EQ(servers, 1);
  EXPECT_EQ(p.count("nvidia-l40s", "gpu"), 14);  // (4 + 3) x 2
}

TEST(Fitted, ADifferenceBuysTheParts) {
  Planned a(spec("  gpu: { names: \"g[1-6]\", server: { like: generic-2u-pcie4, gpus: 4 x nvidia-l40s } }\n"));
  Planned b(spec("  gpu: { names: \"g[1-6]\", server: { like: generic-2u-pcie4, gpus: 4 x nvidia-h100-pcie-80 } }\n"));
  const std::vector<PartChange> parts = diff_bills(a.plan, b.plan);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].part, "nvidia-h100-pcie-80");
  EXPECT_EQ(parts[0].after - parts[0].before, 24);
  EXPECT_EQ(parts[1].part, "nvidia-l40s");
  EXPECT_EQ(parts[1].after - parts[1].before, -24);
}

// 6 servers; those of 'gpu' cost 95,000 with all that is in them, those of 'gpu2' 10,000 and 4 x 8,000 of cards; the
// adapters have no price.
TEST(Fitted, ThePriceOfAGroupIsOfTheWholeNode) {
  Planned p(spec(kTwoFits,
                 "prices:\n  currency: EUR\n  nodes: { gpu: 95 kEUR }\n  parts: { generic-2u-pcie4: 10 kEUR, "
                 "nvidia-l40s: 8 kEUR }\n"));
  const auto cost = cost_of(p.plan);
  ASSERT_TRUE(cost) << p.e.told();
  EXPECT_DOUBLE_EQ(cost->hardware, 4 * 95000 + 2 * 10000 + 8 * 8000);
  std::vector<std::string> unpriced;
  for (const CostLine& l : cost->lines)
    if (!l.priced()) unpriced.push_back(l.part);
  EXPECT_EQ(unpriced, std::vector<std::string>{"cx7-400-qsfp112"});
}

// 10 x 98.32 + 1 x 20 USD an hour x 8,760 h = 8,788,032 USD; without its price the virtual machine is listed.
TEST(Fitted, VirtualMachinesAreInTheRent) {
  const std::string nodes =
      "  gpu: { names: \"gpu[01-10]\", instance: aws-p5-48xlarge }\n  head: { names: head, virtual_machine: { cpus: "
      "16, memory: 64 GiB } }\n";
  Planned both(spec(nodes, "prices:\n  currency: USD\n  nodes: { gpu: 98.32 USD/h, head: 20 USD/h }\n",
                    "{ kind: cloud, provider: aws }"));
  const auto cost = cost_of(both.plan);
  ASSERT_TRUE(cost) << both.e.told();
  EXPECT_NEAR(cost->rent, 8788032, 1e-3);
  EXPECT_EQ(cost->unpriced, 0);
  Planned one(spec(nodes,
                   "prices:\n  currency: USD\n  nodes: { gpu: 98.32 USD/h }\n  kinds: { instance: 98.32 USD/h }\n",
                   "{ kind: cloud, provider: aws }"));
  const auto less = cost_of(one.plan);
  ASSERT_TRUE(less);
  EXPECT_NEAR(less->rent, 8612832, 1e-3);  // 983.2 x 8,760: the price of an instance is none of a virtual machine
  EXPECT_EQ(less->unpriced, 1);
}

// On hosts of one's own a virtual machine is no purchase.
TEST(Fitted, AVirtualMachineOfOnesOwnIsNotBought) {
  Planned p(spec("  head: { names: head, virtual_machine: { cpus: 16, memory: 64 GiB } }\n"));
  EXPECT_TRUE(bill_rows(p.plan).empty());
}

}  // namespace
}  // namespace clusterc
