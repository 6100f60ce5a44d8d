#include "template/evaluate.h"

#include <algorithm>

#include "base/text.h"
#include "template/filters.h"
#include "template/value_text.h"

namespace clusterc {
namespace {

using Kind = TemplateExpression::Kind;
using Value = TemplateValue;

// Part by part, numbers by their size: 12.9 before 13.0, 580.65 before 580.126; what is not said counts as nothing.
int version_order(std::string_view a, std::string_view b, const TemplateExpression& e) {
  for (const std::string_view v : {a, b})
    if (v.find_first_of("0123456789") == v.npos)
      fail_template(e.span, "'" + excerpt(v) + "' is no version that could be compared with another");
  const auto x = split(a, '.'), y = split(b, '.');
  for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const std::string_view p = i < x.size() ? x[i] : "0", q = i < y.size() ? y[i] : "0";
    const auto m = parse_uint(p), n = parse_uint(q);
    const int order = m && n ? (*m < *n ? -1 : *m > *n) : p < q ? -1 : p > q;
    if (order != 0) return order;
  }
  return 0;
}

// Absent where the keys are the spec's own; thrown where another key is a slip of the pen, always.
Value no_member(const Value& of, const std::string& key, SourceSpan at) {
  std::vector<std::string> known;
  const std::size_t most = of.object->fixed_keys() ? of.object->size() : std::min<std::size_t>(of.object->size(), 200);
  for (std::size_t i = 0; i < most; ++i) known.push_back(of.object->key(i));
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = nearest_name(key, views);
  std::string why = "there is no '" + shortened(key) + "' here";
  if (near)
    why += "; did you mean '" + std::string(*near) + "'?";
  else if (!known.empty())
    why += "; there are " + join(known.size() > 12 ? std::vector(known.begin(), known.begin() + 12) : known, ", ") +
           (known.size() > 12 ? ", …" : "");
  if (of.object->fixed_keys()) fail_template(at, why);
  return Value::absent(std::move(why));
}

}  // namespace

void fail_template(SourceSpan at, std::string message, std::string help) {
  throw TemplateProblem{at, std::move(message), std::move(help)};
}

void fail_unquoted(SourceSpan at, std::string_view text, std::string help) {
  fail_template(at, "'" + excerpt(text) + "' has signs that mean something in configuration files, and is not quoted",
                std::move(help));
}

Value TemplateEvaluator::present(const TemplateExpression& e) {
  Value v = value(e);
  if (v.kind == Value::Kind::absent)
    fail_template(e.span, std::string(v.text),
                  "if it may be missing, write {% if … is defined %}, or | default(\"…\")");
  return v;
}

bool TemplateEvaluator::truth(const TemplateExpression& e) {
  const Value v = present(e);
  switch (v.kind) {
    case Value::Kind::truth:
      return v.truth;
    case Value::Kind::integer:
      return v.integer != 0;
    case Value::Kind::number:
      return v.number != 0;
    case Value::Kind::text:
      return !v.text.empty();
    case Value::Kind::list:
    case Value::Kind::map:
      return v.object->size() > 0;
    case Value::Kind::absent:
      break;
  }
  return false;
}

Value TemplateEvaluator::named(const TemplateExpression& e) {
  for (std::size_t i = locals_.size(); i > 0; --i)
    if (locals_[i - 1].name == e.word) return locals_[i - 1].value;
  if (auto v = names_.member(e.word)) return *std::move(v);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < names_.size(); ++i) known.push_back(names_.key(i));
  for (const Local& l : locals_) known.emplace_back(l.name);
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = nearest_name(e.word, views);
  fail_template(e.span, "nothing is called '" + shortened(e.word) + "'",
                near ? "did you mean '" + std::string(*near) + "'?" : "there are " + join(known, ", "));
}

Value TemplateEvaluator::item(const Value& list, std::int64_t number) const {
  const auto size = static_cast<std::int64_t>(list.object->size());
  const std::int64_t at = number < 0 ? number + size : number;
  if (at < 0 || at >= size)
    return Value::absent("there is no item " + std::to_string(number) + " in a list of " + std::to_string(size) +
                         ", which are counted from 0");
  return list.object->item(static_cast<std::size_t>(at));
}

Value TemplateEvaluator::member(const TemplateExpression& e) {
  const Value of = value(*e.operands[0]);
  if (of.kind == Value::Kind::absent) return of;
  std::string key;
  if (e.operands.size() == 1) {
    key = e.word;
  } else {
    const Value k = present(*e.operands[1]);
    if (k.kind == Value::Kind::integer && of.kind == Value::Kind::list) return item(of, k.integer);
    if (k.kind != Value::Kind::text)
      fail_template(e.operands[1]->span, "in brackets stands a key in quotes, or the number of an item of a list");
    key = k.text;
  }
  if (of.kind != Value::Kind::map)
    fail_template(e.span, "this is " + std::string(word_of(of.kind)) + ": it has no '" + shortened(key) + "'",
                  of.kind == Value::Kind::list ? "{% for item in … %} goes through a list, [0] is its first item" : "");
  if (auto v = of.object->member(key)) {
    if (v->kind == Value::Kind::absent && v->text.empty()) {
      Value nothing = Value::absent("'" + shortened(key) + "' has no value");
      nothing.version = v->version, nothing.sized = v->sized, nothing.dimension = v->dimension;
      return nothing;
    }
    return *std::move(v);
  }
  return no_member(of, key, e.span);
}

bool TemplateEvaluator::is_item(const TemplateExpression& e, const Value& what, const Value& list) {
  for (std::size_t i = 0; i < list.object->size(); ++i) {
    budget_.step(e.span);
    const Value item = list.object->item(i);
    if (!is_scalar(item))
      fail_template(e.span,
                    "the items of this list are " + std::string(item.kind == Value::Kind::map ? "maps" : "lists") +
                        ": nothing is found among them",
                    "{% for item in … %} goes through them, {% if item.… == … %} asks for one");
    if (!is_scalar(what))
      fail_template(e.operands[0]->span, "this is " + std::string(word_of(what.kind)) + ", and no single value");
    const bool alike =
        is_number(item) == is_number(what) && (item.kind == Value::Kind::truth) == (what.kind == Value::Kind::truth);
    const bool found =
        what.si || item.si || what.version || item.version
            ? order_of(what, item, e) == 0
            : alike && (is_number(what) ? number_of(what) == number_of(item) : text_of(what) == text_of(item));
    if (found) return true;
  }
  return false;
}

bool TemplateEvaluator::is_in(const TemplateExpression& e, const Value& what, const Value& where) {
  if (where.kind == Value::Kind::list) return is_item(e, what, where);
  if (where.kind == Value::Kind::map && what.kind == Value::Kind::text)
    return where.object->member(what.text).has_value();
  if (where.kind == Value::Kind::text && what.kind == Value::Kind::text) {
    budget_.charge(where.text, e.span);
    return find_in(where.text, what.text) != where.text.npos;
  }
  fail_template(e.span, "a list, a map or a text must follow 'in', not " + std::string(word_of(where.kind)));
}

Value TemplateEvaluator::compared(const TemplateExpression& e) {
  const Value a = present(*e.operands[0]), b = present(*e.operands[1]);
  if (e.kind == Kind::in || e.kind == Kind::not_in) return Value::of(is_in(e, a, b) == (e.kind == Kind::in));
  const int order = order_of(a, b, e);
  switch (e.kind) {
    case Kind::equal:
      return Value::of(order == 0);
    case Kind::unequal:
      return Value::of(order != 0);
    case Kind::less:
      return Value::of(order < 0);
    case Kind::at_most:
      return Value::of(order <= 0);
    case Kind::more:
      return Value::of(order > 0);
    default:
      return Value::of(order >= 0);
  }
}

double TemplateEvaluator::size_of(const Value& v, Dimension dimension, const TemplateExpression& e) const {
  if (v.si) {
    if (v.dimension != dimension)
      fail_template(e.span, "'" + std::string(v.text) + "' is of another kind than what it is compared with");
    return *v.si;
  }
  QuantityError why;
  const auto si = v.kind == Value::Kind::text ? parse_quantity(v.text, dimension, why) : std::nullopt;
  if (!si)
    fail_template(e.span, "'" + excerpt(text_of(v)) + "' is no quantity of the kind that it is compared with",
                  "write it with its unit, \"50 Gb/s\"; | si gives a quantity as the number of its SI unit");
  return *si;
}

int TemplateEvaluator::order_of(const Value& a, const Value& b, const TemplateExpression& e) const {
  int order = 0;
  if (a.si || b.si) {
    const Dimension dimension = a.si ? a.dimension : b.dimension;
    const double x = size_of(a, dimension, e), y = size_of(b, dimension, e);
    order = x < y ? -1 : x > y;
  } else if ((a.version || b.version) && (a.kind == Value::Kind::text || is_number(a)) &&
             (b.kind == Value::Kind::text || is_number(b))) {
    order = version_order(text_of(a), text_of(b), e);
  } else if (is_number(a) && is_number(b)) {
    if (a.kind == Value::Kind::integer && b.kind == Value::Kind::integer)
      order = a.integer < b.integer ? -1 : a.integer > b.integer;
    else
      order = number_of(a) < number_of(b) ? -1 : number_of(a) > number_of(b);
  } else if (a.kind == Value::Kind::text && b.kind == Value::Kind::text) {
    order = a.text < b.text ? -1 : a.text > b.text;
  } else if (a.kind == Value::Kind::truth && b.kind == Value::Kind::truth &&
             (e.kind == Kind::equal || e.kind == Kind::unequal)) {
    order = a.truth != b.truth;
  } else {
    fail_template(e.span, std::string(word_of(a.kind)) + " cannot be compared with " + std::string(word_of(b.kind)));
  }
  return order;
}

Value TemplateEvaluator::value(const TemplateExpression& e) {
  budget_.step(e.span);
  switch (e.kind) {
    case Kind::literal:
      return e.value;
    case Kind::name:
      return named(e);
    case Kind::member:
      return member(e);
    case Kind::list: {
      std::vector<Value> items;
      for (const auto& o : e.operands) items.push_back(present(*o));
      return Value::list(std::make_shared<TemplateList>(std::move(items)));
    }
    case Kind::negation:
      return Value::of(!truth(*e.operands[0]));
    case Kind::both:
      return Value::of(truth(*e.operands[0]) && truth(*e.operands[1]));
    case Kind::either:
      return Value::of(truth(*e.operands[0]) || truth(*e.operands[1]));
    case Kind::defined:
      return Value::of(is_there(value(*e.operands[0])));
    case Kind::undefined:
      return Value::of(!is_there(value(*e.operands[0])));
    case Kind::filter:
      return apply_filter(*this, e);
    default:
      return compared(e);
  }
}

}  // namespace clusterc
