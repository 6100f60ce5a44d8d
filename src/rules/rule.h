// A feasibility rule: a constant that says what it is, and a function that compares. Rules never see YAML, never print, keep no state.
#pragma once
#include <span>
#include <string_view>

#include "diag/finding.h"
#include "plan/plan.h"
#include "targets/targets.h"

namespace clusterc {

struct RuleInput {
  const Cluster& cluster;
  const Plan& plan;
  const ExpectedFigures& targets;
  const Sources& sources;
};

struct Rule {
  std::string_view id;           // power-rack-over-budget: names the bad thing, reads after "allow"
  std::string_view code;         // PWR-023, a second name
  Severity severity;
  bool physics = false;          // cannot be accepted
  std::string_view summary;      // one line
  std::string_view explanation;  // Markdown with the headings: What it checks, Why it matters, Formula, Example, How to fix, When to accept
  void (*check)(const Rule&, const RuleInput&, Findings&);
};

std::span<const Rule* const> all_rules();                     // registry.cc, in the order users see
const Rule* find_rule(std::string_view id_or_code);
void check_rules(const RuleInput&, Findings&);                // runs them all, applies `severity:`
// Marks accepted findings (rule and place), reports unused or expired acceptances (`today` given by the caller: rules know no clock).
void apply_acceptances(const Spec&, const Date* today, Findings&);

}  // namespace clusterc
