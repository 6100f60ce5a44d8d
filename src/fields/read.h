// Document -> described struct, with a finding for everything that is not as it should be. All problems of a file come
// in one run.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "diag/finding.h"
#include "fields/shape.h"
#include "yaml/document.h"

namespace clusterc {

// What newcomers write where a field stands, and what they are told: by the type_name of the mapping and the key.
struct FirstWords {
  std::string_view type, key;
  std::string_view example = {};  // a value to show where one is missing or wrong
  std::string_view called = {};   // what they call the key: "count|hosts"
  // What they write for a value, and the way out, with the lines to write in backquotes: "eu|europe=Europe is `region:
  // iec`;us=…"
  std::string_view slips = {};
};

struct ReadContext {
  const Document& document;
  Findings& findings;
  Origin origin = Origin::spec;  // of every Value that is read
  bool facts =
      false;  // a catalogue file: a Value may be { value, unit, source, confirmed }, and what is plain is unconfirmed
  NodeId sources = kNoNode;  // its `sources:` mapping: short name -> document
  std::span<const FirstWords> first_words = {};
};

// The place of a node: its key, as a span and as the name used in messages. Both may be empty (the root of a file).
struct ReadPlace {
  SourceSpan key;
  std::string_view name;
  bool item = false;  // of a list that is the value of that key
  const FirstWords* words = nullptr;
  NodeId before = kNoNode;  // the value before this key, where the key is a name of a map
};

// True when nothing was wrong. What could be read is read either way; keys in `also` belong to the caller and are
// passed over.
bool read_node(const ReadContext&, const Type&, NodeId, void* out, ReadPlace = {},
               std::span<const std::string_view> also = {});
// A field of a record, with its bounds.
bool read_field(const ReadContext&, const Field&, NodeId, void* record, ReadPlace = {});
// Fills what was not said with the defaults of the language.
void fill_standards(const Type&, void* record);

template <class T>
bool read_fields(const ReadContext& context, NodeId node, T& out, ReadPlace place = {},
                 std::span<const std::string_view> also = {}) {
  return read_node(context, type_of<T>(), node, &out, place, also);
}
template <class T>
void fill_standards(T& record) {
  fill_standards(type_of<T>(), &record);
}

}  // namespace clusterc
