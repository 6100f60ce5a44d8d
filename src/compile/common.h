// What all outputs share: the header of a file and the spec's extra lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "system/interfaces.h"

namespace clusterc {

// "# made by clusterc from spec 'aurora'; do not edit: use outputs.slurm.extra", and a line for each accepted finding.
// An empty id: the output takes no extra lines, it follows from the spec. `comment` begins each line. No clock, host or
// path in it: the same spec gives the same bytes. The spec's digest stands in manifest.json alone, so that a change of
// the spec changes only the files that say something else.
std::string made_by(const CompileInput&, std::string_view output_id, std::string_view comment = "# ");

// `extra:` lines of one file of this output. Files not in `known` are findings, once: call it for one output with all
// its files.
const std::vector<Value<std::string>>* extra_of(const CompileInput&, std::string_view file);
void check_extra_files(const CompileInput&, std::string_view output_id, const std::vector<std::string_view>& known,
                       Findings&);

}  // namespace clusterc
