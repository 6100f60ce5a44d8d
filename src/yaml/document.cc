#include "yaml/document.h"

#include <algorithm>

#include "yaml/builder.h"
#include "yaml/scan.h"

namespace clusterc {

Document::Kind Document::kind(NodeId n) const { return static_cast<Kind>(nodes_[n].bits & Node::kKindMask); }
SourceSpan Document::span(NodeId n) const { return {file_, nodes_[n].begin, nodes_[n].end}; }
bool Document::quoted(NodeId n) const { return (nodes_[n].bits & Node::kQuoted) != 0; }
std::string_view Document::scalar(NodeId n) const {
  const Node& node = nodes_[n];
  if (kind(n) == Kind::sequence || kind(n) == Kind::mapping) return {};
  return ((node.bits & Node::kPooled) != 0 ? std::string_view(pool_) : sources_->text(file_))
      .substr(node.text, node.length);
}
std::size_t Document::size(NodeId n) const {
  return kind(n) == Kind::sequence || kind(n) == Kind::mapping ? nodes_[n].length : 0;
}
NodeId Document::first_child(NodeId n) const { return size(n) == 0 ? kNoNode : nodes_[n].text; }
NodeId Document::next_sibling(NodeId n) const { return nodes_[n].next; }

NodeId Document::item(NodeId sequence, std::size_t i) const {
  NodeId child = first_child(sequence);
  while (i-- > 0 && child != kNoNode) child = nodes_[child].next;
  return child;
}
NodeId Document::key(NodeId mapping, std::size_t i) const { return item(mapping, 2 * i); }
NodeId Document::value(NodeId mapping, std::size_t i) const { return item(mapping, 2 * i + 1); }

NodeId Document::find(NodeId mapping, std::string_view name) const {
  if (!is_mapping(mapping)) return kNoNode;
  for (NodeId key = first_child(mapping); key != kNoNode; key = nodes_[nodes_[key].next].next)
    if (scalar(key) == name) return nodes_[key].next;
  return kNoNode;
}

SourceSpan Document::merged_at(NodeId key) const {
  auto after = std::ranges::upper_bound(merges_, key, {}, &Merge::begin);
  if (after == merges_.begin() || key >= (after - 1)->end) return {};
  return {file_, (after - 1)->at, (after - 1)->at_end};
}

std::optional<Document> parse_yaml_in_full(const Sources& sources, FileId file, Findings& findings,
                                           const YamlLimits& limits, const ScanResult& scan) {
  return build_document(sources, file, findings, limits, scan);
}

std::optional<Document> parse_yaml(const Sources& sources, FileId file, Findings& findings, const YamlLimits& limits) {
  const ScanResult scan = scan_yaml(sources, file, findings, limits);
  if (!scan.ok) return std::nullopt;
  if (scan.empty) {
    findings
        .error("spec-empty", {file, 0, 0},
               sources.text(file).empty() ? "the file is empty" : "the file holds nothing but comments")
        .help("`clusterc init --example lab` prints a spec that works, `clusterc init --ask` asks for one");
    return std::nullopt;
  }
  if (scan.simple) {
    Findings own;
    std::optional<Document> document;
    if (build_simple_document(sources, file, own, limits, scan, document)) {
      for (Finding& finding : own.all()) findings.all().push_back(std::move(finding));
      return document;
    }
  }
  return build_document(sources, file, findings, limits, scan);
}

}  // namespace clusterc
