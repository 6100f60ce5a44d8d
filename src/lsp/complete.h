// What could be written where the cursor stands.
#pragma once
#include <string>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/cursor.h"

namespace clusterc::lsp {

enum class ItemKind {
  class_ = 7,
  property = 10,
  unit = 11,
  value = 12,
  enum_member = 20,
  reference = 18
};  // LSP: CompletionItemKind

struct CompletionItem {
  std::string label;
  ItemKind kind = ItemKind::value;
  std::string detail;
  std::string documentation;  // Markdown; left out where `data` can fetch it
  std::string text;           // that takes the place of [begin, end)
  std::string filter;         // what the typed text is compared with, where that is not the label
  std::string data;           // "part:gpu:nvidia-h100-sxm5-80", "rule:net-…": for resolve_documentation
};
struct Completion {
  std::size_t begin = 0, end = 0;
  std::vector<CompletionItem> items;  // the likeliest first
};

Completion complete_at(const Sketch&, std::size_t offset, const Analysis* good);
std::string resolve_documentation(std::string_view data, const Analysis* good);

}  // namespace clusterc::lsp
