// An upgrade adds no errors to an old edition: rules that a later one brought do not run, whatever they would say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "plan/plan.h"
#include "rules/rule.h"
#include "targets/targets.h"

namespace clusterc {
namespace {

void speak(const Rule& rule, const RuleInput& in, Findings& findings) {
  findings.error(rule.id, {}, rule.threshold ? rule.threshold->text(in.threshold(rule)) : "said");
}

constexpr Threshold kWeight{.means = "weight", .standard = 50, .least = 5, .most = 500, .dimension = Dimension::mass};
const Rule kOld{.id = "net-old",
                .code = "X-1",
                .severity = Severity::error,
                .summary = "",
                .explanation = "",
                .check = speak,
                .since = {2026, 11}};
const Rule kNew{.id = "net-new",
                .code = "X-2",
                .severity = Severity::error,
                .summary = "",
                .explanation = "",
                .check = speak,
                .since = {2027, 5}};
const Rule kWithLimit{.id = "net-limit",
                      .code = "X-3",
                      .severity = Severity::error,
                      .summary = "",
                      .explanation = "",
                      .check = speak,
                      .threshold = &kWeight};

std::vector<std::string> said(Edition edition) {
  const Cluster cluster;
  const Plan plan;
  const ExpectedFigures figures;
  const Sources sources;
  Findings findings;
  const std::array<const Rule*, 3> rules{&kOld, &kNew, &kWithLimit};
  check_rules({cluster, plan, figures, sources, edition}, findings, rules);
  std::vector<std::string> ids;
  for (const Finding& f : findings.all()) ids.push_back(f.rule + ": " + f.message);
  return ids;
}

TEST(Editions, ALaterRuleIsSilentInAnOlderEdition) {
  EXPECT_EQ(said({2026, 11}), (std::vector<std::string>{"net-old: said", "net-limit: 50 kg"}));
  EXPECT_EQ(said({2027, 4}), (std::vector<std::string>{"net-old: said", "net-limit: 50 kg"}));
  EXPECT_EQ(said({2027, 5}), (std::vector<std::string>{"net-old: said", "net-new: said", "net-limit: 50 kg"}));
}

TEST(Editions, EveryRuleCameWithAnEditionThatExists) {
  EXPECT_TRUE(std::ranges::is_sorted(kEditions));
  EXPECT_EQ(find_edition("2026.11"), kFirstEdition);
  EXPECT_EQ(find_edition("2026.1"), std::nullopt);
  EXPECT_EQ(find_edition("newest"), std::nullopt);
  for (const Rule* rule : all_rules())
    EXPECT_NE(std::ranges::find(kEditions, rule->since), kEditions.end()) << rule->id;
}

// What physics or a rating decides has no limit that could be set; a limit's own value lies in what may be set.
TEST(Thresholds, AreOfPolicyOnly) {
  std::size_t count = 0;
  for (const Rule* rule : all_rules()) {
    if (!rule->threshold) continue;
    ++count;
    EXPECT_FALSE(rule->physics) << rule->id;
    EXPECT_LE(rule->threshold->least, rule->threshold->standard) << rule->id;
    EXPECT_GE(rule->threshold->most, rule->threshold->standard) << rule->id;
    EXPECT_FALSE(rule->threshold->means.empty()) << rule->id;
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace clusterc
