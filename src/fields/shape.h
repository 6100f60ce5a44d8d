// What describe() says, as a table: one `Type` for each described type, made on first use. Reading, printing, the
// schema and the reference walk these tables and are ordinary functions; the only templates are the few lines that fill
// a table.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fields/apart.h"
#include "fields/fields.h"

namespace clusterc {

enum class ScalarKind : std::uint8_t { boolean, integer, ratio, text, quantity, choice, parsed };

// One scalar on its way into or out of a Value; which member counts follows from the kind.
struct Scalar {
  bool truth = false;
  std::int64_t integer = 0;
  double number = 0;       // ratio; quantity in its SI unit
  std::size_t choice = 0;  // index into Type::choices
  std::string text;        // text, parsed
};

struct ValueHead {  // the members of Value<T> that do not depend on T
  SourceSpan& span;
  Origin& origin;
  bool& confirmed;
  bool& unknown;
  std::string& source;
  bool has;
};

struct Type;
using TypeRef = const Type& (*)();  // by function: a type may contain itself

struct Field {
  std::string_view key;  // empty for `rest`
  FieldOptions options;
  std::ptrdiff_t offset = 0;
  TypeRef type = nullptr;
  void* (*open)(void*) = nullptr;  // of an Apart: from the member to what it holds
  void* in(void* record) const {
    void* const member = static_cast<char*>(record) + offset;
    return open ? open(member) : member;
  }
  const void* in(const void* record) const { return in(const_cast<void*>(record)); }
};

struct Type {
  enum class Form : std::uint8_t { value, record, list, map, maybe };
  Form form = Form::value;
  std::string_view name;     // type_name, where the type has one
  std::string_view example;  // of a parsed scalar
  std::string_view pattern;  // of a parsed scalar, for the schema; empty: any text

  void (*clear)(void*) = nullptr;  // as if nobody had said anything

  // value
  ScalarKind kind = ScalarKind::text;
  Dimension dimension = Dimension::power;
  std::span<const std::string_view> choices;
  ValueHead (*head)(void*) = nullptr;
  bool (*assign)(void*, const Scalar&, std::string& error) = nullptr;
  Scalar (*fetch)(const void*) = nullptr;  // only when head().has

  // list, map, maybe
  TypeRef element = nullptr;
  std::size_t (*size)(const void*) = nullptr;
  void* (*at)(void*, std::size_t) = nullptr;
  void* (*append)(void*, std::string_view name, SourceSpan) = nullptr;  // maybe: (re)made
  void (*reserve)(void*, std::size_t entries) = nullptr;                // map: entries are large, and moved otherwise
  std::string_view (*entry_name)(const void*, std::size_t) = nullptr;   // map
  SourceSpan (*entry_span)(const void*, std::size_t) = nullptr;         // map: of the name

  // record
  std::vector<Field> fields;
  std::optional<Field> rest;
  std::ptrdiff_t span_offset = -1;
  bool secret = false;  // refers to a secret: what stands in its place is not repeated in messages
  bool (*from_text)(std::string_view, void*, std::string& error) = nullptr;

  const Field* field(std::string_view key) const {
    for (const Field& f : fields)
      if (f.key == key) return &f;
    return nullptr;
  }
};

template <class M>
const Type& type_of();

namespace shape_detail {

template <class T>
struct IsValue : std::false_type {};
template <class T>
struct IsValue<Value<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<NamedMap<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsMaybe : std::false_type {};
template <class T>
struct IsMaybe<std::optional<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsMaybe<MaybeApart<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsApart : std::false_type {};
template <class T>
struct IsApart<Apart<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct IsQuantity : std::false_type {};
template <Dimension D>
struct IsQuantity<Quantity<D>> : std::true_type {};

template <class E>
constexpr auto choice_names() {
  std::array<std::string_view, EnumNames<E>::names.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = EnumNames<E>::names[i].second;
  return out;
}
template <class E>
inline constexpr auto kChoices = choice_names<E>();

template <class T>
ValueHead head_of(void* p) {
  auto& v = *static_cast<Value<T>*>(p);
  return {v.span, v.origin, v.confirmed, v.unknown, v.source, v.value.has_value()};
}

template <class T>
bool assign(void* p, const Scalar& in, [[maybe_unused]] std::string& error) {
  auto& value = static_cast<Value<T>*>(p)->value;
  if constexpr (std::is_same_v<T, bool>)
    value = in.truth;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    value = in.integer;
  else if constexpr (std::is_same_v<T, double>)
    value = in.number;
  else if constexpr (std::is_same_v<T, std::string>)
    value = in.text;
  else if constexpr (IsQuantity<T>::value)
    value = T(in.number);
  else if constexpr (std::is_enum_v<T>)
    value = EnumNames<T>::names[in.choice].first;
  else
    return (value = T::parse(in.text, error)).has_value();
  return true;
}

template <class T>
Scalar fetch(const void* p) {
  const T& value = *static_cast<const Value<T>*>(p)->value;
  Scalar out;
  if constexpr (std::is_same_v<T, bool>)
    out.truth = value;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    out.integer = value;
  else if constexpr (std::is_same_v<T, double>)
    out.number = value;
  else if constexpr (std::is_same_v<T, std::string>)
    out.text = value;
  else if constexpr (IsQuantity<T>::value)
    out.number = value.value;
  else if constexpr (std::is_enum_v<T>) {
    while (out.choice < EnumNames<T>::names.size() && EnumNames<T>::names[out.choice].first != value) ++out.choice;
  } else
    out.text = value.text();
  return out;
}

struct RecordBuilder {
  Type& type;
  const char* base;
  template <class M>
  Field field(std::string_view key, M& member, const FieldOptions& options) {
    const std::ptrdiff_t offset = reinterpret_cast<const char*>(&member) - base;
    if constexpr (IsApart<M>::value)
      return {key, options, offset, &type_of<typename IsApart<M>::Inner>,
              [](void* p) -> void* { return &**static_cast<M*>(p); }};
    else
      return {key, options, offset, &type_of<M>};
  }
  template <class M>
  void operator()(std::string_view key, M& member, const FieldOptions& options = {}) {
    type.fields.push_back(field(key, member, options));
  }
  template <class M>
  void rest(M& member, const FieldOptions& options = {}) {
    type.rest = field({}, member, options);
  }
};

template <class T>
void fill_value(Type& t) {
  t.head = &head_of<T>;
  t.assign = &assign<T>;
  t.fetch = &fetch<T>;
  if constexpr (std::is_same_v<T, bool>)
    t.kind = ScalarKind::boolean;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    t.kind = ScalarKind::integer;
  else if constexpr (std::is_same_v<T, double>)
    t.kind = ScalarKind::ratio;
  else if constexpr (std::is_same_v<T, std::string>)
    t.kind = ScalarKind::text;
  else if constexpr (IsQuantity<T>::value)
    t.kind = ScalarKind::quantity, t.dimension = T::dimension;
  else if constexpr (std::is_enum_v<T>)
    t.kind = ScalarKind::choice, t.choices = kChoices<T>;
  else {
    t.kind = ScalarKind::parsed;
    if constexpr (requires { T::type_name; }) t.name = T::type_name;
    if constexpr (requires { T::example; }) t.example = T::example;
    if constexpr (requires { T::pattern; }) t.pattern = T::pattern;
  }
}

template <class T>
void fill_record(Type& t) {
  T prototype{};
  t.form = Type::Form::record;
  if constexpr (requires { T::type_name; }) t.name = T::type_name;
  if constexpr (requires { T::example; }) t.example = T::example;
  if constexpr (requires { T::refers_to_secret; }) t.secret = T::refers_to_secret;
  if constexpr (requires {
                  { prototype.span } -> std::same_as<SourceSpan&>;
                })
    t.span_offset = reinterpret_cast<const char*>(&prototype.span) - reinterpret_cast<const char*>(&prototype);
  if constexpr (requires(std::string & e) { T::from_text(std::string_view(), prototype, e); })
    t.from_text = [](std::string_view text, void* p, std::string& error) {
      return T::from_text(text, *static_cast<T*>(p), error);
    };
  RecordBuilder builder{t, reinterpret_cast<const char*>(&prototype)};
  T::describe(prototype, builder);
}

template <class M>
Type make_type() {
  Type t;
  t.clear = [](void* p) { *static_cast<M*>(p) = M{}; };
  if constexpr (IsValue<M>::value) {
    fill_value<typename IsValue<M>::Inner>(t);
  } else if constexpr (IsList<M>::value) {
    t.form = Type::Form::list;
    t.element = &type_of<typename IsList<M>::Inner>;
    t.size = [](const void* p) { return static_cast<const M*>(p)->size(); };
    t.at = [](void* p, std::size_t i) -> void* { return &(*static_cast<M*>(p))[i]; };
    t.append = [](void* p, std::string_view, SourceSpan) -> void* { return &static_cast<M*>(p)->emplace_back(); };
  } else if constexpr (IsMap<M>::value) {
    t.form = Type::Form::map;
    t.element = &type_of<typename IsMap<M>::Inner>;
    t.size = [](const void* p) { return static_cast<const M*>(p)->size(); };
    t.at = [](void* p, std::size_t i) -> void* { return &static_cast<M*>(p)->entries[i].value; };
    t.append = [](void* p, std::string_view name, SourceSpan span) -> void* {
      auto& entry = static_cast<M*>(p)->entries.emplace_back();
      entry.name = name;
      entry.name_span = span;
      return &entry.value;
    };
    t.reserve = [](void* p, std::size_t entries) { static_cast<M*>(p)->entries.reserve(entries); };
    t.entry_name = [](const void* p, std::size_t i) {
      return std::string_view(static_cast<const M*>(p)->entries[i].name);
    };
    t.entry_span = [](const void* p, std::size_t i) { return static_cast<const M*>(p)->entries[i].name_span; };
  } else if constexpr (IsMaybe<M>::value) {
    t.form = Type::Form::maybe;
    t.element = &type_of<typename IsMaybe<M>::Inner>;
    t.size = [](const void* p) { return std::size_t{static_cast<const M*>(p)->has_value()}; };
    t.at = [](void* p, std::size_t) -> void* { return &**static_cast<M*>(p); };
    t.append = [](void* p, std::string_view, SourceSpan) -> void* { return &static_cast<M*>(p)->emplace(); };
  } else {
    fill_record<M>(t);
  }
  return t;
}

}  // namespace shape_detail

template <class M>
const Type& type_of() {
  static const Type type = shape_detail::make_type<M>();
  return type;
}

// What a message or the reference shows for a type: "10.2 kW", "{ count: 4, size: 32 GiB }".
std::string example_of(const Type&, int depth = 2);
// "a power", "a whole number", "one of na, iec", "a list of lengths": what the type takes, in words.
std::string words_for(const Type&);

}  // namespace clusterc
