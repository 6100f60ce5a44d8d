// A finding: what a rule (or the loader) has to say, where, with both numbers, and what to do. See
// docs/writing-findings.md.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace clusterc {

enum class Severity { note, warning, error };
std::string_view severity_name(Severity);

struct Remark {     // a second place (note) or a way out (help)
  SourceSpan span;  // may be invalid: then the finding's own place is meant
  std::string message;
  std::string label;  // under the caret, only with a span
};

struct Edit {
  SourceSpan span;  // replaced; empty range = insertion
  std::string replacement;
};

struct Fix {  // only what is almost certainly meant: applied, the finding is gone
  std::string title;
  std::vector<Edit> edits;
};

struct Finding {
  Severity severity = Severity::error;
  std::string rule;  // "power-rack-over-budget"; loader findings are "spec-…"
  SourceSpan span;
  std::string message;  // stands alone, both sides of the comparison with units, no full stop
  std::string caret;    // the arithmetic, printed beside the caret
  std::vector<Remark> notes;
  std::vector<Remark> helps;
  std::optional<Fix> fix;
  bool physics = false;                 // cannot be accepted
  bool unconfirmed = false;             // rests on an unconfirmed fact: can be accepted
  std::vector<std::string> objects;     // names of the objects concerned: "rack/r07", "node/gpu/017"
  std::optional<std::string> accepted;  // the reason given in the spec
  std::string key_path;  // the keys that lead to its place in the spec: "networks.lan.rate"; the pipeline fills it in
  bool in_baseline = false;        // met before this spec adopted the linter: shown to programs, not counted
  std::string misspelt;            // a name that nobody knows, within its place,
  std::vector<std::string> meant;  // and the known ones that are nearest to it: an editor offers each (diag/near.h)
  bool counts() const { return !accepted && !in_baseline; }

  // Builders, so that the good call is the short call.
  Finding& label(std::string text) {
    caret = std::move(text);
    return *this;
  }
  Finding& note(SourceSpan at, std::string text, std::string under = {}) {
    notes.push_back({at, std::move(text), std::move(under)});
    return *this;
  }
  Finding& help(std::string text);
  Finding& help(SourceSpan at, std::string text);
  Finding& object(std::string name) {
    objects.push_back(std::move(name));
    return *this;
  }
  Finding& fixed_by(std::string title, std::vector<Edit> edits) {
    fix = Fix{std::move(title), std::move(edits)};
    return *this;
  }
};

// The sink. Findings are collected in any order and sorted by place just before printing.
class Findings {
 public:
  Finding& add(Severity, std::string_view rule, SourceSpan, std::string message);
  Finding& error(std::string_view rule, SourceSpan at, std::string message) {
    return add(Severity::error, rule, at, std::move(message));
  }
  Finding& warning(std::string_view rule, SourceSpan at, std::string message) {
    return add(Severity::warning, rule, at, std::move(message));
  }
  Finding& note(std::string_view rule, SourceSpan at, std::string message) {
    return add(Severity::note, rule, at, std::move(message));
  }

  const std::deque<Finding>& all() const { return all_; }
  std::deque<Finding>& all() { return all_; }
  bool empty() const { return all_.empty(); }
  std::size_t count(Severity) const;  // those that count: neither accepted nor in the baseline
  void sort(const Sources&);          // by file as given, place, severity, rule; stable
  void withhold(SourceSpan secret);   // no output quotes a line of it, whichever finding points there
  bool quotable(const Sources&, FileId, std::uint32_t line) const;

 private:
  std::deque<Finding> all_;  // a deque: references handed out by add() stay valid
  std::map<std::pair<FileId, std::size_t>, std::size_t> withheld_;  // file and begin -> end; none lies in another
};

// Those of `known` that are nearest to `word` by edit distance, if near enough to be meant, in the order of `known`;
// and the first of them.
std::vector<std::string_view> nearest_names(std::string_view word, const std::vector<std::string_view>& known);
std::optional<std::string_view> nearest_name(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace clusterc
