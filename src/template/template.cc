#include "template/template.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "template/parse.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Kind = TemplateExpression::Kind;
using Value = TemplateValue;

std::string shortened(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "…" : ""); }

// Linear whatever the texts are, unlike std::string_view::find.
std::size_t find_in(std::string_view text, std::string_view what, std::size_t from = 0) {
  if (from > text.size()) return text.npos;
  const void* at = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : text.npos;
}

std::string_view word_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::absent:
      return "nothing";
    case Value::Kind::truth:
      return "true or false";
    case Value::Kind::integer:
    case Value::Kind::number:
      return "a number";
    case Value::Kind::text:
      return "a text";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      break;
  }
  return "a map";
}

// Nothing in it begins, ends or divides anything in the formats that clusters are configured with: it may stand where
// no quotes are.
bool stands_alone(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() == ' ' || text.back() == ' ' || text.front() == '[' || text.front() == '-' || text.front() == '%' ||
      text.front() == '@')
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view(" ._/:@+,=%-[]").find(c) != std::string_view::npos;
    if (!good || (c == ':' && i + 1 < text.size() && text[i + 1] == ' ') ||
        (c == ' ' && i + 1 < text.size() && text[i + 1] == ' '))
      return false;
  }
  return text.back() != ':';
}

std::string text_of(const Value& v) {
  switch (v.kind) {
    case Value::Kind::truth:
      return v.truth ? "true" : "false";
    case Value::Kind::integer:
      return std::to_string(v.integer);
    case Value::Kind::number: {
      char buffer[32];
      return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v.number).ptr};
    }
    case Value::Kind::text:
      return std::string(v.text);
    default:
      return {};
  }
}

bool is_scalar(const Value& v) {
  return v.kind != Value::Kind::absent && v.kind != Value::Kind::list && v.kind != Value::Kind::map;
}
bool is_number(const Value& v) { return v.kind == Value::Kind::integer || v.kind == Value::Kind::number; }
double number_of(const Value& v) { return v.kind == Value::Kind::integer ? static_cast<double>(v.integer) : v.number; }
bool is_there(const Value& v) { return v.kind != Value::Kind::absent && !v.unset; }
// What filters change is as safe as before, unless it was safe by its quotes alone.
bool stays_safe(const Value& v) { return v.safe && !v.quoted; }
Value in_quotes(std::string text) {
  Value v = Value::of(std::move(text), true);
  v.quoted = true;
  return v;
}
bool may_stand(const Value& v) { return v.kind != Value::Kind::text || v.safe || stands_alone(v.text); }

class Renderer {
 public:
  Renderer(const TemplateMap& names, const Template::Include& include, std::string& out, const TemplateLimits& limits)
      : names_(names),
        include_(include),
        out_(out),
        limits_(limits),
        most_(out.size() + limits.bytes),
        own_(limits.steps),
        left_(limits.left ? *limits.left : own_) {}

  void block(const TemplateBlock& b) {
    for (const TemplateNode& node : b.nodes) this->node(node);
  }

  std::function<const TemplateBlock&(const Template&)> block_of;

 private:
  struct Local {
    std::string_view name;
    Value value;
  };

  [[noreturn]] static void fail(SourceSpan at, std::string message, std::string help = {}) {
    throw TemplateProblem{at, std::move(message), std::move(help)};
  }

  void step(SourceSpan at) {
    if (--left_ < 0)
      throw TemplateProblem{at,
                            (limits_.left ? "the templates take more than " : "the template takes more than ") +
                                std::to_string(limits_.steps) + " steps",
                            "look for loops in loops over many nodes", true};
  }
  void charge(std::string_view text, SourceSpan at) {  // what goes through a whole text costs as much as it is long
    left_ -= static_cast<std::int64_t>(text.size() / 256);
    step(at);
  }
  void append(std::string_view text, SourceSpan at) {
    if (text.size() > most_ - std::min(most_, out_.size()))
      throw TemplateProblem{at, "the template gives more than " + std::to_string(limits_.bytes >> 20) + " MiB",
                            "look for loops in loops over many nodes", true};
    out_ += text;
  }

  void node(const TemplateNode& n) {
    step(n.span);
    switch (n.kind) {
      case TemplateNode::Kind::text:
        return append(n.text, n.span);
      case TemplateNode::Kind::value: {
        const Value v = present(*n.expression);
        if (!is_scalar(v))
          fail(n.span, "this is " + std::string(word_of(v.kind)) + ", and no text",
               v.kind == Value::Kind::list
                   ? "| join(\",\") makes one text of it, | tojson a list in brackets"
                   : "| tojson writes it as one; {% for key, value in … | items %} goes through it");
        if (!may_stand(v))
          fail(n.span,
               "'" + shortened(one_line(v.text)) +
                   "' has signs that mean something in configuration files, and is not quoted",
               "| tojson (JSON, YAML and most others), | quote (a word for a shell); | safe where the file takes it as "
               "it is");
        return append(text_of(v), n.span);
      }
      case TemplateNode::Kind::branch:
        for (std::size_t i = 0; i < n.parts.size(); ++i)
          if (i >= n.tests.size() || truth(*n.tests[i])) return block(n.parts[i]);
        return;
      case TemplateNode::Kind::loop:
        return loop(n);
      case TemplateNode::Kind::include: {
        const Template* other = include_ ? include_(n.text) : nullptr;
        if (!other)
          fail(n.span, "there is no file '" + shortened(n.text) + "' in the folder of templates",
               "name it as seen from that folder");
        if (++depth_ > limits_.include_depth)
          throw TemplateProblem{n.span,
                                "files include each other more than " + std::to_string(limits_.include_depth) + " deep",
                                "one of them includes itself", true};
        try {
          block(block_of(*other));
        } catch (TemplateProblem& p) {
          p.through.push_back(n.span);
          throw;
        }
        --depth_;
        return;
      }
    }
  }

  void loop(const TemplateNode& n) {
    const Value over = present(*n.expression);
    if (over.kind == Value::Kind::map)
      fail(n.expression->span, "this is a map", "{% for key, value in … | items %} goes through it");
    if (over.kind != Value::Kind::list)
      fail(n.expression->span, "this is " + std::string(word_of(over.kind)) + ", and no list");
    const std::size_t size = over.object->size();
    if (size == 0 && n.parts.size() > 1) return block(n.parts[1]);
    const std::size_t before = locals_.size();
    for (std::size_t i = 0; i < size; ++i) {
      step(n.span);
      Value item = over.object->at(i);
      if (n.second.empty()) {
        locals_.push_back({n.first, std::move(item)});
      } else {
        if (item.kind != Value::Kind::list || item.object->size() != 2)
          fail(n.expression->span, "the loop has two names, and its items are no pairs",
               "{% for key, value in … | items %} goes through a map");
        locals_.push_back({n.first, item.object->at(0)});
        locals_.push_back({n.second, item.object->at(1)});
      }
      locals_.push_back({"loop", Value::map(std::make_shared<Loop>(i, size))});
      block(n.parts[0]);
      locals_.resize(before);
    }
  }

  // ---- values
  // ------------------------------------------------------------------------------------------------------------------------
  Value present(const TemplateExpression& e) {
    Value v = value(e);
    if (v.kind == Value::Kind::absent)
      fail(e.span, std::string(v.text), "where it may be missing: {% if … is defined %}, or | default(\"…\")");
    return v;
  }

  bool truth(const TemplateExpression& e) {
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

  Value named(const TemplateExpression& e) {
    for (std::size_t i = locals_.size(); i > 0; --i)
      if (locals_[i - 1].name == e.word) return locals_[i - 1].value;
    if (auto v = names_.member(e.word)) return *std::move(v);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < names_.size(); ++i) known.push_back(names_.key(i));
    for (const Local& l : locals_) known.emplace_back(l.name);
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto near = nearest_name(e.word, views);
    fail(e.span, "nothing is called '" + shortened(e.word) + "'",
         near ? "did you mean '" + std::string(*near) + "'?" : "there are " + join(known, ", "));
  }

  Value member(const TemplateExpression& e) {
    const Value of = value(*e.operands[0]);
    if (of.kind == Value::Kind::absent) return of;
    std::string key;
    if (e.operands.size() == 1) {
      key = e.word;
    } else {
      const Value k = present(*e.operands[1]);
      if (k.kind == Value::Kind::integer && of.kind == Value::Kind::list) {
        const auto size = static_cast<std::int64_t>(of.object->size());
        const std::int64_t at = k.integer < 0 ? k.integer + size : k.integer;
        if (at < 0 || at >= size)
          return Value::absent("there is no item " + std::to_string(k.integer) + " in a list of " +
                               std::to_string(size) + ", which are counted from 0");
        return of.object->at(static_cast<std::size_t>(at));
      }
      if (k.kind != Value::Kind::text)
        fail(e.operands[1]->span, "in brackets stands a key in quotes, or the number of an item of a list");
      key = k.text;
    }
    if (of.kind != Value::Kind::map)
      fail(e.span, "this is " + std::string(word_of(of.kind)) + ": it has no '" + shortened(key) + "'",
           of.kind == Value::Kind::list ? "{% for item in … %} goes through a list, [0] is its first item" : "");
    if (auto v = of.object->member(key)) {
      if (v->kind == Value::Kind::absent && v->text.empty()) {
        Value nothing = Value::absent("'" + shortened(key) + "' has no value");
        nothing.version = v->version, nothing.sized = v->sized, nothing.dimension = v->dimension;
        return nothing;
      }
      return *std::move(v);
    }
    std::vector<std::string> known;
    const std::size_t most =
        of.object->fixed_keys() ? of.object->size() : std::min<std::size_t>(of.object->size(), 200);
    for (std::size_t i = 0; i < most; ++i) known.push_back(of.object->key(i));
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto near = nearest_name(key, views);
    std::string why = "there is no '" + shortened(key) + "' here";
    if (near)
      why += "; did you mean '" + std::string(*near) + "'?";
    else if (!known.empty())
      why += "; there are " + join(known.size() > 12 ? std::vector(known.begin(), known.begin() + 12) : known, ", ") +
             (known.size() > 12 ? ", …" : "");
    if (of.object->fixed_keys()) fail(e.span, why);
    return Value::absent(std::move(why));
  }

  Value compared(const TemplateExpression& e) {
    const Value a = present(*e.operands[0]), b = present(*e.operands[1]);
    if (e.kind == Kind::in || e.kind == Kind::not_in) {
      bool found = false;
      if (b.kind == Value::Kind::list) {
        for (std::size_t i = 0; i < b.object->size() && !found; ++i) {
          step(e.span);
          const Value item = b.object->at(i);
          if (!is_scalar(item))
            fail(e.span,
                 "the items of this list are " + std::string(item.kind == Value::Kind::map ? "maps" : "lists") +
                     ": nothing is found among them",
                 "{% for item in … %} goes through them, {% if item.… == … %} asks for one");
          if (!is_scalar(a))
            fail(e.operands[0]->span, "this is " + std::string(word_of(a.kind)) + ", and no single value");
          const bool alike =
              is_number(item) == is_number(a) && (item.kind == Value::Kind::truth) == (a.kind == Value::Kind::truth);
          found = a.si || item.si || a.version || item.version
                      ? order_of(a, item, e) == 0
                      : alike && (is_number(a) ? number_of(a) == number_of(item) : text_of(a) == text_of(item));
        }
      } else if (b.kind == Value::Kind::map && a.kind == Value::Kind::text) {
        found = b.object->member(a.text).has_value();
      } else if (b.kind == Value::Kind::text && a.kind == Value::Kind::text) {
        charge(b.text, e.span), found = find_in(b.text, a.text) != b.text.npos;
      } else {
        fail(e.span, "behind 'in' stands a list, a map or a text, not " + std::string(word_of(b.kind)));
      }
      return Value::of(found == (e.kind == Kind::in));
    }
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

  // The size of a quantity, or of what is compared with one: "50 Gb/s" beside a rate.
  double size_of(const Value& v, Dimension dimension, const TemplateExpression& e) {
    if (v.si) {
      if (v.dimension != dimension)
        fail(e.span, "'" + std::string(v.text) + "' is of another kind than what it is compared with");
      return *v.si;
    }
    QuantityError why;
    const auto si = v.kind == Value::Kind::text ? parse_quantity(v.text, dimension, why) : std::nullopt;
    if (!si)
      fail(e.span, "'" + shortened(one_line(text_of(v))) + "' is no quantity of the kind that it is compared with",
           "write it with its unit, \"50 Gb/s\"; | si gives a quantity as the number of its SI unit");
    return *si;
  }

  // Part by part, numbers by their size: 12.9 before 13.0, 580.65 before 580.126; what is not said counts as nothing.
  int version_order(std::string_view a, std::string_view b, const TemplateExpression& e) {
    for (const std::string_view v : {a, b})
      if (v.find_first_of("0123456789") == v.npos)
        fail(e.span, "'" + shortened(one_line(v)) + "' is no version that could be compared with another");
    const auto x = split(a, '.'), y = split(b, '.');
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      const std::string_view p = i < x.size() ? x[i] : "0", q = i < y.size() ? y[i] : "0";
      const auto m = parse_uint(p), n = parse_uint(q);
      const int order = m && n ? (*m < *n ? -1 : *m > *n) : p < q ? -1 : p > q;
      if (order != 0) return order;
    }
    return 0;
  }

  int order_of(const Value& a, const Value& b, const TemplateExpression& e) {
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
      fail(e.span, std::string(word_of(a.kind)) + " cannot be compared with " + std::string(word_of(b.kind)));
    }
    return order;
  }

  Value value(const TemplateExpression& e) {
    step(e.span);
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
        return filtered(e);
      default:
        return compared(e);
    }
  }

  // ---- filters
  // -----------------------------------------------------------------------------------------------------------------------
  void json(const Value& v, JsonWriter& out, const TemplateExpression& e) {
    step(e.span);
    if (out_.size() + json_.size() > most_)
      throw TemplateProblem{e.span, "the template gives more than " + std::to_string(limits_.bytes >> 20) + " MiB", "",
                            true};
    switch (v.kind) {
      case Value::Kind::absent:
        out.null();
        return;
      case Value::Kind::truth:
        out.value(v.truth);
        return;
      case Value::Kind::integer:
        out.value(v.integer);
        return;
      case Value::Kind::number:
        out.value(v.number);
        return;
      case Value::Kind::text:
        out.value(v.text);
        return;
      case Value::Kind::list:
        out.begin_array(JsonWriter::Layout::line);
        for (std::size_t i = 0; i < v.object->size(); ++i) json(v.object->at(i), out, e);
        out.end_array();
        return;
      case Value::Kind::map:
        out.begin_object(JsonWriter::Layout::line);
        for (std::size_t i = 0; i < v.object->size(); ++i) {
          const Value member = v.object->at(i);
          if (member.kind == Value::Kind::absent) continue;  // keys that nobody set
          out.key(v.object->key(i));
          json(member, out, e);
        }
        out.end_object();
    }
  }

  std::string text_argument(const TemplateExpression& e, std::size_t i) {
    const Value v = present(*e.operands[i]);
    if (v.kind != Value::Kind::text)
      fail(e.operands[i]->span, "here stands a text, not " + std::string(word_of(v.kind)));
    if (!may_stand(v))
      fail(e.operands[i]->span,
           "'" + shortened(one_line(v.text)) +
               "' has signs that mean something in configuration files, and is not quoted",
           "| tojson, | quote, or | safe");
    return std::string(v.text);
  }

  Value filtered(const TemplateExpression& e) {
    const std::string_view name = e.word;
    if (name == "default") {
      Value v = value(*e.operands[0]);
      if (is_there(v)) return v;
      Value other = present(*e.operands[1]);  // compared as what it stands for would be
      other.version |= v.version && (other.kind == Value::Kind::text || is_number(other));
      if (v.sized && !other.si)
        other.si = size_of(other, v.dimension, e), other.dimension = v.dimension, other.kind = Value::Kind::text;
      return other;
    }
    const Value v = present(*e.operands[0]);
    const auto only = [&](bool good, std::string_view what) {
      if (!good)
        fail(e.span, "the filter '" + std::string(name) + "' takes " + std::string(what) + ", and this is " +
                         std::string(word_of(v.kind)));
    };
    charge(v.text, e.span);
    if (name == "tojson") {
      json_.clear();
      JsonWriter writer(json_);
      json(v, writer, e);
      return in_quotes(std::exchange(json_, {}));
    }
    const bool list = v.kind == Value::Kind::list, map = v.kind == Value::Kind::map, text = v.kind == Value::Kind::text;
    if (name == "length") {
      only(list || map || text, "a list, a map or a text");
      return Value::of(
          static_cast<std::int64_t>(text ? static_cast<std::size_t>(std::count_if(
                                               v.text.begin(), v.text.end(),
                                               [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }))
                                         : v.object->size()));
    }
    if (name == "items") {
      only(map, "a map");
      return Value::list(std::make_shared<Items>(v.object));
    }
    if (name == "first" || name == "last") {
      only(list, "a list");
      const std::size_t size = v.object->size();
      return size == 0 ? Value::absent("the list is empty") : v.object->at(name == "first" ? 0 : size - 1);
    }
    if (name == "join") {
      only(list, "a list");
      const std::string between = text_argument(e, 1);
      std::string all;
      bool any_quoted = false;
      for (std::size_t i = 0; i < v.object->size(); ++i) {
        step(e.span);
        const Value item = v.object->at(i);
        if (!is_scalar(item))
          fail(e.span, "an item of the list is " + std::string(word_of(item.kind)) + ", and no text");
        if (!may_stand(item))
          fail(e.span,
               "'" + shortened(one_line(item.text)) +
                   "' has signs that mean something in configuration files, and is not quoted",
               "go through the list with {% for %} and quote each; | tojson quotes them all");
        if (i > 0) all += between;
        all += text_of(item);
        any_quoted |= item.quoted;
        if (all.size() > most_)
          throw TemplateProblem{e.span, "the template gives more than " + std::to_string(limits_.bytes >> 20) + " MiB",
                                "", true};
      }
      return any_quoted ? in_quotes(std::move(all)) : Value::of(std::move(all), true);
    }
    if (name == "si") {
      only(v.si.has_value(), "a quantity");
      return *v.si == static_cast<double>(static_cast<std::int64_t>(*v.si)) && std::abs(*v.si) < 9e15
                 ? Value::of(static_cast<std::int64_t>(*v.si))
                 : Value::of(*v.si);
    }
    if (name == "quote") {
      only(is_scalar(v), "one value");
      if (v.kind == Value::Kind::text && v.text.find('\0') != v.text.npos)
        fail(e.span, "no word of a shell has a zero byte");
      std::string word;
      append_shell_word(word, text_of(v));
      return in_quotes(std::move(word));
    }
    if (name == "safe") {
      only(is_scalar(v), "one value");
      return Value::of(text_of(v), true);
    }
    only(text, "a text");
    if (name == "lower" || name == "upper") {
      std::string changed = to_lower(v.text);
      if (name == "upper") {
        changed = v.text;
        for (char& c : changed)
          if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      return Value::of(std::move(changed), stays_safe(v));
    }
    if (name == "trim") return Value::of(std::string(clusterc::trim(v.text)), stays_safe(v));
    if (name == "lines") {
      std::vector<Value> lines;
      std::string_view rest = v.text;
      if (rest.ends_with('\n')) rest.remove_suffix(1);
      if (!v.text.empty())
        for (const std::string_view line : split(rest, '\n')) {
          left_ -= 3, step(e.span);  // an item is some hundred bytes
          Value item = v;
          item.text = line;
          item.safe = stays_safe(v), item.quoted = item.version = false, item.si.reset();
          lines.push_back(std::move(item));
        }
      return Value::list(std::make_shared<TemplateList>(std::move(lines)));
    }
    const std::string from = text_argument(e, 1), to = text_argument(e, 2);  // replace
    if (from.empty()) fail(e.operands[1]->span, "an empty text can be replaced nowhere");
    std::size_t times = 0;
    for (std::size_t at = find_in(v.text, from); at != v.text.npos; at = find_in(v.text, from, at + from.size()))
      ++times;
    if (times == 0)
      fail(e.operands[1]->span, "the text has no '" + shortened(one_line(from)) + "' that could be replaced",
           "compile without this template, and look at the file");
    if (v.text.size() + times * to.size() > most_)
      throw TemplateProblem{e.span, "the template gives more than " + std::to_string(limits_.bytes >> 20) + " MiB", "",
                            true};
    std::string changed;
    changed.reserve(v.text.size() + times * to.size());
    std::size_t done = 0;
    for (std::size_t at = find_in(v.text, from); at != v.text.npos; at = find_in(v.text, from, done)) {
      changed.append(v.text.substr(done, at - done)).append(to);
      done = at + from.size();
    }
    changed.append(v.text.substr(done));
    charge(changed, e.span);
    return Value::of(std::move(changed), stays_safe(v));
  }

  static std::string one_line(std::string_view text) {
    std::string out(text);
    for (char& c : out)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return out;
  }

  class Loop : public TemplateObject {
   public:
    Loop(std::size_t place, std::size_t size) : place_(place), size_(size) {}
    std::size_t size() const override { return std::size(kKeys); }
    std::string key(std::size_t i) const override { return std::string(kKeys[i]); }
    bool fixed_keys() const override { return true; }
    Value at(std::size_t i) const override {
      switch (i) {
        case 0:
          return Value::of(static_cast<std::int64_t>(place_ + 1));
        case 1:
          return Value::of(static_cast<std::int64_t>(place_));
        case 2:
          return Value::of(place_ == 0);
        case 3:
          return Value::of(place_ + 1 == size_);
        default:
          return Value::of(static_cast<std::int64_t>(size_));
      }
    }

   private:
    static constexpr std::string_view kKeys[] = {"index", "index0", "first", "last", "length"};
    std::size_t place_, size_;
  };

  class Items : public TemplateObject {
   public:
    explicit Items(std::shared_ptr<const TemplateObject> map) : map_(std::move(map)) {
      for (std::size_t i = 0; i < map_->size(); ++i)
        if (!map_->fixed_keys() || map_->at(i).kind != Value::Kind::absent)
          there_.push_back(i);  // keys that nobody set are no items
    }
    std::size_t size() const override { return there_.size(); }
    Value at(std::size_t i) const override {
      return Value::list(
          std::make_shared<TemplateList>(std::vector{Value::of(map_->key(there_[i])), map_->at(there_[i])}));
    }

   private:
    std::shared_ptr<const TemplateObject> map_;
    std::vector<std::size_t> there_;
  };

  const TemplateMap& names_;
  const Template::Include& include_;
  std::string& out_;
  const TemplateLimits& limits_;
  std::size_t most_;
  std::string json_;
  std::vector<Local> locals_;
  std::int64_t own_;
  std::int64_t& left_;
  int depth_ = 0;
};

void say(const TemplateProblem& p, std::string_view otherwise, Findings& findings) {
  Finding& f = findings.error(p.limit ? "output-template-limit" : otherwise, p.span, p.message);
  if (!p.help.empty()) f.help(p.help);
  for (std::size_t i = 0; i < std::min<std::size_t>(p.through.size(), 3); ++i)
    f.note(p.through[i], "included here");  // of files that include each other three are enough
}

void gather(const TemplateBlock& block, std::vector<std::string_view>& out) {
  for (const TemplateNode& n : block.nodes) {
    if (n.kind == TemplateNode::Kind::include) out.push_back(n.text);
    for (const TemplateBlock& part : n.parts) gather(part, out);
  }
}

}  // namespace

std::optional<TemplateValue> TemplateObject::member(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (key(i) == name) return at(i);
  return std::nullopt;
}

Template::~Template() = default;

std::shared_ptr<const Template> Template::parse(const Sources& sources, FileId file, Findings& findings) {
  try {
    std::shared_ptr<Template> made(new Template);
    made->block_ = std::make_unique<TemplateBlock>(parse_template(sources, file));
    return made;
  } catch (const TemplateProblem& p) {
    say(p, "output-template-syntax", findings);
    return nullptr;
  }
}

bool Template::render(const TemplateMap& names, const Include& include, std::string& out, Findings& findings,
                      const TemplateLimits& limits) const {
  try {
    Renderer renderer(names, include, out, limits);
    renderer.block_of = [](const Template& t) -> const TemplateBlock& { return *t.block_; };
    renderer.block(*block_);
    return true;
  } catch (const TemplateProblem& p) {
    say(p, "output-template-value", findings);
    return false;
  }
}

std::vector<std::string_view> Template::includes() const {
  std::vector<std::string_view> names;
  gather(*block_, names);
  return names;
}

}  // namespace clusterc
