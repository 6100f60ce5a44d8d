// A YAML 1.2 document with a span on every key and every value: a flat vector of small nodes over the source text.
// The only user of yaml-cpp is the builder (event API). The ten duties of the loader stand in docs/loading.md.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "diag/source.h"

namespace clusterc {

struct YamlLimits {
  std::size_t text_bytes = 64u << 20;  // a larger file is refused unread
  std::uint32_t depth = 64;
  std::size_t memory_bytes = 160u << 20;  // text + 24 bytes a node + expanded aliases
};

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = 0xffffffffu;

class Document {
 public:
  enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

  NodeId root() const { return 0; }
  Kind kind(NodeId) const;
  bool is_mapping(NodeId n) const { return kind(n) == Kind::mapping; }
  bool is_sequence(NodeId n) const { return kind(n) == Kind::sequence; }
  bool is_scalar(NodeId n) const { return kind(n) == Kind::scalar; }
  bool is_null(NodeId n) const { return kind(n) == Kind::null; }  // empty, ~ or null
  SourceSpan span(NodeId) const;          // the value; an empty value has an empty span just behind its key's colon
  std::string_view scalar(NodeId) const;  // decoded text
  bool quoted(NodeId) const;              // quoted, block or tagged `!`: always a string
  std::size_t size(NodeId) const;         // items of a sequence, pairs of a mapping (merge keys resolved)
  NodeId item(NodeId sequence, std::size_t i) const;
  NodeId key(NodeId mapping, std::size_t i) const;  // always a scalar node
  NodeId value(NodeId mapping, std::size_t i) const;
  NodeId find(NodeId mapping, std::string_view key) const;  // kNoNode when absent
  NodeId first_child(NodeId) const;
  NodeId next_sibling(NodeId) const;  // keys and values alternate in a mapping; walk these for linear time
  // Where a pair came in by a merge key `<<`: the place of the alias or mapping that was merged. Invalid for other
  // keys.
  SourceSpan merged_at(NodeId key) const;
  FileId file() const { return file_; }
  std::size_t node_count() const { return nodes_.size(); }  // every NodeId is below it

  // Implementation detail of the builder: 24 bytes a node. An alias is a node with the place of the alias that shares
  // the children (or the text) of what it stands for, so that expanding costs nothing; the same NodeId can then be
  // reached on several ways.
  struct Node {
    std::uint32_t begin = 0, end = 0;    // source bytes
    std::uint32_t text = 0, length = 0;  // scalar: where its text is (source or `pool_`) and its bytes; container:
                                         // first child, items or pairs
    std::uint32_t next = kNoNode;        // next sibling
    std::uint32_t bits = 0;              // kind, quoted, text in `pool_`
    static constexpr std::uint32_t kKindMask = 3, kQuoted = 4, kPooled = 8;
  };

 private:
  friend struct DocumentBuilder;
  FileId file_ = kNoFile;
  std::vector<Node> nodes_;
  struct Merge {
    NodeId begin, end;         // the copied keys and values
    std::uint32_t at, at_end;  // source bytes of what was merged
  };
  std::vector<Merge> merges_;  // in order of `begin`
  std::string pool_;           // decoded scalars that differ from the source text
  const Sources* sources_ = nullptr;
};

// Reads `file` (already in `sources`). Syntax errors, duplicate keys, over-limit input: findings with rule ids spec-…
// and nullopt when nothing usable came of it. A second document, an alias loop, a tab in the indentation are each one
// clear error.
std::optional<Document> parse_yaml(const Sources& sources, FileId file, Findings& findings,
                                   const YamlLimits& limits = {});

}  // namespace clusterc
