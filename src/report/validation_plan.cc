#include "report/validation_plan.h"

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/quantity.h"
#include "report/table.h"
#include "rules/say.h"
#include "validate/expected_time.h"
#include "write/writers.h"

namespace clusterc {
namespace {

std::vector<std::string> command_of(const ValidationPlan& plan, const SuiteTest& test) {
  return plan.launcher->command(launch_of(test, plan.bundle, test.nodes));
}

std::string as_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    append_shell_word(out, word);
  }
  return out;
}

std::size_t ranks_of(const SuiteTest& test) {
  return test.nodes.size() * static_cast<std::size_t>(test.mpi ? std::max(1, test.ranks_per_node) : 1);
}

}  // namespace

std::string render_validation_plan_text(const ValidationPlan& plan) {
  std::string out = printable(format("{}: what would run through {}", plan.cluster, plan.launcher->id()));
  if (!plan.selection.empty()) out += " with " + printable(plan.selection);
  out += "\n\n";
  if (plan.measurement > 0)
    out += format("the time budget makes each measurement {}\n\n", to_text(Seconds(plan.measurement)));
  std::string unknown;
  Table table({"stage", "test", "nodes", ">ranks", ">expected", "not run because"});
  std::size_t count = 0;
  for (const SuiteTest& test : *plan.suite) {
    count += test.skip.empty();
    const bool timed = test.skip.empty() && !test.length_unknown;
    if (test.skip.empty() && test.length_unknown) unknown += (unknown.empty() ? "" : ", ") + test.id;
    table.row({std::string(stage_name(test.stage)), test.id, fold_names(test.nodes), format("{}", ranks_of(test)),
               timed               ? to_text(Seconds(test.expected_s))
               : test.skip.empty() ? "unknown"
                                   : "-",
               test.skip.empty() ? "-" : test.skip});
  }
  const double seconds = expected_seconds(*plan.suite);
  out += table.text() + format("\n{} of {}", count, plural(static_cast<std::int64_t>(plan.suite->size()), "test"));
  if (seconds > 0 || unknown.empty()) out += ", about " + to_text(Seconds(seconds));
  if (!unknown.empty()) out += (seconds > 0 ? " without " + unknown : std::string()) + ", of unknown length";
  out += "\n\ncommands:\n";
  for (const SuiteTest& test : *plan.suite)
    if (test.skip.empty())
      out += "  " + printable(test.id) + "\n    " + printable(as_line(command_of(plan, test))) + "\n";
  return out;
}

std::string render_validation_plan_json(const ValidationPlan& plan) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", "clusterc-validation-plan")
      .field("version", 1)
      .field("cluster", plan.cluster)
      .field("launcher", plan.launcher->id())
      .field("selection", plan.selection)
      .field("measurement_s", plan.measurement)
      .field("expected_s", expected_seconds(*plan.suite))
      .array("tests");
  for (const SuiteTest& test : *plan.suite) {
    json.begin_object(JsonWriter::Layout::line)
        .field("test", test.id)
        .field("stage", stage_name(test.stage))
        .field("validator", test.validator)
        .field("nodes", fold_names(test.nodes))
        .field("node_count", test.nodes.size())
        .field("ranks", ranks_of(test))
        .field("gpus_per_node", test.gpus_per_node)
        .field("expected_s", test.skip.empty() && test.length_unknown
                                 ? std::nullopt
                                 : std::optional(test.skip.empty() ? test.expected_s : 0))
        .field("timeout_s", static_cast<double>(test.timeout.count()) / 1000)
        .field("skip", test.skip)
        .array("command");
    if (test.skip.empty())
      for (const std::string& word : command_of(plan, test)) json.value(word);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace clusterc
