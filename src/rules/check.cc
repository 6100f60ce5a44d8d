// Running the rules.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "fields/scalar_text.h"
#include "model/cluster.h"
#include "rules/rule.h"
#include "rules/severities.h"
#include "spec/judgement.h"

namespace clusterc {
namespace {

// The number that was written for a threshold, in the SI unit; what is wrong with it is told.
std::optional<double> read_threshold(const Rule& rule, const Threshold& t, const Value<WrittenLimit>& written,
                                     Findings& findings) {
  const std::string& text = written->as_written;
  std::optional<double> value;
  QuantityError quantity_error{};
  NumberProblem problem = NumberProblem::none;
  if (t.dimension)
    value = parse_quantity(text, *t.dimension, quantity_error);
  else if (!t.whole)
    value = parse_ratio(text, problem);
  else if (const auto count = parse_whole(text, problem))
    value = static_cast<double>(*count);
  if (!value) {
    findings
        .error("spec-wrong-type", written.span,
               format("the threshold of '{}' must be {}, such as {}, but is '{}'", rule.id,
                      t.dimension ? "a quantity of " + std::string(dimension_name(*t.dimension))
                      : t.whole   ? "a whole number"
                                  : "a number or a share",
                      t.text(t.standard), text))
        .help(format("the threshold is the {}", t.means));
    return std::nullopt;
  }
  if (*value >= t.least && *value <= t.most) return value;
  findings
      .error("spec-out-of-range", written.span,
             format("the threshold of '{}' is {}, but it must be from {} to {}", rule.id, t.text(*value),
                    t.text(t.least), t.text(t.most)))
      .help(format("the threshold is the {}; the default is {}", t.means, t.text(t.standard)));
  return std::nullopt;
}

// Only policy can be set otherwise: what physics or a rating decides has no threshold.
std::vector<SetThreshold> set_thresholds(const Spec& spec, Findings& findings) {
  std::vector<SetThreshold> set;
  for (const auto& entry : spec.thresholds) {
    const Rule* rule = find_rule(entry.name);
    if (!rule) {
      report_unknown_id(entry.name, entry.name_span, findings);
    } else if (!rule->threshold) {
      findings.error("spec-no-threshold", entry.name_span, format("rule '{}' has no threshold", rule->id))
          .help("accept single findings instead: an entry of `accept` has the rule, the place, a reason and a date");
    } else if (entry.value) {
      if (const auto value = read_threshold(*rule, *rule->threshold, entry.value, findings))
        set.push_back({rule, *value, entry.value.span});
    }
  }
  return set;
}

// A finding points at what the user can change. Where the deciding value lies in the catalogue, the place is the one in
// the spec that chose the part, and the catalogue's line becomes a note.
void point_into_spec(const Cluster& cluster, Finding& finding) {
  const FileId spec = cluster.spec.span.file;
  if (!finding.span.valid() || finding.span.file == spec) return;
  for (const std::string& object : finding.objects) {
    if (!object.starts_with("nodes.")) continue;
    const int group = cluster.find_node_group(std::string_view(object).substr(6, object.find_first_of(".[", 6) - 6));
    if (group < 0) continue;
    const NodeGroupModel& g = cluster.nodes[static_cast<std::size_t>(group)];
    finding.notes.insert(finding.notes.begin(),
                         {finding.span, "the part that it names", std::exchange(finding.caret, {})});
    finding.span = g.server.span.file == spec ? g.server.span : g.span;
    return;
  }
}

}  // namespace

std::string Threshold::text(double value) const {
  if (dimension) return to_text(value, *dimension);
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : ratio_text(value);
}

double RuleInput::threshold(const Rule& rule) const {
  for (const SetThreshold& set : thresholds)
    if (set.rule == &rule) return set.value;
  return rule.threshold ? rule.threshold->standard : 0;
}

void check_rules(const RuleInput& given, Findings& findings, std::span<const Rule* const> rules) {
  const std::vector<SetThreshold> thresholds = set_thresholds(given.cluster.spec, findings);
  RuleInput in = given;
  in.thresholds = thresholds;
  for (const Rule* rule : rules) {
    if (rule->since > in.edition) continue;
    const std::size_t before = findings.all().size();
    rule->check(*rule, in, findings);
    for (std::size_t i = before; i < findings.all().size(); ++i) {
      Finding& f = findings.all()[i];
      if (rule->physics && f.severity == Severity::error) f.physics = true;
      if (f.unconfirmed) f.physics = false;
      point_into_spec(in.cluster, f);
    }
  }
}

}  // namespace clusterc
