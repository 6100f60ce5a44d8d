#include "fields/read.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/read_scalar.h"
#include "fields/scalar_text.h"
#include "fields/standards.h"

namespace clusterc {
namespace {

class Reader : private ReadMessages {
 public:
  explicit Reader(const ReadContext& c) : ReadMessages(c), scalars_(c) {}

  bool node(const Type& t, NodeId n, void* out, ReadPlace place, const WrittenFact* fact,
            std::span<const std::string_view> also) {
    switch (t.form) {
      case Type::Form::value:
        return value(t, n, out, place, fact, nullptr);
      case Type::Form::record:
        return record(t, n, out, place, fact, also);
      case Type::Form::list:
        return list(t, n, out, place, fact, nullptr);
      case Type::Form::map:
        return map(t, n, out, place);
      case Type::Form::maybe:
        break;
    }
    return node(t.element(), n, t.append(out, {}, {}), place, fact, also);
  }

  // A field: as node(), and its bounds hold for the value or the items of the list.
  bool field(const Field& f, NodeId n, void* record, ReadPlace place) {
    const Type& t = f.type();
    void* out = f.in(record);
    if (t.form == Type::Form::value) {
      const std::string_view example = example_for(f, place.words);
      if (example.empty()) return value(t, n, out, place, nullptr, &f.options);
      Type shown = t;
      shown.example = example;
      return value(shown, n, out, place, nullptr, &f.options);
    }
    if (t.form == Type::Form::list) return list(t, n, out, place, nullptr, &f.options);
    return node(t, n, out, place, nullptr, {});
  }

  // No quantity is less than nothing, and nothing is colder than absolute zero; what may be (a height above the sea)
  // has a bound of its own.
  static double least(const Type& t, const FieldOptions& o) {
    if (o.least > -1e308 || t.kind != ScalarKind::quantity) return o.least;
    return t.dimension == Dimension::temperature ? -273.15 : 0;
  }

  bool in_range(const Type& t, void* p, const FieldOptions& o, SourceSpan at, std::string_view name) {
    const ValueHead head = t.head(p);
    const double lowest = least(t, o);
    if (!head.has || (lowest <= -1e308 && o.most >= 1e308)) return true;
    if (t.kind != ScalarKind::integer && t.kind != ScalarKind::ratio && t.kind != ScalarKind::quantity) return true;
    const Scalar s = t.fetch(p);
    const double number = t.kind == ScalarKind::integer ? static_cast<double>(s.integer) : s.number;
    if (number >= lowest && number <= o.most) return true;
    const auto text = [&](double x) {
      return t.kind == ScalarKind::quantity ? to_text(x, t.dimension) : ratio_text(x);
    };
    const std::string written = t.kind == ScalarKind::integer ? std::to_string(s.integer) : text(number);
    Finding& f = number < lowest
                     ? c_.findings.error("spec-out-of-range", at,
                                         format("'{}' is {}, but the minimum is {}", name, written, text(lowest)))
                     : c_.findings.error("spec-out-of-range", at,
                                         format("'{}' is {}, but the maximum is {}", name, written, text(o.most)));
    // A sign is the likeliest slip: the same number without it, else the bound.
    const bool sign = number < lowest && -number >= lowest && -number <= o.most;
    const std::string meant = t.kind == ScalarKind::integer
                                  ? std::to_string(static_cast<std::int64_t>(sign              ? -number
                                                                             : number < lowest ? std::ceil(lowest)
                                                                                               : std::floor(o.most)))
                                  : text(sign              ? -number
                                         : number < lowest ? lowest
                                                           : o.most);
    // A temperature below absolute zero has no likely meaning: neither 300 C for -300 C, nor absolute zero.
    const bool likely = t.kind != ScalarKind::quantity || t.dimension != Dimension::temperature || o.least > -1e308;
    if (likely || number > o.most)
      f.help(format("write `{}: {}`{}", name, meant, sign ? "" : number < lowest ? " or more" : " or less"));
    if (!o.doc.empty()) f.help(format("meaning of '{}': {}", name, o.doc));
    return false;
  }

 private:
  bool is_unknown(NodeId n, std::string& reason) const {
    if (d_.is_scalar(n)) return !d_.quoted(n) && d_.scalar(n) == "unknown";
    if (!d_.is_mapping(n) || d_.size(n) != 1 || d_.scalar(d_.key(n, 0)) != "unknown") return false;
    const NodeId why = d_.value(n, 0);
    if (d_.is_scalar(why)) reason = d_.scalar(why);
    return d_.is_scalar(why) || d_.is_null(why);
  }

  std::string source_text(std::string_view key) const {
    if (c_.sources != kNoNode && d_.is_mapping(c_.sources))
      if (const NodeId n = d_.find(c_.sources, key); n != kNoNode && d_.is_scalar(n)) return std::string(d_.scalar(n));
    return std::string(key);
  }
  std::string first_source() const {
    if (c_.sources == kNoNode || !d_.is_mapping(c_.sources) || d_.size(c_.sources) == 0) return {};
    const NodeId n = d_.value(c_.sources, 0);
    return d_.is_scalar(n) ? std::string(d_.scalar(n)) : std::string();
  }

  // { value, unit, source, confirmed }: true when the mapping is one; its own mistakes are told here.
  bool fact_of(NodeId n, WrittenFact& fact, bool& ok) {
    if (!c_.facts || !d_.is_mapping(n) || d_.find(n, "value") == kNoNode) return false;
    fact.source = first_source();
    for (NodeId key = d_.first_child(n); key != kNoNode;) {
      const NodeId v = d_.next_sibling(key);
      const std::string_view name = d_.scalar(key);
      if (name == "value")
        fact.value = v;
      else if (name == "unit" && d_.is_scalar(v))
        fact.unit = d_.scalar(v), fact.unit_span = d_.span(v);
      else if (name == "source" && d_.is_scalar(v))
        fact.source = source_text(d_.scalar(v));
      else if (name == "confirmed" && d_.is_scalar(v) && !d_.quoted(v) && parse_truth(d_.scalar(v)))
        fact.confirmed = *parse_truth(d_.scalar(v));
      else if (name == "note" && d_.is_scalar(v)) {
      } else if (name == "unit" || name == "source" || name == "confirmed" || name == "note") {
        ok = false;
        c_.findings.error(
            "spec-wrong-type", place_of(v, {d_.span(key), name}),
            format("'{}' must be {}, but {}", name, name == "confirmed" ? "true or false" : "text", what_is_there(v)));
      } else {
        ok = false;
        c_.findings.error("spec-unknown-key", d_.span(key), format("unknown key '{}' in a fact", name))
            .help("a fact has value, unit, source, confirmed and note");
      }
      key = d_.next_sibling(v);
    }
    return true;
  }

  void stamp(const Type& t, void* out, SourceSpan at, const WrittenFact* fact) {
    const ValueHead head = t.head(out);
    head.span = at;
    head.origin = c_.origin;
    head.confirmed = !c_.facts || (fact && fact->confirmed);
    if (c_.facts) head.source = fact ? fact->source : first_source();
  }

  bool value(const Type& t, NodeId n, void* out, ReadPlace place, const WrittenFact* outer,
             const FieldOptions* options) {
    WrittenFact own;
    bool ok = true;
    const WrittenFact* fact = outer;
    if (fact_of(n, own, ok)) {
      fact = &own;
      n = own.value;
    }
    std::string reason;
    if (is_unknown(n, reason)) {
      stamp(t, out, place_of(n, place), fact);
      const ValueHead head = t.head(out);
      head.unknown = true;
      if (!reason.empty()) head.source = reason;
      return ok;
    }
    t.head(out).span = place_of(
        n, place);  // what is refused below keeps its place: it was written, and nobody asks for it a second time
    if (!d_.is_scalar(n)) {
      Finding& f = wrong_type(t, n, place);
      if (const std::string names = names_of_list(n); place.words && place.name == "names" && !names.empty())
        f.help(format("write {}", line(place, names)));
      return false;
    }
    Scalar s;
    if (!scalars_.read(t, n, place, fact, s)) return false;
    std::string error;
    if (!t.assign(out, s, error)) {
      const std::string way_out = cut_way_out(error, place);
      Finding& f = c_.findings.error("spec-wrong-type", place_of(n, place), format("{}: {}", subject(t, place), error));
      if (!way_out.empty())
        f.help(way_out);
      else if (const std::string comma = comma_help(n); !comma.empty())
        f.help(comma);
      else if (!slip_help(f, place, d_.scalar(n)) && !t.example.empty())
        f.help(format("write for example {}",
                      place.words && !place.words->example.empty() ? line(place, t.example) : std::string(t.example)));
      return false;
    }
    stamp(t, out, d_.span(n), fact);
    if (options)
      ok = within_bounds(t, out, *options, d_.span(n), place.name) && one_of_words(t, out, *options, n, place) && ok;
    return ok;
  }

  // What is out of range is refused, as what cannot be read is: one cause, one finding, and no rule that judges by it.
  bool within_bounds(const Type& t, void* out, const FieldOptions& o, SourceSpan at, std::string_view name) {
    if (in_range(t, out, o, at, name)) return true;
    t.clear(out);
    t.head(out).span = at;
    return false;
  }

  bool one_of_words(const Type& t, void* out, const FieldOptions& o, NodeId n, const ReadPlace& place) {
    if (o.words.empty() || t.kind != ScalarKind::text) return true;
    std::vector<std::string_view> known;
    std::string all;
    for (std::string_view rest = o.words; !rest.empty();) {
      const auto bar = rest.find('|');
      known.push_back(rest.substr(0, bar));
      rest = bar == rest.npos ? std::string_view() : rest.substr(bar + 1);
      all += (all.empty() ? "" : ", ") + std::string(known.back());
    }
    const std::string text = t.fetch(out).text;
    for (const auto word : known)
      if (word == text) return true;
    Finding& f = c_.findings.error("spec-unknown-value", d_.span(n),
                                   format("{} must be one of {}, but {}", subject(t, place), all, what_is_there(n)));
    near_word(f, text, known, n);
    return false;
  }

  // [a, b] -> "a,b", as a name pattern; empty: an item is no plain name.
  std::string names_of_list(NodeId n) const {
    constexpr std::size_t kMost = 8;
    std::string out;
    if (!d_.is_sequence(n) || d_.size(n) == 0 || d_.size(n) > kMost) return out;
    for (NodeId i = d_.first_child(n); i != kNoNode; i = d_.next_sibling(i)) {
      const std::string_view name = d_.is_scalar(i) ? d_.scalar(i) : std::string_view();
      if (name.empty() || name.find_first_of("\"\\` ") != name.npos) return {};
      out += (out.empty() ? "\"" : ",") + std::string(name);
    }
    return out + "\"";
  }

  // Of this field of a mapping of this type; nullptr: none.
  const FirstWords* words_of(const Type& t, std::string_view key) const {
    for (const FirstWords& w : c_.first_words)
      if (w.type == t.name && w.key == key) return &w;
    return nullptr;
  }
  static std::string_view example_for(const Field& f, const FirstWords* words) {
    return f.options.example.empty() && words ? words->example : f.options.example;
  }

  bool list(const Type& t, NodeId n, void* out, ReadPlace place, const WrittenFact* fact, const FieldOptions* options) {
    const Type& e = t.element();
    WrittenFact own;
    bool ok = true;
    if (e.form == Type::Form::value && fact_of(n, own, ok)) {
      fact = &own;
      n = own.value;
    }
    const auto item = [&](NodeId i, ReadPlace at) {
      void* slot = t.append(out, {}, {});
      return e.form == Type::Form::value ? value(e, i, slot, at, fact, options) : node(e, i, slot, at, fact, {});
    };
    if (!d_.is_sequence(n)) {
      if (d_.is_null(n)) {
        wrong_type(t, n, place).help("write [] for an empty list");
        return false;
      }
      return item(n, place) && ok;  // one item may stand without brackets
    }
    for (NodeId i = d_.first_child(n); i != kNoNode; i = d_.next_sibling(i)) {
      // A container in the list shows itself; the key of the list would point at the wrong item.
      const bool scalar_item = d_.is_scalar(i) || d_.is_null(i);
      ok = item(i, {scalar_item ? place.key : SourceSpan{}, place.name, true, place.words}) && ok;
    }
    return ok;
  }

  bool map(const Type& t, NodeId n, void* out, ReadPlace place) {
    if (!d_.is_mapping(n)) {
      wrong_type(t, n, place);
      return false;
    }
    bool ok = true;
    t.reserve(out, t.size(out) + d_.size(n));
    NodeId before = kNoNode;
    for (NodeId key = d_.first_child(n); key != kNoNode;) {
      const NodeId v = d_.next_sibling(key);
      ok = entry(t, key, v, out, before) && ok;
      before = v;
      key = d_.next_sibling(v);
    }
    return ok;
  }

  bool entry(const Type& t, NodeId key, NodeId v, void* out, NodeId before = kNoNode) {
    const std::string_view name = d_.scalar(key);
    if (name.empty()) {
      c_.findings.error("spec-wrong-type", d_.span(key), "a name is empty");
      return false;
    }
    return node(t.element(), v, t.append(out, name, d_.span(key)), {d_.span(key), name, false, nullptr, before},
                nullptr, {});
  }

  bool record(const Type& t, NodeId n, void* out, ReadPlace place, const WrittenFact* outer,
              std::span<const std::string_view> also) {
    WrittenFact own;
    bool ok = true;
    if (t.from_text && !t.field("value") && fact_of(n, own, ok)) {
      outer = &own;
      n = own.value;
    }
    if (d_.is_scalar(n) && t.from_text) return record_text(t, n, out, place, outer) && ok;
    if (!d_.is_mapping(n)) {
      if (t.secret && d_.is_scalar(n)) {  // neither the message nor a quoted line repeats it
        c_.findings
            .error("spec-secret-written", place.key.valid() ? place.key : d_.span(n),
                   format("{} is written in the spec; a secret is only referred to", subject(t, place)))
            .help("write { file: … }, { env: … } or { vault: … }, and change the secret: it may have been seen");
        c_.findings.withhold(d_.span(n));
      } else {
        wrong_type(t, n, place);
      }
      return false;
    }
    if (t.span_offset >= 0) *reinterpret_cast<SourceSpan*>(static_cast<char*>(out) + t.span_offset) = d_.span(n);
    std::vector<bool> seen(t.fields.size());
    std::vector<NodeId> strangers;
    for (NodeId key = d_.first_child(n); key != kNoNode;) {
      const NodeId v = d_.next_sibling(key);
      const std::string_view name = d_.scalar(key);
      if (const Field* f = t.field(name)) {
        seen[static_cast<std::size_t>(f - t.fields.data())] = true;
        ok = field(*f, v, out, {d_.span(key), name, false, words_of(t, name)}) && ok;
      } else if (t.rest) {
        ok = entry(t.rest->type(), key, v, t.rest->in(out)) && ok;
      } else {
        bool callers = false;
        for (const auto& a : also) callers = callers || a == name;
        if (!callers) strangers.push_back(key);
      }
      key = d_.next_sibling(v);
    }
    for (const NodeId key : strangers) unknown_key(t, key, place, seen, also);
    for (std::size_t i = 0; i < t.fields.size(); ++i) {
      const Field& f = t.fields[i];
      if (seen[i]) continue;
      if (!f.options.required) {
        fill_standard(f, out);
        continue;
      }
      ok = false;
      const std::string_view example = example_for(f, words_of(t, f.key));
      std::string need = example.empty() ? example_of(f.type()) : std::string(example);
      if (f.options.least == f.options.most)
        need = std::to_string(static_cast<long long>(f.options.least));  // one value only: `clusterc: 1`
      Finding& finding = c_.findings.error(
          "spec-missing-key", missing_place(n, place),
          place.name.empty() ? format("'{}' is missing", f.key) : format("'{}' is missing in '{}'", f.key, place.name));
      finding.help(need == "text"
                       ? format("meaning of '{}': {}", f.key, f.options.doc)
                       : format("meaning of '{}': {}; written as `{}: {}`", f.key, f.options.doc, f.key, need));
    }
    return ok && strangers.empty();
  }

  SourceSpan missing_place(NodeId n, const ReadPlace& place) const {
    if (place.key.valid()) return place.key;
    if (d_.size(n) > 0) return d_.span(d_.key(n, 0));
    return d_.span(n);
  }

  void unknown_key(const Type& t, NodeId key, const ReadPlace& place, std::vector<bool>& seen,
                   std::span<const std::string_view> also) {
    const std::string_view name = d_.scalar(key);
    std::vector<std::string_view> known(also.begin(), also.end());
    for (const Field& f : t.fields) known.push_back(f.key);
    const std::string in = place.name.empty() ? (t.name.empty() ? std::string() : " in the " + std::string(t.name))
                                              : " in '" + std::string(place.name) + "'";
    Finding& f = c_.findings.error("spec-unknown-key", d_.span(key), format("unknown key '{}'{}", name, in));
    const auto near = nearest_name(name, known);
    if (!near) {
      by_meaning(f, t, name, seen);
      return;
    }
    const Field* meant = t.field(*near);
    const bool free = meant && !seen[static_cast<std::size_t>(meant - t.fields.data())];
    if (free || !meant)
      offer_names(f, name, known);
    else
      f.help(format("the nearest known key is '{}', which is already written", *near));
    if (!free) return;
    // One cause, one finding: the key that is meant is not missing as well.
    seen[static_cast<std::size_t>(meant - t.fields.data())] = true;
    if (almost_certainly(name, *near, known))
      f.fixed_by(format("write '{}'", *near), {{d_.span(key), std::string(*near)}});
  }

  // A key by another name (FirstWords::called): the one that is meant, and it is not missing as well.
  void by_meaning(Finding& f, const Type& t, std::string_view name, std::vector<bool>& seen) {
    const std::string written = to_lower(name);
    for (std::size_t i = 0; i < t.fields.size(); ++i) {
      const Field& field = t.fields[i];
      const FirstWords* const first = words_of(t, field.key);
      if (!first || first->called.empty()) continue;
      const auto words = split(first->called, '|');
      if (std::ranges::find(words, written) == words.end()) continue;
      if (seen[i]) {
        f.help(format("it is called '{}', which is already written", field.key));
        return;
      }
      seen[i] = true;
      if (const auto example = example_for(field, first); !example.empty())
        f.help(format("it is called '{}': write `{}: {}`", field.key, field.key, example));
      else
        f.help(format("did you mean '{}'?", field.key));
      f.misspelt = name;
      f.meant = {std::string(field.key)};
      return;
    }
  }

  bool record_text(const Type& t, NodeId n, void* out, const ReadPlace& place, const WrittenFact* fact) {
    if (t.span_offset >= 0) *reinterpret_cast<SourceSpan*>(static_cast<char*>(out) + t.span_offset) = d_.span(n);
    std::string error;
    if (!t.from_text(d_.scalar(n), out, error)) {
      if (error.empty()) {
        wrong_type(t, n, place);
      } else {
        const std::string way_out = cut_way_out(error, place);
        Finding& f =
            c_.findings.error("spec-wrong-type", place_of(n, place), format("{}: {}", subject(t, place), error));
        if (!way_out.empty())
          f.help(way_out);
        else if (const std::string comma = comma_help(n); !comma.empty())
          f.help(comma);
      }
      return false;
    }
    return adopt(t, out, n, fact);
  }

  // What from_text set gets its place and origin, the rest its defaults.
  bool adopt(const Type& t, void* out, NodeId n, const WrittenFact* fact) {
    const SourceSpan at = d_.span(n);
    bool ok = true;
    for (const Field& f : t.fields) {
      const Type& ft = f.type();
      if (ft.form != Type::Form::value) continue;
      void* p = f.in(out);
      const ValueHead head = ft.head(p);
      if (head.origin != Origin::absent) continue;
      if (head.has) {
        stamp(ft, p, at, fact);
        ok = within_bounds(ft, p, f.options, at, f.key) && one_of_words(ft, p, f.options, n, {{}, f.key}) && ok;
      } else {
        fill_standard(f, out);
      }
    }
    return ok;
  }

  ScalarReader scalars_;
};

}  // namespace

bool read_node(const ReadContext& context, const Type& type, NodeId node, void* out, ReadPlace place,
               std::span<const std::string_view> also) {
  return Reader(context).node(type, node, out, place, nullptr, also);
}

bool read_field(const ReadContext& context, const Field& field, NodeId node, void* record, ReadPlace place) {
  return Reader(context).field(field, node, record, place);
}

}  // namespace clusterc
