#include "template/filters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "template/value_text.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Value = TemplateValue;

// One use of a filter: the value before it, and the expression, which has its arguments.
struct Call {
  TemplateEvaluator& in;
  const TemplateExpression& e;
  const Value& v;
};

std::string text_argument(const Call& c, std::size_t i) {
  const Value v = c.in.present(*c.e.operands[i]);
  if (v.kind != Value::Kind::text)
    fail_template(c.e.operands[i]->span, "here stands a text, not " + std::string(word_of(v.kind)));
  if (!may_stand(v)) fail_unquoted(c.e.operands[i]->span, v.text, "| tojson, | quote, or | safe");
  return std::string(v.text);
}

// `text`: what `out` writes to.
void write_json(const Value& v, JsonWriter& out, const std::string& text, const Call& c) {
  c.in.budget().step(c.e.span);
  c.in.budget().check_room(text.size(), c.e.span);
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
      for (std::size_t i = 0; i < v.object->size(); ++i) write_json(v.object->item(i), out, text, c);
      out.end_array();
      return;
    case Value::Kind::map:
      out.begin_object(JsonWriter::Layout::line);
      for (std::size_t i = 0; i < v.object->size(); ++i) {
        const Value member = v.object->item(i);
        if (member.kind == Value::Kind::absent) continue;  // keys that nobody set
        out.key(v.object->key(i));
        write_json(member, out, text, c);
      }
      out.end_object();
  }
}

Value to_json(const Call& c) {
  std::string text;
  JsonWriter writer(text);
  write_json(c.v, writer, text, c);
  return in_quotes(std::move(text));
}

Value length(const Call& c) {
  return Value::of(static_cast<std::int64_t>(
      c.v.kind == Value::Kind::text ? static_cast<std::size_t>(std::count_if(
                                          c.v.text.begin(), c.v.text.end(),
                                          [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }))
                                    : c.v.object->size()));
}

class Items : public TemplateObject {
 public:
  explicit Items(std::shared_ptr<const TemplateObject> map) : map_(std::move(map)) {
    for (std::size_t i = 0; i < map_->size(); ++i)
      if (!map_->fixed_keys() || map_->item(i).kind != Value::Kind::absent)
        there_.push_back(i);  // keys that nobody set are no items
  }
  std::size_t size() const override { return there_.size(); }
  Value item(std::size_t i) const override {
    return Value::list(
        std::make_shared<TemplateList>(std::vector{Value::of(map_->key(there_[i])), map_->item(there_[i])}));
  }

 private:
  std::shared_ptr<const TemplateObject> map_;
  std::vector<std::size_t> there_;
};

Value items(const Call& c) { return Value::list(std::make_shared<Items>(c.v.object)); }

Value first(const Call& c) {
  return c.v.object->size() == 0 ? Value::absent("the list is empty") : c.v.object->item(0);
}

Value last(const Call& c) {
  const std::size_t size = c.v.object->size();
  return size == 0 ? Value::absent("the list is empty") : c.v.object->item(size - 1);
}

Value joined(const Call& c) {
  const std::string between = text_argument(c, 1);
  std::string all;
  bool any_quoted = false;
  for (std::size_t i = 0; i < c.v.object->size(); ++i) {
    c.in.budget().step(c.e.span);
    const Value item = c.v.object->item(i);
    if (!is_scalar(item))
      fail_template(c.e.span, "an item of the list is " + std::string(word_of(item.kind)) + ", and no text");
    if (!may_stand(item))
      fail_unquoted(c.e.span, item.text, "go through the list with {% for %} and quote each; | tojson quotes them all");
    if (i > 0) all += between;
    all += text_of(item);
    any_quoted |= item.quoted;
    c.in.budget().check_size(all.size(), c.e.span);
  }
  return any_quoted ? in_quotes(std::move(all)) : Value::of(std::move(all), true);
}

Value in_si_unit(const Call& c) {
  return *c.v.si == static_cast<double>(static_cast<std::int64_t>(*c.v.si)) && std::abs(*c.v.si) < 9e15
             ? Value::of(static_cast<std::int64_t>(*c.v.si))
             : Value::of(*c.v.si);
}

Value quoted(const Call& c) {
  if (c.v.kind == Value::Kind::text && c.v.text.find('\0') != c.v.text.npos)
    fail_template(c.e.span, "no word of a shell has a zero byte");
  std::string word;
  append_shell_word(word, text_of(c.v));
  return in_quotes(std::move(word));
}

Value safe(const Call& c) { return Value::of(text_of(c.v), true); }

Value lower(const Call& c) { return Value::of(to_lower(c.v.text), stays_safe(c.v)); }

Value upper(const Call& c) {
  std::string changed(c.v.text);
  for (char& letter : changed)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return Value::of(std::move(changed), stays_safe(c.v));
}

Value trimmed(const Call& c) { return Value::of(std::string(trim(c.v.text)), stays_safe(c.v)); }

Value lines(const Call& c) {
  std::vector<Value> lines;
  std::string_view rest = c.v.text;
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  if (!c.v.text.empty())
    for (const std::string_view line : split(rest, '\n')) {
      c.in.budget().step(c.e.span, 4);  // an item is some hundred bytes
      Value item = c.v;
      item.text = line;
      item.safe = stays_safe(c.v), item.quoted = item.version = false, item.si.reset();
      lines.push_back(std::move(item));
    }
  return Value::list(std::make_shared<TemplateList>(std::move(lines)));
}

Value replaced(const Call& c) {
  const std::string from = text_argument(c, 1), to = text_argument(c, 2);
  if (from.empty()) fail_template(c.e.operands[1]->span, "an empty text can be replaced nowhere");
  std::size_t times = 0;
  for (std::size_t at = find_in(c.v.text, from); at != c.v.text.npos; at = find_in(c.v.text, from, at + from.size()))
    ++times;
  if (times == 0)
    fail_template(c.e.operands[1]->span, "the text has no '" + excerpt(from) + "' that could be replaced",
                  "compile without this template, and look at the file");
  c.in.budget().check_size(c.v.text.size() + times * to.size(), c.e.span);
  std::string changed;
  changed.reserve(c.v.text.size() + times * to.size());
  std::size_t done = 0;
  for (std::size_t at = find_in(c.v.text, from); at != c.v.text.npos; at = find_in(c.v.text, from, done)) {
    changed.append(c.v.text.substr(done, at - done)).append(to);
    done = at + from.size();
  }
  changed.append(c.v.text.substr(done));
  c.in.budget().charge(changed, c.e.span);
  return Value::of(std::move(changed), stays_safe(c.v));
}

// Of what is missing: compared as what it stands for would be.
Value defaulted(TemplateEvaluator& in, const TemplateExpression& e) {
  Value v = in.value(*e.operands[0]);
  if (is_there(v)) return v;
  Value other = in.present(*e.operands[1]);
  other.version |= v.version && (other.kind == Value::Kind::text || is_number(other));
  if (v.sized && !other.si)
    other.si = in.size_of(other, v.dimension, e), other.dimension = v.dimension, other.kind = Value::Kind::text;
  return other;
}

bool takes_all(const Value&) { return true; }
bool is_list(const Value& v) { return v.kind == Value::Kind::list; }
bool is_map(const Value& v) { return v.kind == Value::Kind::map; }
bool is_text(const Value& v) { return v.kind == Value::Kind::text; }
bool has_length(const Value& v) { return is_list(v) || is_map(v) || is_text(v); }
bool is_quantity(const Value& v) { return v.si.has_value(); }

// A filter, and how it is applied; `takes` is of the value before it, and `what` says so in a message.
struct Filter {
  TemplateFilter head;
  bool (*takes)(const Value&);
  std::string_view what;
  Value (*apply)(const Call&);
};

constexpr std::string_view kDefault = "default";  // takes what is not there, and is applied by defaulted()
constexpr Filter kFilters[] = {
    {{"tojson", 0, 0}, takes_all, "", to_json},
    {{"quote", 0, 0}, is_scalar, "one value", quoted},
    {{"safe", 0, 0}, is_scalar, "one value", safe},
    {{kDefault, 1, 1}, nullptr, "", nullptr},
    {{"join", 1, 1}, is_list, "a list", joined},
    {{"replace", 2, 2}, is_text, "a text", replaced},
    {{"items", 0, 0}, is_map, "a map", items},
    {{"length", 0, 0}, has_length, "a list, a map or a text", length},
    {{"first", 0, 0}, is_list, "a list", first},
    {{"last", 0, 0}, is_list, "a list", last},
    {{"lower", 0, 0}, is_text, "a text", lower},
    {{"upper", 0, 0}, is_text, "a text", upper},
    {{"trim", 0, 0}, is_text, "a text", trimmed},
    {{"lines", 0, 0}, is_text, "a text", lines},
    {{"si", 0, 0}, is_quantity, "a quantity", in_si_unit},
};

}  // namespace

std::size_t find_in(std::string_view text, std::string_view what, std::size_t from) {
  if (from > text.size()) return text.npos;
  const void* at = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : text.npos;
}

const std::vector<TemplateFilter>& template_filters() {
  static const std::vector<TemplateFilter> filters = [] {
    std::vector<TemplateFilter> out;
    for (const Filter& f : kFilters) out.push_back(f.head);
    return out;
  }();
  return filters;
}

TemplateValue apply_filter(TemplateEvaluator& in, const TemplateExpression& e) {
  if (e.word == kDefault) return defaulted(in, e);
  const Value v = in.present(*e.operands[0]);
  in.budget().charge(v.text, e.span);
  const Filter& filter = *std::ranges::find_if(kFilters, [&](const Filter& f) { return f.head.name == e.word; });
  if (!filter.takes(v))
    fail_template(e.span, "the filter '" + std::string(e.word) + "' takes " + std::string(filter.what) +
                              ", and this is " + std::string(word_of(v.kind)));
  return filter.apply({in, e, v});
}

}  // namespace clusterc
