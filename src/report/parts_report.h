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

// For each part, which of the facts that decide errors are unknown or unconfirmed; and behind each kind, how many parts
// have none of these. Parts without a gap have no row.
std::string render_gaps(Catalog&, std::span<const PartInfo>);

struct PartFilter {
  std::string gpu, ports;  // empty: any
  bool any() const { return !gpu.empty() || !ports.empty(); }
};
// A server or assembly whose GPU has the word in its id or name; a switch or adapter with ports of the rate ("800G").
bool passes(Catalog&, const PartInfo&, const PartFilter&);

// Parts that have the word in their id, their name, or one of those facts: "h100", "infiniband", "xdr", "400 Gb/s",
// "osfp", "p5.48xlarge"; or the PCI id: "10de:2330". It is looked for where a word begins, or a number within one;
// case, blanks and punctuation do not count.
std::vector<PartInfo> find_parts(Catalog&, std::string_view word);

}  // namespace clusterc
