// Where in a half-written spec a cursor stands, and what the language expects there.
#pragma once
#include "catalog/catalog.h"
#include "fields/shape.h"
#include "lsp/sketch.h"

namespace clusterc::lsp {

struct Cursor {
  enum class Where { nowhere, key, value };
  Where where = Where::nowhere;
  SketchId at =
      kNoSketch;  // key: the mapping that it belongs to, as the entry whose value it is; value: the entry or item
  SketchId entry = kNoSketch;      // key: the entry that is there already, whole or half
  bool new_item = false;           // value: of one more item of the list that is the value of `at`
  bool dash = false;               // which begins with a dash that is not written yet
  std::size_t begin = 0, end = 0;  // what stands there already, and would be replaced
  bool in_flow = false;
  bool needs_blank = false;  // nothing stands between the colon and the cursor
};
Cursor cursor_at(const Sketch&, std::size_t offset);
// The entry or item that the place belongs to, for hover and definition: its key or its value as written. kNoSketch
// between things.
SketchId thing_at(const Sketch&, std::size_t offset, bool& on_key);

// Whose name stands somewhere: of a catalogue part, of something that the spec itself names, of a rule …
struct Names {
  enum class Of : std::uint8_t {
    nothing,
    part,
    feed,
    panel,
    zone,
    rack_group,
    assembly_group,
    tray,
    node_group,
    network,
    storage,
    node_group_or_storage,
    port_set,
    nics_entry,
    drives_entry,
    device,
    pcie_switch,
    rule,
    output,
    words,
  };
  Of of = Of::nothing;
  PartKind part = PartKind::server;
  std::string_view words = {};  // "cloud", "spine|core"
};

// What the language says of a place.
struct Spot {
  const Type* type = nullptr;    // nullptr: it knows no such key; never of form `maybe`
  const Field* field = nullptr;  // that describes it; of an entry under a name or an item, the field that holds them
  const Type* owner = nullptr;   // the record with that field
  bool entry = false;            // its key is a name that the user chose
  Names names;                   // whose name a text there is
  Names keys;                    // whose names the keys below it are
};
Spot spot_of(const Sketch&, SketchId);
// Of an item of the list that is there; itself where there is no list.
Spot item_of(Spot);
// Records that this place can hold a mapping of, lists left aside: of `connects: { … }` the record Connects. nullptr:
// none.
const Type* record_of(const Spot&);

// The way to an entry: keys and items from the root, the root left out.
std::vector<SketchId> path_of(const Sketch&, SketchId);
std::string path_text(const Sketch&, SketchId);  // "nodes.gpu.pdus[1].feed"
// The same place in a Spec that was read from such a text; nullptr where it has no such entry. `type` becomes that of
// the place.
void* place_in(const Sketch&, SketchId, void* spec, const Type*& type);

}  // namespace clusterc::lsp
