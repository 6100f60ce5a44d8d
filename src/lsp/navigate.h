// Where a name gets its meaning, and the outline of a document.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "lsp/analysis.h"
#include "lsp/cursor.h"

namespace clusterc::lsp {

struct Target {
  std::string uri;                           // empty: the document itself
  std::size_t begin = 0, end = 0;            // there: a place in it, in bytes
  Range range;                               // elsewhere: worked out
  std::size_t from_begin = 0, from_end = 0;  // the name that was asked about
};

// Keeps a text that is built into the program as a file that an editor can open, and gives its path: ("servers/x.yaml",
// text). nullopt: there is no place for it.
using KeepFile = std::function<std::optional<std::string>(std::string_view name, std::string_view text)>;

// A name of the spec's own: the entry that gives it a meaning. A catalogue part: its file, the own one or the built-in
// one. A rule: its page.
std::optional<Target> definition_at(const Sketch&, std::size_t offset, const Analysis* good, const KeepFile&);

}  // namespace clusterc::lsp
