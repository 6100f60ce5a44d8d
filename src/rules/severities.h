// `severity:` of a spec: ids of findings that it makes graver than the table of findings does.
#pragma once
#include <vector>

#include "rules/finding_table.h"

namespace clusterc {

struct Spec;

struct RaisedSeverity {
  const FindingKind* kind = nullptr;
  Severity to = Severity::error;
};

// Reports unknown ids, and severities below the table's.
std::vector<RaisedSeverity> read_severities(const Spec&, Findings&);
// Raises what is found so far; a second call changes nothing. A finding below the severity of its kind says that
// something could not be checked, or is the milder half of it: it stays what it is.
void raise_severities(const std::vector<RaisedSeverity>&, Findings&);

// "no finding is named 'x'", with the nearest id.
void report_unknown_id(std::string_view name, SourceSpan at, Findings&);

}  // namespace clusterc
