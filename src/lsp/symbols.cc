#include "lsp/symbols.h"

#include <algorithm>

#include "base/json_writer.h"
#include "lsp/report.h"

namespace clusterc::lsp {
namespace {

constexpr std::size_t kMostSymbols = 5000;
constexpr int kModule = 2, kProperty = 7, kObject = 19;  // LSP SymbolKind
constexpr std::size_t kDeepest = 3;                      // section, name, key

class Symbols {
 public:
  Symbols(JsonWriter& json, const Sketch& s, const TextDocument& text, std::string_view uri, bool hierarchical)
      : json_(json), s_(s), text_(text), uri_(uri), hierarchical_(hierarchical) {}

  void list(SketchId parent, std::size_t depth) {
    for (SketchId n = s_[parent].first; n != kNoSketch && count_ < kMostSymbols; n = s_[n].next) {
      if (s_[n].item || !s_[n].colon || s_[n].key_begin >= s_[n].key_end) continue;
      ++count_;
      hierarchical_ ? nested(n, depth) : flat(n, parent, depth);
    }
  }

 private:
  static int kind(const SketchNode& n, std::size_t depth) {
    return depth == 1 && n.first != kNoSketch ? kModule : n.first != kNoSketch ? kObject : kProperty;
  }
  Range whole(const SketchNode& n) const { return text_.range(n.key_begin, std::max(n.extent, n.key_end)); }
  std::string_view detail(SketchId n) const {
    const std::string_view value = s_.value(n);
    return value.substr(0, value.size() <= 60 ? value.size() : 0);
  }

  void nested(SketchId n, std::size_t depth) {
    json_.begin_object().field("name", s_.key(n)).field("kind", kind(s_[n], depth));
    if (!detail(n).empty()) json_.field("detail", detail(n));
    json_.key("range");
    write_range(json_, whole(s_[n]));
    json_.key("selectionRange");
    write_range(json_, text_.range(s_[n].key_begin, s_[n].key_end));
    if (depth < kDeepest && s_[n].first != kNoSketch) {
      json_.array("children");
      list(n, depth + 1);
      json_.end_array();
    }
    json_.end_object();
  }

  void flat(SketchId n, SketchId parent, std::size_t depth) {
    json_.begin_object()
        .field("name", s_.key(n))
        .field("kind", kind(s_[n], depth))
        .object("location")
        .field("uri", uri_)
        .key("range");
    write_range(json_, whole(s_[n]));
    json_.end_object();
    if (parent != 0) json_.field("containerName", s_.key(parent));
    json_.end_object();
    if (depth < kDeepest) list(n, depth + 1);
  }

  JsonWriter& json_;
  const Sketch& s_;
  const TextDocument& text_;
  std::string_view uri_;
  bool hierarchical_;
  std::size_t count_ = 0;
};

}  // namespace

void write_symbols(JsonWriter& json, const Sketch& s, const TextDocument& text, std::string_view uri,
                   bool hierarchical) {
  json.begin_array();
  Symbols(json, s, text, uri, hierarchical).list(0, 1);
  json.end_array();
}

}  // namespace clusterc::lsp
