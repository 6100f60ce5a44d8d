// One spec, planned several times with something changed in memory: `clusterc plan --fit`, `--option`.
#pragma once
#include "cli/command.h"

namespace clusterc::cli {

struct Printed {
  std::string text;
  int status = kOk;
};
// `group`: nodes.NAME or assemblies.NAME. Exit status 1 when less fits than the spec has.
Printed fit(const std::string& path, const po::variables_map&, const std::string& group, Format);
// One variant each: settings (spec/override.h), or another spec. The spec itself comes first.
Printed lay_side_by_side(const std::string& path, const po::variables_map&, const std::vector<std::string>& variants,
                         Format);
// Every step of `phases:`, and the whole spec as the last one.
Printed grow(const std::string& path, const po::variables_map&, Format);

}  // namespace clusterc::cli
