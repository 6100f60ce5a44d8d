// What the renderers share: a span worked out to lines and columns.
#pragma once
#include <algorithm>

#include "base/json_writer.h"
#include "diag/finding.h"

namespace clusterc {

struct Place {
  std::string_view path;
  LineColumn begin, end;  // end: behind the last character
};

inline Place place_of(const Sources& sources, SourceSpan span) {
  return {sources.path(span.file), sources.position(span.file, span.begin),
          sources.position(span.file, std::max(span.begin, span.end))};
}

}  // namespace clusterc
