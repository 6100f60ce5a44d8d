// Where the validators lie: beside the program, in libexec/clusterc.
#pragma once
#include <string>

namespace clusterc::cli {

// The folder that holds clusterc-probe: `given` (--bundle), or ../libexec/clusterc beside this program. UsageError says
// where it looked.
std::string find_bundle(const std::string& given);

}  // namespace clusterc::cli
