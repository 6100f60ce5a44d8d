#include "fields/differ.h"

#include <algorithm>

#include "fields/show.h"

namespace clusterc {
namespace {

void* mutable_pointer(const void* p) {
  return const_cast<void*>(p);
}  // Type's accessors take void*; nothing is written here

std::string path_to(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

// Anything that was written, as one line: a value, "[a, b]", "{ key: value }".
std::string line_of(const Type& t, const void* p) {
  std::string out;
  switch (t.form) {
    case Type::Form::value:
      return written_text(t, p);
    case Type::Form::maybe:
      return t.size(p) ? line_of(t.element(), t.at(mutable_pointer(p), 0)) : out;
    case Type::Form::list:
      for (std::size_t i = 0; i < t.size(p); ++i)  // what was filled in was not written
        if (const std::string item = line_of(t.element(), t.at(mutable_pointer(p), i)); !item.empty())
          out += (out.empty() ? "[" : ", ") + item;
      return out.empty() ? out : out + "]";
    case Type::Form::map:
      for (std::size_t i = 0; i < t.size(p); ++i)
        out += (out.empty() ? "{ " : ", ") + std::string(t.entry_name(p, i)) + ": " +
               line_of(t.element(), t.at(mutable_pointer(p), i));
      return out.empty() ? out : out + " }";
    case Type::Form::record:
      break;
  }
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out += (out.empty() ? "{ " : ", ") + std::string(key) + ": " + value;
  };
  for (const Field& f : t.fields) add(f.key, line_of(f.type(), f.in(p)));
  if (t.rest) {
    const Type& map = t.rest->type();
    const void* at = t.rest->in(p);
    for (std::size_t i = 0; i < map.size(at); ++i)
      add(map.entry_name(at, i), line_of(map.element(), map.at(mutable_pointer(at), i)));
  }
  return out.empty() ? out : out + " }";
}

class Differ {
 public:
  std::vector<ValueChange> changes;

  void compare(const Type& t, const void* a, const void* b, const std::string& path) {
    switch (t.form) {
      case Type::Form::value:
      case Type::Form::list:
        return lines(t, a, b, path);
      case Type::Form::maybe:
        if (t.size(a) && t.size(b))
          return compare(t.element(), t.at(mutable_pointer(a), 0), t.at(mutable_pointer(b), 0), path);
        return lines(t, a, b, path);
      case Type::Form::map:
        return maps(t, a, b, path);
      case Type::Form::record:
        break;
    }
    for (const Field& f : t.fields) compare(f.type(), f.in(a), f.in(b), path_to(path, f.key));
    if (t.rest) maps(t.rest->type(), t.rest->in(a), t.rest->in(b), path);
  }

 private:
  void lines(const Type& t, const void* a, const void* b, const std::string& path) {
    std::string before = line_of(t, a), after = line_of(t, b);
    if (before != after) changes.push_back({path, std::move(before), std::move(after)});
  }

  // Entries that were there, in their old order, then new ones: no map is sorted, each is walked once where the order
  // is the same.
  void maps(const Type& t, const void* a, const void* b, const std::string& path) {
    const std::size_t n = t.size(a), m = t.size(b);
    const auto find = [&](const void* map, std::size_t count, std::string_view name, std::size_t guess) {
      if (guess < count && t.entry_name(map, guess) == name) return guess;
      for (std::size_t i = 0; i < count; ++i)
        if (t.entry_name(map, i) == name) return i;
      return count;
    };
    const Type& element = t.element();
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view name = t.entry_name(a, i);
      const std::size_t j = find(b, m, name, i);
      const void* old = t.at(mutable_pointer(a), i);
      if (j < m)
        compare(element, old, t.at(mutable_pointer(b), j), path_to(path, name));
      else
        changes.push_back({path_to(path, name), line_of(element, old), {}});
    }
    for (std::size_t j = 0; j < m; ++j) {
      const std::string_view name = t.entry_name(b, j);
      if (find(a, n, name, j) == n)
        changes.push_back({path_to(path, name), {}, line_of(element, t.at(mutable_pointer(b), j))});
    }
  }
};

}  // namespace

std::string written_text(const Type& t, const void* p) {
  const ValueHead head = t.head(mutable_pointer(p));
  if (head.origin != Origin::spec) return {};
  if (!head.has) return head.unknown ? "unknown" : std::string();
  return scalar_text(t, p);
}

std::vector<ValueChange> written_changes(const Type& type, const void* before, const void* after) {
  Differ d;
  d.compare(type, before, after, {});
  return std::move(d.changes);
}

}  // namespace clusterc
