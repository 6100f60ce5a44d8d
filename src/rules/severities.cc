#include "rules/severities.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "diag/near.h"
#include "spec/spec.h"

namespace clusterc {
namespace {

// What `severity` takes: the spec reader reports everything else.
std::optional<Severity> severity_of(std::string_view word) {
  for (const Severity s : {Severity::warning, Severity::error})
    if (severity_name(s) == word) return s;
  return std::nullopt;
}

}  // namespace

void report_unknown_id(std::string_view name, SourceSpan at, Findings& findings) {
  std::vector<std::string_view> ids;
  for (const FindingKind& kind : all_finding_kinds()) ids.push_back(kind.id);
  Finding& f = findings.error("spec-unknown-rule", at, format("no finding is named '{}'", name));
  suggest(f, at, name, ids);
  if (f.helps.empty()) f.help("'clusterc explain' lists them");
}

std::vector<RaisedSeverity> read_severities(const Spec& spec, Findings& findings) {
  std::vector<RaisedSeverity> raised;
  for (const auto& entry : spec.severity) {
    const FindingKind* kind = find_finding_kind(entry.name);
    if (!kind) {
      report_unknown_id(entry.name, entry.name_span, findings);
      continue;
    }
    const auto to = entry.value ? severity_of(*entry.value) : std::nullopt;
    if (!to) continue;  // reported by the spec reader
    if (*to >= kind->severity) {
      raised.push_back({kind, *to});
      continue;
    }
    findings
        .error(
            "spec-severity-lowered", entry.value.span,
            format("'{}' is {} {} and cannot be lowered to {}", kind->id,
                   kind->severity == Severity::error ? "an" : "a", severity_name(kind->severity), severity_name(*to)))
        .help("accept single findings instead: an entry of `accept` has the rule, the place, a reason and a date");
  }
  return raised;
}

void raise_severities(const std::vector<RaisedSeverity>& raised, Findings& findings) {
  if (raised.empty()) return;
  std::map<std::string_view, const RaisedSeverity*> by_id;
  for (const RaisedSeverity& r : raised) by_id.emplace(r.kind->id, &r);
  for (Finding& f : findings.all()) {
    const auto at = by_id.find(f.rule);
    if (at == by_id.end() || f.severity < at->second->kind->severity || f.severity >= at->second->to) continue;
    f.severity = at->second->to;
  }
}

}  // namespace clusterc
