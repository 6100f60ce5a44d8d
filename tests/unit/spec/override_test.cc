#include "spec/override.h"

#include <gtest/gtest.h>

#include "diag/finding.h"
#include "spec/network.h"
#include "spec/sections.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

std::string resized(const char* text, std::int64_t count) {
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(text, error);
  EXPECT_TRUE(pattern) << text;
  const std::string out = resized_pattern(*pattern, count, "gpu");
  const auto again = HostPattern::parse(out, error);
  EXPECT_TRUE(again) << out << ": " << error.message;
  if (again) {
    EXPECT_EQ(again->count(), count) << out;
    // The first names are the same: nobody is renamed.
    for (std::int64_t i = 0; i < std::min(count, pattern->count()); ++i)
      EXPECT_EQ(again->name(i), pattern->name(i)) << out;
  }
  return out;
}

TEST(Override, ContinuesNames) {
  EXPECT_EQ(resized("gpu[001-127]", 200), "gpu[001-200]");
  EXPECT_EQ(resized("gpu[001-127]", 2000), "gpu[001-2000]");
  EXPECT_EQ(resized("gpu[001-127]", 32), "gpu[001-032]");
  EXPECT_EQ(resized("gpu[001-127]", 1), "gpu[001-001]");
  EXPECT_EQ(resized("n[1-4,7]", 8), "n[1-4,7-10]");
  EXPECT_EQ(resized("n[1-4,7]", 3), "n[1-3]");
  EXPECT_EQ(resized("n7", 3), "n7,gpu-more[1-2]");
  EXPECT_EQ(resized("h[1-2]n[01-16]", 40), "h[1-2]n[01-16],gpu-more[1-8]");
  EXPECT_EQ(resized("h[1-2]n[01-16]", 18), "h1n[01-16],h2n[01-02]");
  EXPECT_EQ(resized("n[3]x", 2), "n[3-4]x");
}

TEST(Override, SplitsAtCommasOutsideOfBrackets) {
  std::string error;
  const auto all = parse_overrides(
      "nodes.gpu=64, networks.compute.tiers={spine: a, leaf: b},racks.r.names=\"r[1-2],s[1-2]\"", error);
  ASSERT_TRUE(all) << error;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].path, "nodes.gpu");
  EXPECT_EQ((*all)[0].value, "64");
  EXPECT_EQ((*all)[1].value, "{spine: a, leaf: b}");
  EXPECT_EQ((*all)[2].value, "\"r[1-2],s[1-2]\"");
  for (const char* bad : {"", "nodes.gpu", "=5", ".a=1", "a.=1", "a..b=1", "a b=1", "a=1,,b=2", "a=1,"})
    EXPECT_FALSE(parse_overrides(bad, error)) << bad;
}

constexpr const char* kSpec = R"(clusterc: 1
rules: 2026.11
name: case
site: { kind: cloud, provider: local }
nodes:
  gpu: { names: "n[1-4]", server: { units: 2, power: 1 kW } }
networks:
  lan: { kind: ethernet, rate: 25 Gb/s, switch: nvidia-sn4600c, oversubscription: 3, carries: [compute, storage], connects: { gpu: 1 } }
)";

struct Changed {
  Sources sources;
  Findings findings;
  std::optional<Spec> spec;
  explicit Changed(std::string_view text) {
    const FileId file = sources.add("spec.yaml", kSpec);
    const auto document = parse_yaml(sources, file, findings);
    std::string error;
    const auto all = parse_overrides(text, error);
    EXPECT_TRUE(all) << error;
    spec = read_spec(*document, sources, findings, [&](Spec& s) { apply_overrides(*all, sources, findings, s); });
  }
};

TEST(Override, SetsValuesListsAndSections) {
  Changed c(
      "nodes.gpu=64,networks.lan.oversubscription=2,networks.lan.carries=[oob],networks.lan.connects.gpu={ports: data, "
      "count: 2},name=other");
  ASSERT_TRUE(c.spec);
  EXPECT_EQ(c.findings.count(Severity::error), 0u);
  EXPECT_EQ(*c.spec->nodes.find("gpu")->value.names, "n[1-64]");
  const Network& lan = c.spec->networks.find("lan")->value;
  EXPECT_EQ(*lan.oversubscription, 2);
  ASSERT_EQ(lan.carries.size(), 1u);
  EXPECT_EQ(*lan.carries[0], Traffic::oob);
  EXPECT_EQ(*lan.connects.groups.find("gpu")->value.count, 2);
  EXPECT_EQ(*c.spec->name, "other");
}

TEST(Override, TakesAwayWithAnEmptyValueAndOneWayDisplacesAnother) {
  Changed c("networks.lan.oversubscription=,nodes.gpu.model=nvidia-dgx-h100");
  ASSERT_TRUE(c.spec);
  EXPECT_EQ(c.findings.count(Severity::error), 0u);
  EXPECT_EQ(*c.spec->networks.find("lan")->value.oversubscription, 1);  // the default of the language
  EXPECT_EQ(c.spec->networks.find("lan")->value.oversubscription.origin, Origin::standard);
  EXPECT_FALSE(c.spec->nodes.find("gpu")->value.server);
}

TEST(Override, SaysWhatIsWrong) {
  for (const char* text :
       {"nodes.gpux.model=a", "nodez.gpu=4", "nodes.gpu.modell=a", "nodes.gpu=0", "nodes.gpu=1000000000",
        "nodes.gpu=99999999999999999999", "networks.lan.oversubscription=-4", "networks.lan.rate=5",
        "networks.lan.rate.x=5", "networks.lan.carries.7=oob", "networks.lan.connects={", "prices.currency=EUR"}) {
    Changed c(text);
    EXPECT_GT(c.findings.count(Severity::error), 0u) << text;
  }
}

}  // namespace
}  // namespace clusterc
