// Numbers in files of fixed lines.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace clusterc {

struct FileLine {
  std::string_view text;  // without the line end
  std::uint32_t begin = 0;
};
// At most `most` lines of a text.
std::vector<FileLine> lines_of(std::string_view text, std::size_t most);

struct PlacedNumber {
  std::int64_t value = 0;
  SourceSpan span;
};
// The whole numbers that a line begins with, at most `most`; a number beyond 10^15 ends them.
std::vector<PlacedNumber> leading_numbers(const FileLine&, FileId, std::size_t most);

}  // namespace clusterc
