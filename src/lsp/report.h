// Findings as an editor shows them, and what mends them.
#pragma once
#include <string>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/message.h"

namespace clusterc {
class JsonWriter;
}
namespace clusterc::lsp {

void write_range(JsonWriter&, const Range&);

// The array of diagnostics of one document. `uri` is the document's own. A finding in another file (an own part) stands
// at the key of the spec that names the folder, and says where it is.
void write_diagnostics(JsonWriter&, const Analysis&, std::string_view uri, const ClientAbilities&);

// The array of code actions that touch [begin, end): the findings' own fixes, and a name that is near where a finding
// offers one. `version`: of the document that the analysis was made from.
void write_code_actions(JsonWriter&, const Analysis&, std::string_view uri, std::int64_t version, std::size_t begin,
                        std::size_t end, const ClientAbilities&);

}  // namespace clusterc::lsp
