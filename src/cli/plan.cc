#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/plan_report.h"
#include "report/what_if_report.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("output,o", po::value<std::string>()->value_name("DIR"), "also write plan.json, plan.txt and cables.csv there")(
      "what-if", po::value<std::string>()->value_name("WHAT"), "each: every component fails alone, worst first; or a combination: feed:A,spine:3");
}

// In place of the build book. What cannot be found is wrong usage.
std::string what_if(const Run& run, const std::string& wish, Format format) {
  const WhatIfEngine engine(*run.plan);
  if (wish == "each") {
    const std::vector<WhatIfRow> rows = single_failures(engine);
    return format == Format::json ? render_what_if_each_json(engine, rows, run.spec_digest) : render_what_if_each_text(engine, rows);
  }
  std::vector<Component> failed;
  for (const std::string_view word : split(wish, ',')) {
    std::string error;
    const auto one = engine.find(trim(word), error);
    if (!one) throw UsageError{"--what-if: " + error};
    failed.push_back(*one);
  }
  const WhatIf state = engine.run(failed);
  return format == Format::json ? render_what_if_json(engine, state, run.spec_digest) : render_what_if_text(engine, state);
}

int run(const po::variables_map& given) {
  const std::string path = one_spec(given);
  const Format format = format_of(given);
  if (format == Format::sarif || format == Format::junit) throw UsageError{"a plan is printed as text or json"};
  auto result = run_pipeline(path, Stage::checked, run_options(given, path));
  const int status = report_findings(*result, path, given, true);
  if (!result->plan) return status;
  const Plan& plan = *result->plan;
  if (given.count("what-if")) {
    if (given.count("output")) throw UsageError{"--what-if prints; it writes no folder: leave --output out"};
    put(what_if(*result, given["what-if"].as<std::string>(), format));
    return status;
  }
  const std::string text = format == Format::json ? render_plan_json(*result->cluster, plan, *result->expected, result->spec_digest)
                                                  : render_plan_text(*result->cluster, plan, *result->expected);
  put(text);
  if (given.count("output")) {
    namespace fs = std::filesystem;
    const fs::path folder = given["output"].as<std::string>();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw std::runtime_error("'" + folder.string() + "' cannot be made: " + failed.message());
    const std::pair<const char*, std::string> files[] = {
        {"plan.json", render_plan_json(*result->cluster, plan, *result->expected, result->spec_digest)},
        {"plan.txt", render_plan_text(*result->cluster, plan, *result->expected)},
        {"cables.csv", render_cables_csv(*result->cluster, plan)}};
    for (const auto& [name, bytes] : files) {
      FileError error;
      if (!write_file((folder / name).string(), bytes, error)) throw std::runtime_error(error.message);
    }
    put_error("wrote plan.json, plan.txt and cables.csv to " + folder.string() + "\n");
  }
  return status;
}

}  // namespace
const Command kPlan{"plan", "the build book: racks, power, cooling, fabrics, addresses, parts", "clusterc plan SPEC [--format text|json] [-o DIR] [--what-if each|KIND:NAME,…]", options, run};
}  // namespace clusterc::cli
