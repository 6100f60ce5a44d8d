// What is said of keys, values, parts and rules in hovers and beside completions; Markdown.
#pragma once
#include <string>

#include "lsp/analysis.h"
#include "lsp/cursor.h"

namespace clusterc::lsp {

// Its sentence, what it takes, its default with the reason.
std::string describe_key(const Spot&, std::string_view key);
// The facts of a part; empty where there is none of this name.
std::string describe_part(PartKind, std::string_view id, const Analysis* good);
std::string describe_rule(std::string_view id);

struct Hover {
  std::string markdown;
  std::size_t begin = 0, end = 0;  // what it is about
};
// `good`: the last state of the document that could be resolved, and `current` whether that is the text of the sketch.
std::optional<Hover> hover_at(const Sketch&, std::size_t offset, const Analysis* good, bool current);
// Markdown without its marks, for clients that show plain text.
std::string plain_text(std::string_view markdown);

}  // namespace clusterc::lsp
