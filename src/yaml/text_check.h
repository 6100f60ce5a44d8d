// Is a file text that a spec can be: not too large, UTF-8, and without characters that are not seen?
#pragma once
#include "diag/finding.h"
#include "yaml/document.h"

namespace clusterc {

// False: one finding was added.
bool check_yaml_text(const Sources&, FileId, Findings&, const YamlLimits&);

}  // namespace clusterc
