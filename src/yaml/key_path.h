// Where in a document a place lies, by the keys that lead there: what stays the same when lines are added above it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "yaml/document.h"

namespace clusterc {

// "networks.lan.rate" for each place, in their order; items of lists are not numbered, so that one more changes
// nothing. Empty for a place outside of the document's nodes. Linear in the document and the paths' lengths, n log n in
// the places.
std::vector<std::string> key_paths(const Document&, std::span<const SourceSpan>);

}  // namespace clusterc
