// Line ends of files that people bring: LF, or CR and LF. A CR alone ended lines on systems of long ago; a reader of
// lines takes such a file for one long line, and misses what it says.
#pragma once
#include <cstddef>
#include <string_view>

namespace clusterc {

// Where a CR stands that no LF follows; npos: nowhere. Several CRs before a LF are one line end, as consoles write it.
inline std::size_t bare_carriage_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at)) {
    const std::size_t next = text.find_first_not_of('\r', at);
    if (next == text.npos || text[next] != '\n') return at;
    at = next;
  }
  return text.npos;
}

}  // namespace clusterc
