// The catalogue for people who choose: parts of a kind side by side with the facts that decide, and parts by a word of
// what they are.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace clusterc {

// A table for each kind among the parts, in their order; a cell is empty where the catalogue does not know.
std::string render_parts(Catalog&, std::span<const PartInfo>);

// Parts that have the word in their id, their name, or one of those facts: "h100", "infiniband", "xdr", "400 Gb/s",
// "osfp", "p5.48xlarge". It is looked for where a word begins, or a number within one; case, blanks and punctuation do
// not count.
std::vector<PartInfo> find_parts(Catalog&, std::string_view word);

}  // namespace clusterc
