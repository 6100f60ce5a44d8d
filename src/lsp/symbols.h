// The outline of a document: its sections, what they name, and the keys below.
#pragma once
#include <string_view>

#include "lsp/sketch.h"
#include "lsp/text.h"

namespace clusterc {
class JsonWriter;
}
namespace clusterc::lsp {

// DocumentSymbol[] with children, or the flat SymbolInformation[] of older editors.
void write_symbols(JsonWriter&, const Sketch&, const TextDocument&, std::string_view uri, bool hierarchical);

}  // namespace clusterc::lsp
