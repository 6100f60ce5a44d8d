// Field descriptors: the one place that says which keys a mapping has, what they hold and what they mean.
// From them come reading with diagnostics (read.h), printing with origins (show.h), the JSON Schema and the reference
// (schema.h).
//
// A struct describes itself:
//
//   struct Feed {
//     SourceSpan span;                         // optional; filled with the place of the mapping
//     Value<Amperes> breaker;
//     NamedMap<Thing> things;                  // user-named keys
//     std::vector<Value<std::string>> racks;   // a list; one item may stand without brackets
//     std::optional<Ups> ups;                  // a nested mapping that may be left out
//     template <class Self, class V> static void describe(Self& s, V&& v) {
//       v("breaker", s.breaker, {.doc = "rating of the breaker"});
//     }
//   };
//
// Further, optional members of such a struct:
//   static constexpr std::string_view type_name = "feed";              // for messages and the schema
//   static bool from_text(std::string_view, Self&, std::string& error) // a scalar instead of the mapping ("8 x
//   cx7-400"); sets values
//                                                                      // only, the reader fills in span and origin of
//                                                                      each Value it set
//   v.rest(s.groups, {.doc = …})                                       // in describe: every other key is an entry of
//   this NamedMap
//
// Scalars that a Value holds: bool, std::int64_t, double (a ratio: 4/3, 60 %, 0.97), std::string, Quantity<…>, enums
// with EnumNames, and any type with  static std::optional<T> parse(std::string_view, std::string& error)  and
// std::string text() const. A Value also reads `unknown`, `{ unknown: "reason" }` and, in catalogue files, { value,
// unit, source, confirmed }.
#pragma once
#include <array>
#include <string_view>
#include <utility>

#include "base/quantity.h"
#include "fields/value.h"

namespace clusterc {

struct FieldOptions {
  bool required = false;
  std::string_view standard = {};  // default as the user would write it; read by the same reader, origin `standard`
  std::string_view why = {};       // why that default
  std::string_view doc = {};       // one sentence for the reference and the editor
  double least = -1e308, most = 1e308;  // bounds of a number, in the SI unit (inclusive)
  std::string_view words = {};          // text that is one of these: "off|passthrough|translate"
  std::string_view example = {};        // a value to show where one is missing; left out: one of its type
};

// Enums: specialise with  static constexpr std::array names{std::pair{Region::na, std::string_view("na")}, …};
template <class E>
struct EnumNames;

template <class E>
constexpr std::string_view enum_text(E e) {
  for (const auto& [value, name] : EnumNames<E>::names)
    if (value == e) return name;
  return "?";
}

// Shorthand for those tables: template <> struct EnumNames<E> { static constexpr auto names = enum_table<E>({{E::a,
// "a"}, …}); };
template <class E, std::size_t N>
constexpr std::array<std::pair<E, std::string_view>, N> enum_table(const std::pair<E, std::string_view> (&rows)[N]) {
  std::array<std::pair<E, std::string_view>, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = rows[i];
  return out;
}

}  // namespace clusterc
