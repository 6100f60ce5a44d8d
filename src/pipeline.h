// The whole flow on one page: text -> Document -> Spec -> Cluster -> Plan -> expected figures -> System -> findings.
// Each stage is a pure function of the one before; a stage that could not be made leaves the later ones empty, and says
// so in the findings.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "catalog/catalog.h"
#include "compile/site_templates.h"
#include "diag/finding.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "spec/edition.h"
#include "spec/override.h"
#include "spec/spec.h"
#include "system/system.h"
#include "targets/targets.h"
#include "yaml/document.h"

namespace clusterc {

enum class Stage { loaded, read, resolved, planned, checked };

struct Run {
  Sources sources;
  Findings findings;
  std::unique_ptr<Catalog> catalog;  // before the cluster: its parts are pointed at
  std::optional<Document> document;
  std::unique_ptr<Cluster> cluster;
  std::optional<Plan> plan;
  std::optional<ExpectedFigures> expected;
  std::optional<Inventory> inventory;      // where the spec names one that can be read
  std::optional<SiteTemplates> templates;  // where the spec names a folder of them that can be read
  std::optional<System> system;            // behind the plan
  bool outputs_judged = false;             // only where the rules find no error
  std::string spec_digest;                 // sha256 over the spec and every file that it names
  std::string unreadable;                  // why nothing could be judged; empty: it could
};

struct RunOptions {
  std::size_t max_bytes = 64u << 20;           // --max-bytes: for huge specs of one's own
  std::optional<Date> today;                   // acceptances expire against this day; not given: they never do
  std::optional<Edition> edition;              // of the rule book, in place of the one that the spec names
  std::vector<SpecOverride> overrides;         // set in the spec when it was read (spec/override.h)
  std::optional<std::string> folder;           // where paths in the spec begin; not given: the folder of the spec
  std::set<std::string, std::less<>> outputs;  // whose findings are asked for, ids; empty: all that the spec calls for
  bool all_cables = false;  // the cables of every fabric are going to be asked for: the rules take them from there,
                            // instead of choosing those in doubt before
  bool from_stdin = false;  // the text was read from standard input
  std::string stdin_text;
};

// Goes as far as `until` and as far as it can. Never throws for bad input.
std::unique_ptr<Run> run_pipeline(const std::string& path, Stage until, const RunOptions&);

}  // namespace clusterc
