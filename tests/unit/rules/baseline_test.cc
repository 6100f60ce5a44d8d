#include "rules/baseline.h"

#include <gtest/gtest.h>

#include <string>

namespace clusterc {
namespace {

struct Case {
  Sources sources;
  Findings findings;
  FileId spec = sources.add("specs/lab.yaml", "a: 1\nb: 2\nc: 3\n");
  Finding& add(Severity severity, std::string rule, std::uint32_t at, std::string path,
               std::vector<std::string> objects = {}) {
    Finding& f = findings.add(severity, rule, {spec, at, at + 1}, rule + " at " + path);
    f.key_path = std::move(path);
    f.objects = std::move(objects);
    return f;
  }
  std::string write() const {
    return baseline_text(nullptr, {{"lab.yaml", adopt("specs/base.yaml", spec, sources, findings).entries}});
  }
  // Applies a baseline; gives what still counts, as "rule severity" each.
  std::vector<std::string> apply(const std::string& text) {
    const FileId file = sources.add("specs/base.yaml", text);
    const auto baseline = read_baseline(sources, file, findings);
    if (baseline) apply_baseline(*baseline, "specs/base.yaml", "lab.yaml", spec, sources, findings);
    std::vector<std::string> left;
    for (const Finding& f : findings.all())
      if (f.counts()) left.push_back(f.rule + " " + std::string(severity_name(f.severity)));
    return left;
  }
};
using Left = std::vector<std::string>;

TEST(Baseline, SetsAsideWhatItKnowsWhereverTheLineIsNow) {
  Case old;
  old.add(Severity::error, "net-x", 0, "networks.lan.rate", {"network/lan"});
  old.add(Severity::warning, "rack-y", 5, "racks.r", {"rack/r2", "rack/r10"});
  const std::string text = old.write();
  EXPECT_NE(text.find("clusterc-baseline: 1\n"), std::string::npos) << text;

  Case now;
  now.add(Severity::error, "net-x", 10, "networks.lan.rate", {"network/lan"});  // another line
  now.add(Severity::warning, "rack-y", 5, "racks.r", {"rack/r10", "rack/r2"});  // another order
  EXPECT_EQ(now.apply(text), Left{});
}

TEST(Baseline, WhatIsNewCounts) {
  Case old;
  old.add(Severity::warning, "net-x", 0, "networks.lan.rate");
  const std::string text = old.write();
  Case now;
  now.add(Severity::warning, "net-x", 0, "networks.lan.rate");
  now.add(Severity::warning, "net-x", 0, "networks.lan.rate");  // a second one of the same
  now.add(Severity::warning, "net-x", 0, "networks.wan.rate");  // another place
  now.add(Severity::warning, "net-z", 0, "networks.lan.rate");  // another rule
  EXPECT_EQ(now.apply(text), (Left{"net-x warning", "net-x warning", "net-z warning"}));

  Case objects;
  objects.add(Severity::warning, "net-x", 0, "networks.lan.rate", {"network/lan"});  // about something else
  EXPECT_EQ(objects.apply(text), (Left{"net-x warning", "baseline-entry-unmet warning"}));
}

TEST(Baseline, WhatHasBecomeWorseIsNew) {
  Case old;
  old.add(Severity::warning, "net-x", 0, "a");
  Case now;
  now.add(Severity::error, "net-x", 0, "a");
  EXPECT_EQ(now.apply(old.write()), (Left{"net-x error", "baseline-entry-unmet warning"}));
  Case error;
  error.add(Severity::error, "net-x", 0, "a");
  Case milder;
  milder.add(Severity::warning, "net-x", 0, "a");
  EXPECT_EQ(milder.apply(error.write()), Left{});
}

TEST(Baseline, EntriesThatAreMetNoMoreAreToldWithTheirPlace) {
  Case old;
  old.add(Severity::warning, "net-x", 0, "a");
  old.add(Severity::warning, "net-x", 0, "a");
  Case now;
  now.add(Severity::warning, "net-x", 0, "a");
  EXPECT_EQ(now.apply(old.write()), Left{"baseline-entry-unmet warning"});
  const Finding& f = now.findings.all().back();
  EXPECT_EQ(f.message, "the baseline has 2 of 'net-x' at 'a', but the check has 1");
  EXPECT_EQ(now.sources.text(f.span), "net-x");
}

// What is against physics cannot be accepted, so it cannot be set aside either; what the loader could not read was not
// judged.
TEST(Baseline, NeverHoldsPhysicsOrErrorsOfTheLoader) {
  Case old;
  old.add(Severity::error, "power-x", 0, "a").physics = true;
  old.add(Severity::error, "spec-unknown-key", 0, "b");
  old.add(Severity::warning, "spec-acceptance-unused", 0, "c");
  old.add(Severity::note, "net-x", 0, "d");
  const Adopted adopted = adopt("specs/base.yaml", old.spec, old.sources, old.findings);
  EXPECT_EQ(adopted.entries.size(), 1u);
  EXPECT_EQ(adopted.findings, 1u);
  EXPECT_EQ(adopted.left_out, 2u);
  // Written by hand all the same, they are not met.
  const std::string by_hand =
      "clusterc-baseline: 1\nspecs:\n  lab.yaml:\n    - { rule: power-x, severity: error, at: a }\n    - { rule: "
      "spec-unknown-key, severity: error, at: b }\n";
  EXPECT_EQ(old.apply(by_hand), (Left{"power-x error", "spec-unknown-key error", "spec-acceptance-unused warning",
                                      "net-x note", "baseline-entry-unmet warning", "baseline-entry-unmet warning"}));
}

TEST(Baseline, LongListsOfObjectsAreToldByTheirDigest) {
  std::vector<std::string> racks;
  for (int i = 0; i < 400; ++i) racks.push_back("rack/r" + std::to_string(i));
  Case old;
  old.add(Severity::error, "rack-x", 0, "racks", racks);
  const std::string text = old.write();
  EXPECT_LT(text.size(), 500u);
  Case same;
  same.add(Severity::error, "rack-x", 0, "racks", racks);
  EXPECT_EQ(same.apply(text), Left{});
  racks.push_back("rack/r400");
  Case more;
  more.add(Severity::error, "rack-x", 0, "racks", racks);
  EXPECT_EQ(more.apply(text), (Left{"rack-x error", "baseline-entry-unmet warning"}));
}

TEST(Baseline, OtherSpecsOfTheFileStay) {
  Case one;
  one.add(Severity::warning, "net-x", 0, "a");
  const std::string first =
      baseline_text(nullptr, {{"one.yaml", adopt("b", one.spec, one.sources, one.findings).entries}});
  Sources sources;
  Findings findings;
  const auto old = read_baseline(sources, sources.add("b", first), findings);
  ASSERT_TRUE(old);
  const std::string both =
      baseline_text(&*old, {{"two.yaml", adopt("b", one.spec, one.sources, one.findings).entries}});
  EXPECT_NE(both.find("one.yaml:"), std::string::npos);
  EXPECT_NE(both.find("two.yaml:"), std::string::npos);
  const auto again = read_baseline(sources, sources.add("b2", both), findings);
  ASSERT_TRUE(again);
  EXPECT_EQ(baseline_text(&*again, {}), both);
  EXPECT_TRUE(findings.empty());
}

TEST(Baseline, RefusesWhatItIsNot) {
  for (const std::string text : {"clusterc: 1\n", "- 1\n", "clusterc-baseline: 2\n",
                                 "clusterc-baseline: 1\nspecs: { a: [ { rule: x } ] }\n", "{"}) {
    Sources sources;
    Findings findings;
    EXPECT_FALSE(read_baseline(sources, sources.add("b", text), findings)) << text;
    EXPECT_GT(findings.count(Severity::error), 0u) << text;
  }
}

}  // namespace
}  // namespace clusterc
