// A feasibility rule: a constant that says what it is, and a function that compares. Rules never see YAML, never print,
// keep no state.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "diag/finding.h"
#include "spec/edition.h"

namespace clusterc {

struct Cluster;          // model/cluster.h
struct ExpectedFigures;  // targets/targets.h
struct Plan;             // plan/plan.h
struct Rule;

// A limit of policy, not of physics: a spec may set it otherwise (`thresholds:`).
struct Threshold {
  std::string_view means;              // "weight from which a device is heavy"
  double standard = 0;                 // in the SI unit of the dimension
  double least = 0, most = 0;          // what a spec may set (inclusive)
  std::optional<Dimension> dimension;  // none: a share or a plain number
  bool whole = false;                  // a count
  std::string text(double value) const;
};
struct SetThreshold {
  const Rule* rule = nullptr;
  double value = 0;
  SourceSpan span;
};

struct RuleInput {
  const Cluster& cluster;
  const Plan& plan;
  const ExpectedFigures& targets;
  const Sources& sources;
  Edition edition = kNewestEdition;               // that judges: a rule that a later one brought does not run
  std::span<const SetThreshold> thresholds = {};  // filled in by check_rules
  double threshold(const Rule&) const;            // what the spec set, else the rule's own
};

struct Rule {
  std::string_view id;    // power-rack-over-budget: names the bad thing, reads after "allow"
  std::string_view code;  // PWR-023, a second name
  Severity severity;
  bool physics = false;          // cannot be accepted
  std::string_view summary;      // one line
  std::string_view explanation;  // Markdown with the headings: What it checks, Why it matters, Formula (with the lines
                                 // Unit, Source, Error), Example, How to fix, When to accept
  void (*check)(const Rule&, const RuleInput&, Findings&);
  const Threshold* threshold = nullptr;
  Edition since = kFirstEdition;  // the edition that brought it; never changed afterwards
};

std::span<const Rule* const> all_rules();  // registry.cc, in the order users see
const Rule* find_rule(std::string_view id_or_code);
// Runs those of the input's edition, applies `thresholds:`.
void check_rules(const RuleInput&, Findings&, std::span<const Rule* const> rules = all_rules());

}  // namespace clusterc
