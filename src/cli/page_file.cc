#include "cli/page_file.h"

#include "base/file.h"
#include "cli/command.h"
#include "write/tree.h"

namespace clusterc::cli {

void write_page(Run& run, const ExpectedFigures& expected, const std::string& spec, const std::string& file,
                const std::vector<PageDocument>& more) {
  run.findings.sort(run.sources);
  const PlanVerdict verdict{run.findings, run.sources};
  FileError error;
  if (!write_file(file, render_page(*run.cluster, *run.plan, expected, verdict, run.spec_digest, spec, more), error))
    throw WriteError{error.message};
}

}  // namespace clusterc::cli
