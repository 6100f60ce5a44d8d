// Every text that a spec holds, wherever it stands: what the rules of the security family read.
#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "rules/say.h"
#include "spec/sections.h"

namespace clusterc {

namespace written_texts {

template <class Say, class T>
void walk(const std::string& path, const T& struct_, const Say& say);
template <class Say, class T>
void walk(const std::string& path, const Value<T>& v, const Say& say) {
  if constexpr (std::is_same_v<T, std::string>)
    if (v && v.origin == Origin::spec) say(path, v);
}
template <class Say>
void walk(const std::string&, const SecretRef&, const Say&) {}  // a reference, and no secret
template <class Say, class T>
void walk(const std::string& path, const std::optional<T>& v, const Say& say) {
  if (v) walk(path, *v, say);
}
template <class Say, class T>
void walk(const std::string& path, const Apart<T>& v, const Say& say) {
  walk(path, *v, say);
}
template <class Say, class T>
void walk(const std::string& path, const MaybeApart<T>& v, const Say& say) {
  if (v) walk(path, *v, say);
}
template <class Say, class T>
void walk(const std::string& path, const std::vector<T>& list, const Say& say) {
  for (std::size_t i = 0; i < list.size(); ++i) walk(format("{}[{}]", path, i), list[i], say);
}
template <class Say, class T>
void walk(const std::string& path, const NamedMap<T>& map, const Say& say) {
  for (const auto& entry : map) walk(path.empty() ? entry.name : path + "." + entry.name, entry.value, say);
}

template <class Say>
struct Step {
  const std::string& path;
  const Say& say;
  template <class F>
  void operator()(std::string_view key, const F& field, const FieldOptions&) {
    walk(path.empty() ? std::string(key) : format("{}.{}", path, key), field, say);
  }
  template <class F>
  void rest(const F& map, const FieldOptions&) {
    walk(path, map, say);
  }
};
template <class Say, class T>
void walk(const std::string& path, const T& struct_, const Say& say) {
  Step<Say> step{path, say};
  T::describe(struct_, step);
}

}  // namespace written_texts

// Calls say(path, value) for each text of the spec, in the order of its description: "identity.server",
// "outputs.slurm.extra.slurm.conf[0]".
template <class Say>
void each_written_text(const Spec& spec, const Say& say) {
  written_texts::walk(std::string(), spec, say);
}

}  // namespace clusterc
