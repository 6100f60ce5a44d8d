// What rules offer as a fix: only where one edit is almost certainly meant, and takes the finding away.
#pragma once
#include <string>
#include <utility>

#include "diag/finding.h"
#include "fields/value.h"
#include "yaml/remove.h"

namespace clusterc {

// `text` in place of a value that the spec itself wrote; nothing for one that a part, a default or a formula gave.
template <class T>
Finding& write_instead(Finding& f, const Value<T>& v, std::string text) {
  if (v.origin == Origin::spec && v.span.valid()) {
    std::string title = "write '" + text + "'";
    f.fixed_by(std::move(title), {{v.span, std::move(text)}});
  }
  return f;
}

// The item of a list taken out: an extra line of a compiled file that contradicts what is compiled anyway.
inline Finding& take_out(Finding& f, const Sources& sources, SourceSpan item) {
  if (const auto edit = removal_of_item(sources, item)) f.fixed_by("take the line out", {*edit});
  return f;
}

}  // namespace clusterc
