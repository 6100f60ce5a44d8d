#include "rules/acceptances.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "rules/severities.h"
#include "spec/sections.h"
#include "yaml/document.h"
#include "yaml/remove.h"
#include "yaml/scan.h"

namespace clusterc {
namespace {

SourceSpan hull(SourceSpan a, SourceSpan b) {
  if (!a.valid()) return b;
  if (!b.valid() || a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// The place of a path of keys (networks.oob.subnet) in a described struct; invalid where the spec has no such key.
using Path = std::span<const std::string_view>;

template <class T>
SourceSpan place_in(const T& struct_, Path path);
template <class T>
SourceSpan place_in(const Value<T>& v, Path path) {
  return path.empty() ? v.span : SourceSpan{};
}
template <class T>
SourceSpan place_in(const std::optional<T>& v, Path path) {
  return v ? place_in(*v, path) : SourceSpan{};
}
template <class T>
SourceSpan place_in(const Apart<T>& v, Path path) {
  return place_in(*v, path);
}
template <class T>
SourceSpan place_in(const MaybeApart<T>& v, Path path) {
  return v ? place_in(*v, path) : SourceSpan{};
}
template <class T>
SourceSpan place_in(const std::vector<T>& list, Path path) {
  SourceSpan all;
  for (const T& v : list) all = hull(all, place_in(v, path));
  return all;
}
template <class T>
SourceSpan place_in(const NamedMap<T>& map, Path path) {
  SourceSpan all;
  for (const auto& entry : map) {
    if (!path.empty() && entry.name != path.front()) continue;
    const SourceSpan value = place_in(entry.value, path.empty() ? path : path.subspan(1));
    all = hull(all, path.size() <= 1 ? hull(entry.name_span, value) : value);
  }
  return all;
}

struct Step {
  Path path;
  SourceSpan found;
  template <class F>
  void operator()(std::string_view key, const F& field, const FieldOptions&) {
    if (path.empty())
      found = hull(found, place_in(field, path));
    else if (key == path.front())
      found = place_in(field, path.subspan(1));
  }
  template <class F>
  void rest(const F& map, const FieldOptions&) {
    if (!found.valid() || path.empty()) found = hull(found, place_in(map, path));
  }
};

template <class T>
SourceSpan place_in(const T& struct_, Path path) {
  if constexpr (requires { struct_.span; })
    if (path.empty() && struct_.span.valid()) return struct_.span;
  Step step{path, {}};
  T::describe(struct_, step);
  return step.found;
}

SourceSpan place_of_path(const Spec& spec, std::string_view text) {
  const std::vector<std::string_view> path = split(text, '.');
  return place_in(spec, Path(path));
}

bool lies_in(SourceSpan inner, SourceSpan outer) {
  return inner.valid() && outer.valid() && inner.file == outer.file && inner.begin >= outer.begin &&
         inner.end <= outer.end;
}

// A path or a name as YAML takes it in brackets.
std::string yaml_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789._/-") == text.npos;
  if (plain && text.front() != '-') return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Where a mistake keeps rules from running, an acceptance may seem to be of no use: nothing is called unused then, and
// nothing taken out.
bool read_whole(const Findings& findings) {
  return std::ranges::none_of(
      findings.all(), [](const Finding& f) { return f.severity == Severity::error && f.rule.starts_with("spec-"); });
}

}  // namespace

Date accepted_until(const Date& today) {
  constexpr std::int64_t kDays = 183;
  return Moment{today, 12, 0, 0}.after(kDays * 24 * 3600).date;
}

std::vector<std::string> accepting_entries(const Spec& spec, const Finding& f, const Date& until) {
  const FindingKind* kind = find_finding_kind(f.rule);
  if (!kind || f.physics || f.accepted || kind->standing == Standing::physics ||
      (kind->standing == Standing::must_mend && f.severity == Severity::error) || f.rule == "spec-acceptance-expired" ||
      f.rule == "spec-acceptance-unused")
    return {};
  const auto entry = [&](std::string_view at) {
    return format("{{ rule: {}, at: {}, reason: \"say why\", until: {} }}", f.rule, yaml_word(at), until.text());
  };
  // The nearest path that the language names, and that holds the place.
  for (std::string_view path = f.key_path; !path.empty();
       path = path.substr(0, path.find('.') == path.npos ? 0 : path.rfind('.')))
    if (lies_in(f.span, place_of_path(spec, path))) return {entry(path)};
  std::vector<std::string> entries;
  for (const std::string& object : f.objects) {
    std::string one = entry(object);
    if (std::ranges::find(entries, one) == entries.end()) entries.push_back(std::move(one));
  }
  return entries;
}

std::optional<Edit> accepting_edit(const Document& d, const Sources& sources, const std::vector<std::string>& entries) {
  const std::string_view text = sources.text(d.file());
  if (entries.empty() || !d.is_mapping(d.root()) || d.size(d.root()) == 0) return std::nullopt;
  const std::size_t first = d.span(d.key(d.root(), 0)).begin;
  if (first > 0 && text[first - 1] != '\n' && first != yaml_byte_order_marks(text)) return std::nullopt;  // in brackets
  const NodeId list = d.find(d.root(), "accept");
  const auto insert = [&](std::size_t at, std::string with) {
    const auto place = static_cast<std::uint32_t>(at);
    return Edit{{d.file(), place, place}, std::move(with)};
  };
  const std::string_view line_end = text.find("\r\n") == text.npos ? "\n" : "\r\n";
  std::string lines;
  if (list == kNoNode) {
    if (!text.ends_with('\n')) lines += line_end;
    lines += format("{}accept:{}", line_end, line_end);
    for (const std::string& e : entries) lines += format("  - {}{}", e, line_end);
    return insert(text.size(), lines);
  }
  if (!d.is_sequence(list) || d.size(list) == 0) return std::nullopt;
  const SourceSpan last = d.span(d.item(list, d.size(list) - 1)), begin = d.span(d.item(list, 0));
  std::size_t dash = begin.begin;
  while (dash > 0 && (yaml_blank(text[dash - 1]) || yaml_break(text[dash - 1]))) --dash;
  if (dash > 0 && text[dash - 1] == '[') {
    for (const std::string& e : entries) lines += format(", {}", e);
    return insert(last.end, lines);
  }
  if (dash == 0 || text[dash - 1] != '-') return std::nullopt;
  std::size_t line = dash - 1;
  while (line > 0 && !yaml_break(text[line - 1])) --line;
  const std::string indent(text.substr(line, dash - 1 - line));
  if (indent.find_first_not_of(' ') != indent.npos) return std::nullopt;
  const std::size_t end = std::min(text.find_first_of("\r\n", last.end), text.size());
  for (const std::string& e : entries) lines += format("{}{}- {}", line_end, indent, e);
  return insert(end, lines);
}

struct Acceptances::Open {  // an entry that still holds
  const Acceptance* spec;
  const FindingKind* kind;
  SourceSpan place;  // of its path; invalid for an object's name
  bool used = false;
};

// The entries of one id: those with a place by its begin, each with the furthest end of all up to it, so that the
// entries around a finding are met without a look at all of them; and those by an object's name.
struct Acceptances::OfKind {
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> furthest;
  std::map<std::string_view, std::vector<std::size_t>> objects;
};

Acceptances::~Acceptances() = default;

Acceptances::Acceptances(const Spec& spec, const Sources& sources, const Date* today, Findings& findings)
    : sources_(sources) {
  const bool whole = read_whole(findings);
  for (const Acceptance& a : spec.accept) {
    if (!a.rule || !a.at || !a.reason || !a.until) continue;  // reported by the spec reader
    const FindingKind* kind = find_finding_kind(*a.rule);
    if (!kind) {
      report_unknown_id(*a.rule, a.rule.span, findings);
    } else if (today && *a.until < *today) {
      Finding& f = findings.warning(
          "spec-acceptance-expired", a.until.span,
          format("the acceptance of '{}' ended on {}, today is {}", kind->id, a.until->text(), today->text()));
      f.help("fix the cause, or check the reason again and set a new date");
      if (const auto edit = whole ? removal_of_item(sources, a.span) : std::nullopt)
        f.fixed_by("remove the expired acceptance", {*edit});
    } else {
      open_.push_back({&a, kind, place_of_path(spec, *a.at), false});
    }
  }
  for (std::size_t i = 0; i < open_.size(); ++i) {
    OfKind& of = by_id_[open_[i].kind->id];
    if (open_[i].place.valid()) of.places.push_back(i);
    of.objects[*open_[i].spec->at].push_back(i);
  }
  for (auto& [id, of] : by_id_) {
    std::ranges::stable_sort(of.places, {}, [&](std::size_t i) { return open_[i].place.begin; });
    std::uint32_t furthest = 0;
    for (const std::size_t i : of.places) of.furthest.push_back(furthest = std::max(furthest, open_[i].place.end));
  }
}

// By path: the finding lies in it. By name: every object that the finding is about is accepted, so that one rack's
// reason does not cover forty.
const Acceptances::Open* Acceptances::accepting(const Finding& f) {
  const auto of = by_id_.find(f.rule);
  if (of == by_id_.end()) return nullptr;
  const Open* found = nullptr;
  const auto& places = of->second.places;
  const auto behind =
      std::ranges::upper_bound(places, f.span.begin, {}, [&](std::size_t i) { return open_[i].place.begin; });
  for (std::size_t i = static_cast<std::size_t>(behind - places.begin()); i-- > 0;) {
    if (of->second.furthest[i] < f.span.end) break;
    Open& a = open_[places[i]];
    if (!lies_in(f.span, a.place)) continue;
    a.used = true;
    if (!found) found = &a;
  }
  if (found) return found;
  for (const std::string& object : f.objects) {
    const auto by = of->second.objects.find(object);
    if (by == of->second.objects.end()) return nullptr;
    if (!found) found = &open_[by->second.front()];
  }
  for (const std::string& object : f.objects)
    for (const std::size_t i : of->second.objects.find(object)->second) open_[i].used = true;
  return found;
}

void Acceptances::apply(Findings& findings) {
  const std::size_t count = findings.all().size();
  for (std::size_t i = 0; i < count && !open_.empty(); ++i) {
    Finding& f = findings.all()[i];
    if (f.accepted) continue;
    const Open* by = accepting(f);
    if (!by) continue;
    const bool must_mend = by->kind->standing == Standing::must_mend && f.severity == Severity::error;
    if (!f.physics && !must_mend) {
      f.accepted = *by->spec->reason;
      continue;
    }
    if (std::ranges::any_of(findings.all(), [&](const Finding& said) {  // by an earlier call
          return said.rule == "spec-physics-accepted" && said.span == by->spec->rule.span;
        }))
      continue;
    findings
        .error("spec-physics-accepted", by->spec->rule.span,
               format("this finding of '{}' cannot be accepted: {}", f.rule,
                      must_mend ? why_not_accepted(*by->kind) : "it is against physics or the rating of a part"))
        .note(f.span, "the finding is here")
        .help("fix the cause, and remove this entry of `accept`");
  }
}

void Acceptances::report_unused(bool judged, Findings& findings) {
  const bool whole = read_whole(findings);
  if (!whole) return;
  for (const Open& a : open_) {
    if (a.used || (!judged && a.kind->code.empty()) || a.kind->reporter == kAuditReporter) continue;
    Finding& f = findings.warning(
        "spec-acceptance-unused", a.spec->at.span,
        format("this entry of `accept` is not used: '{}' has no finding at '{}'", a.kind->id, *a.spec->at));
    if (!a.place.valid())
      f.note(
          {},
          format("'{}' is not a path of keys in this spec; write the name as a finding shows it, for example rack/r07",
                 *a.spec->at));
    f.help("remove the acceptance");
    if (const auto edit = removal_of_item(sources_, a.spec->span)) f.fixed_by("remove the unused acceptance", {*edit});
  }
}

}  // namespace clusterc
