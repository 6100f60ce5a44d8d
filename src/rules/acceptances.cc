#include "rules/acceptances.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "rules/severities.h"
#include "spec/spec.h"
#include "yaml/remove.h"

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

// Where a mistake keeps rules from running, an acceptance may seem to be of no use: nothing is called unused then, and
// nothing taken out.
bool read_whole(const Findings& findings) {
  return std::ranges::none_of(
      findings.all(), [](const Finding& f) { return f.severity == Severity::error && f.rule.starts_with("spec-"); });
}

}  // namespace

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
      f.help("mend what it says, or give a new date with a new look at the reason");
      if (const auto edit = whole ? removal_of_item(sources, a.span) : std::nullopt)
        f.fixed_by("take the expired acceptance out", {*edit});
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
        .help("mend what it says, or leave the finding");
  }
}

void Acceptances::report_unused(bool judged, Findings& findings) {
  const bool whole = read_whole(findings);
  if (!whole) return;
  for (const Open& a : open_) {
    if (a.used || (!judged && a.kind->code.empty())) continue;
    Finding& f = findings.warning("spec-acceptance-unused", a.spec->at.span,
                                  format("nothing at '{}' is a finding of '{}'", *a.spec->at, a.kind->id));
    if (!a.place.valid())
      f.note(
          {},
          format("'{}' is no path of keys in this spec; names of objects are written as findings write them: rack/r07",
                 *a.spec->at));
    f.help("take the acceptance out");
    if (const auto edit = removal_of_item(sources_, a.spec->span))
      f.fixed_by("take the unused acceptance out", {*edit});
  }
}

}  // namespace clusterc
