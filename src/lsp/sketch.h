// The shape of a YAML text that somebody is writing: keys, items and values by their places, and it always comes to an
// end. The loader (yaml/document.h) gives nothing for a text that is not YAML yet; while a line is typed that is the
// usual case, and there completion and navigation are wanted most. A sketch tells lines by their indentation, so that
// what is broken stays in its place:
//
//   site:
//     region: na
//     alt            <- half a key: an entry without a colon
//     supply: { phases: 3, vol
//   racks:           <- not indented more than `supply`: the bracket above ends here, closed or not
//
// It judges nothing. Anchors, tags, aliases and merge keys are passed over; a text in quotes ends on its line.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace clusterc::lsp {

using SketchId = std::uint32_t;
constexpr SketchId kNoSketch = 0xffffffffu;

struct SketchNode {
  enum class Kind : std::uint8_t { empty, scalar, literal /* block scalar */, mapping, sequence };
  Kind kind = Kind::empty;  // of the value
  bool item = false;        // of a sequence; else an entry of a mapping (or the root)
  bool colon = false;       // its key is whole; items: always
  bool flow = false;        // the value is in brackets
  bool closed = false;      // and they are closed
  bool in_flow = false;     // it stands in brackets itself
  SketchId parent = kNoSketch, first = kNoSketch, last = kNoSketch, next = kNoSketch;
  std::uint32_t column = 0;                  // of key or dash, in bytes of its line; meaningless in brackets
  std::uint32_t key_begin = 0, key_end = 0;  // without quotes; items: empty, at the dash or the item
  std::uint32_t slot_begin = 0,
                slot_end = 0;        // in brackets: from behind the bracket or comma before it to the one after it
  std::uint32_t after_key = 0;       // where a value begins or could begin: behind the colon or the dash
  std::uint32_t begin = 0, end = 0;  // the value as written on its own line (with quotes or brackets); empty: none
  std::uint32_t extent = 0;          // end of the last thing below it
};

class Sketch {
 public:
  explicit Sketch(std::string_view text);  // the text has to live as long
  std::string_view text() const { return text_; }
  const std::vector<SketchNode>& nodes() const { return nodes_; }  // in the order of the text; 0 is the root
  const SketchNode& operator[](SketchId n) const { return nodes_[n]; }
  std::string_view key(SketchId) const;
  std::string_view value(SketchId) const;  // without quotes; escapes as written
  SketchId find(SketchId parent, std::string_view key) const;
  // nodes_ in which the path of keys ends, from the root.
  SketchId find_path(std::initializer_list<std::string_view> keys) const;
  bool in_comment(std::size_t offset) const;

 private:
  friend class Sketcher;
  std::string_view text_;
  std::vector<SketchNode> nodes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> comments_;
};

}  // namespace clusterc::lsp
