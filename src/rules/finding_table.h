// Every id that a finding can have, whoever reports it: a rule, a reader, the view of the deployed cluster, an output.
// `accept`, `severity`, `explain`, SARIF, the editor and the documents read this table.
#pragma once
#include <span>
#include <string_view>

#include "diag/finding.h"

namespace clusterc {

enum class Standing {
  acceptable,  // `accept` takes it, by place, with a reason and a date
  physics,     // against physics or the rating of a part: never
  must_mend    // its errors name what cannot be read, or what no program would take: never
};

struct FindingKind {
  std::string_view id;        // "power-rack-over-budget"
  std::string_view code;      // "PWR-023"; of rules alone
  Severity severity;          // the gravest that it is reported with: `severity` can raise it, never lower it
  std::string_view reporter;  // "the rule book", "the spec reader", "output slurm"
  Standing standing;
  std::string_view summary;      // one line, no full stop
  std::string_view explanation;  // the page of a rule; empty for others
};

// Of findings about what is really there: `check` and `compile` never have them.
inline constexpr std::string_view kAuditReporter = "`audit`";

std::span<const FindingKind> all_finding_kinds();  // the rules in the order users see, then the others by id
const FindingKind* find_finding_kind(std::string_view id_or_code);
// Whether it is said of what is compiled: of the deployed cluster or by an output.
bool is_of_outputs(const FindingKind&);
// Why `accept` refuses it ("it is against physics or the rating of a part"); empty where it does not.
std::string_view why_not_accepted(const FindingKind&);

}  // namespace clusterc
