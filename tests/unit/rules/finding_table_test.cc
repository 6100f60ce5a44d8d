#include "rules/finding_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "diag/finding.h"
#include "rules/acceptances.h"
#include "rules/rule.h"
#include "rules/severities.h"
#include "spec/judgement.h"
#include "spec/sections.h"
#include "spec/spec.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

SourceSpan at(std::uint32_t begin, std::uint32_t end) { return {0, begin, end}; }

// A spec whose key `name` stands at 10 to 20, with one entry of `accept` for it.
Spec accepting(std::string_view id) {
  Spec spec;
  spec.name = Value<std::string>("x", at(10, 20), Origin::spec);
  Acceptance a;
  a.rule = Value<std::string>(std::string(id), at(30, 31), Origin::spec);
  a.at = Value<std::string>("name", at(32, 33), Origin::spec);
  a.reason = Value<std::string>("because", at(34, 35), Origin::spec);
  a.until = Value<Date>(Date{2027, 1, 1}, at(36, 37), Origin::spec);
  a.span = at(29, 38);
  spec.accept.push_back(std::move(a));
  return spec;
}

Sources one_source() {
  Sources sources;
  sources.add("x.yaml", std::string(60, ' '));
  return sources;
}

TEST(FindingTable, IdsAndCodesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const FindingKind& kind : all_finding_kinds()) {
    EXPECT_TRUE(names.insert(kind.id).second) << kind.id;
    EXPECT_EQ(find_finding_kind(kind.id), &kind);
    EXPECT_FALSE(kind.summary.empty()) << kind.id;
    EXPECT_FALSE(kind.summary.ends_with('.')) << kind.id;
    EXPECT_FALSE(kind.reporter.empty()) << kind.id;
    if (!kind.code.empty()) {
      EXPECT_TRUE(names.insert(kind.code).second) << kind.code;
      EXPECT_EQ(find_finding_kind(kind.code), &kind);
      EXPECT_FALSE(kind.explanation.empty()) << kind.id;
    }
  }
  EXPECT_EQ(find_finding_kind(""), nullptr);
  EXPECT_EQ(find_finding_kind("power"), nullptr);
}

// Nothing that is a warning or a note at most may be beyond acceptance, but what the entry itself is about, and what is
// found in files that are no specs: they have no place for an acceptance.
TEST(FindingTable, OnlyErrorsMustBeMended) {
  for (const FindingKind& kind : all_finding_kinds()) {
    if (kind.severity == Severity::error || kind.standing == Standing::acceptable) continue;
    EXPECT_TRUE(kind.id.starts_with("spec-acceptance-") || kind.id == "spec-more-findings" ||
                kind.id == "baseline-entry-unmet" || kind.id.starts_with("file-"))
        << kind.id;
  }
}

TEST(Acceptances, TakeEveryFindingThatIsNotPhysicsAndCanBeCompiled) {
  for (const FindingKind& kind : all_finding_kinds()) {
    const Sources sources = one_source();
    const Spec spec = accepting(kind.id);
    Findings findings;
    findings.add(kind.severity, kind.id, at(12, 14), "said").physics =
        kind.standing == Standing::physics && kind.severity == Severity::error;  // as check_rules sets it
    Acceptances acceptances(spec, sources, nullptr, findings);
    acceptances.apply(findings);
    acceptances.apply(findings);  // a second time changes nothing
    const bool taken = kind.standing == Standing::acceptable ||
                       (kind.standing == Standing::must_mend && kind.severity != Severity::error);
    EXPECT_EQ(findings.all().front().accepted.has_value(), taken) << kind.id;
    EXPECT_EQ(findings.all().size(), taken ? 1U : 2U) << kind.id;
    if (!taken) {
      EXPECT_EQ(findings.all().back().rule, "spec-physics-accepted") << kind.id;
    }
    EXPECT_EQ(why_not_accepted(kind).empty(), kind.standing == Standing::acceptable) << kind.id;
  }
}

TEST(Acceptances, TakeAFindingThatRestsOnAnUnconfirmedFact) {
  const Sources sources = one_source();
  const Spec spec = accepting("power-cord-over-outlet-rating");  // against physics, where its facts are confirmed
  Findings findings;
  findings.error("power-cord-over-outlet-rating", at(12, 14), "said").unconfirmed = true;
  Acceptances acceptances(spec, sources, nullptr, findings);
  acceptances.apply(findings);
  EXPECT_TRUE(findings.all().front().accepted.has_value());
  EXPECT_EQ(findings.all().size(), 1U);
}

TEST(Acceptances, HoldForTheirPlaceAlone) {
  const Sources sources = one_source();
  const Spec spec = accepting("ha-unmade");
  Findings findings;
  findings.note("ha-unmade", at(21, 22), "elsewhere");
  findings.note("team-users-unmade", at(12, 14), "another id");
  Acceptances acceptances(spec, sources, nullptr, findings);
  acceptances.apply(findings);
  for (const Finding& f : findings.all()) EXPECT_FALSE(f.accepted) << f.message;
  acceptances.report_unused(false, findings);  // the stage that reports it did not run
  EXPECT_EQ(findings.all().size(), 2U);
  acceptances.report_unused(true, findings);
  ASSERT_EQ(findings.all().size(), 3U);
  EXPECT_EQ(findings.all().back().rule, "spec-acceptance-unused");
}

// What is really there is judged by `audit` alone: `check` does not call its entry unused.
TEST(Acceptances, OfAnAuditAreNotCalledUnused) {
  const Sources sources = one_source();
  const Spec spec = accepting("audit-link-slow");
  Findings findings;
  Acceptances acceptances(spec, sources, nullptr, findings);
  acceptances.apply(findings);
  acceptances.report_unused(true, findings);
  EXPECT_TRUE(findings.empty());
}

TEST(Severities, RaiseEveryFindingAndLowerNone) {
  for (const FindingKind& kind : all_finding_kinds()) {
    Spec spec;
    spec.severity.entries.push_back(
        {std::string(kind.id), at(1, 2), Value<std::string>("error", at(3, 4), Origin::spec)});
    Findings findings;
    findings.add(kind.severity, kind.id, at(12, 14), "said");
    raise_severities(read_severities(spec, findings), findings);
    ASSERT_EQ(findings.all().size(), 1U) << kind.id;
    EXPECT_EQ(findings.all().front().severity, Severity::error) << kind.id;

    spec.severity.entries.front().value = Value<std::string>("warning", at(3, 4), Origin::spec);
    Findings lowered;
    read_severities(spec, lowered);
    EXPECT_EQ(lowered.all().size(), kind.severity == Severity::error ? 1U : 0U) << kind.id;
  }
}

}  // namespace
}  // namespace clusterc
