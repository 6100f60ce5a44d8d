#include "yaml/key_path.h"

#include <algorithm>

namespace clusterc {
namespace {

// One walk for all places: both the places and the children of a node come in the order of the text.
class Walk {
 public:
  Walk(const Document& document, std::span<const SourceSpan> places, std::span<const std::size_t> order,
       std::vector<std::string>& paths)
      : d_(document), places_(places), order_(order), paths_(paths) {}

  // Names the places that begin at `last` or before it; `path` leads to the node. An empty value's place is just behind
  // its key's colon, which is the end of all that it ends: ends belong to their nodes.
  void node(NodeId n, std::size_t last, std::string& path) {
    const bool mapping = d_.is_mapping(n);
    if (!mapping && !d_.is_sequence(n)) return;
    std::size_t behind = 0;
    for (NodeId child = d_.size(n) > 0 ? d_.first_child(n) : kNoNode;
         child != kNoNode && next_ < order_.size() && begin() <= last;) {
      const NodeId value = mapping ? d_.next_sibling(child) : child;
      const NodeId following = d_.next_sibling(value);
      const std::size_t from = d_.span(child).begin, to = d_.span(value).end;
      // What an alias or a merge key brought stands elsewhere in the text.
      if (!(mapping && d_.merged_at(child).valid()) && from >= behind && to >= from && to <= last) {
        name_until(from, path);
        const std::size_t length = path.size();
        if (mapping) {
          if (length > 0) path += '.';
          path += d_.scalar(child);
          name_until(d_.span(value).begin, path);
        }
        node(value, to, path);
        name_until(to + 1, path);
        path.resize(length);
        behind = to;
      }
      child = following;
    }
  }
  void name_until(std::size_t end, const std::string& path) {
    for (; next_ < order_.size() && begin() < end; ++next_) paths_[order_[next_]] = path;
  }

 private:
  std::size_t begin() const { return places_[order_[next_]].begin; }

  const Document& d_;
  std::span<const SourceSpan> places_;
  std::span<const std::size_t> order_;
  std::vector<std::string>& paths_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<std::string> key_paths(const Document& document, std::span<const SourceSpan> places) {
  std::vector<std::string> paths(places.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].file == document.file()) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places[i].begin; });
  std::string path;
  Walk(document, places, order, paths).node(document.root(), document.span(document.root()).end, path);
  return paths;
}

}  // namespace clusterc
