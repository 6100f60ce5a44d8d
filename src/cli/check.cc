#include <algorithm>

#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
}

// Several specs in a format for machines make one document: findings of all, with the files of all.
void take_over(Run& all, Run& one) {
  const auto offset = static_cast<FileId>(all.sources.size());
  for (FileId f = 0; f < one.sources.size(); ++f) all.sources.add(std::string(one.sources.path(f)), std::string(one.sources.text(f)));
  const auto move = [&](SourceSpan& span) {
    if (span.valid()) span.file += offset;
  };
  for (Finding& f : one.findings.all()) {
    move(f.span);
    for (Remark& r : f.notes) move(r.span);
    for (Remark& r : f.helps) move(r.span);
    if (f.fix)
      for (Edit& e : f.fix->edits) move(e.span);
    all.findings.all().push_back(std::move(f));
  }
}

std::string all_well(const std::string& path, const Run& run) {
  const Plan& plan = *run.plan;
  std::string out = path + ": no findings: " + std::to_string(run.cluster->node_count) + (run.cluster->node_count == 1 ? " node, " : " nodes, ") +
                    std::to_string(plan.gpu_count) + (plan.gpu_count == 1 ? " GPU" : " GPUs");
  if (plan.it_power.value > 0) out += ", " + to_text(plan.it_power);
  return out + "\n";
}

int run(const po::variables_map& given) {
  const auto paths = positional(given);
  if (paths.empty()) throw UsageError{"name a spec; '-' is standard input"};
  int worst = kOk;
  if (format_of(given) != Format::text && paths.size() > 1) {
    Run all;
    for (const std::string& path : paths) {
      auto one = run_pipeline(path, Stage::checked, run_options(given, path));
      if (!one->unreadable.empty()) {
        if (one->findings.empty()) one->findings.error("spec-file-unreadable", SourceSpan{}, one->unreadable);
        worst = kUnjudged;
      }
      take_over(all, *one);
    }
    return std::max(worst, report_findings(all, "", given));
  }
  for (const std::string& path : paths) {
    auto result = run_pipeline(path, Stage::checked, run_options(given, path));
    const int status = report_findings(*result, path, given);
    worst = std::max(worst, status);
    if (status == kOk && result->findings.empty() && format_of(given) == Format::text) put_error(all_well(path, *result));
  }
  return worst;
}

}  // namespace
const Command kCheck{"check", "can it be built? lint a spec, then judge it by the rule book", "clusterc check SPEC… [--strict] [--format text|json|sarif|junit]", options, run};
}  // namespace clusterc::cli
