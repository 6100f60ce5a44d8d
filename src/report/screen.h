// A report as a terminal shows it: folded to its width, with what exceeds a limit in colour.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace clusterc {

// Folds each line that is wider than `columns` at a space. The rest of it begins below its last column (what two spaces
// part from the text before), or four characters further in than the line itself where that leaves too little room.
// Words are never broken, and no word is lost: a word alone may be wider.
std::string fold_to_width(std::string_view text, std::size_t columns);

// Colours the verdict of a plan and each cell that is marked with "! " (above a limit). The text itself stays as it is.
std::string color_limits(std::string_view text);

}  // namespace clusterc
