// A baseline: the findings that a spec had when it adopted the linter. They are set aside, what is new counts. An entry
// is met by rule, severity, the path of keys of its place and the objects concerned, never by a line number, so that it
// survives edits elsewhere.
//
// What is against physics is in no baseline, and neither is an error of the loader (`spec-…`): what cannot be read was
// not judged.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fields/fields.h"
#include "yaml/document.h"

namespace clusterc {

struct BaselineEntry {
  SourceSpan span;
  Value<std::string> rule, severity, at, file, objects_digest, says;
  std::vector<Value<std::string>> objects;
  Value<std::int64_t> count;
  static constexpr std::string_view type_name = "baseline entry";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("rule", s.rule, {.required = true, .doc = "rule of the finding"});
    v("severity", s.severity,
      {.required = true, .doc = "a finding that has become worse is new", .words = "error|warning"});
    v("at", s.at, {.doc = "keys that lead to its place in the spec"});
    v("file", s.file, {.doc = "where it does not lie in the spec itself: path from the baseline"});
    v("objects", s.objects, {.doc = "objects concerned"});
    v("objects_digest", s.objects_digest, {.doc = "in place of a long list of objects: its SHA-256, 16 digits"});
    v("count", s.count,
      {.standard = "1", .why = "one where nothing is said", .doc = "how many such findings", .least = 1, .most = 1e9});
    v("says", s.says, {.doc = "what the finding said, for people"});
  }
};

struct Baseline {
  Value<std::int64_t> version;
  NamedMap<std::vector<BaselineEntry>> specs;  // by path from the baseline's folder
  static constexpr std::string_view type_name = "baseline";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("clusterc-baseline", s.version, {.required = true, .doc = "version of this format: 1", .least = 1, .most = 1});
    v("specs", s.specs, {.doc = "known findings by spec"});
  }
};

// nullopt, with findings, when it is no baseline that this program reads.
std::optional<Baseline> read_baseline(const Sources&, FileId, Findings&);

// Sets aside (`in_baseline`) the findings that it knows of the spec of this name; entries that are met no more become
// warnings.
void apply_baseline(const Baseline&, const std::string& baseline_path, const std::string& spec, FileId spec_file,
                    const Sources&, Findings&);

struct Adopted {  // what goes into a new baseline for one spec
  std::vector<BaselineEntry> entries;
  std::size_t findings = 0, left_out = 0;  // left out: physics, errors of the loader
};
Adopted adopt(const std::string& baseline_path, FileId spec_file, const Sources&, const Findings&);
// `specs` replaces what `old` (may be null) has of the same names; the rest of `old` stays. The same findings give the
// same bytes.
std::string baseline_text(const Baseline* old, std::map<std::string, std::vector<BaselineEntry>> specs);

// A path as the baseline writes it: relative to the baseline's folder, with '/'.
std::string path_from_baseline(const std::string& baseline_path, std::string_view path);

}  // namespace clusterc
