#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "rules/other_findings.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "RULE");
  o.add_options()("json", po::bool_switch(),
                  "every rule with its codes, severity, edition and threshold, for programs");
}

// What a spec may set otherwise, or nothing.
std::string threshold_text(const Rule& rule) {
  if (!rule.threshold) return {};
  const Threshold& t = *rule.threshold;
  return format("Threshold: {}, {}. A spec may set it from {} to {}: `thresholds: {{ {}: {} }}`.\n\n", t.means,
                t.text(t.standard), t.text(t.least), t.text(t.most), rule.id, t.text(t.standard));
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
  json.end_array().end_object();
  put(out + "\n");
}

int run(const po::variables_map& given) {
  const auto names = positional(given);
  if (given["json"].as<bool>()) {
    if (!names.empty()) throw UsageError{"--json lists every rule: name none"};
    print_json();
    return kOk;
  }
  if (names.empty()) {
    for (const Rule* rule : all_rules())
      put(format("{:<48} {:<9} {:<8} {}\n", rule->id, rule->code, severity_name(rule->severity), rule->summary));
    return kOk;
  }
  for (const std::string& name : names) {
    const Rule* rule = find_rule(name);
    if (const OtherFinding* other = rule ? nullptr : find_other_finding(name)) {
      put(
          format("# {}\n\n{}.\n\nNo rule of the rule book: {} reports it. It cannot be accepted; its message says what "
                 "to do.\n",
                 other->name, other->means, other->source()));
      continue;
    }
    if (!rule) {
      std::vector<std::string_view> known;
      for (const Rule* r : all_rules()) known.push_back(r->id);
      for (const OtherFinding& o : other_findings()) known.push_back(o.name);
      const auto near = nearest_name(name, known);
      put_error("clusterc: error: there is no rule '" + name + "'" +
                (near ? "; did you mean '" + std::string(*near) + "'?" : "; 'clusterc explain' lists them") + "\n");
      return kUnjudged;
    }
    put(format("# {} ({})\n\n{}{}: {}\n\n{}{}\n", rule->id, rule->code, severity_name(rule->severity),
               rule->physics ? ", physics" : "", rule->summary, threshold_text(*rule), rule->explanation));
  }
  return kOk;
}

}  // namespace
const Command kExplain{"explain",
                       "the page of a rule, or what another finding means; without a name, the list of rules",
                       "clusterc explain [RULE…] [--json]", options, run};
}  // namespace clusterc::cli
