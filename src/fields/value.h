// A value that remembers where it came from. Everything a user may write, the catalogue may know or the planner may
// derive is a Value.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/source.h"

namespace clusterc {

enum class Origin : std::uint8_t {
  absent,    // nobody said anything
  spec,      // written in the spec
  catalog,   // a fact of a catalogue part
  standard,  // a default of the language; `source` says why
  derived,   // computed; `source` gives the formula
};

template <class T>
struct Value {
  std::optional<T> value;
  SourceSpan span;  // where it was written (spec or catalogue file)
  Origin origin = Origin::absent;
  bool confirmed =
      true;  // catalogue: the figure was read in its source; a finding that rests on an unconfirmed one says so
  bool unknown = false;  // written as `unknown`: known to be unknown, `source` holds the reason
  std::string source;    // catalogue: document; standard: why; derived: formula

  Value() = default;
  Value(T v, SourceSpan at, Origin from) : value(std::move(v)), span(at), origin(from) {}
  static Value derived(T v, std::string formula, SourceSpan at = {}) {
    Value r(std::move(v), at, Origin::derived);
    r.source = std::move(formula);
    return r;
  }
  static Value standard(T v, std::string why, SourceSpan at = {}) {
    Value r(std::move(v), at, Origin::standard);
    r.source = std::move(why);
    return r;
  }
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
  T value_or(T other) const { return value ? *value : other; }
  // This value where it is given, else the other.
  const Value& or_else(const Value& other) const { return (value || unknown) ? *this : other; }
};

// One entry of a mapping whose keys the user chooses; order as written.
template <class T>
struct Named {
  std::string name;
  SourceSpan name_span;
  T value;
};

template <class T>
struct NamedMap {
  std::vector<Named<T>> entries;
  const Named<T>* find(std::string_view name) const {
    for (const auto& e : entries)
      if (e.name == name) return &e;
    return nullptr;
  }
  Named<T>* find(std::string_view name) { return const_cast<Named<T>*>(std::as_const(*this).find(name)); }
  bool empty() const { return entries.empty(); }
  std::size_t size() const { return entries.size(); }
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }
  auto begin() { return entries.begin(); }
  auto end() { return entries.end(); }
};

}  // namespace clusterc
