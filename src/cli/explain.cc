#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "rules/finding_table.h"
#include "rules/rule.h"

namespace clusterc::cli {
namespace {

void options_of_explain(po::options_description& o) {
  add_positional(o, "RULE");
  o.add_options()("json", po::bool_switch(),
                  "every rule with its codes, severity, edition and threshold, and every other finding, for programs");
}

// What a spec may set otherwise, or nothing.
std::string threshold_text(const Rule& rule) {
  if (!rule.threshold) return {};
  const Threshold& t = *rule.threshold;
  return format("Threshold: {}, {}. A spec may set it from {} to {}: `thresholds: {{ {}: {} }}`.\n\n", t.means,
                t.text(t.standard), t.text(t.least), t.text(t.most), rule.id, t.text(t.standard));
}

// What is not of the rule book has no page of its own: its row of the table, and what can be done with it.
std::string page_of(const FindingKind& kind) {
  const std::string_view refused = why_not_accepted(kind);
  return format(
      "# {}\n\n{}, reported by {}: {}.\n\n{}\n", kind.id, severity_name(kind.severity), kind.reporter, kind.summary,
      refused.empty() ? format("To accept it: `accept: [ {{ rule: {}, at: PLACE, reason: …, until: … }} ]`.", kind.id)
                      : format("It cannot be accepted: {}.", refused));
}

void print_json() {
  std::string out;
  JsonWriter json(out, {.indent = 2});
  json.begin_object()
      .field("format", "clusterc-rules")
      .field("version", 1)
      .field("newest_edition", kNewestEdition.text())
      .array("rules");
  for (const Rule* rule : all_rules()) {
    json.begin_object()
        .field("id", rule->id)
        .field("code", rule->code)
        .field("severity", severity_name(rule->severity))
        .field("physics", rule->physics)
        .field("since", rule->since.text())
        .field("summary", rule->summary);
    if (const Threshold* t = rule->threshold)
      json.object("threshold")
          .field("means", t->means)
          .field("standard", t->text(t->standard))
          .field("least", t->text(t->least))
          .field("most", t->text(t->most))
          .end_object();
    json.end_object();
  }
  json.end_array().array("findings");  // those of no rule
  for (const FindingKind& kind : all_finding_kinds())
    if (kind.code.empty())
      json.begin_object()
          .field("id", kind.id)
          .field("severity", severity_name(kind.severity))
          .field("reporter", kind.reporter)
          .field("acceptable", kind.standing == Standing::acceptable)
          .field("summary", kind.summary)
          .end_object();
  json.end_array().end_object();
  put(out + "\n");
}

int run_explain(const po::variables_map& given) {
  const auto names = positional(given);
  if (given["json"].as<bool>()) {
    if (!names.empty()) throw UsageError{"--json lists every rule: omit the rule"};
    print_json();
    return kOk;
  }
  if (names.empty()) {
    for (const FindingKind& kind : all_finding_kinds())
      put(format("{:<48} {:<9} {:<8} {}\n", kind.id, kind.code, severity_name(kind.severity), kind.summary));
    return kOk;
  }
  for (const std::string& name : names) {
    const FindingKind* kind = find_finding_kind(name);
    if (!kind) {
      std::vector<std::string_view> known;
      for (const FindingKind& k : all_finding_kinds()) known.push_back(k.id);
      const auto near = nearest_name(name, known);
      put_error("clusterc: error: there is no rule '" + name + "'" +
                (near ? "; did you mean '" + std::string(*near) + "'?" : "; 'clusterc explain' lists them") + "\n");
      return kUnjudged;
    }
    if (const Rule* rule = find_rule(kind->id))
      put(format("# {} ({})\n\n{}{}: {}\n\n{}{}\n", rule->id, rule->code, severity_name(rule->severity),
                 rule->physics ? ", physics" : "", rule->summary, threshold_text(*rule), rule->explanation));
    else
      put(page_of(*kind));
  }
  return kOk;
}

}  // namespace
const Command kExplain{"explain", "the page of a rule, or what another finding means; without a name, the list of all",
                       "clusterc explain [RULE…] [--json]", options_of_explain, run_explain};
}  // namespace clusterc::cli
