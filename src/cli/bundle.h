// Where the validators lie: beside the program, in libexec/clusterc.
#pragma once
#include <map>
#include <string>

namespace clusterc::cli {

// The folder that holds clusterc-probe: `given` (--bundle), or ../libexec/clusterc beside this program. UsageError says
// where it looked.
std::string find_bundle(const std::string& given);

// SHA-256 of each of these programs, by their names.
std::map<std::string, std::string> bundle_files(const std::string& folder);

// SHA-256 over the names and bytes of the programs in it, clusterc-*: two folders with the same one measure alike.
std::string bundle_digest(const std::string& folder);

}  // namespace clusterc::cli
