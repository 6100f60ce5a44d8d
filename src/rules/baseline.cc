#include "rules/baseline.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/digest.h"
#include "base/format.h"
#include "base/text.h"
#include "fields/read.h"

namespace clusterc {
namespace {

constexpr std::size_t kObjectsShown = 8;  // longer lists are told by their digest

// What an entry is met by.
struct Key {
  std::string rule, at, file, objects;
  auto operator<=>(const Key&) const = default;
};

std::string digest_of(const std::vector<std::string>& objects) {
  Sha256 sha;
  for (const std::string& o : objects) sha.update(o), sha.update("\n");
  return to_hex(sha.finish()).substr(0, 16);
}

std::vector<std::string> sorted_objects(const Finding& f) {
  std::vector<std::string> objects = f.objects;
  std::ranges::sort(objects, natural_less);
  return objects;
}

Key key_of(const Finding& f, const std::string& baseline_path, FileId spec_file, const Sources& sources) {
  const std::vector<std::string> objects = sorted_objects(f);
  const bool elsewhere = f.span.valid() && f.span.file != spec_file;
  return {f.rule, f.key_path, elsewhere ? path_from_baseline(baseline_path, sources.path(f.span.file)) : std::string(),
          objects.size() > kObjectsShown ? digest_of(objects) : join(objects, "\n")};
}

Key key_of(const BaselineEntry& e) {
  std::vector<std::string> objects;
  for (const auto& o : e.objects) objects.push_back(o.value_or(""));
  std::ranges::sort(objects, natural_less);
  return {e.rule.value_or(""), e.at.value_or(""), e.file.value_or(""),
          e.objects_digest ? *e.objects_digest : join(objects, "\n")};
}

bool eligible(const Finding& f) {
  return f.severity != Severity::note && !f.accepted && !f.physics &&
         !(f.severity == Severity::error && f.rule.starts_with("spec-"));
}

bool covers(const BaselineEntry& e, const Finding& f) {
  return f.severity == Severity::warning || e.severity.value_or("") == "error";
}

}  // namespace

std::string path_from_baseline(const std::string& baseline_path, std::string_view path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path base = fs::absolute(baseline_path, failed).lexically_normal().parent_path();
  const fs::path full = fs::absolute(fs::path(path), failed).lexically_normal();
  const fs::path relative = full.lexically_relative(base);
  return (relative.empty() ? full : relative).generic_string();
}

std::optional<Baseline> read_baseline(const Sources& sources, FileId file, Findings& findings) {
  const auto document = parse_yaml(sources, file, findings);
  if (!document) return std::nullopt;
  if (!document->is_mapping(document->root())) {
    findings.error("spec-wrong-type", document->span(document->root()),
                   "a baseline is a mapping that begins with 'clusterc-baseline: 1'");
    return std::nullopt;
  }
  Baseline baseline;
  if (!read_fields({*document, findings}, document->root(), baseline)) return std::nullopt;
  return baseline;
}

void apply_baseline(const Baseline& baseline, const std::string& baseline_path, const std::string& spec,
                    FileId spec_file, const Sources& sources, Findings& findings) {
  struct OpenFinding {
    const BaselineEntry* entry;
    std::int64_t left;
  };
  std::multimap<Key, OpenFinding> open;
  for (const auto& known : baseline.specs)
    if (known.name == spec)
      for (const BaselineEntry& e : known.value) open.emplace(key_of(e), OpenFinding{&e, e.count.value_or(1)});
  for (Finding& f : findings.all()) {
    if (!eligible(f)) continue;
    const auto [first, last] = open.equal_range(key_of(f, baseline_path, spec_file, sources));
    for (auto i = first; i != last; ++i) {
      if (i->second.left <= 0 || !covers(*i->second.entry, f)) continue;
      --i->second.left;
      f.in_baseline = true;
      break;
    }
  }
  // In the order of the file, so that the same text gives the same findings.
  std::vector<OpenFinding> unmet;
  for (const auto& [key, o] : open)
    if (o.left > 0) unmet.push_back(o);
  std::ranges::sort(unmet, {}, [](const OpenFinding& o) { return o.entry->span.begin; });
  for (const OpenFinding& o : unmet) {
    const std::string at = o.entry->at.value_or("");
    Finding& f = findings.warning(
        "baseline-entry-unmet", o.entry->rule.span,
        format("the baseline has {} of '{}'{}, but the check has {}", o.entry->count.value_or(1),
               o.entry->rule.value_or(""), at.empty() ? "" : " at '" + at + "'", o.entry->count.value_or(1) - o.left));
    f.help("`--write-baseline` writes the file again, without the findings that were fixed");
  }
}

Adopted adopt(const std::string& baseline_path, FileId spec_file, const Sources& sources, const Findings& findings) {
  Adopted out;
  std::map<std::tuple<Key, Severity>, std::size_t> index;
  for (const Finding& f : findings.all()) {
    if (f.rule == "baseline-entry-unmet" || f.severity == Severity::note || f.accepted) continue;
    if (!eligible(f)) {
      ++out.left_out;
      continue;
    }
    ++out.findings;
    const Key key = key_of(f, baseline_path, spec_file, sources);
    const auto [at, fresh] = index.emplace(std::tuple(key, f.severity), out.entries.size());
    if (!fresh) {
      ++*out.entries[at->second].count.value;
      continue;
    }
    const auto text = [](std::string s) { return Value<std::string>(std::move(s), {}, Origin::spec); };
    BaselineEntry& e = out.entries.emplace_back();
    e.rule = text(f.rule);
    e.severity = text(std::string(severity_name(f.severity)));
    if (!key.at.empty()) e.at = text(key.at);
    if (!key.file.empty()) e.file = text(key.file);
    const std::vector<std::string> objects = sorted_objects(f);
    if (objects.size() > kObjectsShown)
      e.objects_digest = text(key.objects);
    else
      for (const std::string& o : objects) e.objects.push_back(text(o));
    e.count = Value<std::int64_t>(1, {}, Origin::spec);
    e.says = text(f.message);
  }
  return out;
}

}  // namespace clusterc
