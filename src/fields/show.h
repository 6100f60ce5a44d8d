// A described struct as text in the spec's own language, with everything that was filled in and where it came from.
#pragma once
#include <string>

#include "fields/shape.h"

namespace clusterc {

class JsonWriter;

struct ShowOptions {
  bool origins = true;  // trailing comments: "# default: …", "# derived: …", "# catalogue: …"; derived quantities in
                        // the digits of people's figures
};

// A value that is there, as the language writes it: "10.2 kW", "3/4", "rail-optimised"; texts without quotes.
std::string scalar_text(const Type&, const void* value);
// YAML that the reader takes back, then all of origin `spec`: without origins the same values to the last bit, with
// them but for derived quantities.
std::string show_yaml(const Type&, const void* record, ShowOptions = {});
// One Value as it is written in a spec, and its trailing comment without the "# ": empty for what the spec says itself.
std::string show_value(const Type&, const void* value);
std::string show_origin(const Type&, const void* value);
// The same tree with { value, origin, source, confirmed } for every value; a quantity also has `si`, its number in the
// SI unit.
void show_json(const Type&, const void* record, JsonWriter&);

template <class T>
std::string show_yaml(const T& record, ShowOptions options = {}) {
  return show_yaml(type_of<T>(), &record, options);
}
template <class T>
void show_json(const T& record, JsonWriter& out) {
  show_json(type_of<T>(), &record, out);
}

}  // namespace clusterc
