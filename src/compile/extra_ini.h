// `extra:` lines of files of [sections] with Key=value lines, as systemd's and NetworkManager's are: a further file
// beside those of the output.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "compile/common.h"

namespace clusterc {

// The lines of `file`, each with a line end; empty: none. A line that is neither "[Section]" nor "Key=value", or a
// value before the first section, is a finding. `refuses` says why the spec forbids this value of this key; empty: it
// does not.
std::string ini_lines(
    const CompileInput&, std::string_view file, std::string_view example, Findings&,
    const std::function<std::string(std::string_view section, std::string_view key, std::string_view value)>& refuses);

}  // namespace clusterc
