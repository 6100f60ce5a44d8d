// What `clusterc diff` says of two specs, as text, as Markdown for a pull request, and as data (format "clusterc-diff",
// version 1).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fields/differ.h"
#include "plan/diff.h"
#include "report/figures.h"

namespace clusterc {

struct FindingChange {
  std::string rule, message, before;  // before: the message that it had, of a finding whose numbers changed
  Severity severity = Severity::error;
  std::string file;  // where it is, of the later spec; of one that is gone in the earlier
  LineColumn at;
};

struct SpecDiff {
  std::string before_name, after_name;  // as the user named the files
  std::string before_digest, after_digest;
  std::vector<ValueChange> written;
  PlanDiff plan;
  PlanFigures before, after;
  std::vector<FindingChange> new_findings, gone_findings, changed_findings;
  // Compiled files that differ, by output; absent where one of the two has errors, for nothing is compiled then.
  std::optional<std::vector<ChangeList>> files;
  std::string why_no_files;
  bool same() const;
};

// Which findings are new, gone, or the same with other numbers.
struct ToldFindings {
  const Findings& findings;
  const Sources& sources;
};
void diff_findings(const ToldFindings& before, const ToldFindings& after, SpecDiff&);

// Of a plan alone: what to buy, and every list of objects. `priced_by`: prices of the parts; may be null.
// `once`: what is paid beside parts.
std::string plan_changes_text(const PlanDiff&, const Cost* priced_by, std::string_view indent = "",
                              const std::vector<NamedSum>& once = {});
void plan_changes_json(JsonWriter&, const PlanDiff&);  // members of an object that is open

std::string render_diff_text(const SpecDiff&);
std::string render_diff_markdown(const SpecDiff&);
std::string render_diff_json(const SpecDiff&);  // every object that the lists hold

}  // namespace clusterc
