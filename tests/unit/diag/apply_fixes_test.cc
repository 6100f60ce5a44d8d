#include "diag/apply_fixes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clusterc {
namespace {

struct Text {
  std::string text;
  std::vector<Fix> fixes;
  Edit edit(std::uint32_t begin, std::uint32_t end, std::string with, FileId file = 0) {
    return {{file, begin, end}, std::move(with)};
  }
  Patched apply() const {
    std::vector<const Fix*> pointers;
    for (const Fix& f : fixes) pointers.push_back(&f);
    return apply_fixes(text, 0, pointers);
  }
};

TEST(ApplyFixes, PutsEditsInTheirPlacesWhateverTheirOrder) {
  Text t{"a: 1\nb: 2\nc: 3\n", {}};
  t.fixes = {
      {"", {t.edit(13, 14, "30")}}, {"", {t.edit(0, 1, "alpha"), t.edit(8, 9, "")}}, {"", {t.edit(5, 5, "# two\n")}}};
  const Patched p = t.apply();
  EXPECT_EQ(p.text, "alpha: 1\n# two\nb: \nc: 30\n");
  EXPECT_EQ(p.applied, (std::vector<bool>{true, true, true}));
  // By hand: in front of it 4 bytes more, then 6 more, then one less.
  EXPECT_EQ(p.moved(0), 0u);
  EXPECT_EQ(p.moved(2), 6u);
  EXPECT_EQ(p.moved(5), 15u);
  EXPECT_EQ(p.moved(10), 19u);
  EXPECT_EQ(p.moved(15), 25u);
}

TEST(ApplyFixes, AFixGoesInWholeOrNotAtAll) {
  Text t{"0123456789", {}};
  t.fixes = {{"first", {t.edit(2, 5, "x")}},
             {"meets it", {t.edit(8, 9, "y"), t.edit(4, 6, "z")}},
             {"touches it", {t.edit(5, 6, "t")}}};
  const Patched p = t.apply();
  EXPECT_EQ(p.text, "01xt6789");
  EXPECT_EQ(p.applied, (std::vector<bool>{true, false, true}));
}

TEST(ApplyFixes, WhatMeetsIsLeft) {
  for (const auto& [begin, end] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 2}, {3, 3}, {4, 4}, {0, 10}, {2, 5}, {1, 3}, {4, 9}}) {
    Text t{"0123456789", {}};
    t.fixes = {{"", {t.edit(2, 5, "x")}}, {"", {t.edit(begin, end, "y")}}};
    EXPECT_EQ(t.apply().text, "01x56789") << begin << " to " << end;
  }
  Text twice{"0123456789", {}};
  twice.fixes = {{"", {twice.edit(4, 4, "x")}}, {"", {twice.edit(4, 4, "y")}}};
  EXPECT_EQ(twice.apply().text, "0123x456789");
}

TEST(ApplyFixes, TheSameEditOfTwoFixesIsMadeOnce) {
  Text t{"power: 1 kw", {}};
  t.fixes = {{"", {t.edit(9, 11, "kW")}}, {"", {t.edit(9, 11, "kW")}}};
  const Patched p = t.apply();
  EXPECT_EQ(p.text, "power: 1 kW");
  EXPECT_EQ(p.applied, (std::vector<bool>{true, true}));
}

TEST(ApplyFixes, RefusesOtherFilesAndPlacesOutside) {
  Text t{"abc", {}};
  t.fixes = {{"", {t.edit(0, 1, "x", 1)}}, {"", {t.edit(2, 4, "x")}}, {"", {t.edit(2, 1, "x")}}, {"nothing", {}}};
  const Patched p = t.apply();
  EXPECT_EQ(p.text, "abc");
  EXPECT_EQ(p.applied, (std::vector<bool>{false, false, false, false}));
}

// The expected texts are what `diff -u` of GNU diffutils 3.8 prints, its two time stamps left out.
TEST(UnifiedDiff, ShowsWhatDiffShows) {
  EXPECT_EQ(unified_diff("x", "a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unified_diff("x", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- x\n+++ x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("x", "", "a\n"), "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("x", "a\n", ""), "--- x\n+++ x\n@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(unified_diff("x", "a\nb", "a\nc"),
            "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, KeepsFarChangesApartAndJoinsNearOnes) {
  std::string before, far, near;
  for (int i = 0; i < 20; ++i) {
    const std::string line = std::to_string(i) + "\n";
    before += line;
    far += i == 2 || i == 15 ? "x\n" : line;
    near += i == 2 || i == 9 ? "x\n" : line;
  }
  const auto hunks = [](const std::string& diff) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = diff.find("@@ -", at)) != diff.npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(hunks(unified_diff("x", before, far)), 2u);
  EXPECT_EQ(hunks(unified_diff("x", before, near)), 1u);
}

TEST(UnifiedDiff, AHostilePathStaysOnItsLine) {
  EXPECT_TRUE(
      unified_diff("a\n+++ b\"", "1\n", "2\n").starts_with("--- \"a\\012+++ b\\\"\"\n+++ \"a\\012+++ b\\\"\"\n@@"));
}

TEST(UnifiedDiff, TooManyChangesAreShownAsOne) {
  std::string before, after;
  for (int i = 0; i < 4000; ++i) before += "a" + std::to_string(i) + "\n", after += "b" + std::to_string(i) + "\n";
  const std::string diff = unified_diff("x", before, after);
  EXPECT_TRUE(diff.starts_with("--- x\n+++ x\n@@ -1,4000 +1,4000 @@\n-a0\n-a1\n"));
}

}  // namespace
}  // namespace clusterc
