#include "fields/shape.h"

namespace clusterc {

std::string example_of(const Type& type, int depth) {
  if (!type.example.empty()) return std::string(type.example);
  switch (type.form) {
    case Type::Form::value:
      switch (type.kind) {
        case ScalarKind::boolean:
          return "true";
        case ScalarKind::integer:
          return "4";
        case ScalarKind::ratio:
          return "0.97";
        case ScalarKind::quantity:
          return unit_example(type.dimension);
        case ScalarKind::choice:
          return std::string(type.choices.empty() ? "" : type.choices[0]);
        case ScalarKind::text:
        case ScalarKind::parsed:
          break;
      }
      return "text";
    case Type::Form::list:
      return "[" + example_of(type.element(), depth - 1) + "]";
    case Type::Form::map:
      return "{ name: " + (depth > 0 ? example_of(type.element(), depth - 1) : "…") + " }";
    case Type::Form::maybe:
      return example_of(type.element(), depth);
    case Type::Form::record:
      break;
  }
  if (depth <= 0) return "{ … }";
  std::string out = "{ ";
  int shown = 0;
  for (const Field& f : type.fields) {
    if (!f.options.required || shown == 3) continue;
    out += (shown++ ? ", " : "") + std::string(f.key) + ": " + example_of(f.type(), depth - 1);
  }
  for (const Field& f : type.fields) {
    if (shown) break;
    out += std::string(f.key) + ": " + example_of(f.type(), depth - 1);
    ++shown;
  }
  if (!shown) return "{ name: … }";
  return out + (shown < static_cast<int>(type.fields.size()) ? ", … }" : " }");
}

std::string words_for(const Type& type) {
  switch (type.form) {
    case Type::Form::value:
      switch (type.kind) {
        case ScalarKind::boolean:
          return "true or false";
        case ScalarKind::integer:
          return "a whole number";
        case ScalarKind::ratio:
          return "a number, a fraction or a percentage";
        case ScalarKind::text:
          return "text";
        case ScalarKind::parsed:
          return type.name.empty() ? "text" : "a " + std::string(type.name);
        case ScalarKind::quantity:
          return "a quantity of " + std::string(dimension_name(type.dimension));
        case ScalarKind::choice:
          break;
      }
      {
        std::string out = type.choices.size() > 1 ? "one of " : "";
        for (std::size_t i = 0; i < type.choices.size(); ++i) out += (i ? ", " : "") + std::string(type.choices[i]);
        return out;
      }
    case Type::Form::list:
      return "a list";
    case Type::Form::map:
      return "a mapping of names";
    case Type::Form::maybe:
      return words_for(type.element());
    case Type::Form::record:
      break;
  }
  return "a mapping";
}

}  // namespace clusterc
