#include "cli/page_file.h"

#include <filesystem>

#include "base/file.h"
#include "cli/command.h"
#include "write/tree.h"

namespace clusterc::cli {

std::string page_file(const po::variables_map& given, const std::string& spec) {
  if (!given.count("page")) return {};
  const auto& file = given["page"].as<std::string>();
  std::error_code none;
  if (std::filesystem::equivalent(file, spec, none)) throw UsageError{"--page: '" + file + "' is the spec"};
  FileError error;
  if (!can_write_file(file, error)) throw UsageError{"--page: " + error.message};
  return file;
}

void write_page(Run& run, const ExpectedFigures& expected, const std::string& spec, const std::string& file,
                const std::vector<PageDocument>& more) {
  run.findings.sort(run.sources);
  const PlanVerdict verdict{run.findings, run.sources};
  FileError error;
  if (!write_file(file, render_page(*run.cluster, *run.plan, expected, verdict, run.spec_digest, spec, more), error))
    throw WriteError{error.message};
}

}  // namespace clusterc::cli
