#include "fields/read.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/scalar_text.h"

namespace clusterc {
namespace {

using Kind = Document::Kind;

// What a unit of another dimension is not; nothing where the names speak for themselves.
std::string_view why_not_the_same(Dimension wanted, Dimension written) {
  const auto pair = [&](Dimension a, Dimension b) {
    return (wanted == a && written == b) || (wanted == b && written == a);
  };
  if (pair(Dimension::power, Dimension::apparent))
    return "kW is power that becomes heat, kVA is volts times amperes; the power factor lies between them, so one "
           "cannot stand for the other";
  if (pair(Dimension::bit_rate, Dimension::byte_rate))
    return "eight bits are a byte: 400 Gb/s is 50 GB/s; links are given in bits, storage and memory in bytes";
  if (pair(Dimension::bytes, Dimension::byte_rate) || pair(Dimension::bytes, Dimension::bit_rate))
    return "one is an amount, the other an amount each second";
  if (pair(Dimension::temperature, Dimension::temp_delta)) return "C is a point on the scale, K is a difference of two";
  if (pair(Dimension::air_flow, Dimension::liquid_flow))
    return "a litre of air carries about 1/3500 of the heat of a litre of water, so the units are kept apart";
  if (pair(Dimension::power, Dimension::energy)) return "energy is power times time: 1 kWh is 1 kW for one hour";
  if (pair(Dimension::mass, Dimension::floor_load)) return "a floor load is mass on each square metre";
  if (pair(Dimension::current, Dimension::apparent) || pair(Dimension::current, Dimension::power))
    return "amperes become power only with the voltage and the number of phases";
  return {};
}

std::string quoted_name(std::string_view name) { return format("'{}'", name); }

// The one unit that this is but for capitals (kw, KVA, mhz). Nothing where capitals tell two units apart: mw is MW or
// mW, and a small b may be bits.
std::optional<std::string_view> unit_in_other_case(std::string_view written, Dimension wanted) {
  const std::string lower = to_lower(written);
  std::optional<std::string_view> meant;
  for (int d = 0; d <= static_cast<int>(Dimension::transfer_rate); ++d)
    for (const UnitRow& row : units_of(static_cast<Dimension>(d))) {
      if (to_lower(row.spelling) != lower) continue;
      if (meant == row.spelling) continue;  // C is a temperature, and a difference of two
      if (meant ||
          (static_cast<Dimension>(d) != wanted &&
           std::ranges::none_of(units_of(wanted), [&](const UnitRow& w) { return w.spelling == row.spelling; })))
        return std::nullopt;
      for (std::size_t i = 0; i < row.spelling.size(); ++i)
        if (lower[i] == 'b' && row.spelling[i] != written[i]) return std::nullopt;
      meant = row.spelling;
    }
  return meant;
}

// `unit`, `source` and `confirmed` of a catalogue fact around the scalar (or list) that is read.
struct Fact {
  NodeId value = kNoNode;
  std::string_view unit;
  SourceSpan unit_span;
  std::string source;
  bool confirmed = false;
};

class Reader {
 public:
  explicit Reader(const ReadContext& c) : c_(c), d_(c.document) {}

  bool node(const Type& t, NodeId n, void* out, ReadPlace place, const Fact* fact,
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
    Finding& f = number < lowest ? c_.findings.error("spec-out-of-range", at,
                                                     format("'{}' is {}, the least is {}", name, written, text(lowest)))
                                 : c_.findings.error("spec-out-of-range", at,
                                                     format("'{}' is {}, the most is {}", name, written, text(o.most)));
    // A sign is the likeliest slip: the same number without it, else the bound.
    const bool sign = number < lowest && -number >= lowest && -number <= o.most;
    const std::string meant = t.kind == ScalarKind::integer
                                  ? std::to_string(static_cast<std::int64_t>(sign              ? -number
                                                                             : number < lowest ? std::ceil(lowest)
                                                                                               : std::floor(o.most)))
                                  : text(sign              ? -number
                                         : number < lowest ? lowest
                                                           : o.most);
    f.help(format("write `{}: {}`{}", name, meant, sign ? "" : number < lowest ? " or more" : " or less"));
    if (!o.doc.empty()) f.help(format("'{}' is: {}", name, o.doc));
    return false;
  }

 private:
  // Smallest place that shows a node: containers by their key, or by their first key or item.
  SourceSpan place_of(NodeId n, const ReadPlace& place) const {
    if (d_.is_scalar(n) && !d_.scalar(n).empty()) return d_.span(n);
    if (place.key.valid()) return place.key;
    for (NodeId at = n; d_.size(at) > 0;) {
      at = d_.first_child(at);
      if (d_.is_scalar(at)) return d_.span(at);
    }
    return d_.span(n);
  }

  std::string subject(const Type& t, const ReadPlace& place) const {
    if (!place.name.empty()) return quoted_name(place.name);
    return t.name.empty() ? "this" : "the " + std::string(t.name);
  }

  std::string what_is_there(NodeId n) const {
    switch (d_.kind(n)) {
      case Kind::null:
        return "nothing is written there";
      case Kind::sequence:
        return "a list is written there";
      case Kind::mapping:
        return "a mapping is written there";
      case Kind::scalar:
        break;
    }
    std::string_view s = d_.scalar(n);
    if (s.empty()) return "empty text is written there";
    return s.size() > 60 ? format("'{}…' is written there", s.substr(0, 57)) : format("'{}' is written there", s);
  }

  Finding& wrong_type(const Type& t, NodeId n, const ReadPlace& place) {
    const std::string words = words_for(t), example = example_of(t);
    const bool says_it =
        t.kind == ScalarKind::choice || t.kind == ScalarKind::boolean || example == words || example == "text";
    const bool show = t.form != Type::Form::value || !says_it;
    return c_.findings.error("spec-wrong-type", place_of(n, place),
                             format("{} takes {}{}; {}", subject(t, place), words,
                                    show ? ", such as " + example : std::string(), what_is_there(n)));
  }

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
  bool fact_of(NodeId n, Fact& fact, bool& ok) {
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
            format("'{}' takes {}; {}", name, name == "confirmed" ? "true or false" : "text", what_is_there(v)));
      } else {
        ok = false;
        c_.findings.error("spec-unknown-key", d_.span(key), format("unknown key '{}' in a fact", name))
            .help("a fact has value, unit, source, confirmed and note");
      }
      key = d_.next_sibling(v);
    }
    return true;
  }

  void stamp(const Type& t, void* out, SourceSpan at, const Fact* fact) {
    const ValueHead head = t.head(out);
    head.span = at;
    head.origin = c_.origin;
    head.confirmed = !c_.facts || (fact && fact->confirmed);
    if (c_.facts) head.source = fact ? fact->source : first_source();
  }

  bool value(const Type& t, NodeId n, void* out, ReadPlace place, const Fact* outer, const FieldOptions* options) {
    Fact own;
    bool ok = true;
    const Fact* fact = outer;
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
    if (!scalar(t, n, place, fact, s)) return false;
    std::string error;
    if (!t.assign(out, s, error)) {
      const std::string way_out = cut_way_out(error, place);
      Finding& f = c_.findings.error("spec-wrong-type", place_of(n, place), format("{}: {}", subject(t, place), error));
      if (!way_out.empty())
        f.help(way_out);
      else if (const std::string comma = comma_help(n); !comma.empty())
        f.help(comma);
      else if (!slip_help(f, place, d_.scalar(n)) && !t.example.empty())
        f.help(format("it is written like {}",
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
                                   format("{} takes one of {}; {}", subject(t, place), all, what_is_there(n)));
    near_word(f, text, known, n);
    return false;
  }

  // A line as it is to be written; of a list the item alone.
  static std::string line(const ReadPlace& place, std::string_view value) {
    return place.name.empty() || place.item ? format("`{}`", value) : format("`{}: {}`", place.name, value);
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

  // ": write `VALUE`" at the end of an error, as the help that it is.
  static std::string cut_way_out(std::string& error, const ReadPlace& place) {
    constexpr std::string_view kLead = ": write `";
    const std::size_t at = error.rfind(kLead);
    if (at == error.npos || !error.ends_with('`')) return {};
    const std::string value = error.substr(at + kLead.size(), error.size() - at - kLead.size() - 1);
    error.resize(at);
    return format("write {}", line(place, value));
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

  // What newcomers write there. True: the way out was said.
  static bool slip_help(Finding& f, const ReadPlace& place, std::string_view text) {
    if (!place.words || place.words->slips.empty()) return false;
    const std::string written = to_lower(text);
    for (const std::string_view slip : split(place.words->slips, ';')) {
      const std::size_t equals = slip.find('=');
      for (const std::string_view word : split(slip.substr(0, equals), '|'))
        if (word == written) {
          f.help(std::string(slip.substr(equals + 1)));
          return true;
        }
    }
    return false;
  }

  void near_word(Finding& f, std::string_view text, const std::vector<std::string_view>& known, NodeId n) {
    if (offer_names(f, text, known) && almost_certainly(text, f.meant.front(), known))
      f.fixed_by(format("write '{}'", f.meant.front()), {{d_.span(n), f.meant.front()}});
  }

  bool scalar(const Type& t, NodeId n, const ReadPlace& place, const Fact* fact, Scalar& s) {
    const std::string_view text = d_.scalar(n);
    const bool quoted = d_.quoted(n);
    if (fact && !fact->unit.empty() && t.kind != ScalarKind::quantity && t.kind != ScalarKind::ratio &&
        t.kind != ScalarKind::parsed) {
      c_.findings.error("spec-wrong-unit", fact->unit_span,
                        format("{} takes no unit, '{}' is written there", subject(t, place), fact->unit));
      return false;
    }
    switch (t.kind) {
      case ScalarKind::text:
        s.text = text;
        return true;
      case ScalarKind::parsed:
        s.text = fact && !fact->unit.empty() ? format("{} {}", text, fact->unit) : std::string(text);
        return true;
      case ScalarKind::boolean:
        return truth(t, n, text, quoted, place, s);
      case ScalarKind::choice:
        return choice(t, n, text, place, s);
      case ScalarKind::integer:
      case ScalarKind::ratio:
        return number(t, n, text, quoted, place, fact, s);
      case ScalarKind::quantity:
        return quantity(t, n, text, place, fact, s);
    }
    return false;
  }

  bool truth(const Type& t, NodeId n, std::string_view text, bool quoted, const ReadPlace& place, Scalar& s) {
    if (const auto known = parse_truth(text)) {
      s.truth = *known;
      if (!quoted) return true;
      wrong_type(t, n, place)
          .label("quoted, so it is text")
          .fixed_by("write it without quotes", {{d_.span(n), *known ? "true" : "false"}});
      return false;
    }
    Finding& f = wrong_type(t, n, place);
    std::string lower(text);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool yes = lower == "yes" || lower == "on" || lower == "y",
               no = lower == "no" || lower == "off" || lower == "n";
    if (!quoted && (yes || no))
      f.help(format("in YAML 1.2 '{}' is text; write {}", text, yes ? "true" : "false"))
          .fixed_by(format("write {}", yes ? "true" : "false"), {{d_.span(n), yes ? "true" : "false"}});
    return false;
  }

  bool choice(const Type& t, NodeId n, std::string_view text, const ReadPlace& place, Scalar& s) {
    for (std::size_t i = 0; i < t.choices.size(); ++i)
      if (t.choices[i] == text) {
        s.choice = i;
        return true;
      }
    Finding& f = c_.findings.error("spec-unknown-value", place_of(n, place),
                                   format("{} takes {}; {}", subject(t, place), words_for(t), what_is_there(n)));
    if (!slip_help(f, place, text)) near_word(f, text, {t.choices.begin(), t.choices.end()}, n);
    return false;
  }

  bool number(const Type& t, NodeId n, std::string_view text, bool quoted, const ReadPlace& place, const Fact* fact,
              Scalar& s) {
    std::string joined;
    const bool whole = t.kind == ScalarKind::integer;
    if (fact && !fact->unit.empty()) text = joined = format("{} {}", text, fact->unit);
    NumberProblem problem = NumberProblem::none;
    bool good = false;
    if (whole) {
      if (const auto read = parse_whole(text, problem)) s.integer = *read, good = true;
    } else if (const auto read = parse_ratio(text, problem)) {
      s.number = *read, good = true;
    }
    // A quoted number is text; a fraction or a percentage is text either way.
    const bool plain_number = whole || text.find_first_of("/%") == text.npos;
    if (good && !(quoted && plain_number)) return true;
    if (good) {
      wrong_type(t, n, place)
          .label("quoted, so it is text")
          .fixed_by("write it without quotes", {{d_.span(n), std::string(text)}});
      return false;
    }
    if (problem == NumberProblem::too_large) {
      c_.findings.error("spec-out-of-range", place_of(n, place),
                        format("{} is {}, which is more than a number can hold here", subject(t, place), text));
      return false;
    }
    Finding& f = wrong_type(t, n, place);
    if (problem == NumberProblem::leading_zero) {
      f.help(format("a leading zero is read as octal by some programs and as decimal by others: write {}",
                    line(place, text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)))));
    } else if (problem == NumberProblem::not_whole) {
      f.help("no fraction is possible here");
    } else if (const auto thousands = in_thousands(text); thousands && whole) {
      f.help(format("`{}` stands for nothing here: write {}", text.back(), line(place, *thousands)));
    } else if (!slip_help(f, place, text) && !t.example.empty()) {
      f.help(format("for example {}", line(place, t.example)));
    }
    return false;
  }

  // "9k" -> "9000"; nothing where it is not a whole number and that letter.
  static std::optional<std::string> in_thousands(std::string_view text) {
    if (text.size() < 2 || text.size() > 10 || (text.back() != 'k' && text.back() != 'K')) return std::nullopt;
    text.remove_suffix(1);
    if (text.find_first_not_of("0123456789") != text.npos || text.front() == '0') return std::nullopt;
    return std::string(text) + "000";
  }

  // "{ heat: 20,5 kW }": inside brackets a comma ends the value. Empty: none follows that looks like one within a
  // number.
  std::string comma_help(NodeId n) const {
    const NodeId next = d_.next_sibling(n);
    if (next == kNoNode || !d_.is_scalar(next) || d_.quoted(n) || d_.quoted(next)) return {};
    const std::string_view text = d_.scalar(n), behind = d_.scalar(next);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || behind.empty() || !digit(text.back()) || !digit(behind.front()) ||
        d_.span(next).begin != d_.span(n).end + 1)
      return {};
    return format(
        "inside brackets and braces a comma ends the value, so '{}' stands alone: numbers have a point for the "
        "fraction and nothing between thousands ('{},{}' is two things)",
        text, text, behind);
  }

  // How it is written, without a number that could be taken for the user's.
  static std::string written_with(Dimension d) {
    constexpr std::size_t kUnits = 4;
    const auto units = units_of(d);
    std::string list;
    for (std::size_t i = 0; i < std::min(kUnits, units.size()); ++i)
      list += format("{}{}", i == 0 ? "" : i + 1 == std::min(kUnits, units.size()) ? " or " : ", ", units[i].spelling);
    return format("{} is one number and its unit: {}", dimension_name(d), list);
  }

  static bool starts_number(std::string_view text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  }

  // Bits and bytes, kW and kVA are taken for each other, and an amount for a rate: the same number with the unit of the
  // dimension that begins as it. Empty: no unit does.
  static std::string of_same_letters(Dimension wanted, std::string_view text, std::string_view unit,
                                     const ReadPlace& place) {
    std::string_view number = text.substr(0, text.size() - std::min(text.size(), unit.size()));
    while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
    if (unit.size() < 2 || number.empty() || !starts_number(number)) return {};
    constexpr std::string_view kPrefixes = "kMGTP";
    if (kPrefixes.find(unit.front()) == kPrefixes.npos) return {};
    for (const UnitRow& row : units_of(wanted))
      if (row.spelling.size() > 1 && row.spelling.front() == unit.front() &&
          row.spelling.find('i') == row.spelling.npos)
        return format("write {} if {} were meant; ", line(place, format("{} {}", number, row.spelling)), row.spelling);
    return {};
  }

  bool quantity(const Type& t, NodeId n, std::string_view text, const ReadPlace& place, const Fact* fact, Scalar& s) {
    std::string joined;
    if (fact && !fact->unit.empty()) text = joined = format("{} {}", text, fact->unit);
    QuantityError error{};
    if (const auto read = parse_quantity(text, t.dimension, error)) {
      s.number = *read;
      return true;
    }
    const SourceSpan at = place_of(n, place);
    const std::string name = subject(t, place), example = unit_example(t.dimension);
    const std::string_view usual = units_of(t.dimension)[0].spelling;
    switch (error.kind) {
      case QuantityError::Kind::no_unit: {
        const auto blank = example.find(' ');
        const std::string unit = blank == std::string::npos ? std::string(usual) : example.substr(blank + 1);
        const std::string comma = comma_help(n);
        c_.findings
            .error("spec-missing-unit", at,
                   format("{} has no unit: '{}' is written where {} belongs, such as {}", name, text, words_for(t),
                          example))
            .help(!comma.empty() ? comma
                  : starts_number(text)
                      ? format("write {} if that is the unit", line(place, format("{} {}", text, unit)))
                      : format("write {}", line(place, example)));
        return false;
      }
      case QuantityError::Kind::wrong_dimension: {
        const std::string other = error.other ? std::string(dimension_name(*error.other)) : "something else";
        Finding& f = c_.findings.error(
            "spec-wrong-unit", at,
            format("{} is a quantity of {}; '{}' measures {}", name, dimension_name(t.dimension), error.text, other));
        if (error.other)
          if (const auto why = why_not_the_same(t.dimension, *error.other); !why.empty())
            f.note(SourceSpan{}, std::string(why));
        f.help(of_same_letters(t.dimension, text, error.text, place) + written_with(t.dimension));
        return false;
      }
      case QuantityError::Kind::unknown_unit: {
        std::vector<std::string_view> known;
        for (const UnitRow& row : units_of(t.dimension)) known.push_back(row.spelling);
        Finding& f = c_.findings.error(
            "spec-wrong-unit", at, format("{}: '{}' is no unit of {}", name, error.text, dimension_name(t.dimension)));
        if (const auto meant = unit_in_other_case(error.text, t.dimension)) {
          f.help(format("did you mean '{}'?", *meant));
          const SourceSpan written = d_.span(n);
          const std::size_t quote = d_.quoted(n) ? 1 : 0;
          if (!fact && d_.scalar(n).ends_with(error.text) &&
              written.end - written.begin == d_.scalar(n).size() + 2 * quote)
            f.fixed_by(format("write '{}'", *meant),
                       {{{written.file, static_cast<std::uint32_t>(written.end - quote - error.text.size()),
                          static_cast<std::uint32_t>(written.end - quote)},
                         std::string(*meant)}});
        } else if (!offer_names(f, error.text, known)) {
          // "100G": the number as it is written, with the unit that it begins.
          std::string_view number = text.substr(0, text.size() - std::min(text.size(), error.text.size()));
          while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
          const auto begun =
              std::ranges::find_if(known, [&](std::string_view unit) { return unit.starts_with(error.text); });
          f.help(begun != known.end() && !number.empty()
                     ? format("write {} if that is what it is; {}", line(place, format("{} {}", number, *begun)),
                              written_with(t.dimension))
                     : written_with(t.dimension));
        }
        return false;
      }
      case QuantityError::Kind::not_finite:
        c_.findings.error("spec-out-of-range", at, format("{} is '{}', which is no finite number", name, text));
        return false;
      case QuantityError::Kind::not_a_number:
        break;
    }
    wrong_type(t, n, place);
    return false;
  }

  bool list(const Type& t, NodeId n, void* out, ReadPlace place, const Fact* fact, const FieldOptions* options) {
    const Type& e = t.element();
    Fact own;
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
    for (NodeId key = d_.first_child(n); key != kNoNode;) {
      const NodeId v = d_.next_sibling(key);
      ok = entry(t, key, v, out) && ok;
      key = d_.next_sibling(v);
    }
    return ok;
  }

  bool entry(const Type& t, NodeId key, NodeId v, void* out) {
    const std::string_view name = d_.scalar(key);
    if (name.empty()) {
      c_.findings.error("spec-wrong-type", d_.span(key), "a name is empty");
      return false;
    }
    return node(t.element(), v, t.append(out, name, d_.span(key)), {d_.span(key), name}, nullptr, {});
  }

  bool record(const Type& t, NodeId n, void* out, ReadPlace place, const Fact* outer,
              std::span<const std::string_view> also) {
    Fact own;
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
        fill(f, out);
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
      finding.help(need == "text" ? format("'{}': {}", f.key, f.options.doc)
                                  : format("'{}': {}; written as `{}: {}`", f.key, f.options.doc, f.key, need));
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

  bool record_text(const Type& t, NodeId n, void* out, const ReadPlace& place, const Fact* fact) {
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
  bool adopt(const Type& t, void* out, NodeId n, const Fact* fact) {
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
        fill(f, out);
      }
    }
    return ok;
  }

 public:
  static void fill(const Field& f, void* record) {
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

 private:
  static bool standard_value(const Type& t, std::string_view text, std::string_view why, void* out) {
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

  const ReadContext& c_;
  const Document& d_;
};

}  // namespace

bool read_node(const ReadContext& context, const Type& type, NodeId node, void* out, ReadPlace place,
               std::span<const std::string_view> also) {
  return Reader(context).node(type, node, out, place, nullptr, also);
}

bool read_field(const ReadContext& context, const Field& field, NodeId node, void* record, ReadPlace place) {
  return Reader(context).field(field, node, record, place);
}

void fill_standards(const Type& type, void* record) {
  for (const Field& f : type.fields) Reader::fill(f, record);
}

}  // namespace clusterc
