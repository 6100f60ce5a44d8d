// Taking an item of a list, or a key with its value, out of YAML text, so that what is left is still YAML and looks as
// before.
#pragma once
#include <optional>

#include "diag/finding.h"

namespace clusterc {

// The edit that removes the item of a list whose value has this span; the only item of a list becomes `[]`. In block
// style the lines go with it, with the comments on them and those right above it in the column of its dash. nullopt
// where the text around it is not plain enough to be sure of it (an anchor, a tag, a comment between brackets).
std::optional<Edit> removal_of_item(const Sources&, SourceSpan item);

// The edit that removes a pair that is not the first of its mapping: `pair` goes from the key's begin to the value's
// end.
std::optional<Edit> removal_of_pair(const Sources&, SourceSpan pair);

}  // namespace clusterc
