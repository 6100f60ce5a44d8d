// The keys of one mapping, by a hash of their text that nobody can foresee. For builder.cc alone.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "yaml/document.h"

namespace clusterc {

class KeyTable {
 public:
  // Both outlive it. `text`: the source.
  KeyTable(const Document& document, std::string_view text) : document_(document), text_(text) {}

  void clear(std::size_t keys);  // and makes room for so many
  bool has_room_for(std::size_t keys) const { return 2 * keys <= slots_.size(); }
  NodeId insert(NodeId key);  // kNoNode, or the same key if it is there already

 private:
  struct Slot {
    std::uint64_t hash;
    NodeId key;
  };
  const Document& document_;
  std::string_view text_;
  std::vector<Slot> slots_;
  std::uint64_t seed_ = 0;
};

}  // namespace clusterc
