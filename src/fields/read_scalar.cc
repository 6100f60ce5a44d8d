#include "fields/read_scalar.h"

#include <algorithm>
#include <optional>

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

// "9k" -> "9000"; nothing where it is not a whole number and that letter.
std::optional<std::string> in_thousands(std::string_view text) {
  if (text.size() < 2 || text.size() > 10 || (text.back() != 'k' && text.back() != 'K')) return std::nullopt;
  text.remove_suffix(1);
  if (text.find_first_not_of("0123456789") != text.npos || text.front() == '0') return std::nullopt;
  return std::string(text) + "000";
}

// How it is written, without a number that could be taken for the user's.
std::string written_with(Dimension d) {
  constexpr std::size_t kUnits = 4;
  const auto units = units_of(d);
  std::string list;
  for (std::size_t i = 0; i < std::min(kUnits, units.size()); ++i)
    list += format("{}{}", i == 0 ? "" : i + 1 == std::min(kUnits, units.size()) ? " or " : ", ", units[i].spelling);
  return format("{} is one number and its unit: {}", dimension_name(d), list);
}

bool starts_number(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

}  // namespace

SourceSpan ReadMessages::place_of(NodeId n, const ReadPlace& place) const {
  if (d_.is_scalar(n) && !d_.scalar(n).empty()) return d_.span(n);
  if (place.key.valid()) return place.key;
  for (NodeId at = n; d_.size(at) > 0;) {
    at = d_.first_child(at);
    if (d_.is_scalar(at)) return d_.span(at);
  }
  return d_.span(n);
}

std::string ReadMessages::subject(const Type& t, const ReadPlace& place) const {
  if (!place.name.empty()) return format("'{}'", place.name);
  return t.name.empty() ? "this" : "the " + std::string(t.name);
}

std::string ReadMessages::what_is_there(NodeId n) const {
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

Finding& ReadMessages::wrong_type(const Type& t, NodeId n, const ReadPlace& place) {
  if (const std::string number = d_.is_null(n) ? parted_number(place) : std::string(); !number.empty())
    return c_.findings
        .error("spec-wrong-type", place_of(n, place),
               format("'{}' is read as a key without a value, because a comma ends a value inside braces", place.name))
        .help(format("write `{}`", number));
  const std::string words = words_for(t), example = example_of(t);
  const bool says_it =
      t.kind == ScalarKind::choice || t.kind == ScalarKind::boolean || example == words || example == "text";
  const bool show = t.form != Type::Form::value || !says_it;
  return c_.findings.error("spec-wrong-type", place_of(n, place),
                           format("{} must be {}{}, but {}", subject(t, place), words,
                                  show ? ", such as " + example : std::string(), what_is_there(n)));
}

void ReadMessages::near_word(Finding& f, std::string_view text, const std::vector<std::string_view>& known, NodeId n) {
  if (offer_names(f, text, known) && almost_certainly(text, f.meant.front(), known))
    f.fixed_by(format("write '{}'", f.meant.front()), {{d_.span(n), f.meant.front()}});
}

std::string ReadMessages::comma_help(NodeId n) const {
  const NodeId next = d_.next_sibling(n);
  if (next == kNoNode || !d_.is_scalar(next) || d_.quoted(n) || d_.quoted(next)) return {};
  const std::string_view text = d_.scalar(n), behind = d_.scalar(next);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || behind.empty() || !digit(text.back()) || !digit(behind.front()) ||
      d_.span(next).begin != d_.span(n).end + 1)
    return {};
  return format(
      "inside brackets and braces a comma ends the value, so the value here is only '{}': numbers have a point for the "
      "fraction and no separator between thousands ('{},{}' is read as two values)",
      text, text, behind);
}

std::string ReadMessages::parted_number(const ReadPlace& place) const {
  if (place.before == kNoNode || !d_.is_scalar(place.before) || d_.quoted(place.before)) return {};
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view text = d_.scalar(place.before), behind = place.name;
  const std::size_t digits = std::min(behind.find_first_not_of(kDigits), behind.size());
  // Behind the comma there is nothing, or the blank that `clusterc fmt` writes there.
  const std::size_t gap = place.key.begin - d_.span(place.before).end;
  if (text.empty() || text.find_first_not_of(kDigits) != text.npos || digits == 0 || gap < 1 || gap > 2) return {};
  // "1,234,567": more of the number follows.
  NodeId next = d_.next_sibling(place.before);
  for (int i = 0; i < 2 && next != kNoNode; ++i) next = d_.next_sibling(next);
  if (next != kNoNode && d_.span(next).begin == place.key.end + 1 && starts_number(d_.scalar(next))) return {};
  // Three digits are a group of thousands, others a fraction.
  const bool thousands = digits == 3 && text.front() != '0' && text.size() <= 3;
  return format("{}{}{}", text, thousands ? "" : ".", behind);
}

std::string ReadMessages::line(const ReadPlace& place, std::string_view value) {
  return place.name.empty() || place.item ? format("`{}`", value) : format("`{}: {}`", place.name, value);
}

std::string ReadMessages::cut_way_out(std::string& error, const ReadPlace& place) {
  constexpr std::string_view kLead = ": write `";
  const std::size_t at = error.rfind(kLead);
  if (at == error.npos || !error.ends_with('`')) return {};
  const std::string value = error.substr(at + kLead.size(), error.size() - at - kLead.size() - 1);
  error.resize(at);
  return format("write {}", line(place, value));
}

bool ReadMessages::slip_help(Finding& f, const ReadPlace& place, std::string_view text) {
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

std::string ScalarReader::with_unit(NodeId n, const WrittenFact* fact) const {
  return fact && !fact->unit.empty() ? format("{} {}", d_.scalar(n), fact->unit) : std::string(d_.scalar(n));
}

bool ScalarReader::read(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s) {
  if (fact && !fact->unit.empty() && t.kind != ScalarKind::quantity && t.kind != ScalarKind::ratio &&
      t.kind != ScalarKind::parsed) {
    c_.findings.error("spec-wrong-unit", fact->unit_span,
                      format("{} must have no unit, but '{}' is written there", subject(t, place), fact->unit));
    return false;
  }
  switch (t.kind) {
    case ScalarKind::text:
      s.text = d_.scalar(n);
      return true;
    case ScalarKind::parsed:
      s.text = with_unit(n, fact);
      return true;
    case ScalarKind::boolean:
      return truth(t, n, place, s);
    case ScalarKind::choice:
      return choice(t, n, place, s);
    case ScalarKind::integer:
    case ScalarKind::ratio:
      return number(t, n, place, fact, s);
    case ScalarKind::quantity:
      return quantity(t, n, place, fact, s);
  }
  return false;
}

bool ScalarReader::truth(const Type& t, NodeId n, const ReadPlace& place, Scalar& s) {
  const std::string_view text = d_.scalar(n);
  const bool quoted = d_.quoted(n);
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

bool ScalarReader::choice(const Type& t, NodeId n, const ReadPlace& place, Scalar& s) {
  const std::string_view text = d_.scalar(n);
  for (std::size_t i = 0; i < t.choices.size(); ++i)
    if (t.choices[i] == text) {
      s.choice = i;
      return true;
    }
  Finding& f = c_.findings.error("spec-unknown-value", place_of(n, place),
                                 format("{} must be {}, but {}", subject(t, place), words_for(t), what_is_there(n)));
  if (!slip_help(f, place, text)) near_word(f, text, {t.choices.begin(), t.choices.end()}, n);
  return false;
}

bool ScalarReader::number(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s) {
  const std::string text = with_unit(n, fact);
  const bool whole = t.kind == ScalarKind::integer;
  NumberProblem problem = NumberProblem::none;
  bool good = false;
  if (whole) {
    if (const auto read = parse_whole(text, problem)) s.integer = *read, good = true;
  } else if (const auto read = parse_ratio(text, problem)) {
    s.number = *read, good = true;
  }
  // A quoted number is text; a fraction or a percentage is text either way.
  const bool plain_number = whole || text.find_first_of("/%") == text.npos;
  if (good && !(d_.quoted(n) && plain_number)) return true;
  if (good) {
    wrong_type(t, n, place).label("quoted, so it is text").fixed_by("write it without quotes", {{d_.span(n), text}});
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
                  line(place, std::string_view(text).substr(std::min(text.find_first_not_of('0'), text.size() - 1)))));
  } else if (problem == NumberProblem::not_whole) {
    f.help("no fraction is possible here");
  } else if (const auto thousands = in_thousands(text); thousands && whole) {
    f.help(format("`{}` has no meaning here: write {}", text.back(), line(place, *thousands)));
  } else if (!slip_help(f, place, text) && !t.example.empty()) {
    f.help(format("for example {}", line(place, t.example)));
  }
  return false;
}

void ScalarReader::report_missing_unit(const Type& t, NodeId n, const ReadPlace& place, const std::string& text) {
  const std::string example = unit_example(t.dimension);
  const auto blank = example.find(' ');
  const std::string unit =
      blank == std::string::npos ? std::string(units_of(t.dimension)[0].spelling) : example.substr(blank + 1);
  const std::string comma = comma_help(n);
  c_.findings
      .error("spec-missing-unit", place_of(n, place),
             format("{} has no unit: '{}' is written where {} belongs, such as {}", subject(t, place), text,
                    words_for(t), example))
      .help(!comma.empty()        ? comma
            : starts_number(text) ? format("write {} if that is the unit", line(place, format("{} {}", text, unit)))
                                  : format("write {}", line(place, example)));
}

std::string ScalarReader::of_same_letters(Dimension wanted, std::string_view text, std::string_view unit,
                                          const ReadPlace& place) {
  std::string_view number = text.substr(0, text.size() - std::min(text.size(), unit.size()));
  while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  if (unit.size() < 2 || number.empty() || !starts_number(number)) return {};
  constexpr std::string_view kPrefixes = "kMGTP";
  if (kPrefixes.find(unit.front()) == kPrefixes.npos) return {};
  for (const UnitRow& row : units_of(wanted))
    if (row.spelling.size() > 1 && row.spelling.front() == unit.front() && row.spelling.find('i') == row.spelling.npos)
      return format("write {} if {} were meant; ", line(place, format("{} {}", number, row.spelling)), row.spelling);
  return {};
}

void ScalarReader::report_wrong_dimension(const Type& t, NodeId n, const ReadPlace& place, std::string_view text,
                                          const QuantityError& error) {
  const std::string other = error.other ? std::string(dimension_name(*error.other)) : "something else";
  Finding& f = c_.findings.error("spec-wrong-unit", place_of(n, place),
                                 format("{} is a quantity of {}; '{}' measures {}", subject(t, place),
                                        dimension_name(t.dimension), error.text, other));
  if (error.other)
    if (const auto why = why_not_the_same(t.dimension, *error.other); !why.empty())
      f.note(SourceSpan{}, std::string(why));
  f.help(of_same_letters(t.dimension, text, error.text, place) + written_with(t.dimension));
}

// "kw": a fix-it where the unit stands in the file as it was read.
void ScalarReader::report_unknown_unit(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact,
                                       std::string_view text, const QuantityError& error) {
  std::vector<std::string_view> known;
  for (const UnitRow& row : units_of(t.dimension)) known.push_back(row.spelling);
  Finding& f = c_.findings.error(
      "spec-wrong-unit", place_of(n, place),
      format("{}: '{}' is not a unit of {}", subject(t, place), error.text, dimension_name(t.dimension)));
  if (const auto meant = unit_in_other_case(error.text, t.dimension)) {
    f.help(format("did you mean '{}'?", *meant));
    const SourceSpan written = d_.span(n);
    const std::size_t quote = d_.quoted(n) ? 1 : 0;
    if (!fact && d_.scalar(n).ends_with(error.text) && written.end - written.begin == d_.scalar(n).size() + 2 * quote)
      f.fixed_by(format("write '{}'", *meant),
                 {{{written.file, static_cast<std::uint32_t>(written.end - quote - error.text.size()),
                    static_cast<std::uint32_t>(written.end - quote)},
                   std::string(*meant)}});
  } else if (!offer_names(f, error.text, known)) {
    // "100G": the number as it is written, with the unit that it begins.
    std::string_view number = text.substr(0, text.size() - std::min(text.size(), error.text.size()));
    while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
    const auto begun = std::ranges::find_if(known, [&](std::string_view unit) { return unit.starts_with(error.text); });
    f.help(begun != known.end() && !number.empty()
               ? format("write {} if that is the unit; {}", line(place, format("{} {}", number, *begun)),
                        written_with(t.dimension))
               : written_with(t.dimension));
  }
}

bool ScalarReader::quantity(const Type& t, NodeId n, const ReadPlace& place, const WrittenFact* fact, Scalar& s) {
  const std::string text = with_unit(n, fact);
  QuantityError error{};
  if (const auto read = parse_quantity(text, t.dimension, error)) {
    s.number = *read;
    return true;
  }
  switch (error.kind) {
    case QuantityError::Kind::no_unit:
      report_missing_unit(t, n, place, text);
      break;
    case QuantityError::Kind::wrong_dimension:
      report_wrong_dimension(t, n, place, text, error);
      break;
    case QuantityError::Kind::unknown_unit:
      report_unknown_unit(t, n, place, fact, text, error);
      break;
    case QuantityError::Kind::not_finite:
      c_.findings.error("spec-out-of-range", place_of(n, place),
                        format("{} is '{}', which is no finite number", subject(t, place), text));
      break;
    case QuantityError::Kind::not_a_number:
      wrong_type(t, n, place);
  }
  return false;
}

}  // namespace clusterc
