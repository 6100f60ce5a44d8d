// The names that can stand somewhere, and where each is given its meaning.
#pragma once
#include <string>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/cursor.h"

namespace clusterc::lsp {

struct KnownName {
  std::string name;
  std::string detail;          // "node group", "server", the summary of a rule
  SketchId where = kNoSketch;  // the entry of the spec that gives it its meaning; kNoSketch: it is not in the spec
};

// `context` is the entry or item where the name stands. `good` is the last state that could be resolved, nullptr where
// there is none: ports and devices of a server are known from there. Names of the spec's own come from the sketch, so
// that they are there at once.
std::vector<KnownName> known_names(const Names&, const Sketch&, SketchId context, const Analysis* good);

// The node group of the spec in which the place lies; kNoSketch: in none.
SketchId node_group_around(const Sketch&, SketchId);
const NodeGroupModel* node_group_model(const Analysis* good, std::string_view name);
// "8 x cx7-400" is a count and a part, "cx7-400" a part alone: where in such a text the part begins.
std::size_t part_begin(std::string_view text);

}  // namespace clusterc::lsp
