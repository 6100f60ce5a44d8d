// Running the rules, raising severities, accepting findings.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/scalar_text.h"
#include "rules/rule.h"
#include "yaml/remove.h"

namespace clusterc {
namespace {

std::vector<std::string_view> known_ids() {
  std::vector<std::string_view> ids;
  for (const Rule* r : all_rules()) ids.push_back(r->id);
  return ids;
}

void unknown_rule(std::string_view name, SourceSpan at, Findings& findings) {
  Finding& f = findings.error("spec-unknown-rule", at, format("no rule is named '{}'", name));
  suggest(f, at, name, known_ids());
}

// What `severity` takes: the reader has told of everything else.
std::optional<Severity> severity_of(std::string_view word) {
  for (const Severity s : {Severity::warning, Severity::error})
    if (severity_name(s) == word) return s;
  return std::nullopt;
}

struct Raised {
  const Rule* rule;
  Severity to;
};

// A rule's own severity is the floor: a spec may ask for more, never for less.
std::vector<Raised> raised_severities(const Spec& spec, Findings& findings) {
  std::vector<Raised> raised;
  for (const auto& entry : spec.severity) {
    const Rule* rule = find_rule(entry.name);
    if (!rule) {
      unknown_rule(entry.name, entry.name_span, findings);
      continue;
    }
    const auto to = entry.value ? severity_of(*entry.value) : std::nullopt;
    if (!to) continue;  // reported by the reader
    if (*to < rule->severity) {
      findings
          .error(
              "spec-severity-lowered", entry.value.span,
              format("'{}' is {} {}, it cannot be lowered to {}", rule->id,
                     rule->severity == Severity::error ? "an" : "a", severity_name(rule->severity), severity_name(*to)))
          .help(
              "a single finding can be taken out of the way with `accept`, by rule and place, with a reason and a "
              "date");
    } else {
      raised.push_back({rule, *to});
    }
  }
  return raised;
}

// The number that was written for a threshold, in the SI unit; what is wrong with it is told.
std::optional<double> read_threshold(const Rule& rule, const Threshold& t, const Value<WrittenLimit>& written,
                                     Findings& findings) {
  const std::string& text = written->as_written;
  std::optional<double> value;
  QuantityError quantity_error{};
  NumberProblem problem = NumberProblem::none;
  if (t.dimension)
    value = parse_quantity(text, *t.dimension, quantity_error);
  else if (!t.whole)
    value = parse_ratio(text, problem);
  else if (const auto count = parse_whole(text, problem))
    value = static_cast<double>(*count);
  if (!value) {
    findings
        .error("spec-wrong-type", written.span,
               format("the threshold of '{}' takes {}, such as {}; '{}' is written there", rule.id,
                      t.dimension ? "a quantity of " + std::string(dimension_name(*t.dimension))
                      : t.whole   ? "a whole number"
                                  : "a number or a share",
                      t.text(t.standard), text))
        .help(format("it is the {}", t.means));
    return std::nullopt;
  }
  if (*value >= t.least && *value <= t.most) return value;
  findings
      .error("spec-out-of-range", written.span,
             format("the threshold of '{}' is {}, it can be set from {} to {}", rule.id, t.text(*value),
                    t.text(t.least), t.text(t.most)))
      .help(format("it is the {}; {} where nothing is set", t.means, t.text(t.standard)));
  return std::nullopt;
}

// Only policy can be set otherwise: what physics or a rating decides has no threshold.
std::vector<SetThreshold> set_thresholds(const Spec& spec, Findings& findings) {
  std::vector<SetThreshold> set;
  for (const auto& entry : spec.thresholds) {
    const Rule* rule = find_rule(entry.name);
    if (!rule) {
      unknown_rule(entry.name, entry.name_span, findings);
    } else if (!rule->threshold) {
      findings
          .error("spec-no-threshold", entry.name_span,
                 format("'{}' has no limit that could be set otherwise", rule->id))
          .help(
              "a single finding can be taken out of the way with `accept`, by rule and place, with a reason and a "
              "date");
    } else if (entry.value) {
      if (const auto value = read_threshold(*rule, *rule->threshold, entry.value, findings))
        set.push_back({rule, *value, entry.value.span});
    }
  }
  return set;
}

// A finding points at what the user can change. Where the deciding value lies in the catalogue, the place is the one in
// the spec that chose the part, and the catalogue's line becomes a note.
void point_into_spec(const Cluster& cluster, Finding& finding) {
  const FileId spec = cluster.spec.span.file;
  if (!finding.span.valid() || finding.span.file == spec) return;
  for (const std::string& object : finding.objects) {
    if (!object.starts_with("nodes.")) continue;
    const int group = cluster.find_node_group(std::string_view(object).substr(6, object.find_first_of(".[", 6) - 6));
    if (group < 0) continue;
    const NodeGroupModel& g = cluster.nodes[static_cast<std::size_t>(group)];
    finding.notes.insert(finding.notes.begin(),
                         {finding.span, "the part that it names", std::exchange(finding.caret, {})});
    finding.span = g.server.span.file == spec ? g.server.span : g.span;
    return;
  }
}

}  // namespace

std::string Threshold::text(double value) const {
  if (dimension) return to_text(value, *dimension);
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : ratio_text(value);
}

double RuleInput::threshold(const Rule& rule) const {
  for (const SetThreshold& set : thresholds)
    if (set.rule == &rule) return set.value;
  return rule.threshold ? rule.threshold->standard : 0;
}

void check_rules(const RuleInput& given, Findings& findings, std::span<const Rule* const> rules) {
  const std::vector<Raised> raised = raised_severities(given.cluster.spec, findings);
  const std::vector<SetThreshold> thresholds = set_thresholds(given.cluster.spec, findings);
  RuleInput in = given;
  in.thresholds = thresholds;
  for (const Rule* rule : rules) {
    if (rule->since > in.edition) continue;
    const std::size_t before = findings.all().size();
    rule->check(*rule, in, findings);
    const auto wish = std::find_if(raised.begin(), raised.end(), [&](const Raised& r) { return r.rule == rule; });
    for (std::size_t i = before; i < findings.all().size(); ++i) {
      Finding& f = findings.all()[i];
      // What is below the rule's own severity says that something could not be checked, or is its milder half: it stays
      // what it is.
      if (wish != raised.end() && f.severity >= rule->severity && f.severity < wish->to) f.severity = wish->to;
      if (rule->physics && f.severity == Severity::error) f.physics = true;
      point_into_spec(in.cluster, f);
    }
  }
}

// ---- acceptances
// -------------------------------------------------------------------------------------------------------
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

struct Open {  // an acceptance that still holds
  const Acceptance* spec;
  const Rule* rule;
  SourceSpan place;  // of its path; invalid for an object's name
  bool used = false;
};

bool names_it(const Open& a, const Finding& f, std::string_view object) {
  return f.rule == a.rule->id && *a.spec->at == object;
}

// By path: the finding lies in it. By name: every object that the finding is about is accepted, so that one rack's
// reason does not cover forty.
const Open* accepting(std::vector<Open>& open, const Finding& f) {
  for (Open& a : open)
    if (f.rule == a.rule->id && lies_in(f.span, a.place)) {
      a.used = true;
      return &a;
    }
  if (f.objects.empty()) return nullptr;
  const Open* first = nullptr;
  for (const std::string& object : f.objects) {
    const auto by = std::find_if(open.begin(), open.end(), [&](const Open& a) { return names_it(a, f, object); });
    if (by == open.end()) return nullptr;
    if (!first) first = &*by;
  }
  for (const std::string& object : f.objects)
    for (Open& a : open)
      if (names_it(a, f, object)) a.used = true;
  return first;
}

}  // namespace

void apply_acceptances(const Spec& spec, const Sources& sources, const Date* today, Findings& findings) {
  // Where a mistake keeps rules from running, an acceptance may seem to be of no use: it is taken out only from a spec
  // that was read whole.
  const bool read_whole = std::ranges::none_of(
      findings.all(), [](const Finding& f) { return f.severity == Severity::error && f.rule.starts_with("spec-"); });
  const auto removable = [&](Finding& f, const Acceptance& a, std::string title) {
    if (const auto edit = read_whole ? removal_of_item(sources, a.span) : std::nullopt)
      f.fixed_by(std::move(title), {*edit});
  };
  std::vector<Open> open;
  for (const Acceptance& a : spec.accept) {
    if (!a.rule || !a.at || !a.reason || !a.until) continue;  // reported by the reader
    const Rule* rule = find_rule(*a.rule);
    if (!rule)
      unknown_rule(*a.rule, a.rule.span, findings);
    else if (rule->physics)
      findings
          .error("spec-physics-accepted", a.rule.span,
                 format("'{}' is against physics or the rating of a part, it cannot be accepted", rule->id))
          .help("mend what it says, or leave the finding");
    else if (today && *a.until < *today)
      removable(findings
                    .warning("spec-acceptance-expired", a.until.span,
                             format("the acceptance of '{}' ended on {}, today is {}", rule->id, a.until->text(),
                                    today->text()))
                    .help("mend what it says, or give a new date with a new look at the reason"),
                a, "take the expired acceptance out");
    else
      open.push_back({&a, rule, place_of_path(spec, *a.at), false});
  }
  const std::size_t count = findings.all().size();
  for (std::size_t i = 0; i < count; ++i) {
    Finding& f = findings.all()[i];
    const Open* by = accepting(open, f);
    if (!by) continue;
    if (!f.physics) {
      f.accepted = *by->spec->reason;
      continue;
    }
    findings
        .error("spec-physics-accepted", by->spec->rule.span,
               format("this finding of '{}' is against physics or the rating of a part, it cannot be accepted", f.rule))
        .note(f.span, "the finding is here")
        .help("mend what it says, or leave the finding");
  }
  // What is misspelt may have kept a rule from being judged: nothing is called unused then.
  if (std::any_of(findings.all().begin(), findings.all().end(),
                  [](const Finding& f) { return f.severity == Severity::error && f.rule.starts_with("spec-"); }))
    return;
  for (const Open& a : open) {
    if (a.used) continue;
    Finding& f = findings.warning("spec-acceptance-unused", a.spec->at.span,
                                  format("nothing at '{}' is a finding of '{}'", *a.spec->at, a.rule->id));
    if (!a.place.valid())
      f.note(
          {},
          format("'{}' is no path of keys in this spec; names of objects are written as findings write them: rack/r07",
                 *a.spec->at));
    f.help("take the acceptance out");
    removable(f, *a.spec, "take the unused acceptance out");
  }
}

}  // namespace clusterc
