#include "fields/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/format.h"
#include "base/json_writer.h"
#include "fields/scalar_text.h"

namespace clusterc {
namespace {

constexpr std::string_view kNumber = "[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?";

const Type& core_of(const Type& t) { return t.form == Type::Form::maybe ? core_of(t.element()) : t; }
// The record that a type leads to through lists, maps and options; nullptr for scalars.
const Type* record_in(const Type& t) {
  if (t.form == Type::Form::record) return &t;
  return t.form == Type::Form::value ? nullptr : record_in(t.element());
}

// Every record that the root reaches, in the order met, each with a name of its own.
struct Records {
  std::vector<const Type*> order;
  std::map<const Type*, std::string> names;
  std::set<std::string> taken;

  void visit(const Type& t) {
    const Type* record = record_in(t);
    if (!record || names.contains(record)) return;
    std::string name;
    for (const char c : record->name.empty() ? std::string_view("mapping") : record->name) name += c == ' ' ? '-' : c;
    for (int n = 2; !taken.insert(name).second; ++n)
      name = format("{}-{}", name.substr(0, name.find_last_not_of("0123456789-") + 1), n);
    names[record] = name;
    order.push_back(record);
    for (const Field& f : record->fields) visit(f.type());
    if (record->rest) visit(record->rest->type());
  }
};

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> out;
  while (!words.empty()) {
    const auto bar = words.find('|');
    out.push_back(words.substr(0, bar));
    words = bar == words.npos ? std::string_view() : words.substr(bar + 1);
  }
  return out;
}

std::string escaped(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (std::string_view("\\^$.|?*+()[]{}/").find(c) != std::string_view::npos && c != '/') out += '\\';
    out += c;
  }
  return out;
}

void number_field(JsonWriter& w, std::string_view key, double x) {
  if (x == std::floor(x) && std::abs(x) < 9007199254740992.0)
    w.field(key, static_cast<std::int64_t>(x));
  else
    w.field(key, x);
}

class Schema {
 public:
  Schema(JsonWriter& w, const Records& records) : w_(w), records_(records) {}

  void reference(std::string_view name) { w_.field("$ref", "#/definitions/" + std::string(name)); }

  // The members of the schema object of a type; `f` has the bounds and words of a value.
  void members(const Type& type, const FieldOptions* f) {
    const Type& t = core_of(type);
    switch (t.form) {
      case Type::Form::value:
        return value(t, f);
      case Type::Form::record:
        return reference(records_.names.at(&t));
      case Type::Form::list:
        w_.array("anyOf");
        object([&] { members(t.element(), f); });
        object([&] {
          w_.field("type", "array").object("items");
          members(t.element(), f);
          w_.end_object();
        });
        w_.end_array();
        return;
      case Type::Form::map:
        w_.field("type", "object").object("additionalProperties");
        members(t.element(), nullptr);
        w_.end_object();
        return;
      case Type::Form::maybe:
        break;
    }
  }

  void record(const Type& t) {
    if (t.from_text) {
      w_.array("anyOf");
      object([&] { mapping(t); });
      object([&] {
        w_.array("type", JsonWriter::Layout::line).value("string").value("number").end_array();
        if (!t.example.empty()) w_.array("examples", JsonWriter::Layout::line).value(t.example).end_array();
      });
      w_.end_array();
    } else {
      mapping(t);
    }
  }

  void quantity(Dimension d) {
    // A description here would hide, in hovers, that of the key which takes the quantity.
    w_.field("$comment", format("a quantity of {}, with its unit", dimension_name(d)));
    w_.array("anyOf");
    object([&] {
      std::string units;
      for (const UnitRow& row : units_of(d)) (units += units.empty() ? "" : "|") += escaped(row.spelling);
      w_.field("type", "string").field("pattern", format("^{} ?({})$", kNumber, units));
      w_.array("examples", JsonWriter::Layout::line).value(unit_example(d)).end_array();
    });
    object([&] { reference("unknown"); });
    w_.end_array();
  }

 private:
  template <class F>
  void object(F&& fill) {
    w_.begin_object();
    fill();
    w_.end_object();
  }

  void bounds(const FieldOptions* f) {
    if (!f) return;
    if (f->least > -1e308) number_field(w_, "minimum", f->least);
    if (f->most < 1e308) number_field(w_, "maximum", f->most);
  }

  void value(const Type& t, const FieldOptions* f) {
    if (t.kind == ScalarKind::quantity) return reference(definition_of(t.dimension));
    w_.array("anyOf");
    object([&] { scalar(t, f); });
    if (t.kind == ScalarKind::ratio)
      object([&] { w_.field("type", "string").field("pattern", format("^{0}( ?/ ?{0}| ?%)$", kNumber)); });
    object([&] { reference("unknown"); });
    w_.end_array();
  }

  void scalar(const Type& t, const FieldOptions* f) {
    switch (t.kind) {
      case ScalarKind::boolean:
        w_.field("type", "boolean");
        return;
      case ScalarKind::integer:
        w_.field("type", "integer");
        return bounds(f);
      case ScalarKind::ratio:
        w_.field("type", "number");
        return bounds(f);
      case ScalarKind::choice:
        return words({t.choices.begin(), t.choices.end()});
      case ScalarKind::text:
      case ScalarKind::parsed:
        if (f && !f->words.empty()) return words(split_words(f->words));
        // What YAML calls a number or a truth is text where text is expected: 24.10 is a version.
        w_.array("type", JsonWriter::Layout::line).value("string").value("number").value("boolean").end_array();
        if (!t.pattern.empty()) w_.field("pattern", t.pattern);
        if (!t.example.empty()) w_.array("examples", JsonWriter::Layout::line).value(t.example).end_array();
        return;
      case ScalarKind::quantity:
        break;
    }
  }

  void words(const std::vector<std::string_view>& all) {
    w_.array("enum", JsonWriter::Layout::line);
    for (const auto word : all)
      if (word == "true" || word == "false")
        w_.value(word == "true");  // what an editor's YAML reader makes of it
      else
        w_.value(word);
    w_.end_array();
  }

  void mapping(const Type& t) {
    w_.field("type", "object").object("properties");
    for (const Field& f : t.fields) {
      w_.object(f.key);
      if (!f.options.doc.empty()) w_.field("description", f.options.doc);
      if (!f.options.standard.empty()) standard(f);
      // In draft-07 whatever stands beside $ref is ignored; inside allOf it is not beside it.
      w_.array("allOf");
      object([&] { members(f.type(), &f.options); });
      w_.end_array();
      w_.end_object();
    }
    w_.end_object();
    bool any = false;
    for (const Field& f : t.fields) any = any || f.options.required;
    if (any) {
      w_.array("required", JsonWriter::Layout::line);
      for (const Field& f : t.fields)
        if (f.options.required) w_.value(f.key);
      w_.end_array();
    }
    if (!t.rest) {
      w_.field("additionalProperties", false);
      return;
    }
    w_.object("additionalProperties");
    const Type& map = core_of(t.rest->type());
    members(map.element(), nullptr);
    w_.end_object();
  }

  void standard(const Field& f) {
    const Type& t = core_of(f.type());
    NumberProblem problem;
    w_.key("default");
    if (t.form == Type::Form::value && t.kind == ScalarKind::integer)
      w_.value(parse_whole(f.options.standard, problem));
    else if (t.form == Type::Form::value && t.kind == ScalarKind::ratio)
      w_.value(parse_ratio(f.options.standard, problem));
    else if (t.form == Type::Form::value && t.kind == ScalarKind::boolean)
      w_.value(parse_truth(f.options.standard));
    else
      w_.value(f.options.standard);
  }

 public:
  static std::string definition_of(Dimension d) {
    std::string out = "quantity-";
    for (const char c : dimension_name(d)) out += c == ' ' ? '-' : c;
    return out;
  }

 private:
  JsonWriter& w_;
  const Records& records_;
};

void quantities_in(const Type& t, std::set<Dimension>& out) {
  if (t.form == Type::Form::value) {
    if (t.kind == ScalarKind::quantity) out.insert(t.dimension);
  } else if (t.form != Type::Form::record) {
    quantities_in(t.element(), out);
  }
}

std::string cell(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// What a key takes, in the words of the reference.
std::string takes(const Type& type, const FieldOptions* f, const Records& records) {
  const Type& t = core_of(type);
  switch (t.form) {
    case Type::Form::record: {
      const std::string& name = records.names.at(&t);
      return format("[{}](#{})", t.name.empty() ? name : std::string(t.name), name) +
             (t.from_text && !t.example.empty() ? format(" or `{}`", t.example) : "");
    }
    case Type::Form::list:
      return "list of " + takes(t.element(), f, records);
    case Type::Form::map:
      return "names, each " + takes(t.element(), nullptr, records);
    case Type::Form::value:
    case Type::Form::maybe:
      break;
  }
  std::string out;
  if (t.kind == ScalarKind::choice)
    for (const auto c : t.choices) out += format("{}`{}`", out.empty() ? "" : ", ", c);
  else if (f && !f->words.empty())
    for (const auto c : split_words(f->words)) out += format("{}`{}`", out.empty() ? "" : ", ", c);
  else if (t.kind == ScalarKind::quantity)
    out = format("{}, `{}`", dimension_name(t.dimension), unit_example(t.dimension));
  else if (t.kind == ScalarKind::parsed)
    out = format("{}, `{}`", t.name.empty() ? "text" : std::string(t.name), t.example);
  else
    out = words_for(t);
  if (f && (f->least > -1e308 || f->most < 1e308)) {
    const auto text = [&](double x) {
      return t.kind == ScalarKind::quantity             ? to_text(x, t.dimension)
             : std::abs(x) < 1e15 && x == std::floor(x) ? std::to_string(static_cast<std::int64_t>(x))
                                                        : ratio_text(x);
    };
    if (f->least > -1e308 && f->most < 1e308)
      out += format(", {} to {}", text(f->least), text(f->most));
    else if (f->least > -1e308)
      out += format(", at least {}", text(f->least));
    else
      out += format(", at most {}", text(f->most));
  }
  return out;
}

}  // namespace

std::string json_schema(const Type& root, std::string_view id, std::string_view title) {
  Records records;
  records.visit(root);
  std::string out;
  JsonWriter w(out, {.indent = 2});
  Schema schema(w, records);
  w.begin_object().field("$schema", "http://json-schema.org/draft-07/schema#").field("$id", id).field("title", title);
  w.array("allOf").begin_object();
  schema.reference(records.names.at(&root));
  w.end_object().end_array();
  w.object("definitions");
  w.object("unknown").field("description", "known to be unknown, with or without a reason");
  w.array("anyOf").begin_object().field("const", "unknown").end_object();
  w.begin_object().field("type", "object").object("properties").object("unknown");
  w.array("type", JsonWriter::Layout::line)
      .value("string")
      .value("number")
      .value("boolean")
      .value("null")
      .end_array()
      .end_object()
      .end_object();
  w.array("required", JsonWriter::Layout::line)
      .value("unknown")
      .end_array()
      .field("additionalProperties", false)
      .end_object();
  w.end_array().end_object();
  std::set<Dimension> dimensions;
  for (const Type* record : records.order) {
    for (const Field& f : record->fields) quantities_in(f.type(), dimensions);
    if (record->rest) quantities_in(record->rest->type(), dimensions);
  }
  for (const Dimension d : dimensions) {
    w.object(Schema::definition_of(d));
    schema.quantity(d);
    w.end_object();
  }
  for (const Type* record : records.order) {
    w.object(records.names.at(record));
    schema.record(*record);
    w.end_object();
  }
  w.end_object().end_object();
  return out += '\n';
}

std::string reference_page(const Type& root, std::string_view title, std::string_view introduction) {
  Records records;
  records.visit(root);
  std::string out =
      format("<!-- Generated from the field descriptors; change those. -->\n# {}\n\n{}\n", title, introduction);
  for (const Type* record : records.order) {
    const std::string& name = records.names.at(record);
    out += format("\n<a id=\"{}\"></a>\n\n## {}\n\n", name, record->name.empty() ? name : std::string(record->name));
    if (record->from_text && !record->example.empty()) out += format("Also written short: `{}`\n\n", record->example);
    out += "| key | takes | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Field& f : record->fields) {
      std::string standard = f.options.required ? "required" : std::string();
      if (!f.options.standard.empty()) standard = format("`{}`: {}", f.options.standard, f.options.why);
      out += format("| `{}` | {} | {} | {} |\n", f.key, cell(takes(f.type(), &f.options, records)), cell(standard),
                    cell(f.options.doc));
    }
    if (record->rest)
      out +=
          format("| any name | {} | | {} |\n", cell(takes(core_of(record->rest->type()).element(), nullptr, records)),
                 cell(record->rest->options.doc));
  }
  return out;
}

}  // namespace clusterc
