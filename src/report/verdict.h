// The verdict that a document of the plan begins with: whether the cluster can be built, and what stands against it.
#pragma once
#include <string>

#include "diag/finding.h"

namespace clusterc {

class JsonWriter;

struct PlanVerdict {
  const Findings& findings;
  const Sources& sources;
  bool buildable() const { return findings.count(Severity::error) == 0; }
};

// "NOT BUILDABLE: 2 errors, 1 warning", then the errors and warnings, a line each, by their lines in the spec: the path
// depends on who calls. Then an empty line.
std::string render_verdict_text(const PlanVerdict&);
std::string render_verdict_markdown(const PlanVerdict&);
void write_verdict(JsonWriter&, const PlanVerdict&);  // "verdict": { … }

}  // namespace clusterc
