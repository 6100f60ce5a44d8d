#include "fields/standards.h"

#include <stdexcept>

#include "base/format.h"
#include "fields/read.h"
#include "fields/scalar_text.h"

namespace clusterc {
namespace {

bool standard_value(const Type& t, std::string_view text, std::string_view why, void* out) {
  Scalar s;
  NumberProblem problem;
  QuantityError quantity_error{};
  std::string error;
  bool ok = true;
  switch (t.kind) {
    case ScalarKind::text:
    case ScalarKind::parsed:
      s.text = text;
      break;
    case ScalarKind::boolean: {
      const auto read = parse_truth(text);
      ok = read.has_value();
      s.truth = read.value_or(false);
      break;
    }
    case ScalarKind::integer: {
      const auto read = parse_whole(text, problem);
      ok = read.has_value();
      s.integer = read.value_or(0);
      break;
    }
    case ScalarKind::ratio: {
      const auto read = parse_ratio(text, problem);
      ok = read.has_value();
      s.number = read.value_or(0);
      break;
    }
    case ScalarKind::quantity: {
      const auto read = parse_quantity(text, t.dimension, quantity_error);
      ok = read.has_value();
      s.number = read.value_or(0);
      break;
    }
    case ScalarKind::choice:
      while (s.choice < t.choices.size() && t.choices[s.choice] != text) ++s.choice;
      ok = s.choice < t.choices.size();
      break;
  }
  if (!ok || !t.assign(out, s, error)) return false;
  const ValueHead head = t.head(out);
  head.origin = Origin::standard;
  head.source = why;
  return true;
}

}  // namespace

void fill_standard(const Field& f, void* record) {
  const Type& t = f.type();
  void* out = f.in(record);
  if (t.form == Type::Form::record) return fill_standards(t, out);
  if (f.options.standard.empty()) return;
  const auto bug = [&](std::string_view why) {
    throw std::logic_error(format("default '{}' of key '{}' {}", f.options.standard, f.key, why));
  };
  if (t.form == Type::Form::list) {
    const Type& e = t.element();
    if (e.form != Type::Form::value) bug("is for a list of mappings");
    if (t.size(out) > 0) return;
    std::string_view rest = f.options.standard;
    if (rest.starts_with('[')) rest = rest.substr(1, rest.size() - 2);
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      std::string_view one = rest.substr(0, comma);
      while (one.starts_with(' ')) one.remove_prefix(1);
      if (!standard_value(e, one, f.options.why, t.append(out, {}, {}))) bug("cannot be read");
      rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    return;
  }
  if (t.form != Type::Form::value) bug("is for a mapping");
  const ValueHead head = t.head(out);
  if (head.has || head.unknown) return;
  if (!standard_value(t, f.options.standard, f.options.why, out)) bug("cannot be read");
}

void fill_standards(const Type& type, void* record) {
  for (const Field& f : type.fields) fill_standard(f, record);
}

}  // namespace clusterc
