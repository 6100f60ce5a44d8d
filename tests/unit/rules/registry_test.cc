#include <gtest/gtest.h>

#include <set>
#include <string>

#include "rules/rule.h"

namespace clusterc {
namespace {

TEST(RulesRegistry, IdsAndCodesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(names.insert(rule->id).second) << rule->id;
    EXPECT_TRUE(names.insert(rule->code).second) << rule->code;
    EXPECT_EQ(find_rule(rule->id), rule);
    EXPECT_EQ(find_rule(rule->code), rule);
  }
  EXPECT_EQ(find_rule("power"), nullptr);
}

TEST(RulesRegistry, EveryExplanationHasTheSameHeadings) {
  for (const Rule* rule : all_rules()) {
    std::size_t from = 0;
    for (const std::string_view heading : {"## What it checks\n", "## Why it matters\n", "## Formula\n", "## Example\n",
                                           "## How to fix\n", "## When to accept\n"}) {
      const std::size_t at = rule->explanation.find(heading, from);
      ASSERT_NE(at, std::string_view::npos) << rule->id << ": " << heading;
      from = at + heading.size();
      EXPECT_GT(rule->explanation.find("## ", from), from + 20) << rule->id << ": nothing is said under " << heading;
    }
    EXPECT_NE(rule->explanation.find("Source: "), std::string_view::npos) << rule->id;
    EXPECT_FALSE(rule->summary.empty());
    EXPECT_FALSE(rule->summary.ends_with('.')) << rule->id;
  }
}

// What cannot be accepted says so, and what can says when.
TEST(RulesRegistry, PhysicsIsNeverAccepted) {
  for (const Rule* rule : all_rules()) {
    const std::string_view accept = rule->explanation.substr(rule->explanation.find("## When to accept\n\n") + 19);
    EXPECT_EQ(rule->physics, accept.starts_with("Never")) << rule->id;
    if (rule->physics) {
      EXPECT_EQ(rule->severity, Severity::error) << rule->id;
    }
  }
}

}  // namespace
}  // namespace clusterc
