#include "diag/finding.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

TEST(Findings, SortByPlaceThenSeverityThenRule) {
  Sources sources;
  const FileId a = sources.add("a.yaml", "0123456789"), b = sources.add("b.yaml", "0123456789");
  Findings findings;
  findings.error("r", {}, "no place");
  findings.error("r", {b, 0, 1}, "second file");
  findings.warning("a", {a, 5, 6}, "warning");
  findings.error("z", {a, 5, 6}, "error z");
  findings.error("b", {a, 5, 6}, "error b");
  findings.note("r", {a, 1, 2}, "early note");
  findings.error("b", {a, 5, 6}, "error b again");
  findings.sort(sources);
  std::vector<std::string> order;
  for (const Finding& finding : findings.all()) order.push_back(finding.message);
  EXPECT_EQ(order, (std::vector<std::string>{"early note", "error b", "error b again", "error z", "warning",
                                             "second file", "no place"}));
}

TEST(Findings, AcceptedOnesAreNotCounted) {
  Findings findings;
  findings.error("a", {}, "one").accepted = "agreed with the site on 2026-11-02";
  findings.error("a", {}, "two");
  findings.warning("b", {}, "three");
  EXPECT_EQ(findings.count(Severity::error), 1u);
  EXPECT_EQ(findings.count(Severity::warning), 1u);
  EXPECT_EQ(findings.count(Severity::note), 0u);
}

TEST(Findings, ReferencesStayValidWhileOthersAreAdded) {
  Findings findings;
  Finding& first = findings.error("a", {}, "first");
  for (int i = 0; i < 1000; ++i) findings.error("b", {}, "more");
  first.label("late");
  EXPECT_EQ(findings.all().front().caret, "late");
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string_view> known = {"nodes", "networks", "racks", "feed", "feeds", "max-power"};
  EXPECT_EQ(nearest_name("nodse", known), "nodes") << "two neighbours swapped";
  EXPECT_EQ(nearest_name("network", known), "networks");
  EXPECT_EQ(nearest_name("Racks", known), "racks") << "case is no difference";
  EXPECT_EQ(nearest_name("max_power", known), "max-power");
  EXPECT_EQ(nearest_name("feedd", known), "feed") << "as near as 'feeds', and first";
  EXPECT_EQ(nearest_name("rack", known), "racks");
  EXPECT_EQ(nearest_name("storage", known), std::nullopt);
  EXPECT_EQ(nearest_name("", known), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"y"}), std::nullopt) << "nothing in common";
  EXPECT_EQ(nearest_name(std::string(100000, 'n'), known), std::nullopt);
}

}  // namespace
}  // namespace clusterc
