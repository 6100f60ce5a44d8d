// Builds the document, from the events of yaml-cpp or, for simple text, of the scan. For document.cc alone.
#pragma once
#include <optional>

#include "yaml/document.h"
#include "yaml/scan.h"

namespace clusterc {

// nullopt: a finding says why.
std::optional<Document> build_document(const Sources&, FileId, Findings&, const YamlLimits&, const ScanResult&);
// The same document without the parser. False: the text is not as simple as the scan took it for, and the findings mean
// nothing: the parser must read it.
bool build_simple_document(const Sources&, FileId, Findings&, const YamlLimits&, const ScanResult&,
                           std::optional<Document>&);

}  // namespace clusterc
