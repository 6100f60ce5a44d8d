#include <algorithm>

#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
}

int run(const po::variables_map& given) {
  const auto paths = positional(given);
  if (paths.empty()) throw UsageError{"name a spec; '-' is standard input"};
  int worst = kOk;
  for (const std::string& path : paths) {
    auto result = run_pipeline(path, Stage::checked, run_options(given, path));
    worst = std::max(worst, report_findings(*result, path, given));
    if (worst == kOk && result->findings.empty() && format_of(given) == Format::text) {
      const Plan& plan = *result->plan;
      put_error(path + ": no findings: " + std::to_string(result->cluster->node_count) + " nodes, " + std::to_string(plan.gpu_count) +
                " GPUs, " + to_text(plan.it_power) + "\n");
    }
  }
  return worst;
}

}  // namespace
const Command kCheck{"check", "can it be built? lint a spec, then judge it by the rule book", "clusterc check SPEC… [--strict] [--format text|json|sarif|junit]", options, run};
}  // namespace clusterc::cli
