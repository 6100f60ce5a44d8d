#include "lsp/complete.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "lsp/describe.h"
#include "lsp/names.h"
#include "yaml/scan.h"

namespace clusterc::lsp {
namespace {

class Completer {
 public:
  Completer(const Sketch& s, std::size_t offset, const Analysis* good)
      : s_(s), c_(cursor_at(s, offset)), good_(good), offset_(offset) {
    out_.begin = c_.begin;
    out_.end = c_.end;
  }

  Completion run() {
    if (c_.where == Cursor::Where::key)
      keys();
    else if (c_.where == Cursor::Where::value)
      values();
    return std::move(out_);
  }

 private:
  // --- keys
  // -------------------------------------------------------------------------------------------------------------------

  bool present(std::string_view key) const {
    for (SketchId n = s_[c_.at].first; n != kNoSketch; n = s_[n].next)
      if (n != c_.entry && s_[n].colon && s_.key(n) == key) return true;
    return false;
  }

  std::size_t key_column() const {
    if (c_.entry != kNoSketch) return s_[c_.entry].column;
    std::size_t begin = offset_;
    while (begin > 0 && !yaml_break(s_.text()[begin - 1])) --begin;
    return offset_ - begin;
  }

  // What is written for a key: with its colon, and where a mapping follows, at the place of its first key.
  std::string key_text(std::string_view key, const Type& type, const FieldOptions& options) const {
    std::string text(key);
    if (c_.entry != kNoSketch && s_[c_.entry].colon) return text;
    text += ':';
    if (options.required && options.least == options.most)
      return text + format(" {}", static_cast<long long>(options.least));  // `clusterc: 1`
    const Type* t = &type;
    while (t->form == Type::Form::maybe) t = &t->element();
    const bool deeper = t->form == Type::Form::map || (t->form == Type::Form::record && !t->from_text);
    if (!deeper || c_.in_flow) return text + ' ';
    const bool returns = s_.text().find("\r\n") != std::string_view::npos;
    return text + (returns ? "\r\n" : "\n") + std::string(key_column() + 2, ' ');
  }

  void keys() {
    const Spot here = spot_of(s_, c_.at);
    if (!here.type) return;
    const Type* record = record_of(here);
    if (!record && item_of(here).type->form != Type::Form::map) {
      // `roles:` and on the next line the first letters of a value: to the language a value, to the sketch half a key.
      if (c_.entry == kNoSketch || !s_[c_.entry].colon) values_of(here, c_.at);
      return;
    }
    if (here.keys.of != Names::Of::nothing)
      for (const KnownName& name : known_names(here.keys, s_, c_.at, good_))
        if (!present(name.name)) {
          CompletionItem item{name.name, ItemKind::reference, name.detail, {}, {}, {}, {}};
          item.text = c_.entry != kNoSketch && s_[c_.entry].colon ? name.name : name.name + ": ";
          if (here.keys.of == Names::Of::rule) item.data = "rule:" + name.name;
          out_.items.push_back(std::move(item));
        }
    if (!record) return;
    for (const bool required : {true, false})
      for (const Field& f : record->fields) {
        if (f.options.required != required || present(f.key)) continue;
        Spot spot;
        spot.type = &f.type();
        while (spot.type->form == Type::Form::maybe) spot.type = &spot.type->element();
        spot.field = &f;
        spot.owner = record;
        CompletionItem item{std::string(f.key),
                            ItemKind::property,
                            words_for(*spot.type) + (required ? ", required" : ""),
                            describe_key(spot, f.key),
                            {},
                            {},
                            {}};
        item.text = key_text(f.key, f.type(), f.options);
        out_.items.push_back(std::move(item));
      }
  }

  // --- values
  // -----------------------------------------------------------------------------------------------------------------

  std::string_view written() const { return s_.text().substr(out_.begin, out_.end - out_.begin); }

  void add(std::string_view text, ItemKind kind, std::string_view detail, std::string data = {}) {
    for (const CompletionItem& i : out_.items)
      if (i.label == text) return;
    // A text that YAML would not take as it stands is quoted; where a quote is written already, so is the new text.
    const bool quote = written().starts_with('"') || written().starts_with('\'') ||
                       (c_.in_flow && text.find_first_of("[]{},") != text.npos);
    std::string insert = quote ? "\"" + std::string(text) + "\"" : std::string(text);
    std::string filter = quote ? insert : std::string();
    if (written().starts_with('\'')) std::ranges::replace(filter, '"', '\'');
    if (c_.needs_blank) insert.insert(0, " ");
    if (c_.dash) insert.insert(0, "- ");
    out_.items.push_back(
        {std::string(text), kind, std::string(detail), {}, std::move(insert), std::move(filter), std::move(data)});
  }

  void values() {
    const Spot here = spot_of(s_, c_.at);
    if (!here.type) return;
    if (c_.new_item) {
      if (here.type->form == Type::Form::list) values_of(item_of(here), c_.at);
      return;
    }
    values_of(here, c_.at);
  }

  void values_of(const Spot& spot, SketchId at) {
    const Spot item = item_of(spot);
    const Type& t = *item.type;
    names(item, at);
    if (t.form == Type::Form::record) {
      // `- ` and a mapping begins: its keys; a short form: the words that it begins with.
      if (s_[at].item && !s_[at].in_flow && written().empty() && !t.from_text) return record_keys(t);
      if (t.from_text)
        if (const Field* kind = t.field("kind")) words_of(kind->type(), kind->options);
      return;
    }
    if (t.form == Type::Form::value) words_of(t, spot.field ? spot.field->options : FieldOptions{});
  }

  // Of a new item of a block list, whose first key stands on the line of its dash.
  void record_keys(const Type& t) {
    for (const bool required : {true, false})
      for (const Field& f : t.fields)
        if (f.options.required == required) {
          add(f.key, ItemKind::property, f.options.doc);
          out_.items.back().text += ": ";
        }
  }

  void words_of(const Type& t, const FieldOptions& options) {
    if (t.form != Type::Form::value) return;
    switch (t.kind) {
      case ScalarKind::choice:
        for (const auto choice : t.choices) add(choice, ItemKind::enum_member, {});
        return;
      case ScalarKind::boolean:
        add("true", ItemKind::value, {});
        add("false", ItemKind::value, {});
        return;
      case ScalarKind::text:
        if (!options.words.empty())
          for (const auto word : split(options.words, '|')) add(word, ItemKind::enum_member, {});
        return;
      case ScalarKind::quantity:
        return units(t.dimension);
      case ScalarKind::integer:
        if (options.required && options.least == options.most)
          add(std::to_string(static_cast<long long>(options.least)), ItemKind::value, {});
        return;
      case ScalarKind::ratio:
      case ScalarKind::parsed:
        return;
    }
  }

  // A number is written: the units that it could have.
  void units(Dimension d) {
    std::string_view number = written();
    const std::size_t digits = number.find_first_not_of("0123456789.+-eE");
    number = trim(number.substr(0, digits));
    if (number.empty() || number.find_first_of("0123456789") == number.npos) return;
    for (const UnitRow& unit : units_of(d))
      add(format("{} {}", number, unit.spelling), ItemKind::unit, dimension_name(d));
  }

  void names(const Spot& spot, SketchId at) {
    if (spot.names.of == Names::Of::nothing) return;
    if (spot.names.of == Names::Of::part && spot.type->form == Type::Form::record) {
      const std::size_t skip = part_begin(written());  // "8 x " stays
      out_.begin += skip;
    }
    std::string prefix;
    if (spot.names.of == Names::Of::part) prefix = "part:" + std::string(part_kind_name(spot.names.part)) + ":";
    if (spot.names.of == Names::Of::rule) prefix = "rule:";
    const ItemKind kind = spot.names.of == Names::Of::part    ? ItemKind::class_
                          : spot.names.of == Names::Of::words ? ItemKind::enum_member
                                                              : ItemKind::reference;
    for (const KnownName& name : known_names(spot.names, s_, at, good_))
      add(name.name, kind, name.detail, prefix.empty() ? prefix : prefix + name.name);
  }

  const Sketch& s_;
  const Cursor c_;
  const Analysis* good_;
  std::size_t offset_;
  Completion out_;
};

}  // namespace

Completion complete_at(const Sketch& s, std::size_t offset, const Analysis* good) {
  return Completer(s, offset, good).run();
}

std::string resolve_documentation(std::string_view data, const Analysis* good) {
  const auto pieces = split(data, ':');
  if (pieces.size() == 2 && pieces[0] == "rule") return describe_rule(pieces[1]);
  if (pieces.size() != 3 || pieces[0] != "part") return {};
  for (int k = 0; k <= static_cast<int>(PartKind::assembly); ++k)
    if (part_kind_name(static_cast<PartKind>(k)) == pieces[1])
      return describe_part(static_cast<PartKind>(k), pieces[2], good);
  return {};
}

}  // namespace clusterc::lsp
