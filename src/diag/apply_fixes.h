// Fixes put into a text. Pure: text and edits in, text out; what stands outside of the edits stays as it is, byte for
// byte.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"

namespace clusterc {

struct Patched {
  std::string text;
  std::vector<Edit> edits;    // what was done, in the order of the text; offsets are of the old one
  std::vector<bool> applied;  // of each fix: all of its edits, or none
  // Where a place of the old text stands in the new one; within an edit: where its replacement begins.
  std::uint32_t moved(std::uint32_t offset) const;
};

// A fix goes in whole or not at all: not when an edit of it lies in another file or outside of the text, or meets an
// edit of a fix before it, unless that is the very same edit (a place that two findings name).
Patched apply_fixes(std::string_view text, FileId file, std::span<const Fix* const> fixes);

// The two texts as `diff -u` shows them, for patch(1) and people; empty when they are the same. A path with characters
// that would end the line is quoted as git does.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace clusterc
