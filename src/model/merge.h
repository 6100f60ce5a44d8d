// Laying one described struct over another, field by field, through the struct's own description: a new field needs no
// line here. What is written wins over what is below it; a default of the language wins only over nothing. Lists are
// replaced, entries of maps by key.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "fields/scalars.h"

namespace clusterc {

template <class T>
void lay_over(T& below, const T& above);

namespace merge_detail {

template <class T>
void field(Value<T>& below, const Value<T>& above) {
  const bool said = above.value.has_value() || above.unknown;
  const bool below_said = below.value.has_value() || below.unknown;
  if (said && (above.origin != Origin::standard || !below_said)) below = above;
}
template <class T>
void field(std::vector<T>& below, const std::vector<T>& above) {
  if (!above.empty()) below = above;
}
// "8 x nvidia-h100": half of an old entry and half of a new one would be neither.
template <class T>
constexpr bool is_whole = std::is_same_v<T, PartCount> || std::is_same_v<T, Dimms> || std::is_same_v<T, Drives>;

template <class T>
void field(std::optional<T>& below, const std::optional<T>& above) {
  if (!above) return;
  bool replace = !below || is_whole<T>;
  // Another kind of thing (openmpi over mpich) takes nothing from the one that it replaces, least of all its version.
  if constexpr (requires(const T& t) { t.kind; })
    if (below && above->kind && above->kind.value != below->kind.value) replace = true;
  if (replace)
    below = above;
  else
    lay_over(*below, *above);
}
template <class T>
concept IsSocket = requires(T& t) {
  t.slots;
  t.switches;
};
// A device that a spec puts into a slot leaves the slot that the part has it in.
template <class Socket>
void take_out_moved(NamedMap<Socket>& below, const NamedMap<Socket>& above) {
  std::vector<std::string> placed;
  for (const auto& socket : above)
    for (const auto& slot : socket.value.slots) {
      if (slot.value.device) placed.push_back(*slot.value.device);
      for (const Value<std::string>& device : slot.value.devices)
        if (device) placed.push_back(*device);
    }
  for (auto& socket : below.entries) {
    const auto* again = above.find(socket.name);
    std::erase_if(socket.value.slots.entries, [&](const auto& slot) {
      return slot.value.device && !(again && again->value.slots.find(slot.name)) &&
             std::find(placed.begin(), placed.end(), *slot.value.device) != placed.end();
    });
  }
}
template <class T>
void field(NamedMap<T>& below, const NamedMap<T>& above) {
  if constexpr (IsSocket<T>) take_out_moved(below, above);
  for (const auto& entry : above) {
    auto* old = below.find(entry.name);
    // Slots that a spec adds to a socket stand beside those of the part. With `switches` the socket is described anew,
    // and `socket1: {}` empties it.
    if constexpr (IsSocket<T>)
      if (old && entry.value.switches.entries.empty() && !entry.value.slots.entries.empty()) {
        field(old->value.slots, entry.value.slots);
        old->name_span = entry.name_span;
        continue;
      }
    if (old)
      *old = entry;
    else
      below.entries.push_back(entry);
  }
}

struct Collect {
  std::vector<void*> fields;
  template <class F>
  void operator()(std::string_view, F& f, const FieldOptions&) {
    fields.push_back(&f);
  }
  template <class F>
  void rest(F& f, const FieldOptions&) {
    fields.push_back(&f);
  }
};
struct Apply {
  const std::vector<void*>& below;
  std::size_t next = 0;
  template <class F>
  void operator()(std::string_view, const F& above, const FieldOptions&) {
    field(*static_cast<F*>(below[next++]), above);
  }
  template <class F>
  void rest(const F& above, const FieldOptions&) {
    field(*static_cast<F*>(below[next++]), above);
  }
};

}  // namespace merge_detail

// Both descriptions name the same fields in the same order: it is the same function.
template <class T>
void lay_over(T& below, const T& above) {
  merge_detail::Collect fields;
  T::describe(below, fields);
  merge_detail::Apply apply{fields.fields};
  T::describe(above, apply);
}

}  // namespace clusterc
