// The layout of a spec, for `clusterc fmt`: two blanks a level, one blank behind commas and inside braces, no blanks at
// line ends, one empty line at most. Comments, quotes, the order of keys and what is aligned by hand stay.
#pragma once
#include <optional>
#include <string>

#include "diag/finding.h"
#include "yaml/document.h"

namespace clusterc {

// Nothing, with findings, where the text is no YAML. The document of the new text is the same as that of the old one:
// where a change of the layout would alter it, the text comes back as it was.
std::optional<std::string> lay_out_yaml(const Sources&, FileId, Findings&, const YamlLimits& = {});

// Same kinds, texts and keys in the same order; places do not count.
bool same_document(const Document&, const Document&);

}  // namespace clusterc
